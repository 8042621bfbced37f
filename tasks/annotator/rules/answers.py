"""EC3 and the search part of EC2: text in a shape that its tool does not take."""

import json
import re
from typing import Any

from tasks.annotator.hits import Hit, View, call_evidence, hit_at, quote, sign
from tasks.annotator.intended_call import answer_tools
from tasks.annotator.rules.commands import is_told_no_progress
from tasks.annotator.timeline import CallView, Turn
from tasks.annotator.tool_definitions import name_words

_WORDS = re.compile(r"\w+(?:['.,]\w+)*")
_PHRASE = re.compile(
    r"(?:the |my |final )*(?:answer|result|total|value)s?\s?(?::|=|\bis\b|\bare\b)"
)
_FEWEST_IN_SENTENCE = 3
_SEPARATORS = (", ", " | ", "\t", "; ", ",", "|")


def answer_shape(view: View) -> list[Hit]:
    """EC3: a value of the answer is prose, a list written as text, or several cells in one."""
    hits: list[Hit] = []
    tools = answer_tools(view.profile)
    for turn, call in view.timeline.calls():
        if call.run_tool not in tools or not call.ran:
            continue
        for argument, value in sorted(call.run_arguments.items()):
            shape = _shape(view, turn, value)
            if shape is None:
                continue
            signature = sign("answer_shape", tool=call.run_tool, argument=argument, shape=shape)
            evidence = call_evidence(turn, call) | {"value": quote(json.dumps(value))}
            hits.append(hit_at(turn, "answer_shape", "EC3", signature, evidence))
    return hits


def _shape(view: View, turn: Turn, value: Any) -> str | None:
    items = value if isinstance(value, list) else [value]
    wants_list = view.gold.answer_type in ("list", "array")
    if wants_list and not isinstance(value, list):
        return "not_a_list"
    shapes = [_shape_of_item(view, turn, item) for item in items[:200]]
    return next((shape for shape in shapes if shape is not None), None)


def _shape_of_item(view: View, turn: Turn, item: Any) -> str | None:
    if isinstance(item, list | dict):
        return "nested" if view.gold.answer_type not in (None, "nested") else None
    if not isinstance(item, str) or not item.strip():
        return None
    seen = view.timeline.observed_before(turn.index)
    plain = item.strip().lower()
    if plain in seen and not _joined(plain, seen):
        return None
    if plain[0] in "[({" and plain[-1] in "])}":
        return "list_as_text"
    if _is_prose(plain, view.parameters.prose_words):
        return "prose"
    return "joined" if _joined(plain, seen) else None


def _is_prose(plain: str, most_words: int) -> bool:
    """Whether a value is a sentence: too many words, an answer phrase, or a full stop."""
    words = len(_WORDS.findall(plain[:5000]))
    is_sentence = words >= _FEWEST_IN_SENTENCE and plain[-1] in ".!"
    return words > most_words or is_sentence or _PHRASE.match(plain) is not None


def _joined(plain: str, seen: str) -> bool:
    """Whether the value glues together cells that were shown apart, such as `3, ann`."""
    for separator in _SEPARATORS:
        parts = [part.strip() for part in plain[:1000].split(separator)]
        if len(parts) > 1 and all(parts):
            return plain not in seen and all(_is_cell(part, seen) for part in parts)
    return False


def _is_cell(part: str, seen: str) -> bool:
    position = seen.find(part)
    return position >= 0


_CONSTRAINT = re.compile(
    r"\b(?:under|below|less than|cheaper than|lower than|at most|no more than|up to|between)\s"
    r"(?:\$|usd|eur)?\s?\d|\$\s?\d|\bprice\b",
    re.I,
)


def search_constraint(view: View) -> list[Hit]:
    """EC2: a free-text search carries what such a search cannot find by.

    That is a price bound, or words with which it found nothing at all, as the environment says.
    """
    hits: dict[str, Hit] = {}
    for turn, call in view.timeline.calls():
        found = _searched_for(view, turn, call)
        if found is None or found[0] in hits:
            continue
        constraint, words = found
        signature = sign(
            "search_constraint",
            tool=call.run_tool,
            argument=next(iter(call.run_arguments)),
            constraint=constraint,
        )
        evidence = call_evidence(turn, call) | {"constraint": quote(words)}
        hits[constraint] = hit_at(
            turn, "search_constraint", "EC2", signature, evidence, intent=call.run_tool
        )
    return list(hits.values())


def _searched_for(view: View, turn: Turn, call: CallView) -> tuple[str, str] | None:
    """What a search carries that it cannot find by: kind and words; null when nothing."""
    values = list(call.run_arguments.values())
    is_free_text = "search" in name_words(call.run_tool) and len(values) == 1
    if not is_free_text or not isinstance(values[0], str):
        return None
    price = _CONSTRAINT.search(values[0][:1000])
    if price:
        return "price", price.group(0)
    return ("words", values[0]) if is_told_no_progress(view, turn) else None
