"""Many candidates of known worth through the gate, and through the rules in use elsewhere.

Each candidate has its own draws and its own order of pairs, both from the seed. It enters
`decide_round` with one slot to spend at the threshold of all slots: what is measured is the error
of one candidate.
"""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from schemas.ids import make_id, sha256_hex
from tasks.agent.protocols import Task
from tasks.gate.calibration.arena import Arena, bank_tasks, base_harness
from tasks.gate.calibration.bank import Bank
from tasks.gate.calibration.planted import Plant, turned
from tasks.gate.calibration.rivals import RIVALS
from tasks.gate.candidate import Candidate, GateSettings, GateWorld
from tasks.gate.decide import RoundResult, decide_round
from tasks.gate.findings import Checked
from tasks.gate.pairs import order_tasks
from tasks.harness import Harness

CYCLE = make_id("cyc", ["calibration"])
NOTHING = Plant("Nothing", 0.0)


@dataclass(frozen=True)
class Question:
    """What is measured: an effect, under which settings, on how many pairs.

    Attributes:
        plants: effects that enter as one bundle; without any, the harness meets itself.
        pairs: cap of pairs; 0 takes all tasks of the bank.
        is_shared: whether both arms get the same run, as pairs with equal seeds do.
        is_replaced: whether the runs of an arm are drawn with replacement.
    """

    name: str
    settings: GateSettings
    plants: tuple[Plant, ...] = (NOTHING,)
    pairs: int = 0
    is_shared: bool = False
    is_replaced: bool = False


@dataclass
class Answer:
    """How the gate and the rivals decided candidates of one kind.

    Attributes:
        verdicts: candidates by verdict; a bundle counts as accepted when all its edits were.
        kept: edits still in the harness after pruning.
        read: pairs read by the gate.
        discordant: pairs whose arms differ, of all `drawn`.
        rivals: candidates accepted by each rival.
    """

    question: Question
    candidates: int = 0
    verdicts: Counter[str] = field(default_factory=Counter[str])
    reasons: Counter[str] = field(default_factory=Counter[str])
    kept: int = 0
    read: int = 0
    drawn: int = 0
    discordant: int = 0
    rivals: Counter[str] = field(default_factory=Counter[str])

    def share(self, verdict: str) -> float:
        """Share of candidates with this verdict."""
        return self.verdicts[verdict] / self.candidates if self.candidates else 0.0


async def ask(
    question: Question,
    bank: Bank,
    *,
    candidates: int,
    seed: int,
    on_candidate: Callable[[], None] = lambda: None,
) -> Answer:
    """Send candidates through the gate; equal seeds give equal answers."""
    answer = Answer(question)
    base = base_harness()
    for number in range(candidates):
        own = int(sha256_hex(f"{seed}/{question.name}/{number}")[:7], 16)
        order = order_tasks(bank_tasks(bank), own)
        arena = _arena(question, bank, own)
        tasks = order[: question.pairs] if question.pairs else order
        edits = _edits(base, question.plants)
        _count(answer, await _judge(question, arena, tasks, edits, own))
        _compare(answer, arena, tasks, (base, edits[-1].child))
        on_candidate()
    return answer


def rival_shares(
    bank: Bank, *, tasks: int, draws: int, seed: int, plant: Plant = NOTHING
) -> dict[str, float]:
    """Share accepted by each rival on one ordered pair of trials, tasks without replacement."""
    rng = random.Random(f"rivals/{seed}/{plant.win}/{plant.loss}")
    accepted: Counter[str] = Counter()
    for _ in range(draws):
        old, new = rng.sample(range(bank.depth), 2)
        differences: list[float] = []
        for name in rng.sample(bank.tasks, min(tasks, len(bank.tasks))):
            before, after = bank.runs[name][old].solved, bank.runs[name][new].solved
            if before is None or after is None:
                continue
            after = turned(solved=after, luck=rng.random(), plants=(plant,), success=bank.success)
            differences.append(float(after) - float(before))
        accepted.update(rule for rule, accepts in RIVALS.items() if accepts(differences))
    return {rule: accepted[rule] / draws for rule in RIVALS}


def _arena(question: Question, bank: Bank, seed: int) -> Arena:
    settings = question.settings
    return Arena(
        bank=bank,
        seed=seed,
        arm_repeats=settings.repeats + settings.fresh_repeats,
        plants={plant.name: plant for plant in question.plants},
        is_shared=question.is_shared,
        is_replaced=question.is_replaced,
    )


def _edits(base: Harness, plants: Sequence[Plant]) -> list[Candidate]:
    return [
        Candidate(
            edit_id=make_id("edit", [plant.name]),
            parent=base,
            child=base.put("contract", plant.name, "Planted."),
            layer="contract",
            artifact=plant.name,
            is_decoy=len(plants) == 1,
        )
        for plant in plants
    ]


async def _judge(
    question: Question,
    arena: Arena,
    tasks: Sequence[Task],
    edits: Sequence[Candidate],
    seed: int,
) -> RoundResult:
    world = GateWorld(
        cycle_id=CYCLE,
        seed=seed,
        select=tuple(tasks),
        must_pass=(),
        is_deterministic=False,
        run=arena,
        settings=question.settings,
    )
    checked = [Checked(edit, "replay") for edit in edits]
    return await decide_round(checked, edits[0].parent, world, slots=1)


def _count(answer: Answer, result: RoundResult) -> None:
    # Pruning may take an edit out again; the verdict on the bundle stands in the trial.
    crossed = any(row.stage == "prune" for row in result.decisions) or bool(result.accepted)
    first = result.decisions[0]
    answer.candidates += 1
    answer.verdicts["accepted" if crossed else first.verdict] += 1
    answer.reasons["evidence" if crossed else first.reason] += 1
    answer.kept += len(result.accepted)
    answer.read += sum(row.purpose == "gate" for row in result.trials)


def _compare(
    answer: Answer, arena: Arena, tasks: Sequence[Task], arms: tuple[Harness, Harness]
) -> None:
    repeats = range(answer.question.settings.repeats)
    differences: list[float] = []
    for task in tasks:
        pairs = [[arena.solved(arm, task.task_id, repeat) for arm in arms] for repeat in repeats]
        judged = [(old, new) for old, new in pairs if old is not None and new is not None]
        if judged:
            gained = sum(float(new) - float(old) for old, new in judged)
            differences.append(gained / len(judged))
    answer.drawn += len(differences)
    answer.discordant += sum(difference != 0 for difference in differences)
    answer.rivals.update(rule for rule, accepts in RIVALS.items() if accepts(differences))
