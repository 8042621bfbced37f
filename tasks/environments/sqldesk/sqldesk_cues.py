"""All cues of a text for the simulated models: which facts about this desk it names.

A fact is a tool, a way to quote, the shape of an argument or an order of steps. What the desk
itself says in a result or an error is no cue: it is part of the fault rates.
"""

import re

from tasks.agent.simulated_reading import passages, sentences, steps
from tasks.agent.simulated_world import Cue, Source
from tasks.environments.sqldesk import sqldesk_order_cues as order
from tasks.environments.sqldesk import sqldesk_shape_cues as shape

MAX_CHARS = 40_000

_OWN_LINE = re.compile(
    r"^(?:\[.*\]|\(truncated: .*\)|\d+ rows? affected|final answer received"
    r"|the final answer was given already|(?:[\w.\[\]]+: )?.* is not of type .*"
    r"|.* is a required property|Additional properties are not allowed .*|tool .* not found"
    r"|There is no tool .*|No tool call was found\..*|no such (?:column|table|function): .*"
    r"|near \".*\": syntax error|not authorized.*|incomplete input|unrecognized token: .*"
    r"|Only one statement can be executed at a time|.*: .* is too (?:long|short))$",
    re.DOTALL,
)


def read_cues(text: str, source: Source) -> tuple[Cue, ...]:
    """Read the cues of a text in the order in which they stand."""
    text = text[:MAX_CHARS]
    if source == "recent":
        text = "\n".join(line for line in text.splitlines() if not _OWN_LINE.match(line.strip()))
    cues: list[Cue] = []
    before = ""
    for sentence in sentences(text):
        cues += shape.read_identifier(sentence)
        cues += shape.read_answer_shape(sentence, before)
        cues += shape.read_answer_values(sentence, before)
        cues += shape.read_statements(sentence)
        cues += shape.read_argument(sentence, before)
        cues += order.read_hand_in(sentence)
        cues += order.read_prose(sentence)
        cues += order.read_hint(sentence) if source == "recent" else []
        before = sentence
    for passage in passages(text):
        cues += order.read_first_read(passage)
        cues += order.read_look_up(passage)
    return (*cues, *order.read_steps(steps(text)))
