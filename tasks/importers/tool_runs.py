"""What tool steps of a trace know of calls and results, added where no message holds it."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tasks.importers.draft import DraftCall, DraftMessage
from tasks.importers.pairing import Paired, pair_calls
from tasks.importers.spans import Span, ToolRun


@dataclass
class _Calls:
    """Calls of a conversation that a tool step may have run, by id and by name."""

    by_id: dict[str, Paired] = field(default_factory=dict[str, Paired])
    by_tool: dict[str, list[Paired]] = field(
        default_factory=lambda: defaultdict[str, list[Paired]](list)
    )

    @classmethod
    def of(cls, messages: Sequence[DraftMessage]) -> "_Calls":
        """Look through all calls once."""
        found = cls()
        for paired in pair_calls(messages):
            if paired.call is not None:
                if paired.call.native_id:
                    found.by_id.setdefault(paired.call.native_id, paired)
                found.by_tool[paired.call.tool].append(paired)
        return found

    def take(self, run: ToolRun) -> Paired | None:
        """The call that was run: by id, else the first of that tool that no step has claimed."""
        named = self.by_id.get(run.call_id) if run.call_id else None
        waiting = self.by_tool[run.tool]
        found = named or (waiting[0] if waiting else None)
        if found in waiting:
            waiting.remove(found)
        return found


def with_tool_runs(
    messages: Sequence[DraftMessage], answers: Sequence[tuple[int, int]], runs: Sequence[Span]
) -> tuple[DraftMessage, ...]:
    """Add calls and results of tool steps; `answers` says when each model step said what."""
    calls, made = _Calls.of(messages), list(messages)
    behind: dict[int, list[DraftMessage]] = defaultdict(list)
    before: list[DraftMessage] = []
    for span in runs:
        run = span.tool
        if run is None:
            continue
        known = calls.take(run)
        if known is not None and known.result_at is not None:
            made[known.result_at] = _with_failure(made[known.result_at], span)
            continue
        at = known.message if known is not None else _place(answers, span)
        if at is None:
            before += [DraftMessage(role="assistant", calls=(_call(run),)), _result(run, span)]
            continue
        if known is None:
            made[at] = replace(made[at], calls=(*made[at].calls, _call(run)))
        behind[at].append(_result(run, span, known.call if known else None))
    whole = (one for at, message in enumerate(made) for one in (message, *behind[at]))
    return (*before, *whole)


def _place(answers: Sequence[tuple[int, int]], span: Span) -> int | None:
    """The model step that came last before a tool ran."""
    return next((at for start, at in reversed(answers) if start <= span.start), None)


def _call(run: ToolRun) -> DraftCall:
    return DraftCall(run.tool, run.raw, run.arguments, run.call_id, is_executed=True)


def _with_failure(message: DraftMessage, span: Span) -> DraftMessage:
    if span.error is None:
        return message
    return replace(message, is_error=True, error_kind="tool_error")


def _result(run: ToolRun, span: Span, call: DraftCall | None = None) -> DraftMessage:
    failed = span.error is not None
    return DraftMessage(
        role="tool",
        text=run.result if run.result is not None else span.error,
        result_of=run.call_id or (call.native_id if call else None),
        result_name=run.tool,
        is_error=failed,
        error_kind="tool_error" if failed else None,
        requestor="assistant",
    )
