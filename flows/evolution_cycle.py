"""One evolution cycle: collect, annotate, edit and gate in rounds; score, diagnose, synthesize."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from prefect import flow

from flows.approval import ask_person
from flows.prefect_stages import publish_summary, publish_table, shown_progress
from schemas.errors import ConfigError
from schemas.forms import CycleForm
from schemas.plans import CyclePlan
from schemas.settings import load_settings
from tasks.annotation import annotate_round
from tasks.approving import ApprovalCase, Decider, find_approval, open_case, record_approval
from tasks.budget_arms import rollouts_spent
from tasks.collection import collect_train
from tasks.cycle import close_cycle, open_cycle
from tasks.diagnosis import diagnose_benefit
from tasks.editing import propose_edits
from tasks.evaluation import score_sealed
from tasks.following_up import follow_up
from tasks.gating import gate_edits
from tasks.reporting import list_decisions, summarize_cycle
from tasks.run_caps import run_within
from tasks.synthesis import synthesize_data

Caller = Callable[[Callable[..., Any]], Callable[..., Any]]
Asker = Callable[[ApprovalCase, int], tuple[bool, Decider, str]]


@flow(name="evolution-cycle")
def evolution_cycle(form: CycleForm = CycleForm()) -> dict[str, Any]:  # noqa: B008
    """Evolve the harness of one model in one environment."""
    with shown_progress("evolution-cycle-progress", most_stages(form)) as progress:
        summary = run_cycle(form, progress.call, ask_person)
    picture = [(f"sealed, {name}", summary[name]["sealed"]) for name in ("baseline", "final")]
    publish_summary("evolution-cycle", "Evolution cycle", summary, picture)
    publish_table("gate-decisions", list_decisions(summary["cycle_id"]), "Edits and verdicts")
    return summary


def most_stages(form: CycleForm) -> int:
    """Stages of a cycle that uses all its rounds: five a round, and six around them."""
    return 6 + 5 * form.rounds


def evolve(**inputs: Any) -> dict[str, Any]:
    """As the flow, in this process and without Prefect: the same stages and the same tables.

    Raises:
        ConfigError: an input names nothing, or cannot be used; or a person is to approve.
    """
    form = CycleForm.model_validate(inputs)
    if form.approval == "required":
        what = "approval is asked for in the Prefect UI, and this cycle runs without Prefect"
        raise ConfigError(what, hint="run the flow evolution-cycle, or `tackroom cycle`")
    return run_cycle(form, lambda stage: stage, nobody)


def nobody(case: ApprovalCase, timeout_s: int) -> tuple[bool, Decider, str]:
    """Answer where no person can be asked."""
    return False, "timeout", f"nobody to ask about {case.new_harness_id} for {timeout_s} s"


def run_cycle(form: CycleForm, call: Caller, ask: Asker) -> dict[str, Any]:
    """The cycle, stage by stage; `call` decides how a stage is called, `ask` asks a person.

    Raises:
        CapReached: the cycle may spend no more; the same form goes on where it stopped.
    """
    with run_within(form, load_settings()):
        return _run_cycle(form, call, ask)


def _run_cycle(form: CycleForm, call: Caller, ask: Asker) -> dict[str, Any]:
    started_at = datetime.now(UTC)
    plan: CyclePlan = call(open_cycle)(form)
    if not plan.is_finished:
        call(score_sealed)(plan, plan.base_harness_id, "baseline")
        harness_id = evolve_in_rounds(plan, call, ask)
        call(score_sealed)(plan, harness_id, "final")
        call(diagnose_benefit)(plan, harness_id)
        call(synthesize_data)(plan, harness_id)
        call(close_cycle)(plan, harness_id)
    return summarize_cycle(plan, started_at)


def evolve_in_rounds(plan: CyclePlan, call: Caller, ask: Asker) -> str:
    """Edit and gate until a round commits nothing or is not approved; return what is in force."""
    form = plan.form
    harness_id, slots_used, idle = plan.base_harness_id, 0, 0
    for round_number in range(1, form.rounds + 1):
        if form.most_rollouts and rollouts_spent(plan.cycle_id) >= form.most_rollouts:
            break
        call(collect_train)(plan, harness_id, round_number)
        call(annotate_round)(plan, harness_id, round_number)
        call(propose_edits)(plan, harness_id, round_number)
        gate = call(gate_edits)(plan, harness_id, round_number, slots_used)
        kept = harness_id
        if gate.harness_id != harness_id:
            if not is_approved(plan, harness_id, gate.harness_id, round_number, ask):
                break
            kept = call(follow_up)(plan, harness_id, gate.harness_id, round_number).harness_id
        idle = idle + 1 if kept == harness_id else 0
        harness_id, slots_used = kept, gate.slots_used
        if idle >= form.patience:
            break
    return harness_id


def is_approved(plan: CyclePlan, old: str, new: str, round_number: int, ask: Asker) -> bool:
    """Whether a harness may come into force: asked once, and only where approval is required."""
    if plan.form.approval == "none":
        return True
    row = find_approval(plan, round_number)
    if row is None:
        case = open_case(plan, old, new, round_number)
        yes, decided_by, note = ask(case, plan.form.approval_timeout_s)
        row = record_approval(case, is_approved=yes, decided_by=decided_by, note=note)
    return row.answer == "approved"
