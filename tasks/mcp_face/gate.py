"""The harness session of one client: every call goes through it, and every result.

It fails open. Whatever breaks in here is one line of the log, and the call or the result passes
as it came.
"""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tasks.harness import Call, Decision, Harness, Regulated, Sandbox, Session
from tasks.harness.conduct import LOAD_TOOL
from tasks.harness.prompts import system_text
from tasks.harness.retrieval import find_skill
from tasks.harness.skills import Skill
from tasks.harness.text import JsonObject
from tasks.harness.values import Intervention, InterventionKind
from tasks.mcp_face.log import SessionLog

_NOT_EXECUTED = ("blocked", "loaded")
MAX_FAULT = 300


@dataclass(frozen=True)
class Terms:
    """What the sessions of all clients have in common."""

    harness: Harness
    sandbox: Sandbox
    budget: int | None = None
    task: str = ""


@dataclass(frozen=True)
class Ruling:
    """What to do with one call: send `call` upstream, or answer with `message` where it is null."""

    number: int
    call: Call | None
    message: str = ""
    is_error: bool = False


class Gate:
    """One client. Calls may overlap: each is judged, and its result taken in, at one moment."""

    def __init__(self, terms: Terms, log: SessionLog) -> None:
        """Start without knowing any tool; `learn_tools` tells them."""
        self.terms = terms
        self.log = log
        self.is_shadow = log.mode == "shadow"
        self.calls = 0
        self._task = terms.task
        self._tools: Sequence[JsonObject] = ()
        self._session: Session | None = None
        self._latest: int | None = None
        self._lock = asyncio.Lock()

    def learn_tools(self, tools: Sequence[JsonObject]) -> None:
        """Tell the rules which tools there are, in chat form; turns and counts stay."""
        if list(tools) != list(self._tools):
            self._tools = tuple(tools)
            self._renew()

    async def before(self, tool: str, arguments: JsonObject, *, task: str | None = None) -> Ruling:
        """Judge a call as the client wrote it; `task` is its task text from here on, if given."""
        async with self._lock:
            self.calls += 1
            number = self.calls
            written = Ruling(number, Call(tool, arguments))
            try:
                if task is not None and task != self._task:
                    self._task = task
                    self._renew()
                session = self._opened()
                self._forget_open_call(session)
                decision = await session.before_call(tool, json.dumps(arguments))
                self._latest = number
                return await self._rule(session, decision, written)
            except Exception as error:
                self._broke(error, number)
                return written

    async def after(
        self, ruling: Ruling, text: str, *, is_error: bool, can_hint: bool = True
    ) -> str:
        """Take in a result; gives what is to stand behind its text, empty when there is nothing.

        `can_hint` is false for an answer that has no room for a hint, such as an error of the
        protocol.
        """
        async with self._lock:
            try:
                session = self._opened()
                if self._latest != ruling.number:
                    self._forget_open_call(session)
                self._latest = None
                after = await session.after_result(ruling.call, text, is_error=is_error)
                self._tell(after, ruling.number, ruling.call, can_hint=can_hint)
            except Exception as error:
                self._broke(error, ruling.number)
                return ""
        added = after.observation.removeprefix(text)
        return "" if self.is_shadow or not can_hint else added

    def log_prompt(self, skill: Skill) -> None:
        """Write that the client has fetched a skill as a prompt."""
        self.log.intervention(self._given(skill, "load"))

    async def _rule(self, session: Session, decision: Decision, written: Ruling) -> Ruling:
        wanted = written.call
        self._tell(decision, written.number, wanted)
        if self.is_shadow or wanted is None:
            return written
        if decision.call is not None:
            return replace(written, call=decision.call)
        is_load = wanted.tool == LOAD_TOOL and self.terms.harness.offers_skills
        if decision.kind not in _NOT_EXECUTED and not is_load:
            # Arguments no rule can be shown are for the upstream to judge.
            return written
        is_error = decision.kind != "loaded"
        self._latest = None
        after = await session.after_result(None, decision.message, is_error=is_error)
        self._tell(after, written.number, wanted)
        return Ruling(written.number, None, after.observation, is_error)

    def _tell(
        self,
        done: Decision | Regulated,
        number: int,
        call: Call | None,
        *,
        can_hint: bool = True,
    ) -> None:
        tool = call.tool if call else ""
        for one in done.interventions:
            can_act = can_hint or one.kind != "hint"
            self.log.intervention(one, call=number, tool=tool, can_act=can_act)
        for fault in done.faults:
            self.log.fault(fault, call=number)

    def _opened(self) -> Session:
        if self._session is None:
            self._renew()
        if self._session is None:
            msg = "the session could not be opened"
            raise RuntimeError(msg)
        return self._session

    def _renew(self) -> None:
        """Open the session, or go on in one that knows other tools or another task."""
        before, terms = self._session, self.terms
        try:
            session = Session(
                terms.harness, self._task, self._tools, sandbox=terms.sandbox, budget=terms.budget
            )
            if before is not None:
                session.restore(before.save())
            self._session = session
            if before is None or before.task_text != self._task:
                self._open_task(session, is_first=before is None)
        except Exception as error:
            self._broke(error, None)

    def _open_task(self, session: Session, *, is_first: bool) -> None:
        """Let the rules hear what the client heard, and log the skill it cannot be given."""
        text = system_text(self.terms.harness)
        if is_first and text and not self.is_shadow:
            session.note_message({"role": "system", "content": text})
        if not self._task:
            return
        session.note_message({"role": "user", "content": self._task})
        harness = self.terms.harness
        if "skills" in harness.layers and harness.delivery == "injected":
            skill = find_skill(harness.skills, f"{self._task}\n")
            if skill is not None:
                self.log.intervention(self._given(skill, "inject"))

    def _given(self, skill: Skill, kind: InterventionKind) -> Intervention:
        artifact = self.terms.harness.artifact("skills", skill.name)
        return Intervention("skills", artifact.artifact_id, skill.name, kind, None, skill.prompt)

    def _forget_open_call(self, session: Session) -> None:
        # A call whose result is still to come would be closed as finished by the next one; its
        # result is taken in without it, as a turn of its own.
        if self._latest is not None:
            session.restore(replace(session.save(), pending=()))
            self._latest = None

    def _broke(self, error: Exception, number: int | None) -> None:
        said = " ".join(f"{type(error).__name__}: {error}".split())[:MAX_FAULT]
        self.log.note("fault", call=number, artifact="", kind="runtime", message=said)
