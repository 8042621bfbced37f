"""Ask a rule on the host about stored runs: where would it act, and would it harm successes?

The rules are our own functions of `ruleset/`, never text that a model wrote. The gate repeats
the check in the sandbox; here it keeps edits that would fail there from being proposed. Both judge
what is harmful by `tasks.agent.clearance`.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from tasks.agent.clearance import Effect, decision_effect, is_false_fire, regulation_effect
from tasks.agent.protocols import JsonObject
from tasks.editor.reading import Run
from tasks.editor.rule_text import Rule
from tasks.editor.story import Moment, Story
from tasks.harness import Call
from tasks.harness.ordering import AFTERWARDS, WITH_CALL, WITHOUT_CALL
from tasks.harness.replay import RecordedStep
from tasks.harness.results import BadResultError, Proposed, read_result

Stage = Literal["text", "call", "result"]
_ORDERS = {"text": WITHOUT_CALL, "call": WITH_CALL, "result": AFTERWARDS}


@dataclass(frozen=True)
class Fire:
    """A rule acts at a moment of a run."""

    run: Run
    step_index: int
    recorded: RecordedStep
    call: Call | None
    effect: Effect


@dataclass(frozen=True)
class Probe:
    """Where a rule acts among failures and successes."""

    failures: tuple[Fire, ...]
    successes: tuple[Fire, ...]
    passed: int
    """Successes that were looked at."""

    @cached_property
    def acts(self) -> dict[str, int]:
        """First step at which it acts, by failed run."""
        first: dict[str, int] = {}
        for fire in self.failures:
            first.setdefault(fire.run.run_id, fire.step_index)
        return first

    @property
    def tasks(self) -> set[str]:
        """Tasks of the failed runs in which it acts."""
        return {fire.run.task_id for fire in self.failures}

    @property
    def passed_runs(self) -> set[str]:
        """Successful runs in which it acts."""
        return {fire.run.run_id for fire in self.successes}

    @property
    def tasks_at_risk(self) -> tuple[str, ...]:
        """Tasks of the successful runs in which it does anything else than what was done."""
        return tuple(sorted({fire.run.task_id for fire in self.successes if fire.effect != "same"}))

    @property
    def is_false_fire(self) -> bool:
        """Whether what it does to successes speaks against it."""
        touched: dict[str, set[Effect]] = {}
        for fire in self.successes:
            touched.setdefault(fire.run.run_id, set()).add(fire.effect)
        untouched = self.passed - len(touched)
        return is_false_fire([*touched.values(), *[set[Effect]()] * untouched])


def ask_runs(
    rule: Rule,
    parameters: Mapping[str, Any],
    stage: Stage,
    runs: tuple[Run, ...],
    story_of: Callable[[Run], Story],
) -> Probe:
    """Ask a rule at every moment of its stage; `text` sees turns without a usable call."""
    failures: list[Fire] = []
    successes: list[Fire] = []
    passed = 0
    for run in runs:
        if run.episode.is_failure or run.episode.is_success:
            passed += run.episode.is_success
            side = failures if run.episode.is_failure else successes
            side.extend(_fires(rule, parameters, stage, run, story_of(run)))
    return Probe(tuple(failures), tuple(successes), passed)


def _fires(
    rule: Rule, parameters: Mapping[str, Any], stage: Stage, run: Run, story: Story
) -> list[Fire]:
    moments = {"text": story.texts, "call": story.calls, "result": story.results}[stage]
    names = {str(tool.get("function", tool).get("name")) for tool in _tools(moments)}
    fires: list[Fire] = []
    for moment in moments:
        subject = moment.history if stage == "result" else moment.action
        wanted = _ask(rule, subject, moment.context, parameters, stage, names)
        if wanted is None or _comes_second(wanted, moment, stage):
            continue
        recorded = story.steps[moment.position]
        effect = _effect(wanted, story, moment.position, stage)
        fires.append(Fire(run, moment.step_index, recorded, wanted.call, effect))
    return fires


def _tools(moments: tuple[Moment, ...]) -> list[JsonObject]:
    return moments[0].context["tools"] if moments else []


def _ask(
    rule: Rule,
    subject: object,
    context: JsonObject,
    parameters: Mapping[str, Any],
    stage: Stage,
    names: set[str],
) -> Proposed | None:
    """What a rule wants; one that stumbles or breaks its contract is silent, as in the sandbox."""
    try:
        result = rule(subject, context, **parameters)
        if result is None:
            return None
        layer = "regulation" if stage == "result" else "actions"
        wanted = read_result(rule.__name__, json.dumps(result), layer=layer, tools=names)
    except (BadResultError, TypeError, ValueError, LookupError, AttributeError, RecursionError):
        return None
    return wanted if wanted.kind in _ORDERS[stage] else None


def _comes_second(wanted: Proposed, moment: Moment, stage: Stage) -> bool:
    """Whether the turn stays as it is: a rule in force comes first, or the call is the same."""
    order = _ORDERS[stage]
    earlier = order[: order.index(wanted.kind) + 1]
    if any(kind in earlier for kind in moment.taken):
        return True
    call = wanted.call
    is_same = call is not None and moment.action is not None and _is_written(call, moment.action)
    return stage == "call" and is_same


def _is_written(call: Call, action: JsonObject) -> bool:
    return (call.tool, call.arguments) == (action["tool"], action["arguments"])


def _effect(wanted: Proposed, story: Story, position: int, stage: Stage) -> Effect:
    if stage == "result":
        is_stop = wanted.kind == "stop"
        return regulation_effect(wanted.call, story.steps, position, is_stop=is_stop)
    return decision_effect(wanted.call, story.episode, story.steps, position)
