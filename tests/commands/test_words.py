"""What the command line says to `--version`, to unknown commands and to words that mean nothing."""

from importlib.metadata import version

import pytest

from deployments.cli import run


@pytest.fixture
def say(tmp_path, monkeypatch, capsys):
    """Run one command in an empty folder; give exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))

    def run_one(*arguments):
        code = run(list(arguments))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run_one


def test_the_version_is_that_of_the_package(say):
    assert say("--version") == (0, f"tackroom {version('tackroom')}\n", "")


@pytest.mark.parametrize("group", [(), ("harness",), ("gate",)])
@pytest.mark.parametrize("word", ["", " ", "nonsense"])
def test_an_unknown_command_is_one_line_with_a_hint(say, group, word):
    expected = f"tackroom: unknown command {word!r} (--help lists the commands)\n"
    assert say(*group, word) == (2, "", expected)


def test_a_misspelt_command_is_answered_with_the_nearest(say):
    assert "unknown command 'evaluat' (did you mean `evaluate`?)" in say("evaluat")[2]


@pytest.mark.parametrize("group", [(), ("harness",), ("gate",)])
def test_without_a_command_the_help_keeps_its_lines(say, group):
    code, out, err = say(*group)
    assert (code, out) == (2, "")
    assert err.startswith("Usage: ")
    assert "\nCommands:\n" in err


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("plan", "--loss-rate"),
        ("calibrate", "--temperature"),
        ("calibrate", "--loss-rate"),
        ("calibrate", "--gain"),
    ],
)
def test_a_number_that_is_not_finite_is_said_to_be_so(say, command, option, value):
    code, _, err = say("gate", command, option, value)
    assert code == 2
    assert err.startswith(f"tackroom: {option}: ")
    assert "finite number" in err


@pytest.mark.parametrize("command", [("harness", "show"), ("evaluate", "--harness")])
def test_a_folder_without_a_harness_is_said_to_have_none(say, tmp_path, command):
    (tmp_path / "some" / "folder").mkdir(parents=True)
    code, _, err = say(*command, "some/folder")
    assert code == 2
    assert "the folder some/folder has no harness.yaml" in err
    assert "'absent/folder' is stored" in say(*command, "absent/folder")[2]


@pytest.mark.parametrize("text", ["", "no,columns\n", "task_id,trial,reward\na,0,much\n"])
def test_an_unusable_table_of_trials_is_named_as_the_user_named_it(say, tmp_path, text):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "trials.csv").write_text(text)
    code, _, err = say("gate", "calibrate", "--recorded", "in/trials.csv")
    assert code == 2
    assert err.startswith("tackroom: in/trials.csv ") or "in/trials.csv line 2" in err


@pytest.mark.parametrize("text", [None, "", "{}\n", "cut"])
def test_an_unusable_reply_file_is_named_as_the_user_named_it(say, tmp_path, text):
    (tmp_path / "in").mkdir()
    if text is not None:
        (tmp_path / "in" / "replies").write_text(text)
    code, _, err = say("evaluate", "--model", "replay:in/replies")
    assert code == 2
    assert "reply file in/replies" in err
