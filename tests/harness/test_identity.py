import hashlib
import json
import unicodedata

import pytest

from tasks.harness import Harness

FILES = {
    "harness.yaml": "api: 1\nname: one\nenvironment: sqldesk\n",
    "contract.md": "Be caréful.\n\n## Answers\n\nGive a list.\n",
    "actions.py": "def rule_a(action, context):\n    return None\n",
    "regulation.py": "",
}


def with_file(path, text):
    return Harness.from_files({**FILES, path: text}).harness_id


def test_id_is_the_documented_hash_over_paths_and_file_hashes():
    texts = {**FILES, "harness.yaml": "api: 1\nenvironment: sqldesk\n"}
    pairs = [
        [path, hashlib.sha256(unicodedata.normalize("NFC", text).encode()).hexdigest()]
        for path, text in sorted(texts.items())
    ]
    canonical = json.dumps(pairs, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    expected = "harn_" + hashlib.sha256(canonical.encode()).hexdigest()[:16]
    assert Harness.from_files(FILES).harness_id == expected


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_line_ends_do_not_change_the_id(line_end):
    changed = {path: text.replace("\n", line_end) for path, text in FILES.items()}
    assert Harness.from_files(changed) == Harness.from_files(FILES)


def test_composed_and_decomposed_letters_are_the_same():
    text = FILES["contract.md"]
    decomposed = unicodedata.normalize("NFD", text)
    assert decomposed != text
    assert with_file("contract.md", decomposed) == with_file("contract.md", text)


@pytest.mark.parametrize(
    "settings",
    [
        "api: 1\nname: another\nenvironment: sqldesk\n",
        "api: 1\nname: |\n  long\n  name\nenvironment: sqldesk\n",
        "api: 1\nname: 'quoted: yes' # why\nenvironment: sqldesk\n",
        "api: 1\nenvironment: sqldesk\n",
        "name: first\napi: 1\nenvironment: sqldesk\n",
    ],
)
def test_the_name_does_not_change_the_id(settings):
    assert with_file("harness.yaml", settings) == with_file("harness.yaml", FILES["harness.yaml"])


def test_the_name_does_not_change_the_id_of_a_file_in_flow_style():
    one = with_file("harness.yaml", "{api: 1, name: one, environment: sqldesk}\n")
    assert one == with_file("harness.yaml", "{api: 1, name: two, environment: sqldesk}\n")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("harness.yaml", "api: 1\nname: one\nenvironment: household\n"),
        ("contract.md", "Be careful.\n"),
        ("actions.py", ""),
        ("regulation.py", "def rule_b(history, context):\n    return None\n"),
    ],
)
def test_content_changes_the_id(path, text):
    assert with_file(path, text) != Harness.from_files(FILES).harness_id


def test_missing_files_count_as_empty():
    bare = {"harness.yaml": FILES["harness.yaml"]}
    padded = {**bare, "contract.md": "", "actions.py": "", "regulation.py": ""}
    assert Harness.from_files(bare) == Harness.from_files(padded)


def test_harnesses_with_one_id_store_the_same_content():
    renamed = Harness.from_files({**FILES, "harness.yaml": "api: 1\nenvironment: sqldesk\n"})
    assert renamed.content_files == Harness.from_files(FILES).content_files


def test_an_artifact_has_the_same_id_in_every_harness(make):
    rule = "def rule_a(action, context):\n    return None\n"
    alone = make(actions=rule).artifact("actions", "rule_a")
    other = "def rule_b(action, context):\n    return None\n\n\n" + rule
    beside = make(actions=other, contract="## T\n\nx\n").artifact("actions", "rule_a")
    assert alone.artifact_id == beside.artifact_id


def test_a_helper_is_part_of_the_rule_that_uses_it(make):
    rule = "\n\n\ndef rule_a(action, context):\n    return LIMIT\n"
    one = make(actions="LIMIT = None" + rule).artifact("actions", "rule_a")
    two = make(actions="LIMIT = 2" + rule).artifact("actions", "rule_a")
    assert one.artifact_id != two.artifact_id
    assert one.body.startswith("LIMIT = None")


def test_lone_surrogates_become_replacement_characters():
    harness = Harness.from_files({**FILES, "contract.md": "a \ud800 b"})
    assert harness.files["contract.md"] == "a \ufffd b"
