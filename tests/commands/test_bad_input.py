"""Whatever a user gets wrong is answered by one clear line and exit code 1 or 2."""

import json
import socket

import pytest

SEED = {
    "harness.yaml": "api: 1\nname: mine\nenvironment: sqldesk\n",
    "contract.md": "Work on the task.\n",
    "actions.py": "",
    "regulation.py": "",
}


def complains(ran, *words):
    assert ran.code in (1, 2), ran.err[-2000:]
    assert "Traceback" not in ran.err
    assert ran.out == ""
    lines = [line for line in ran.err.splitlines() if line.startswith("tackroom: ")]
    assert len(lines) == 1
    for word in words:
        assert word in lines[0]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("evaluate", "--environment", "sqldeks"), ("sqldeks", "sqldesk")),
        (("evaluate", "--model", "simulated:weka"), ("simulated:weka", "simulated:weak")),
        (("evaluate", "--model", "openai:nobody/knows"), ("nobody/knows",)),
        (("evaluate", "--without", "contracts"), ("--without", "contract")),
        (("evaluate", "--harness", "harn_0000000000000000"), ("harn_0000000000000000",)),
        (("evaluate", "--split", "test"), ("--split",)),
        (("evaluate", "--seed", "-1"), ("--seed",)),
        (("evaluate", "--seed", "seven"), ("--seed", "integer")),
        (("collect", "--tasks", "-3"), ("--tasks",)),
        (("cycle", "--editor", "rulez", "--tasks", "6"), ("rulez", "rules")),
        (("sql", "SELECT * FROM stepz"), ("stepz",)),
        (("sql", "SELEC 1"), ("SELEC",)),
        (("harness", "show", "nothing-of-that-name"), ("nothing-of-that-name",)),
        (("import", "no-such-file.json"), ("no-such-file.json",)),
        (("evolve",), ("--from-imports",)),
        (("evolve", "--from-imports"), ("nothing is imported",)),
        (("show", "traj_0000000000000000"), ("traj_0000000000000000",)),
        (("report", "--out", "x.html", "--cycle", "cyc_0000000000000000"), ("cyc_",)),
        (("export", "--format", "parquet"), ("parquet", "trl-sft")),
        (("nonsense",), ("nonsense",)),
        (("evaluate", "--no-such-option"), ("--no-such-option",)),
    ],
)
def test_a_wrong_word_is_named_with_what_was_expected(command_line, arguments, words):
    complains(command_line()(*arguments, check=False), *words)


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("harness.yaml", "api: 1\nname: [unclosed\n", ("harness.yaml",)),
        ("harness.yaml", "api: 99\nname: x\nenvironment: sqldesk\n", ("api",)),
        ("actions.py", "def rule_x(action, context)\n    return None\n", ("actions.py:1",)),
        (
            "actions.py",
            "def rule_x(action, context):\n    while True:\n        pass\n",
            ("rule_x",),
        ),
        ("regulation.py", "def rule_y(history, context):\n    yield 1\n", ("rule_y",)),
        ("skills/a/SKILL.md", "No front matter here.\n", ("skills/a/SKILL.md",)),
    ],
)
def test_an_unusable_harness_is_refused_with_file_and_place(
    command_line, tmp_path, path, text, words
):
    folder = tmp_path / "mine"
    for name, content in (SEED | {path: text}).items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content)
    complains(command_line()("evaluate", "--harness", str(folder), check=False), *words)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("empty.json", b""),
        ("binary.json", b"\x00\xff\xfe\x01" * 50),
        ("other.json", json.dumps({"hello": "world"}).encode()),
        ("cut.json", b'[{"task_id": 1, "reward": 1.0, "traj": [{"role": "us'),
    ],
)
def test_a_file_that_cannot_be_imported_is_named_and_nothing_usable_is_exit_1(
    command_line, tmp_path, name, content
):
    path = tmp_path / name
    path.write_bytes(content)
    ran = command_line()("import", str(path), "--json", check=False)
    assert ran.code == 1
    assert "Traceback" not in ran.err
    [refusal] = ran.json["refusals"]
    assert name in refusal["place"]
    assert refusal["reason"]


def test_a_port_in_use_is_named(command_line):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        complains(command_line()("up", "--port", port, check=False), port)


def test_help_answers_without_the_heavy_libraries(command_line):
    ran = command_line()("--help")
    assert "cycle" in ran.out


def test_broken_settings_are_named_with_their_place(command_line, tmp_path):
    (tmp_path / "work").mkdir()
    command = command_line(environ={"TACKROOM_MODELS__LOCAL__BASE_URL": "not-an-address"})
    complains(command("evaluate", "--tasks", "6", check=False), "base_url")


WORLD = """
class World:
    def act(self, call):
        return "ok"
    def verdict(self):
        return True
class Mine:
    name = "household"
    tools = [{"name": "f", "parameters": {"type": "object"}}]
    def tasks(self):
        return [{"task_id": "t%d" % i, "text": "Go."} for i in range(10)]
    def start(self, task, seed):
        return World()
"""


@pytest.mark.parametrize("command", ["cycle", "collect", "evaluate"])
def test_a_world_under_the_name_of_another_is_refused_before_anything_is_written(
    command_line, tmp_path, command
):
    (tmp_path / "borrowed_name.py").write_text(WORLD)
    run = command_line(environ={"PYTHONPATH": str(tmp_path)})
    ran = run(command, "--environment", "borrowed_name:Mine", check=False)
    complains(ran, "borrowed_name:Mine", "household", "rename")
    assert not run.home.exists()
