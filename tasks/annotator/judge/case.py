"""What a judge is shown of a failed run: bounded, numbered by step, without any model's name."""

import json
from dataclasses import dataclass
from typing import Any

from schemas.episode import Episode
from schemas.ids import canonical_json
from schemas.trajectories import StepRow
from tasks.annotator.canonical import parse_object

TEXT = 4_000
TASK = 16_000
EXPECTED = 8_000
RUN = 120_000
"""Characters; of longer runs the middle is left out, since causes stand early and ends late."""


@dataclass(frozen=True)
class Case:
    """A failed run as a judge sees it.

    Attributes:
        text: the whole of it as JSON.
        shown: what is shown of each step, by its index; quotes are looked up here.
        has_gold: whether expected actions or check results are in it.
    """

    text: str
    shown: dict[int, str]
    has_gold: bool


def make_case(episode: Episode, *, use_gold: bool) -> Case:
    """Render a run; `use_gold` adds what the checker expected, where the source has it."""
    steps = _middle_out([_step(episode, step) for step in episode.steps])
    trajectory = episode.trajectory
    told: dict[str, Any] = {
        "task": _clip(episode.task_text, TASK),
        "instructions": _clip(episode.prompt_text(trajectory.system_prompt_id), TASK),
        "tools": _clip(episode.prompt_text(trajectory.tools_prompt_id), TASK),
        "ended": trajectory.termination,
        "steps": steps,
    }
    gold = parse_object(trajectory.reward_parts) if use_gold else None
    if gold:
        told["expected"] = _clip(canonical_json(gold), EXPECTED)
    shown = {step["step"]: _texts(step) for step in steps if "step" in step}
    return Case(json.dumps(told, ensure_ascii=False), shown, bool(gold))


def _step(episode: Episode, step: StepRow) -> dict[str, Any]:
    calls = [
        {
            "tool": call.tool,
            "arguments": _clip(call.arguments_raw or "", TEXT),
            "result": _clip(call.observation or call.result or "", TEXT),
            "is_error": call.is_error,
        }
        for call in episode.calls_at(step.step_index)
    ]
    found: dict[str, Any] = {"step": step.step_index, "role": step.role}
    if step.text:
        found["text"] = _clip(step.text, TEXT)
    if calls:
        found["calls"] = calls
    elif step.observation:
        found["observation"] = _clip(step.observation, TEXT)
    return found


def _middle_out(steps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    sizes = [len(canonical_json(step)) for step in steps]
    total, first, last = sum(sizes), len(steps) // 2, len(steps) // 2
    while total > RUN and (first > 1 or last < len(steps) - 1):
        if first > 1:
            first -= 1
            total -= sizes[first]
        elif last < len(steps) - 1:
            total -= sizes[last]
            last += 1
    if first == last:
        return steps
    return [*steps[:first], {"left_out": f"{last - first} steps"}, *steps[last:]]


def _texts(step: dict[str, Any]) -> str:
    parts = [step.get("text", ""), step.get("observation", "")]
    for call in step.get("calls", ()):
        parts += [call["tool"], call["arguments"], call["result"]]
    return "\n".join(parts)


def _clip(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    return f"{text[:head]} […] {text[-(limit - head) :]}"
