"""Editor `openai:<endpoint>`: a model that edits a workspace with a few tools.

Everything the model says is untrusted: paths, texts and manifests are checked by the tools, and
what is submitted still has to pass the gate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from tasks.agent.protocols import JsonObject, ModelReply, RawCall
from tasks.editor.agent_tools import TOOLS, AgentDesk
from tasks.editor.evidence import EvidenceDesk
from tasks.editor.guide import opening_text, system_text
from tasks.editor.protocols import Brief, Proposal
from tasks.editor.workspace import Workspace

CHARS_PER_TOKEN = 4
MAX_CALLS = 16
"""Most calls of one reply that are answered."""
MAX_REVISIONS = 2


class ChatClient(Protocol):
    """A model that answers a conversation; `tasks.agent.chat_model.ChatConversation` is one."""

    async def reply(self, messages: Sequence[Any], tools: Sequence[Any]) -> ModelReply:
        """Answer the conversation so far.

        Raises:
            ModelFault: the endpoint is down or refuses.
        """
        ...


@dataclass(frozen=True)
class Caps:
    """Bounds of one conversation."""

    turns: int = 40
    tokens: int = 400_000
    proposals: int = 6


@dataclass
class _Thread:
    """A conversation that can go on with the gate's findings."""

    desk: AgentDesk
    messages: list[JsonObject] = field(default_factory=list[JsonObject])
    tokens: int = 0
    turns: int = 0


class CodingAgentEditor:
    """An agent loop over an in-memory workspace."""

    is_decoy = False

    def __init__(self, name: str, client: ChatClient, caps: Caps | None = None) -> None:
        self.name = name
        self._client = client
        self._caps = caps or Caps()
        self._threads: dict[str, _Thread] = {}

    async def propose(self, brief: Brief) -> list[Proposal]:
        """Let the model work until it finishes or a cap is reached.

        Raises:
            ModelFault: the endpoint is down or refuses.
        """
        evidence = EvidenceDesk(brief)
        ids = frozenset(pattern.pattern_id for pattern in brief.patterns)
        desk = AgentDesk(Workspace(brief.harness), evidence, pattern_ids=ids)
        thread = _Thread(desk)
        thread.messages = [
            {"role": "system", "content": system_text()},
            {"role": "user", "content": opening_text(brief, evidence.opening())},
        ]
        await self._work(thread, self._caps.proposals)
        for proposal in desk.submitted:
            self._threads[proposal.child.harness_id] = thread
        return list(desk.submitted)

    async def revise(self, proposal: Proposal, findings: Sequence[str]) -> Proposal | None:
        """Go on with the findings; null when the model submits nothing or has had two tries.

        Raises:
            ModelFault: the endpoint is down or refuses.
        """
        before = self._threads.get(proposal.child.harness_id)
        if before is None or proposal.revision >= MAX_REVISIONS:
            return None
        workspace = Workspace(proposal.parent, proposal.child.files)
        desk = AgentDesk(
            workspace,
            before.desk.evidence,
            pattern_ids=before.desk.pattern_ids,
            revision=proposal.revision + 1,
        )
        thread = _Thread(desk, list(before.messages), before.tokens)
        thread.messages.append({"role": "user", "content": _refusal(proposal, findings)})
        await self._work(thread, 1)
        if not desk.submitted:
            return None
        revised = desk.submitted[0]
        if revised.pattern_id is None:
            revised = replace(revised, pattern_id=proposal.pattern_id)
        self._threads[revised.child.harness_id] = thread
        return revised

    async def _work(self, thread: _Thread, wanted: int) -> None:
        desk, caps = thread.desk, self._caps
        while not desk.is_finished and len(desk.submitted) < wanted:
            if thread.turns >= caps.turns or thread.tokens >= caps.tokens:
                return
            reply = await self._client.reply(thread.messages, TOOLS)
            thread.turns += 1
            thread.tokens += _tokens(thread.messages, reply)
            if not reply.calls:
                thread.messages.append({"role": "assistant", "content": reply.text})
                if desk.submitted:
                    return
                thread.messages.append({"role": "user", "content": _REMINDER})
                continue
            _answer_calls(thread, reply)


_REMINDER = "No tool call was found. Work with the tools; call `finish` when nothing is left."


def _answer_calls(thread: _Thread, reply: ModelReply) -> None:
    calls = reply.calls[:MAX_CALLS]
    ids = [f"t{thread.turns}c{number}" for number in range(len(calls))]
    thread.messages.append(
        {
            "role": "assistant",
            "content": reply.text,
            "tool_calls": [_as_call(call, one) for call, one in zip(calls, ids, strict=True)],
        }
    )
    for call, one in zip(calls, ids, strict=True):
        answer = thread.desk.answer(call)
        thread.messages.append({"role": "tool", "tool_call_id": one, "content": answer})


def _as_call(call: RawCall, identity: str) -> JsonObject:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": identity, "type": "function", "function": function}


def _refusal(proposal: Proposal, findings: Sequence[str]) -> str:
    listed = "\n".join(f"- {finding[:500]}" for finding in findings[:20]) or "- no reason was given"
    return (
        f"The edit {proposal.title!r} was refused:\n{listed}\n"
        "The workspace holds that candidate. Mend it and submit again, or call `finish`."
    )


def _tokens(messages: Sequence[JsonObject], reply: ModelReply) -> int:
    if reply.prompt_tokens is not None and reply.completion_tokens is not None:
        return reply.prompt_tokens + reply.completion_tokens
    said = sum(len(str(message.get("content") or "")) for message in messages) + len(reply.text)
    return said // CHARS_PER_TOKEN
