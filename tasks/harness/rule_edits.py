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
    names = [rule.name for rule in read_rules(layer, source).rules]
    follower = names[names.index(name) + 1 :][:1] if name in names else []
    rest = remove_rule(layer, source, name) if name in names else source
    present = read_rules(layer, rest).statements
    added = [part for part in wanted.statements if not part.is_docstring]
    block = [part.text for part in added if _is_new(part, present, where)]
    at = next((part.start for part in present if part.rule_name in follower), None)
    lines = rest.split("\n")
    before, after = (lines, []) if at is None else (lines[:at], lines[at:])
    return _join(before, GAP.join(block), after)


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
    kept = [part for part in statements if part.rule_name and part is not rule]
    still_used = {id(used) for part in kept for used in needed_by(part, statements)}
    own = [part for part in needed_by(rule, statements) if not part.rule_name]
    gone = [rule, *(part for part in own if id(part) not in still_used)]
    lines = source.split("\n")
    for part in sorted(gone, key=lambda part: -part.start):
        lines = _join(lines[: part.start], "", lines[part.end :]).split("\n")
    return "\n".join(lines)


def _join(before: list[str], block: str, after: list[str]) -> str:
    parts = ["\n".join(before).strip("\n"), block, "\n".join(after).strip("\n")]
    joined = GAP.join(part for part in parts if part)
    return f"{joined}\n" if joined else ""
