"""Whether added text carries gold values or words of tasks that nobody may know.

Secrets are the gold answers and the texts of `select` and `sealed` tasks. What the agent can see
on train tasks (prompts, tools, observations) and what stood in the harness before is no secret.
Three traces count as a leak:

- a *value*: a whole gold answer, when it is distinctive (long, or digits), or the id of a task;
- a *token* that only occurs in secrets and looks like a name or a number, not like a word;
- a *phrase*: so many words in a row that only occur in secrets.

Two things are wording and no secret of one task: a phrase that many closed tasks share, as those
made from one template do, and a single plain word that is the answer to several tasks, such as a
label. Both are told by how often they occur, so that a small set of tasks does not make ordinary
words suspect.

Text is compared in NFKC, casefolded, without invisible characters, so that look-alikes and
letter spacing by zero-width marks do not hide anything.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tasks.gate.findings import Finding

PHRASE_WORDS = 5
MIN_TOKEN = 3
MIN_VALUE = 4
MAX_TEXT = 200_000
TEMPLATE_TASKS = 3
"""Closed texts or gold answers that must share a wording before it counts as a template's."""
_TOKEN = re.compile(r"[^\W_]+(?:[._:/@'-][^\W_]+)*")
_QUOTED = re.compile(r"[\"'`\u201c\u2018\u00ab]([^\"'`\u201d\u2019\u00bb\n]{3,80})")


@dataclass(frozen=True)
class LeakGuard:
    """Token, phrase and value sets of the secrets that are not visible anyway."""

    tokens: frozenset[str]
    phrases: frozenset[tuple[str, ...]]
    values: frozenset[str]

    @classmethod
    def build(
        cls,
        *,
        gold: Iterable[str],
        closed: Iterable[str],
        visible: Iterable[str],
        task_ids: Iterable[str] = (),
    ) -> "LeakGuard":
        """Collect what is secret.

        `gold` are answers of any split, `closed` texts of select and sealed tasks, `visible`
        everything that the agent can see on train tasks. No agent sees `task_ids` of any split,
        and an edit that names one has looked a result up.
        """
        seen = _Seen()
        for text in visible:
            seen.add(text)
        names: set[str] = set()
        phrases: Counter[tuple[str, ...]] = Counter()
        values: Counter[str] = Counter()
        for text in closed:
            names |= _names(text)
            phrases.update(set(_phrases(_words(text))))
        for answer in gold:
            words = _words(answer)
            names |= _names(answer)
            phrases.update(set(_phrases(words)))
            if _is_distinctive(words):
                values[" ".join(words)] += 1
        secret = {value for value, count in values.items() if not _is_label(value, count)}
        secret |= {" ".join(_words(task_id)) for task_id in task_ids}
        return cls(
            tokens=frozenset(names - seen.words),
            phrases=frozenset(
                phrase
                for phrase, count in phrases.items()
                if count < TEMPLATE_TASKS and phrase not in seen.phrases
            ),
            values=frozenset(value for value in secret if value and not seen.holds(value)),
        )

    def scan(self, added: str) -> list[Finding]:
        """Findings on added text, each with reason `leak`; at most five."""
        words = _words(added)
        joined = f" {' '.join(words)} "
        found = [f"value {value!r}" for value in sorted(self.values) if f" {value} " in joined]
        found += [f"token {word!r}" for word in sorted(set(words) & self.tokens)]
        found += [
            f"phrase {' '.join(phrase)!r}" for phrase in sorted(set(_phrases(words)) & self.phrases)
        ]
        return [
            Finding(
                "leak", f"The change holds the {trace}, known from closed tasks or answers only."
            )
            for trace in found[:5]
        ]


class _Seen:
    def __init__(self) -> None:
        self.words: set[str] = set()
        self.phrases: set[tuple[str, ...]] = set()
        self.texts: list[str] = []

    def add(self, text: str) -> None:
        words = _words(text)
        self.words |= set(words)
        self.phrases |= set(_phrases(words))
        self.texts.append(f" {' '.join(words)} ")

    def holds(self, value: str) -> bool:
        return any(f" {value} " in text for text in self.texts)


def fold(text: str) -> str:
    """Bring text into the form that is compared."""
    plain = unicodedata.normalize("NFKC", text[:MAX_TEXT])
    return "".join(char for char in plain if unicodedata.category(char) not in ("Cf", "Cs", "Co"))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _TOKEN.findall(fold(text))]


def _names(text: str) -> set[str]:
    """Tokens that look like names, codes or numbers rather than words of a language."""
    plain = fold(text)
    found: set[str] = set()
    for match in _TOKEN.finditer(plain):
        token = match.group()
        if len(token) < MIN_TOKEN:
            continue
        starts_sentence = plain[: match.start()].rstrip()[-1:] in ("", ".", "!", "?", ":", "\n")
        has_digit = any(char.isdigit() for char in token)
        is_named = token[0].isupper() and not starts_sentence
        if has_digit or is_named or "_" in token or "@" in token:
            found.add(token.casefold())
    for match in _QUOTED.finditer(plain):
        quoted = _words(match.group(1))
        found |= {word for word in quoted if len(word) > MIN_TOKEN and len(quoted) == 1}
    return found


def _is_label(value: str, count: int) -> bool:
    """Whether a gold answer is a plain word that answers several tasks."""
    return count >= TEMPLATE_TASKS and value.isalpha()


def _is_distinctive(words: list[str]) -> bool:
    text = "".join(words)
    has_digit = any(char.isdigit() for char in text)
    return len(text) >= (MIN_TOKEN if has_digit else MIN_VALUE) or len(words) > 1


def _phrases(words: list[str]) -> Iterable[tuple[str, ...]]:
    for start in range(len(words) - PHRASE_WORDS + 1):
        yield tuple(words[start : start + PHRASE_WORDS])
