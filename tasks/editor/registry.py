"""Editors in the words of the command line.

`rules`, `null`, `harmful`, `random`, `prompt[:NAME]`, `openai:NAME`, `command:TEMPLATE`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Literal, get_args

from schemas.errors import ConfigError
from tasks.editor.coding_agent import ChatClient, CodingAgentEditor
from tasks.editor.command_editor import CommandEditor
from tasks.editor.command_text import Template, read_template
from tasks.editor.decoys.harmful import HARMFUL_EDITOR
from tasks.editor.decoys.shuffled import RANDOM_EDITOR
from tasks.editor.decoys.useless import NULL_EDITOR
from tasks.editor.prompt_editor import PromptEditor, require_gepa
from tasks.editor.protocols import Editor
from tasks.editor.rules_editor import RulesEditor
from tasks.editor.workshop import Workshop

Kind = Literal["rules", "null", "harmful", "random", "prompt", "openai", "command"]
FORMS = ("rules", "null", "harmful", "random", "prompt[:NAME]", "openai:NAME", "command:TEMPLATE")
_DECOYS: dict[str, Editor] = {
    "null": NULL_EDITOR,
    "harmful": HARMFUL_EDITOR,
    "random": RANDOM_EDITOR,
}
MAX_WORD = 4_000


@dataclass(frozen=True)
class EditorWord:
    """An editor as a user named it.

    Attributes:
        argument: name of an endpoint, or the template of a command.
    """

    word: str
    kind: Kind
    argument: str = ""

    @property
    def has_model(self) -> bool:
        """Whether an endpoint of ours is asked."""
        return self.kind in ("openai", "prompt")


@dataclass(frozen=True)
class Parts:
    """What editors are made from: a model, what the stage offers; words and variables of a command.

    Attributes:
        template: the words of a command with full paths; null takes them as they were typed.
    """

    client: ChatClient | None = None
    workshop: Workshop = field(default_factory=Workshop)
    environ: Mapping[str, str] = field(default_factory=dict[str, str])
    template: Template | None = None


def read_word(word: str) -> EditorWord:
    """Read what a user typed.

    Raises:
        ConfigError: there is no such editor, its argument is missing or cannot be used, or a
            package that it needs is not installed.
    """
    kind, colon, argument = word.partition(":")
    argument = argument.strip()
    takes_none = kind in ("rules", *_DECOYS)
    if kind not in get_args(Kind) or (takes_none and colon) or len(word) > MAX_WORD:
        raise _unknown(word)
    if kind == "openai" and not argument:
        what = "editor openai: names no endpoint"
        raise ConfigError(what, hint="write openai:NAME and configure [models.NAME]")
    if kind == "prompt":
        if colon and not argument:
            what = "editor prompt: names no endpoint"
            raise ConfigError(what, hint="write prompt:NAME, or prompt with [roles] editor")
        require_gepa()
    if kind == "command":
        read_template(argument)
    known: dict[str, Kind] = {one: one for one in get_args(Kind)}
    return EditorWord(word, known[kind], argument)


def create_editor(word: str, parts: Parts | None = None) -> Editor:
    """Make the editor a user named; one with a model behind it needs a client.

    Raises:
        ConfigError: there is no such editor, or it lacks its client.
    """
    named, given = read_word(word), parts or Parts()
    if named.kind == "rules":
        return RulesEditor()
    if named.kind in _DECOYS:
        return _DECOYS[named.kind]
    if named.kind == "command":
        template = given.template or read_template(named.argument)
        return CommandEditor(word, template, given.workshop, given.environ)
    if given.client is None:
        what = f"editor {word[:80]!r} has no model behind it"
        raise ConfigError(what, hint="configure the endpoint under [models.NAME]")
    if named.kind == "prompt":
        return PromptEditor(word, given.client, given.workshop)
    return CodingAgentEditor(word, given.client, given.workshop)


def _unknown(word: str) -> ConfigError:
    near = get_close_matches(word.partition(":")[0], get_args(Kind), 1)
    hint = f"did you mean {near[0]!r}?" if near else f"editors: {', '.join(FORMS)}"
    what = f"there is no editor {' '.join(word.split())[:80]!r}"
    return ConfigError(what, hint=hint)
