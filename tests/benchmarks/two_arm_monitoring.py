"""How often the production verdict is wrong, and how soon it is right, at continuous monitoring.

    .venv/bin/python -m tests.benchmarks.two_arm_monitoring [--runs N] [--nulls] [--json]

Sessions are drawn one by one, the evidence is looked at after each, and a verdict of either kind
ends a run. Beside ours stands the block e-process of Turner, Ly and Gruenwald with learnt rates:
blocks of fixed sizes, Beta(.18, .18) posterior means.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import log
from statistics import median

import numpy as np

from tasks.statistics.arm_evidence import factors, running_evidence

RATES = (0.1, 0.3, 0.5, 0.7, 0.9)
BASES = (0.3, 0.4, 0.5, 0.6, 0.7)
SPLITS = (0.5, 0.1)
EFFECT = 0.1
ALPHA = 0.05
PRIOR = 0.18
BLOCKS = {0.5: (1, 1), 0.1: (1, 9)}


@dataclass(frozen=True)
class Line:
    """One setting, and what came of its runs; `sessions` is the median, of all runs."""

    split: float
    control: float
    treated: float
    runs: int
    better: float
    worse: float
    sessions: float
    blocks: float | None = None
    blocks_sessions: float | None = None


def draw(rng: np.random.Generator, size: int, split: float, treated: float, control: float):
    """Arms and outcomes of one run."""
    arms = rng.random(size) < split
    return arms, rng.random(size) < np.where(arms, treated, control)


def first_at(evidence, alpha: float) -> int | None:
    """Sessions read when the evidence first suffices."""
    hits = np.nonzero(evidence >= log(2 / alpha))[0]
    return int(hits[0]) + 1 if len(hits) else None


def watch(arms, won, split: float) -> tuple[str, int]:
    """The verdict of one run, and after how many sessions it came."""
    better = first_at(running_evidence(factors(split)[2 * ~arms + ~won]), ALPHA)
    worse = first_at(running_evidence(factors(1 - split)[2 * arms + ~won]), ALPHA)
    never = len(arms) + 1
    sessions = min(better or never, worse or never)
    if sessions == never:
        return "undecided", never
    return ("better" if sessions == better else "worse"), sessions


def watch_blocks(arms, won, sizes: tuple[int, int]) -> int | None:
    """Sessions after which the block e-process, two-sided, reaches 1 / alpha."""
    places = (np.nonzero(arms)[0], np.nonzero(~arms)[0])
    counts = [[PRIOR, PRIOR], [PRIOR, PRIOR]]
    evidence = 0.0
    for block in range(min(len(one) // size for one, size in zip(places, sizes, strict=True))):
        rates = [up / (up + down) for up, down in counts]
        pooled = sum(n * rate for n, rate in zip(sizes, rates, strict=True)) / sum(sizes)
        last = 0
        for arm, size in enumerate(sizes):
            drawn = places[arm][block * size : (block + 1) * size]
            up = int(won[drawn].sum())
            evidence += up * log(rates[arm] / pooled)
            evidence += (size - up) * log((1 - rates[arm]) / (1 - pooled))
            counts[arm][0] += up
            counts[arm][1] += size - up
            last = max(last, int(drawn[-1]))
        if evidence >= log(1 / ALPHA):
            return last + 1
    return None


def measure(split: float, control: float, effect: float, runs: int, size: int, seed: int) -> Line:
    """Runs of one setting; blocks are watched where there is something to find."""
    rng = np.random.default_rng([seed, int(100 * split), int(100 * control)])
    found: list[tuple[str, int]] = []
    blocks: list[int | None] = []
    for _ in range(runs):
        arms, won = draw(rng, size, split, control + effect, control)
        found.append(watch(arms, won, split))
        if effect:
            blocks.append(watch_blocks(arms, won, BLOCKS[split]))
    words = [word for word, _ in found]
    return Line(
        split=split,
        control=control,
        treated=round(control + effect, 3),
        runs=runs,
        better=words.count("better") / runs,
        worse=words.count("worse") / runs,
        sessions=median(sessions for _, sessions in found),
        blocks=sum(one is not None for one in blocks) / runs if blocks else None,
        blocks_sessions=median(one or size + 1 for one in blocks) if blocks else None,
    )


def run(runs: int, size: int, seed: int, *, with_effect: bool = True) -> list[Line]:
    """All settings: no difference first, then ten points."""
    nulls = [measure(p, rate, 0.0, runs, size, seed) for p in SPLITS for rate in RATES]
    if not with_effect:
        return nulls
    return nulls + [measure(p, rate, EFFECT, runs, size, seed) for p in SPLITS for rate in BASES]


def show(lines: Sequence[Line], size: int) -> str:
    """The lines as a table; a median beyond the last session is no number."""

    def count(value: float | None) -> str:
        return "" if value is None else f"{value:.0f}" if value <= size else "-"

    head = f"{'split':>5}  {'rates':>9}  {'runs':>5}  {'better':>6}  {'worse':>6}  {'median':>6}"
    rows = [f"{head}  {'blocks':>6}  {'median':>6}"]
    for one in lines:
        blocks = "" if one.blocks is None else f"{one.blocks:.3f}"
        rows.append(
            f"{one.split:>5}  {one.control:.1f} / {one.treated:.1f}  {one.runs:>5}  "
            f"{one.better:>6.3f}  {one.worse:>6.3f}  {count(one.sessions):>6}  "
            f"{blocks:>6}  {count(one.blocks_sessions):>6}".rstrip()
        )
    return "\n".join(rows)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--sessions", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--nulls", action="store_true", help="only arms that do not differ")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    lines = run(given.runs, given.sessions, given.seed, with_effect=not given.nulls)
    told = (
        json.dumps([asdict(line) for line in lines]) if given.json else show(lines, given.sessions)
    )
    print(told)


if __name__ == "__main__":
    main()
