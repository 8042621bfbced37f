"""How often the gate is wrong, in a world or on recorded trials, beside the rules of others."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

from schemas.errors import ConfigError
from schemas.gate import GateCalibrationRow
from schemas.gate_forms import CalibrateForm
from schemas.ids import make_id
from tasks.agent.offers import repeats_alike
from tasks.collection import open_collector
from tasks.gate.calibration.bank import bank_of_csv, bank_of_episodes
from tasks.gate.calibration.measure import NOTHING, Answer, Question, ask, rival_shares
from tasks.gate.calibration.planted import check_plants
from tasks.gate.calibration.questions import Source, questions_of
from tasks.gate.calibration.rivals import RIVALS
from tasks.harness_rows import harness_rows, task_rows
from tasks.progress import count, expect, in_stage
from tasks.scores import require_judged
from tasks.statistics.proportions import jeffreys
from tasks.workbench import Workbench, first_tasks

KIND = "candidates"
MAX_FILE_BYTES = 50_000_000
RIVAL_DRAWS = 20_000


@in_stage("calibrate gate")
def calibrate(form: CalibrateForm, bench: Workbench | None = None) -> dict[str, Any]:
    """Measure false accepts and power of the gate, and land what was measured.

    Raises:
        ConfigError: a word names nothing, a file cannot be read, an effect cannot be planted.
        ModelFault: no run could be judged.
    """
    bench = bench or Workbench.open()
    source = _recorded(form) if form.recorded else asyncio.run(_collected(form, bench))
    questions = questions_of(form, source)
    for question in questions:
        check_plants(question.plants, source.bank.success, question.name)
    answers = asyncio.run(_ask(form, source, questions))
    rivals = _rivals(form, source, answers)
    rows = _rows(form, source, answers, rivals)
    bench.land(rows, "calibrate")
    bench.commit()
    return _result(form, source, answers, rivals)


def _recorded(form: CalibrateForm) -> Source:
    path = Path(form.recorded)
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            what = f"{path} has more than {MAX_FILE_BYTES // 1_000_000} MB"
            raise ConfigError(what, hint="a table with one line a run is meant")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError) as error:
        what = f"{str(path)[:200]} cannot be read: {getattr(error, 'strerror', None) or error}"
        raise ConfigError(what, hint="a CSV file with task_id, trial, reward") from error
    bank = bank_of_csv(text, str(path))
    return Source(
        bank=bank,
        environment=path.name,
        model="recorded",
        is_simulated=False,
        is_recorded=True,
        harness_id=None,
        repeats=form.repeats or bank.depth,
        rollouts=0,
        loss_rate=0.0 if form.loss_rate is None else form.loss_rate,
    )


async def _collected(form: CalibrateForm, bench: Workbench) -> Source:
    environment = bench.environment(form.environment)
    model = bench.model(_with_temperature(form))
    if repeats_alike(model, environment):
        what = f"{model.name} repeats its runs exactly, so the harness against itself is a tie"
        raise ConfigError(what, hint="give --temperature, or sampling.temperature of the endpoint")
    harness = bench.harness(environment.name, form.harness)
    tasks = first_tasks(environment.tasks("select"), form.tasks)
    bench.land([*harness_rows(harness), *task_rows(environment, tasks)], "calibrate")
    async with open_collector(bench, environment, model, form.seed) as collector:
        episodes = await collector.run(harness, tasks, "calibrate", range(form.bank))
    bench.commit()
    require_judged(episodes)
    return Source(
        bank=bank_of_episodes(episodes),
        environment=environment.name,
        model=model.name,
        is_simulated=model.is_simulated,
        is_recorded=False,
        harness_id=harness.harness_id,
        repeats=form.repeats or 1,
        rollouts=collector.made,
        loss_rate=0.05 if form.loss_rate is None else form.loss_rate,
    )


def _with_temperature(form: CalibrateForm) -> str:
    if form.temperature is None:
        return form.model
    if not form.model.startswith("simulated:") or "?" in form.model:
        what = f"--temperature goes with a plain simulated model, not with {form.model[:80]!r}"
        raise ConfigError(what, hint="an endpoint has it in tackroom.toml, [models.NAME.sampling]")
    return f"{form.model}?temperature={form.temperature:g}"


async def _ask(form: CalibrateForm, source: Source, questions: list[Question]) -> list[Answer]:
    counts = [form.candidates, *[form.planted] * (len(questions) - 1)]
    expect(KIND, sum(counts))
    return [
        await ask(
            question,
            source.bank,
            candidates=wanted,
            seed=form.seed,
            on_candidate=partial(count, KIND),
        )
        for question, wanted in zip(questions, counts, strict=True)
    ]


def _rivals(form: CalibrateForm, source: Source, answers: list[Answer]) -> dict[str, Any]:
    """Each rival's share of false accepts and its power, on the gate's pairs.

    On recorded trials: on one ordered pair of trials, `rival_tasks` without replacement.
    """
    nothing, main = answers[0], answers[1]
    false = {rule: nothing.rivals[rule] / nothing.candidates for rule in RIVALS}
    found = {rule: main.rivals[rule] / main.candidates for rule in RIVALS}
    if source.is_recorded:
        drawn = {"tasks": form.rival_tasks, "draws": RIVAL_DRAWS, "seed": form.seed}
        false = rival_shares(source.bank, plant=NOTHING, **drawn)
        found = rival_shares(source.bank, plant=main.question.plants[0], **drawn)
    return {
        rule: {"false_accept": false[rule], "rejects": 1 - false[rule], "power": found[rule]}
        for rule in RIVALS
    }


def _result(
    form: CalibrateForm, source: Source, answers: list[Answer], rivals: dict[str, Any]
) -> dict[str, Any]:
    nothing, main = answers[0], answers[1]
    limits = jeffreys(nothing.verdicts["accepted"], nothing.candidates)
    bank = source.bank
    rival_pairs = min(form.rival_tasks, len(bank.tasks))
    return {
        "source": "recorded" if source.is_recorded else "rollouts",
        "environment": source.environment,
        "model": source.model,
        "simulated": source.is_simulated,
        "harness_id": source.harness_id,
        "tasks": len(bank.tasks),
        "runs": bank.size,
        "rollouts": source.rollouts,
        "success": bank.success,
        "repeats": source.repeats,
        "slots": form.slots,
        "threshold": nothing.question.settings.threshold,
        "candidates": nothing.candidates,
        "seed": form.seed,
        "discordant_share": _discordant(nothing),
        "discordant_share_of_runs": bank.discordant_share,
        "false_accept": nothing.share("accepted"),
        "false_accept_hi": limits.hi if limits else None,
        "undecided": nothing.share("undecided"),
        "rejected": nothing.share("rejected"),
        "pairs_used": nothing.read / nothing.candidates,
        "power": main.share("accepted"),
        "false_reject": main.share("rejected"),
        "planted": [_planted(answer) for answer in answers[1:]],
        "rival_pairs": rival_pairs if source.is_recorded else nothing.question.pairs,
        "rivals": rivals,
    }


def _planted(answer: Answer) -> dict[str, Any]:
    question = answer.question
    return {
        "effect": question.name,
        "edits": len(question.plants),
        "win": sum(plant.win for plant in question.plants),
        "loss": sum(plant.loss for plant in question.plants),
        "arms": "shared" if question.is_shared else "apart",
        "pairs": question.pairs,
        "threshold": question.settings.threshold,
        "candidates": answer.candidates,
        "accepted": answer.share("accepted"),
        "undecided": answer.share("undecided"),
        "rejected": answer.share("rejected"),
        "pairs_used": answer.read / answer.candidates,
        "kept_edits": answer.kept / answer.candidates,
    }


def _discordant(answer: Answer) -> float | None:
    return answer.discordant / answer.drawn if answer.drawn else None


def _rows(
    form: CalibrateForm, source: Source, answers: list[Answer], rivals: dict[str, Any]
) -> list[GateCalibrationRow]:
    key = [source.environment, source.model, source.harness_id, form.model_dump(mode="json")]
    calibration_id = make_id("cal", [*key, source.bank.size, source.bank.success])
    rows = [_gate_row(calibration_id, form, source, answer) for answer in answers]
    for rule, shares in rivals.items():
        for answer, share in ((answers[0], "false_accept"), (answers[1], "power")):
            pairs = form.rival_tasks if source.is_recorded else answer.question.pairs
            update = {
                "rule": rule,
                "pairs": min(pairs, len(source.bank.tasks)),
                "candidates": RIVAL_DRAWS if source.is_recorded else answer.candidates,
                "repeats": 1 if source.is_recorded else source.repeats,
                "threshold": None,
                "accepted": shares[share],
                "undecided": None,
                "rejected": None,
                "mean_pairs": None,
                "discordant_share": None,
            }
            rows.append(_gate_row(calibration_id, form, source, answer).model_copy(update=update))
    return rows


def _gate_row(
    calibration_id: str, form: CalibrateForm, source: Source, answer: Answer
) -> GateCalibrationRow:
    question = answer.question
    return GateCalibrationRow(
        calibration_id=calibration_id,
        rule="gate",
        effect=question.name,
        source="recorded" if source.is_recorded else "rollouts",
        environment=source.environment,
        model=source.model,
        harness_id=source.harness_id,
        planted_win=sum(plant.win for plant in question.plants),
        planted_loss=sum(plant.loss for plant in question.plants),
        edits=len(question.plants) if question.plants != (NOTHING,) else 0,
        pairs=question.pairs,
        repeats=source.repeats,
        threshold=question.settings.threshold,
        candidates=answer.candidates,
        accepted=answer.share("accepted"),
        undecided=answer.share("undecided"),
        rejected=answer.share("rejected"),
        mean_pairs=answer.read / answer.candidates,
        discordant_share=_discordant(answer),
        seed=form.seed,
    )
