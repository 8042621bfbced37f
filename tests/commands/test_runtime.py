"""What `tackroom runtime mcp` says to words that cannot be used; nothing is started for them."""

import pytest

from deployments.cli import run


@pytest.fixture
def say(tmp_path, monkeypatch, capsys):
    """Run the command in an empty folder; give exit code and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))

    def run_one(*arguments):
        code = run(["runtime", "mcp", *arguments])
        return code, capsys.readouterr().err

    return run_one


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--upstream", "ftp://host"), "the upstream ftp://… cannot be used"),
        (("--upstream", "no-such-program"), "there is no program 'no-such-program'"),
        (("--upstream", "http://h/mcp", "--header", "A=NO_SUCH"), "--header 'A' names no variable"),
        (("--upstream", "true", "--header", "A=PATH"), "a command takes no headers"),
        (("--upstream", "true", "--mode", "off"), "off"),
        (("--upstream", "true", "--harness", "absent/folder"), "'absent/folder' is stored"),
    ],
)
def test_a_word_that_cannot_be_used_is_one_line(say, words, said):
    code, error = say("--harness", "seed", "--environment", "sqldesk", *words)
    assert code == 2
    assert said in error
    assert error.count("\n") == 1


def test_help_names_what_has_no_place_in_mcp(capsys):
    assert run(["runtime", "mcp", "--help"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "(rescue, force, stop, inject) is logged as unavailable" in said


def test_what_takes_long_to_import_is_not_imported_before_a_command_runs():
    import subprocess
    import sys

    late = ("mcp", "pydantic", "polars", "duckdb", "prefect", "openai", "aiohttp")
    code = f"import sys, deployments.cli; print([m for m in {late} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_name_of_the_command_line_is_given_once():
    from deployments.cli import app

    names = [one.name for one in (*app.registered_groups, *app.registered_commands)]
    assert len(set(names)) == len(names)
