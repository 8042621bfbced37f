"""Few-shot transcripts of tau-bench: recognised, and refused one by one.

A line holds a conversation as plain text (`messages_display`). Calls stand there as
`assistant: None`, without name or arguments; there is neither task nor verdict. An episode made
of that would say that the agent called nothing, so none is made.
"""

from collections.abc import Iterator

from tasks.importers.container import Outline, every
from tasks.importers.decoding import JsonValue
from tasks.importers.draft import Drafted, Redacts, Refusal, Source

_KEY = "messages_display"
_REASON = (
    "a plain-text transcript (`messages_display`): calls have neither name nor arguments, "
    "and there is no task or verdict"
)


def _has_marks(value: JsonValue) -> bool:
    return isinstance(value, dict) and isinstance(value.get(_KEY), str)


class FewShotReader:
    """Names every transcript and why it is not imported."""

    name = "tau-bench-few-shot"
    describes = "tau-bench few-shot transcripts (`messages_display`; named, not imported)"
    spreads: tuple[str, ...] = ()

    def recognises(self, outline: Outline) -> bool:
        """An element with `messages_display`."""
        return _has_marks(outline.members) or any(map(_has_marks, outline.samples))

    def read(self, source: Source, redactor: Redacts) -> Iterator[Drafted]:
        """Yield one refusal an element."""
        for element in every(source.path, source.outline):
            if element.problem is not None:
                yield Refusal(element.index, element.place, element.problem, element.excerpt)
            else:
                value = redactor.value(element.value)
                yield Refusal.of(element.index, element.place, _REASON, value)
