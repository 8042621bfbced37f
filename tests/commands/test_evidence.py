"""`tackroom harness export`, `card` and `verify`: evidence travels, tools are held against it."""

import json

import pytest

from schemas.acceptance import EditFollowUpRow
from schemas.evaluation import EvaluationRow
from schemas.evidence import EvidenceCard
from schemas.gate import PairedTrialRow
from schemas.harness import EditPredictionRow
from schemas.ids import make_id
from schemas.trajectories import PromptRow
from tasks.harness_rows import harness_rows
from tasks.workbench import seed_harness

pytestmark = [pytest.mark.slow]
DESK = ("--environment", "sqldesk")
CYCLE, TRIAL, EDIT = make_id("cyc", 1), make_id("trial", 1), make_id("edit", 0)
SEED = seed_harness("sqldesk")
HELD = SEED.put("contract", "Order", "Call `execute_sql` first.").put(
    "contract", "tool:execute_sql", "One statement a call."
)
QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
RECORDED = [
    {
        "type": "function",
        "function": {
            "name": "execute_sql",
            "description": "Runs SQL. One statement a call.",
            "parameters": QUERY,
        },
    },
    {"type": "function", "function": {"name": "search", "parameters": QUERY}},
]
SQL = {"name": "execute_sql", "description": "Runs SQL.", "inputSchema": QUERY}
SEARCH = {"name": "search", "inputSchema": QUERY}


def pair(number):
    return PairedTrialRow(
        trial_id=TRIAL,
        task_id=f"sqldesk/a/{number}",
        ordinal=number,
        cycle_id=CYCLE,
        purpose="gate",
        old_harness_id=SEED.harness_id,
        new_harness_id=HELD.harness_id,
        old_trajectory_id=None,
        new_trajectory_id=None,
        old_score=0.0,
        new_score=1.0,
        result="win",
        by_construction=False,
        e_value=1.0,
    )


def sealed(purpose, harness, successes):
    return EvaluationRow(
        evaluation_id=purpose,
        environment="sqldesk",
        model="simulated:weak",
        harness_id=harness.harness_id,
        split="sealed",
        purpose=purpose,
        cycle_id=CYCLE,
        round=None,
        tasks=10,
        successes=successes,
        faults=0,
        success=successes / 10,
        success_lo=0.0,
        success_hi=1.0,
        mean_steps=None,
        mean_prompt_tokens=None,
    )


def run_of(harness, talk):
    """A run of a harness that recorded its tools, hints included."""
    text = json.dumps(RECORDED)
    prompt = PromptRow(prompt_id=make_id("prm", text), kind="tools", text=text)
    row, _ = talk(1)
    values = {"harness_id": harness.harness_id, "origin": "rollout"}
    return [prompt, row.model_copy(update=values | {"tools_prompt_id": prompt.prompt_id})]


@pytest.fixture
def stored(fill, evolved, talk):
    promised = {"task_id": "sqldesk/a/1", "prediction": "fix", "forecaster": "editor"}
    kept = EditFollowUpRow(
        edit_id=EDIT,
        cycle_id=CYCLE,
        round=1,
        old_harness_id=SEED.harness_id,
        new_harness_id=HELD.harness_id,
        runs=12,
        observed_fixes=1,
        realised_fixes=1,
        unpredicted_losses=0,
        verdict="holds",
        is_reverted=False,
    )
    fill(
        [
            *harness_rows(SEED),
            *harness_rows(HELD),
            *evolved(SEED, [HELD], trial_id=TRIAL),
            *(pair(n) for n in range(12)),
            EditPredictionRow.model_validate({"edit_id": EDIT} | promised),
            kept,
            sealed("baseline", SEED, 3),
            sealed("final", HELD, 7),
            *run_of(HELD, talk),
        ]
    )


@pytest.fixture
def folder(tackroom, stored, tmp_path):
    out = tmp_path / "out"
    tackroom("harness", "export", HELD.harness_id, "--out", str(out))
    return out


@pytest.fixture
def verify(tackroom, tmp_path):
    """Checks a harness against tools; gives exit code and result."""

    def check(which, *tools):
        file = tmp_path / "tools.json"
        file.write_text(json.dumps({"tools": list(tools)}))
        ran = tackroom("harness", "verify", str(which), "--tools", str(file), "--json")
        return ran.code, ran.json

    return check


def test_the_card_tells_on_what_a_harness_was_accepted(tackroom, stored):
    card = EvidenceCard.model_validate(tackroom("harness", "card", HELD.harness_id, "--json").json)
    assert (card.status, card.simulated, card.cycle_ids) == ("accepted", True, (CYCLE,))
    (one,) = card.acceptances
    assert (one.wins, one.losses, one.ties, one.pairs, one.tasks) == (10, 0, 2, 12, 12)
    assert (one.e_value, one.threshold, one.environment_fingerprint) == (30, 20, "f1")
    assert (one.effect_points, one.effect_lo_points, one.effect_hi_points) == (10, 0, 20)
    assert (one.forecast.fixes, one.forecast.realised_fixes) == (1, 1)
    assert one.sealed_base is not None
    assert one.sealed_final is not None
    assert (one.sealed_base.success, one.sealed_final.success) == (0.3, 0.7)
    assert [(edit.layer, edit.artifact) for edit in one.edits] == [("contract", "Extra")]
    assert card.tools is not None
    assert list(card.tools) == ["execute_sql", "search"]


def test_a_harness_without_evidence_gets_a_card_that_says_so(tackroom, stored):
    card = EvidenceCard.model_validate(tackroom("harness", "card", SEED.harness_id, "--json").json)
    assert (card.status, card.acceptances, card.tools) == ("none", (), None)
    assert "no evidence" in tackroom("harness", "card", SEED.harness_id).out


def test_the_card_of_a_folder_is_the_one_that_was_exported(tackroom, folder):
    stored = tackroom("harness", "card", HELD.harness_id, "--json").json
    assert tackroom("harness", "card", str(folder), "--json").json == stored
    assert "+10.0 points (95 %: +0.0 to +20.0)" in tackroom("harness", "card", str(folder)).out


def test_a_card_that_was_changed_is_refused(tackroom, folder):
    card = folder / "evidence.json"
    card.write_text(card.read_text().replace('"losses": 0', '"losses": 1'))
    ran = tackroom("harness", "card", str(folder))
    assert (ran.code, ran.out, ran.err.count("\n")) == (2, "", 1)
    assert "evidence.json" in ran.err


def test_the_same_tools_pass_and_a_hint_of_the_harness_is_no_change(verify, folder):
    code, result = verify(folder, SQL, SEARCH)
    assert (code, result["verdict"], result["warnings"]) == (0, "same", [])
    assert verify(HELD.harness_id, SQL, SEARCH) == (code, result)


def test_a_tool_that_the_harness_names_may_not_be_gone_or_take_other_calls(verify, folder):
    code, result = verify(folder, SEARCH)
    assert (code, result["refused"]) == (1, ["execute_sql"])
    code, result = verify(folder, SQL | {"inputSchema": {"type": "object"}}, SEARCH)
    assert (code, result["refused"]) == (1, ["execute_sql"])
    assert result["tools"][0]["changes"] == ["parameter `query` was removed"]


def test_other_changes_warn(verify, folder):
    code, result = verify(folder, SQL | {"description": "Runs it."}, {"name": "new_tool"})
    assert (code, result["verdict"]) == (0, "warned")
    statuses = {one["tool"]: one["status"] for one in result["tools"]}
    assert statuses == {"execute_sql": "compatible", "new_tool": "new", "search": "gone"}


def test_without_evidence_of_tools_what_is_named_must_still_be_there(verify, tmp_path):
    HELD.save(tmp_path / "hand")
    code, result = verify(tmp_path / "hand", SQL)
    assert (code, result["verdict"], result["has_evidence"]) == (0, "warned", False)
    assert "not known" in result["warnings"][0]
    code, result = verify(tmp_path / "hand", SEARCH)
    assert (code, result["refused"]) == (1, ["execute_sql"])


def test_mistakes_are_one_line(tackroom, folder, tmp_path):
    (tmp_path / "odd.json").write_text('[{"type": "web_search"}]')
    (tmp_path / "no.json").write_text("tools")
    for which, file, words in (
        (folder, "none.json", "cannot read"),
        (folder, "odd.json", "tool 0 has no name"),
        (folder, "no.json", "is no JSON"),
        ("harn_0000", "odd.json", "harn_0000"),
    ):
        ran = tackroom("harness", "verify", str(which), "--tools", str(tmp_path / file))
        assert (ran.code, ran.out) == (2, ""), ran.err
        assert words in ran.err
        assert ran.err.count("\n") == 1
