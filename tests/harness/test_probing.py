import pytest

from tasks.harness import Sandbox, probe
from tasks.harness.sandbox import Limits
from tasks.harness.values import RuleLayer

HEAD = "def rule_a(action, context):\n"


@pytest.fixture
def look(sandbox, run):
    def go(source, layer: RuleLayer = "actions"):
        return run(probe(layer, source, sandbox))

    return go


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        ("    while True:\n        pass\n", "timeout", "used up the time"),
        ("    for i in range(3000000):\n        pass\n", None, ""),
        ("    return 'a' * (10 ** 10)\n", "memory", "used up the memory"),
        ("    yield 1\n", "unsupported", "yield"),
        ("    del action['tool']\n", "unsupported", "del"),
        ("    import difflib\n    return difflib.x\n", "unsupported", "difflib"),
        ("    return globals()\n", "unsupported", "globals"),
        ("    return open('/etc/passwd')\n", "error", "Permission"),
        ("    return 5\n", "bad_result", "expected an object"),
        ("    return action['nothing']\n", "error", "KeyError"),
    ],
)
def test_what_is_wrong_with_a_rule_is_found(look, body, kind, said):
    findings = look(HEAD + body)
    assert findings
    if kind:
        assert {finding.kind for finding in findings} == {kind}
    else:
        assert findings[0].is_fatal
    assert findings[0].rule == "rule_a"
    assert said in findings[0].message


def test_a_slow_rule_is_refused_even_when_it_ends_in_time(run):
    source = HEAD + "    for i in range(1000000):\n        pass\n"

    async def look_with_patience():
        async with Sandbox(workers=1, limits=Limits(seconds=5, request_seconds=20)) as box:
            return await probe("actions", source, box)

    (finding,) = run(look_with_patience())
    assert (finding.kind, finding.is_fatal) == ("slow", True)
    assert "25 ms" in finding.message


def test_a_syntax_error_is_found_with_its_line(look):
    (finding,) = look("x = 1\ndef rule_a(action, context)\n    pass\n")
    assert (finding.kind, finding.line, finding.is_fatal) == ("syntax", 2, True)


def test_a_good_file_has_no_findings(look):
    source = (
        "import re\n\nNAMES = ['a']\n\n\n"
        + HEAD
        + "    text = action['arguments'].get('sql', '')\n"
        "    if re.search('x', str(text)):\n"
        "        return {'kind': 'block', 'message': 'no'}\n"
    )
    assert look(source) == []
    assert look("def rule_h(history, context):\n    return None\n", "regulation") == []
    assert look("") == []


def test_only_the_broken_rule_of_a_file_is_named(look):
    source = HEAD + "    return None\n\n\ndef rule_b(action, context):\n    yield 1\n"
    assert {finding.rule for finding in look(source)} == {"rule_b"}


def test_faults_on_a_fixture_are_told_but_not_fatal(look):
    findings = look(HEAD + "    return action['arguments']['sql'] and None\n")
    assert findings
    assert not any(finding.is_fatal for finding in findings)
