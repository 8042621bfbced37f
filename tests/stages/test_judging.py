"""A judge beside the rules: its labels are checked, kept apart, and never asked for twice.

The judge is a program behind a loopback endpoint, so what it says shows nothing about any model.
"""

import json

import pytest

from schemas.errors import CapReached, ConfigError, ModelFault
from schemas.forms import CollectForm
from schemas.trajectory_forms import AgreementForm, AnnotateForm
from tasks.agreement import measure_stored
from tasks.annotation import annotate_stored
from tasks.collection import collect_split
from tasks.judging import judge_failures, open_judge
from tasks.workbench import Workbench

pytestmark = pytest.mark.gx
WORD = "openai:scripted"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A data folder with a few failures."""
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path))
    collect_split(CollectForm(environment="sqldesk", model="simulated:weak", tasks=9))
    return tmp_path


@pytest.fixture
def judge(home, scripted_endpoint, monkeypatch):
    """Starts a judge; gives the cases it was asked about."""

    def start(says):
        asked = []

        def script(body):
            case = json.loads(body["messages"][1]["content"])
            asked.append(body["messages"])
            return says(case, len(body["messages"]))

        for name, value in scripted_endpoint(script).items():
            monkeypatch.setenv(name, value)
        return asked

    return start


def honest(case, _):
    """Blames the last step that shows anything, with its own words."""
    step = [one for one in case["steps"] if one["role"] == "assistant"][-1]
    words = step.get("text") or step["calls"][0]["result"] or step["calls"][0]["arguments"]
    said = {"bullet": "RR", "step": step["step"], "quote": words[:200], "why": "wrong value"}
    return f"Let me see {{}}.\n```json\n{json.dumps(said)}\n```"


def labels():
    with Workbench.open().warehouse.read() as reader:
        return reader.frame(
            "SELECT * FROM failure_labels ORDER BY source, trajectory_id"
        ).to_dicts()


def judged(result):
    return result["environments"][0]["judge"]


def test_labels_of_a_judge_stand_beside_those_of_the_rules(judge):
    asked = judge(honest)
    result = annotate_stored(AnnotateForm(judge=WORD))
    by_rules = [row for row in labels() if row["source"] == "rules"]
    by_judge = [row for row in labels() if row["source"].startswith("judge:model_")]
    assert (
        len(by_judge) == len(by_rules) == len(asked) == sum(judged(result)["labels"].values()) > 0
    )
    assert [row["trajectory_id"] for row in by_judge] == [row["trajectory_id"] for row in by_rules]
    for row in by_judge:
        assert (row["bullet"], row["category"], row["rule"]) == ("RR", "residual_reasoning", WORD)
        assert json.loads(row["evidence"])["quote"]
    assert annotate_stored(AnnotateForm(judge=WORD))["already_judged"] == len(by_judge)
    assert len(asked) == len(by_judge)
    found = measure_stored(AgreementForm(source="judge"))
    assert found["items"] == len(by_judge)
    assert {row["given"] for row in found["confusion"]} == {"residual_reasoning"}


def test_what_a_killed_run_had_landed_is_not_asked_for_again(judge):
    asked = judge(honest)
    bench = Workbench.open()
    with bench.warehouse.read() as reader:
        rows = reader.frame("SELECT trajectory_id FROM trajectories ORDER BY ALL").rows()
        episodes = reader.episodes([str(row[0]) for row in rows])
    judge_failures(bench, open_judge(bench, WORD, use_gold=True), episodes)
    before = len(asked)
    result = annotate_stored(AnnotateForm(judge=WORD))
    assert len(asked) == before == result["already_judged"] > 0
    assert result["judge_labels"] == result["unlabelled"] == {}


def test_what_is_not_in_the_run_is_asked_again_and_then_left_unlabelled(judge):
    def invents(case, turns):
        said = {"bullet": "EC2", "step": case["steps"][-1]["step"], "quote": "nobody wrote this"}
        return json.dumps(said) if turns == 2 else "I cannot tell."

    asked = judge(invents)
    result = annotate_stored(AnnotateForm(judge=WORD))
    assert judged(result)["labels"] == {}
    (count,) = judged(result)["unlabelled"].values()
    assert len(asked) == 2 * count
    assert (result["judge_labels"], sum(result["unlabelled"].values())) == ({}, count)
    assert "`quote` must be copied from step" in asked[-1][-1]["content"]
    assert not any(row["source"] != "rules" for row in labels())


def test_gold_is_shown_only_where_it_may_be_and_no_model_is_named(judge):
    asked = judge(honest)
    annotate_stored(AnnotateForm(judge=WORD))
    with_gold = [json.loads(messages[1]["content"]) for messages in asked]
    asked.clear()
    annotate_stored(AnnotateForm(judge=WORD, use_gold=False))
    without = [json.loads(messages[1]["content"]) for messages in asked]
    assert any("expected" in case for case in with_gold)
    assert not any("expected" in case for case in without)
    assert "simulated" not in json.dumps(with_gold)
    versions = {row["taxonomy_version"] for row in labels() if row["source"] != "rules"}
    assert versions == {"1.0", "1.0-no-gold"}


def test_a_cap_stops_the_judge_and_keeps_what_it_said(judge):
    judge(honest)
    with pytest.raises(CapReached):
        annotate_stored(AnnotateForm(judge=WORD, max_tokens=6_500, concurrency=1))
    kept = [row for row in labels() if row["source"] != "rules"]
    assert 0 < len(kept) < sum(row["source"] == "rules" for row in labels())


def test_a_judge_that_is_not_there_is_one_clear_error(home, monkeypatch):
    with pytest.raises(ConfigError, match="nosuch"):
        annotate_stored(AnnotateForm(judge="openai:nosuch"))
    monkeypatch.setenv("TACKROOM_MODELS__GONE__BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TACKROOM_MODELS__GONE__MODEL", "gone")
    monkeypatch.setenv("TACKROOM_MODELS__GONE__LIMITS", '{"max_retries": 0}')
    with pytest.raises(ModelFault, match="not usable"):
        annotate_stored(AnnotateForm(judge="openai:gone"))
    assert {row["source"] for row in labels()} == {"rules"}


def test_agreement_with_a_file_names_what_it_cannot_find(home, tmp_path):
    annotate_stored(AnnotateForm())
    first, second, *_ = labels()
    file = tmp_path / "mine.csv"
    file.write_text(
        "key,bullet,step\n"
        f"{first['trajectory_id']},{first['bullet']}|RR,{first['step_index']}\n"
        f"{second['trajectory_id']},NA,\n"
        "elsewhere.json#3,RR,1\n"
    )
    found = measure_stored(AgreementForm(reference=str(file)))
    assert (found["items"], found["unmatched"]) == (2, ["elsewhere.json#3"])
    assert found["category_share"] == 0.5
    assert [row["key"] for row in found["disagreements"]] == [second["trajectory_id"]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "holds no labels"),
        ('{"key": "a#1", "bullet": "XY"}', "line 1 has the bullet 'XY'"),
        ('{"bullet": "RR"}', "line 1 has no `key`"),
        ('{"key": "a#1", "category": "odd"}', "line 1 has the category 'odd'"),
        ('{"key": "a#1", "bullet": "RR", "step": -1}', "line 1 has the step '-1'"),
        ('{"key": "a#1"\n', "line 1 is no JSON object"),
    ],
)
def test_a_reference_that_is_none_is_said_with_its_line(tmp_path, monkeypatch, text, said):
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    file = tmp_path / "labels.jsonl"
    file.write_text(text)
    from tasks.annotator.reference_file import read_reference

    with pytest.raises(ConfigError, match=said):
        read_reference(file)


def test_labels_that_are_not_there_are_said_to_be(home):
    with pytest.raises(ConfigError, match="no labels of the source `judge`"):
        measure_stored(AgreementForm(source="judge"))
    with pytest.raises(ConfigError, match="no labels of the source `rules`"):
        measure_stored(AgreementForm(reference=__file__))
