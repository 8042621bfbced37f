"""Rows of a conversation that a proxy overheard, request by request.

A request tells the results of the turn before and holds turns of its own, so the turns are put
together first. What a harness only watched is kept as suppressed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from schemas.ids import canonical_json, make_id
from schemas.text import clean_text
from schemas.trajectories import StepRow, ToolCallRow
from tasks.agent.arguments import clean_value, parse_arguments
from tasks.agent.episode_log import EpisodeLog
from tasks.harness import Call
from tasks.proxy.records import Account, Acted, AnswerRecord, CallRecord, TurnRecord


@dataclass
class Overheard:
    """Turns with what came back for them, by position."""

    turns: dict[int, TurnRecord] = field(default_factory=dict[int, TurnRecord])
    answers: dict[int, list[AnswerRecord]] = field(default_factory=dict[int, list[AnswerRecord]])
    words: dict[int, list[str]] = field(default_factory=dict[int, list[str]])

    def add(self, account: Account) -> None:
        """Take one request in; a turn that is told again counts once."""
        for turn in account.turns:
            self.turns.setdefault(turn.index, turn)
        for answer in account.answers:
            self.answers.setdefault(answer.turn, []).append(answer)
        for turn_index, text in account.words:
            self.words.setdefault(turn_index, []).append(text)


def overhear(log: EpisodeLog, accounts: Iterable[Account], *, acts: bool = True) -> None:
    """Put the rows of a conversation into a log; `acts` as the harness did."""
    heard = Overheard()
    for account in accounts:
        if account.opening is not None and not log.messages:
            log.open(_chat_texts(account.opening.messages), account.opening.tools)
            _keep(log, 0, account.opening.acted, acts=acts)
        heard.add(account)
    for index in sorted(heard.turns):
        turn, answers = heard.turns[index], heard.answers.get(index, [])
        _keep(log, index, turn.acted, acts=acts)
        for answer in answers:
            _keep(log, index, answer.acted, acts=acts)
        rows = _call_rows(log.identity.trajectory_id, turn, answers)
        log.calls.extend(rows)
        log.steps.append(_step_row(log, turn, answers, heard.words.get(index, [])))
        _spend(log, turn)


def _chat_texts(messages: Sequence[dict[str, object]]) -> list[dict[str, str]]:
    return [
        {"role": str(one.get("role")), "content": _text(one.get("content"))} for one in messages
    ]


def _text(content: object) -> str:
    if isinstance(content, str):
        return content
    return "" if content is None else canonical_json(content)


def _keep(log: EpisodeLog, index: int, acted: Acted, *, acts: bool) -> None:
    done = acted.interventions
    log.intervene(index, done if acts else [replace(one, suppressed=True) for one in done])
    log.book_faults(index, acted.faults)


def _spend(log: EpisodeLog, turn: TurnRecord) -> None:
    usage = turn.usage
    log.add_tokens(usage.prompt_tokens, usage.completion_tokens)


def _step_row(
    log: EpisodeLog, turn: TurnRecord, answers: Sequence[AnswerRecord], words: Sequence[str]
) -> StepRow:
    shown = [answer.shown for answer in answers] + [text for text in words if not turn.calls]
    listed = turn.admissible
    return StepRow(
        trajectory_id=log.identity.trajectory_id,
        step_index=turn.index,
        role="assistant",
        text=None if turn.is_forced else clean_text(turn.text),
        reasoning=clean_text(turn.reasoning) or None,
        observation=clean_text("\n\n".join(text for text in shown if text)),
        forced=turn.is_forced,
        admissible=None if listed is None else canonical_json([clean_text(one) for one in listed]),
        finish_reason=turn.usage.finish_reason,
        prompt_tokens=turn.usage.prompt_tokens,
        completion_tokens=turn.usage.completion_tokens,
        latency_s=turn.latency_s,
    )


def _call_rows(
    trajectory_id: str, turn: TurnRecord, answers: Sequence[AnswerRecord]
) -> list[ToolCallRow]:
    waiting = [answer for answer in answers if answer.call_id is not None]
    rows: list[ToolCallRow] = []
    for index, call in enumerate(turn.calls):
        answer = next((one for one in waiting if one.call_id == call.call_id), None)
        if answer is not None:
            waiting.remove(answer)
        rows.append(_call_row(trajectory_id, turn, index, call, answer))
    return rows


def _call_row(
    trajectory_id: str, turn: TurnRecord, index: int, call: CallRecord, answer: AnswerRecord | None
) -> ToolCallRow:
    raw = None if call.arguments is None else clean_text(call.arguments)
    if turn.is_forced and call.executed is not None:
        raw = canonical_json(clean_value(dict(call.executed.arguments)))
    parsed = parse_arguments(raw) if raw is not None else None
    ran = _storable(call.executed) if call.refusal is None else None
    return ToolCallRow(
        tool_call_id=make_id("call", [trajectory_id, turn.index, index]),
        trajectory_id=trajectory_id,
        step_index=turn.index,
        call_index=index,
        tool=clean_text(call.tool),
        arguments_raw=raw,
        arguments=parsed.canonical if parsed else None,
        arguments_error=parsed.error if parsed else None,
        executed=ran is not None and answer is not None,
        executed_tool=ran.tool if ran is not None and answer is not None else None,
        executed_arguments=canonical_json(ran.arguments) if ran and answer else None,
        result=clean_text(answer.observation) if ran and answer else None,
        observation=clean_text(answer.shown) if answer else None,
        is_error=answer.is_error if answer else None,
        error_kind=_error_kind(call, answer),
        native_id=clean_text(call.call_id) or None,
    )


def _storable(call: Call | None) -> Call | None:
    if call is None:
        return None
    try:
        return Call(clean_text(call.tool), clean_value(dict(call.arguments)))
    except ValueError:
        return None


def _error_kind(call: CallRecord, answer: AnswerRecord | None) -> str | None:
    if call.refusal == "blocked":
        return "blocked"
    if call.refusal == "unusable":
        return parse_arguments(call.arguments).error_kind or "unusable"
    return "tool_error" if answer is not None and answer.is_error else None
