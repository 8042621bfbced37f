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
    not_attributable,
    omissions,
    sql_interface,
    termination,
    writes,
)


@dataclass(frozen=True)
class Rule:
    """A named rule of one bullet; `needs_gold` rules stay silent without gold."""

    name: str
    bullet: Bullet
    find: Callable[[View], list[Hit]]
    needs_gold: bool = False


RULES: tuple[Rule, ...] = (
    Rule("disputed_task", "NA", not_attributable.disputed_task, needs_gold=True),
    Rule("grader_penalty", "NA", not_attributable.grader_penalty, needs_gold=True),
    Rule("fractional_reward", "NA", not_attributable.fractional_reward),
    Rule("oracle_against_policy", "NA", not_attributable.oracle_against_policy, needs_gold=True),
    Rule("user_left_brief", "NA", not_attributable.user_left_brief, needs_gold=True),
    Rule("user_withheld", "NA", not_attributable.user_withheld, needs_gold=True),
    Rule("user_stopped_early", "NA", not_attributable.user_stopped_early, needs_gold=True),
    Rule("call_in_text", "AR1", action_realization.call_in_text),
    Rule("call_unreadable", "AR2", action_realization.call_unreadable),
    Rule("inadmissible_command", "AR2", commands.inadmissible_command),
    Rule("sql_interface", "AR3", sql_interface.sql_interface),
    Rule("required_tool_missing", "EC1", termination.required_tool_missing),
    Rule("write_claimed", "EC1", omissions.write_claimed),
    Rule("handover", "EC1", omissions.handover),
    Rule("handover_missing", "EC1", omissions.handover_missing, needs_gold=True),
    Rule("order_broken", "EC2", termination.order_broken),
    Rule("state_precondition", "EC2", commands.state_precondition),
    Rule("value_not_observed", "EC2", sql_interface.value_not_observed),
    Rule("precondition_violated", "EC2", writes.precondition_violated),
    Rule("unexpected_write", "EC2", writes.unexpected_write, needs_gold=True),
    Rule("write_refused", "EC2", writes.write_refused),
    Rule("argument_not_agreed", "EC2", writes.argument_not_agreed),
    Rule("consent_missing", "EC2", writes.consent_missing),
    Rule("lookup_missing", "EC2", omissions.lookup_missing),
    Rule("search_constraint", "EC2", answers.search_constraint),
    Rule("answer_shape", "EC3", answers.answer_shape),
    Rule("budget_loop", "TD1", degeneration.budget_loop),
    Rule("wrong_strategy", "TD2", degeneration.wrong_strategy),
    Rule("no_progress", "TD3", degeneration.no_progress),
    Rule("wrong_value", "RR", writes.wrong_value, needs_gold=True),
)
