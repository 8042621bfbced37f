"""Adding, replacing and removing one rule in the text of a rule file."""

from .errors import HarnessError
from .rules import PATHS, Statement, needed_by, read_rules
from .text import normalise
from .values import RuleLayer

GAP = "\n\n\n"


def put_rule(layer: RuleLayer, source: str, name: str, body: str) -> str:
    """Add a rule at the end of a file, or replace the one of that name where it stands.

    `body` is one `rule_*` function, with the imports, constants and helper functions it uses
    before it. A helper the file already has word for word is shared.

    Raises:
        HarnessError: the body is not one such rule, or a helper's name is taken.
    """
    wanted = read_rules(layer, normalise(body).strip("\n") + "\n")
    where = f"{PATHS[layer]}: {name}"
    if [rule.name for rule in wanted.rules] != [name]:
        found = ", ".join(rule.name for rule in wanted.rules) or "none"
        msg = f"expected one function {name}, found {found}"
        raise HarnessError(msg, where=where)
    statements = read_rules(layer, source).statements
    old = next((part for part in statements if part.rule_name == name), None)
    added = [part for part in wanted.statements if not part.is_docstring]
    texts = {part.text for part in added}
    gone = [part for part in _only_used_by(old, statements) if part.text not in texts]
    present = tuple(part for part in statements if part is not old and part not in gone)
    block = GAP.join(part.text for part in added if _is_new(part, present, where))
    if old is None:
        return _join(source.split("\n"), block, [])
    return _replace(source, {old.start: (old, block), **{part.start: (part, "") for part in gone}})


def _only_used_by(rule: Statement | None, statements: tuple[Statement, ...]) -> list[Statement]:
    """Find the helpers that nobody would need without the rule."""
    if rule is None:
        return []
    kept = [part for part in statements if part.rule_name and part is not rule]
    still_used = {id(used) for part in kept for used in needed_by(part, statements)}
    own = [part for part in needed_by(rule, statements) if not part.rule_name]
    return [part for part in own if id(part) not in still_used]


def _replace(source: str, changes: dict[int, tuple[Statement, str]]) -> str:
    lines = source.split("\n")
    for start in sorted(changes, reverse=True):
        part, text = changes[start]
        lines = _join(lines[:start], text, lines[part.end :]).split("\n")
    return "\n".join(lines)


def _is_new(part: Statement, present: tuple[Statement, ...], where: str) -> bool:
    if any(other.text == part.text for other in present):
        return False
    taken = part.defines & frozenset[str]().union(*(other.defines for other in present))
    if taken:
        msg = f"{sorted(taken)[0]} already stands in the file with other content"
        raise HarnessError(
            msg,
            where=where,
            hint="give the helper a name of its own",
        )
    return True


def remove_rule(layer: RuleLayer, source: str, name: str) -> str:
    """Remove a rule and whatever only it used.

    Raises:
        HarnessError: there is no such rule.
    """
    statements = read_rules(layer, source).statements
    rule = next((part for part in statements if part.rule_name == name), None)
    if rule is None:
        msg = f"there is no rule {name!r}"
        raise HarnessError(msg, where=PATHS[layer])
    gone = [rule, *_only_used_by(rule, statements)]
    return _replace(source, {part.start: (part, "") for part in gone})


def _join(before: list[str], block: str, after: list[str]) -> str:
    parts = ["\n".join(before).strip("\n"), block, "\n".join(after).strip("\n")]
    joined = GAP.join(part for part in parts if part)
    return f"{joined}\n" if joined else ""
