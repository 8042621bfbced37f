"""AR2 and EC2 of worlds with admissible commands: near misses, wrong verbs, unmet preconditions."""

from collections.abc import Iterable

from tasks.agent.commands import Near, near_misses, plain_command, the_one, things_of, verb_of
from tasks.annotator.hits import Hit, View, call_evidence, hit_at, quote, sign
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
    return {verb_of(command) for command in commands if command.strip()}


def _near_misses(view: View, turn: Turn, said: str) -> list[Near]:
    """Offered commands of the same verb about the same things: one of them was meant."""
    return near_misses(said, turn.admissible or (), near=view.parameters.similarity)


def _offered_verbs(view: View) -> set[str]:
    commands = [c for turn in view.timeline.turns for c in (turn.admissible or ())]
    return _verbs(commands)


def inadmissible_command(view: View) -> list[Hit]:
    """AR2: a command in a form that the environment does not take."""
    hits: list[Hit] = []
    known = _offered_verbs(view)
    for turn, call, argument, said in _refused(view):
        verb = verb_of(said)
        misses = _near_misses(view, turn, said)
        if verb in known and not misses:
            continue
        near = the_one(misses, clear=view.parameters.clear)
        form = "near_miss" if verb in known else "unknown_verb"
        signature = sign(
            "inadmissible_command", tool=call.run_tool, argument=argument, form=form, verb=verb[:40]
        )
        evidence = call_evidence(turn, call) | {
            "command": quote(said),
            "nearest": near.command if near else None,
            "similarity": round(misses[0].similarity, 3) if misses else None,
            "similarity_needed": view.parameters.similarity,
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
    wanted, verb = things_of(said), verb_of(said)
    offered = map(plain_command, turn.admissible or ())
    return sorted(c for c in offered if verb_of(c) != verb and wanted & things_of(c))


def state_precondition(view: View) -> list[Hit]:
    """EC2: a known kind of command at a moment when its precondition does not hold."""
    hits: list[Hit] = []
    known = _offered_verbs(view)
    for turn, call, argument, said in _refused(view):
        verb = verb_of(said)
        if verb not in known or _near_misses(view, turn, said):
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
