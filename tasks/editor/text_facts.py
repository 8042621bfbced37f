"""What texts show: quoted names, command forms, verbs that look right and are not, errors."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from tasks.agent.commands import CLEAR, NEAR
from tasks.editor.facts import Facts
from tasks.editor.reading import Move, Run

QUOTES = (('"', '"'), ("`", "`"), ("[", "]"))
_NUMBER = re.compile(r"\d+")


def quoted_names(facts: Facts, tool: str, argument: str) -> tuple[str, list[str]]:
    """Find the quotes that successful statements put around names of several words."""
    names: dict[str, Counter[str]] = {}
    for run in facts.successes:
        for move in run.good_calls:
            value = (move.arguments or {}).get(argument)
            if move.tool != tool or not isinstance(value, str):
                continue
            bare = re.sub(r"'(?:[^']|'')*'", "''", value)
            for left, right in QUOTES:
                pattern = re.escape(left) + r"(\w+(?: [\w%/#.-]+)+)" + re.escape(right)
                for name in set(re.findall(pattern, bare)):
                    names.setdefault(left + right, Counter())[name] += 1
    if not names:
        return "", []
    quote = max(sorted(names), key=lambda mark: sum(names[mark].values()))
    ranked = sorted(names[quote].items(), key=lambda item: (-item[1], item[0]))
    return quote, [name for name, _ in ranked]


def command_forms(facts: Facts) -> list[str]:
    """Abstract the commands that worlds offered: `take <object> from <place>`."""
    by_verb: dict[str, set[tuple[str, ...]]] = {}
    for run in facts.runs[:200]:
        for move in run.moves:
            for command in move.admissible or ():
                words = command.lower().split()
                if words:
                    by_verb.setdefault(words[0], set()).add(tuple(words))
    forms = {form for verb in by_verb for form in _forms(by_verb[verb])}
    return sorted(forms)


def _forms(commands: Iterable[tuple[str, ...]]) -> set[str]:
    """Keep words that most commands of the same verb share; the rest become slots."""
    listed = sorted(set(commands))
    counts = Counter(word for words in listed for word in set(words))
    things = {one for words in listed for one, two in pairwise(words) if _NUMBER.fullmatch(two)}
    kept = {
        word
        for word, count in counts.items()
        if not _NUMBER.search(word)
        and count >= max(2, (0.95 if word in things else 0.34) * len(listed))
    }
    if len(listed) == 1:
        kept |= {word for word in listed[0] if not _NUMBER.search(word)}
    found: Counter[str] = Counter()
    for words in listed:
        found[_masked(words, kept | {words[0]})] += 1
    return {form for form, count in found.items() if count >= max(1, 0.1 * len(listed))}


def _masked(words: Sequence[str], kept: set[str]) -> str:
    out: list[str] = []
    for word in words:
        if word in kept:
            out.append(word)
        elif not out or not out[-1].startswith("<"):
            is_first = not any(one.startswith("<") for one in out)
            out.append("<object>" if is_first and not _is_place(out) else "<place>")
    return " ".join(out)


def _is_place(before: Sequence[str]) -> bool:
    return bool(before) and before[-1] in {"to", "from", "in", "into", "on", "at", "in/on"}


def verb_aliases(facts: Facts) -> dict[str, str]:
    """Map verbs that no world offers to the verb of the one command they can mean."""
    slot = facts.command_slot
    if slot is None:
        return {}
    offered = {
        command.lower().split()[0]
        for run in facts.runs
        for move in run.moves
        for command in move.admissible or ()
        if command.split()
    }
    votes: dict[str, Counter[str]] = {}
    for run in facts.runs:
        for move in run.calls:
            said = (move.asked or {}).get(slot[1])
            if isinstance(said, str) and said.split() and move.admissible:
                verb = said.lower().split()[0]
                match = _same_objects(said, move.admissible) if verb not in offered else None
                if match:
                    votes.setdefault(verb, Counter())[match] += 1
    return {
        verb: best
        for verb, counts in sorted(votes.items())
        if (best := counts.most_common(1)[0][0]) and counts[best] >= 0.8 * sum(counts.values())
    }


def _same_objects(said: str, admissible: Sequence[str]) -> str | None:
    """Find the verb of the only command about the same things."""
    things = _things(said)
    matches = {command.lower().split()[0] for command in admissible if _things(command) == things}
    return next(iter(matches)) if len(matches) == 1 and things else None


def _things(command: str) -> tuple[str, ...]:
    words = re.findall(r"\w+", command.lower())[1:]
    return tuple(
        word for word in words if word not in {"the", "a", "to", "from", "in", "on", "into", "with"}
    )


def frequent_errors(moves: Iterable[Move], least: int = 2) -> list[tuple[str, str, list[Move]]]:
    """Group failed calls by tool and error text with its values masked, most frequent first."""
    groups: dict[tuple[str, str], list[Move]] = {}
    for move in moves:
        if move.is_error and move.observation.strip():
            groups.setdefault((move.asked_tool or move.tool, mask(move.observation)), []).append(
                move
            )
    ranked = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return [(tool, text, found) for (tool, text), found in ranked if len(found) >= least]


def mask(text: str) -> str:
    """First line of a text with quoted parts and numbers masked."""
    line = next((line for line in text.splitlines() if line.strip()), "").strip()[:300]
    line = re.sub(r"(['\"`]).{1,80}?\1", "<…>", line)
    return _NUMBER.sub("<n>", line)


def closest(name: str, known: Iterable[str]) -> str | None:
    """The only known name that is clearly close to another; null when two are."""
    ranked = sorted(
        ((difflib.SequenceMatcher(None, name.lower(), one.lower()).ratio(), one) for one in known),
        key=lambda item: (-item[0], item[1]),
    )
    if not ranked or ranked[0][0] < NEAR:
        return None
    return None if len(ranked) > 1 and ranked[0][0] - ranked[1][0] < CLEAR else ranked[0][1]


def runs_with(facts: Facts, run_ids: Iterable[str]) -> list[Run]:
    """Runs by id, in order, those unknown left out."""
    return [facts.by_id[run_id] for run_id in run_ids if run_id in facts.by_id]
