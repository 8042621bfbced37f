"""What a hand-written harness of the desk says and does, and what its tests know of the world."""

import json
import re

from tasks.agent.protocols import RawCall, Task

CONTRACT = """
## Answers

Pass `answers` to `commit_final_answer` as a list of strings, for example `answers=["42"]`.
Give only the bare values, never a sentence.

## Statements

Send one SQL statement per `execute_sql` call. Put column names that contain spaces in double
quotes, as in `SELECT "Unit Price" FROM stock`.

## Order

After an INSERT or UPDATE you must still call `commit_final_answer`.
"""
SKILLS = {
    "look-up-stored-values": """
## Skill: look-up-stored-values

1. `execute_sql`: SELECT DISTINCT of the column that the task describes in words.
2. `execute_sql`: INSERT or UPDATE with the value as it is stored.
3. `commit_final_answer`.
"""
}
DESCRIPTIONS = {
    "look-up-stored-values": (
        "Steps for an insert or update that describes a stored code in words."
    )
}
OWN_FAMILY = {
    "contract": "select_aggregate",
    "skills": "insert_coded",
    "actions": "select_lookup",
    "regulation": "update_value",
}
"""The family that only this layer helps."""
UNCURED = "wrong_value"
LOADED = ("insert_coded", "update_coded")
"""Families for which a skill fits."""
NOT_LOADED = "select_lookup"
SOME = ("insert_row", "select_lookup")
WRONG = {
    "unquoted_identifier": (
        "Column names with spaces must be written in single quotes.",
        ("insert_row", "select_lookup"),
    ),
    "answers_string": (
        "Pass `answers` to commit_final_answer as one plain string.",
        ("insert_row", "select_lookup"),
    ),
    "answer_sentence": (
        "Write each answer as a complete sentence in answers.",
        ("select_lookup", "select_aggregate"),
    ),
    "two_statements": (
        "Put all statements into one execute_sql call.",
        ("insert_row", "select_aggregate"),
    ),
    "done_without_final": (
        "After an INSERT or UPDATE do not call commit_final_answer.",
        ("insert_row", "update_coded"),
    ),
    "early_commit": (
        "Call commit_final_answer before execute_sql.",
        ("insert_row", "update_coded"),
    ),
    "aliased_call": (
        "execute_sql takes one argument named `sql`.",
        ("insert_row", "update_coded"),
    ),
    "prose_call": (
        "Write every tool call as plain text in a code block.",
        ("insert_row", "select_lookup"),
    ),
}
"""Texts that name a wrong fact, by fault, with families that the fault can strike."""
WRONG_SKILLS = {
    "Write the row first, then look up the stored values.": "insert_coded",
}


def choose_skill(task: Task) -> str:
    """Name of the one skill; it is for every task."""
    return next(iter(SKILLS))


def realize(task, world, raw: RawCall | None, text: str, history: list[str]):
    """The call that is meant, or why it is refused."""
    raw = raw or _rescue(text)
    if raw is None:
        return None
    raw = _rewrite(raw, task)
    if raw.name == "commit_final_answer" and not any("execute_sql" in one for one in history):
        return "commit_final_answer needs an execute_sql call before it."
    return raw


def hint(world, history: list[str], observation: str) -> str:
    """What is said behind a result."""
    if history[-1] and history[-1] in history[:-1]:
        return "The same call was made before and gave the same result."
    if "affected" in observation or not observation:
        return "The task is over only when commit_final_answer has been called."
    return ""


def _rescue(text: str) -> RawCall | None:
    """Find a call in prose: by tool name, JSON, SQL or a final answer line."""
    if match := re.search(r'\{"name": "(\w+)", "arguments": (\{.*\})\}', text, re.S):
        return RawCall(match[1], match[2])
    if match := re.search(
        r"(execute_sql|commit_final_answer)\W+(?:with|Action Input:)?\s*(\{.*\})", text, re.S
    ):
        return RawCall(match[1], match[2])
    if match := re.search(r"(execute_sql|commit_final_answer)\((?:(\w+)=)?(.*)\)", text, re.S):
        key = "query" if match[1] == "execute_sql" else "answers"
        return RawCall(match[1], f'{{"{key}": {match[3]}}}')
    if match := re.search(r"Final answer: (\[.*\])", text):
        return RawCall("commit_final_answer", f'{{"answers": {match[1]}}}')
    if match := re.search(r"```sql\n(.*?)\n```", text, re.S):
        return RawCall("execute_sql", json.dumps({"query": match[1]}))
    if re.match(r"(SELECT|INSERT|UPDATE) ", text):
        return RawCall("execute_sql", json.dumps({"query": text}))
    return None


def _rewrite(raw: RawCall, task: Task) -> RawCall:
    """Quote known names, rename a sole unknown argument, make a list of a sole value."""
    arguments = json.loads(raw.arguments)
    name = raw.name if raw.name == "commit_final_answer" else "execute_sql"
    key = "answers" if name == "commit_final_answer" else "query"
    if len(arguments) == 1:
        arguments = {key: next(iter(arguments.values()))}
    value = arguments.get(key)
    if key == "answers" and isinstance(value, str):
        arguments = {key: json.loads(value) if value.startswith("[") else [value]}
    if key == "answers" and isinstance(value, list):
        arguments = {key: [str(item) for item in value]}
    if key == "query" and isinstance(value, str):
        for column in sorted(_columns(task), key=len, reverse=True):
            value = re.sub(rf'(?<!["\w]){re.escape(column)}(?!["\w])', f'"{column}"', value)
        arguments = {key: value}
    return RawCall(name, json.dumps(arguments))


def _columns(task: Task) -> list[str]:
    listed = re.search(r"columns:? ([^.\n)]*)", task.text)
    return [name.strip() for name in listed[1].split(",") if " " in name.strip()] if listed else []
