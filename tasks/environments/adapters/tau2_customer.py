"""tau2's retail and airline desks with a customer whom a model plays, as in the benchmark.

No model is asked here: a world says when it is for the customer to speak and what the customer
knows, and hears the words. It gives out the package's own prompt of the customer, which holds the
instructions of the customer alone, and the talk.
"""

import json
from importlib import import_module
from typing import Any

import tau2_desk
from absent_packages import pretend
from calls import Json, compact, refusal
from scripted_user import DEAF
from tau2.data_model.message import UserMessage
from tau2_desk import RESPOND
from tau2_play import OVER, TRANSFER
from tau2_records import changes, take_changes

pretend("litellm")
MARKS: Any = import_module("tau2.user.base")
PLAYER: Any = import_module("tau2.user.user_simulator").UserSimulator
GREETING = "Hello! How can I help you today?"
LEFT = "The customer has ended the conversation."
WAITING = "The customer has not answered yet."
INSTRUCTIONS = (
    f"You serve a customer and keep to the policy. Talk to the customer with `{RESPOND}`: its"
    " result is the answer. The customer ends the conversation."
)


class Customer:
    """What a customer knows, has been told and has said; `is_due` while it is theirs to speak."""

    def __init__(self, prompt: str) -> None:
        self.prompt = prompt
        self.talk: list[list[str]] = [["user", GREETING]]

    @property
    def is_due(self) -> bool:
        """Whether the last word was the agent's."""
        return self.talk[-1][0] == "user"

    @property
    def said(self) -> list[str]:
        """What the agent has said, without the greeting."""
        return [words for role, words in self.talk[1:] if role == "user"]

    @property
    def turn(self) -> list[Json] | None:
        """The talk as the model of the customer gets it: its own words are the assistant's."""
        if not self.is_due:
            return None
        told = [["system", self.prompt], *self.talk]
        return [{"role": role, "content": words} for role, words in told]

    def answer(self, message: str) -> str:
        """Listen to the agent; the answer comes when the customer speaks."""
        if not message.strip():
            return DEAF
        self.talk.append(["user", message])
        return ""


class World(tau2_desk.World):
    """One conversation, which the customer opens and ends."""

    def act(self, call: Any) -> Any:
        """Execute a call."""
        if self.user.is_due and not self.is_over:
            return refusal(WAITING, "not_answered")
        return super().act(call)

    def user_turn(self) -> list[Json] | None:
        """What the customer knows and has heard; null while it is not theirs to speak."""
        return None if self.is_over else self.user.turn

    def hear(self, words: str) -> Json:
        """Take what the customer says; the package's own words end the conversation."""
        if self.is_over or not self.user.is_due:
            return refusal(OVER, "finished")
        self.user.talk.append(["assistant", words])
        self.is_over = PLAYER.is_stop(UserMessage(role="user", content=words))
        if not self.is_over:
            return {"observation": words}
        ended_as = "user_error" if MARKS.OUT_OF_SCOPE in words else "user_stop"
        return {"observation": without_marks(words), "done": True, "ended_as": ended_as}

    def next_gold(self) -> Json:
        """Next call of the gold policy: all actions, then a last word until the customer ends."""
        call = self.plan.call()
        if call is not None:
            return call
        parts = ["That is all I can do for you.", *self.told]
        if any(tool == TRANSFER for tool, _ in self.plan.calls):
            parts.append("You are being transferred to a human agent.")
        return {"tool": RESPOND, "arguments": {"message": " ".join(parts)}}

    @property
    def told(self) -> list[str]:
        """What the customer must be told."""
        return self.task.evaluation_criteria.communicate_info or []

    def snapshot(self) -> str:
        """The whole state as canonical JSON: the talk, and records that have changed."""
        return compact([self.is_over, self.plan.place, self.user.talk, changes(self.desk.tools.db)])

    def restore(self, state: bytes) -> None:
        """Return to a state."""
        self.is_over, self.plan.place, self.user.talk, held = json.loads(state)
        self.desk.tools.db = take_changes(self.desk.tools.db, held)

    def verdict(self) -> Json:
        """As with a scripted customer; `published` is what the benchmark alone would say."""
        judged = super().verdict()
        parts = judged["parts"]
        published = parts["ended"] and parts["records"] and parts["told"]
        return {**judged, "parts": {**parts, "published": published}}


class Environment(tau2_desk.Environment):
    """The conversations of one desk; splits are those of the scripted one."""

    kind = "user"
    instructions = INSTRUCTIONS
    modules = (*tau2_desk.MODULES, "absent_packages", "tau2_customer")
    step_budget = 50
    is_forkable = False
    has_user = True
    terminal_tools = ()

    def text_of(self, problem: Any) -> str:  # noqa: ARG002
        """What the agent is told: the words of the customer follow it."""
        return "A customer writes:"

    def user_of(self, problem: Any) -> Customer:
        """The customer of a conversation."""
        return Customer(PLAYER(instructions=str(problem.user_scenario)).system_prompt)

    def start(self, task: Any, seed: int) -> World:  # noqa: ARG002
        """Begin a conversation; chance is in what the customer says."""
        return World(self, self.problem_of(task))


def without_marks(words: str) -> str:
    """Last words of a customer without the marks that end a conversation."""
    for mark in (MARKS.STOP, MARKS.TRANSFER, MARKS.OUT_OF_SCOPE):
        words = words.replace(mark, "")
    return words.strip() or LEFT


def retail() -> Environment:
    """Orders, exchanges, returns."""
    return Environment("retail")


def airline() -> Environment:
    """Bookings, changes, refunds."""
    return Environment("airline")
