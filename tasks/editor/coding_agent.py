"""Editor `openai:<endpoint>`: a model that edits a workspace with a few tools.

Everything the model says is untrusted: paths, texts and manifests are checked by the tools, and
what is submitted still has to pass the gate. A conversation ends when the model finishes, a cap of
the round is reached or the endpoint breaks; what was said and submitted until then is kept.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from schemas.editors import EditorStop
from schemas.errors import ContextOverflow, ModelFault
from tasks.agent.protocols import JsonObject, ModelReply, RawCall
from tasks.editor.agent_tools import AgentDesk
from tasks.editor.evidence import EvidenceDesk
from tasks.editor.guide import opening_text, system_text
from tasks.editor.ledger import Ledger
from tasks.editor.protocols import Brief, Proposal
from tasks.editor.session import Session
from tasks.editor.tool_specs import TOOLS
from tasks.editor.workshop import Workshop
from tasks.editor.workspace import Workspace

MAX_CALLS = 16
"""Most calls of one reply that are answered."""
MAX_REVISIONS = 2
MAX_SILENT = 3
"""Replies in a row without a tool call after which the work ends."""
MAX_KEPT = 80_000
"""Longest text or argument text of the model that is sent back to it."""
_TOOL_CHARS = len(json.dumps(TOOLS))


class ChatClient(Protocol):
    """A model that answers a conversation; `tasks.agent.chat_model.ChatConversation` is one."""

    async def reply(self, messages: Sequence[Any], tools: Sequence[Any], /) -> ModelReply:
        """Answer the conversation so far.

        Raises:
            ModelFault: the endpoint is down or refuses.
        """
        ...


@dataclass
class _Thread:
    """A conversation that can go on with the gate's findings."""

    desk: AgentDesk
    session: Session
    messages: list[JsonObject] = field(default_factory=list[JsonObject])
    silent: int = 0

    def say(self, role: str, content: str) -> None:
        """Add a message of ours or of the model."""
        self.messages.append({"role": role, "content": content})
        if role == "system":
            self.session.say("system", content)
        elif role == "user":
            self.session.say("user", content)
        elif content:
            self.session.say("assistant", content)

    @property
    def chars(self) -> int:
        """Length of what the next request will send."""
        return _TOOL_CHARS + sum(len(json.dumps(message)) for message in self.messages)


class CodingAgentEditor:
    """An agent loop over an in-memory workspace; one round."""

    is_decoy = False

    def __init__(self, name: str, client: ChatClient, workshop: Workshop | None = None) -> None:
        self.name = name
        self.sessions: list[Session] = []
        self._client = client
        self._workshop = workshop or Workshop()
        self._ledger = Ledger(self._workshop.caps)
        self._threads: dict[str, _Thread] = {}

    async def propose(self, brief: Brief) -> list[Proposal]:
        """Let the model work until it finishes or a cap is reached.

        Raises:
            ModelFault: the endpoint has not answered once.
        """
        evidence = EvidenceDesk(brief)
        desk = AgentDesk(Workspace(brief.harness), evidence, self._workshop, self._ledger)
        thread = self._open(desk, "propose")
        thread.say("system", system_text(self._workshop))
        thread.say("user", opening_text(brief, evidence.opening(), self._workshop))
        await self._work(thread, self._workshop.caps.proposals)
        for proposal in desk.submitted:
            self._threads[proposal.child.harness_id] = thread
        return list(desk.submitted)

    async def revise(self, proposal: Proposal, findings: Sequence[str]) -> Proposal | None:
        """Go on with the findings; null when the model submits nothing or has had two tries."""
        before = self._threads.get(proposal.child.harness_id)
        if before is None or proposal.revision >= MAX_REVISIONS:
            return None
        desk = AgentDesk(
            Workspace(proposal.parent, proposal.child.files),
            before.desk.evidence,
            self._workshop,
            self._ledger,
            revision=proposal.revision + 1,
        )
        thread = self._open(desk, "revise")
        thread.messages = list(before.messages)
        thread.say("user", _refusal(proposal, findings))
        await self._work(thread, 1)
        if not desk.submitted:
            return None
        revised = desk.submitted[0]
        if revised.pattern_id is None:
            revised = replace(revised, pattern_id=proposal.pattern_id)
        self._threads[revised.child.harness_id] = thread
        return revised

    def _open(self, desk: AgentDesk, purpose: str) -> _Thread:
        session = Session("revise" if purpose == "revise" else "propose")
        self.sessions.append(session)
        return _Thread(desk, session)

    async def _work(self, thread: _Thread, wanted: int) -> None:
        session = thread.session
        try:
            session.end(await self._converse(thread, wanted))
        except ContextOverflow as error:
            session.end("context", str(error))
        except ModelFault as error:
            session.end("fault", str(error))
            if not session.turns and session.purpose == "propose":
                raise
        finally:
            session.proposals = len(thread.desk.submitted)

    async def _converse(self, thread: _Thread, wanted: int) -> EditorStop:
        desk, session, ledger = thread.desk, thread.session, self._ledger
        while True:
            if desk.is_finished:
                return "finished"
            if len(desk.submitted) >= wanted:
                return "proposals"
            if session.turns >= ledger.caps.turns:
                return "turns"
            chars = thread.chars
            if stop := ledger.may_ask(chars):
                return stop
            reply = await self._client.reply(thread.messages, TOOLS)
            session.book(reply)
            ledger.book(reply, chars)
            if reply.calls:
                await _answer_calls(thread, reply)
            elif not _remind(thread, reply.text):
                return "finished" if desk.submitted else "silent"


_REMINDER = "No tool call was found. Work with the tools; call `finish` when nothing is left."


def _remind(thread: _Thread, text: str) -> bool:
    """Ask a model that made no call to go on; false when it has been asked often enough."""
    thread.silent += 1
    thread.say("assistant", text[:MAX_KEPT])
    if thread.desk.submitted or thread.silent >= MAX_SILENT:
        return False
    thread.say("user", _REMINDER)
    return True


async def _answer_calls(thread: _Thread, reply: ModelReply) -> None:
    thread.silent = 0
    session, calls = thread.session, reply.calls[:MAX_CALLS]
    ids = [f"t{session.turns}c{number}" for number in range(len(calls))]
    text = reply.text[:MAX_KEPT]
    if text:
        session.say("assistant", text)
    made = [_as_call(call, one) for call, one in zip(calls, ids, strict=True)]
    thread.messages.append({"role": "assistant", "content": text, "tool_calls": made})
    for call, one in zip(calls, ids, strict=True):
        session.calls += 1
        session.say("call", call.arguments, tool=call.name)
        answer = await thread.desk.answer(call)
        session.say("tool", answer.text, tool=call.name, refused=answer.refused)
        thread.messages.append({"role": "tool", "tool_call_id": one, "content": answer.text})
    for call in reply.calls[MAX_CALLS:]:
        session.say("call", call.arguments, tool=call.name, refused=f"over {MAX_CALLS} in a reply")


def _as_call(call: RawCall, identity: str) -> JsonObject:
    """The call as it is sent back; one that no endpoint would take again is only described."""
    arguments = call.arguments
    if len(arguments) > MAX_KEPT:
        arguments = json.dumps({"note": f"{len(arguments)} characters, not kept"})
    name = call.name[:64] or "unnamed"
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def _refusal(proposal: Proposal, findings: Sequence[str]) -> str:
    listed = "\n".join(f"- {finding[:500]}" for finding in findings[:20]) or "- no reason was given"
    return (
        f"The edit {proposal.title!r} was refused:\n{listed}\n"
        "The workspace holds that candidate. Mend it and submit again, or call `finish`."
    )
