import pytest

from tasks.harness import Harness, HarnessError

YAML = "api: 1\nenvironment: sqldesk\n"
RULE = "def rule_a(action, context):\n    return None\n"
SKILL = "---\nname: s\ndescription: d\n---\nText.\n"


def refuse(**files):
    named = {path.replace("__", "/").replace("_DOT_", "."): text for path, text in files.items()}
    with pytest.raises(HarnessError) as caught:
        Harness.from_files({"harness.yaml": YAML, **named})
    message = str(caught.value)
    assert "\n" not in message
    return caught.value


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("api: 1\nenvironment: [sqldesk\n", "harness.yaml:3", "broken YAML"),
        ("api: 1\nenvironment: a\nenvironment: b\n", "harness.yaml:1", "stands twice"),
        ("a: &x [1]\nb: *x\n", "harness.yaml:1", "aliases"),
        ("- api\n", "harness.yaml", "expected a mapping"),
        ("api: 2\nenvironment: sqldesk\n", "harness.yaml", "api 2 is not supported"),
        ("environment: sqldesk\n", "harness.yaml", "'api' is missing"),
        ("api: 1\n", "harness.yaml", "'environment' is missing"),
        (YAML + "colour: red\n", "harness.yaml", "unknown key 'colour'"),
        (YAML + "layers: {skill: true}\n", "harness.yaml", "unknown key 'layers.skill'"),
        (YAML + "layers: {skills: 1}\n", "harness.yaml", "layers.skills"),
        (YAML + "delivery: often\n", "harness.yaml", "delivery"),
        ("api: 1\nenvironment: Sql Desk\n", "harness.yaml", "environment"),
        ("api: 1\nenvironment: " + "[" * 5000, "harness.yaml", "nested too deeply"),
        ("environment: " + "- " * 7000, "harness.yaml", "broken YAML"),
        ("environment:\n" + "".join(" " * n + "a:\n" for n in range(150)), "harness.yaml", "deep"),
        ("a: " + "x" * 20_000, "harness.yaml", "longer than"),
        ("api: 1\nenvironment: \x07\n", "harness.yaml", "broken YAML"),
    ],
)
def test_a_bad_settings_file_is_one_clear_line(text, where, what):
    with pytest.raises(HarnessError) as caught:
        Harness.from_files({"harness.yaml": text})
    assert caught.value.where.startswith(where)
    assert what in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_folder_without_settings_is_refused():
    with pytest.raises(HarnessError, match=r"harness\.yaml is missing"):
        Harness.from_files({"contract.md": "x"})


@pytest.mark.parametrize(
    ("source", "where", "what"),
    [
        ("x = 1\ndef rule_a(action, context)\n    pass\n", "actions.py:2", "syntax error"),
        (RULE + "\n\n" + RULE, "actions.py:5", "rule rule_a stands twice"),
        ("def rule_a(action):\n    pass\n", "actions.py:1", "must take (action, context)"),
        ("def rule_a(*rest):\n    pass\n", "actions.py:1", "must take (action, context)"),
        ("async def rule_a(action, context):\n    pass\n", "actions.py:1", "top level"),
        ("if True:\n    x = 1\n", "actions.py:1", "top level"),
        ("print('x')\n", "actions.py:1", "top level"),
        ("rule_a = 5\n", "actions.py:1", "rule_*"),
        ("a = 1; b = 2\n", "actions.py:1", "two statements"),
        ("__tr_run = 1\n", "actions.py:1", "reserved"),
        ("x = '\0'\n", "actions.py", "NUL"),
        ("x = " + "(" * 3000 + "\n", "actions.py", ""),
        ("x = " + "-" * 30000 + "1\n", "actions.py", ""),
    ],
)
def test_a_bad_rule_file_is_one_clear_line(source, where, what):
    error = refuse(**{"actions_DOT_py": source})
    assert error.where.startswith(where)
    assert what in str(error)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("Text only.\n", "front matter"),
        ("---\nname: s\n", "not closed"),
        ("---\nname: s\n---\nText.\n", "'description' is missing"),
        ("---\nname: other\ndescription: d\n---\nText.\n", "not the folder's name"),
        ("---\nname: s\ndescription: d\n---\n\n", "has text"),
        ("---\nname: s\ndescription: [1]\n---\nText.\n", "description"),
        ("---\nname: s\ndescription: d\nwhen: now\n---\nText.\n", "unknown key 'when'"),
        ("---\nname: s\ndescription: d\ntrigger: {some: [a]}\n---\nx\n", "unknown key"),
        ("---\nname: s\ndescription: d\ncheckpoints: 4\n---\nx\n", "checkpoints"),
        ("---\nname: s\ndescription: : :\n---\nx\n", "broken YAML"),
    ],
)
def test_a_bad_skill_is_one_clear_line(text, what):
    assert what in str(refuse(skills__s__SKILL_DOT_md=text))


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+", "(a|b)*", "a*b*c*", "(", "(?P<x>a)(?P=x)", "(a)\\\\1", "(?=a*)*", "(?:a{1,}){2,}"],
)
def test_a_pattern_that_could_run_away_is_refused(pattern):
    check = f'checkpoints: [{{text: t, pattern: "{pattern}"}}]'
    text = f"---\nname: s\ndescription: d\n{check}\n---\nx\n"
    refuse(skills__s__SKILL_DOT_md=text)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("## A\n\nx\n\n## A\n\ny\n", "stands twice"),
        ("---\nhints: {}\n---\nx\n", "unknown key 'hints'"),
        ("---\ntools: [a]\n---\nx\n", "must map"),
        ("---\ntools: {a: 1}\n---\nx\n", "must map"),
    ],
)
def test_a_bad_contract_is_one_clear_line(text, what):
    assert what in str(refuse(contract_DOT_md=text))


@pytest.mark.parametrize(
    "path",
    [
        "../contract.md",
        "/contract.md",
        "skills/../SKILL.md",
        "skills/a/b/SKILL.md",
        "skills\\a\\SKILL.md",
        "skills/A/SKILL.md",
        "notes.txt",
        "contract.md\n",
        "",
    ],
)
def test_unknown_and_unsafe_paths_are_refused(path):
    with pytest.raises(HarnessError, match="no file of a harness"):
        Harness.from_files({"harness.yaml": YAML, path: "x"})


def test_oversized_files_are_refused():
    assert "larger than" in str(refuse(contract_DOT_md="x" * 70_000))


def test_many_files_are_refused():
    files = {f"skills/s{n}/SKILL.md": SKILL for n in range(300)}
    with pytest.raises(HarnessError, match="files"):
        Harness.from_files({"harness.yaml": YAML, **files})


def test_unknown_layers_and_artifacts_are_refused(make):
    with pytest.raises(HarnessError, match="no layer 'skill'"):
        make().put("skill", "x", "y")
    with pytest.raises(HarnessError, match="no layer 'skill'"):
        make().without_layer("skill")
    with pytest.raises(HarnessError, match="no rule 'rule_x'"):
        make().remove("actions", "rule_x")
    with pytest.raises(HarnessError, match="no section 'X'"):
        make().remove("contract", "X")
    with pytest.raises(HarnessError, match="no artifact 'x'"):
        make().remove("skills", "x")
