"""What help texts and README promise is what commands do."""

import re
from pathlib import Path

import pytest
from typer.main import get_command

from deployments.cli import app, run
from deployments.commands.options import QUERY

ROOT = Path(__file__).parent.parent.parent
STATEMENTS = {
    "SELECT": "SELECT count(*) FROM cycles",
    "FROM": "FROM cycles",
    "WITH": "WITH one AS (SELECT 1 AS n) SELECT n FROM one",
    "SHOW": "SHOW TABLES",
    "DESCRIBE": "DESCRIBE cycles",
    "EXPLAIN": "EXPLAIN SELECT count(*) FROM cycles",
}


def commands(group=None, path=()):
    """Every command by its words."""
    for name, command in vars(group or get_command(app))["commands"].items():
        if hasattr(command, "commands"):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


def test_queries_of_every_kind_the_help_names_are_answered(fill_home):
    fill_home([])
    assert set(STATEMENTS) == set(re.findall(r"[A-Z]{4,}", QUERY))
    for query in STATEMENTS.values():
        assert run(["sql", query]) == 0, query


def test_every_command_stands_in_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    words = set(re.findall(r"[a-z]+", text[text.index("## Commands") :]))
    missing = [path for path, _ in commands() if path[0] not in words]
    assert missing == []


@pytest.mark.parametrize(("path", "command"), list(commands()), ids=lambda value: str(value)[:40])
def test_every_command_and_option_says_what_it_does(path, command):
    assert command.help
    silent = [one.name for one in command.params if one.name != "help" and not one.help]
    assert silent == []


def test_options_named_in_documents_exist():
    known = {name for _, command in commands() for one in command.params for name in one.opts}
    known |= {name for _, c in commands() for one in c.params for name in one.secondary_opts}
    known |= {"--help"}
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))):
        text = path.read_text(encoding="utf-8")
        calls = re.findall(r"(?m)(?:^\$? ?|`)tackroom [a-z][^`\n]*", text)
        ours = re.findall(r"--[a-z][a-z-]+", " ".join([*calls, *re.findall("`--[^`]*", text)]))
        assert set(ours) <= known, path.name
