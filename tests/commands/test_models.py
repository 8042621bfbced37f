"""Caps that stop a run, dry runs that make none, and the `model` commands, as a user meets them."""

import json
from collections import Counter

import pytest

from deployments.cli import run
from schemas.errors import CapReached

COLLECT = ("collect", "--environment", "sqldesk", "--tasks", "24")


@pytest.fixture
def say(tmp_path, monkeypatch, capsys):
    """Run one command in an empty folder; give exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)

    def run_one(*arguments):
        code = run(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_one


def bounds(said):
    code, out, _ = said
    assert code == 0
    return json.loads(out)


@pytest.mark.slow
def test_a_cap_stops_a_run_with_everything_stored_and_the_next_run_goes_on(say):
    code, out, err = say(*COLLECT, "--max-tokens", "9000", "--json")
    stopped = json.loads(out)
    assert (code, stopped["stopped"]) == (3, "cap")
    assert 0 < stopped["tokens"] <= 9000
    assert err.startswith("tackroom: stopped before the cap of 9000 tokens")
    rows = json.loads(say("sql", "SELECT fault, prompt_tokens FROM trajectories", "--json")[1])
    kept = Counter(row["fault"] for row in rows["rows"])
    assert kept[None] > 0
    assert kept["cap"] >= 1
    made = bounds(say(*COLLECT, "--json"))
    assert made["rollouts"] == 24 - kept[None]
    assert (made["trajectories"], made["faults"]) == (24, 0)


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_capped_cycle_goes_on_where_it_stopped_and_ends_as_one_that_never_stopped(
    tmp_path, monkeypatch
):
    from flows.evolution_cycle import evolve

    inputs = {"tasks": 6, "rounds": 1, "exposures": 0}
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "whole"))
    expected = evolve(**inputs)
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "capped"))
    with pytest.raises(CapReached) as stopped:
        evolve(**inputs, max_tokens=9_000)
    assert stopped.value.tokens <= 9_000
    ended = evolve(**inputs)
    same = ("cycle_id", "harness_id", "baseline", "final", "edits", "labels", "trajectories")
    assert {name: ended[name] for name in same} == {name: expected[name] for name in same}


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_cycle_that_reaches_its_cap_ends_with_three_and_one_line(command_line):
    ran = command_line()("cycle", "--tasks", "6", "--max-tokens", "9000", "--json", check=False)
    assert (ran.code, ran.json["stopped"]) == (3, "cap")
    assert ran.last_line.startswith("tackroom: stopped before the cap of 9000 tokens")
    assert "Traceback" not in ran.err


def test_dollars_cannot_be_capped_without_a_price(say, monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    code, _, err = say(*COLLECT, "--model", "openai:m", "--max-usd", "1")
    assert (code, "dollars cannot be capped: `openai:m` has no price" in err) == (2, True)
    assert "[models.m.price]" in err


def test_a_cap_below_zero_is_refused_in_one_line(say):
    code, _, err = say(*COLLECT, "--max-tokens", "-1")
    assert code == 2
    assert err.startswith("tackroom: --max-tokens: ")


@pytest.mark.parametrize("command", ["collect", "evaluate", "cycle"])
def test_a_dry_run_tells_bounds_in_order_and_makes_nothing(say, command):
    told = bounds(say(command, "--dry-run", "--json"))
    for name in ("rollouts", "calls", "tokens", "cost_usd", "time_s"):
        span = told[name]
        assert 0 <= span["lower"] <= span["likely"] <= span["upper"], name
    assert told["rollouts"]["lower"] > 0
    rows = json.loads(say("sql", "SELECT count(*) AS n FROM trajectories", "--json")[1])["rows"]
    assert rows == [{"n": 0}]


@pytest.mark.slow
def test_what_is_stored_already_is_left_out_of_a_dry_run_and_tells_what_a_rollout_takes(say):
    say(*COLLECT)
    told = bounds(say("collect", "--tasks", "30", "--dry-run", "--json"))
    assert told["rollouts"] == {"lower": 6, "likely": 6, "upper": 6}
    assert told["usage_from"] == {"simulated:weak": "24 stored runs"}
    made = bounds(say("collect", "--tasks", "30", "--json"))
    assert made["rollouts"] == 6
    spent = json.loads(say("sql", "SELECT sum(prompt_tokens) AS n FROM trajectories", "--json")[1])[
        "rows"
    ][0]["n"]
    assert spent > 0
    assert told["calls"]["lower"] <= told["calls"]["upper"]


def test_a_dry_run_of_an_endpoint_tells_dollars_and_time(say, tmp_path):
    (tmp_path / "tackroom.toml").write_text(
        '[models.m]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
        "price = { prompt = 2, completion = 10 }\nlimits = { requests_per_minute = 60 }\n"
    )
    told = bounds(say("collect", "--model", "openai:m", "--tasks", "6", "--dry-run", "--json"))
    assert told["cost_usd"]["lower"] > 0
    assert told["time_s"]["likely"] >= told["calls"]["likely"]
    (tmp_path / "tackroom.toml").write_text(
        '[models.m]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
    )
    code, out, _ = say("collect", "--model", "openai:m", "--tasks", "6", "--dry-run")
    assert (code, "has no price, so dollars are unknown" in out) == (0, True)


def test_models_are_listed_without_asking_any(say, tmp_path):
    (tmp_path / "tackroom.toml").write_text(
        '[models.m]\nbase_url = "http://user:word@127.0.0.1:9/v1"\nmodel = "m"\n'
        'api_key_env = "TACKROOM_TEST_KEY"\nmode = "schema"\n'
    )
    rows = bounds(say("model", "list", "--json"))["models"]
    assert rows[0] == {
        "model": "openai:m",
        "url": "http://127.0.0.1:9/v1",
        "served": "m",
        "mode": "schema",
        "key": False,
        "price": False,
        "noted": False,
    }
    assert {"model": "simulated:weak"} in rows
    assert "word" not in say("model", "list")[1]


def test_checking_a_model_that_is_down_or_not_named_is_one_line(say, monkeypatch):
    assert say("model", "check", "nobody")[2].startswith("tackroom: there is no [models.nobody]")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    code, out, err = say("model", "check", "m")
    assert (code, out) == (1, "")
    assert "connection refused at 127.0.0.1:9" in err


def test_a_local_model_that_is_not_known_is_refused_before_anything_is_installed(say, tmp_path):
    code, _, err = say("model", "serve", "gpt-7")
    assert (code, "known: smollm2" in err) == (2, True)
    assert not (tmp_path / "home").exists()


def test_a_server_that_only_takes_text_is_told_so_and_noted(
    say, tmp_path, scripted_endpoint, monkeypatch
):
    for name, value in scripted_endpoint(lambda body: "I would add them up.").items():
        monkeypatch.setenv(name, value)
    code, out, _ = say("model", "check", "scripted", "--json")
    told = json.loads(out)
    assert (code, told["usable"], told["best_mode"]) == (1, False, None)
    seen = {one["probe"]: one["status"] for one in told["findings"]}
    assert (seen["reply"], seen["tool_calls"], seen["text_calls"]) == ("ok", "missing", "missing")
    assert told["requests"] < 120
    assert len(list((tmp_path / "home" / "endpoints").glob("*.json"))) == 1


def test_replies_held_to_a_schema_are_recorded_as_an_intervention(say, tmp_path, scripted_endpoint):
    def script(body):
        assert body["response_format"]["type"] == "json_schema"
        call = {"tool": "commit_final_answer", "arguments": {"answers": ["1"]}}
        return json.dumps({"call": call})

    (tmp_path / "tackroom.toml").write_text("")
    environ = scripted_endpoint(script) | {"TACKROOM_MODELS__SCRIPTED__MODE": "schema"}
    with pytest.MonkeyPatch.context() as patched:
        for name, value in environ.items():
            patched.setenv(name, value)
        made = bounds(say("collect", "--model", "openai:scripted", "--tasks", "2", "--json"))
        assert (made["constrained"], made["rollouts"]) == (2, 2)
        query = "SELECT layer, artifact, kind, count(*) AS n FROM interventions GROUP BY ALL"
        rows = json.loads(say("sql", query, "--json")[1])["rows"]
    assert {"layer": "actions", "artifact": "response_format", "kind": "constrain", "n": 2} in rows
