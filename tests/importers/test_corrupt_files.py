"""Corrupt variants of every format: no crash, no hang, no good episode lost, bad ones named."""

import json
import random
import time
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from schemas.ids import make_id
from tasks.importers import archive
from tasks.importers.engine import import_files
from tasks.importers.results import ImportedEpisode

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EVERYTHING = 1_000
EACH = 25
SLOWEST = 5.0
"""Seconds that one small file may take; a hang takes for ever, a loaded machine does not."""


def _chat(mark: str) -> list[dict]:
    arguments = '{"at": "Paris"}'
    function = {"name": "get", "arguments": arguments}
    return [
        {"role": "user", "content": f"Weather? {mark}"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "rain"},
        {"role": "assistant", "content": "Rain."},
    ]


def _agentbench(mark: str) -> dict:
    history = [{"role": "user", "content": mark}, {"role": "agent", "content": "ACTION: look"}]
    output = {"index": mark, "status": "completed", "result": {"result": 1}, "history": history}
    return {"index": mark, "error": None, "info": None, "output": output, "time": {"timestamp": 1}}


def _simulation(mark: str) -> dict:
    turn = {"role": "assistant", "content": "Hi"}
    return {"id": mark, "messages": [turn, *_chat(mark)], "reward_info": {"reward": 1.0}}


def _span(mark: str) -> dict:
    given = json.dumps([{"role": "user", "parts": [{"type": "text", "content": mark}]}])
    values = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": given}
    named = [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
    span = {"traceId": mark, "spanId": "s1", "name": "chat", "attributes": named}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}


def _observation(mark: str) -> dict:
    asked = {"input": _chat(mark)[:1], "output": {"role": "assistant", "content": "x"}}
    return {"id": mark, "trace_id": mark, "type": "GENERATION", "name": "ask", **asked}


def _run(mark: str) -> dict:
    sides = {"inputs": {"messages": _chat(mark)[:1]}, "outputs": {"messages": _chat(mark)[3:]}}
    return {"id": mark, "trace_id": mark, "run_type": "llm", "name": "ask", **sides}


def _sample(mark: str) -> dict:
    return {"id": mark, "epoch": 1, "messages": _chat(mark), "scores": {"s": {"value": "C"}}}


def _inspect(episodes: list) -> dict:
    return {"version": 2, "eval": {"task": "t", "model": "m"}, "samples": episodes}


def _atif(mark: str) -> dict:
    steps = [{"step_id": 1, "source": "user", "message": mark}]
    steps.append({"step_id": 2, "source": "agent", "message": "x"})
    return {
        "schema_version": "ATIF-v1.6",
        "session_id": mark,
        "agent": {"name": "a"},
        "steps": steps,
    }


def _session(mark: str) -> dict:
    message = {"role": "user", "content": mark}
    return {"type": "user", "uuid": mark, "parentUuid": None, "sessionId": mark, "message": message}


def _swe(mark: str) -> dict:
    turns = [{"role": "user", "content": mark, "agent": "main"}]
    turns.append({"role": "assistant", "content": "x", "action": "ls", "agent": "main"})
    return {"environment": "e", "history": turns, "trajectory": [], "info": {}}


def _mini(mark: str) -> dict:
    info = {"exit_status": "Submitted", "mini_version": "2"}
    return {"trajectory_format": "mini-swe-agent-1.1", "info": info, "messages": _chat(mark)}


def _harbor(mark: str) -> dict:
    return {"agent": "a", "trial_name": mark, "result": 1.0, "conversations": _chat(mark)}


def _verifiers(mark: str) -> dict:
    chat = _chat(mark)
    return {
        "example_id": mark,
        "prompt": chat[:1],
        "completion": chat[1:],
        "reward": 1.0,
        "answer": 1,
    }


MAKERS: dict[str, Callable[[str], dict]] = {
    "tau-bench": lambda mark: {"task_id": mark, "reward": 1.0, "info": {}, "traj": _chat(mark)},
    "tau2-bench": _simulation,
    "agentbench": _agentbench,
    "openai-chat": lambda mark: {"id": mark, "messages": _chat(mark)},
    "otel": _span,
    "langfuse": _observation,
    "langsmith": _run,
    "atif": _atif,
    "harbor-traces": _harbor,
    "mini-swe-agent": _mini,
    "swe-agent": _swe,
    "verifiers": _verifiers,
    "claude-code": _session,
}
STRANGE = (
    None,
    True,
    -1,
    10**400,
    1e308,
    "",
    "\ud800x",
    "\x00",
    [],
    {},
    [[]],
    {"": None},
    [None, 7],
)


def _places(value, path=()):
    yield path
    if isinstance(value, dict | list):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _places(item, (*path, key))


def _wrong_type(text: str, dice: random.Random) -> str:
    value = json.loads(text)
    *holders, last = dice.choice([path for path in _places(value) if path])
    target = value
    for key in holders:
        target = target[key]
    target[last] = dice.choice(STRANGE)
    return json.dumps(value)


def _truncated(text: str, dice: random.Random) -> str:
    return text[: dice.randrange(1, len(text))]


def _flipped(text: str, dice: random.Random) -> str:
    at = dice.randrange(len(text))
    return text[:at] + dice.choice('{}[]",:\\0a\x01') + text[at + 1 :]


def _spliced(text: str, dice: random.Random) -> str:
    start, end = sorted(dice.randrange(len(text)) for _ in range(2))
    return text[:start] + text[end:]


def _nested(text: str, dice: random.Random) -> str:
    deep = dice.choice((50, 120, 5_000))
    return text[:-1] + ', "deep": ' + "[" * deep + "]" * deep + "}"


def _surrogate(text: str, dice: random.Random) -> str:
    at = text.find(": ", dice.randrange(len(text) // 2)) + 2
    return text[:at] + r'"\ud83d \udcb2", "k": ' + text[at:]


CORRUPTIONS = (_wrong_type, _truncated, _flipped, _spliced, _nested, _surrogate)


def _import(path):
    started = time.monotonic()
    result = import_files([path], harness_of=lambda name: make_id("harn", name), now=NOW)
    assert time.monotonic() - started < SLOWEST
    for report in result.reports:
        row = report.row
        taken = row.imported + row.duplicates + row.superseded + row.refused
        assert row.episodes + (row.source_format == "unknown") * len(result.refusals) == taken
    for episode in result.episodes:
        for made in ImportedEpisode(episode, result.tasks[0], result.tasks).rows():
            made.model_dump_json().encode()
    return result


def _texts(result) -> str:
    return " ".join(step.text or "" for e in result.episodes for step in e.steps)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True


def _check_lines(name: str, number: int, folder) -> None:
    """Between two good episodes stands a corrupt one, or one of them twice."""
    dice = random.Random(f"{name} {number}")
    first, second = (json.dumps(MAKERS[name](mark)) for mark in ("GOOD-1", "GOOD-2"))
    corrupt = CORRUPTIONS[number % len(CORRUPTIONS)]
    bad = corrupt(json.dumps(MAKERS[name]("BAD-3")), dice).replace("\n", " ")
    lines = [first, bad, *([first] if number % 5 == 0 else []), second]
    path = folder / f"{name}-{number}.jsonl"
    path.write_bytes("\n".join(lines).encode("utf-8", "surrogatepass"))
    result = _import(path)
    path.unlink()
    said = _texts(result)
    assert ("GOOD-1" in said, "GOOD-2" in said) == (True, True), (bad, result.refusals)
    if bad.strip() and not _is_json(bad):
        assert any("line 2" in row.place for row in result.refusals), bad


@pytest.mark.parametrize("name", MAKERS)
def test_corrupt_lines_cost_themselves(name, tmp_path):
    for number in range(EACH):
        _check_lines(name, number, tmp_path)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_thousand_corrupt_lines_cost_themselves(tmp_path):
    names = list(MAKERS)
    started = time.monotonic()
    for number in range(EVERYTHING):
        _check_lines(names[number % len(names)], 1_000 + number, tmp_path)
    assert time.monotonic() - started < 120


@pytest.mark.parametrize("name", [*MAKERS, "inspect"])
def test_whole_files_cut_anywhere_are_no_crash(name, tmp_path):
    dice = random.Random(name)
    make = MAKERS.get(name, _sample)
    episodes = [make(mark) for mark in ("GOOD-1", "GOOD-2", "GOOD-3")]
    text = json.dumps(_inspect(episodes) if name == "inspect" else episodes, indent=1)
    path = tmp_path / "run.json"
    for number in range(12):
        corrupt = (_truncated, _flipped, _spliced)[number % 3]
        path.write_text(corrupt(text, dice))
        _import(path)


def _packed(path, samples, **further):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(
            "header.json", json.dumps({"version": 2, "eval": {"task": "t", "model": "m"}})
        )
        for mark, text in {**samples, **further}.items():
            made.writestr(f"samples/{mark}_epoch_1.json", text)
    return path


def test_archives_cut_or_flipped_anywhere_are_no_crash(tmp_path):
    dice = random.Random(5)
    good = {mark: json.dumps(_sample(mark)) for mark in ("GOOD-1", "GOOD-2")}
    content = _packed(tmp_path / "log.eval", good).read_bytes()
    path = tmp_path / "bad.eval"
    for number in range(40):
        at = dice.randrange(4, len(content))
        flipped = content[:at] + bytes([content[at] ^ 0xFF]) + content[at + 1 :]
        path.write_bytes(content[:at] if number % 2 else flipped)
        _import(path)


def test_a_zip_bomb_costs_itself(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "LARGEST", 4 << 20)
    good = {mark: json.dumps(_sample(mark)) for mark in ("GOOD-1", "GOOD-2")}
    bomb = '{"id": 3, "x": "' + "0" * (64 << 20)
    result = _import(_packed(tmp_path / "log.eval", good, bomb=bomb))
    assert len(result.episodes) == 2
    assert "longer than 4 MiB" in result.refusals[0].reason


@pytest.mark.slow
@pytest.mark.parametrize("name", ["openai-chat", "agentbench", "tau-bench"])
def test_a_hundred_megabytes_of_text_are_no_obstacle(name, tmp_path):
    huge = json.dumps(MAKERS[name]("BAD-3")).replace("BAD-3", "x" * (100 << 20), 1)
    lines = [json.dumps(MAKERS[name]("GOOD-1")), huge, json.dumps(MAKERS[name]("GOOD-2"))]
    for order in (lines, [huge, *lines[::2]]):
        path = tmp_path / "run.jsonl"
        path.write_text("\n".join(order))
        result = import_files([path], harness_of=lambda name: make_id("harn", name), now=NOW)
        said = {step.text[:20] for e in result.episodes for step in e.steps if step.text}
        assert any("GOOD-1" in text for text in said)
        assert any("GOOD-2" in text for text in said)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_corrupt_recordings_are_no_crash(shared, tmp_path):
    dice = random.Random(7)
    files = [p for p in sorted(shared.rglob("*")) if p.is_file() and p.stat().st_size < 60_000]
    for number in range(200):
        file = dice.choice(files)
        content = bytearray(file.read_bytes())
        for _ in range(dice.choice((1, 1, 8))):
            content[dice.randrange(len(content))] = dice.randrange(256)
        path = tmp_path / f"{number}{file.suffix}"
        path.write_bytes(
            bytes(content[: dice.choice((len(content), dice.randrange(len(content)))) or 1])
        )
        _import(path)
