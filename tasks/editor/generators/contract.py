"""Contract sentences about endings, order and statement limits; facts first, few words."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tasks.agent.commands import verb_of
from tasks.editor.facts import MIN_SUCCESSES, Facts
from tasks.editor.generators.draft import Draft, Target
from tasks.editor.preconditions import find_preconditions
from tasks.editor.protocol_facts import Order, final_example, find_orders, find_precursors
from tasks.editor.reading import Move, Run
from tasks.editor.text_facts import command_forms, frequent_errors

MAX_ERRORS = 3
MAX_PRECONDITIONS = 6
RARE = 0.2
"""A tool that at most this share of successes calls is not needed for success."""


def final_tool_sentence(facts: Facts, target: Target) -> list[Draft]:
    """State which call ends every task, also after a change, with an example."""
    final = facts.final_tool
    missing = [run for run in target.runs if all(move.tool != final for move in run.good_calls)]
    if final is None or not missing:
        return []
    lines = [
        f"Every task ends with a call of `{final}`; a task without that call counts as not done."
    ]
    general = final_example(facts)
    lines.append(f"Saying that you are done is not enough: call `{final}`, for example {general}.")
    for before in find_precursors(facts):
        done = f"`{before.tool}`" + (f" ({', '.join(before.words)})" if before.words else "")
        example = final_example(facts, before)
        shown = f" with {example}" if example and example != general else ""
        lines.append(f"Also after a change: once {done} has run, call `{final}`{shown}.")
    return [
        _section(
            "Final call",
            lines,
            "required_call",
            f"Require `{final}` at the end of every task",
            f"Runs end without `{final}`, which all {len(facts.successes)} successes call last.",
            missing,
        )
    ]


def order_sentence(facts: Facts, target: Target) -> list[Draft]:
    """State which call must come before which, where failures break what successes keep."""
    orders = [order for order in find_orders(facts) if set(order.violations) & target.run_ids]
    return _order_section(orders, target)


def lookup_sentence(facts: Facts, target: Target) -> list[Draft]:
    """State what successes look up before the calls that the failed runs make."""
    used = {move.tool for run in target.runs for move in run.calls}
    orders = [order for order in find_orders(facts) if order.tool in used]
    return _order_section(orders, target)


def _order_section(orders: list[Order], target: Target) -> list[Draft]:
    if not orders:
        return []
    orders.sort(key=lambda order: (-len(set(order.violations) & target.run_ids), -order.support))
    lines = []
    for order in orders[:6]:
        names = " and ".join(f"`{name}`" for name in order.required[:3])
        lines.append(f"Call {names} before `{order.tool}`: use only what it has returned.")
    first = orders[0]
    broken = {run_id for order in orders for run_id in order.violations}
    return [
        _section(
            "Order of calls",
            lines,
            "order_sentence",
            f"State what comes before `{first.tool}`",
            f"`{first.tool}` comes too early; all {first.support} successes keep the order.",
            [run for run in target.runs if run.run_id in broken] or target.runs,
        )
    ]


def handover_sentence(facts: Facts, target: Target) -> list[Draft]:
    """State that successes do not hand over, and which tools can still act."""
    drafts: list[Draft] = []
    for tool in [name for name in target.texts("tool") if name in facts.tools][:1]:
        users = [run for run in facts.successes if any(move.tool == tool for move in run.calls)]
        if len(facts.successes) < MIN_SUCCESSES or len(users) > RARE * len(facts.successes):
            continue
        counts = Counter(move.tool for run in facts.successes for move in run.good_calls)
        others = sorted(counts, key=lambda name: (-counts[name], name))
        shown = ", ".join(f"`{name}`" for name in others if name != tool)
        lines = [
            f"`{tool}` gives the task away: {len(facts.successes) - len(users)} of"
            f" {len(facts.successes)} successful runs did without it.",
            f"Before it, try what these tools can still do: {shown[:400]}.",
        ]
        title = f"Discourage `{tool}` while other tools can act"
        cause = f"Failed runs end with `{tool}` although tools could have done the task."
        drafts.append(
            _section("Handing over", lines, "handover_sentence", title, cause, target.runs)
        )
    return drafts


def precondition_sentence(facts: Facts, target: Target) -> list[Draft]:
    """State which command must come before one that changes nothing on its own."""
    forms = {form.split()[0]: form for form in command_forms(facts)}
    found = find_preconditions(facts, _claimed(target))[:MAX_PRECONDITIONS]
    if not found:
        return []
    lines, counts = [], []
    for one in found:
        wanted, first = forms.get(one.verb, one.verb), forms.get(one.enabler, one.enabler)
        lines.append(f"When `{wanted}` changes nothing, do `{first}` first, then `{wanted}`.")
        made = one.contrast
        told = f"after {one.enabler} {made.x} of {made.n}, else {made.x0} of {made.n0}"
        counts.append(f"{one.verb} works {told}")
    verbs = ", ".join(dict.fromkeys(one.verb for one in found))
    title = f"State what must be done before {verbs}"
    cause = f"{verbs}: tried before another command has made it possible ({'; '.join(counts)})."
    runs = _trying(target, {one.verb for one in found})
    return [_section("Preconditions", lines, "precondition_sentence", title, cause, runs)]


def _claimed(target: Target) -> set[tuple[str, str]]:
    """Verbs with each verb that signatures name as possibly enabling them."""
    found: set[tuple[str, str]] = set()
    for signature in target.signatures:
        verb, enables = signature.get("verb"), signature.get("enables")
        named = [enables] if isinstance(enables, str) else enables
        if isinstance(verb, str) and verb and isinstance(named, list):
            found |= {(verb, str(one)) for one in named if one != verb}
    return found


def _trying(target: Target, verbs: set[str]) -> list[Run]:
    """Runs of the target in which one of the verbs was refused."""
    return [
        run
        for run in target.runs
        if any(
            verb_of(text) in verbs for move in run.calls if move.is_error for text in _said(move)
        )
    ]


def _said(move: Move) -> list[str]:
    return [value for value in (move.arguments or {}).values() if isinstance(value, str)]


def error_sentences(facts: Facts, target: Target) -> list[Draft]:
    """State limits of tools in the words of their own error messages."""
    tools = target.texts("tool")
    groups = frequent_errors(move for run in target.runs for move in _first_tries(run))
    groups = [group for group in groups if group[0] in tools] or groups
    told = [one for one in groups[:MAX_ERRORS] if one[0] in facts.tools and _is_instructive(one[1])]
    if not told:
        return []
    lines = [
        f"`{name}` refuses with “{text[:160]}”.{_advice(name, text)}" for name, text, _ in told
    ]
    moves = [move for _, _, found in told for move in found]
    name = told[0][0]
    return [
        _section(
            f"Limits of {name}",
            lines,
            "limit_sentence",
            f"State what `{name}` refuses",
            f"{len(moves)} calls of failed runs were refused for the same reason.",
            [run for run in target.runs if any(move in moves for move in run.calls)],
        )
    ]


def _first_tries(run: Run) -> Iterator[Move]:
    """Calls of a run but those that have worked before: repeating them tells no limit."""
    worked: set[str] = set()
    for move in run.calls:
        if move.key not in worked:
            yield move
        if not move.is_error:
            worked.add(move.key)


def _is_instructive(text: str) -> bool:
    """A text that is mostly masked values teaches nothing."""
    return len(re.findall(r"[A-Za-z]{3,}", re.sub(r"<…>|<n>", "", text))) >= MIN_SUCCESSES


def _advice(tool: str, text: str) -> str:
    low = text.lower()
    if "statement" in low and re.search(r"\b(one|single|multiple|several|only)\b", low):
        return (
            f" Send exactly one statement in each call of `{tool}`; a second one is a second call."
        )
    if re.search(r"\b(required|missing)\b", low):
        return " Give every required argument."
    return ""


def _section(
    name: str, lines: list[str], kind: str, title: str, cause: str, runs: Sequence[Run]
) -> Draft:
    return Draft(
        layer="contract",
        name=name,
        body="\n".join(f"- {line}" for line in lines),
        kind=kind,
        title=title,
        root_cause=cause,
        why_safe="States only what every stored success does or what the tool itself says.",
        watch="Longer prompts; tasks of a kind not seen in train.",
        acts={run.run_id: 0 for run in runs},
    )
