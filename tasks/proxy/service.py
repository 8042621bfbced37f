"""One request from the client's body to the client's response; knows no HTTP.

The harness never stands in the way: whatever it cannot take apart passes unchanged, a harness
that breaks changes nothing, and what the upstream says in its own defence is handed on.
"""

import json
import logging
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tasks.harness import Harness, HarnessError
from tasks.harness.judging import RuleRunner
from tasks.harness.text import make_id
from tasks.proxy.arms import Assignment, Policy, assign
from tasks.proxy.chat_form import OURS, ChatForm
from tasks.proxy.forms import Form, Item, MalformedBodyError, Talk, total_usage
from tasks.proxy.guarded import GuardedRules
from tasks.proxy.intake import Facts
from tasks.proxy.memory import Key, Memory, size_of
from tasks.proxy.records import Account
from tasks.proxy.responses_form import ResponsesForm
from tasks.proxy.steering import Heard, Reply, Steering, Terms
from tasks.proxy.upstream import Answered, Upstream

logger = logging.getLogger(__name__)

FORMS: tuple[Form, ...] = (ChatForm(), ResponsesForm())
MOST_ASKS = 6
SESSION_HEADER = "x-session-id"


@dataclass(frozen=True)
class Response:
    """What the client gets: a body, or the events of a stream."""

    status: int
    headers: Mapping[str, str]
    body: bytes = b""
    events: Iterator[bytes] | None = None


@dataclass(frozen=True)
class Exchanged:
    """What is kept of one request.

    Attributes:
        conversation: id of the conversation it belongs to.
        before: point in the conversation it goes on from; null at the start.
        after: point it leads to; null when nothing came of it.
        session: name the client gave the conversation; empty when it gave none.
        status: of the response.
    """

    conversation: str
    before: str | None
    after: str | None
    session: str
    form: str
    model: str
    policy: Policy
    assignment: Assignment
    account: Account
    status: int
    at: datetime


@dataclass
class Service:
    """Handles requests; one for all conversations.

    Attributes:
        policy: asked at every request, so a change takes effect at the next one.
        sandbox: runs rules; null when nothing does.
        record: takes what is kept; what it raises is logged and changes no response.
        budget: model turns of a conversation, told to rules; null when nobody counts.
        most_asks: how often the model is asked for one reply at most.
        steers_all: whether requests that offer no tools are steered as well.
        facts: null when only the requests tell of the world.
    """

    upstream: Upstream
    policy: Callable[[], Policy]
    sandbox: RuleRunner | None
    record: Callable[[Exchanged], None]
    now: Callable[[], datetime]
    empty: Harness
    budget: int | None = None
    most_asks: int = MOST_ASKS
    steers_all: bool = False
    facts: Facts | None = None
    memory: Memory = field(default_factory=Memory)
    _begun: int = 0

    async def answer(self, form: Form, raw: bytes, headers: Mapping[str, str]) -> Response | None:
        """Answer a request; null when it is to pass as it is, stream and all."""
        try:
            body = json.loads(raw)
            talk = form.read(body)
        except (ValueError, RecursionError, AttributeError, TypeError):
            return None
        if not (talk.tools or self.steers_all or any(e.said.calls for e in talk.exchanges)):
            return None
        try:
            request = _Request(self, form, body, talk, headers)
        except Exception:
            logger.exception("a request passes without the harness")
            return None
        return await request.run()

    def begin(self) -> int:
        """Number of a new conversation."""
        self._begun += 1
        return self._begun


class _Request:
    def __init__(
        self, service: Service, form: Form, body: Item, talk: Talk, headers: Mapping[str, str]
    ) -> None:
        self.service, self.form, self.body, self.talk = service, form, body, talk
        self.headers = headers
        ours = body.get(OURS)
        self.ours: Mapping[str, Any] = ours if isinstance(ours, Mapping) else {}
        self.session = _session_name(body, self.ours, headers)
        self.policy = service.policy()
        opening = make_id("talk", [self.session, [m.get("content") for m in talk.opening]])
        self.opening = opening
        self.assignment = assign(self.policy, self.session or opening, service.empty)
        harness = self.assignment.harness
        self.key = Key(self.session, harness.harness_id, str(self.assignment.acts))
        self.before = self.key.of_talk(talk)
        self.remembered = service.memory.get(self.before) if self.before else None
        self.conversation = self._conversation()

    def _conversation(self) -> str:
        if self.remembered is not None:
            return self.remembered.conversation
        # A client may open many conversations with the same words, also under one name.
        at = self.service.now().isoformat()
        harness_id = self.assignment.harness.harness_id
        return make_id("conv", [self.opening, harness_id, at, self.service.begin()])

    async def run(self) -> Response:
        rules = GuardedRules(self.service.sandbox)
        facts = self.service.facts
        terms = Terms(self.service.budget, self.assignment.acts, self._admissible(facts), facts)
        harness = self.assignment.harness
        try:
            steering = Steering(self.form, self.talk, harness, rules, terms)
            reply = await steering.begin(self.remembered)
        except HarnessError as error:
            return await self._unharnessed(f"the harness does not fit: {error}")
        except Exception as error:
            logger.exception("the harness broke down")
            return await self._unharnessed(f"{type(error).__name__}: {error}")
        return await self._converse(steering, reply)

    def _admissible(self, facts: Facts | None) -> tuple[str, ...] | None:
        if facts is not None:
            return facts.admissible
        listed = self.ours.get("admissible")
        return tuple(map(str, listed)) if isinstance(listed, list) else None

    async def _unharnessed(self, why: str) -> Response:
        answered = await self._ask(self.form.whole(self.body))
        self._record(Account(trouble=[why]), answered.status, None)
        if answered.value is None:
            return Response(answered.status, answered.headers, answered.body)
        return self._as_value(answered, answered.value)

    async def _converse(self, steering: Steering, reply: Reply | None) -> Response:
        answered: Answered | None = None
        paid: list[Item] = []
        for _ in range(self.service.most_asks):
            if reply is not None:
                break
            started = time.perf_counter()
            answered = await self._ask(steering.request(self.body))
            try:
                fresh = self.form.read_reply(answered.value) if answered.value else None
            except MalformedBodyError:
                fresh = None
            if answered.value is None or fresh is None:
                return self._unread(steering, answered)
            paid.append(answered.value)
            heard = Heard(fresh, self.form.usage(answered.value), time.perf_counter() - started)
            try:
                reply = await steering.judge(heard)
            except Exception as error:
                logger.exception("the harness broke down")
                steering.account.trouble.append(f"{type(error).__name__}: {error}")
                self._record(steering.account, answered.status, None)
                return self._as_value(answered, answered.value)
        reply = reply or steering.give_up()
        return self._give(steering, reply, answered, total_usage(paid))

    def _unread(self, steering: Steering, answered: Answered) -> Response:
        """An error of the upstream, or something that is no reply: the client gets just that.

        A client that waits for a stream is told there, for the upstream was not asked for one.
        """
        self._record(steering.account, answered.status, None)
        if self.body.get("stream") and answered.status == 200:
            events = self.form.error_events(answered.body)
            return Response(200, {"Content-Type": "text/event-stream"}, events=events)
        return Response(answered.status, answered.headers, answered.body)

    def _give(
        self, steering: Steering, reply: Reply, answered: Answered | None, usage: Item | None
    ) -> Response:
        said, value = reply.said, answered.value if answered else None
        if reply.origin == "harness" or value is None:
            value = self.form.own_reply(self.body, said)
        elif reply.origin == "changed":
            value = self.form.write_reply(value, said.text, said.calls)
        if usage is not None:
            value = {**value, "usage": usage}
        after = self.key.then(said)
        remembered = steering.remember(self.conversation)
        size = size_of([*self.talk.opening, *remembered.sent.items, *said.items])
        self.service.memory.put(after, remembered, size)
        self._record(steering.account, 200, after)
        return self._as_value(answered, value)

    async def _ask(self, body: Item) -> Answered:
        return await self.service.upstream.ask(self.form.path, body, self.headers)

    def _record(self, account: Account, status: int, after: str | None) -> None:
        kept = Exchanged(
            self.conversation,
            self.before,
            after,
            self.session,
            self.form.name,
            str(self.body.get("model", "")),
            self.policy,
            self.assignment,
            account,
            status,
            self.service.now(),
        )
        try:
            self.service.record(kept)
        except OSError as error:
            logger.warning("a request was not recorded: %s", error)
        except Exception:
            logger.exception("a request was not recorded")

    def _as_value(self, answered: Answered | None, value: Item) -> Response:
        headers = dict(answered.headers) if answered else {}
        headers = {k: v for k, v in headers.items() if k.lower() != "content-type"}
        if self.body.get("stream"):
            events = self.form.events(value, self.body)
            return Response(200, headers | {"Content-Type": "text/event-stream"}, events=events)
        body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        return Response(200, headers | {"Content-Type": "application/json"}, body)


def _session_name(
    body: Mapping[str, Any], ours: Mapping[str, Any], headers: Mapping[str, str]
) -> str:
    """Name of the conversation: from `tackroom`, the header, or the metadata of the body."""
    metadata = body.get("metadata")
    named = metadata.get("session_id") if isinstance(metadata, Mapping) else None
    by_header = {name.lower(): value for name, value in headers.items()}.get(SESSION_HEADER)
    for name in (ours.get("session"), by_header, named):
        if isinstance(name, str) and name:
            return name[:200]
    return ""
