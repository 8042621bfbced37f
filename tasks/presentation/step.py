"""One step of a transcript: what was said, asked, done to it, executed, and what came back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.trajectories import InterventionRow, StepRow, ToolCallRow
from tasks.presentation.cutting import as_facts, on_one_line, shown
from tasks.presentation.document import Group, Passage


@dataclass(frozen=True)
class Limits:
    """How much of foreign text is shown.

    Attributes:
        text: characters of one text.
        fact: characters of one value of an evidence or a manifest.
        steps: steps of one transcript.
        pairs: won pairs, and lost pairs, of one edit.
        moves: moves of each run from where they part.
    """

    text: int
    fact: int
    steps: int
    pairs: int
    moves: int


ON_TERMINAL = Limits(text=1500, fact=400, steps=400, pairs=3, moves=4)
ON_PAGE = Limits(text=20_000, fact=4000, steps=2000, pairs=10, moves=6)


@dataclass(frozen=True)
class Evidence:
    """What a rule saw at a step; `is_label` when it decided the label."""

    head: str
    evidence: str
    is_label: bool = False


def show_step(
    episode: Episode,
    step: StepRow,
    evidence: Mapping[tuple[int, str], Evidence],
    limits: Limits,
) -> Group:
    """Lay out a step in the order in which things happened."""
    index = step.step_index
    calls = episode.calls_at(index)
    done = [one for one in episode.interventions if one.step_index == index]
    seen = [found for (at, _), found in evidence.items() if at == index]
    blocks = [
        *_interventions(done, ("contract", "skills"), limits),
        *_said(step, limits),
        *(_asked(call, len(calls), limits) for call in calls),
        *_interventions(done, ("actions",), limits),
        *(passage for call in calls for passage in _came_back(call, len(calls), limits)),
        *_interventions(done, ("regulation",), limits),
        *(passage for call in calls for passage in _told(call, len(calls), limits)),
        *_observed(step, calls, limits),
        *_rule_faults(episode, index, limits),
        *(_evidence(found, limits) for found in sorted(seen, key=lambda one: not one.is_label)),
    ]
    forced = ", forced by a rule" if step.forced else ""
    is_decisive = any(found.is_label for found in seen)
    mark = " ◆" if is_decisive else ""
    title = f"Step {index} · {step.role}{forced}{mark}"
    return Group(title, tuple(blocks), "mark" if is_decisive else "")


def _said(step: StepRow, limits: Limits) -> Iterator[Passage]:
    if step.reasoning:
        yield Passage("reasoning", shown(step.reasoning, limits.text), "dim")
    if step.text:
        yield Passage("said", shown(step.text, limits.text))
    if step.finish_reason and step.finish_reason not in ("stop", "tool_calls"):
        yield Passage("model stopped", on_one_line(step.finish_reason, 200), "dim")


def _asked(call: ToolCallRow, count: int, limits: Limits) -> Passage:
    raw = call.arguments_raw if call.arguments_raw is not None else call.arguments
    by = " of the user" if call.requestor == "user" else ""
    reread = " (argument text not recorded, as parsed)" if call.arguments_raw is None else ""
    tool = on_one_line(call.tool, 200) or "no tool"
    head = f"call{_ordinal(call, count)}{by} {tool}{reread}"
    return Passage(head, shown(raw or "", limits.text))


def _came_back(call: ToolCallRow, count: int, limits: Limits) -> Iterator[Passage]:
    which = _ordinal(call, count)
    if call.arguments_error:
        yield Passage(f"unusable{which}", shown(call.arguments_error, limits.text), "bad")
    if call.executed is False:
        yield Passage(f"not executed{which}", "", "bad")
    elif _differs(call):
        tool = on_one_line(call.executed_tool or call.tool, 200)
        text = shown(call.executed_arguments or "", limits.text)
        yield Passage(f"executed{which} {tool}", text, "act")
    if call.result is not None:
        kind = on_one_line(call.error_kind, 80) if call.error_kind else "error"
        head = f"result{which}: {kind}" if call.is_error else f"result{which}"
        yield Passage(head, shown(call.result, limits.text), "bad" if call.is_error else "")


def _told(call: ToolCallRow, count: int, limits: Limits) -> Iterator[Passage]:
    if call.observation is not None and call.observation != call.result:
        yield Passage(f"agent saw{_ordinal(call, count)}", shown(call.observation, limits.text))


def _differs(call: ToolCallRow) -> bool:
    """Whether something else was executed than what the model asked for."""
    if call.executed_tool is None:
        return False
    asked = (call.tool, call.arguments)
    return asked != (call.executed_tool, call.executed_arguments)


def _ordinal(call: ToolCallRow, count: int) -> str:
    return f" {call.call_index + 1}" if count > 1 else ""


def _observed(step: StepRow, calls: tuple[ToolCallRow, ...], limits: Limits) -> Iterator[Passage]:
    known = {text for call in calls for text in (call.result, call.observation)}
    if step.observation and step.observation not in known:
        yield Passage("agent saw", shown(step.observation, limits.text))


def _interventions(
    done: list[InterventionRow], layers: tuple[str, ...], limits: Limits
) -> Iterator[Passage]:
    for one in done:
        if one.layer in layers:
            head = f"{one.layer}: {one.kind} by {on_one_line(one.artifact, 120)}"
            if one.suppressed:
                head += " (suppressed: another rule came first)"
            yield Passage(head, _change(one, limits), "dim" if one.suppressed else "act")


def _change(one: InterventionRow, limits: Limits) -> str:
    before = "" if one.before is None else f"before: {shown(one.before, limits.text)}\n"
    return f"{before}after: {shown(one.after or '', limits.text)}"


def _rule_faults(episode: Episode, index: int, limits: Limits) -> Iterator[Passage]:
    for fault in episode.faults:
        if fault.step_index == index:
            head = f"rule {fault.artifact_id} failed ({fault.kind}) and counted as none"
            yield Passage(head, shown(fault.message, limits.text), "bad")


def _evidence(found: Evidence, limits: Limits) -> Passage:
    text = "" if found.evidence == "{}" else as_facts(found.evidence, limits.fact)
    mark = "◆ " if found.is_label else "◇ "
    return Passage(mark + on_one_line(found.head, 200), text, "mark" if found.is_label else "dim")
