"""The static probe: what in a rule file will not work in the sandbox, and which rule is slow."""

import ast
import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pydantic_monty as monty
from pydantic import TypeAdapter

from .driver import PAYLOADS, feed_code, read_feed
from .errors import HarnessError
from .fixtures import probe_timelines
from .results import BadResultError, read_result
from .rules import Rule, RuleFile, read_rules
from .sandbox import Sandbox, explain, read_outcome
from .timeline import Timeline
from .values import RuleLayer

MAX_RULE_S = 0.025
ATTEMPTS = 3
FindingKind = Literal[
    "syntax", "unsupported", "slow", "timeout", "memory", "crash", "error", "bad_result"
]


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a rule file.

    Attributes:
        kind: `syntax`, `unsupported`, `slow`, `timeout`, `memory` and `crash` make a file
            unfit; `error` and `bad_result` are faults the rule showed on a fixture.
        rule: rule concerned; empty when it is the file.
        line: line in the file, from 1; null when unknown.
    """

    kind: FindingKind
    rule: str
    line: int | None
    message: str

    @property
    def is_fatal(self) -> bool:
        """Whether the file must be refused."""
        return self.kind not in ("error", "bad_result")


async def probe(
    layer: RuleLayer, source: str, sandbox: Sandbox, *, timelines: Sequence[Timeline] = ()
) -> list[Finding]:
    """Check a rule file: it parses, uses what the sandbox has, and is quick on all fixtures.

    The fixtures are built in: no call, a broken call, a plain call, long and empty histories;
    `timelines` adds stored episodes.

    Raises:
        SandboxError: the sandbox is gone.
    """
    try:
        rules = read_rules(layer, source)
    except HarnessError as error:
        line = error.where.rpartition(":")[2]
        return [Finding("syntax", "", int(line) if line.isdecimal() else None, error.what)]
    findings = await _unsupported(rules, sandbox)
    broken = {finding.rule for finding in findings}
    shown = [*probe_timelines(layer), *timelines]
    for rule in rules.rules:
        if rule.name not in broken and "" not in broken:
            findings += await _try_rule(layer, rule, shown, sandbox)
    return findings


_MISSING = TypeAdapter(list[tuple[int, str]])


async def _unsupported(rules: RuleFile, sandbox: Sandbox) -> list[Finding]:
    findings: list[Finding] = []
    for rule in rules.rules:
        needs = _needs(rule.source)
        checks = "".join(
            f"try:\n    {need}\nexcept BaseException as e:\n    bad.append([{at}, str(e)])\n"
            for at, need in enumerate(needs)
        )
        code = f"bad = []\n{checks}{rule.source}\nbad\n"
        try:
            value = await sandbox.run(code, {}, seconds=sandbox.limits.seconds)
        except monty.MontyError as error:
            kind, message = explain(error)
            fatal: FindingKind = "unsupported" if kind in ("error", "bad_result") else kind
            findings.append(Finding(fatal, rule.name, rule.line, message))
            continue
        for at, said in _MISSING.validate_python(value):
            findings.append(Finding("unsupported", rule.name, rule.line, f"{needs[at]}: {said}"))
    return findings


def _needs(source: str) -> list[str]:
    """List imports and builtins a rule relies on, as statements to try out."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    bound = {
        node.id
        for node in nodes
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }
    found = [ast.unparse(node) for node in imports]
    return found + sorted(name for name in names - bound if hasattr(builtins, name))


async def _try_rule(
    layer: RuleLayer, rule: Rule, timelines: Sequence[Timeline], sandbox: Sandbox
) -> list[Finding]:
    findings: dict[str, Finding] = {}
    for timeline in timelines:
        tried = await _try_once(layer, rule, timeline, sandbox)
        for _ in range(ATTEMPTS - 1):
            if not any(finding.is_fatal for finding in tried):
                break
            tried = await _try_once(layer, rule, timeline, sandbox)
        for finding in tried:
            findings.setdefault(f"{finding.kind} {finding.message}", finding)
        if any(finding.is_fatal for finding in tried):
            break
    return list(findings.values())


async def _try_once(
    layer: RuleLayer, rule: Rule, timeline: Timeline, sandbox: Sandbox
) -> list[Finding]:
    code = feed_code(layer, rule.source, [rule.name], is_timed=True)
    seconds = sandbox.limits.seconds + MAX_RULE_S * len(timeline.points)
    inputs: dict[str, object] = {PAYLOADS: [timeline.payload()]}
    try:
        value = await sandbox.run(code, inputs, seconds=seconds, process_time="elapsed")
    except monty.MontyError as error:
        kind, message = explain(error)
        return [Finding(kind, rule.name, rule.line, message)]
    read = read_feed(value, 1)
    if read is None:
        return [Finding("unsupported", rule.name, rule.line, "tampers with how rules are called")]
    spent = max(
        (float(text) for _, _, status, text in read[0].rows if status == "spent"), default=0.0
    )
    if spent > MAX_RULE_S:
        message = f"takes more than the {MAX_RULE_S * 1000:.0f} ms that are allowed"
        return [Finding("slow", rule.name, rule.line, message)]
    rows = [(status, text) for _, _, status, text in read[0].rows if status != "spent"]
    return [found for status, text in rows if (found := _judge(layer, rule, status, text))]


def _judge(layer: RuleLayer, rule: Rule, status: str, text: str) -> Finding | None:
    outcome = read_outcome(rule.name, status, text)
    if outcome.fault is not None:
        return Finding(outcome.fault, rule.name, rule.line, outcome.message)
    try:
        read_result(rule.name, outcome.result or "", layer=layer, tools=())
    except BadResultError as error:
        return Finding("bad_result", rule.name, rule.line, str(error))
    return None
