import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tasks.harness import Harness, HarnessError

RULE_A = 'def rule_a(action, context):\n    """Why a."""\n    return None\n'
RULE_B = "# about b\ndef rule_b(action, context):\n    return None\n"
WITH_HELPER = "import re\n\nLIMIT = 3\n\n\ndef shorten(text):\n    return text[:LIMIT]\n\n\n"
RULE_C = WITH_HELPER + "def rule_c(action, context):\n    return re.match(shorten('x'), 'x')\n"


def base():
    return Harness.from_files({"harness.yaml": "api: 1\nname: n\nenvironment: sqldesk\n"})


def start():
    return (
        base()
        .put("contract", "First", "Text of the first.")
        .put("contract", "tool:execute_sql", "One statement.")
        .put("actions", "rule_a", RULE_A)
        .put("actions", "rule_c", RULE_C)
        .put("skills", "s", "---\nname: s\ndescription: d\n---\nText.\n")
    )


def skill(name):
    return f"---\nname: {name}\ndescription: d\n---\nText.\n"


PUTS = [
    ("contract", "Second", "More text.\n\n- a\n- b\n"),
    ("contract", "tool:commit", "Give a list."),
    ("skills", "other", skill("other")),
    ("actions", "rule_b", RULE_B),
    ("actions", "rule_d", RULE_C.replace("rule_c", "rule_d").replace("shorten", "cut")),
    ("regulation", "rule_r", "def rule_r(history, context):\n    return None\n"),
]


@pytest.mark.parametrize("put", PUTS, ids=[f"{layer}-{name}" for layer, name, _ in PUTS])
@pytest.mark.parametrize("harness", [base(), start()], ids=["empty", "full"])
def test_removing_what_was_put_gives_the_same_id(put, harness):
    layer, name, body = put
    changed = harness.put(layer, name, body)
    assert changed != harness
    assert changed.artifact(layer, name).name == name
    assert changed.remove(layer, name) == harness


@given(st.lists(st.sampled_from(PUTS), min_size=1, unique_by=lambda put: put[1]), st.randoms())
@settings(max_examples=15, deadline=None)
def test_any_order_of_removals_leads_back(puts, chance):
    harness = start()
    for layer, name, body in puts:
        harness = harness.put(layer, name, body)
    shuffled = list(puts)
    chance.shuffle(shuffled)
    for layer, name, _ in shuffled:
        harness = harness.remove(layer, name)
    assert harness == start()


@pytest.mark.parametrize("artifact", start().artifacts, ids=lambda artifact: artifact.name)
def test_putting_an_artifact_where_it_stands_changes_nothing(artifact):
    harness = start()
    assert harness.put(artifact.layer, artifact.name, artifact.body) == harness


@pytest.mark.parametrize("artifact", start().artifacts, ids=lambda artifact: artifact.name)
def test_an_artifact_moves_to_another_harness_under_its_id(artifact):
    moved = base().put(artifact.layer, artifact.name, artifact.body)
    assert moved.artifact(artifact.layer, artifact.name).artifact_id == artifact.artifact_id


def test_a_replaced_rule_keeps_its_place():
    harness = base().put("actions", "rule_a", RULE_A).put("actions", "rule_b", RULE_B)
    changed = harness.put("actions", "rule_a", RULE_A.replace("Why a", "Why now"))
    assert [rule.name for rule in changed.actions.rules] == ["rule_a", "rule_b"]
    assert changed.artifact("actions", "rule_a").description == "Why now."


def test_a_replaced_section_keeps_its_place():
    harness = start().put("contract", "Second", "b").put("contract", "First", "changed")
    assert [section.title for section in harness.contract.sections] == ["First", "Second"]
    assert harness.contract.sections[0].text == "changed"


def test_a_shared_helper_stays_as_long_as_it_is_used():
    harness = start().put("actions", "rule_d", RULE_C.replace("rule_c", "rule_d"))
    assert harness.files["actions.py"].count("def shorten") == 1
    assert "def shorten" in harness.remove("actions", "rule_c").files["actions.py"]
    both = harness.remove("actions", "rule_c").remove("actions", "rule_d")
    assert "shorten" not in both.files["actions.py"]
    assert "import re" not in both.files["actions.py"]


def test_a_helper_of_the_same_name_and_other_content_is_refused():
    other = RULE_C.replace("rule_c", "rule_d").replace("LIMIT = 3", "LIMIT = 4")
    with pytest.raises(HarnessError, match="LIMIT already stands"):
        start().put("actions", "rule_d", other)


def test_a_rule_body_must_be_the_named_rule():
    with pytest.raises(HarnessError, match="expected one function rule_x, found rule_a"):
        base().put("actions", "rule_x", RULE_A)
    with pytest.raises(HarnessError, match="found none"):
        base().put("actions", "rule_x", "x = 1\n")


def test_a_section_cannot_smuggle_in_another_one():
    with pytest.raises(HarnessError, match="another ## title"):
        base().put("contract", "A", "x\n\n## B\n\ny")


def test_a_heading_in_a_code_block_is_text():
    harness = base().put("contract", "A", "```\n## not a title\n```")
    assert [section.title for section in harness.contract.sections] == ["A"]


@pytest.mark.parametrize("title", ["", " ", "a\nb", "x" * 200])
def test_a_bad_title_is_refused(title):
    with pytest.raises(HarnessError):
        base().put("contract", title, "x")


def test_a_layer_can_be_switched_off_and_keeps_its_artifacts():
    harness = start().without_layer("actions")
    assert harness.layers == ("contract", "skills", "regulation")
    assert harness.artifact("actions", "rule_a")
    assert harness != start()
    assert harness.without_layer("actions") == harness


def test_delivery_can_be_changed_and_the_name_survives():
    harness = start().with_delivery("on_demand")
    assert harness.delivery == "on_demand"
    assert harness.name == "n"
    assert harness.with_delivery("on_demand") == harness


def test_a_harness_cannot_be_changed_in_place():
    with pytest.raises(TypeError):
        start().files["contract.md"] = "x"  # type: ignore[index]
