"""The import as a user starts it: folders, pipes, files of verdicts, exit codes."""

import io
import json
import sys

import pytest

from deployments.cli import run

pytestmark = [pytest.mark.gx, pytest.mark.slow, pytest.mark.timeout(600)]


def turns(name, answer="Done."):
    return [{"role": "user", "content": name}, {"role": "assistant", "content": answer}]


@pytest.fixture
def say(tmp_path, monkeypatch, capsys):
    """Run one command against one data folder; give exit code, result and stderr."""
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))

    def run_one(*arguments, piped=None):
        if piped is not None:
            held = io.TextIOWrapper(io.BytesIO(piped.encode()))
            monkeypatch.setattr(sys, "stdin", held)
        code = run([*map(str, arguments), "--json"])
        captured = capsys.readouterr()
        return code, json.loads(captured.out) if captured.out else None, captured.err

    return run_one


def test_verdicts_of_a_report_reach_the_episodes_of_the_import_alone(say, write, tmp_path):
    def mini(name):
        info = {"exit_status": "Submitted", "mini_version": "2"}
        return {"instance_id": name, "info": info, "messages": turns(name)}

    for name in ("a__a-1", "b__b-2", "c__c-3"):
        write(mini(name), f"runs/{name}/{name}.traj.json")
    write({"name": "settings"}, "runs/settings.json")
    report = {"resolved_ids": ["a__a-1"], "unresolved_ids": ["b__b-2", "z__z-9"]}
    labels = write(json.dumps(report, indent=1), "report.json")
    code, result, _ = say("import", tmp_path / "runs", "--labels", labels)
    assert (code, result["imported"], result["passed_over"]) == (0, 3, 1)
    assert (result["labels"]["recorded"], result["labels"]["unmatched"]) == (2, 1)
    code, result, _ = say("annotate")
    (told,) = result["environments"]
    assert (told["failures"], sum(result["labels"].values())) == (1, 1)
    assert told["not_recoverable"]["arguments_raw"] == 1


def test_what_is_piped_in_is_read_and_exit_codes_tell_how_much(say, write, tmp_path):
    lines = [json.dumps({"id": "x", "messages": turns("Hi")}), "{broken"]
    code, result, _ = say("import", "-", piped="\n".join(lines))
    assert (code, result["imported"], result["refused"]) == (3, 1, 1)
    assert result["refusals"][0]["place"].endswith("stdin#1 (line 2)")
    code, _, _ = say("import", write("hello", "no.json"))
    assert code == 1
    code, _, err = say("import", write([turns("x")], "x.json"), "--format", "nonsense")
    assert (code, "no format is called 'nonsense'" in err) == (2, True)
    labels = write("key,success\nx,maybe\n", "labels.csv")
    chat = write({"id": "y", "messages": turns("Yo")}, "y.json")
    code, result, _ = say("import", chat, "--labels", labels)
    assert (code, result["labels"]["invalid"]) == (3, 1)
