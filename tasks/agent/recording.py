"""Stored episodes in the form a harness can be asked about, and what a model was told at first.

The prompts of a rollout hold what its harness put into them. The bare opening is recovered by
taking that out again; conditioning it anew must give the stored prompts back, else the recovery
has failed and nothing is claimed about the episode.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

from schemas.episode import Episode
from schemas.ids import canonical_json
from schemas.text import clean_text
from schemas.trajectories import StepRow, ToolCallRow
from tasks.agent.conversation import opening_messages
from tasks.agent.fork import NOT_RUN, turn_history
from tasks.agent.protocols import JsonObject
from tasks.harness import Call, Conditioned, Harness, Session
from tasks.harness.conduct import LOAD_TOOL
from tasks.harness.prompts import system_text, tool_name
from tasks.harness.replay import RecordedEpisode, RecordedStep


@dataclass(frozen=True)
class Opening:
    """What a session is given before any harness has its say."""

    system: str
    task: str
    tools: tuple[JsonObject, ...]
    is_exact: bool = True
    """Whether conditioning it gives the stored prompts back; if not, nothing is proven with it."""


def recover_opening(
    episode: Episode, harness: Harness, tools: Sequence[JsonObject] = ()
) -> Opening:
    """Bare opening of a stored run; not exact when the stored prompts cannot be explained.

    `harness` is the one the run was made under; `tools` stand in where a source has none.
    """
    trajectory = episode.trajectory
    stored = _tools(episode.prompt_text(trajectory.tools_prompt_id))
    system = episode.prompt_text(trajectory.system_prompt_id)
    if trajectory.origin == "import":
        return Opening(system, episode.task_text, tuple(stored or tools))
    opening = Opening(
        _without(system, system_text(harness)),
        _without(episode.task_text, _injected(episode, harness)),
        _bare_tools(stored, harness),
    )
    return replace(opening, is_exact=_explains(episode, harness, opening))


def condition(harness: Harness, opening: Opening) -> Conditioned:
    """What the model is sent first under a harness; no rule is asked."""
    session = Session(_text_only(harness), opening.task, opening.tools)
    return session.condition(opening_messages(opening.system, opening.task), opening.tools)


def record(episode: Episode, opening: Opening, sent: Conditioned) -> RecordedEpisode:
    """Turns of an episode as `replay_session` takes them."""
    is_import = episode.trajectory.origin == "import"
    return RecordedEpisode(
        task_text=opening.task,
        tools=opening.tools,
        steps=_imported_steps(episode) if is_import else _rollout_steps(episode),
        messages=sent.messages,
        budget=episode.trajectory.budget,
    )


@lru_cache(maxsize=256)
def _text_only(harness: Harness) -> Harness:
    return harness.without_layer("actions").without_layer("regulation")


def _explains(episode: Episode, harness: Harness, opening: Opening) -> bool:
    sent = condition(harness, opening)
    trajectory = episode.trajectory
    texts = {"system": "", "user": ""}
    for message in sent.messages:
        texts[str(message["role"])] = clean_text(str(message["content"]))
    stored_tools = episode.prompt_text(trajectory.tools_prompt_id)
    return (
        texts["system"] == episode.prompt_text(trajectory.system_prompt_id)
        and texts["user"] == episode.task_text
        and canonical_json(sent.tools) == (stored_tools or "[]")
    )


def _without(text: str, suffix: str) -> str:
    if not suffix:
        return text
    suffix = clean_text(suffix)
    return "" if text == suffix else text.removesuffix(f"\n\n{suffix}")


def _injected(episode: Episode, harness: Harness) -> str:
    names = {row.artifact for row in episode.interventions if row.kind == "inject"}
    return next((skill.prompt for skill in harness.skills if skill.name in names), "")


def _bare_tools(stored: list[JsonObject], harness: Harness) -> tuple[JsonObject, ...]:
    hints = harness.contract.tool_hints if "contract" in harness.layers else {}
    bare: list[JsonObject] = []
    for tool in stored:
        name = tool_name(tool)
        if name == LOAD_TOOL and harness.offers_skills:
            continue
        bare.append(_without_hint(tool, hints.get(name or "", "")))
    return tuple(bare)


def _without_hint(tool: JsonObject, hint: str) -> JsonObject:
    function = tool.get("function")
    source = cast("JsonObject", function) if isinstance(function, dict) else tool
    description = source.get("description")
    if not hint or not isinstance(description, str):
        return tool
    shorter = {**source, "description": description.removesuffix(hint).removesuffix(" ")}
    return shorter if source is tool else {**tool, "function": shorter}


def _tools(text: str) -> list[JsonObject]:
    listed = _parsed(text)
    if not isinstance(listed, list):
        return []
    tools = cast("list[Any]", listed)
    return [cast("JsonObject", tool) for tool in tools if isinstance(tool, dict)]


def _parsed(text: str | None) -> object:
    """A JSON value; null when the text holds none."""
    try:
        return json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None


def _rollout_steps(episode: Episode) -> list[RecordedStep]:
    offers = [_commands(step) for step in episode.steps]
    recorded: list[RecordedStep] = []
    for position, step in enumerate(episode.steps):
        after = offers[position + 1] if position + 1 < len(offers) else None
        rows = [row for row in episode.calls_at(step.step_index) if row.error_kind != NOT_RUN]
        entries = turn_history(episode, step, rows)
        for index, entry in enumerate(entries):
            row = rows[index] if rows else None
            is_native = row is not None and (bool(row.tool) or row.arguments_raw is not None)
            recorded.append(
                RecordedStep(
                    name=row.tool if row and is_native else None,
                    raw_arguments=row.arguments_raw if row and is_native else None,
                    observation=entry.observation,
                    raw_text="" if step.forced else step.text or "",
                    executed=executed_call(row) if row else None,
                    is_error=entry.is_error,
                    is_new_turn=entry.is_new_turn,
                    is_forced=step.forced,
                    admissible=offers[position],
                    admissible_after=after if index == len(entries) - 1 else offers[position],
                )
            )
    return recorded


def _imported_steps(episode: Episode) -> list[RecordedStep]:
    """Turns of an imported episode: words of the user are heard before the next turn."""
    recorded: list[RecordedStep] = []
    heard: list[JsonObject] = []
    for step in episode.steps:
        if step.role in ("user", "environment") and recorded:
            heard.append({"role": "user", "content": step.text or ""})
        if step.role != "assistant":
            continue
        rows = [r for r in episode.calls_at(step.step_index) if r.requestor == "assistant"]
        recorded += _imported_turn(step, rows, tuple(heard))
        heard = []
    return recorded


def _imported_turn(
    step: StepRow, rows: Sequence[ToolCallRow], heard: tuple[JsonObject, ...]
) -> list[RecordedStep]:
    text = step.text or ""
    if not rows:
        return [RecordedStep(None, None, step.observation or "", raw_text=text, heard=heard)]
    return [
        RecordedStep(
            name=row.tool or None,
            raw_arguments=row.arguments_raw if row.arguments_raw is not None else row.arguments,
            observation=(row.result if row.result is not None else step.observation) or "",
            raw_text=text,
            executed=executed_call(row),
            is_error=bool(row.is_error),
            heard=heard if index == 0 else (),
            is_new_turn=index == 0,
        )
        for index, row in enumerate(rows)
    ]


def executed_call(row: ToolCallRow) -> Call | None:
    """The call that ran; of an import, the one that was asked for unless it did not run."""
    tool, text = row.executed_tool, row.executed_arguments
    if tool is None and row.executed is not False:
        tool, text = row.tool or None, row.arguments
    arguments = _parsed(text)
    if not tool or not isinstance(arguments, dict):
        return None
    return Call(tool, cast("JsonObject", arguments))


def _commands(step: StepRow) -> tuple[str, ...] | None:
    listed = _parsed(step.admissible)
    if not isinstance(listed, list):
        return None
    return tuple(str(one) for one in cast("list[Any]", listed))
