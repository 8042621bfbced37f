"""The fault side of the desk: where faults can strike, how often, and what they make of a call."""

import json
import re

from tasks.agent.protocols import Call
from tasks.agent.simulated_prose import write_as_text
from tasks.agent.simulated_world import Slip, View
from tasks.environments.embedded.faults import (
    FaultTable,
    Opportunity,
    Spoil,
    always,
    call_slip,
    table_of,
)
from tasks.environments.sqldesk.fault_kinds import KINDS
from tasks.environments.sqldesk.sqldesk_cues import CUES
from tasks.environments.sqldesk.world import FINAL_TOOL, QUERY_TOOL, SqlWorld, as_sql_world

_QUOTED_NAME = re.compile(r'"([^"]* [^"]*)"')
_LAST_NUMBER = re.compile(r"(\d+)(?=\D*$)")
_WORD = re.compile(r"[a-z]{4,}")


def skill_fit(name: str, description: str, view: View, world: SqlWorld) -> float:  # noqa: ARG001
    """Count the words a skill shares with the task and the statement that is due."""
    problem = world.problem
    verb = problem.draft.gold.split(" ", 1)[0].lower()
    due = {verb, *_VERBS[verb]} | (_CODED if problem.code else set())
    offered = set(_WORD.findall(f"{name} {description}".lower()))
    task = set(_WORD.findall(problem.draft.text.lower()))
    return len(offered & due) + 0.3 * len(offered & task)


_CODED = frozenset({"distinct", "stored", "code", "codes", "coded"})
_VERBS = {
    "select": ("question", "read", "answer", "lookup", "aggregate"),
    "insert": ("record", "inserting", "inserts"),
    "update": ("change", "correct", "mark", "updating", "updates"),
}


def _query(view: View) -> str | None:
    return view.expert.arguments["query"] if view.expert.tool == QUERY_TOOL else None


def _at_query(view: View, world: SqlWorld) -> float | None:  # noqa: ARG001
    return 1.0 if _query(view) else None


def _at_spaced_name(view: View, world: SqlWorld) -> float | None:  # noqa: ARG001
    return 1.0 if _QUOTED_NAME.search(_query(view) or "") else None


def _at_commit(view: View, world: SqlWorld) -> float | None:  # noqa: ARG001
    return None if _query(view) else 1.0


def _at_answer(view: View, world: SqlWorld) -> float | None:
    return 1.0 if not _query(view) and world.problem.kind == "answer" else None


def _after_change(view: View, world: SqlWorld) -> float | None:
    return 1.0 if not _query(view) and world.progress.has_changed else None


def _before_read(view: View, world: SqlWorld) -> float | None:
    if not _query(view):
        return None
    progress = world.progress
    return 0.0 if progress.has_read or progress.has_tried_change else 1.0


def _at_look_up(view: View, world: SqlWorld) -> float | None:
    draft = world.problem.draft
    return 1.0 if draft.word and _query(view) == draft.look else None


def _after_call(view: View, world: SqlWorld) -> float | None:
    progress = world.progress
    has_run = progress.has_read or progress.has_tried_change
    is_other = view.last is not None and view.last.tool == QUERY_TOOL and view.last != view.expert
    return 1.0 if has_run and is_other else None


def _at_result(view: View, world: SqlWorld) -> float | None:
    if world.problem.kind == "answer":
        return None if _query(view) else 1.0
    return 1.0 if _query(view) == world.problem.draft.gold else None


_OPPORTUNITIES: dict[str, Opportunity[SqlWorld]] = {
    "repetition": _after_call,
    "early_commit": _before_read,
    "skipped_lookup": _at_look_up,
    "wrong_value": _at_result,
    "done_without_final": _after_change,
    "answer_sentence": _at_answer,
    "answers_string": _at_commit,
    "two_statements": _at_query,
    "unquoted_identifier": _at_spaced_name,
    "aliased_call": always,
    "prose_call": always,
}


def _run(sql: str) -> Slip:
    return call_slip(QUERY_TOOL, {"query": sql})


def _commit(answers: object) -> Slip:
    return call_slip(FINAL_TOOL, {"answers": answers})


def _repeat(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    last = view.last or view.expert
    return call_slip(last.tool, last.arguments)


def _commit_early(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    if world.problem.kind == "change":
        return _commit(["done"])
    row = world.problem.table.rows[int(roll * len(world.problem.table.rows))]
    guesses = [str(cell) for cell in row if str(cell) not in world.problem.answers]
    return _commit(guesses[:1])


def _skip_look_up(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    if world.progress.has_tried_change:
        return _commit(["done"])
    return _run(world.problem.draft.guess)


def _give_wrong_value(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    query = _query(view)
    if query is None:
        answers = [str(text) for text in view.expert.arguments["answers"]]
        return _commit([_other_answer(world, answers[0], roll), *answers[1:]])
    changed = _LAST_NUMBER.sub(lambda match: str(int(match[1]) + 1).zfill(len(match[1])), query)
    return _run(changed if changed != query else _with_other_code(world, query))


def _other_answer(world: SqlWorld, answer: str, roll: float) -> str:
    columns = list(zip(*world.problem.table.rows, strict=True))
    pool = next(
        ([str(cell) for cell in column] for column in columns if _holds(column, answer)), []
    )
    others = sorted({text for text in pool if text != answer})
    if others:
        return others[int(roll * len(others))]
    return f"{float(answer) * 1.1 + 1:.2f}"


def _holds(column: tuple[object, ...], answer: str) -> bool:
    return any(str(cell) == answer for cell in column)


def _with_other_code(world: SqlWorld, query: str) -> str:
    code = world.problem.code
    cells = {str(cell) for row in world.problem.table.rows for cell in row}
    other = min((cell for cell in cells if cell != code and cell[:1] != code[:1]), default="")
    return query.replace(f"'{code}'", f"'{other}'", 1)


_DONE = (
    "Done. The table has been updated as requested.",
    "The change has been made successfully.",
    "I have finished the task: the data is now in the table.",
    "All set, nothing else is needed.",
)


def _say_done(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    if detail == "other":
        return _run("SELECT 'done'")
    return Slip(text=_DONE[int(roll * len(_DONE))])


def _answer_in_sentence(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    joined = " and ".join(str(text) for text in view.expert.arguments["answers"])
    shapes = (
        f"The answer is {joined}.",
        f"The result of the query is {joined}.",
        f"According to the table {world.problem.table.name}, it is {joined}.",
        f"{joined} was found in the table.",
    )
    return _commit([shapes[int(roll * len(shapes))]])


def _answer_mistyped(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    answers = [str(text) for text in view.expert.arguments["answers"]]
    if detail == "object":
        return _commit({"value": answers[0]})
    if roll < 0.6 and len(answers) == 1:
        return _commit(answers[0])
    if roll < 0.8 and all(text.isdigit() for text in answers):
        return _commit([int(text) for text in answers])
    return _commit(json.dumps(answers, ensure_ascii=False))


def _two_statements(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    query, table = _query(view), world.problem.table.name
    what = "COUNT(*)" if roll < 0.5 else "*"
    extra = f"SELECT {what} FROM {table}"  # noqa: S608
    return _run(f"{extra}; {query};" if roll < 0.3 else f"{query}; {extra};")


def _unquote(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    return _run(_QUOTED_NAME.sub(r"'\1'" if detail == "single" else r"\1", _query(view) or ""))


def _alias(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    if view.expert.tool == FINAL_TOOL:
        key = "answer" if roll < 0.6 else "final_answer"
        return call_slip(FINAL_TOOL, {key: view.expert.arguments["answers"]})
    if roll > 0.85 and not detail:
        return call_slip("run_sql", view.expert.arguments)
    return call_slip(QUERY_TOOL, {detail or ("sql" if roll < 0.6 else "statement"): _query(view)})


def _fenced_sql(call: Call) -> str:
    return f"```sql\n{call.arguments['query']}\n```"


def _bare_sql(call: Call) -> str:
    return f"{call.arguments['query']};"


def _final_line(call: Call) -> str:
    return f"Final answer: {json.dumps(call.arguments['answers'], ensure_ascii=False)}"


def _in_prose(view: View, world: SqlWorld, roll: float, detail: str) -> Slip:  # noqa: ARG001
    if view.expert.tool == FINAL_TOOL:
        return Slip(text=write_as_text(view.expert, roll, _final_line))
    return Slip(text=write_as_text(view.expert, roll, _fenced_sql, _bare_sql))


_SPOILS: dict[str, Spoil[SqlWorld]] = {
    "repetition": _repeat,
    "early_commit": _commit_early,
    "skipped_lookup": _skip_look_up,
    "wrong_value": _give_wrong_value,
    "done_without_final": _say_done,
    "answer_sentence": _answer_in_sentence,
    "answers_string": _answer_mistyped,
    "two_statements": _two_statements,
    "unquoted_identifier": _unquote,
    "aliased_call": _alias,
    "prose_call": _in_prose,
}
SIMULATION = FaultTable(table_of(KINDS, _OPPORTUNITIES, _SPOILS), CUES, as_sql_world, skill_fit)
