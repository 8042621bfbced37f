"""Loops in the words of the command line."""

from difflib import get_close_matches

from schemas.errors import ConfigError
from tasks.agent.loops.looped_model import LoopedModel
from tasks.agent.loops.plan_execute import PlanExecute
from tasks.agent.loops.protocol import Loop
from tasks.agent.loops.react import React
from tasks.agent.loops.reflexion import Reflexion
from tasks.agent.loops.tool_call import ToolCall
from tasks.agent.protocols import Model

LOOPS: dict[str, Loop] = {
    loop.name: loop for loop in (ToolCall(), React(), PlanExecute(), Reflexion())
}
TOOL_CALL = ToolCall.name


def in_loop(model: Model, word: str) -> Model:
    """The model in the loop of this name; `tool_call` leaves it as it is.

    Raises:
        ConfigError: there is no such loop.
    """
    if word not in LOOPS:
        close = get_close_matches(word, LOOPS, n=1)
        hint = f"did you mean `{close[0]}`?" if close else f"loops: {', '.join(LOOPS)}"
        what = f"there is no agent loop `{word[:60]}`"
        raise ConfigError(what, hint=hint)
    return model if word == TOOL_CALL else LoopedModel(model, LOOPS[word])
