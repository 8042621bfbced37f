"""Foreign text made fit to be looked at: bounded, with nothing hidden in it."""

import json
import re

from schemas.ids import canonical_json

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_PICTURES = 0x2400


def visible(text: str) -> str:
    """Show control, direction and zero-width characters and lone surrogates as what they are."""
    return _HIDDEN.sub(lambda found: _picture(ord(found.group())), text)


def _picture(code: int) -> str:
    if code < 0x20:
        return chr(_PICTURES + code)
    return "\u2421" if code == 0x7F else f"\\u{code:04x}"


def cut(text: str, most: int) -> str:
    """Keep the beginning and the end of a long text, with a note of what is left out."""
    if len(text) <= most:
        return text
    tail = most // 4
    left_out = f" […{len(text) - most:,} characters left out…] "
    return text[: most - tail] + left_out + text[len(text) - tail :]


def shown(text: str, most: int) -> str:
    """Foreign text as it may be shown: cut first, so that its length costs nothing."""
    return visible(cut(text, most))


def on_one_line(text: str, most: int) -> str:
    """Foreign text on one line, its white space collapsed."""
    return visible(" ".join(cut(text, most).split()))


def as_facts(text: str, most: int) -> str:
    """A JSON object as one `name: value` a line; other text as it is."""
    if len(text) > 100 * most:
        return shown(text, most)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return shown(text, most)
    if not isinstance(value, dict):
        return shown(text, most)
    return "\n".join(f"{on_one_line(key, 80)}: {plain(item, most)}" for key, item in value.items())


def plain(value: object, most: int) -> str:
    """A JSON value as bounded text; strings without quotes."""
    if isinstance(value, str):
        return shown(value, most)
    try:
        return shown(canonical_json(value), most)
    except (ValueError, TypeError, RecursionError):
        return shown(str(value), most)


def percent(value: float | None) -> str:
    """A share of one as a percentage."""
    return "-" if value is None else f"{100 * value:.1f} %"


def number(value: float | None) -> str:
    """A number in few digits."""
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:.4g}"


def interval(lo: float | None, hi: float | None) -> str:
    """Both ends of an interval of shares."""
    return "-" if lo is None or hi is None else f"{100 * lo:.1f} to {100 * hi:.1f} %"


def points(delta: float | None, lo: float | None = None, hi: float | None = None) -> str:
    """A difference of shares in percentage points, with its interval."""
    if delta is None:
        return "-"
    spread = points_interval(lo, hi)
    return f"{100 * delta:+.1f} points" + (f" ({spread}, 95 %)" if spread else "")


def points_interval(lo: float | None, hi: float | None) -> str:
    """Both ends of an interval of differences; empty when there is none."""
    return "" if lo is None or hi is None else f"{100 * lo:+.1f} to {100 * hi:+.1f}"
