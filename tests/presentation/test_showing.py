"""`show` and `report` over a warehouse: what an id means, what is read, what is written."""

import json
import re
from dataclasses import replace

import pytest

from deployments.cli import run
from schemas.errors import ConfigError
from schemas.evaluation import EvaluationRow
from schemas.ids import make_id
from tasks.report_page import write_report
from tasks.showing import show_html, show_text


@pytest.fixture
def rows(build):
    """A cycle with one edit tried on one won and one lost pair."""
    old = build.episode("old", texts=("same", "wrong"))
    new = build.episode("new", texts=("same", "right"), outcome="success", termination="finished")
    links = [
        build.use(cycle_id=build.cycle_id, trajectory_id=old.trajectory_id, purpose="train:1"),
        build.use(cycle_id=build.cycle_id, trajectory_id=new.trajectory_id, purpose="gate"),
    ]
    trial = [build.pair(1, "win", old, new), build.pair(2, "loss", new, old)]
    return [
        build.cycle(),
        build.edit(),
        build.decision(),
        build.replay(),
        build.label(old),
        *build.rows(old),
        *build.rows(new),
        *links,
        *trial,
    ]


def score(build, purpose, number, success, **changes):
    values = {
        "evaluation_id": f"{purpose}{number}",
        "environment": "sqldesk",
        "model": "simulated:weak",
        "harness_id": make_id("harn", purpose),
        "split": "train" if purpose.startswith("train") else "sealed",
        "purpose": purpose,
        "cycle_id": build.cycle_id,
        "round": number,
        "tasks": 120,
        "successes": success * 120,
        "faults": 0,
        "success": success,
        "success_lo": max(0.0, success - 0.1),
        "success_hi": min(1.0, success + 0.1),
        "mean_steps": 5.5,
        "mean_prompt_tokens": 2000.0,
    }
    return EvaluationRow.model_validate(values | changes)


def test_the_start_of_an_id_is_enough(build, fill_home, rows):
    fill_home(rows)
    assert show_text(build.edit_id[:9]).startswith(build.edit_id)


def test_an_edit_is_shown_with_the_pairs_of_its_trial(build, fill_home, rows):
    fill_home(rows)
    text = show_text(build.edit_id)
    assert "Lost pairs (1)" in text
    assert "Won pairs (1)" in text
    assert "SELECT right" in text


def test_no_pairs_are_shown_when_none_are_wanted(build, fill_home, rows):
    fill_home(rows)
    text = show_text(build.edit_id, pairs=0)
    assert "1 more are not shown" in text
    assert "SELECT right" not in text


def test_a_trajectory_is_shown_with_its_label(build, fill_home, rows):
    fill_home(rows)
    assert "◆ label EC3" in show_text(make_id("traj", "old"))


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("traj_", "start of several"),
        ("traj_0000000000000000", "there is no trajectory, edit or evaluation"),
        ("", "is not the id"),
        ("'; DROP TABLE steps; --", "is not the id"),
        ("traj_\x1b[2J", "is not the id"),
        (make_id("cyc", 1), "tackroom report"),
        (make_id("harn", 1), "tackroom harness show"),
    ],
)
def test_a_word_that_means_nothing_is_one_clear_error(fill_home, rows, word, said):
    fill_home(rows)
    with pytest.raises(ConfigError, match=re.escape(said)) as error:
        show_text(word)
    assert error.value.exit_code == 2


def test_a_page_replaces_the_file_whole_and_leaves_nothing_beside_it(
    build, fill_home, rows, tmp_path
):
    fill_home(rows)
    path = tmp_path / "pages" / "edit.html"
    path.parent.mkdir()
    path.write_text("old")
    show_html(build.edit_id, path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert [file.name for file in path.parent.iterdir()] == ["edit.html"]


def test_a_folder_or_a_missing_folder_is_refused(build, fill_home, rows, tmp_path):
    fill_home(rows)
    with pytest.raises(ConfigError, match="is a folder"):
        show_html(build.edit_id, tmp_path)
    with pytest.raises(OSError, match=r"page\.html"):
        show_html(build.edit_id, tmp_path / "nowhere" / "page.html")


def finished(build, rows):
    event = build.event(
        cycle_id=build.cycle_id,
        stage="close_cycle:x",
        state="done",
        detail="{}",
        created_at=build.now,
    )
    scores = [score(build, "baseline", None, 1 / 3), score(build, "train:1", 1, 0.25)]
    return [*rows, event, *scores, score(build, "final", None, 0.6175)]


def test_a_report_shows_success_failures_edits_and_cost(build, fill_home, rows, tmp_path):
    fill_home(finished(build, rows))
    result = write_report("", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert result["finished"]
    assert result["cycle_id"] == build.cycle_id
    assert result["bytes"] == len(page.encode())
    for part in (
        "33.3 %",
        "61.8 %",
        "9 / 1 / 50",
        "186.1",
        "EC3",
        "Benefit has not been diagnosed",
    ):
        assert part in page
    assert page.count("<svg viewBox") >= 2
    assert "unfinished" not in page


def test_every_table_has_a_caption_and_every_picture_words(build, fill_home, rows, tmp_path):
    fill_home(finished(build, rows))
    write_report(build.cycle_id, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<table>") == page.count("<caption>")
    assert page.count('role="img"') == page.count("<figure>") > 0
    assert "<script" not in page
    assert "http" not in re.sub(r"http-equiv", "", page)


def test_numbers_of_a_simulated_model_are_called_so_in_every_caption(
    build, fill_home, rows, tmp_path
):
    fill_home(finished(build, rows))
    write_report(build.cycle_id, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    captions = re.findall(r"<caption>(.*?)</caption>|<figcaption>(.*?)\n", page)
    without = [one or two for one, two in captions if "simulated" not in (one or two)]
    assert without == ["Stages"]


def test_an_unfinished_cycle_is_reported_as_far_as_it_got(build, fill_home, tmp_path):
    fill_home([build.cycle()])
    result = write_report(build.cycle_id[:8], tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert not result["finished"]
    assert "This cycle has not come to its end: no stage is done." in page
    assert "No edit was proposed." in page


def test_a_cycle_over_imports_has_no_benefit_and_names_its_files(build, fill_home, tmp_path):
    episode = build.episode(origin="import", model="gpt-4o")
    source = build.source(
        trajectory_id=episode.trajectory_id,
        source_file="airline.json",
        source_index=0,
        raw_sha256="x",
        source_format="tau_bench",
    )
    cycle = build.cycle(model="imported", reference="imported", inputs='{"kind":"imports"}')
    use = build.use(
        cycle_id=cycle.cycle_id, trajectory_id=episode.trajectory_id, purpose="imported"
    )
    fill_home([cycle, use, *build.rows(replace(episode, sources=(source,))), build.label(episode)])
    result = write_report("", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert result["finished"]
    assert not result["simulated"]
    assert "airline.json" in page
    assert "EC3" in page
    assert "<h2>Benefit</h2>" not in page


@pytest.mark.parametrize("word", ["cyc_ffffffffffffffff", "nonsense", "%"])
def test_an_unknown_cycle_is_one_clear_error(build, fill_home, tmp_path, word):
    fill_home([build.cycle()])
    with pytest.raises(ConfigError, match=r"there is no cycle|is not the id of a stored cycle"):
        write_report(word, tmp_path / "report.html")
    assert not (tmp_path / "report.html").exists()


def test_a_warehouse_without_cycles_says_what_to_do(fill_home, tmp_path):
    fill_home([])
    with pytest.raises(ConfigError, match="there is no cycle yet"):
        write_report("", tmp_path / "report.html")


def test_a_hostile_environment_name_stays_text_in_a_report(build, fill_home, tmp_path):
    evil = '<script>x</script>"\x1b[2J'
    fill_home([build.cycle(environment=evil, editor=evil)])
    write_report("", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert "\x1b" not in page


@pytest.fixture
def shown(build, fill_home, rows, capsys):
    """What `show ... --json` prints."""
    fill_home(rows)

    def show(*arguments):
        assert run(["show", *arguments, "--json"]) == 0
        printed = capsys.readouterr().out
        assert printed.count("\n") == 1
        return json.loads(printed)

    return show


def test_a_trajectory_as_json_holds_every_row_of_it_uncut(build, shown):
    episode = build.episode("old", texts=("same", "wrong"))
    record = shown(episode.trajectory_id[:12])
    assert record["kind"] == "trajectory"
    assert record["id"] == episode.trajectory_id
    assert record["simulated"] is True
    assert record["trajectory"] == episode.trajectory.model_dump(mode="json")
    assert [step["text"] for step in record["steps"]] == ["same", "wrong"]
    assert [call["tool"] for call in record["calls"]] == ["execute_sql", "execute_sql"]
    assert [label["bullet"] for label in record["labels"]] == ["EC3"]
    assert [use["purpose"] for use in record["uses"]] == ["train:1"]
    assert record["task"] == "the task of old"


def test_an_edit_as_json_holds_its_verdict_and_all_pairs(build, shown):
    record = shown(build.edit_id)
    assert record["kind"] == "edit"
    assert record["edit"]["diff"] == build.edit().diff
    assert record["decision"]["verdict"] == "accepted"
    assert record["results"] == {"loss": 1, "win": 1}
    assert [pair["result"] for pair in record["pairs"]] == ["win", "loss"]
    assert record["replays"][0]["fires_on_failures"] == 8
    assert shown(build.edit_id, "--pairs", "0")["pairs"] == []


def test_an_edit_that_waits_for_its_verdict_is_json_too(build, fill_home, capsys):
    fill_home([build.cycle(), build.edit()])
    assert run(["show", build.edit_id, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["decision"] is None
    assert record["pairs"] == []


def test_a_page_and_json_name_the_file(build, fill_home, rows, tmp_path, capsys):
    fill_home(rows)
    page = tmp_path / "edit.html"
    assert run(["show", build.edit_id, "--html", str(page), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(page)}
    assert page.exists()
