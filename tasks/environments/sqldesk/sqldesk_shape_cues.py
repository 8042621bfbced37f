"""Cues about how a call is written: quoted names, answer shape, bare values, one statement."""

import re

from tasks.agent.simulated_reading import affirmed, denied, is_denied, mentions
from tasks.agent.simulated_world import Cue
from tasks.environments.sqldesk.world import FINAL_TOOL, QUERY_TOOL

_I = re.IGNORECASE

IDENTIFIER = re.compile(
    r"\b(?:column|identifier|field|header|table)s?\b(?: names?)?|\bnames? (?:with|of|that|which)\b",
    _I,
)
VALUE = re.compile(r"\b(?:values?|literals?|strings?|texts?|dates?)\b", _I)
_QUOTING = re.compile(
    r"(?P<single>single[- ]quot\w*|apostrophes?)"
    r"|(?P<bare>unquoted)"
    r"|(?P<double>double[- ]quot\w*|back[- ]?tick\w*|square brackets?|quotation marks?"
    r"|\bquot(?:e|es|ed|ing)\b|\"(?:\.\.\.|\u2026| (?:characters?|marks?|signs?)))",
    _I,
)
_NAME = r"[A-Za-z][\w%/()-]*(?: [\w%/()-]+){1,4}"
_LITERAL = re.compile(
    rf'(?P<double>"{_NAME}")|(?P<tick>`{_NAME}`)|(?P<bracket>\[{_NAME}\])|(?P<single>\'{_NAME}\')'
)
_SQL = re.compile(r"\b(?:SELECT|INSERT|UPDATE|WHERE|FROM|SET)\b")
_VALUE_BEFORE = re.compile(r"(?:[=<>(]|\bLIKE|\bVALUES\b.*|\bvalues?\b(?: \w+)?)\s*$", _I)
_NAME_BEFORE = re.compile(
    r"(?:\b(?:columns?|identifiers?|names?|fields?)\b(?:\W+\w+){0,3}\W*|\bSELECT\s+|,\s*)$", _I
)
_PART = re.compile(r"[,;]|\band\b|\bbut\b|\bwhile\b", _I)


def read_identifier(sentence: str) -> list[Cue]:
    """How column names are to be quoted."""
    cues = [cue for match in mentions(sentence, _QUOTING) if (cue := _quoting(sentence, match))]
    cues += [cue for match in mentions(sentence, _LITERAL) if (cue := _literal(sentence, match))]
    return cues


def _quoting(sentence: str, match: re.Match[str]) -> Cue | None:
    if not IDENTIFIER.search(sentence) or not _is_about_names(sentence, match):
        return None
    is_no = is_denied(sentence, match)
    if match["single"]:
        return None if is_no is not False else _wrong("unquoted_identifier", "single")
    is_quoted = is_no is True if match["bare"] else is_no is False
    is_bare = is_no is False if match["bare"] else is_no is True
    if is_quoted:
        return Cue("unquoted_identifier", is_right=True)
    return _wrong("unquoted_identifier", "bare") if is_bare else None


def _is_about_names(sentence: str, match: re.Match[str]) -> bool:
    """Whether the part of the sentence around a mention speaks of names, not of values."""
    start = max((part.end() for part in _PART.finditer(sentence, 0, match.start())), default=0)
    after = _PART.search(sentence, match.end())
    part = sentence[start : after.start() if after else len(sentence)]
    return bool(IDENTIFIER.search(part)) or not VALUE.search(part)


def _literal(sentence: str, match: re.Match[str]) -> Cue | None:
    before = sentence[: match.start()]
    is_sql = bool(_SQL.search(sentence))
    if _VALUE_BEFORE.search(before) or not (is_sql or IDENTIFIER.search(sentence)):
        return None
    is_no = is_denied(sentence, match)
    if match["single"]:
        is_name = bool(_NAME_BEFORE.search(before))
        return _wrong("unquoted_identifier", "single") if is_name and is_no is False else None
    if match["bracket"] and not is_sql:
        return None
    return Cue("unquoted_identifier", is_right=True) if is_no is False else None


_ANSWERS = re.compile(rf"\banswers\b|{FINAL_TOOL}|\bfinal answer\b", _I)
_ANY_ANSWER = re.compile(rf"\banswers?\b|{FINAL_TOOL}", _I)
_LIST = re.compile(
    r"(?<!^)\b(?:lists?|arrays?)\b(?! (?:the|all|every|each|its|your|of (?:the )?"
    r"(?:columns|tables|tools|rows|steps)))"
    r"|\[\s*(?:\"[^\"\]]*\"|'[^'\]]*')[^\]]*\]",
    _I,
)
_STRING = re.compile(
    r"(?<!of )(?<!array of )\b(?:a|as|one|plain|single|bare|comma[- ]separated|json)\s+"
    r"(?:[\w-]+\s+){0,2}(?:string|text)\b(?!s)(?! (?:values?|items?|elements?|entr))"
    r"|\banswers[\"'`]?\s*[=:]\s*[\"'](?!\[)(?![\"'])[^\[\]]",
    _I,
)
_OBJECT = re.compile(r"\b(?:an?|json)\s+(?:json\s+)?(?:object|dict\w*|mapping|map)\b", _I)


def read_answer_shape(sentence: str, before: str) -> list[Cue]:
    """Whether the answers are a list."""
    if not _is_about(sentence, before, _ANSWERS):
        return []
    if affirmed(sentence, _LIST):
        return [Cue("answers_string", is_right=True)]
    if affirmed(sentence, _STRING) or denied(sentence, _LIST):
        return [_wrong("answers_string", "string")]
    return [_wrong("answers_string", "object")] if affirmed(sentence, _OBJECT) else []


_BARE = re.compile(
    r"\b(?:bare|raw|plain|naked|unformatted)\s+(?:\w+\s+)?(?:values?|numbers?|results?|names?|data)\b"
    r"|\b(?:only|just|nothing but|nothing except|solely)\s+(?:the |a |its |their )?(?:\w+ ){0,2}"
    r"(?:values?|numbers?|names?|results?|cells?|data)\b"
    r"|\bvalues? (?:only|alone|itself|themselves)\b|\bverbatim\b"
    r"|\bas (?:it is |they are )?(?:returned|stored|selected) ?(?:by|in)?\b"
    r"|answers[\"'`]?\s*[=:]\s*\[\s*[\"'](?!(?:values?|texts?|strings?|str|answers?|items?|done|ok|x)"
    r"[\"']|[.<\u2026])[^\"' ]{1,24}[\"']",
    _I,
)
_PROSE = re.compile(
    r"\bsentences?\b|\bexplanations?\b|\bexplain\w*\b|\bprose\b|\bcommentary\b|\bcomments?\b"
    r"|\bextra (?:words?|text)\b|\bsurrounding (?:words?|text)\b|\bphrases?\b|\bnarrat\w+\b"
    r"|\bwords? around\b|\bunits?\b|\bwording\b|\bfiller\b|\bexplanatory\b"
    r"|\[\s*[\"'](?:\w+ ){2,}[^\"']*[\"']",
    _I,
)


def read_answer_values(sentence: str, before: str) -> list[Cue]:
    """Whether answers are bare values or prose."""
    if not _is_about(sentence, before, _ANY_ANSWER):
        return []
    if affirmed(sentence, _BARE) or (denied(sentence, _PROSE) and not denied(sentence, _BARE)):
        return [Cue("answer_sentence", is_right=True)]
    if affirmed(sentence, _PROSE) or denied(sentence, _BARE):
        return [_wrong("answer_sentence", "sentence")]
    return []


_CALL = re.compile(rf"{QUERY_TOOL}|\bcalls?\b|\btimes?\b|\bsent\b|\bsend\b|\bquery argument\b", _I)
_ONE = re.compile(
    r"\b(?:one|a single|single|1|exactly one|at most one|individual)\s+(?:\w+\s+)?"
    r"(?:statements?|quer(?:y|ies)|commands?)\b|\bone (?:at a time|per call|by one)\b"
    r"|\b(?:its|their) own calls?\b|\bseparate calls?\b|\bcalls? of (?:its|their) own\b"
    r"|\bsplit\b.*\b(?:statements|queries)\b",
    _I,
)
_MANY = re.compile(
    r"\b(?:multiple|several|two|many|more than one|both|all)\s+(?:\w+\s+)?"
    r"(?:statements|quer(?:y|ies)|commands|statement|command)\b"
    r"|\b(?:batch|chain|combine|join|stack)\w*\b(?=.*\b(?:statements|queries|commands)\b)"
    r"|\b(?:separated?|joined|chained) (?:\w+ )?(?:with|by) (?:a )?semicolons?\b",
    _I,
)


def read_statements(sentence: str) -> list[Cue]:
    """How many statements a call takes."""
    if not _CALL.search(sentence):
        return []
    if denied(sentence, _MANY) or affirmed(sentence, _ONE):
        return [Cue("two_statements", is_right=True)]
    if affirmed(sentence, _MANY) or denied(sentence, _ONE):
        return [_wrong("two_statements", "batch")]
    return []


_TOOL = re.compile(rf"\b{QUERY_TOOL}\b")
_ROLE = r"(?:argument|parameter|key|field|property|named?|called|input)"


def _argument(name: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b{_ROLE}\b\W+(?:(?:is|named|called|the|be)\W+){{0,2}}[\"'`]?\b{name}\b(?!\s+\w+\s+\w+ing)"
        rf"|[\"'`]{name}[\"'`]|\b{name}\s*[=:]\s*[\"'`]|\b{name} {_ROLE}\b",
        _I,
    )


_RIGHT_ARGUMENT = _argument("query")
_WRONG_ARGUMENTS = {name: _argument(name) for name in ("sql", "statement", "command", "q")}


def read_argument(sentence: str, before: str) -> list[Cue]:
    """How the argument of the query tool is called."""
    if not _is_about(sentence, before, _TOOL):
        return []
    if affirmed(sentence, _RIGHT_ARGUMENT):
        return [Cue("aliased_call", is_right=True)]
    wrong = [name for name, pattern in _WRONG_ARGUMENTS.items() if affirmed(sentence, pattern)]
    return [_wrong("aliased_call", wrong[0])] if wrong else []


_REFERS = re.compile(r"^(?:it|its|this|that|the argument|each item|always pass|one item)\b", _I)


def _is_about(sentence: str, before: str, noun: re.Pattern[str]) -> bool:
    """Whether a sentence, or the one it refers back to, names a thing."""
    return bool(noun.search(sentence) or (_REFERS.search(sentence) and noun.search(before)))


def _wrong(kind: str, detail: str) -> Cue:
    return Cue(kind, is_right=False, detail=detail)
