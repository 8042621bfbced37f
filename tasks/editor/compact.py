"""Runs in few words: what was done and what came back, and where two runs part.

Reused wherever a person or a model has to see why a run failed.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from tasks.editor.reading import Move, read_run

MAX_TEXT = 300
MAX_TASK = 600


@dataclass(frozen=True)
class Divergence:
    """Two runs of one task side by side.

    Attributes:
        common: moves that both made, in order.
        failed: what the failed run did from there on.
        won: what the successful run did from there on.
    """

    task_text: str
    common: tuple[Move, ...]
    failed: tuple[Move, ...]
    won: tuple[Move, ...]

    @property
    def step_index(self) -> int | None:
        """Step of the failed run at which they part; null when it simply ends."""
        return self.failed[0].step_index if self.failed else None


def first_divergence(failed: Episode, won: Episode) -> Divergence:
    """Find the first move in which a failed run differs from a successful one."""
    left, right = read_run(failed).moves, read_run(won).moves
    shared = 0
    for one, other in zip(left, right, strict=False):
        if _key(one) != _key(other):
            break
        shared += 1
    return Divergence(failed.task_text, left[:shared], left[shared:], right[shared:])


def _key(move: Move) -> str:
    return move.key if move.is_call else f"text {move.text}"


def find_partner(failed: Episode, episodes: Sequence[Episode]) -> Episode | None:
    """Find a success to compare with: of the same task, else of the same family."""
    trajectory = failed.trajectory
    winners = sorted((one for one in episodes if one.is_success), key=lambda one: one.trajectory_id)
    same = [one for one in winners if one.trajectory.task_id == trajectory.task_id]
    near = [one for one in winners if one.trajectory.family == trajectory.family]
    return next(iter(same or near), None)


def render_divergence(found: Divergence, *, same_task: bool = True) -> str:
    """Show where two runs part, in bounded text."""
    lines = [f"task: {_short(found.task_text, MAX_TASK)}"]
    if found.common:
        lines.append(f"both: {len(found.common)} moves, last {render_move(found.common[-1])}")
    lines += ["failed run went on:", *_listed(found.failed, 4)]
    who = "successful run" if same_task else "a successful run of the same family"
    return "\n".join([*lines, f"{who} went on:", *_listed(found.won, 4)])


def render_run(episode: Episode, *, max_moves: int = 12) -> str:
    """Show a whole run, the middle left out when it is long."""
    run = read_run(episode)
    head = f"{run.run_id} {episode.trajectory.outcome} {run.task_id}"
    return "\n".join(
        [head, f"task: {_short(run.task_text, MAX_TASK)}", *_listed(run.moves, max_moves)]
    )


def _listed(moves: Sequence[Move], most: int) -> list[str]:
    if not moves:
        return ["  (nothing more)"]
    lines = [f"  {render_move(move)}" for move in moves]
    if len(lines) <= most:
        return lines
    half = most // 2
    return [*lines[:half], f"  … {len(lines) - most} moves …", *lines[len(lines) - (most - half) :]]


def render_move(move: Move) -> str:
    """Show one move and its result on one line."""
    if not move.is_call:
        did = f"said {_short(move.text, MAX_TEXT)!r}"
    else:
        given = move.raw if move.arguments is None else json.dumps(move.arguments, sort_keys=True)
        did = f"{move.tool}({_short(given, MAX_TEXT)})"
    mark = "error" if move.is_error else "got"
    return f"[{move.step_index}] {did} -> {mark} {_short(move.observation, MAX_TEXT)!r}"


def _short(text: str, most: int) -> str:
    flat = " ".join(text[: 4 * most].split())
    return flat if len(flat) <= most else f"{flat[: most - 1]}…"
