"""Names that sources give to tasks, sets and agents, as parts of an environment's name."""

import re

UNKNOWN = "unknown"
_LONGEST = 60
_OTHER = re.compile(r"[^a-z0-9]+")


def clean_name(name: str | None) -> str:
    """A name in the letters that environments may have; `unknown` when nothing is left."""
    return _OTHER.sub("_", (name or "").lower()).strip("_")[:_LONGEST] or UNKNOWN
