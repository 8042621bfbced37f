"""When two edits are the same in all but form, so that a refused one is not tried again.

A rule is compared as a syntax tree without comments, docstrings and names of its own; a text in
NFKC and lower case without comments and with single spaces. Punctuation and digits count: in a
text about the form of an answer they are what it says.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from schemas.ids import sha256_hex
from tasks.gate.leak import fold
from tasks.harness import Artifact, Harness

RULE_LAYERS = ("actions", "regulation")
Change = tuple[str, str]
"""What happens (`put` or `gone`) and the form of the artifact it happens to."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SKILL_NAME = re.compile(r"\A(---\n(?:.*\n)*?)name:.*\n")


@dataclass
class Refusals:
    """Changes that the gate has refused; grows while a round is judged."""

    known: dict[Change, str] = field(default_factory=dict[Change, str])

    def add(self, parent: Harness, child: Harness) -> None:
        """Remember what a refused edit changes."""
        self.known.update(changed_forms(parent, child))

    def of(self, parent: Harness, child: Harness) -> list[str]:
        """Names of the artifacts of an edit when all that it does was refused before."""
        forms = changed_forms(parent, child)
        if not forms or not all(form in self.known for form in forms):
            return []
        return sorted({self.known[form] for form in forms})


def changed_forms(parent: Harness, child: Harness) -> dict[Change, str]:
    """What an edit puts and what it takes away, each with the name of the artifact."""
    before = {item.artifact_id: item for item in parent.artifacts}
    after = {item.artifact_id: item for item in child.artifacts}
    stays = {(item.layer, item.name) for item in child.artifacts}
    forms = {("put", form_of(item)): item.name for key, item in after.items() if key not in before}
    gone = [item for item in before.values() if (item.layer, item.name) not in stays]
    return forms | {("gone", form_of(item)): item.name for item in gone}


def form_of(artifact: Artifact) -> str:
    """Hash that artifacts share when they differ in form alone."""
    body = artifact.body
    if artifact.layer in RULE_LAYERS:
        said = _rule_form(body)
    elif artifact.layer == "skills":
        said = _text_form(_SKILL_NAME.sub(r"\1", body))
    else:
        said = _text_form(body)
    return sha256_hex(f"{artifact.layer}\n{said}")[:16]


def _text_form(text: str) -> str:
    return " ".join(fold(_COMMENT.sub(" ", text)).casefold().split())


def _rule_form(source: str) -> str:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return " ".join(source.split())
    names: dict[str, str] = {}
    for name in _own_names(tree):
        names.setdefault(name, f"v{len(names)}")
    for node in ast.walk(tree):
        _strip_docstring(node)
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.arg):
            node.arg, node.annotation = names.get(node.arg, node.arg), None
        elif isinstance(node, ast.FunctionDef):
            node.name, node.returns = names.get(node.name, node.name), None
    return ast.dump(tree)


def _own_names(tree: ast.AST) -> Iterator[str]:
    """Names that a rule gives, in the order in which it gives them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _strip_docstring(node: ast.AST) -> None:
    if not isinstance(node, ast.FunctionDef | ast.Module):
        return
    match node.body:
        case [ast.Expr(value=ast.Constant(value=str())), *rest]:
            node.body = rest or [ast.Pass()]
        case _:
            pass
