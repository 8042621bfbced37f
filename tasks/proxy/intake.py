"""What came back for a reply: taken in by the session, with what the harness adds to it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tasks.harness import Call, Session
from tasks.proxy.errors_in_text import reads_as_error
from tasks.proxy.forms import Answer, Exchange, Form, Item, Said
from tasks.proxy.memory import Given
from tasks.proxy.records import Account, Acted, AnswerRecord

STOPPED = "Stopped."


class Facts(Protocol):
    """What somebody who runs the world knows besides what requests say."""

    @property
    def admissible(self) -> tuple[str, ...] | None:
        """Commands that can be executed now; null when the world does not list them."""
        ...

    def is_error(self, call: Call | None) -> bool | None:
        """Whether the newest result of a call is an error; null when it was not executed."""
        ...


@dataclass
class Intake:
    """Takes results in, in the order of their calls.

    Attributes:
        acts: whether what the harness says changes anything.
        facts: null when only the requests tell of the world.
        forced: call that a rule wants next; null when none does.
        stop_text: words with which a rule ends the conversation; null when none does.
    """

    form: Form
    session: Session
    account: Account
    acts: bool
    admissible: tuple[str, ...] | None = None
    facts: Facts | None = None
    forced: Call | None = None
    stop_text: str | None = None
    _turn: int = field(default=0, init=False)

    async def take(self, exchange: Exchange, given: Sequence[Given], turn: int) -> list[Item]:
        """Items for what the client put behind a reply, and for what it was not shown.

        Results come before words, as endpoints want them.
        """
        self._turn = turn
        if not given and not self.session.is_waiting:
            self._hear(exchange.answers)
            return [one.item for one in exchange.answers]
        if not given:
            return await self._take_words(exchange.answers)
        results = [one for one in exchange.answers if one.call_id is not None]
        waiting = list(results)
        items: dict[int, Item] = {}
        hidden: list[Item] = []
        for one in given:
            if one.hidden is not None:
                text = await self._follow(one, one.hidden, is_error=one.is_error)
                hidden.append(self.form.result(one.call_id, text))
                continue
            answer = _pick(waiting, one.call_id)
            if answer is None:
                await self.session.after_result(one.executed, "")
                continue
            text = await self._follow(one, answer.text, is_error=self._is_error(answer, one))
            items[id(answer)] = self._shown(answer, text, one)
        kept = [items.get(id(one), one.item) for one in results]
        return [*kept, *hidden, *self._hear(exchange.answers)]

    async def refuse(self, said: Said, given: Sequence[Given], turn: int) -> list[Item]:
        """Items for a reply of which nothing came: what the model is told instead."""
        self._turn = turn
        items: list[Item] = []
        for one in given:
            text = await self._follow(one, one.hidden or "", is_error=one.is_error)
            told = self.form.result(one.call_id, text) if said.calls else self.form.words(text)
            items.append(told)
        return items

    async def _take_words(self, answers: Sequence[Answer]) -> list[Item]:
        """What followed a turn without a call.

        A loop's own complaint about such a turn says that it is an error, and is its result.
        What a user says is heard, and the turn has no result.
        """
        if not answers:
            return []
        first, rest = answers[0], answers[1:]
        observation = first.text if first.is_error else ""
        text = await self._follow(Given("", None), observation, is_error=bool(first.is_error))
        self._hear(rest if first.is_error else answers)
        return [self._with(first, text[len(observation) :]), *(one.item for one in rest)]

    def _hear(self, answers: Sequence[Answer]) -> list[Item]:
        """Words of the user, told to the rules."""
        words = [one for one in answers if one.call_id is None]
        for one in words:
            self.session.note_message({"role": "user", "content": one.text})
            self.account.words.append((self._turn, one.text))
        return [one.item for one in words]

    def _shown(self, answer: Answer, text: str, given: Given) -> Item:
        if given.is_rescued and self.acts:
            return self.form.words(text)
        return self._with(answer, text[len(answer.text) :])

    def _with(self, answer: Answer, added: str) -> Item:
        if not added or not self.acts:
            return answer.item
        joint = "\n\n" if answer.text and not added.startswith("\n") else ""
        return self.form.with_text(answer.item, joint + added)

    def _is_error(self, answer: Answer, given: Given) -> bool:
        if answer.is_error is not None:
            return answer.is_error
        known = self.facts.is_error(given.executed) if self.facts else None
        return reads_as_error(answer.text) if known is None else known

    async def _follow(self, given: Given, observation: str, *, is_error: bool) -> str:
        """Ask what follows a result; gives what the model is shown of it."""
        done = await self.session.after_result(
            given.executed, observation, is_error=is_error, admissible=self.admissible
        )
        acted = Acted(done.interventions, done.faults)
        shown = done.observation if self.acts else observation
        self.account.answers.append(
            AnswerRecord(self._turn, given.call_id or None, observation, shown, is_error, acted)
        )
        if self.acts:
            self.forced = self.forced or done.forced
            if done.stop:
                self.stop_text = self.stop_text or _words_of_stop(acted)
        return shown


def _words_of_stop(acted: Acted) -> str:
    texts = [one.after for one in acted.interventions if one.kind == "stop" and not one.suppressed]
    return next((text for text in texts if text), STOPPED)


def _pick(waiting: list[Answer], call_id: str) -> Answer | None:
    """Take the first result of a call out of those that wait; ids may repeat."""
    for place, answer in enumerate(waiting):
        if answer.call_id == call_id:
            return waiting.pop(place)
    return None
