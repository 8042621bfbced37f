"""TRL rows: prompt and completion for SFT, prompt, chosen and rejected for preference training.

Every row of a format has the same columns, and `tools` is JSON text: rows with different tools
load together. For SFT each turn of the assistant is a row of its own, because the loss goes to
the whole completion and must never reach a tool result.
"""

from schemas.data import TrainingExampleRow
from schemas.redaction import has_secret
from tasks.exporters.messages import Message, RefusedError, as_messages, as_tools, require_known

TrlRow = dict[str, str | list[Message]]


def sft_rows(example: TrainingExampleRow) -> list[TrlRow]:
    """Columns `prompt`, `completion`, `tools`; one row for each turn to learn.

    Raises:
        RefusedError: the example breaks the format or holds a secret.
    """
    tools, names = as_tools(example.tools)
    prompt, known = _prompt(example)
    turns = _completion(example.chosen, known)
    require_known(turns, names)
    return [
        _clean({"prompt": [*prompt, *turns[:place]], "completion": [turn], "tools": tools})
        for place, turn in enumerate(turns)
        if turn["role"] == "assistant"
    ]


def dpo_rows(example: TrainingExampleRow) -> list[TrlRow]:
    """Columns `prompt`, `chosen`, `rejected`, `tools`; none for an example without a pair.

    Raises:
        RefusedError: the example breaks the format or holds a secret.
    """
    if example.rejected is None:
        return []
    tools, names = as_tools(example.tools)
    prompt, known = _prompt(example)
    chosen = _completion(example.chosen, known)
    rejected = _completion(example.rejected, known)
    require_known(chosen, names)
    if chosen == rejected:
        message = "both sides of the pair are the same"
        raise RefusedError(message)
    return [_clean({"prompt": prompt, "chosen": chosen, "rejected": rejected, "tools": tools})]


def _prompt(example: TrainingExampleRow) -> tuple[list[Message], dict[str, str]]:
    known: dict[str, str] = {}
    prompt = as_messages(example.messages, known)
    if prompt[-1]["role"] not in ("user", "tool"):
        message = f"its prompt ends with the {prompt[-1]['role']}"
        raise RefusedError(message)
    return prompt, known


def _completion(text: str, known: dict[str, str]) -> list[Message]:
    """Messages of one side; its calls are unknown to the other side."""
    messages = as_messages(text, dict(known))
    if messages[0]["role"] != "assistant" or messages[-1]["role"] != "assistant":
        message = "what is to be learned does not begin and end with the assistant"
        raise RefusedError(message)
    return messages


def _clean(row: TrlRow) -> TrlRow:
    if has_secret(row):
        message = "it holds a secret"
        raise RefusedError(message)
    return row
