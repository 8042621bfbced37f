"""Static checks of a candidate: what can be told from its files alone."""

import ast
import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import get_args

from schemas.fields import Layer
from tasks.gate.candidate import Candidate
from tasks.gate.findings import Finding
from tasks.gate.hygiene import unwelcome
from tasks.gate.leak import LeakGuard
from tasks.gate.sameness import Refusals
from tasks.gate.source_words import without_language
from tasks.harness import Harness, diff, diff_files

MAX_CHANGED_LINES = 40
MAX_ADDED_CHARS = 4_000
MAX_CONTRACT_CHARS = 8_000
MAX_SKILL_CHARS = 4_000
ALLOWED_IMPORTS = frozenset({"re", "json", "math", "typing", "dataclasses"})
IMPURE_NAMES = frozenset(
    {"open", "eval", "exec", "compile", "input", "globals", "locals", "vars", "setattr"}
    | {"delattr", "breakpoint", "__import__", "__builtins__"}
)
LAYER_OF_PATH: dict[str, Layer] = {
    "contract.md": "contract",
    "actions.py": "actions",
    "regulation.py": "regulation",
}


@dataclass(frozen=True)
class StaticContext:
    """What a candidate is checked against.

    Attributes:
        known: harness ids that exist or were refused, with a word that says which.
        refusals: changes that the gate has refused, in any form; grows within a round.
        guard: secrets of closed tasks.
        visible_text: what an agent can see in this environment; addresses in it are no news.
        pinned_fingerprint: environment and checker when the cycle began.
        fingerprint: environment and checker now.
    """

    known: Mapping[str, str] = field(default_factory=dict[str, str])
    refusals: Refusals = field(default_factory=Refusals)
    guard: LeakGuard | None = None
    visible_text: str = ""
    pinned_fingerprint: str = ""
    fingerprint: str = ""

    def with_known(self, known: Mapping[str, str]) -> "StaticContext":
        """The same context with other known harnesses."""
        return replace(self, known=known)


def check_static(candidate: Candidate, context: StaticContext) -> list[Finding]:
    """Everything that speaks against a candidate before anything is run, worst first."""
    parent, child = candidate.parent, candidate.child
    if child.harness_id == parent.harness_id:
        return [Finding("inert", "The edit changes nothing.")]
    duplicate = _check_known(candidate, context)
    if duplicate:
        return duplicate
    added = added_text(parent, child)
    findings = _check_pins(candidate, context) + _check_settings(parent, child)
    findings += _check_layer(candidate) + _check_size(parent, child, added)
    findings += _check_purity(parent, child) + unwelcome(added, context.visible_text)
    leaks = context.guard.scan(_said(parent, child)) if context.guard else []
    return leaks + findings


def added_text(parent: Harness, child: Harness) -> str:
    """Lines that the edit adds, names of new files included."""
    return _added(diff(parent, child))


def _said(parent: Harness, child: Harness) -> str:
    """What of the added lines is the editor's own choice of words."""
    return _added(diff_files(without_language(parent.files), without_language(child.files)))


def _added(difference: str) -> str:
    lines = difference.splitlines()
    return "\n".join(
        line[1:].removeprefix("++ b/") for line in lines if line.startswith("+") and line != "+++"
    )


def changed_lines(parent: Harness, child: Harness) -> int:
    """Lines that differ; a replaced line counts once."""
    count = 0
    for path in parent.files.keys() | child.files.keys():
        old = parent.files.get(path, "").split("\n")
        new = child.files.get(path, "").split("\n")
        if old == new:
            continue
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag != "equal":
                count += max(_filled(old[i1:i2]), _filled(new[j1:j2]))
    return count


def touched_layers(parent: Harness, child: Harness) -> set[str]:
    """Layers whose files differ; files of no layer appear under their path."""
    touched: set[str] = set()
    for path in parent.files.keys() | child.files.keys():
        if parent.files.get(path) == child.files.get(path):
            continue
        layer = "skills" if path.startswith("skills/") else LAYER_OF_PATH.get(path)
        touched.add(layer or path)
    return touched


def changed_artifacts(parent: Harness, child: Harness) -> dict[str, str]:
    """Ids of artifacts that the child adds or changes, with their names."""
    before = {artifact.artifact_id for artifact in parent.artifacts}
    return {a.artifact_id: a.name for a in child.artifacts if a.artifact_id not in before}


def removed_artifacts(parent: Harness, child: Harness) -> dict[str, str]:
    """Ids of artifacts that the child lacks or has changed, with their names."""
    return changed_artifacts(child, parent)


def _filled(lines: list[str]) -> int:
    return sum(bool(line.strip()) for line in lines)


def _check_known(candidate: Candidate, context: StaticContext) -> list[Finding]:
    known = context.known.get(candidate.child.harness_id)
    if known is not None:
        return [Finding("duplicate", f"The harness it makes is already known ({known}).")]
    refused = context.refusals.of(candidate.parent, candidate.child)
    if refused:
        names = ", ".join(refused)
        return [Finding("duplicate", f"The gate has refused this before, as {names}.")]
    return []


def _check_pins(candidate: Candidate, context: StaticContext) -> list[Finding]:
    findings = []
    if context.pinned_fingerprint != context.fingerprint:
        text = "The environment or its checker is not the one this run began with."
        findings.append(Finding("static", text))
    if candidate.child.environment != candidate.parent.environment:
        text = f"It renames the environment to {candidate.child.environment!r}."
        findings.append(Finding("static", text))
    return findings


def _check_settings(parent: Harness, child: Harness) -> list[Finding]:
    findings = []
    if child.layers != parent.layers:
        findings.append(Finding("static", "It switches layers on or off; an edit may not."))
    if child.delivery != parent.delivery:
        findings.append(Finding("static", "It changes how skills are delivered; an edit may not."))
    if child.api != parent.api:
        findings.append(Finding("static", "It changes the format version of the harness."))
    for name, value in child.budgets.model_dump().items():
        before = getattr(parent.budgets, name)
        if value != before:
            text = f"It changes the budget {name} from {before} to {value}; an edit may not."
            findings.append(Finding("static", text))
    return findings


def _check_layer(candidate: Candidate) -> list[Finding]:
    touched = touched_layers(candidate.parent, candidate.child)
    settings_only = touched - {"harness.yaml"}
    foreign = sorted(settings_only - set(get_args(Layer)))
    if foreign:
        return [Finding("static", f"It changes {', '.join(foreign)}, which belongs to no layer.")]
    if not settings_only:
        return [] if _differs_in_settings(candidate) else [Finding("inert", "It changes nothing.")]
    if len(settings_only) > 1:
        layers = ", ".join(sorted(settings_only))
        return [Finding("static", f"It touches the layers {layers}; an edit touches one.")]
    if settings_only != {candidate.layer}:
        text = f"It says it edits {candidate.layer} but changes {settings_only.pop()}."
        return [Finding("static", text)]
    if candidate.layer not in candidate.child.layers:
        return [Finding("inert", f"The layer {candidate.layer} is switched off.")]
    changed = changed_artifacts(candidate.parent, candidate.child)
    gone = removed_artifacts(candidate.parent, candidate.child)
    if candidate.artifact not in {*changed.values(), *gone.values()}:
        text = f"It says it edits {candidate.artifact!r}, which it leaves as it was."
        return [Finding("static", text)]
    return []


def _differs_in_settings(candidate: Candidate) -> bool:
    return candidate.child.settings != candidate.parent.settings


def _check_size(parent: Harness, child: Harness, added: str) -> list[Finding]:
    findings = []
    lines = changed_lines(parent, child)
    if lines > MAX_CHANGED_LINES:
        text = f"It changes {lines} lines; at most {MAX_CHANGED_LINES} are allowed."
        findings.append(Finding("static", text))
    if len(added) > MAX_ADDED_CHARS:
        text = f"It adds {len(added)} characters; at most {MAX_ADDED_CHARS} are allowed."
        findings.append(Finding("static", text))
    total, before = _contract_chars(child), _contract_chars(parent)
    if total > MAX_CONTRACT_CHARS and total > before:
        text = f"The contract grows to {total} characters; at most {MAX_CONTRACT_CHARS} are read."
        findings.append(Finding("static", text))
    old = {skill.name: len(skill.body) for skill in parent.skills}
    for skill in child.skills:
        if len(skill.body) > max(MAX_SKILL_CHARS, old.get(skill.name, 0)):
            text = f"Skill {skill.name} has {len(skill.body)} characters; {MAX_SKILL_CHARS} fit."
            findings.append(Finding("static", text))
    return findings


def _contract_chars(harness: Harness) -> int:
    hints = harness.contract.tool_hints.values()
    return len(harness.contract.prompt) + sum(len(hint) for hint in hints)


def _check_purity(parent: Harness, child: Harness) -> list[Finding]:
    findings = []
    changed = changed_artifacts(parent, child)
    for artifact in child.artifacts:
        if artifact.artifact_id not in changed or artifact.layer not in ("actions", "regulation"):
            continue
        for problem in impurities(artifact.body):
            findings.append(Finding("static", f"{artifact.name} {problem}."))
    return findings


def impurities(source: str) -> list[str]:
    """What makes a rule depend on anything but its arguments, each as the end of a sentence."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or "."]
        else:
            modules = []
        for module in modules:
            if module.split(".")[0] not in ALLOWED_IMPORTS:
                found.add(
                    f"imports {module}; a rule may import {', '.join(sorted(ALLOWED_IMPORTS))}"
                )
        if isinstance(node, ast.Global | ast.Nonlocal):
            found.add("keeps state between calls (global or nonlocal)")
        if isinstance(node, ast.Name) and node.id in IMPURE_NAMES:
            found.add(f"uses {node.id}, which reaches beyond its arguments")
        if isinstance(node, ast.Attribute) and node.attr.startswith("__"):
            found.add(f"reads {node.attr}, which reaches beyond its arguments")
        if isinstance(node, ast.AsyncFunctionDef | ast.Await | ast.Yield | ast.YieldFrom):
            found.add("is no plain function")
    return sorted(found)
