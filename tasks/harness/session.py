"""`Session`: one episode of an agent under a harness, whatever loop runs the agent.

A loop calls `condition` once, then for each turn of the model `before_call`, executes what it
is told to, and calls `after_result` with what came back (or with the decision's message).
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from .conduct import LOAD_TOOL, Conduct
from .errors import HarnessError
from .harness import Harness
from .judging import RuleRunner, joined, read_action
from .prompts import append_to, load_tool, system_text, tool_name, with_tool_hints
from .retrieval import find_skill
from .sandbox import RuleOutcome
from .skills import Skill
from .text import JsonObject
from .timeline import Point, Timeline, encode_action, encode_base, encode_entry, encode_message
from .values import (
    Action,
    CallLike,
    Conditioned,
    Decision,
    HistoryEntry,
    Intervention,
    Pending,
    Regulated,
    RuleLayer,
    SessionState,
    WrittenCall,
)


class Session:
    """One episode. Not for concurrent use; the sandbox is, and is shared between sessions."""

    def __init__(
        self,
        harness: Harness,
        task_text: str,
        tools: Sequence[Mapping[str, JsonValue]],
        *,
        sandbox: RuleRunner | None = None,
        budget: int | None = None,
    ) -> None:
        """Prepare an episode; `tools` are tool definitions in chat form, `budget` model turns.

        Raises:
            HarnessError: the harness has rules and there is no sandbox to run them in, or a
                tool is called as the one that loads skills.
        """
        names = frozenset(name for tool in tools if (name := tool_name(tool)) is not None)
        self.harness = harness
        self.task_text = task_text
        self._sandbox = sandbox
        self._budget = budget
        self._conduct = Conduct(harness, names)
        self._base = encode_base(task_text, tools)
        self._messages: list[str] = []
        self._history: list[HistoryEntry] = []
        self._encoded: list[str] = []
        self._pending: deque[Pending] = deque()
        self._skill: str | None = None
        if LOAD_TOOL in names and harness.offers_skills:
            msg = f"a tool is called {LOAD_TOOL}, which loads skills here"
            raise HarnessError(msg)
        if sandbox is None and (
            self._conduct.rules("actions") or self._conduct.rules("regulation")
        ):
            msg = "the harness has rules, so a session needs a sandbox"
            raise HarnessError(msg)

    @property
    def history(self) -> tuple[HistoryEntry, ...]:
        """Finished turns."""
        return tuple(self._history)

    @property
    def step(self) -> int:
        """Model turns and forced actions so far; each spends one unit of budget."""
        return sum(entry.is_new_turn for entry in self._history)

    @property
    def remaining_steps(self) -> int | None:
        """Units of budget left; null without a budget."""
        return None if self._budget is None else max(0, self._budget - self.step)

    @property
    def is_waiting(self) -> bool:
        """Whether a turn has been decided on whose result has not come back."""
        return bool(self._pending)

    def resume(self, history: Sequence[HistoryEntry]) -> None:
        """Take over the finished turns of another session, as a fork does."""
        self._pending.clear()
        self._history = list(history)
        self._encoded = [encode_entry(entry) for entry in history]

    def save(self) -> SessionState:
        """Everything that is needed to go on elsewhere; see `restore`."""
        conduct = self._conduct
        return SessionState(
            history=tuple(self._history),
            encoded=tuple(self._encoded),
            messages=tuple(self._messages),
            skill=self._skill,
            hints=conduct.hints,
            forced=conduct.forced,
            dismissed={layer: frozenset(names) for layer, names in conduct.dismissed.items()},
            pending=tuple(self._pending),
        )

    def restore(self, state: SessionState) -> None:
        """Go on where a session with the same harness, task and tools was saved."""
        self._history, self._encoded = list(state.history), list(state.encoded)
        self._messages, self._skill = list(state.messages), state.skill
        self._conduct.hints, self._conduct.forced = state.hints, state.forced
        for layer, names in state.dismissed.items():
            self._conduct.dismissed[layer] = set(names)
        self._pending = deque(state.pending)

    def condition(
        self, messages: Sequence[Mapping[str, JsonValue]], tools: Sequence[Mapping[str, JsonValue]]
    ) -> Conditioned:
        """Put contract and skills into what the model is sent first."""
        sent = [dict(message) for message in messages]
        text = system_text(self.harness)
        if text:
            sent = append_to(sent, "system", text)
        offered = self.offer(tools)
        skill, interventions = self._choose_skill("")
        if skill is not None:
            sent = append_to(sent, "user", skill.prompt)
        self._messages = [encode_message(message) for message in sent]
        return Conditioned(sent, offered, interventions)

    def offer(self, tools: Sequence[Mapping[str, JsonValue]]) -> list[JsonObject]:
        """Tools with the hints of the contract, and with the one that loads skills."""
        hints = self.harness.contract.tool_hints if "contract" in self.harness.layers else {}
        offered = with_tool_hints(tools, hints)
        return [*offered, load_tool(self.harness.skills)] if self.harness.offers_skills else offered

    def change_stage(self, state_text: str) -> tuple[str | None, tuple[Intervention, ...]]:
        """Look for a skill again when the task enters another stage.

        Gives the text to put into the next message, or null when no other skill is due.
        """
        before = self._skill
        skill, interventions = self._choose_skill(state_text)
        if skill is None or skill.name == before:
            return None, ()
        return skill.prompt, interventions

    def note_message(self, message: Mapping[str, JsonValue]) -> None:
        """Tell the rules of a message that is no turn, such as a later word of the user."""
        self._messages.append(encode_message(message))

    async def before_call(
        self,
        name: str | None,
        raw_arguments: str | None,
        *,
        raw_text: str = "",
        admissible: Sequence[str] | None = None,
        is_new_turn: bool = True,
    ) -> Decision:
        """Decide what to do with a call as the model wrote it, or with a turn without one.

        Args:
            name: tool called; null when the reply held no call, so that a rule may find one.
            raw_arguments: argument text as written.
            raw_text: what the model wrote besides the call.
            admissible: commands the environment offers now.
            is_new_turn: false for the second and later calls of one reply.

        Raises:
            SandboxError: the sandbox is gone.
        """
        self._close_pending()
        action = read_action(name, raw_arguments, raw_text)
        decision = await self._judge(action, admissible)
        self._pending.append(Pending(action, decision, is_new_turn))
        return decision

    async def before_reply(
        self,
        calls: Sequence[WrittenCall],
        *,
        raw_text: str = "",
        admissible: Sequence[str] | None = None,
    ) -> list[Decision]:
        """Decide what to do with all calls of one reply before any of them is executed.

        Gives one decision for each call, and one about the reply itself when it holds none.
        `after_result` is then called once for each, in their order.

        Raises:
            SandboxError: the sandbox is gone.
        """
        self._close_pending()
        actions = [read_action(call.tool, call.arguments, raw_text) for call in calls]
        actions = actions or [Action(None, None, raw_text)]
        decisions = [await self._judge(action, admissible) for action in actions]
        for place, (action, decision) in enumerate(zip(actions, decisions, strict=True)):
            self._pending.append(Pending(action, decision, is_new_turn=place == 0))
        return decisions

    async def after_result(
        self,
        call: CallLike | None,
        observation: str,
        *,
        is_error: bool = False,
        admissible: Sequence[str] | None = None,
    ) -> Regulated:
        """Take note of what came back and decide what follows.

        `call` is what was executed; null when nothing was. A call without a `before_call` is a
        forced one and spends budget of its own.

        Raises:
            SandboxError: the sandbox is gone.
        """
        self._note(self._finished(call), observation, is_error=is_error)
        outcomes = await self._ask("regulation", None, admissible, past=len(self._history))
        return self._conduct.regulate(observation, outcomes, remaining_steps=self.remaining_steps)

    async def _judge(self, action: Action, admissible: Sequence[str] | None) -> Decision:
        loaded = self._conduct.answer_load(action)
        return await self._decide(action, admissible) if loaded is None else loaded

    async def _decide(self, action: Action, admissible: Sequence[str] | None) -> Decision:
        outcomes = await self._ask("actions", action, admissible, past=len(self._history))
        if action.call is not None:
            return self._conduct.decide(action.call, outcomes)
        first, is_found = self._conduct.rescue(action, outcomes)
        if not is_found or first.call is None:
            return first
        rescued = Action(first.call.tool, first.call.arguments, action.raw_text)
        outcomes = await self._ask("actions", rescued, admissible, past=len(self._history))
        return joined(first, self._conduct.decide(first.call, outcomes))

    def _choose_skill(self, state_text: str) -> tuple[Skill | None, tuple[Intervention, ...]]:
        harness = self.harness
        if "skills" not in harness.layers or harness.delivery != "injected":
            return None, ()
        skill = find_skill(harness.skills, f"{self.task_text}\n{state_text}")
        self._skill = skill.name if skill else None
        if skill is None:
            return None, ()
        return skill, (self._conduct.given(skill, "inject"),)

    async def _ask(
        self,
        layer: RuleLayer,
        action: Action | None,
        admissible: Sequence[str] | None,
        *,
        past: int,
    ) -> tuple[RuleOutcome, ...]:
        rules = self._conduct.rules(layer)
        encoded = encode_action(action) if action is not None else None
        if rules is None or self._sandbox is None or (action is not None and encoded is None):
            return ()
        offered = tuple(admissible) if admissible is not None else None
        point = Point(encoded, past, len(self._messages), self.step, self.remaining_steps, offered)
        timeline = Timeline(self._base, self._encoded, self._messages, (point,))
        skip = self._conduct.dismissed[layer]
        return (await self._sandbox.evaluate(rules, timeline, skip=skip))[0]

    def _finished(self, call: CallLike | None) -> Pending:
        pending = self._pending.popleft() if self._pending else None
        if pending is None:
            tool, arguments = (call.tool, dict(call.arguments)) if call else (None, None)
            return Pending(Action(tool, arguments), Decision("execute"), is_new_turn=True)
        if call is None:
            return pending
        executed = replace(
            pending.action, tool=call.tool, arguments=dict(call.arguments), parse_error=None
        )
        return replace(pending, action=executed)

    def _note(self, finished: Pending, observation: str, *, is_error: bool) -> None:
        entry = HistoryEntry(finished.action, observation, is_error, finished.is_new_turn)
        self._history.append(entry)
        self._encoded.append(encode_entry(entry))

    def _close_pending(self) -> None:
        while self._pending:
            pending = self._pending.popleft()
            is_error = pending.decision.kind not in ("execute", "loaded")
            self._note(pending, pending.decision.message, is_error=is_error)
