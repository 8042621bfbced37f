"""SQL error texts of several engines, and the rewrites that show a mere interface error.

AR3 needs both: an error of the syntax or unknown-name class, and a quoting or dialect rewrite that
removes its cause. A statement that no rewrite mends is a reasoning error.
"""

import logging
import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

import sqlglot
from sqlglot.errors import SqlglotError

SqlErrorClass = Literal["unknown_name", "syntax", "statement_count", "unknown_function", "other"]

_STATEMENT_CAP = 20_000
_ERROR_CAP = 4_000
_ERRORS: tuple[tuple[SqlErrorClass, re.Pattern[str]], ...] = (
    (
        "statement_count",
        re.compile(
            r"one statement at a time|multiple (?:sql )?statements|more than one statement|"
            r"cannot insert multiple commands|only (?:a single|one) (?:sql )?(?:statement|command)|"
            r"single statement",
            re.I,
        ),
    ),
    (
        "unknown_function",
        re.compile(r"no such function|(?:scalar )?function \S{1,80} does not exist", re.I),
    ),
    (
        "unknown_name",
        re.compile(
            r"no such (?:column|table)|unknown (?:column|table)|"
            r"(?:column|relation|table)\b.{0,120}? (?:does not|doesn't) exist|"
            r"referenced (?:column|table)|invalid column name|invalid object name|"
            r"not found in from clause|unrecognized name|binder error",
            re.I,
        ),
    ),
    (
        "syntax",
        re.compile(
            r"syntax error|error in your sql syntax|parser error|parse error|incomplete input|"
            r"unrecognized token|unterminated|mismatched input|unexpected token",
            re.I,
        ),
    ),
)
_SQL_ERROR = re.compile(
    r"sqlite|mysql|postgres|duckdb|operationalerror|programmingerror|sqlstate|integrityerror|"
    r"constraint failed|ambiguous column|datatype mismatch|\bsql\b|division by zero",
    re.I,
)
_NAME_IN_ERROR = re.compile(
    r"""no such (?:column|table): ?["'`\[]?([\w. ]{1,80})|near ["']([^"'\n]{1,80})["']|"""
    r"""(?:column|table|relation|at or near|name) ["'`]([^"'`\n]{1,80})["'`]|"""
    r"""column:? ([\w.]{1,80})|near ['"]?([\w.]{1,80})""",
    re.I,
)
_TOKEN = re.compile(r"\"[^\"]*\"|'(?:[^']|'')*'|`[^`]*`|\[[^\]\n]{0,200}\]|\w+|\s+|.", re.S)
_WORD = re.compile(r"[^\W\d]\w*\Z")
_STRUCTURE = frozenset(
    {
        "and",
        "as",
        "asc",
        "between",
        "by",
        "case",
        "create",
        "delete",
        "desc",
        "distinct",
        "else",
        "end",
        "exists",
        "from",
        "having",
        "in",
        "inner",
        "insert",
        "into",
        "is",
        "join",
        "left",
        "like",
        "limit",
        "not",
        "null",
        "offset",
        "on",
        "or",
        "outer",
        "right",
        "select",
        "set",
        "then",
        "union",
        "update",
        "using",
        "values",
        "when",
        "where",
    }
)
_FOREIGN = re.compile(
    r"`|\[\w|\btop\s\s?\d|\bilike\b|::|\blimit\s\s?\d{1,9}\s?,|\bfetch\s\s?first\b|\bextract\s?\(|"
    r"\binterval\b|\bsimilar\s\s?to\b|\brlike\b|\bdate_format\b|\bto_char\b|\bstring_agg\b|"
    r"\bgroup_concat\b|\bisnull\s?\(|\bnvl\s?\(",
    re.I,
)
"""Marks of a dialect; without one a changed rendering proves nothing about dialects."""
_TARGETS = ("sqlite", "mysql")
_DIALECTS = ("sqlite", "mysql", "postgres", "duckdb", "tsql")

logging.getLogger("sqlglot").setLevel(logging.CRITICAL)


@dataclass(frozen=True)
class SqlFix:
    """A rewrite that removes the cause of an interface error."""

    kind: Literal["quote_names", "rename", "split", "unfence", "dialect"]
    statement: str
    names: tuple[str, ...] = ()


def error_class(text: str) -> SqlErrorClass | None:
    """Classify an error text of a database engine; None when it is none."""
    head = text[:_ERROR_CAP]
    for name, pattern in _ERRORS:
        if pattern.search(head):
            return name
    return "other" if _SQL_ERROR.search(head) else None


def named_in_error(text: str) -> str | None:
    """The name or token an error text complains about."""
    match = _NAME_IN_ERROR.search(text[:_ERROR_CAP])
    if not match:
        return None
    found = next(group for group in match.groups() if group is not None)
    return found.rsplit(".", 1)[-1].strip().lower() or None


def tokens_of(statement: str) -> list[str]:
    """Split a statement into quoted parts, words, white space and single characters."""
    return _TOKEN.findall(statement[:_STATEMENT_CAP])


@dataclass(frozen=True)
class KnownText:
    """Everything the agent was shown before a statement; names are looked up in it."""

    text: str

    @cached_property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    def has_name(self, words: list[str]) -> bool:
        """Whether the words stand there together as a name.

        A word of the language, such as `On`, belongs to a name only when it is written exactly
        as in the text and not as statements write it.
        """
        if words[0].lower() in _STRUCTURE:
            return False
        structural = [word for word in words if word.lower() in _STRUCTURE]
        if any(word.isupper() or word.islower() for word in structural):
            return False
        name = " ".join(words)
        return _stands_in(name, self.text) if structural else _stands_in(name.lower(), self.lower)


def _stands_in(name: str, text: str) -> bool:
    start = text.find(name)
    while start >= 0:
        before = text[start - 1] if start else " "
        after = text[start + len(name) : start + len(name) + 1] or " "
        if not (before.isalnum() or after.isalnum() or before == "_" or after == "_"):
            return True
        start = text.find(name, start + 1)
    return False


def _run_at(tokens: list[str], start: int, longest: int) -> list[int]:
    """Positions of consecutive words from `start`, only white space between them."""
    found = [start]
    position = start
    while len(found) < longest and position + 2 < len(tokens):
        if tokens[position + 1].isspace() and _WORD.match(tokens[position + 2]):
            position += 2
            found.append(position)
        else:
            break
    return found


def quote_known_names(statement: str, known: KnownText, longest: int = 5) -> SqlFix | None:
    """Quote unquoted identifiers of several words that the agent has seen written so."""
    tokens, names = tokens_of(statement), []
    position = 0
    while position < len(tokens):
        if _WORD.match(tokens[position]):
            run = _run_at(tokens, position, longest)
            while len(run) > 1:
                words = [tokens[index] for index in run]
                if known.has_name(words):
                    names.append(" ".join(words))
                    tokens[run[0] : run[-1] + 1] = ['"' + " ".join(words) + '"']
                    break
                run.pop()
        position += 1
    return SqlFix("quote_names", "".join(tokens), tuple(sorted(set(names)))) if names else None


def _rename_to_spaced(statement: str, named: str | None, known: KnownText) -> SqlFix | None:
    """Undo an underscore written for a space in a name the agent has seen with the space."""
    if not named or "_" not in named or not known.has_name(named.split("_")):
        return None
    spaced = named.replace("_", " ")
    tokens = [f'"{spaced}"' if t.lower() == named else t for t in tokens_of(statement)]
    return SqlFix("rename", "".join(tokens), (spaced,))


@lru_cache(maxsize=2048)
def parses(statement: str, dialect: str | None = "sqlite") -> bool:
    """Whether a statement parses."""
    try:
        return all(item is not None for item in sqlglot.parse(statement, read=dialect))
    except (SqlglotError, RecursionError, ValueError):
        return False


@lru_cache(maxsize=2048)
def _other_dialect(statement: str) -> SqlFix | None:
    if _FOREIGN.search(statement) is None:
        return None
    for read in _DIALECTS:
        try:
            trees = [tree for tree in sqlglot.parse(statement, read=read) if tree is not None]
            texts = [";".join(tree.sql(dialect=write) for tree in trees) for write in _TARGETS]
        except (SqlglotError, RecursionError, ValueError):
            continue
        changed = [text for text in texts if _plain(text) != _plain(statement)]
        if changed:
            return SqlFix("dialect", changed[0])
    return None


def _plain(statement: str) -> str:
    return re.sub(r"\s+", "", statement.lower()).rstrip(";")


def find_fix(statement: str, error: str, known: KnownText, longest: int = 5) -> SqlFix | None:
    """Try the rewrites that leave the meaning alone; None when none of them parses."""
    found = error_class(error)
    statement = statement[:_STATEMENT_CAP]
    bare = _without_fence(statement)
    if bare is not None and parses(bare):
        return SqlFix("unfence", bare)
    if found == "statement_count":
        return SqlFix("split", statement) if parses(statement) else None
    if found not in ("unknown_name", "syntax"):
        return None
    named = named_in_error(error)
    fix = quote_known_names(statement, known, longest)
    if fix and parses(fix.statement) and _explains(fix, named):
        return fix
    if found == "unknown_name":
        renamed = _rename_to_spaced(statement, named, known)
        return renamed if renamed and parses(renamed.statement) else None
    return _other_dialect(statement) if found == "syntax" else None


def _without_fence(statement: str) -> str | None:
    lines = statement.strip().splitlines()
    if len(lines) < 2 or not lines[0].startswith("```") or lines[-1].strip() != "```":
        return None
    return "\n".join(lines[1:-1]).strip()


def _explains(fix: SqlFix, named: str | None) -> bool:
    """Whether a quoted name holds what the engine complained about."""
    if named is None or not named.replace("_", "").isalnum():
        return True
    return any(named in name.lower().split() or named == name.lower() for name in fix.names)
