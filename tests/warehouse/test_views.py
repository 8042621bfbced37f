import pytest

from schemas.ids import make_id
from schemas.trajectories import VerdictRow
from warehouse.store import Warehouse
from warehouse.views import views_of_release

VIEWS = {view.name: view for view in views_of_release()}


def records(store, query):
    with store.read() as reader:
        return reader.frame(query).to_dicts()


@pytest.fixture(scope="module")
def columns_of_empty(tmp_path_factory):
    """Columns of every view of an empty warehouse."""
    store = Warehouse(tmp_path_factory.mktemp("views") / "home")
    with store.read() as reader:
        return {
            name: reader.frame(f"SELECT * FROM {name}").columns  # noqa: S608
            for name in VIEWS
        }


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_runs_on_an_empty_warehouse(columns_of_empty, name):
    assert columns_of_empty[name]


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_every_view_says_what_it_shows(store, view):
    assert view.comment.endswith(".")
    with store.read() as reader:
        query = "SELECT comment FROM duckdb_views() WHERE view_name = ?"
        assert reader.scalar(query, [view.name]) == view.comment


def verdict(number, outcome, source="labels.json", **changes):
    return VerdictRow(
        trajectory_id=make_id("traj", number), source=source, outcome=outcome, **changes
    )


def test_later_verdicts_decide_only_what_the_checker_left_open(store, fill, make):
    fill(
        store,
        [
            make.trajectory(1, outcome="unknown"),
            verdict(1, "failure"),
            make.trajectory(2, outcome="success"),
            verdict(2, "failure"),
            make.trajectory(3, outcome="unknown"),
            verdict(3, "failure"),
            verdict(3, "success", source="production"),
            make.trajectory(4, outcome="unknown", fault="endpoint"),
            verdict(4, "success"),
            make.trajectory(5, outcome="failure"),
            verdict(5, "failure", disputed=True),
        ],
    )
    found = {
        row["trajectory_id"]: (row["outcome"], row["disputed"])
        for row in records(store, "SELECT * FROM trajectory_outcomes")
    }
    assert found == {
        make_id("traj", 1): ("failure", False),
        make_id("traj", 2): ("success", True),
        make_id("traj", 3): ("unknown", True),
        make_id("traj", 4): ("unknown", False),
        make_id("traj", 5): ("failure", True),
    }
    with store.read() as reader:
        ids = [make_id("traj", number) for number in (5, 4, 3, 1)]
        assert reader.undisputed(ids) == [make_id("traj", 4), make_id("traj", 1)]


def runs(make, task, outcomes, start, **changes):
    return [
        make.trajectory(start + i, task_id=task, repeat=i, outcome=outcome, **changes)
        for i, outcome in enumerate(outcomes)
    ]


def test_pass_k_is_the_chance_that_k_repeats_all_succeed(store, fill, make):
    rows = [
        *runs(make, "sqldesk/lookup/a", ["success", "success", "failure"], 0),
        *runs(make, "sqldesk/lookup/b", ["success", "success", "success"], 10),
    ]
    fill(store, rows)
    (row,) = records(store, "SELECT * FROM success_by_harness")
    assert (row["tasks"], row["runs"], row["successes"]) == (2, 6, 5)
    assert row["success"] == pytest.approx(5 / 6)
    assert row["pass_2"] == pytest.approx((1 / 3 + 1) / 2)
    assert row["pass_3"] == pytest.approx(0.5)
    assert row["pass_4"] is None


def test_pass_k_is_unknown_when_one_task_has_too_few_repeats(store, fill, make):
    rows = [
        *runs(make, "sqldesk/lookup/a", ["success"], 0),
        *runs(make, "sqldesk/lookup/b", ["success", "success"], 10),
    ]
    fill(store, rows)
    (row,) = records(store, "SELECT pass_1, pass_2 FROM success_by_harness")
    assert row == {"pass_1": 1.0, "pass_2": None}


def test_faults_and_forks_are_no_runs(store, fill, make):
    rows = [
        make.trajectory(1, outcome="unknown", fault="endpoint"),
        make.trajectory(2, arm="fork:x:0:none"),
    ]
    fill(store, rows)
    assert records(store, "SELECT * FROM success_by_harness") == []


def test_the_taxonomy_counts_labels_and_their_share(store, fill, make):
    rows = [make.trajectory(number, outcome="failure") for number in range(4)]
    labels = [make.label(number) for number in range(3)]
    residual = make.label(3, category="residual_reasoning", bullet="RR")
    fill(store, [*rows, *labels, residual])
    found = records(store, "SELECT bullet, failures, share FROM failure_taxonomy")
    assert found == [
        {"bullet": "AR1", "failures": 3, "share": 0.75},
        {"bullet": "RR", "failures": 1, "share": 0.25},
    ]


def test_task_pools_tell_solved_from_unsolved(store, fill, make):
    rows = [make.task(number) for number in range(4)]
    rows += [make.trajectory(0), make.trajectory(1, outcome="failure")]
    rows += [make.trajectory(2), make.trajectory(12, task_id="sqldesk/lookup/2", outcome="failure")]
    fill(store, rows)
    (pool,) = records(store, "SELECT * FROM task_pools")
    assert (pool["tasks"], pool["attempted"]) == (4, 3)
    assert (pool["always_solved"], pool["sometimes_solved"], pool["never_solved"]) == (1, 1, 1)


def test_the_effect_of_an_artifact_tells_runs_it_acted_in(store, fill, make):
    rows = [make.trajectory(1), make.trajectory(2, outcome="failure")]
    fill(store, [*rows, *make.harness("seed"), make.intervention(2, "seed")])
    (row,) = records(store, "SELECT * FROM artifact_effect")
    assert (row["runs_acted"], row["runs_idle"], row["interventions"]) == (1, 1, 1)
    assert (row["success_acted"], row["success_idle"]) == (0.0, 1.0)


def test_the_newest_event_of_a_stage_is_its_state(store, fill, make):
    later = make.event("collect").created_at.replace(hour=9)
    fill(store, [make.event("collect"), make.event("collect", state="done", created_at=later)])
    assert [row["state"] for row in records(store, "SELECT state FROM stage_states")] == ["done"]
