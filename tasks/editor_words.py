"""Editors by the word a user typed: whether it can be used, what it stands for, opening it."""

import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from schemas.errors import ConfigError
from schemas.ids import make_id, sha256_hex
from schemas.settings import EditorSettings, Settings
from tasks.agent.chat_model import ChatConversation, ChatModel
from tasks.agent.run_limits import within_caps
from tasks.editor.command_text import Template, read_template
from tasks.editor.protocols import Editor
from tasks.editor.registry import EditorWord, Parts, create_editor, read_word
from tasks.editor.workshop import Workshop
from tasks.workbench import Workbench

PASSED = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TZ")
"""Variables every external command may see."""
MAX_GUIDE_BYTES = 100_000


def check_editor(bench: Workbench, word: str) -> None:
    """Fail on an editor that does not exist or cannot be used as configured.

    Raises:
        ConfigError: no such editor, endpoint, program or guide; a key of ours would be passed on.
    """
    named = read_word(word)
    if named.has_model:
        _model(bench, named)
    if named.kind == "command":
        _require_program(named, command_environ(bench.settings))
    if named.has_model or named.kind == "command":
        read_guide(bench.settings.editor)


def editor_fingerprint(bench: Workbench, word: str) -> str:
    """What determines an editor's proposals besides its brief."""
    named = read_word(word)
    if not named.has_model and named.kind != "command":
        return word
    caps = bench.settings.editor.model_dump(mode="json", exclude={"guide"})
    guide = sha256_hex(read_guide(bench.settings.editor))
    model = _model(bench, named).fingerprint if named.has_model else ""
    return make_id("editor", [named.kind, named.argument, model, caps, guide])


@asynccontextmanager
async def open_editor(bench: Workbench, word: str, workshop: Workshop) -> AsyncIterator[Editor]:
    """The editor of this name; one with a model behind it keeps its connections meanwhile.

    Raises:
        ConfigError: there is none.
    """
    named = read_word(word)
    if not named.has_model:
        parts = Parts(workshop=workshop)
        if named.kind == "command":
            environ = command_environ(bench.settings)
            parts = replace(parts, environ=environ, template=_with_full_paths(named))
        yield create_editor(word, parts)
        return
    model = _model(bench, named)
    async with model:
        client = within_caps(ChatConversation(model.endpoint, seed=0), model)
        yield create_editor(word, Parts(client, workshop))


def read_guide(settings: EditorSettings) -> str:
    """The user's addition to the design guide; empty when there is none.

    Raises:
        ConfigError: it is set but cannot be read.
    """
    if settings.guide is None:
        return ""
    try:
        with settings.guide.open("rb") as file:
            return file.read(MAX_GUIDE_BYTES).decode("utf-8", "replace")
    except OSError as error:
        what = f"editor.guide: {settings.guide} cannot be read: {error.strerror or error}"
        raise ConfigError(what, hint="name a text file, or leave it out") from error


def command_environ(settings: Settings) -> dict[str, str]:
    """Variables an external command may see: a few of every program, and those the user names.

    Raises:
        ConfigError: a named variable is not set, or is a key of ours.
    """
    passed = {name: os.environ[name] for name in PASSED if name in os.environ}
    ours = _our_keys(settings)
    for name in settings.editor.pass_env:
        value = settings.variable(name)
        if name in ours or name.startswith("TACKROOM_") or (value and value in ours.values()):
            what = f"editor.pass_env: {name} is a key or setting of ours"
            raise ConfigError(what, hint="give the command a key of its own under another name")
        if value is None:
            what = f"editor.pass_env: the variable {name} is not set"
            raise ConfigError(what, hint="export it, or leave it out")
        passed[name] = value
    return passed


def _our_keys(settings: Settings) -> Mapping[str, str]:
    names = {endpoint.api_key_env for endpoint in settings.models.values()} | {"OPENAI_API_KEY"}
    return {name: settings.variable(name) or "" for name in names if name}


def _require_program(named: EditorWord, environ: Mapping[str, str]) -> None:
    program = read_template(named.argument).words[0]
    if shutil.which(program, path=environ.get("PATH")) is None:
        what = f"editor command: there is no program {program[:200]!r}"
        raise ConfigError(what, hint="give its full path, or put it on PATH")


def _with_full_paths(named: EditorWord) -> Template:
    """The command with files of the present folder by full path; it starts in another one."""
    words = read_template(named.argument).words
    return Template(
        tuple(
            str(Path(word).resolve()) if _is_file(word, i == 0) else word
            for i, word in enumerate(words)
        )
    )


def _is_file(word: str, is_program: bool) -> bool:  # noqa: FBT001
    """Whether a word means a file here; a bare program name is looked up on PATH instead."""
    if not word or word.startswith("-") or (is_program and "/" not in word):
        return False
    try:
        return Path(word).is_file()
    except (OSError, ValueError):
        return False


def _model(bench: Workbench, named: EditorWord) -> ChatModel:
    word = f"openai:{named.argument}" if named.argument else (bench.settings.roles.editor or "")
    if not word.startswith("openai:"):
        what = f"editor {named.word!r} needs a model behind an endpoint"
        raise ConfigError(what, hint="write prompt:NAME, or set [roles] editor to openai:NAME")
    model = bench.model(word)
    assert isinstance(model, ChatModel)
    return model
