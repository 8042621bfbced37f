"""TD1, TD2, TD3: the run goes in circles, follows a wrong strategy, or makes no progress.

A loop counts only where the outcome was otherwise right or open, hence `is_open_only`.
"""

from collections import Counter
from collections.abc import Sequence

from tasks.annotator.hits import Hit, View, quote, sign
from tasks.annotator.rules.commands import is_non_progress, is_told_no_progress
from tasks.annotator.timeline import Turn
from tasks.annotator.tool_definitions import IDLE_COMMAND_VERBS


def _acting(view: View) -> list[Turn]:
    return [turn for turn in view.timeline.turns if turn.calls]


def budget_loop(view: View) -> list[Hit]:
    """TD1: a limit ended the run, and it had been repeating itself."""
    if not view.timeline.ended_by_limit:
        return []
    turns = _acting(view)
    for find in (_run_of_equals, _alternation, _share_of_repeats, _idling):
        found = find(view, turns)
        if found is not None:
            form, turn, count = found
            return [_loop_hit(view, "budget_loop", form, turn, count)]
    return []


def _loop_hit(view: View, rule: str, form: str, turn: Turn, count: int) -> Hit:
    tool = turn.calls[0].run_tool if turn.calls else None
    evidence = {
        "step": turn.step_index,
        "repeats": count,
        "action": quote(turn.action_key),
        "observation": quote(turn.observation),
        "parameters": {
            "repeat_run": view.parameters.repeat_run,
            "repeat_share": view.parameters.repeat_share,
            "repeat_window": view.parameters.repeat_window,
        },
    }
    signature = sign("repetition", form=form, tool=tool)
    return Hit(rule, "TD1", turn.index, turn.step_index, signature, evidence, is_open_only=True)


def _key(turn: Turn) -> str:
    state = turn.state_before or ""
    return f"{state} {turn.repetition_key}" if state else turn.repetition_key


def _run_of_equals(view: View, turns: Sequence[Turn]) -> tuple[str, Turn, int] | None:
    """The longest run of equal actions with equal results; a loop from `repeat_run` on."""
    best: tuple[int, int] | None = None
    start = 0
    for position in range(1, len(turns) + 1):
        is_end = position == len(turns)
        if is_end or turns[position].repetition_key != turns[start].repetition_key:
            length = position - start
            if best is None or length > best[0]:
                best = (length, start)
            start = position
    if best is None or best[0] < view.parameters.repeat_run:
        return None
    return "same_action", turns[best[1] + 1], best[0]


def _alternation(view: View, turns: Sequence[Turn]) -> tuple[str, Turn, int] | None:
    """Two actions in turn, both with unchanged results: A B A B."""
    keys = [turn.repetition_key for turn in turns]
    length = 0
    for position in range(2, len(keys)):
        is_cycle = keys[position] == keys[position - 2] != keys[position - 1]
        length = length + 1 if is_cycle else 0
        if length + 2 >= view.parameters.cycle_turns and length >= 1:
            return "alternation", turns[position - length + 1], length + 2
    return None


def _share_of_repeats(view: View, turns: Sequence[Turn]) -> tuple[str, Turn, int] | None:
    window = turns[-view.parameters.repeat_window :]
    seen: set[str] = set()
    repeats: list[Turn] = []
    for turn in window:
        key = _key(turn)
        if key in seen:
            repeats.append(turn)
        seen.add(key)
    if len(window) < view.parameters.cycle_turns:
        return None
    if len(repeats) < view.parameters.repeat_share * len(window):
        return None
    return "repeats", repeats[0], len(repeats)


def _is_idle(view: View, turn: Turn) -> bool:
    verbs = [view.intent_of(call).rpartition(":")[2] for call in turn.calls]
    return all(verb in IDLE_COMMAND_VERBS for verb in verbs)


def _idling(view: View, turns: Sequence[Turn]) -> tuple[str, Turn, int] | None:
    window = turns[-view.parameters.idle_window :]
    idle = [turn for turn in window if _is_idle(view, turn)]
    is_full = len(window) >= view.parameters.idle_window
    if not is_full or len(idle) < view.parameters.idle_share * len(window):
        return None
    return "idling", idle[0], len(idle)


def wrong_strategy(view: View) -> list[Hit]:
    """TD2: an early commitment, revisits with places left, or one failing family of commands."""
    for find in (_revisits, _failed_family, _early_commit):
        hit = find(view)
        if hit is not None:
            return [hit]
    return []


def _strategy_hit(form: str, turn: Turn, evidence: dict[str, object]) -> Hit:
    tool = turn.calls[0].run_tool if turn.calls else None
    return Hit(
        "wrong_strategy",
        "TD2",
        turn.index,
        turn.step_index,
        sign("strategy", form=form, tool=tool),
        {"step": turn.step_index, "action": quote(turn.action_key)} | evidence,
        is_open_only=form != "early_commit",
    )


def _visit(view: View, turn: Turn) -> str | None:
    for call in turn.calls:
        argument = view.profile.command_arguments.get(call.run_tool)
        text = call.run_arguments.get(argument) if argument else None
        if isinstance(text, str) and text.lower().startswith(("go to ", "goto ")):
            return text.lower().split("to ", 1)[1].strip()
    return None


def _revisits(view: View) -> Hit | None:
    """Half of all visits lead to known places while offered ones were never seen."""
    visited: Counter[str] = Counter()
    first: Turn | None = None
    offered: set[str] = set()
    for turn in view.timeline.turns:
        offered |= {c.lower()[6:] for c in turn.admissible or () if c.lower().startswith("go to ")}
        place = _visit(view, turn)
        if place is None:
            continue
        visited[place] += 1
        if visited[place] > 1 and first is None:
            first = turn
    total = sum(visited.values())
    revisits = total - len(visited)
    left = sorted(offered - set(visited))
    is_circling = total >= view.parameters.cycle_turns and left
    if first is None or not is_circling or revisits < view.parameters.revisit_share * total:
        return None
    facts = {"visits": total, "revisits": revisits, "unvisited": left[:20]}
    return _strategy_hit("revisits", first, facts)


def _failed_family(view: View) -> Hit | None:
    """One family of commands keeps failing: same leading word of a shell or statement tool."""
    failures: Counter[str] = Counter()
    for turn, call in view.timeline.calls():
        intent = view.intent_of(call)
        if not call.failed or ":" not in intent:
            continue
        failures[intent] += 1
        if failures[intent] >= view.parameters.failed_family and _never_works(view, intent):
            return _strategy_hit("failed_family", turn, {"family": intent})
    return None


def _never_works(view: View, intent: str) -> bool:
    return not any(call.ran and view.intent_of(call) == intent for _, call in view.timeline.calls())


def _early_commit(view: View) -> Hit | None:
    """WebShop: buying within a quarter of the budget with fewer than two candidates opened."""
    opened: set[str] = set()
    for turn in view.timeline.turns:
        for call in turn.calls:
            texts = [v[:200] for v in call.run_arguments.values() if isinstance(v, str)]
            value = " ".join(texts).lower()
            is_buy = "buy now" in value or call.run_tool.lower() in ("buy", "purchase")
            early = turn.index + 1 <= view.parameters.early_share * view.timeline.budget
            if is_buy and early and len(opened) < view.parameters.early_candidates:
                return _strategy_hit("early_commit", turn, {"opened": sorted(opened)})
            if call.run_tool.lower() == "click" and not is_buy:
                opened.add(value)
    return None


def no_progress(view: View) -> list[Hit]:
    """TD3: several of a few consecutive observations say that nothing has changed."""
    turns = _acting(view)
    size, needed = view.parameters.stall_window, view.parameters.stall_hits
    flags = [_is_stalled(view, turn) for turn in turns]
    for end in range(needed, len(turns) + 1):
        window = range(max(0, end - size), end)
        stalled = [turns[i] for i in window if flags[i]]
        if len(stalled) >= needed:
            return [_stall_hit(view, stalled)]
    return []


def _is_stalled(view: View, turn: Turn) -> bool:
    """Not the state alone: reading tools leave it as it was and still bring news."""
    if is_told_no_progress(view, turn):
        return True
    is_same_state = turn.state_before is not None and turn.state_before == turn.state_after
    earlier = view.timeline.turns[: turn.index]
    return is_same_state and any(turn.repetition_key == before.repetition_key for before in earlier)


def _stall_hit(view: View, stalled: list[Turn]) -> Hit:
    first = stalled[0]
    is_told = is_told_no_progress(view, first)
    tool = first.calls[0].run_tool if first.calls else None
    form = "non_progress_text" if is_told else "same_state"
    evidence = {
        "step": first.step_index,
        "steps": [turn.step_index for turn in stalled],
        "observation": quote(first.observation),
        "actions": [quote(turn.action_key)[:120] for turn in stalled],
    }
    return Hit(
        "no_progress",
        "TD3",
        first.index,
        first.step_index,
        sign("no_progress", form=form, tool=tool),
        evidence,
        intent=None if is_non_progress(view, stalled[-1]) else "*",
        is_open_only=True,
    )
