"""Contract sentences about looking for something: what a search finds by, what to check first."""

import re
from collections import Counter
from dataclasses import dataclass
from statistics import median

from tasks.editor.facts import MIN_SUCCESSES, Facts
from tasks.editor.generators.draft import Draft, Target, read_target
from tasks.editor.reading import Move, Run, as_object

MIN_TASKS = 2
NEARLY_ALL = 0.95
_WORD = re.compile(r"[a-z0-9]{3,}")


@dataclass(frozen=True)
class _Search:
    """A free-text search of a run."""

    run: Run
    query: str
    move: Move

    @property
    def is_shown(self) -> bool:
        """Whether every word of the query stands in what was found."""
        found = self.move.observation.lower()
        return all(word.removesuffix("s") in found for word in _WORD.findall(self.query.lower()))


def search_sentence(facts: Facts, target: Target) -> list[Draft]:
    """State that a search finds by words of its list alone, where what it found shows them all."""
    tool, argument = target.text("tool"), target.text("argument")
    made = list(_searches(facts, tool, argument))
    good = [one for one in made if not one.move.is_error]
    empty = [one for one in made if one.move.is_error]
    is_shared = len({one.run.task_id for one in empty}) >= MIN_TASKS and len(good) >= MIN_SUCCESSES
    if not is_shared or sum(one.is_shown for one in good) < NEARLY_ALL * len(good):
        return []
    lines = [
        f"`{tool}` finds only what shows every word of `{argument}` in its list: the {len(good)}"
        " searches that found something held no other words.",
        "A search that holds a price, a limit, a feature or an option as well finds nothing"
        f" ({len(empty)} did): leave these out and check them on the pages.",
    ]
    return [
        Draft(
            layer="contract",
            name=f"What {tool} finds by",
            body="\n".join(f"- {line}" for line in lines),
            kind="search_sentence",
            title=f"State what `{argument}` of `{tool}` can hold",
            root_cause=f"Searches hold words that `{tool}` cannot find by, and find nothing.",
            why_safe="Searches with results show the words they were made with.",
            watch="Searches that can filter after all.",
            acts={one.run.run_id: 0 for one in empty if one.run.episode.is_failure},
        )
    ]


def _searches(facts: Facts, tool: str, argument: str) -> list[_Search]:
    return [
        _Search(run, query, move)
        for run in facts.runs
        for move in run.calls
        if move.tool == tool and isinstance(query := (move.arguments or {}).get(argument), str)
    ]


def compare_sentence(facts: Facts, target: Target) -> list[Draft]:
    """State that a commitment comes after a check, where failed runs commit to the first thing."""
    commits = _early_commits(facts, target)
    if len({run.task_id for run, _ in commits}) < MIN_TASKS:
        return []
    (tool, text), _ = Counter(_command(move) for _, move in commits).most_common(1)[0]
    seen = [_looks_before(run, tool, text) for run in facts.successes]
    counts = [count for count in seen if count is not None]
    lines = [
        f"Before `{tool}` with `{text}`, check on the page that it fits every condition of the"
        " task; what does not fit is left again."
    ]
    if len(counts) >= MIN_SUCCESSES and median(counts) > 1:
        most = int(median(counts))
        lines.append(f"Successful runs had looked at {most} things and more before `{text}`.")
    return [
        Draft(
            layer="contract",
            name=f"Before {text}",
            body="\n".join(f"- {line}" for line in lines),
            kind="compare_sentence",
            title=f"State what to check before `{text}`",
            root_cause=f"`{text}` comes early, before what was found was checked or compared.",
            why_safe="Asks for a look that costs no call.",
            watch="Tasks that the first thing found solves.",
            acts={run.run_id: 0 for run, _ in commits},
        )
    ]


def _early_commits(facts: Facts, target: Target) -> list[tuple[Run, Move]]:
    """Failed runs that committed early, with the call by which they did."""
    early = [
        pattern
        for pattern in target.patterns
        if (as_object(pattern.signature) or {}).get("form") == "early_commit"
    ]
    found: list[tuple[Run, Move]] = []
    for member in read_target(facts, early).members:
        moves = [move for move in member.run.calls if move.step_index == member.step]
        found += [(member.run, move) for move in moves[:1] if _command(move)[1]]
    return found


def _command(move: Move) -> tuple[str, str]:
    """Tool and first text argument of a call."""
    texts = [value for value in (move.arguments or {}).values() if isinstance(value, str)]
    return move.tool, texts[0][:80] if texts else ""


def _looks_before(run: Run, tool: str, text: str) -> int | None:
    """How many other things a run looked at by the tool before the call; null without the call."""
    commands = [_command(move) for move in run.good_calls]
    if (tool, text) not in commands:
        return None
    before = commands[: commands.index((tool, text))]
    return len({command for command in before if command[0] == tool})
