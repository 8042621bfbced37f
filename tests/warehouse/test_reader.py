import pytest

from schemas.errors import DataContractError, WarehouseError
from schemas.ids import make_id
from schemas.trajectories import StepRow, TrajectoryRow


@pytest.fixture
def reader(store, fill, make):
    rows = [row for number in (3, 1, 2) for row in make.episode(number)]
    fill(store, [*rows, make.intervention(2, "x")])
    with store.read() as opened:
        yield opened


def test_rows_come_as_they_were_landed_in_the_order_of_the_key(reader, make):
    rows = reader.rows(TrajectoryRow)
    assert rows == sorted(map(make.trajectory, (1, 2, 3)), key=lambda row: row.trajectory_id)


def test_rows_can_be_filtered_with_bound_parameters(reader):
    rows = reader.rows(StepRow, "trajectory_id = ? AND step_index > ?", [make_id("traj", 2), 0])
    assert [row.text for row in rows] == ["step 1 of 2"]


def test_episodes_come_whole_and_in_the_order_asked_for(reader):
    wanted = [make_id("traj", number) for number in (2, 3, 1)]
    episodes = reader.episodes(wanted)
    assert [episode.trajectory_id for episode in episodes] == wanted
    assert [episode.task_text for episode in episodes] == ["task 2", "task 3", "task 1"]
    assert [len(episode.steps) for episode in episodes] == [2, 2, 2]
    assert [call.step_index for call in episodes[0].calls] == [0, 1]
    assert [len(episode.interventions) for episode in episodes] == [1, 0, 0]


def test_no_ids_give_no_episodes(reader):
    assert reader.episodes([]) == []


def test_an_episode_that_is_not_stored_is_named(reader):
    with pytest.raises(DataContractError, match=make_id("traj", 9)):
        reader.episodes([make_id("traj", 1), make_id("traj", 9)])


def test_existing_ids_are_told_from_others(reader):
    ids = [make_id("traj", 1), make_id("traj", 9)]
    assert reader.existing(TrajectoryRow, ids) == {make_id("traj", 1)}
    assert reader.existing(StepRow, ids) == {make_id("traj", 1)}


def test_a_query_gives_a_frame(reader):
    frame = reader.frame("SELECT count(*) AS n FROM steps WHERE step_index = ?", [0])
    assert frame.to_dicts() == [{"n": 3}]


def test_a_scalar_without_a_row_is_none(reader):
    assert reader.scalar("SELECT steps FROM trajectories WHERE seed = ?", [99]) is None


def test_a_wrong_query_is_one_clear_error(reader):
    with pytest.raises(WarehouseError, match="the query 'SELECT nothing' failed"):
        reader.frame("SELECT nothing")
