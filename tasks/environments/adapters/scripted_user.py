"""A customer who follows a script: tells what there is to tell in turn, and then agrees.

The users of the benchmarks are language models; with a script an episode can be repeated. Numbers
made with it are not comparable with published ones.
"""

import re
from collections.abc import Sequence

CONSENT = "Yes, please go ahead. I have nothing to add."
DEAF = "I did not hear anything."
SENTENCE = re.compile(r"(?<=[.!?])\s+")
FIRST_PERSON = (
    (r"you are", "I am"),
    (r"you're", "I'm"),
    (r"you were", "I was"),
    (r"yourself", "myself"),
    (r"yours", "mine"),
    (r"your", "my"),
    (r"you", "I"),
)


class ScriptedUser:
    """What the customer says; `said` is what the customer was told."""

    def __init__(self, script: Sequence[str]) -> None:
        self.script = [part.strip() for part in script if part.strip(" .")]
        self.said: list[str] = []

    def answer(self, message: str) -> str:
        """What the customer says to a message."""
        if not message.strip():
            return DEAF
        self.said.append(message)
        place = len(self.said) - 1
        return self.script[place] if place < len(self.script) else CONSENT


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return [part for part in SENTENCE.split(text.strip()) if part]


def as_first_person(text: str) -> str:
    """What a note to the customer says, as the customer would say it."""
    for pattern, word in FIRST_PERSON:
        text = re.sub(
            rf"\b{pattern}\b", lambda found, word=word: cased(found[0], word), text, flags=re.I
        )
    return text


def cased(found: str, word: str) -> str:
    """A word with a capital where the one it stands for has one."""
    return word[0].upper() + word[1:] if found[0].isupper() else word
