"""`tackroom harness promote` and `rollback`: states, what production gets, and kills on the way."""

import json
import threading
from dataclasses import asdict
from datetime import UTC, datetime

import pytest

from schemas.releases import HarnessStateRow, ProductionVerdictRow
from tasks.harness import Harness
from tasks.harness_rows import harness_rows
from tasks.release_pointer import draft_file, pointer_file, read_pointer, write_draft
from tasks.release_store import follow_pointer, landing_stage, rebuild_pointer
from tasks.releases import promote
from tasks.workbench import Workbench, seed_harness

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DESK = ("--environment", "sqldesk")
pytestmark = [pytest.mark.slow]


def made(text):
    return seed_harness("sqldesk").put("contract", "Extra", text)


SEED = seed_harness("sqldesk")
A, B, C, DRAFT = (made(f"Text {name}.") for name in "abcd")


@pytest.fixture
def home(home, fill, evolved):
    """A data folder with three harnesses that the gate accepted, and one that it never saw."""
    stored = [row for one in (SEED, A, B, C, DRAFT) for row in harness_rows(one)]
    fill([*stored, *evolved(SEED, [A, B, C])])
    return home


@pytest.fixture
def command(tackroom, home):
    def call(*arguments):
        return tackroom("harness", *arguments)

    return call


@pytest.fixture
def released(command):
    """A, then B released; C the canary."""
    for harness, to in ((A, "released"), (B, "released"), (C, "canary")):
        assert command("promote", harness.harness_id, *DESK, "--to", to).code == 0


def states(command):
    listed = command("list", "--json").json["harnesses"]
    return {row["harness_id"]: row["state"] for row in listed}


def complains(ran, code, *words):
    assert ran.code == code, ran.err
    assert ran.out == ""
    assert ran.err.count("\n") == 1, ran.err
    for word in words:
        assert word in ran.err


def test_a_harness_is_draft_then_accepted_then_canary_then_released_then_retired(command):
    found = states(command)
    assert (found[DRAFT.harness_id], found[A.harness_id]) == ("draft", "accepted")
    first = command("promote", A.harness_id, *DESK, "--json").json
    assert (first["before"], first["state"], first["canary"]) == (
        "accepted",
        "canary",
        A.harness_id,
    )
    second = command("promote", A.harness_id, *DESK, "--json").json
    assert (second["state"], second["released"], second["canary"]) == (
        "released",
        A.harness_id,
        None,
    )
    command("promote", B.harness_id, *DESK, "--to", "released")
    found = states(command)
    assert (found[A.harness_id], found[B.harness_id]) == ("retired", "released")


def test_one_promoted_twice_is_done_already(command):
    command("promote", A.harness_id, *DESK, "--to", "released")
    again = command("promote", A.harness_id, *DESK, "--to", "released", "--json")
    assert (again.code, again.json["already_done"], again.json["ordinal"]) == (0, True, 0)


def test_what_the_gate_never_accepted_needs_force_and_a_reason(command):
    complains(command("promote", DRAFT.harness_id, *DESK), 1, "accepted no edit", "--force")
    complains(command("promote", DRAFT.harness_id, *DESK, "--force"), 2, "--reason")
    forced = ("--force", "--reason", "tried by hand")
    assert command("promote", DRAFT.harness_id, *DESK, *forced).code == 0
    shown = command("show", DRAFT.harness_id, "--json").json
    assert (shown["state"], shown["state_reason"]) == ("canary", "tried by hand")


def test_what_production_found_worse_needs_force(command, released, fill):
    look = {
        "verdict_id": "pver_1",
        "environment": "sqldesk",
        "treatment_harness_id": C.harness_id,
        "control_harness_id": B.harness_id,
        "alpha": 0.05,
        "outcome": "worse",
        "e_better": 0.1,
        "e_worse": 50,
        "threshold": 40,
        "treated": 100,
        "treated_successes": 40,
        "controls": 100,
        "control_successes": 70,
        "treated_unknown": 0,
        "control_unknown": 0,
        "difference": -0.3,
        "difference_lo": -0.5,
        "difference_hi": -0.1,
        "resolvable": 0.2,
        "created_at": NOW,
    }
    fill([ProductionVerdictRow.model_validate(look)])
    complains(command("promote", C.harness_id, *DESK), 1, "production found", "worse")
    forced = ("--force", "--reason", "it is cheaper")
    assert command("promote", C.harness_id, *DESK, *forced).code == 0


def test_a_rollback_returns_to_the_release_before_and_withdraws_the_canary(command, released):
    result = command("rollback", *DESK, "--reason", "worse", "--json").json
    assert result["released"] == A.harness_id
    assert (result["previous"], result["canary"]) == (None, None)
    assert result["retired"] == [C.harness_id, B.harness_id]
    found = states(command)
    assert [found[one.harness_id] for one in (A, B, C)] == ["released", "retired", "retired"]
    complains(command("rollback", *DESK), 1, "no earlier release", "is the first")


def test_a_canary_alone_can_be_withdrawn(command, released):
    result = command("rollback", *DESK, "--canary", "--json").json
    assert (result["released"], result["canary"]) == (B.harness_id, None)
    complains(command("rollback", *DESK, "--canary"), 1, "no canary")


def test_a_new_canary_retires_the_one_before(command, released):
    command("promote", A.harness_id, *DESK, "--to", "canary")
    found = states(command)
    assert (found[A.harness_id], found[C.harness_id]) == ("canary", "retired")


def test_mistakes_are_one_line(command, released):
    complains(command("promote", B.harness_id, *DESK, "--to", "canary"), 1, "is released")
    complains(command("promote", A.harness_id, "--environment", "household"), 2, "is for sqldesk")
    complains(command("promote", A.harness_id, *DESK, "--to", "draft"), 2, "canary or released")
    complains(command("promote", "harn_nothing", *DESK), 2, "harn_nothing")
    complains(command("rollback", "--environment", "house"), 1, "nothing is released")
    complains(command("rollback", "--environment", "../x"), 2, "no release can be kept")


def test_the_pointer_and_the_folders_are_what_a_proxy_needs(command, released, home):
    pointer = read_pointer(home, "sqldesk")
    assert asdict(pointer) == json.loads(pointer_file(home, "sqldesk").read_text())
    assert pointer.harness_ids == (B.harness_id, A.harness_id, C.harness_id)
    for harness_id in pointer.harness_ids:
        Harness.load(home / "releases" / harness_id, harness_id=harness_id)


def test_a_damaged_folder_and_a_lost_pointer_are_written_anew(command, released, home):
    (home / "releases" / B.harness_id / "contract.md").write_text("changed")
    before = read_pointer(home, "sqldesk")
    pointer_file(home, "sqldesk").unlink()
    assert rebuild_pointer(home, "sqldesk") == before
    Harness.load(home / "releases" / B.harness_id, harness_id=B.harness_id)


def land_rollback(home):
    """What a rollback has done when it is killed after landing its rows."""
    bench = Workbench.open()
    rows = [
        HarnessStateRow.model_validate(
            {
                "environment": "sqldesk",
                "ordinal": ordinal,
                "harness_id": harness.harness_id,
                "state": state,
                "decision": "rollback",
                "is_forced": False,
                "reason": "",
                "created_at": NOW,
            }
        )
        for ordinal, harness, state in ((4, C, "retired"), (5, B, "retired"), (6, A, "released"))
    ]
    bench.land(rows, landing_stage("sqldesk"))


def test_a_kill_after_landing_is_put_right_by_the_next_command(command, released, home):
    land_rollback(home)
    complains(command("rollback", *DESK), 1, "no earlier release")
    assert read_pointer(home, "sqldesk").released == A.harness_id


def test_a_kill_after_landing_is_put_right_by_a_running_proxy(command, released, home):
    watch = follow_pointer(home, "sqldesk")
    before = watch.read()
    assert before.released == B.harness_id
    write_draft(home, type(before)("sqldesk", A.harness_id, None, None, 6))
    land_rollback(home)
    assert watch.read().released == A.harness_id
    assert not draft_file(home, "sqldesk").exists()


def test_a_kill_before_landing_leaves_what_was_in_force(command, released, home):
    watch = follow_pointer(home, "sqldesk")
    before = watch.read()
    write_draft(home, type(before)("sqldesk", A.harness_id, None, None, 6))
    assert watch.read() == before
    assert not draft_file(home, "sqldesk").exists()


def test_promotions_at_once_happen_one_after_another(home):
    threads = [
        threading.Thread(target=promote, args=(one.harness_id, "sqldesk", "released"))
        for one in (A, B, C)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with Workbench.open().warehouse.read() as reader:
        rows = reader.rows(HarnessStateRow)
    assert [row.ordinal for row in rows] == list(range(5))
    pointer = read_pointer(home, "sqldesk")
    assert pointer == rebuild_pointer(home, "sqldesk")
    assert pointer.ordinal == 4
    assert pointer.previous is not None
