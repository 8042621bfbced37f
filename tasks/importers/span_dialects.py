"""Which dialect a span is written in. One that none knows is no step of an agent."""

from tasks.importers.span_ai_sdk import read_ai_sdk
from tasks.importers.span_attributes import FlatSpan
from tasks.importers.span_genai import read_genai
from tasks.importers.span_openinference import read_openinference
from tasks.importers.spans import Span

DIALECTS = (read_openinference, read_ai_sdk, read_genai)
"""In the order in which a span is tried: others add attributes of GenAI to their own."""


def read_span(flat: FlatSpan, number: int) -> Span | None:
    """A step in neutral form; null when no dialect knows the span."""
    for read in DIALECTS:
        found = read(flat, number)
        if found is not None:
            return found
    return None
