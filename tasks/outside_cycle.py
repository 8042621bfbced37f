"""A cycle whose edits are proposed by an agent outside of it: opening it, and where it stands."""

import json
from dataclasses import dataclass
from typing import Any

from schemas.errors import ConfigError
from schemas.forms import CycleForm
from schemas.plans import CyclePlan
from schemas.runs import CycleRow, StageEventRow
from tasks.annotation import annotate_round
from tasks.collection import collect_train
from tasks.cycle import OUTSIDE, open_cycle, plan_outside, stored_form
from tasks.gating import gate_edits
from tasks.gating_inputs import open_edits
from tasks.stored_ids import find_cycle
from tasks.workbench import CURRENT, Workbench

_SLOTS = "SELECT coalesce(max(slot), 0) FROM gate_decisions WHERE cycle_id = ?"
_PROPOSED = "SELECT count(*) FROM edits WHERE cycle_id = ? AND round = ?"
_GATED = "gate_edits:"
_ANNOTATED = "annotate_round:"
HINT = "run `tackroom mcp --prepare` first"


@dataclass(frozen=True)
class Standing:
    """Where a cycle stands: the round that takes proposals, the harness in force, slots used."""

    round_number: int
    harness_id: str
    slots_used: int
    is_prepared: bool


def standing(bench: Workbench, plan: CyclePlan) -> Standing:
    """Where a cycle stands, from what has been done of it."""
    with bench.warehouse.read() as reader:
        done = reader.rows(StageEventRow, "cycle_id = ? AND state = 'done'", [plan.cycle_id])
        slots = reader.scalar(_SLOTS, [plan.cycle_id])
    gated = [row for row in done if row.stage.startswith(_GATED)]
    latest = max(gated, key=lambda row: _round_of(row.stage), default=None)
    in_force = json.loads(latest.detail)["harness_id"] if latest else plan.base_harness_id
    number = _round_of(latest.stage) + 1 if latest else 1
    annotated = f"{_ANNOTATED}{in_force}:{number}"
    return Standing(number, in_force, int(slots or 0), any(row.stage == annotated for row in done))


def _round_of(stage: str) -> int:
    return int(stage.split(":")[2])


def prepare_outside(form: CycleForm) -> dict[str, Any]:
    """Open the cycle, run and label its train tasks; what is done already is not done again.

    Raises:
        ConfigError: a word of the form names nothing.
    """
    plan = open_cycle(form, is_outside=True)
    now = standing(Workbench.open(), plan)
    collected = collect_train(plan, now.harness_id, now.round_number)
    found = annotate_round(plan, now.harness_id, now.round_number)
    return {
        "cycle_id": plan.cycle_id,
        "harness_id": now.harness_id,
        "round": now.round_number,
        "trajectories": collected.trajectories,
        "rollouts": collected.made,
        "patterns": found.patterns,
    }


def prepared_plan(form: CycleForm) -> CyclePlan:
    """The cycle of a form, ready for proposals.

    Raises:
        ConfigError: a word names nothing, or the train tasks have not been run and labelled.
    """
    plan = plan_outside(form)
    if not standing(Workbench.open(), plan).is_prepared:
        what = f"the train tasks of `{form.environment}` have not been run for {plan.cycle_id}"
        raise ConfigError(what, hint=f"{HINT}, with the same options")
    return plan


def try_outside(word: str) -> dict[str, Any]:
    """Try all open proposals of a cycle as one bundle in one slot, and make the next round ready.

    A round of which nothing is open is ended without a trial; one without proposals stays.

    Raises:
        ConfigError: there is no such cycle, or it takes no proposals.
    """
    bench = Workbench.open()
    plan = _outside_plan(bench, word)
    now = standing(bench, plan)
    waiting = [one.candidate.edit_id for one in open_edits(bench, plan, now.round_number)]
    told = {"cycle_id": plan.cycle_id, "round": now.round_number, "edits": waiting}
    with bench.warehouse.read() as reader:
        proposed = reader.scalar(_PROPOSED, [plan.cycle_id, now.round_number])
    if not proposed:
        return told | {"harness_id": now.harness_id, "accepted": 0, "slots_used": now.slots_used}
    result = gate_edits(plan, now.harness_id, now.round_number, now.slots_used)
    collect_train(plan, result.harness_id, now.round_number + 1)
    annotate_round(plan, result.harness_id, now.round_number + 1)
    if result.accepted:
        _name_current(plan, result.harness_id)
    return told | result.model_dump(include={"harness_id", "accepted", "slots_used"})


def _outside_plan(bench: Workbench, word: str) -> CyclePlan:
    with bench.warehouse.read() as reader:
        cycle_id = find_cycle(reader, word, prefer=f"editor = '{OUTSIDE}'")
        row = reader.rows(CycleRow, "cycle_id = ?", [cycle_id])[0]
    if row.editor != OUTSIDE:
        what = f"cycle {cycle_id} has an editor of its own, {row.editor[:60]}"
        raise ConfigError(what, hint="its edits are tried by `tackroom cycle`; see docs/mcp.md")
    return CyclePlan(cycle_id=cycle_id, form=stored_form(row), base_harness_id=row.base_harness_id)


def _name_current(plan: CyclePlan, harness_id: str) -> None:
    bench = Workbench.open()
    environment = bench.environment(plan.form.environment)
    row = bench.name_row(environment.name, CURRENT, harness_id)
    if row is not None:
        bench.land([row], "gate_trial")
        bench.commit()
