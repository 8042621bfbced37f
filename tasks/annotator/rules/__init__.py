"""The annotation rules, one small function each, in the order of priority.

Every rule gets the `View` of a failed episode and returns its hits, none when it does not apply.
`RULES` is the protocol: not attributable first, then AR, EC, TD; `residual` is the default and is
asked only when nothing decisive was found.
"""

from collections.abc import Callable
from dataclasses import dataclass

from schemas.fields import Bullet
from tasks.annotator.hits import Hit, View
from tasks.annotator.rules import (
    action_realization,
    answers,
    commands,
    degeneration,
    sql_interface,
    termination,
)


@dataclass(frozen=True)
class Rule:
    """A named rule of one bullet; `needs_gold` rules stay silent without gold."""

    name: str
    bullet: Bullet
    find: Callable[[View], list[Hit]]
    needs_gold: bool = False


RULES: tuple[Rule, ...] = (
    Rule("call_in_text", "AR1", action_realization.call_in_text),
    Rule("call_unreadable", "AR2", action_realization.call_unreadable),
    Rule("inadmissible_command", "AR2", commands.inadmissible_command),
    Rule("sql_interface", "AR3", sql_interface.sql_interface),
    Rule("required_tool_missing", "EC1", termination.required_tool_missing),
    Rule("order_broken", "EC2", termination.order_broken),
    Rule("state_precondition", "EC2", commands.state_precondition),
    Rule("value_not_observed", "EC2", sql_interface.value_not_observed),
    Rule("answer_shape", "EC3", answers.answer_shape),
    Rule("budget_loop", "TD1", degeneration.budget_loop),
    Rule("wrong_strategy", "TD2", degeneration.wrong_strategy),
    Rule("no_progress", "TD3", degeneration.no_progress),
)
