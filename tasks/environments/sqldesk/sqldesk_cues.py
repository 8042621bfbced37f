"""All cues of a text for the simulated models: which facts about this desk it names.

A fact is a tool, a way to quote, the shape of an argument or an order of steps. What the desk
itself says in a result or an error is no cue: it is part of the fault rates.
"""

from tasks.environments.embedded.cues import CueTable, alone, own_voice
from tasks.environments.sqldesk import sqldesk_order_cues as order
from tasks.environments.sqldesk import sqldesk_shape_cues as shape

OWN_VOICE = (
    r"\[.*\]|\(truncated: .*\)|\d+ rows? affected|final answer received"
    r"|the final answer was given already|no such (?:column|table|function): .*"
    r"|near \".*\": syntax error|not authorized.*|incomplete input|unrecognized token: .*"
    r"|Only one statement can be executed at a time"
)
CUES = CueTable(
    own=own_voice(OWN_VOICE),
    in_sentence=(
        alone(shape.read_identifier),
        shape.read_answer_shape,
        shape.read_answer_values,
        alone(shape.read_statements),
        shape.read_argument,
        alone(order.read_hand_in),
        alone(order.read_prose),
    ),
    in_recent=(order.read_hint,),
    in_passage=(order.read_first_read, order.read_look_up),
    in_steps=order.read_steps,
)
