"""One turn of the agent: realize and run what it asked for, let the harness have its say.

A call that cannot be run is never run in a changed form behind the agent's back: it gets an
observation that says why.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from schemas.ids import canonical_json, make_id
from schemas.text import clean_text
from schemas.trajectories import StepRow, ToolCallRow
from tasks.agent.arguments import clean_value, parse_arguments
from tasks.agent.builtin_models import raw_call
from tasks.agent.conversation import turn_messages
from tasks.agent.episode_log import EpisodeLog
from tasks.agent.fork import NOT_RUN
from tasks.agent.protocols import ActResult, Call, JsonObject, ModelReply, RawCall
from tasks.agent.world_driver import WorldDriver
from tasks.harness import Decision, Session, WrittenCall

MAX_CALLS = 32
"""Most calls of one reply that are run; a model call spends one unit of budget, so a reply
must not hold an unbounded number of them."""


@dataclass(frozen=True)
class CallOutcome:
    """One call after it was dealt with."""

    row: ToolCallRow
    is_done: bool = False
    is_stopped: bool = False
    forced: Call | None = None


@dataclass(frozen=True)
class TurnEnd:
    """What a turn leaves for the loop: whether it is over, and a call forced on the next turn."""

    is_done: bool = False
    is_stopped: bool = False
    forced: Call | None = None


def clean_reply(reply: ModelReply) -> ModelReply:
    """Make everything a model said storable."""
    calls = tuple(
        RawCall(clean_text(call.name), clean_text(call.arguments), clean_text(call.call_id))
        for call in reply.calls
    )
    reasoning = None if reply.reasoning is None else clean_text(reply.reasoning)
    logprobs = reply.logprobs and tuple((clean_text(token), p) for token, p in reply.logprobs)
    return replace(
        reply,
        text=clean_text(reply.text),
        calls=calls,
        reasoning=reasoning,
        served_model=reply.served_model and clean_text(reply.served_model),
        system_fingerprint=reply.system_fingerprint and clean_text(reply.system_fingerprint),
        logprobs=logprobs,
    )


@dataclass
class Turn:
    """One turn in progress."""

    log: EpisodeLog
    driver: WorldDriver
    session: Session
    tools: Sequence[JsonObject]
    step_index: int

    async def take(self, reply: ModelReply, *, forced: Call | None = None) -> TurnEnd:
        """Deal with one reply, or with a forced call in its place."""
        before, admissible = self.driver.state_hash, self.driver.admissible
        if forced is not None:
            outcomes = [await self._run_forced(forced)]
        elif reply.calls:
            outcomes = await self._run_calls(reply)
        else:
            [decision] = await self.session.before_reply(
                [], raw_text=reply.text, admissible=self.driver.admissible
            )
            outcomes = [await self._run_call(self._written_row(None, 0), decision)]
        step = StepRow(
            trajectory_id=self.log.identity.trajectory_id,
            step_index=self.step_index,
            role="assistant",
            text=None if forced is not None else reply.text,
            reasoning=reply.reasoning,
            observation="\n\n".join(item.row.observation or "" for item in outcomes),
            forced=forced is not None,
            admissible=None if admissible is None else canonical_json(list(admissible)),
            state_hash_before=before,
            state_hash_after=self.driver.state_hash,
            finish_reason=reply.finish_reason,
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            latency_s=reply.latency_s,
            served_model=reply.served_model,
            system_fingerprint=reply.system_fingerprint,
            logprobs=None if reply.logprobs is None else canonical_json(reply.logprobs),
        )
        rows = [item.row for item in outcomes if _is_call(item.row)]
        self._keep(step, rows)
        return TurnEnd(
            is_done=any(item.is_done for item in outcomes),
            is_stopped=any(item.is_stopped for item in outcomes),
            forced=next((item.forced for item in outcomes if item.forced), None),
        )

    def _keep(self, step: StepRow, rows: list[ToolCallRow]) -> None:
        self.log.steps.append(step)
        self.log.calls.extend(rows)
        self.log.messages.extend(turn_messages(step, rows))

    async def _run_calls(self, reply: ModelReply) -> list[CallOutcome]:
        """Run the calls of a reply in order; after the end of the episode none is run."""
        rows = [self._written_row(raw, index) for index, raw in enumerate(reply.calls)]
        decisions = await self._decide(rows[:MAX_CALLS], reply.text)
        outcomes: list[CallOutcome] = []
        over = ""
        for row, decision in zip(rows, decisions, strict=False):
            if over:
                outcomes.append(_skip(row, over))
                continue
            outcome = await self._run_call(row, decision)
            outcomes.append(outcome)
            if outcome.is_done or outcome.is_stopped:
                over = "Not run: the episode was over."
        over = over or f"Not run: at most {MAX_CALLS} calls in one reply are run."
        return [*outcomes, *(_skip(row, over) for row in rows[MAX_CALLS:])]

    async def _decide(self, rows: Sequence[ToolCallRow], text: str) -> list[Decision]:
        written = [
            WrittenCall(row.tool, "{}" if row.arguments == "{}" else row.arguments_raw)
            for row in rows
        ]
        return await self.session.before_reply(
            written, raw_text=text, admissible=self.driver.admissible
        )

    async def _run_call(self, row: ToolCallRow, decision: Decision) -> CallOutcome:
        self.log.intervene(self.step_index, decision.interventions)
        self.log.book_faults(self.step_index, decision.faults)
        realized = self._realize(decision, row)
        if isinstance(realized, Call):
            return await self._execute(row, realized)
        return await self._regulate(row, None, realized)

    def _realize(self, decision: Decision, row: ToolCallRow) -> Call | ActResult:
        """Make the call that a decision stands for, or say why there is none."""
        call = decision.call
        if decision.kind != "execute" or call is None:
            kind = None if decision.kind == "loaded" else _refusal_kind(decision, row)
            return ActResult(clean_text(decision.message), decision.kind != "loaded", kind)
        known = [tool["function"]["name"] for tool in self.tools]
        if call.tool not in known:
            return ActResult(_unknown_tool(call.tool, known), True, "unknown_tool")
        try:
            return Call(call.tool, clean_value(dict(call.arguments)))
        except ValueError as error:
            what = f"The call of {call.tool} was not executed: {error}."
            return ActResult(what, True, "arguments_not_json")

    async def _run_forced(self, call: Call) -> CallOutcome:
        return await self._execute(self._written_row(raw_call(call), 0), call)

    async def _execute(self, row: ToolCallRow, call: Call) -> CallOutcome:
        result = await self.driver.act(call)
        update = {
            "executed": True,
            "executed_tool": call.tool,
            "executed_arguments": canonical_json(call.arguments),
        }
        outcome = await self._regulate(row.model_copy(update=update), call, result)
        return replace(outcome, is_done=result.done)

    async def _regulate(
        self, row: ToolCallRow, call: Call | None, result: ActResult
    ) -> CallOutcome:
        regulated = await self.session.after_result(
            call,
            result.observation,
            is_error=result.is_error,
            admissible=self.driver.admissible,
        )
        self.log.intervene(self.step_index, regulated.interventions)
        self.log.book_faults(self.step_index, regulated.faults)
        update = {
            "result": result.observation if row.executed else None,
            "observation": clean_text(regulated.observation),
            "is_error": result.is_error,
            "error_kind": result.error_kind,
        }
        forced = regulated.forced
        return CallOutcome(
            row.model_copy(update=update),
            is_stopped=regulated.stop,
            forced=None if forced is None else Call(forced.tool, dict(forced.arguments)),
        )

    def _written_row(self, raw: RawCall | None, index: int) -> ToolCallRow:
        trajectory_id = self.log.identity.trajectory_id
        parsed = parse_arguments(raw.arguments) if raw else None
        return ToolCallRow(
            tool_call_id=make_id("call", [trajectory_id, self.step_index, index]),
            trajectory_id=trajectory_id,
            step_index=self.step_index,
            call_index=index,
            tool=raw.name if raw else "",
            arguments_raw=raw.arguments if raw else None,
            arguments=parsed.canonical if parsed else None,
            arguments_error=parsed.error if parsed else None,
            executed=False,
            native_id=raw.call_id if raw else None,
        )


def _skip(row: ToolCallRow, why: str) -> CallOutcome:
    update = {"observation": why, "is_error": True, "error_kind": NOT_RUN}
    return CallOutcome(row.model_copy(update=update))


def _is_call(row: ToolCallRow) -> bool:
    """Tell a call, written or rescued, from the stand-in for a reply without any."""
    return row.arguments_raw is not None or bool(row.executed)


def _refusal_kind(decision: Decision, row: ToolCallRow) -> str:
    match decision.kind:
        case "blocked":
            return "blocked"
        case "none":
            return "no_call"
        case _:
            return parse_arguments(row.arguments_raw).error_kind or "unusable"


def _unknown_tool(name: str, known: Sequence[str]) -> str:
    wrote = f"There is no tool `{name[:80]}`." if name else "The call names no tool."
    return f"{wrote} Tools: {', '.join(known)}."
