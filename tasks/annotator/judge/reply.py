"""What a judge said: read, and believed only where its quote stands in the step it names."""

from dataclasses import dataclass

from schemas.fields import Bullet
from schemas.text import clean_text
from tasks.agent.reply_json import last_object
from tasks.annotator.hits import BULLETS
from tasks.annotator.judge.case import Case

SHORTEST = 10
LONGEST = 1_000
WHY = 500


class Unusable(Exception):
    """Why a reply is no label, in words the judge is told."""


@dataclass(frozen=True)
class Judged:
    """A label of a judge; `step` is null where no step is to blame."""

    bullet: Bullet
    step: int | None
    quote: str
    why: str


def read_judgement(text: str, case: Case) -> Judged:
    """Read the last JSON object of a reply.

    Raises:
        Unusable: there is none, or what it says is not borne out by the run.
    """
    found = last_object(text, lambda value: "bullet" in value)
    if found is None:
        message = "there is no JSON object with `bullet` in it"
        raise Unusable(message)
    bullet, step = found.get("bullet"), found.get("step")
    if bullet not in BULLETS:
        message = f"`bullet` must be one of {', '.join(BULLETS)}"
        raise Unusable(message)
    why = clean_text(str(found.get("why") or ""))[:WHY]
    quote = clean_text(str(found.get("quote") or ""))[:LONGEST]
    if step is None and bullet == "NA":
        return Judged(bullet, None, "", why)
    if not isinstance(step, int) or isinstance(step, bool) or step not in case.shown:
        message = "`step` must be the number of a step that is shown"
        raise Unusable(message)
    _require_quoted(quote, case.shown[step], step)
    return Judged(bullet, step, quote, why)


def _require_quoted(quote: str, shown: str, step: int) -> None:
    text, words = _plain(shown), _plain(quote)
    if words and words in text and len(words) >= min(SHORTEST, len(text)):
        return
    message = f"`quote` must be copied from step {step}, at least {SHORTEST} characters of it"
    raise Unusable(message)


def _plain(text: str) -> str:
    """Text with single spaces; judges break lines as they like."""
    return " ".join(text.replace("\\n", " ").split())
