"""AR3 and the SQL part of EC2: interface errors of statements, values written without a look."""

import re
from typing import Any

from tasks.annotator.canonical import mask
from tasks.annotator.hits import Hit, View, call_evidence, hit_at, quote, sign
from tasks.annotator.rules.commands import is_told_no_progress
from tasks.annotator.sql import KnownText, error_class, find_fix, tokens_of
from tasks.annotator.timeline import CallView, Turn

_LITERAL = re.compile(r"'((?:[^']|'')*)'\Z", re.S)


def _statement(view: View, call: CallView) -> tuple[str, str] | None:
    argument = view.profile.sql_arguments.get(call.run_tool)
    text = call.run_arguments.get(argument) if argument else None
    return (argument, text) if argument and isinstance(text, str) and text.strip() else None


def _known_text(view: View, turn: Turn) -> KnownText:
    return KnownText(f"{view.timeline.told_before(turn.index)}\n{view.profile.name_text}")


def sql_interface(view: View) -> list[Hit]:
    """AR3: an SQL error whose cause a quoting or dialect rewrite removes."""
    hits: list[Hit] = []
    for turn, call in view.timeline.calls():
        found = _statement(view, call)
        error = call.result or turn.observation
        if found is None or not call.failed or error_class(error) is None:
            continue
        argument, statement = found
        known = _known_text(view, turn)
        fix = find_fix(statement, error, known, view.parameters.name_tokens)
        if fix is None:
            continue
        name = error_class(error)
        signature = (
            sign("statement_count", tool=call.run_tool, argument=argument, error=mask(error))
            if name == "statement_count"
            else sign(
                "sql_error",
                tool=call.run_tool,
                argument=argument,
                **{"class": name, "fix": fix.kind},
            )
        )
        evidence = call_evidence(turn, call) | {
            "statement": quote(statement),
            "error": quote(error),
            "rewrite": quote(fix.statement),
            "names": [quote(item) for item in fix.names],
        }
        intent = view.intent_of(call)
        hits.append(hit_at(turn, "sql_interface", "AR3", signature, evidence, intent=intent))
    return hits


def value_not_observed(view: View) -> list[Hit]:
    """EC2: a mutation filters by a literal that no answer of the environment had shown."""
    hits: list[Hit] = []
    for turn, call in view.timeline.calls():
        found = _statement(view, call)
        if found is None or not call.ran:
            continue
        argument, statement = found
        verb = view.intent_of(call).rpartition(":")[2]
        unseen = _unseen_literals(view, turn, statement) if verb in ("update", "delete") else []
        if not unseen:
            continue
        signature = sign("value_not_observed", tool=call.run_tool, argument=argument, verb=verb)
        evidence = call_evidence(turn, call) | {
            "statement": quote(statement),
            "literals": [quote(item) for item in unseen[:10]],
        }
        hits.append(hit_at(turn, "value_not_observed", "EC2", signature, evidence))
    return hits


def _unseen_literals(view: View, turn: Turn, statement: str) -> list[str]:
    """Filter values nobody had shown; words of the task count only when nothing was changed."""
    known = view.timeline.observed_before(turn.index)
    if not is_told_no_progress(view, turn):
        known = view.timeline.seen_before(turn.index)
    return [text for text in filter_literals(statement) if text.lower() not in known]


def filter_literals(statement: str) -> list[str]:
    """Text literals behind WHERE."""
    is_filter, found = False, []
    for token in tokens_of(statement):
        if token.lower() == "where":
            is_filter = True
        match: Any = _LITERAL.match(token) if is_filter else None
        if match and match.group(1).strip("% "):
            found.append(match.group(1).strip("% ").replace("''", "'"))
    return found
