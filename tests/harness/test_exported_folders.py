"""A folder that was exported is loaded only as it was exported, or knowingly as it is now."""

import json

import pytest

from tasks.harness import Harness, HarnessError

RULE = "def rule_a(action, context):\n    return None\n"


@pytest.fixture
def harness(make, skill_text):
    return make(
        actions=RULE,
        contract="## Café\n\nBe careful.\n",
        skills={"look": skill_text("look", "Look first.")},
    )


@pytest.fixture
def folder(harness, tmp_path):
    harness.export(tmp_path / "out")
    return tmp_path / "out"


def refused(folder, *words, **options):
    with pytest.raises(HarnessError) as caught:
        Harness.load(folder, **options)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message
    assert caught.value.where
    assert caught.value.hint


def test_what_was_exported_is_loaded_and_hashed_as_documented(harness, folder):
    loaded = Harness.load(folder, harness_id=harness.harness_id)
    assert loaded.files == harness.files
    manifest = json.loads((folder / "manifest.json").read_text())
    assert (manifest["api"], manifest["harness_id"]) == (1, harness.harness_id)
    assert manifest["files"].keys() == harness.files.keys()
    assert "manifest.json" not in loaded.files


def test_line_ends_normal_form_and_the_name_are_no_change(harness, folder):
    settings = folder / "harness.yaml"
    settings.write_bytes(settings.read_bytes().replace(b"sample", b"other").replace(b"\n", b"\r\n"))
    contract = folder / "contract.md"
    contract.write_text(contract.read_text().replace("é", "e\u0301"))
    assert Harness.load(folder) == harness


def test_a_changed_file_is_refused_unless_taken_knowingly(harness, folder):
    (folder / "actions.py").write_text(RULE.replace("None", "{}"))
    refused(folder, "actions.py", "has changed", harness.harness_id, "edited=True")
    loaded = Harness.load(folder, edited=True)
    assert loaded.harness_id != harness.harness_id
    refused(folder, loaded.harness_id, edited=True, harness_id=harness.harness_id)


@pytest.mark.parametrize(
    "path", ["harness.yaml", "regulation.py", "contract.md", "skills/look/SKILL.md"]
)
def test_a_missing_file_is_refused_also_where_it_would_count_as_empty(harness, folder, path):
    (folder / path).unlink()
    refused(folder, path, "is missing", harness.harness_id)


def test_an_added_skill_is_refused_and_another_python_file_in_any_case(folder, skill_text):
    added = folder / "skills" / "more" / "SKILL.md"
    added.parent.mkdir()
    added.write_text(skill_text("more", "More."))
    refused(folder, "skills/more/SKILL.md", "was added")
    assert len(Harness.load(folder, edited=True).skills) == 2
    (folder / "sitecustomize.py").write_text("raise SystemExit\n")
    refused(folder, "sitecustomize.py", "no file of a harness")
    refused(folder, "sitecustomize.py", "no file of a harness", edited=True)


@pytest.mark.parametrize("api", [2, "1", True, 1.0, [1]])
def test_another_format_version_is_refused_wherever_it_stands(folder, api):
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"api": api}))
    refused(folder, "manifest.json", "is not supported", "reads api 1")
    (folder / "manifest.json").unlink()
    (folder / "harness.yaml").write_text(f"api: {json.dumps(api)}\nenvironment: sqldesk\n")
    refused(folder, "harness.yaml", "is not supported", "reads api 1")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("{", "no JSON"),
        ("[" * 100_000, "larger than"),
        ("[" * 50_000, "no JSON"),
        ("[]", "no manifest"),
        ("{}", "no manifest"),
        ('{"api": 1, "harness_id": "harn_0", "files": {"actions.py": "00"}}', "no manifest"),
        ('{"api": 1, "harness_id": "harn_0", "files": {}}', "do not make harn_0"),
    ],
)
def test_a_manifest_that_is_none_is_refused(folder, text, word):
    (folder / "manifest.json").write_text(text)
    with pytest.raises(HarnessError, match=word) as caught:
        Harness.load(folder)
    assert caught.value.where == "manifest.json"
    assert Harness.load(folder, edited=True).name == "sample"


def test_a_manifest_of_another_harness_is_refused(folder, make, tmp_path):
    make(contract="x\n").export(tmp_path / "other")
    (folder / "manifest.json").write_text((tmp_path / "other" / "manifest.json").read_text())
    refused(folder, "was added")


def test_a_folder_without_a_manifest_is_one_written_by_hand(harness, folder):
    (folder / "manifest.json").unlink()
    (folder / "contract.md").write_text("Mine.\n")
    mine = Harness.load(folder)
    assert mine.contract.prompt == "Mine."
    refused(folder, mine.harness_id, "not harn_", harness_id=harness.harness_id)


def test_saving_over_an_exported_folder_takes_the_manifest_away(harness, folder, make):
    make(contract="x\n").save(folder)
    assert not (folder / "manifest.json").exists()
    assert Harness.load(folder) == make(contract="x\n")
    harness.export(folder)
    assert Harness.load(folder) == harness


def test_a_manifest_is_never_a_file_of_the_harness(harness):
    with pytest.raises(HarnessError, match="no file of a harness"):
        Harness.from_files({**harness.files, "manifest.json": "{}"})


def test_a_linked_manifest_is_not_followed(folder, tmp_path):
    (tmp_path / "real.json").write_text((folder / "manifest.json").read_text())
    (folder / "manifest.json").unlink()
    (folder / "manifest.json").symlink_to(tmp_path / "real.json")
    refused(folder, "manifest.json", "no plain file")


@pytest.fixture
def proven(harness, tmp_path):
    """A folder that was exported with evidence."""
    harness.export(tmp_path / "proven", evidence='{"tasks": 1}\n')
    return tmp_path / "proven"


def test_evidence_lies_beside_the_manifest_and_changes_no_id(harness, proven, folder):
    assert (proven / "evidence.json").read_text() == '{"tasks": 1}\n'
    loaded = Harness.load(proven, harness_id=harness.harness_id)
    assert "evidence.json" not in loaded.files
    manifests = [json.loads((one / "manifest.json").read_text()) for one in (proven, folder)]
    assert manifests[0]["files"] == manifests[1]["files"]


def test_evidence_that_changed_is_missing_or_was_added_is_refused(proven, folder):
    (proven / "evidence.json").write_text('{"tasks": 9}\n')
    refused(proven, "evidence.json", "has changed")
    assert Harness.load(proven, edited=True)
    (proven / "evidence.json").unlink()
    refused(proven, "evidence.json", "is missing")
    (folder / "evidence.json").write_text("{}")
    refused(folder, "evidence.json", "was added")


def test_line_ends_of_evidence_are_no_change(harness, proven):
    evidence = proven / "evidence.json"
    evidence.write_bytes(evidence.read_bytes().replace(b"\n", b"\r\n"))
    assert Harness.load(proven) == harness


def test_evidence_of_an_earlier_export_does_not_stay(harness, proven):
    harness.export(proven)
    assert not (proven / "evidence.json").exists()
    assert Harness.load(proven) == harness


def test_a_folder_written_by_hand_may_hold_evidence(harness, tmp_path):
    harness.save(tmp_path / "hand")
    (tmp_path / "hand" / "evidence.json").write_text("{}")
    assert Harness.load(tmp_path / "hand") == harness
