"""`tackroom harness skills`: skills of other agents come in, ours go out and come back."""

import json
from dataclasses import dataclass

import pytest

from deployments.cli import run

PLAIN = "---\nname: plain\ndescription: Plain steps.\n---\nDo it.\n"
OURS = "---\nname: ours\ndescription: Ours.\ntrigger: [update]\n---\nGo.\n"


def write(folder, **texts):
    for name, text in texts.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name / "SKILL.md").write_text(text)
    return folder


@dataclass(frozen=True)
class Ran:
    """A finished command."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        return json.loads(self.out)


@pytest.fixture
def command(capsys, monkeypatch, tmp_path):
    """Runs `tackroom` here, so that libraries are loaded once."""
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))

    def call(*arguments):
        code = run(list(arguments))
        return Ran(code, *capsys.readouterr())

    return call


def complains(ran, code, *words):
    assert ran.code == code, ran.err[-2000:]
    assert ran.out == ""
    assert ran.err.startswith("tackroom: ")
    assert ran.err.count("\n") == 1
    for word in words:
        assert word in ran.err


@pytest.mark.slow
def test_skills_go_round_and_make_the_same_harness(command, tmp_path):
    given = write(tmp_path / "given", plain=PLAIN, ours=OURS)
    arguments = ("--environment", "sqldesk", "--json")
    first = command("harness", "skills", "import", str(given), *arguments).json
    assert first["skills"] == {"ours": "added", "plain": "added"}
    assert (first["new"], first["refused_skills"], first["ignored_files"]) == (True, [], [])
    again = command("harness", "skills", "import", str(given), *arguments).json
    assert (again["new"], again["harness_id"]) == (False, first["harness_id"])

    out = tmp_path / "out"
    told = command("harness", "skills", "export", first["harness_id"], str(out))
    assert told.out.splitlines()[1:] == ["  written    ours", "  written    plain"]
    assert (out / "plain" / "SKILL.md").read_text() == PLAIN
    assert "\ntrigger" not in (out / "ours" / "SKILL.md").read_text()
    back = command("harness", "skills", "import", str(out), *arguments).json
    assert back["harness_id"] == first["harness_id"]

    shown = command("harness", "diff", first["base_harness_id"], first["harness_id"]).out
    assert "+++ b/skills/plain/SKILL.md" in shown
    write(given, plain=PLAIN.replace("Do it", "Do it now"))
    onto = ("--harness", first["harness_id"], "--json")
    third = command("harness", "skills", "import", str(given), *onto).json
    assert third["skills"] == {"ours": "unchanged", "plain": "replaced"}


@pytest.mark.slow
def test_a_folder_that_is_taken_in_part_says_why_and_ends_with_3(command, tmp_path):
    given = write(
        tmp_path / "given",
        plain=PLAIN,
        long=PLAIN.replace("plain", "long") + "x" * 4_000,
        away=PLAIN.replace("plain", "away") + "See https://example.com/all\n",
    )
    (given / "plain" / "run.sh").write_text("x")
    (given / "long" / "run.sh").write_text("x")
    arguments = ("harness", "skills", "import", str(given), "--environment", "household")
    ran = command(*arguments)
    assert ran.code == 3
    first, *lines = ran.out.splitlines()
    assert first.endswith("  household")
    assert lines[0] == "  added      plain"
    assert "long/SKILL.md: has 4007 characters; 4000 fit" in lines[2]
    assert "away/SKILL.md" in lines[1]
    assert "https://example.com/all" in lines[1]
    assert lines[3:] == ["  ignored    plain: only SKILL.md is kept, not run.sh"]


@pytest.mark.slow
def test_bad_input_is_one_line(command, tmp_path):

    def imports(*arguments):
        return command("harness", "skills", "import", *arguments)

    def exports(*arguments):
        return command("harness", "skills", "export", *arguments)

    given = str(write(tmp_path / "given", plain=PLAIN))
    empty = tmp_path / "empty"
    empty.mkdir()
    (tmp_path / "file").write_text("x")
    desk = ("--environment", "sqldesk")
    complains(imports(str(tmp_path / "none"), *desk), 2, "none", "no such folder")
    complains(imports(str(tmp_path / "file"), *desk), 2, "no such folder")
    complains(imports(str(empty), *desk), 1, "holds no skill")
    complains(imports(given, "--environment", "sqldeks"), 2, "sqldeks", "household, orderdesk")
    complains(imports(given), 2, "--environment")
    complains(imports(given, *desk, "--harness", "nobody"), 2, "nobody")
    complains(exports("seed", str(tmp_path / "out"), *desk), 2, "has no skills")
    made = command("harness", "skills", "import", given, *desk, "--json").json["harness_id"]
    complains(imports(given, "--environment", "household", "--harness", made), 2, "is for sqldesk")
    complains(exports(made, str(tmp_path / "file")), 2, "file", "cannot be written")
    write(tmp_path / "taken", plain="mine\n")
    complains(exports(made, str(tmp_path / "taken")), 2, "another skill of this name")
    assert exports(made, str(tmp_path / "taken"), "--replace").code == 0
