"""Agent Skills folders of any coding agent are read, and ours are written so that they load."""

import json
import os

import pytest
import yaml

from tasks.editor.skill_text import Checkpoint, SkillText, render_skill
from tasks.harness import HarnessError, read_agent_skills, write_agent_skills
from tasks.harness.agent_skills import SHARED_KEYS, STASH, from_agent_skill, to_agent_skill
from tasks.harness.skills import read_skill

PLAIN = "---\nname: plain\ndescription: Plain steps.\n---\nDo it.\n"
OURS = render_skill(
    SkillText(
        "update-by-lookup",
        'Look first: "always" --- é 🙂.',
        ("update", "change to"),
        "1. Look.\n\n---\n\n2. Write.",
        ("delete",),
        ("update",),
        (Checkpoint("Read first.", "execute_sql", ("select", "distinct")),),
    )
)
RICH = """---
name: rich
description: >
  Folded
  text.
license: MIT
allowed-tools: [Read, Write]
metadata: {author: me, version: 1.5, since: '2024-01-02'}
trigger: update   # a single text
checkpoints:
- text: Never write without a WHERE.
  kind: avoid
  pattern: "(?i)^update [^;]*$"
- Say what you found.
---
Body.
"""


@pytest.fixture
def harness(make):
    return make(skills={"plain": PLAIN, "update-by-lookup": OURS, "rich": RICH})


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def front_matter(text):
    return yaml.safe_load(text.split("---\n")[1])


def test_what_is_written_is_read_back_byte_by_byte(harness, make, tmp_path):
    assert set(write_agent_skills(harness, tmp_path)) == {"plain", "update-by-lookup", "rich"}
    found = read_agent_skills(tmp_path)
    assert (found.refused, found.ignored) == ((), ())
    assert make(skills=dict(found.skills)).harness_id == harness.harness_id


def test_only_keys_and_texts_that_every_agent_knows_are_written(harness, tmp_path):
    write_agent_skills(harness, tmp_path)
    for skill in harness.skills:
        text = (tmp_path / skill.name / "SKILL.md").read_text()
        # The way the reference reader of the format splits a file.
        values = yaml.safe_load(text.split("---", 2)[1])
        assert set(values) <= set(SHARED_KEYS)
        assert values["name"] == skill.name
        assert " ".join(values["description"].split()) == skill.description
        assert text.split("---", 2)[2].strip() == skill.body
        texts = [*values.get("metadata", {}).values(), values.get("allowed-tools", "")]
        assert all(isinstance(value, str) for value in texts)
    assert (tmp_path / "plain" / "SKILL.md").read_text() == PLAIN
    rich = front_matter((tmp_path / "rich" / "SKILL.md").read_text())
    assert rich["allowed-tools"] == "Read Write"
    assert rich["metadata"]["version"] == "1.5"


def test_the_reference_validator_accepts_them(harness, tmp_path):
    validator = pytest.importorskip("skills_ref.validator")
    write_agent_skills(harness, tmp_path)
    for skill in harness.skills:
        assert validator.validate(tmp_path / skill.name) == []


def test_words_changed_elsewhere_win_and_trigger_and_checkpoints_stay():
    edited = to_agent_skill(OURS).replace("Look first", "Look twice").replace("Write.", "Go.")
    text, foreign = from_agent_skill(edited, name="update-by-lookup")
    before, after = (read_skill(one, name="update-by-lookup") for one in (OURS, text))
    assert foreign == []
    assert after.description.startswith("Look twice")
    assert after.body.endswith("2. Go.")
    assert (after.trigger, after.checkpoints) == (before.trigger, before.checkpoints)
    assert STASH not in text


def test_keys_of_other_agents_are_left_out_and_told():
    given = PLAIN.replace("---\nDo", "model: large\nhooks: {a: [1]}\n---\nDo")
    text, foreign = from_agent_skill(given, name="plain")
    assert foreign == ["model", "hooks"]
    assert front_matter(text) == {"name": "plain", "description": "Plain steps."}


def test_dates_and_numbers_in_metadata_are_kept_as_json():
    given = PLAIN.replace("---\nDo", "metadata:\n  since: 2024-01-02\n  1: [2024-01-02]\n---\nDo")
    text, _ = from_agent_skill(given, name="plain")
    assert front_matter(text)["metadata"] == {"since": "2024-01-02", "1": ["2024-01-02"]}


def test_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path):
    (tmp_path / "plain").mkdir()
    marked = b"\xef\xbb\xbf" + PLAIN.replace("\n", "\r\n").encode()
    (tmp_path / "plain" / "SKILL.md").write_bytes(marked)
    assert dict(read_agent_skills(tmp_path).skills) == {"plain": PLAIN}


def test_the_folder_of_one_skill_is_read_too(tmp_path):
    write(tmp_path, {"plain/SKILL.md": PLAIN})
    assert dict(read_agent_skills(tmp_path / "plain").skills) == {"plain": PLAIN}


def test_whatever_else_lies_there_is_told_with_a_reason(tmp_path):
    write(tmp_path, {"plain/SKILL.md": PLAIN, "plain/scripts/run.py": "x", "plain/a.md": "x"})
    write(tmp_path, {"README.md": "x", "empty/notes.txt": "x", ".git/SKILL.md": "x"})
    (tmp_path / "linked").symlink_to(tmp_path / "plain")
    found = read_agent_skills(tmp_path)
    assert set(found.skills) == {"plain"}
    told = {one.path: one.reason for one in found.ignored}
    assert told.keys() == {"README.md", "empty", "linked", "plain"}
    assert told["plain"] == "only SKILL.md is kept, not a.md, scripts"
    assert told["empty"] == "holds no SKILL.md"


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("a", "No front matter.\n", "starts with front matter"),
        ("a", "---\nname: a\n---\nx\n", "'description' is missing"),
        ("a", "---\nname: a\ndescription: d\n---\n", "has text under its front matter"),
        ("a", "---\nname: b\ndescription: d\n---\nx\n", "is not the folder's name"),
        ("a", "---\nname: a\ndescription: Use when: x\n---\nx\n", "broken YAML"),
        ("a", "---\nname: a\ndescription: " + "d" * 2000 + "\n---\nx\n", "description"),
        ("a", "---\nname: a\ndescription: d\nmetadata: {tackroom: '['}\n---\nx\n", "broken YAML"),
        ("a", "---\nname: a\ndescription: d\nmetadata: x\n---\nx\n", "metadata"),
        ("Upper", "---\nname: Upper\ndescription: d\n---\nx\n", "is no skill name"),
        ("a", "x" * 70_000, "larger than"),
    ],
)
def test_a_skill_that_cannot_be_used_is_refused_and_the_others_are_taken(tmp_path, name, text, why):
    write(tmp_path, {f"{name}/SKILL.md": text, "plain/SKILL.md": PLAIN})
    found = read_agent_skills(tmp_path)
    assert set(found.skills) == {"plain"}
    (refused,) = found.refused
    assert refused.path == f"{name}/SKILL.md"
    assert why in refused.reason
    assert "\n" not in refused.reason


def test_links_pipes_and_binary_files_are_refused(tmp_path):
    (tmp_path / "secret").write_text(PLAIN)
    for name in ("linked", "pipe", "binary"):
        (tmp_path / "skills" / name).mkdir(parents=True)
    (tmp_path / "skills" / "linked" / "SKILL.md").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "skills" / "pipe" / "SKILL.md")
    (tmp_path / "skills" / "binary" / "SKILL.md").write_bytes(b"\xff\xfe\x00")
    found = read_agent_skills(tmp_path / "skills")
    assert [one.path.split("/")[0] for one in found.refused] == ["binary", "linked", "pipe"]


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(HarnessError, match="no such folder"):
        read_agent_skills(tmp_path / "none")


def test_writing_again_changes_nothing_and_a_skill_of_somebody_else_is_kept(harness, tmp_path):
    write_agent_skills(harness, tmp_path)
    assert set(write_agent_skills(harness, tmp_path).values()) == {False}
    write(tmp_path, {"plain/SKILL.md": "mine\n", "other/SKILL.md": "mine\n"})
    (tmp_path / "rich" / "SKILL.md").unlink()
    with pytest.raises(HarnessError, match="another skill of this name"):
        write_agent_skills(harness, tmp_path)
    assert not (tmp_path / "rich" / "SKILL.md").exists()
    changed = write_agent_skills(harness, tmp_path, replace=True)
    assert changed == {"plain": True, "rich": True, "update-by-lookup": False}
    assert (tmp_path / "other" / "SKILL.md").read_text() == "mine\n"


def test_nothing_is_written_through_a_link(harness, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "rich").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(HarnessError, match="is a link"):
        write_agent_skills(harness, tmp_path / "out", replace=True)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_harness_without_skills_and_too_long_a_key_are_refused(make, tmp_path):
    with pytest.raises(HarnessError, match="has no skills"):
        write_agent_skills(make(), tmp_path)
    long = PLAIN.replace("---\nDo", f"compatibility: {'x' * 501}\n---\nDo")
    with pytest.raises(HarnessError, match="compatibility"):
        write_agent_skills(make(skills={"plain": long}), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "odd", ["\x85", "\u2028", "\x7f", "\ufeff", "---", "\\", "'", "\t#", "é🙂"]
)
def test_odd_characters_survive(odd):
    said = json.dumps(f"a {odd} b", ensure_ascii=True)
    if odd == "é🙂":
        said = f'"a {odd} b"'
    text = f"---\nname: a\ndescription: {said}\ntrigger: x\n---\nBody {odd}\n"
    exported = to_agent_skill(text)
    assert front_matter(exported)["description"] == f"a {odd} b"
    assert from_agent_skill(exported, name="a") == (text, [])
