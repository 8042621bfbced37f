"""Text that can be stored: no lone surrogates, no NUL characters."""

import re

REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\ud800-\udfff\x00]")


def clean_text(text: str) -> str:
    """Replace lone surrogates and NULs by U+FFFD; everything else stays as it is."""
    if text.isascii() and "\0" not in text:
        return text
    return _UNSTORABLE.sub(REPLACEMENT, text)


def clean_counted(text: str) -> tuple[str, int]:
    """Clean a text and say how many characters were replaced."""
    return _UNSTORABLE.subn(REPLACEMENT, text)
