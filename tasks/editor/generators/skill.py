"""Skills distilled from a family's successes by contrast with its failures."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from tasks.editor.facts import MIN_SUCCESSES, Facts
from tasks.editor.generators.draft import Draft, Target
from tasks.editor.reading import Run
from tasks.editor.shapes import SLOT, Shape, sequence, shared_words
from tasks.editor.skill_text import Checkpoint, SkillText, render_skill
from tasks.editor.triggers import trigger_phrases

COMMON = 0.6
SURE = 0.8
CONTRAST = 0.2
MAX_STEPS = 8
MAX_FAMILIES = 6


@dataclass(frozen=True)
class Step:
    """A shape that successes share, and how often failures have it."""

    shape: Shape
    in_successes: float
    in_failures: float
    times: int = 1
    """How often nearly every success takes it."""
    between: Shape | None = None
    """What comes between two of them."""

    @property
    def is_skipped(self) -> bool:
        """Whether failures leave it out clearly more often than successes."""
        return self.in_successes - self.in_failures >= CONTRAST


@dataclass(frozen=True)
class Group:
    """Runs that a skill is for: those of a family, or those that a tool belongs to."""

    name: str
    what: str
    member_ids: frozenset[str]
    families: tuple[str, ...] = ()


def family_skill(facts: Facts, target: Target) -> list[Draft]:
    """Propose one skill for each group of tasks whose failures skip a step of successes."""
    found = [_group_draft(facts, target, group) for group in _groups(facts, target)]
    return [draft for draft in found if draft]


def _groups(facts: Facts, target: Target) -> list[Group]:
    """Families with most failures first; tools where all tasks are of one family."""
    families = {run.family for run in facts.runs}
    if len(families) > 1:
        counts = Counter(run.family for run in target.runs)
        ranked = sorted(counts, key=lambda family: (-counts[family], family))
        return [_family(facts, name) for name in ranked[:MAX_FAMILIES]]
    tools = [text.split(":")[0] for text in target.texts("tool")]
    return [_users(facts, tool) for tool in dict.fromkeys(tools) if tool in facts.tools]


def _family(facts: Facts, family: str) -> Group:
    ids = frozenset(run.run_id for run in facts.runs if run.family == family)
    return Group(family, f"the family `{family}`", ids, (family[:200],))


def _users(facts: Facts, tool: str) -> Group:
    ids = frozenset(run.run_id for run in facts.runs if any(m.tool == tool for m in run.calls))
    return Group(tool, f"tasks that need `{tool}`", ids)


def _group_draft(facts: Facts, target: Target, group: Group) -> Draft | None:
    successes = [run for run in facts.successes if run.run_id in group.member_ids]
    failures = [run for run in target.runs if run.run_id in group.member_ids]
    if len(successes) < MIN_SUCCESSES or not failures:
        return None
    steps = distil(successes, failures)
    trigger = trigger_phrases(facts, group.member_ids)
    if not trigger or len(steps) < 2 or not any(step.is_skipped for step in steps):
        return None
    name = re.sub(r"[^a-z0-9]+", "-", group.name.lower()).strip("-")[:40].strip("-") or "family"
    skipped = [step.shape.text or step.shape.tool for step in steps if step.is_skipped]
    skill = SkillText(
        name=f"{name}-steps",
        description=f"Steps that solve tasks that say: {', '.join(trigger[:6])}.",
        any_of=trigger,
        families=group.families,
        checkpoints=tuple(_checkpoint(step) for step in steps if step.in_successes >= SURE),
        body=_body(steps),
    )
    return Draft(
        layer="skills",
        name=skill.name,
        body=render_skill(skill),
        kind="distilled_skill",
        title=f"Steps of {len(successes)} successful runs of {group.what}",
        root_cause=f"Failed runs of {group.what} skip: {'; '.join(skipped)}.",
        why_safe="Only steps that most successes share; injected for such tasks only.",
        watch="Tasks of the kind that need another way.",
        acts={run.run_id: 0 for run in facts.failures if run.run_id in group.member_ids},
        family=next(iter(group.families), ""),
    )


def distil(successes: Sequence[Run], failures: Sequence[Run]) -> list[Step]:
    """Find the shapes most successes share, in their usual order, and which failures skip.

    A run skips a step when it takes a later one without having taken this one before.
    """
    kept = shared_words(successes)
    won = [sequence(run, kept) for run in successes]
    lost = [sequence(run, kept) for run in failures]
    ordered = _common_shapes(won)
    steps = []
    for place, shape in enumerate(ordered):
        later = set(ordered[place + 1 :])
        share = sum(shape in one for one in won) / len(won)
        reached = [one for one in lost if later & set(one)]
        keeping = sum(_comes_first(one, shape, later) for one in reached)
        in_failures = keeping / len(reached) if len(reached) > 1 else share
        times = _times(shape, won)
        between = _between(shape, ordered, won) if times > 1 else None
        steps.append(Step(shape, share, in_failures, times, between))
    return steps


def _times(shape: Shape, won: Sequence[Sequence[Shape]]) -> int:
    counts = sorted(list(one).count(shape) for one in won)
    return max(1, counts[int(0.2 * len(counts))])


def _between(
    shape: Shape, ordered: Sequence[Shape], won: Sequence[Sequence[Shape]]
) -> Shape | None:
    """The shape that every success has between any two of another one."""
    gaps = [
        set(one[first + 1 : second])
        for one in won
        for places in [[at for at, other in enumerate(one) if other == shape]]
        for first, second in pairwise(places)
    ]
    always = [
        other
        for other in ordered
        if other != shape and gaps and sum(other in gap for gap in gaps) >= SURE * len(gaps)
    ]
    return always[-1] if always else None


def _common_shapes(won: Sequence[Sequence[Shape]]) -> list[Shape]:
    places: dict[Shape, list[float]] = {}
    for one in won:
        for shape in dict.fromkeys(one):
            places.setdefault(shape, []).append(one.index(shape) / len(one))
    common = [shape for shape in places if len(places[shape]) >= max(2, COMMON * len(won))]
    common.sort(key=lambda shape: (median(places[shape]), shape.tool, shape.words))
    return common[:MAX_STEPS]


def _comes_first(one: Sequence[Shape], shape: Shape, later: set[Shape]) -> bool:
    first = next((place for place, other in enumerate(one) if other in later), len(one))
    return shape in one[:first]


def _checkpoint(step: Step) -> Checkpoint:
    shape = step.shape
    parts = [" ".join(group.split()) for group in shape.text.split(SLOT)]
    contains = tuple(part for part in parts if any(char.isalpha() for char in part))
    text = f"{shape.tool}: {shape.text}" if contains else shape.tool
    return Checkpoint(text=text[:400], tool=shape.tool, contains=contains[:6])


def _body(steps: Sequence[Step]) -> str:
    lines = []
    for number, step in enumerate(steps, start=1):
        shape = step.shape
        call = f"`{shape.tool}`" + (f" with `{_filled(shape)}`" if shape.words else "")
        line = f"{number}. Call {call}."
        if step.times > 1 and step.between:
            then = step.between.text or step.between.tool
            line += f" {step.times} times in all, with `{then.replace(SLOT, '<…>')}` in between."
        if step.is_skipped and number < len(steps):
            line += f" Do not skip this: do it before step {number + 1}."
        elif step.is_skipped:
            line += " Do not skip this."
        lines.append(line)
    return "\n".join(lines)


def _filled(shape: Shape) -> str:
    text = shape.text.replace(SLOT, "<…>")
    return re.sub(r"\s+([,;)])", r"\1", text)
