"""One JSON text to a value that can be stored: finite numbers, clean text, bounded depth."""

import json
import math
from dataclasses import dataclass
from typing import Any

from schemas.text import clean_counted

MAX_NESTING = 100
_MOST_DIGITS = 400

JsonValue = Any


class Undecodable(Exception):
    """A text is no JSON value, or none that can be stored; the message says why.

    Attributes:
        position: character at which it stops being JSON; null when it is too deep.
    """

    def __init__(self, message: str, position: int | None = None) -> None:
        self.position = position
        super().__init__(message)


@dataclass(frozen=True)
class Decoded:
    """A decoded value and how many characters of its texts had to be replaced."""

    value: JsonValue
    replaced: int = 0


def _read_integer(digits: str) -> int | str:
    return int(digits) if len(digits) <= _MOST_DIGITS else digits


def _read_float(digits: str) -> float | str:
    number = float(digits)
    return number if math.isfinite(number) else digits


def _keep_word(word: str) -> str:
    return word


_DECODER = json.JSONDecoder(
    strict=False, parse_int=_read_integer, parse_float=_read_float, parse_constant=_keep_word
)


class _Cleaner:
    """Replaces characters that cannot be stored, and counts them."""

    def __init__(self) -> None:
        self.replaced = 0

    def text(self, text: str) -> str:
        cleaned, count = clean_counted(text)
        self.replaced += count
        return cleaned

    def value(self, value: JsonValue, depth: int = 0) -> JsonValue:
        if depth > MAX_NESTING:
            message = f"nested more than {MAX_NESTING} levels deep"
            raise Undecodable(message)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return {self.text(key): self.value(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item, depth + 1) for item in value]
        return value


def decode(text: str) -> Decoded:
    """Decode a JSON text.

    NaN, infinities and numbers out of range stay as texts: the readers then see that a reward is
    no number, and nothing is lost.

    Raises:
        Undecodable: it is no JSON, or nested too deeply.
    """
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        message = f"not valid JSON: {error.msg} at character {error.pos}"
        raise Undecodable(message, error.pos) from error
    except RecursionError as error:
        message = f"nested more than {MAX_NESTING} levels deep"
        raise Undecodable(message) from error
    cleaner = _Cleaner()
    return Decoded(cleaner.value(value), cleaner.replaced)
