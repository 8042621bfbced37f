import pytest

from schemas.tables import TABLES
from warehouse.digest import table_digests
from warehouse.store import Warehouse


@pytest.fixture
def digest_of(tmp_path, fill):
    """Digests of a fresh warehouse that holds rows."""
    homes = iter(range(100))

    def digest(rows):
        store = Warehouse(tmp_path / str(next(homes)))
        fill(store, rows)
        with store.read() as reader:
            return table_digests(reader)

    return digest


def test_every_table_that_counts_has_a_digest(digest_of):
    assert set(digest_of([])) == {name for name, table in TABLES.items() if table.in_digest}


def test_the_order_of_landing_does_not_show(digest_of, make):
    rows = [*make.episode(1), *make.episode(2)]
    assert digest_of(rows) == digest_of(rows[::-1])


def test_volatile_fields_do_not_show(digest_of, make):
    rows = make.episode(1)
    later = [rows[0], rows[1], rows[2].model_copy(update={"latency_s": 3.0}), *rows[3:]]
    assert digest_of(rows) == digest_of(later)


@pytest.mark.parametrize(
    "changes",
    [{"text": "other"}, {"text": None}, {"text": ""}, {"forced": True}, {"prompt_tokens": 0}],
)
def test_any_other_change_shows_in_its_table_only(digest_of, make, changes):
    rows = make.episode(1)
    other = [*rows[:2], rows[2].model_copy(update=changes), *rows[3:]]
    before, after = digest_of(rows), digest_of(other)
    assert {name for name in before if before[name] != after[name]} == {"steps"}


def test_text_moved_between_rows_shows(digest_of, make):
    rows = make.episode(1)
    split, joined = list(rows), list(rows)
    split[2], split[4] = (rows[i].model_copy(update={"text": t}) for i, t in ((2, "a"), (4, "bc")))
    joined[2], joined[4] = (
        rows[i].model_copy(update={"text": t}) for i, t in ((2, "ab"), (4, "c"))
    )
    assert digest_of(split)["steps"] != digest_of(joined)["steps"]


def test_zero_and_negative_zero_are_one_number(digest_of, make):
    negative = digest_of([make.trajectory(1, reward=-0.0)])
    assert negative == digest_of([make.trajectory(1, reward=0.0)])
