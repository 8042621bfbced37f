"""Which command makes another one possible, told by counts over all stored runs.

What stands near a refused command is no proof: a world offers many commands about the same things.
A precondition is stated only where the refused command works clearly more often once the other
one has been carried out, in one of two comparisons:

- *again*: the same command after its refusal, with and without the other one in between;
- *on it*: the command on a thing to which the other one applies, with and without it done before.

A command counts once a run and side, since repetitions are no new evidence. The test is Fisher's,
one-sided, and its level is shared by all comparisons of the round.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tasks.agent.commands import plain_command, things_of, verb_of
from tasks.editor.facts import Facts
from tasks.editor.reading import Move, Run
from tasks.statistics.contingency import Contrast

LEVEL = 0.05

Pair = tuple[str, str]
"""A verb and the verb that is said to enable it."""
Tries = dict[tuple[str, str, bool], bool]
"""Whether a command ever worked, by run, command and whether the other one came before."""


@dataclass(frozen=True)
class Precondition:
    """A command verb, the verb that must come before, and the counts that show it."""

    verb: str
    enabler: str
    contrast: Contrast


def find_preconditions(facts: Facts, pairs: Iterable[Pair]) -> list[Precondition]:
    """Keep the pairs that the runs bear out, the surest first."""
    asked = sorted(set(pairs))
    level = LEVEL / max(1, 2 * len(asked))
    found: list[Precondition] = []
    for verb, enabler in asked:
        contrasts = [_again(facts, verb, enabler), _on_it(facts, verb, enabler)]
        best = min(contrasts, key=lambda one: one.p_value)
        if best.p_value <= level:
            found.append(Precondition(verb, enabler, best))
    return sorted(found, key=lambda one: (one.verb, one.contrast.p_value, one.enabler))


def _again(facts: Facts, verb: str, enabler: str) -> Contrast:
    """The same command after its refusal."""
    tries: Tries = {}
    for run in facts.runs:
        refused: dict[str, bool] = {}
        for command, move in _commands(facts, run):
            if verb_of(command) == enabler and not move.is_error:
                refused = dict.fromkeys(refused, True)
            if verb_of(command) != verb:
                continue
            if command in refused:
                _note(tries, run, command, move, is_after=refused[command])
            if move.is_error:
                refused[command] = False
    return _contrast(tries)


def _on_it(facts: Facts, verb: str, enabler: str) -> Contrast:
    """The command on a thing to which the other one applies."""
    tries: Tries = {}
    for run in facts.runs:
        applies, done = _offered_things(run, enabler), frozenset[str]()
        for command, move in _commands(facts, run):
            things = things_of(command)
            if verb_of(command) == verb and things & applies:
                _note(tries, run, command, move, is_after=bool(things & done))
            if verb_of(command) == enabler and not move.is_error:
                done |= things
    return _contrast(tries)


def _commands(facts: Facts, run: Run) -> Iterator[tuple[str, Move]]:
    if facts.command_slot is None:
        return
    tool, argument = facts.command_slot
    for move in run.calls:
        said = (move.arguments or {}).get(argument) if move.tool == tool else None
        if isinstance(said, str) and said.strip():
            yield plain_command(said), move


def _offered_things(run: Run, verb: str) -> frozenset[str]:
    """Things that a verb was offered for at some time of the run."""
    offered = {one for move in run.moves for one in move.admissible or () if verb_of(one) == verb}
    return frozenset[str]().union(*map(things_of, offered))


def _note(tries: Tries, run: Run, command: str, move: Move, *, is_after: bool) -> None:
    key = (run.run_id, command, is_after)
    tries[key] = tries.get(key, False) or not move.is_error


def _contrast(tries: Tries) -> Contrast:
    after = _worked(tries, is_after=True)
    before = _worked(tries, is_after=False)
    return Contrast(sum(after), len(after), sum(before), len(before))


def _worked(tries: Tries, *, is_after: bool) -> Sequence[bool]:
    return [worked for (_, _, side), worked in tries.items() if side == is_after]
