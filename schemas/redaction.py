"""Secrets out of text and JSON before anything is stored or exported.

Three signs, each cheap on ordinary content: the name a value stands under (`api_key`), the shape
of the text itself (`sk-...`, a private key block), and, where the name is only a hint (`key`,
`session`), randomness of the value. Numbers are never secrets, so token counts stay. What was
replaced once is not counted again.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Literal, cast

from schemas.secret_shapes import MARKS, TOKEN

MARK = "[REDACTED]"

_SURE_NAME = re.compile(
    r"(?:.*_)?(?:api_?key|access_key|secret_key|private_key|secret|password|passwd|passphrase"
    r"|(?:access|auth|api|secret)_token)"
    r"|(?:x_)?(?:secret_access_key|(?:refresh|id|session|bearer|security)_token|pwd|bearer"
    r"|authorization|proxy_authorization|credentials|cookie|set_cookie|connection_string)"
)
_HINT_WORD = re.compile(r"(?:key|token|secret|auth|credential|session|signature|sig|pat|dsn)")
_HARMLESS_WORD = re.compile(
    r"(?:page|cursor|next|previous|continuation|primary|foreign|sort|partition|cache|public"
    r"|idempotency|count|type|ids?|name|hash)"
)
_RANDOM_LENGTH = 20
_RANDOM_BITS = 3.5
_SHORT_TOKEN = 8
_LONGEST_NAME = 100
_REMEMBERED_LENGTH = 12

_CAMEL = re.compile(r"([a-z0-9])([A-Z])")
_WORD_GAP = re.compile(r"[^a-z0-9]+")

_NAME_MARKS = (
    *("key", "token", "secret", "passw", "passphrase", "auth", "cookie", "credential", "session"),
    *("pwd", "bearer", "connection_string", "signature", "sig=", "dsn"),
)
_LONGEST_EMBEDDED = 1 << 20
_ASSIGNMENT_MARKS = ("key", "secret", "token", "passw", "passphrase")
_ALL_MARKS = tuple(dict.fromkeys((*_NAME_MARKS, *MARKS, "private key", "://")))
_SHORTEST = 8
_LONGEST_CACHED = 4_000
_PLAIN_NAME = re.compile(r"[a-z_]+|[A-Z_]+")
_KEY_BLOCK = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_BEARER = re.compile(
    r"\b((?:[Bb]earer|BEARER)\s+)(?=[A-Za-z0-9._~+/=-]{0,200}\d)([A-Za-z0-9._~+/=-]{10,})"
)
_HEADER = re.compile(
    r"(?i)(\bauthorization\b(?:\\?[\"'])?\s{0,4}[:=]\s{0,4}(?:\\?[\"'])?"
    r"(?:(?:bearer|basic|token|apikey)\s+))(?!\[REDACTED\])([^\s\"',;}\\]{6,})"
)
_URL = re.compile(
    r"(?<![A-Za-z0-9])([A-Za-z][A-Za-z0-9+.-]{1,20}://)([^\s/:@\"'<>]{0,200}:[^\s/@\"'<>]{1,300})@"
)
_ASSIGNMENT = re.compile(
    r"(?i)((?:api[_-]?key|access[_-]?key|secret[_-]?key"
    r"|client[_-]?secret|private[_-]?key|(?:access|auth|refresh|api|session)[_-]?token"
    r"|password|passwd|passphrase)(?:\\{0,3}[\"'])?\s{0,4}[:=]\s{0,4})"
    r"(?:(\\{0,3}[\"'])((?:(?!\2)[^\r\n]){1,400}?)\2|((?=[^\s\"',;&}\\)]{0,200}\d)[^\s\"',;&}\\)({<\[]{6,}))"
)
_PAIR = re.compile(
    r"(?<![A-Za-z0-9_.-])([A-Za-z][A-Za-z0-9_.-]{1,60})(=[\"']?)"
    r"([A-Za-z0-9_+/%~-]{20,400}={0,2})(?![A-Za-z0-9_.(\[{])"
)


def _words(name: str) -> list[str]:
    spaced = _CAMEL.sub(r"\1_\2", name).lower()
    return [word for word in _WORD_GAP.split(spaced) if word]


def _bits(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def _is_random(value: str) -> bool:
    if len(value) < _RANDOM_LENGTH or any(mark.isspace() for mark in value):
        return False
    has_both = any(mark.isdigit() for mark in value) and any(mark.isalpha() for mark in value)
    return has_both and _bits(value[:200]) >= _RANDOM_BITS


@lru_cache(maxsize=4096)
def _sign_of(name: str) -> Literal["secret", "token", "hint", "none"]:
    """What a name says of the value under it; the same few names come again and again."""
    words = _words(name)
    joined = "_".join(words)
    if _SURE_NAME.fullmatch(joined):
        return "secret"
    if joined == "token":
        return "token"
    is_hint = any(map(_HINT_WORD.fullmatch, words)) and not any(
        map(_HARMLESS_WORD.fullmatch, words)
    )
    return "hint" if is_hint else "none"


def is_secret_member(name: str, value: str) -> bool:
    """Tell whether a text is a secret because of the name it stands under."""
    if not value.strip() or value == MARK:
        return False
    # What follows the first hundred characters says nothing, and is not kept.
    sign = _sign_of(name[:_LONGEST_NAME])
    if sign == "token":
        return len(value) >= _SHORT_TOKEN and not any(mark.isspace() for mark in value)
    return sign == "secret" or (sign == "hint" and _is_random(value))


def _has_mark(text: str) -> bool:
    lowered = text.lower()
    return any(mark in lowered for mark in _ALL_MARKS)


_had_mark = lru_cache(maxsize=4096)(_has_mark)


def _may_hold_secret(text: str) -> bool:
    """Cheap test before the patterns; most texts of a transcript stop here, many come twice."""
    if len(text) < _SHORTEST:
        return False
    return _has_mark(text) if len(text) > _LONGEST_CACHED else _had_mark(text)


def _find_members(value: Any, name: str = "") -> Iterator[str]:
    if isinstance(value, str):
        if name and is_secret_member(name, value):
            yield value
    elif isinstance(value, dict):
        for key, item in cast("dict[str, Any]", value).items():
            yield from _find_members(item, key)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _find_members(item, name)


class Redactor:
    """Replaces secrets and counts them; remembers values found under a name.

    A value that stood under `api_key` in one place is also replaced where it turns up in plain
    text later on, as in a traceback.

    Attributes:
        kinds: secrets replaced so far, by the sign they were known by.
    """

    def __init__(self) -> None:
        self.kinds: Counter[str] = Counter()
        self._known: set[str] = set()
        self._known_pattern: re.Pattern[str] | None = None

    @property
    def count(self) -> int:
        """Secrets replaced so far."""
        return self.kinds.total()

    def text(self, text: str) -> str:
        """Redact one text."""
        if self._known_pattern is not None:
            text = self._substitute(self._known_pattern, text, "seen_before")
        return self._by_signs(text) if _may_hold_secret(text) else text

    def _by_signs(self, text: str) -> str:
        lowered = text.lower()
        if lowered[:1] in "{[" and any(mark in lowered for mark in _NAME_MARKS):
            text = self._inside_json(text)
        if "private key" in lowered:
            text = self._substitute(_KEY_BLOCK, text, "key_block")
        if any(mark in lowered for mark in MARKS):
            text = self._substitute(TOKEN, text, "token")
        if "bearer" in lowered:
            text = self._behind_prefix(_BEARER, text, "bearer")
        if "authorization" in lowered:
            text = self._behind_prefix(_HEADER, text, "header")
        if "://" in lowered:
            text = self._replace_url(text)
        if any(mark in lowered for mark in _ASSIGNMENT_MARKS):
            text = self._replace_assignments(text)
        if "=" in text and any(mark in lowered for mark in _NAME_MARKS):
            text = self._replace_pairs(text)
        return text

    def value(self, value: Any, name: str = "") -> Any:
        """Redact a JSON value, member by member; keys are texts too."""
        if isinstance(value, str):
            return self._member(value, name)
        if isinstance(value, dict):
            members = cast("dict[str, Any]", value)
            return {self.text(key): self.value(item, key) for key, item in members.items()}
        if isinstance(value, list):
            return [self.value(item, name) for item in cast("list[Any]", value)]
        return value

    def _member(self, value: str, name: str) -> str:
        if name and is_secret_member(name, value):
            self.kinds["named"] += 1
            self._remember(value)
            return MARK
        return self.text(value)

    def _remember(self, value: str) -> None:
        is_word = _PLAIN_NAME.fullmatch(value) or any(mark.isspace() for mark in value)
        if len(value) >= _REMEMBERED_LENGTH and not is_word:
            self._known.add(value)
            longest_first: Iterable[str] = sorted(self._known, key=lambda item: (-len(item), item))
            self._known_pattern = re.compile("|".join(map(re.escape, longest_first)))

    def _inside_json(self, text: str) -> str:
        """Redact by name inside a text that is JSON itself, such as raw call arguments."""
        if len(text) > _LONGEST_EMBEDDED:
            return text
        try:
            secrets = set(_find_members(json.loads(text)))
        except (ValueError, RecursionError):
            return text
        for secret in sorted(secrets, key=lambda item: (-len(item), item)):
            written = {json.dumps(secret), json.dumps(secret, ensure_ascii=False)}
            for form in sorted(written):
                self.kinds["named"] += text.count(form)
                text = text.replace(form, f'"{MARK}"')
            self._remember(secret)
        return text

    def _substitute(self, pattern: re.Pattern[str], text: str, kind: str) -> str:
        replaced, count = pattern.subn(MARK, text)
        self.kinds[kind] += count
        return replaced

    def _behind_prefix(self, pattern: re.Pattern[str], text: str, kind: str) -> str:
        replaced, count = pattern.subn(rf"\1{MARK}", text)
        self.kinds[kind] += count
        return replaced

    def _replace_url(self, text: str) -> str:
        def mask(found: re.Match[str]) -> str:
            if found.group(2) in (MARK, f"{MARK}:{MARK}"):
                return found.group(0)
            self.kinds["url"] += 1
            return f"{found.group(1)}{MARK}@"

        return _URL.sub(mask, text)

    def _replace_assignments(self, text: str) -> str:
        def mask(found: re.Match[str]) -> str:
            quote = found.group(2) or ""
            secret = found.group(3) if found.group(3) is not None else found.group(4)
            if MARK in secret or not secret.strip():
                return found.group(0)
            self.kinds["assignment"] += 1
            self._remember(secret)
            return f"{found.group(1)}{quote}{MARK}{quote}"

        return _ASSIGNMENT.sub(mask, text)

    def _replace_pairs(self, text: str) -> str:
        """Variables, cookies and queries of addresses: a random value is judged by its name."""

        def mask(found: re.Match[str]) -> str:
            name, between, value = found.groups()
            if not _is_random(value) or not is_secret_member(name, value):
                return found.group(0)
            self.kinds["assignment"] += 1
            self._remember(value)
            return f"{name}{between}{MARK}"

        return _PAIR.sub(mask, text)


def redact_text(text: str) -> tuple[str, int]:
    """Redact one text and say how many secrets it held."""
    redactor = Redactor()
    return redactor.text(text), redactor.count


def redact_value(value: Any) -> tuple[Any, int]:
    """Redact a JSON value and say how many secrets it held."""
    redactor = Redactor()
    return redactor.value(value), redactor.count


def has_secret(value: Any) -> bool:
    """Tell whether a text or JSON value still holds something that would be redacted."""
    return redact_value(value)[1] > 0
