"""`tackroom harness inventory`: what edits brought into accepted harnesses."""

from tasks.harness import Harness
from tasks.harness_rows import harness_rows


def harness(*titles):
    contract = "".join(f"## {title}\n\nText of {title}.\n\n" for title in titles)
    return Harness.from_files(
        {
            "harness.yaml": "api: 1\nenvironment: desk\n",
            "contract.md": contract,
            "actions.py": "",
            "regulation.py": "",
        }
    )


def test_only_what_an_accepted_edit_brought_is_listed_with_its_evidence(tackroom, fill, evolved):
    base, child, draft = harness("Old"), harness("Old", "Extra"), harness("Old", "Never")
    rows = [row for one in (base, child, draft) for row in harness_rows(one)]
    fill([*rows, *evolved(base, [child])])
    found = tackroom("harness", "inventory", "--json").json
    assert found["counts"] == {"desk": {"contract": 1, "skills": 0, "actions": 0, "regulation": 0}}
    (component,) = found["components"]
    assert (component["artifact"], component["states"]) == ("Extra", "accepted")
    assert (component["wins"], component["e_value"], component["accepted_edits"]) == (10, 30.0, 1)
    assert "Extra" in tackroom("harness", "inventory").out


def test_a_component_of_several_harnesses_counts_them(tackroom, fill, evolved):
    base = harness("Old")
    children = [harness("Old", "Extra"), harness("Old", "Extra", "More")]
    rows = [row for one in (base, *children) for row in harness_rows(one)]
    fill([*rows, *evolved(base, children)])
    found = tackroom("harness", "inventory", "--environment", "desk", "--json").json
    assert {row["artifact"]: row["harnesses"] for row in found["components"]} == {
        "Extra": 2,
        "More": 1,
    }


def test_without_an_accepted_harness_there_is_nothing_and_no_error(tackroom):
    result = tackroom("harness", "inventory")
    assert result.code == 0
    assert result.out.startswith("no accepted harness holds an evolved component")
    found = tackroom("harness", "inventory", "--json").json
    assert (found["counts"], found["components"]) == ({}, [])


def test_harnesses_that_ship_are_listed_and_taken_out_with_their_evidence(tackroom, tmp_path):
    shipped = tackroom("harness", "inventory", "--environment", "bfcl_base", "--json").json
    [row] = shipped["shipped"]
    assert row["sealed_final"] > row["sealed_base"]
    assert row["harness_id"] in tackroom("harness", "inventory").out
    words = ["--environment", "bfcl_base", "--out", str(tmp_path / "out"), "--json"]
    exported = tackroom("harness", "export", "evolved", *words).json
    assert (exported["harness_id"], exported["evidence"]) == (row["harness_id"], "accepted")
