"""The harness in one request: what the model is sent, and what the client is given.

`begin` takes in what is new, `request` is what to send, `judge` says what becomes of a reply.
A reply whose calls are all refused is kept from the client: the model is told why and asked
again. Where only some are refused the client is given the others, and the refusals join its
results in the next request. Without `acts` everything is decided and nothing is changed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tasks.harness import Conditioned, Decision, Harness, Session, WrittenCall
from tasks.proxy.forms import Exchange, Form, Item, Said, Talk, Usage, Written
from tasks.proxy.guarded import GuardedRules
from tasks.proxy.intake import Facts, Intake
from tasks.proxy.memory import Chain, Given, Remembered
from tasks.proxy.records import Account, Acted, CallRecord, OpeningRecord, TurnRecord
from tasks.proxy.written import arguments_text, as_executed, call_records, given_calls

_NO_USAGE = Usage()


@dataclass(frozen=True)
class Heard:
    """A fresh reply with what its response says besides."""

    said: Said
    usage: Usage = _NO_USAGE
    latency_s: float | None = None


@dataclass(frozen=True)
class Reply:
    """What the client is given.

    Attributes:
        origin: the model's reply as it was, the model's reply `changed`, or the harness's own.
    """

    said: Said
    origin: Literal["model", "changed", "harness"]


@dataclass(frozen=True)
class Terms:
    """How the harness takes part.

    Attributes:
        budget: model turns the agent has; null when nobody counts.
        acts: whether what it decides changes anything.
        admissible: commands that can be executed now; null when the client does not say.
        facts: null when only the requests tell of the world.
    """

    budget: int | None = None
    acts: bool = True
    admissible: tuple[str, ...] | None = None
    facts: Facts | None = None


class Steering:
    """One request; `account` holds what happened in it."""

    def __init__(
        self,
        form: Form,
        talk: Talk,
        harness: Harness,
        rules: GuardedRules,
        terms: Terms,
    ) -> None:
        """Prepare.

        Raises:
            HarnessError: harness and tools do not go together.
        """
        self.account = Account(trouble=rules.trouble)
        self._form, self._talk, self._rules, self._acts = form, talk, rules, terms.acts
        self._session = Session(
            harness, talk.task_text, talk.tools, sandbox=rules, budget=terms.budget
        )
        self._intake = Intake(
            form, self._session, self.account, terms.acts, terms.admissible, terms.facts
        )
        self._opening = Conditioned([], [])
        self._sent = Chain()
        self._turns = 0
        self._reply: tuple[Item, ...] | None = None
        self._given: tuple[Given, ...] = ()

    async def begin(self, remembered: Remembered | None) -> Reply | None:
        """Take in what is new; a reply when the harness gives one in the model's place."""
        exchanges = self._talk.exchanges
        if remembered is not None:
            self._go_on(remembered)
        else:
            self._condition()
            for exchange in exchanges[:-1]:
                await self._retell(exchange)
                await self._take(exchange)
            for exchange in exchanges[-1:]:
                await self._retell(exchange)
        for exchange in exchanges[-1:]:
            await self._take(exchange)
        return self._in_its_place()

    def request(self, body: Mapping[str, Any]) -> Item:
        """What to send to the upstream."""
        if not self._acts:
            return self._form.whole(body)
        offered = replace(self._opening, tools=self._session.offer(self._talk.tools))
        return self._form.write(body, offered, list(self._sent))

    async def judge(self, heard: Heard) -> Reply | None:
        """What the client is given for a reply; null when the model is to be asked again."""
        said = heard.said
        decisions = await self._decide(heard)
        if not self._acts:
            decisions = self._unharnessed(said)
        self._reply, self._given = None, given_calls(said, decisions, turn=self._turns - 1)
        visible = as_executed(said, decisions, self._given)
        if self._given and not visible:
            items = await self._intake.refuse(said, self._given, self._turns - 1)
            self._sent, self._given = self._sent.then([*said.items, *items]), ()
            return self._in_its_place()
        if visible == said.calls:
            return Reply(said, "model")
        self._reply = said.items
        return Reply(self._form.said_by_us(said.text, visible), "changed")

    def give_up(self) -> Reply:
        """End with the words of the last refusal, when the model has been asked often enough."""
        text = self.account.answers[-1].shown if self.account.answers else ""
        return self._own(text)

    def remember(self, conversation: str) -> Remembered:
        """Where the conversation stands now."""
        return Remembered(
            conversation,
            self._opening,
            self._session.save(),
            self._sent,
            self._reply,
            self._given,
            self._turns,
        )

    def _go_on(self, remembered: Remembered) -> None:
        self._session.restore(remembered.session)
        self._opening, self._sent = remembered.opening, remembered.sent
        self._turns = remembered.turns
        self._reply, self._given = remembered.reply, remembered.given

    def _condition(self) -> None:
        self._opening = self._session.condition(self._talk.opening, self._talk.tools)
        acted = Acted(self._opening.interventions)
        sent = (tuple(self._opening.messages), tuple(self._opening.tools))
        messages, tools = sent if self._acts else (self._talk.opening, self._talk.tools)
        self.account.opening = OpeningRecord(messages, tools, acted)

    async def _retell(self, exchange: Exchange) -> None:
        """Take a reply of the history as it stands there; it has been judged before."""
        self._rules.is_muted = True
        try:
            decisions = await self._decide(Heard(exchange.said))
        finally:
            self._rules.is_muted = False
        self._reply = None
        self._given = given_calls(exchange.said, decisions, turn=self._turns - 1)

    async def _take(self, exchange: Exchange) -> None:
        reply = self._reply if self._reply is not None else exchange.said.items
        items = await self._intake.take(exchange, self._given, self._turns - 1)
        self._sent = self._sent.then([*reply, *items])
        self._reply, self._given = None, ()

    async def _decide(self, heard: Heard) -> Sequence[Decision]:
        said = heard.said
        decisions = await self._session.before_reply(
            [WrittenCall(call.tool, call.arguments) for call in said.calls],
            raw_text=said.text,
            admissible=self._intake.admissible,
        )
        acted = Acted(
            tuple(one for decision in decisions for one in decision.interventions),
            tuple(one for decision in decisions for one in decision.faults),
        )
        calls = call_records(said, decisions, acts=self._acts, turn=self._turns)
        self._add_turn(
            TurnRecord(
                self._turns,
                said.text,
                calls,
                said.reasoning,
                acted=acted,
                usage=heard.usage,
                latency_s=heard.latency_s,
                admissible=self._intake.admissible,
            )
        )
        return decisions

    def _unharnessed(self, said: Said) -> list[Decision]:
        """Decisions as they were without rules: every call that can be read is executed."""
        pending = self._session.save().pending if said.calls else ()
        return [
            Decision("execute", one.action.call) if one.action.call else Decision("unusable")
            for one in pending
        ] or [Decision("none")]

    def _own(self, text: str, calls: Sequence[Written] = ()) -> Reply:
        return Reply(self._form.said_by_us(text, calls), "harness")

    def _in_its_place(self) -> Reply | None:
        """What the harness says instead of asking the model; null when the model is asked."""
        if self._intake.stop_text is not None:
            self.account.is_stopped = True
            return self._own(self._intake.stop_text)
        forced, self._intake.forced = self._intake.forced, None
        if forced is None:
            return None
        call = Written(f"call_forced_{self._turns}", forced.tool, arguments_text(forced))
        record = CallRecord(call.call_id, call.tool, None, forced)
        self._given = (Given(call.call_id, forced),)
        self._add_turn(TurnRecord(self._turns, "", (record,), is_forced=True))
        return self._own("", [call])

    def _add_turn(self, record: TurnRecord) -> None:
        self.account.turns.append(record)
        self._turns += 1
