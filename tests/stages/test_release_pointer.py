"""The pointer file: what it says, who may read it when, and what is no pointer."""

import json
import os
from datetime import UTC, datetime

import pytest

from schemas.errors import ConfigError
from schemas.ids import make_id
from schemas.releases import HarnessStateRow
from tasks.release_pointer import (
    PointerWatch,
    ReleasePointer,
    draft_file,
    pointer_file,
    publish_draft,
    read_pointer,
    write_draft,
)
from tasks.release_store import pointer_of_rows

A, B, C = (make_id("harn", name) for name in "abc")


def decisions(*steps):
    """Rows of steps such as ("promote", A, "released")."""
    return [
        HarnessStateRow(
            environment="sqldesk",
            ordinal=place,
            harness_id=harness,
            state=state,
            decision=decision,
            is_forced=False,
            reason="",
            created_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        for place, (decision, harness, state) in enumerate(steps)
    ]


def write(home, **parts):
    pointer = ReleasePointer("sqldesk", **parts)
    write_draft(home, pointer)
    publish_draft(home, "sqldesk")
    return pointer


def test_without_decisions_nothing_is_in_force(tmp_path):
    assert pointer_of_rows("sqldesk", []) == ReleasePointer("sqldesk")
    assert read_pointer(tmp_path, "sqldesk") == ReleasePointer("sqldesk")


def test_a_release_keeps_the_one_before_as_what_a_rollback_returns_to():
    rows = decisions(
        ("promote", A, "released"), ("promote", A, "retired"), ("promote", B, "released")
    )
    assert pointer_of_rows("sqldesk", rows) == ReleasePointer("sqldesk", B, A, None, 2)


def test_two_rollbacks_go_back_two_releases():
    rows = decisions(
        ("promote", A, "released"),
        ("promote", A, "retired"),
        ("promote", B, "released"),
        ("promote", B, "retired"),
        ("promote", C, "released"),
        ("rollback", C, "retired"),
        ("rollback", B, "released"),
    )
    assert pointer_of_rows("sqldesk", rows) == ReleasePointer("sqldesk", B, A, None, 6)
    more = decisions(
        *[(r.decision, r.harness_id, r.state) for r in rows],
        ("rollback", B, "retired"),
        ("rollback", A, "released"),
    )
    assert pointer_of_rows("sqldesk", more) == ReleasePointer("sqldesk", A, None, None, 8)


def test_a_release_made_again_is_no_rollback():
    rows = decisions(
        ("promote", A, "released"),
        ("promote", A, "retired"),
        ("promote", B, "released"),
        ("promote", B, "retired"),
        ("promote", A, "released"),
    )
    assert pointer_of_rows("sqldesk", rows).previous == B


def test_a_canary_that_is_released_or_retired_is_none_any_more():
    tried = ("promote", B, "canary")
    assert pointer_of_rows("sqldesk", decisions(tried)).canary == B
    assert pointer_of_rows("sqldesk", decisions(tried, ("promote", B, "released"))).canary is None
    assert pointer_of_rows("sqldesk", decisions(tried, ("rollback", B, "retired"))).canary is None


def test_what_is_written_is_read(tmp_path):
    pointer = write(tmp_path, released=A, previous=B, canary=C, ordinal=4)
    assert read_pointer(tmp_path, "sqldesk") == pointer
    assert sorted(one.name for one in (tmp_path / "releases").iterdir()) == ["sqldesk.json"]


def test_a_draft_is_not_in_force(tmp_path):
    write(tmp_path, released=A)
    write_draft(tmp_path, ReleasePointer("sqldesk", released=B))
    assert read_pointer(tmp_path, "sqldesk").released == A


def test_a_watch_sees_a_rollback_on_the_next_read(tmp_path):
    write(tmp_path, released=B, previous=A)
    watch = PointerWatch(tmp_path, "sqldesk")
    assert watch.read().released == B
    write(tmp_path, released=A)
    assert watch.read().released == A
    pointer_file(tmp_path, "sqldesk").unlink()
    assert watch.read().released is None


def test_a_watch_reads_the_file_only_when_it_changed(tmp_path):
    write(tmp_path, released=A)
    watch = PointerWatch(tmp_path, "sqldesk")
    before = watch.read()
    path = pointer_file(tmp_path, "sqldesk")
    state = path.stat()
    path.write_text(path.read_text().replace(A, B))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert watch.read() is before


def test_a_watch_has_a_draft_that_lies_there_mended(tmp_path):
    write_draft(tmp_path, ReleasePointer("sqldesk", released=B))
    watch = PointerWatch(tmp_path, "sqldesk", mend=lambda: publish_draft(tmp_path, "sqldesk"))
    assert watch.read().released == B
    assert not draft_file(tmp_path, "sqldesk").exists()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"environment": "sqldesk"}',
        json.dumps(vars(ReleasePointer("household"))),
        json.dumps(vars(ReleasePointer("sqldesk", released="../../etc"))),
        json.dumps(vars(ReleasePointer("sqldesk")) | {"ordinal": "x"}),
        "[" * 100_000,
    ],
)
def test_what_is_no_pointer_is_one_clear_error(tmp_path, text):
    path = pointer_file(tmp_path, "sqldesk")
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ConfigError, match=r"release pointer .*sqldesk\.json cannot be used"):
        read_pointer(tmp_path, "sqldesk")


@pytest.mark.parametrize("name", ["../up", "", "a/b", ".hidden", "x" * 101])
def test_an_environment_whose_name_is_no_file_name_has_no_pointer(tmp_path, name):
    with pytest.raises(ConfigError, match="no release can be kept"):
        pointer_file(tmp_path, name)
