"""Rule files: `rule_*` functions read with `ast` on the host, never run here."""

import ast
import warnings
from dataclasses import dataclass
from functools import lru_cache

from .errors import HarnessError
from .stateless import is_stateless, tracked_names
from .values import RuleLayer

PATHS: dict[RuleLayer, str] = {"actions": "actions.py", "regulation": "regulation.py"}
PARAMETERS: dict[RuleLayer, tuple[str, str]] = {
    "actions": ("action", "context"),
    "regulation": ("history", "context"),
}
PREFIX = "rule_"
RESERVED = "__tr_"


@dataclass(frozen=True)
class Statement:
    """One top-level statement; lines count from 0, `end` is exclusive.

    Attributes:
        defines: names it binds in the module.
        uses: names that occur in it.
    """

    node: ast.stmt
    start: int
    end: int
    text: str
    defines: frozenset[str]
    uses: frozenset[str]

    @property
    def rule_name(self) -> str | None:
        """Name of the rule it is; null for helpers."""
        is_rule = isinstance(self.node, ast.FunctionDef) and self.node.name.startswith(PREFIX)
        return self.node.name if is_rule and isinstance(self.node, ast.FunctionDef) else None

    @property
    def is_docstring(self) -> bool:
        """Whether it is a bare string."""
        return isinstance(self.node, ast.Expr)


@dataclass(frozen=True)
class Rule:
    """One rule.

    Attributes:
        description: its docstring, on one line; the reason, for people.
        source: the function with everything of its file it uses; runs on its own.
        line: where it stands, from 1.
    """

    name: str
    description: str
    source: str
    line: int


@dataclass(frozen=True)
class RuleFile:
    """A parsed rule file.

    Attributes:
        rules: in file order, which is their order of precedence.
        is_stateless: whether a call of a rule can leave nothing behind for the next one, but for
            changes to `tracked`, the lists and dicts at the top level.
    """

    layer: RuleLayer
    source: str
    statements: tuple[Statement, ...]
    rules: tuple[Rule, ...]
    is_stateless: bool
    tracked: tuple[str, ...]


@lru_cache(maxsize=256)
def read_rules(layer: RuleLayer, source: str) -> RuleFile:
    """Parse a rule file.

    Raises:
        HarnessError: a syntax error, a rule that stands twice or takes the wrong arguments, a
            top-level statement that is no import, definition or constant; names file and line.
    """
    path = PATHS[layer]
    tree = _parse(source, path)
    statements = _statements(tree, source.split("\n"), path)
    names: set[str] = set()
    for statement in statements:
        _check_statement(statement, layer)
        name = statement.rule_name
        if name and name in names:
            msg = f"rule {name} stands twice"
            raise HarnessError(msg, where=f"{path}:{statement.start + 1}")
        names.add(name or "")
    rules = tuple(_rule(s, statements) for s in statements if s.rule_name)
    return RuleFile(layer, source, statements, rules, is_stateless(tree), tracked_names(tree))


def _parse(source: str, path: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as error:
        msg = f"syntax error: {error.msg}"
        raise HarnessError(msg, where=f"{path}:{error.lineno or 1}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        reason = str(error) or "nested too deeply"
        msg = f"cannot be parsed: {reason}"
        raise HarnessError(msg, where=path) from None


def _statements(tree: ast.Module, lines: list[str], path: str) -> tuple[Statement, ...]:
    found: list[Statement] = []
    free_from = 0
    for node in tree.body:
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        start = min([node.lineno, *(item.lineno for item in decorators)]) - 1
        end = node.end_lineno or node.lineno
        if start < free_from:
            msg = "two statements on one line at the top level"
            raise HarnessError(msg, where=f"{path}:{start + 1}")
        while start > free_from and lines[start - 1].startswith("#"):
            start -= 1
        text = "\n".join(lines[start:end])
        found.append(Statement(node, start, end, text, _defines(node), _uses(node)))
        free_from = end
    return tuple(found)


def _defines(node: ast.stmt) -> frozenset[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return frozenset({node.name})
    if isinstance(node, ast.Import | ast.ImportFrom):
        return frozenset((alias.asname or alias.name).split(".")[0] for alias in node.names)
    stored = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return frozenset(n.id for n in stored if isinstance(n.ctx, ast.Store))


def _uses(node: ast.stmt) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def _check_statement(statement: Statement, layer: RuleLayer) -> None:
    node = statement.node
    where = f"{PATHS[layer]}:{node.lineno}"
    allowed = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if not isinstance(node, allowed) and not is_text:
        msg = "only imports, functions, classes and constants stand at the top level"
        raise HarnessError(msg, where=where)
    if statement.rule_name is None and any(n.startswith(PREFIX) for n in statement.defines):
        msg = f"{PREFIX}* names are for plain functions"
        raise HarnessError(msg, where=where)
    if any(name.startswith(RESERVED) for name in statement.defines | statement.uses):
        msg = f"names that begin with {RESERVED} are reserved"
        raise HarnessError(msg, where=where)
    if statement.rule_name and isinstance(node, ast.FunctionDef):
        _check_parameters(node, layer, where)


def _check_parameters(node: ast.FunctionDef, layer: RuleLayer, where: str) -> None:
    given = node.args
    if len(given.posonlyargs) + len(given.args) != 2 or given.kwonlyargs or given.vararg:
        first, second = PARAMETERS[layer]
        msg = f"{node.name} must take ({first}, {second})"
        raise HarnessError(msg, where=where)


def _rule(statement: Statement, statements: tuple[Statement, ...]) -> Rule:
    node = statement.node
    docstring = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
    used = needed_by(statement, statements)
    text = "\n\n\n".join(part.text for part in [*used, statement])
    name = statement.rule_name or ""
    return Rule(name, " ".join((docstring or "").split()), text + "\n", node.lineno)


def needed_by(statement: Statement, statements: tuple[Statement, ...]) -> list[Statement]:
    """Find the other statements a statement uses, directly or through others, in file order."""
    wanted = set(statement.uses)
    found: set[int] = set()
    is_growing = True
    while is_growing:
        is_growing = False
        for position, other in enumerate(statements):
            if other is statement or position in found or not (other.defines & wanted):
                continue
            found.add(position)
            wanted |= other.uses
            is_growing = True
    return [statements[position] for position in sorted(found)]
