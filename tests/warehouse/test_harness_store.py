import pytest

from schemas.errors import ConfigError
from schemas.harness import HarnessNameRow
from schemas.ids import make_id
from warehouse.harness_store import harness_files, list_harnesses, next_ordinal, resolve_harness

A, B = make_id("harn", "a"), make_id("harn", "b")


@pytest.fixture
def reader(store, fill, make):
    moved = HarnessNameRow(
        environment="sqldesk",
        name="current",
        ordinal=1,
        harness_id=B,
        created_at=make.trajectory(1).created_at,
    )
    version, *files, _ = make.harness("b")
    fill(store, [*make.harness("a"), version, *files, moved, *make.harness("c", "household")])
    with store.read() as opened:
        yield opened


def test_files_are_read_by_id(reader):
    assert harness_files(reader, A) == {"actions.py": "# a\n"}


def test_files_of_an_unknown_harness_are_one_clear_error(reader):
    with pytest.raises(ConfigError, match="no harness"):
        harness_files(reader, make_id("harn", "z"))


@pytest.mark.parametrize("word", [A, A[:-4], A.removeprefix("harn_"), A.removeprefix("harn_")[:6]])
def test_an_id_or_the_start_of_one_is_resolved(reader, word):
    assert resolve_harness(reader, word) == A


def test_a_name_means_the_harness_it_was_set_to_last(reader):
    assert resolve_harness(reader, "current", environment="sqldesk") == B


def test_a_name_set_in_two_environments_needs_one(reader):
    with pytest.raises(ConfigError, match="household, sqldesk"):
        resolve_harness(reader, "current")


@pytest.mark.parametrize("word", ["", "harn_", "nothing", "%", "harn_zzzz"])
def test_an_unknown_word_is_one_clear_error(reader, word):
    with pytest.raises(ConfigError, match="no harness"):
        resolve_harness(reader, word)


def test_harnesses_are_listed_with_their_names(reader):
    listed = {row.harness_id: row.names for row in list_harnesses(reader, environment="sqldesk")}
    assert listed == {A: (), B: ("current",)}


def test_the_next_ordinal_of_a_name_follows_the_last(reader):
    assert next_ordinal(reader, environment="sqldesk", name="current") == 2
    assert next_ordinal(reader, environment="sqldesk", name="pinned") == 0
