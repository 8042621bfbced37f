"""AR2 and EC2 of worlds with admissible commands: near misses, wrong verbs, unmet preconditions."""

import difflib
from collections.abc import Iterable
from itertools import pairwise

from tasks.annotator.hits import Hit, View, call_evidence, hit_at, quote, sign
from tasks.annotator.intended_call import plain_command
from tasks.annotator.timeline import CallView, Turn


def _command(view: View, call: CallView) -> tuple[str, str] | None:
    argument = view.profile.command_arguments.get(call.run_tool)
    text = call.run_arguments.get(argument) if argument else None
    return (argument, text) if argument and isinstance(text, str) else None


def _refused(view: View) -> Iterable[tuple[Turn, CallView, str, str]]:
    """Commands that the environment did not offer and that changed nothing."""
    for turn, call in view.timeline.calls():
        found = _command(view, call)
        if found is None or not turn.admissible:
            continue
        said = plain_command(found[1])
        offered = {plain_command(item) for item in turn.admissible}
        if said not in offered and (call.failed or is_non_progress(view, turn)):
            yield turn, call, found[0], said


def is_told_no_progress(view: View, turn: Turn) -> bool:
    """Whether the environment's words say that a turn changed nothing."""
    observation = turn.observation.strip()
    return any(observation.startswith(text) for text in view.profile.non_progress if text)


def is_non_progress(view: View, turn: Turn) -> bool:
    """Whether a turn changed nothing, by the environment's words or its state."""
    if is_told_no_progress(view, turn):
        return True
    return turn.state_before is not None and turn.state_before == turn.state_after


def _verbs(commands: Iterable[str]) -> set[str]:
    return {plain_command(command).split(" ")[0] for command in commands if command.strip()}


def nearest_command(said: str, admissible: tuple[str, ...], cutoff: float) -> str | None:
    """The one admissible command of the same verb that is close enough; None when ambiguous."""
    verb = said.split(" ")[0]
    scored = sorted(
        (
            (difflib.SequenceMatcher(None, said, plain_command(item)).ratio(), item)
            for item in admissible
            if plain_command(item).split(" ")[0] == verb
        ),
        reverse=True,
    )
    if not scored or scored[0][0] < cutoff:
        return None
    is_ambiguous = len(scored) > 1 and scored[0][0] - scored[1][0] < 0.05
    return None if is_ambiguous else scored[0][1]


def _near_miss(view: View, turn: Turn, said: str) -> str | None:
    """The offered command that was meant: same verb, close in words, about the same things."""
    same = tuple(c for c in turn.admissible or () if _objects(plain_command(c)) == _objects(said))
    return nearest_command(said, same, view.parameters.similarity)


def _offered_verbs(view: View) -> set[str]:
    commands = [c for turn in view.timeline.turns for c in (turn.admissible or ())]
    return _verbs(commands)


def _objects(command: str) -> set[str]:
    """Names with their number, such as `drawer 2`; bare words of four letters and more else."""
    words = command.split(" ")
    numbered = {f"{a} {b}" for a, b in pairwise(words) if b.isdigit()}
    return numbered or {word for word in words[1:] if len(word) > 3}


def inadmissible_command(view: View) -> list[Hit]:
    """AR2: a command in a form that the environment does not take."""
    hits: list[Hit] = []
    known = _offered_verbs(view)
    for turn, call, argument, said in _refused(view):
        verb = said.split(" ")[0]
        near = _near_miss(view, turn, said)
        if verb in known and near is None:
            continue
        form = "near_miss" if verb in known else "unknown_verb"
        signature = sign(
            "inadmissible_command", tool=call.run_tool, argument=argument, form=form, verb=verb[:40]
        )
        evidence = call_evidence(turn, call) | {
            "command": quote(said),
            "nearest": near,
            "verbs": sorted(known)[:40],
        }
        hits.append(
            hit_at(
                turn,
                "inadmissible_command",
                "AR2",
                signature,
                evidence,
                intent=f"{call.run_tool}:{verb}" if verb in known else "*",
            )
        )
    return hits


def _enabling(said: str, turn: Turn) -> list[str]:
    """Offered commands about the same things with another verb, such as `open drawer 2`."""
    wanted, verb = _objects(said), said.split(" ")[0]
    offered = map(plain_command, turn.admissible or ())
    return sorted(c for c in offered if c.split(" ")[0] != verb and wanted & _objects(c))


def state_precondition(view: View) -> list[Hit]:
    """EC2: a known kind of command at a moment when its precondition does not hold."""
    hits: list[Hit] = []
    known = _offered_verbs(view)
    for turn, call, argument, said in _refused(view):
        verb = said.split(" ")[0]
        if verb not in known:
            continue
        if _near_miss(view, turn, said) is not None:
            continue
        enabling = _enabling(said, turn)
        verbs = sorted(_verbs(enabling) - {"examine", "look"})
        signature = sign(
            "state_precondition", tool=call.run_tool, argument=argument, verb=verb, enables=verbs
        )
        evidence = call_evidence(turn, call) | {"command": quote(said), "offered": enabling[:10]}
        intent = f"{call.run_tool}:{verb}"
        hits.append(hit_at(turn, "state_precondition", "EC2", signature, evidence, intent=intent))
    return hits
