"""`skills/<name>/SKILL.md`: the Agent Skills format plus a trigger and checkpoints."""

import re
from functools import lru_cache
from typing import Annotated, Literal, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    StringConstraints,
    ValidationError,
)

from .errors import HarnessError
from .front_matter import explain, split_front_matter

MAX_ARGUMENT_CHARS = 800
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"^[a-z0-9]+(-[a-z0-9]+)*$")
_REPEATS = re.compile(r"\\.|\[(?:\\.|[^\]])*\]|[*+]|\{\d*,\d*\}|\)[*+{]|\(\?P=")


def path_of(name: str) -> str:
    """Path of a skill's file."""
    return f"skills/{name}/SKILL.md"


def words(text: str) -> list[str]:
    """Split text into lower-case words, the unit triggers and retrieval compare."""
    return _WORD.findall(text.casefold())


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


def _safe_pattern(pattern: str) -> str:
    """Accept only patterns that cannot backtrack for ever on bounded text."""
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        message = f"is no regular expression ({error})"
        raise ValueError(message) from None
    tokens = _REPEATS.findall(pattern)
    repeats = [token for token in tokens if token[0] not in "\\["]
    is_reference = [re.fullmatch(r"\\[1-9]", token) is not None for token in tokens]
    if len(repeats) > 2 or any(is_reference) or any(token[0] in "()" for token in repeats):
        message = "may hold at most two repeats, no repeated group and no back reference"
        raise ValueError(message)
    return pattern


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500)]
Words = Annotated[list[Text], BeforeValidator(_as_list)]
Pattern = Annotated[str, StringConstraints(max_length=200), AfterValidator(_safe_pattern)]


class Trigger(BaseModel):
    """When a skill is due, told from text the agent can see.

    A phrase is there when its words stand in the text in that order, side by side, whatever
    their case.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    any: Words = []
    """At least one of these phrases is there."""
    all: Words = []
    """All of these phrases are there."""
    none: Words = []
    """None of these phrases is there."""
    families: Words = []
    """Task families the skill was made for; told to people, never matched."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to test, so that retrieval alone decides."""
        return not (self.any or self.all or self.none)

    def holds(self, text: str) -> bool:
        """Test the trigger against visible text; an empty trigger always holds."""
        spaced = f" {' '.join(words(text))} "
        if self.any and not any(_has(spaced, phrase) for phrase in self.any):
            return False
        return all(_has(spaced, phrase) for phrase in self.all) and not any(
            _has(spaced, phrase) for phrase in self.none
        )


def _has(spaced: str, phrase: str) -> bool:
    return f" {' '.join(words(phrase))} " in spaced


def _as_trigger(value: object) -> object:
    return {"any": cast("object", value)} if isinstance(value, str | list) else value


class Checkpoint(BaseModel):
    """One instruction of a skill that can be looked up in the steps.

    With `tool`, `contains` or `pattern` the test is mechanical; without any of them only a
    reader can tell.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    text: Text
    """The instruction."""
    kind: Literal["do", "avoid"] = "do"
    """do: a matching call keeps it; avoid: a matching call breaks it."""
    tool: Text | None = None
    """Tool the call must be of."""
    contains: Words = []
    """Texts that must all stand in the arguments, whatever their case."""
    pattern: Pattern | None = None
    """Regular expression searched in the arguments."""

    @property
    def is_mechanical(self) -> bool:
        """Whether a call can be tested against it."""
        return bool(self.tool or self.contains or self.pattern)

    def matches(self, tool: str, arguments: str) -> bool:
        """Test one executed call, its arguments as JSON text or as written."""
        if not self.is_mechanical or (self.tool and self.tool != tool):
            return False
        bounded = arguments[:MAX_ARGUMENT_CHARS]
        folded = bounded.casefold()
        if not all(part.casefold() in folded for part in self.contains):
            return False
        return self.pattern is None or re.search(self.pattern, bounded) is not None


def _as_checkpoints(value: object) -> object:
    if not isinstance(value, list):
        return value
    items = cast("list[object]", value)
    return [{"text": item} if isinstance(item, str) else item for item in items]


class _Header(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    name: str
    description: Annotated[
        str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1024)
    ]
    license: str | None = None
    compatibility: str | None = None
    metadata: dict[str, JsonValue] | None = None
    allowed_tools: str | list[str] | None = Field(default=None, alias="allowed-tools")
    trigger: Annotated[Trigger, BeforeValidator(_as_trigger)] = Trigger()
    checkpoints: Annotated[list[Checkpoint], BeforeValidator(_as_checkpoints)] = []


class Skill(BaseModel):
    """One skill, ready to be found and given to the model."""

    model_config = ConfigDict(frozen=True)

    name: str
    description: str
    body: str
    trigger: Trigger
    checkpoints: tuple[Checkpoint, ...]

    @property
    def prompt(self) -> str:
        """The text that goes to the model."""
        return f"## Skill: {self.name}\n\n{self.body}"

    @property
    def has_trigger(self) -> bool:
        """Whether the skill says when it is due."""
        return not self.trigger.is_empty


def check_skill_name(name: str) -> str:
    """Return a name that can be a folder.

    Raises:
        HarnessError: it cannot.
    """
    if not _NAME.match(name) or len(name) > 64:
        msg = f"{name[:80]!r} is no skill name"
        raise HarnessError(
            msg,
            where="skills",
            hint="lower-case letters, digits and single hyphens, at most 64",
        )
    return name


@lru_cache(maxsize=256)
def read_skill(text: str, *, name: str) -> Skill:
    """Parse a SKILL.md that stands in the folder `name`.

    Raises:
        HarnessError: no front matter, a missing or unknown key, a name unlike its folder, no text.
    """
    path = path_of(check_skill_name(name))
    values, body = split_front_matter(text, path=path)
    if values is None:
        msg = "a skill starts with front matter"
        raise HarnessError(msg, where=f"{path}:1", hint="---, name, description")
    try:
        header = _Header.model_validate(values)
    except ValidationError as error:
        raise explain(error, path=path) from None
    if header.name != name:
        msg = f"name {header.name!r} is not the folder's name {name!r}"
        raise HarnessError(msg, where=path)
    if not body.strip():
        msg = "a skill has text under its front matter"
        raise HarnessError(msg, where=path)
    return Skill(
        name=name,
        description=" ".join(header.description.split()),
        body=body.strip(),
        trigger=header.trigger,
        checkpoints=tuple(header.checkpoints),
    )
