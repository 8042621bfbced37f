"""Mistakes in a world's files: one line that says what, where and what to do."""

import json

import pytest

from schemas.errors import ConfigError
from schemas.settings import Settings
from tasks.environments.declared.environment import open_folder
from tasks.environments.declared.openapi import read_openapi
from tasks.environments.declared.task_file import read_tasks

ROW = {"task_id": "a", "family": "f", "text": "t", "order_id": "W1000", "expected": "{}"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"top": "nam = 1"}, "`nam`: there is no such key"),
        ({"top": "step_budget = 0"}, "`step_budget`"),
        ({"top": "is_forkable = true", "reset": ""}, "is_forkable needs a [reset]"),
        ({"top": 'finish_tool = "get_order"'}, "the name of the tool that ends an episode"),
        ({"service": 'reads = ["nope"]'}, "`reads` names the tool 'nope'"),
        ({"top": 'order_constraints = [["look", "finish"]]'}, "names the tool 'look'"),
        ({"reset": "[reset]\nrestart = true"}, "can be restarted"),
        ({"reset": '[reset]\nurl = "/r"\ncommand = "x"'}, "one of url, command and restart"),
        ({"verdict": 'by = "guess"'}, "`verdict`"),
        ({"verdict": 'by = "state"\nlook = "POST /orders"'}, "write `GET /path`"),
        ({"verdict": 'by = "state"\nlook = "GET /x/{nope}"'}, "no column `nope`"),
        ({"verdict": 'by = "state"'}, "nothing says where to look"),
        ({"verdict": 'by = "python"\nfunction = "no.py:f"'}, "there is no no.py"),
        ({"verdict": 'by = "judge"'}, "needs a judge behind an endpoint"),
        ({"url": "ftp://x"}, "`service.base_url`"),
        ({"rows": []}, "holds no task"),
        ({"rows": [{**ROW, "expected": "", "answer": ""}]}, "neither `expected` nor `answer`"),
    ],
)
def test_a_mistake_is_told(make_folder, changes, said):
    with pytest.raises(ConfigError) as caught:
        open_folder(make_folder(**changes), Settings())
    assert said in str(caught.value)
    assert caught.value.hint


def test_bad_rows_are_named_with_their_lines(tmp_path):
    path = tmp_path / "tasks.csv"
    lines = ["task_id,text,split,expected", "a,one,train,{}", ",two,train,", "b,,train,"]
    lines += ["c,three,tst,", "a,four,train,", "d,five,train,{", "e,six", "", "f,ok,sealed,[1]"]
    path.write_text("\n".join(lines))
    with pytest.raises(ConfigError) as caught:
        read_tasks(path, "w")
    text = str(caught.value)
    for line, said in ((3, "no `task_id`"), (4, "no `text`"), (5, "the split 'tst'")):
        assert f"line {line}: {said}" in text
    assert "line 6: task 'w/all/a' stands in line 2 already" in text
    assert "line 7: `expected` is no JSON" in text
    assert "and 1 more" in text


def test_rows_of_jsonl_are_named_as_well(tmp_path):
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"task_id": "a", "text": "t"}\n\n[1]\n{"task_id"\n')
    with pytest.raises(ConfigError, match=r"line 3: no JSON object; line 4: no JSON"):
        read_tasks(path, "w")


def test_splits_are_kept_or_drawn_40_40_20_within_a_family(tmp_path):
    path = tmp_path / "tasks.jsonl"
    rows = [{"task_id": f"{n}", "text": f"t{n}", "family": f"f{n % 2}"} for n in range(100)]
    rows.append({"task_id": "w/own/1", "text": "mine", "split": "sealed"})
    path.write_text("\n".join(map(json.dumps, rows)))
    posed = read_tasks(path, "w")
    counts = {
        (family, split): sum(p.task.family == family and p.task.split == split for p in posed)
        for family in ("f0", "own")
        for split in ("train", "select", "sealed")
    }
    assert counts["f0", "train"] == counts["f0", "select"] == 20
    assert counts["f0", "sealed"] == 10
    assert counts["own", "sealed"] == 1
    assert posed[0].task.task_id == "w/f0/0"


def document(**changes):
    return {"openapi": "3.1.0", "paths": {}} | changes


def write(tmp_path, value):
    path = tmp_path / "openapi.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("{", "neither JSON nor YAML"),
        ({"swagger": "2.0"}, "no OpenAPI 3 document"),
        (document(), "no operation that can be a tool"),
        (document(paths={"/a": {"get": {"parameters": [{"$ref": "#/no"}]}}}), "leads nowhere"),
        (document(paths={"/a": {"get": {"parameters": [{"$ref": "x#/y"}]}}}), "leads out"),
        (
            document(paths={"/a": {"get": {"operationId": "x"}, "put": {"operationId": "x"}}}),
            "two operations are called 'x'",
        ),
    ],
)
def test_a_document_that_cannot_be_used_is_told(tmp_path, value, said):
    with pytest.raises(ConfigError) as caught:
        read_openapi(write(tmp_path, value))
    assert said in str(caught.value)
