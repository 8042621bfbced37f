"""One pair of a trial from where its two runs part."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.episode import Episode
from schemas.gate import PairedTrialRow
from schemas.trajectories import InterventionRow
from tasks.editor.compact import first_divergence
from tasks.editor.reading import Move
from tasks.presentation.cutting import number, on_one_line, plain, shown
from tasks.presentation.document import Facts, Group, Passage, Sides, facts
from tasks.presentation.step import Limits

WORDS = {"win": "won", "loss": "lost", "tie": "tied", "invalid": "not paired"}


@dataclass(frozen=True)
class PairFacts:
    """A pair and the first episode of each arm; null where none was made."""

    trial: PairedTrialRow
    old: Episode | None
    new: Episode | None


def show_pair(pair: PairFacts, limits: Limits) -> Group:
    """Lay out a pair: what both did, then each run from the first difference."""
    row = pair.trial
    title = f"{WORDS[row.result]}: {on_one_line(row.task_id, 200)}"
    scores = facts(
        ("score", f"{number(row.old_score)} before, {number(row.new_score)} with the edit"),
    )
    if pair.old is None or pair.new is None:
        text = "One of the two runs is not stored."
        return Group(title, (scores, Passage("", text, "dim")))
    found = first_divergence(pair.old, pair.new)
    sides = Sides(
        _side("before", pair.old, found.failed, limits),
        _side("with the edit", pair.new, found.won, limits),
    )
    task = Passage("task", shown(found.task_text, limits.text))
    return Group(title, (scores, task, _common(found.common), sides))


def _common(moves: Sequence[Move]) -> Facts:
    if not moves:
        return facts(("both", "part at their first move"))
    return facts(("both", f"make {len(moves)} equal moves, the last {_head(moves[-1])}"))


def _side(word: str, episode: Episode, moves: Sequence[Move], limits: Limits) -> Group:
    blocks = [passage for move in moves[: limits.moves] for passage in _move(episode, move, limits)]
    if len(moves) > limits.moves:
        blocks.append(Passage(f"{len(moves) - limits.moves} more moves", "", "dim"))
    if not moves:
        blocks.append(Passage("nothing more", "", "dim"))
    outcome = episode.trajectory.outcome
    return Group(
        f"{word}: {outcome} ({episode.trajectory_id})",
        tuple(blocks),
        "good" if outcome == "success" else "bad",
    )


def _move(episode: Episode, move: Move, limits: Limits) -> list[Passage]:
    given = move.raw if move.arguments is None else plain(dict(move.arguments), limits.fact)
    said = shown(move.text, limits.fact)
    text = f"{said}\n{given}".strip() if move.is_call else said
    seen = shown(move.observation, limits.fact)
    return [
        *_done(episode.interventions, move, ("contract", "skills")),
        Passage(_head(move), text),
        *_done(episode.interventions, move, ("actions", "regulation")),
        Passage("error" if move.is_error else "got", seen, "bad" if move.is_error else ""),
    ]


def _head(move: Move) -> str:
    what = on_one_line(move.tool, 120) if move.is_call else "said"
    return f"step {move.step_index} {what}"


def _done(
    interventions: Sequence[InterventionRow], move: Move, layers: tuple[str, ...]
) -> list[Passage]:
    return [
        Passage(
            f"{one.layer}: {one.kind} by {on_one_line(one.artifact, 120)}",
            on_one_line(one.after or "", 300),
            "act",
        )
        for one in interventions
        if one.step_index == move.step_index and one.layer in layers and not one.suppressed
    ]
