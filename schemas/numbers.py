"""NaN and infinities, for which JSON has no number: what becomes of them, decided here.

- In a JSON value each becomes the word it would be written as: `NaN`, `Infinity`, `-Infinity`.
  The word is a text, so it is never taken for a number and never equal to one.
- The argument text of a tool call that holds one is no JSON: the raw text is kept, the arguments
  are null, and the error says why (`tasks/agent/arguments.py`, `tasks/harness/arguments.py`).
- A column of numbers does not take them: row models and the ingest refuse the row.
"""

import math
from collections.abc import Mapping
from typing import Any, cast


def spelled(number: float) -> float | str:
    """The number, or the word for one that JSON cannot hold."""
    if math.isfinite(number):
        return number
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def finite(value: Any) -> Any:
    """Spell out every number in a JSON value that JSON cannot hold, keys included."""
    if isinstance(value, float):
        return spelled(value)
    if isinstance(value, Mapping):
        items = cast("Mapping[Any, Any]", value).items()
        return {finite(key): finite(item) for key, item in items}
    if isinstance(value, list | tuple):
        return [finite(item) for item in cast("list[Any]", value)]
    return value
