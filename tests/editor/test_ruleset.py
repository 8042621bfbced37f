"""Every rule the editor can write is fit for the sandbox and short enough for one edit."""

import asyncio
import inspect

import pytest

from tasks.editor.rule_text import MAX_LINES, render_rule
from tasks.editor.ruleset import block, hint, rescue, rewrite
from tasks.harness import Sandbox
from tasks.harness.probe import probe

VALUES = {"tool": "look_up", "argument": "key", "starts": ("SELECT",), "words": ("yes",)}
RULES = [
    (module, rule)
    for module in (rescue, rewrite, block, hint)
    for name, rule in vars(module).items()
    if name.startswith("rule_")
]


def rendered(rule):
    parameters = {
        key: VALUES.get(key, one.default)
        for key, one in inspect.signature(rule).parameters.items()
        if one.kind is one.KEYWORD_ONLY
    }
    return render_rule(rule, "Reason.", parameters)


@pytest.mark.parametrize(("module", "rule"), RULES, ids=[rule.__name__ for _, rule in RULES])
def test_a_rule_is_short_and_has_a_reason(module, rule):
    source = rendered(rule)
    assert len(source.splitlines()) <= MAX_LINES
    assert '"""Reason."""' in source
    assert "noqa" not in source


def test_every_rule_passes_the_static_probe():
    async def check():
        async with Sandbox(workers=1) as sandbox:
            return {
                rule.__name__: await probe(
                    "regulation" if module is hint else "actions", rendered(rule), sandbox
                )
                for module, rule in RULES
            }

    slow_machine = {"slow", "timeout"}
    for name, findings in asyncio.run(check()).items():
        assert [one for one in findings if one.kind not in slow_machine] == [], name


def test_a_reason_cannot_break_out_of_the_docstring():
    source = render_rule(block.rule_block_before_required, 'a """ b \\ c"', {"tool": "x\n'y"})
    compile(source, "rule", "exec")
