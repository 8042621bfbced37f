import os
from pathlib import Path

import pytest

from tasks.harness import Harness, HarnessError, diff

YAML = "api: 1\nenvironment: sqldesk\n"
SEEDS = Path(__file__).parents[2] / "warehouse" / "seeds"


def write(folder, **extra):
    folder.mkdir(exist_ok=True)
    (folder / "harness.yaml").write_text(YAML)
    for name, data in extra.items():
        (folder / name.replace("_DOT_", ".")).write_bytes(data)
    return folder


def test_saving_and_loading_keeps_the_harness(make, tmp_path, skill_text):
    harness = make(
        actions="def rule_a(action, context):\n    return None\n",
        contract="## T\n\nx\n",
        skills={"s": skill_text("s", "d")},
    )
    harness.save(tmp_path / "out")
    loaded = Harness.load(tmp_path / "out")
    assert loaded.harness_id == harness.harness_id
    assert loaded.files == harness.files


def test_saving_over_a_harness_replaces_its_files(make, tmp_path, skill_text):
    make(skills={"s": skill_text("s", "d")}).save(tmp_path / "out")
    make(contract="new\n").save(tmp_path / "out")
    assert Harness.load(tmp_path / "out") == make(contract="new\n")


def test_saving_into_a_folder_of_something_else_is_refused(make, tmp_path):
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(HarnessError, match="holds no harness"):
        make().save(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_missing_folder_is_refused(tmp_path):
    with pytest.raises(HarnessError, match="no such folder"):
        Harness.load(tmp_path / "none")


def test_binary_and_oversized_files_are_refused(tmp_path):
    with pytest.raises(HarnessError, match="no UTF-8 text"):
        Harness.load(write(tmp_path / "a", contract_DOT_md=b"\xff\xfe\x00"))
    with pytest.raises(HarnessError, match="larger than"):
        Harness.load(write(tmp_path / "b", contract_DOT_md=b"x" * 70_000))


def test_unknown_files_are_refused_and_hidden_ones_passed_over(tmp_path):
    folder = write(tmp_path / "a", _DOT_DS_Store=b"\xff")
    assert Harness.load(folder).environment == "sqldesk"
    with pytest.raises(HarnessError, match=r"notes\.txt"):
        Harness.load(write(folder, notes_DOT_txt=b"x"))


def test_links_are_not_followed(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("key")
    folder = write(tmp_path / "a")
    (folder / "contract.md").symlink_to(secret)
    with pytest.raises(HarnessError, match="no plain file"):
        Harness.load(folder)
    (folder / "contract.md").unlink()
    (tmp_path / "elsewhere").mkdir()
    (folder / "skills").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    with pytest.raises(HarnessError, match="no plain file"):
        Harness.load(folder)


def test_a_pipe_in_the_folder_does_not_hang(tmp_path):
    folder = write(tmp_path / "a")
    os.mkfifo(folder / "contract.md")
    with pytest.raises(HarnessError, match="no plain file"):
        Harness.load(folder)


def test_a_byte_order_mark_does_not_count(tmp_path):
    plain = Harness.load(write(tmp_path / "a", contract_DOT_md=b"text\n"))
    marked = Harness.load(write(tmp_path / "b", contract_DOT_md=b"\xef\xbb\xbftext\n"))
    assert plain == marked


@pytest.mark.parametrize("name", ["sqldesk", "household", "orderdesk", "webshop", "empty"])
def test_seeds_are_harnesses_without_rules_and_skills(name):
    seed = Harness.load(SEEDS / name)
    assert seed.environment == name
    assert len(seed.layers) == 4
    assert seed.artifacts == ()


def test_a_seed_can_be_the_base_of_another_environment():
    base = Harness.load(SEEDS / "empty").for_environment("tau_bench_airline")
    assert base.environment == "tau_bench_airline"


def test_diff_shows_changed_added_and_removed_files(make, skill_text):
    old = make(contract="## A\n\nx\n", skills={"gone": skill_text("gone", "d")})
    new = old.put("contract", "A", "y").remove("skills", "gone")
    text = diff(old, new)
    assert "-x\n+y\n" in text
    assert "+++ /dev/null" in text
    assert text == diff(old, new)
    assert diff(old, old) == ""


def test_diff_tells_of_a_missing_last_line_end(make):
    assert "No newline" in diff(make(contract="a\n"), make(contract="a"))
