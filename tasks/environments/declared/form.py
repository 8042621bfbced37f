"""What `world.toml` may hold, and how a mistake in it is told."""

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

from schemas.errors import ConfigError
from tasks.environments.registry import FILE

FINISH = "finish"
VARIABLE = r"^[A-Za-z_][A-Za-z0-9_]*$"
Variable = Annotated[str, Field(pattern=VARIABLE)]


class _Table(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class HttpService(_Table):
    """A service with an OpenAPI 3 document."""

    openapi: str
    """The document, JSON or YAML, beside this file."""
    base_url: str = Field(pattern=r"^https?://[^\s/@?#]+[^\s?#]*$")
    """What the paths of the document stand under."""
    headers: dict[str, Variable] = {}
    """Headers of every request, each with the name of the variable that holds its value."""
    episode_header: str = Field(default="", pattern=r"^[A-Za-z0-9-]*$")
    """Header by which the service keeps episodes apart; they may then run side by side."""
    timeout_s: float = Field(default=20.0, gt=0, le=600)
    """Longest wait for an answer."""
    hidden: tuple[str, ...] = ()
    """Tools that the agent does not get."""
    reads: tuple[str, ...] = ()
    """Tools that change nothing, whatever their method says."""


class McpService(_Table):
    """An MCP server."""

    upstream: str = Field(min_length=1)
    """Command that starts a server on stdio, or the URL of one."""
    headers: dict[str, Variable] = {}
    """Headers for a URL, each with the name of the variable that holds its value."""
    pass_env: tuple[Variable, ...] = ()
    """Variables that a command gets besides PATH, HOME, LANG and TMPDIR."""
    timeout_s: float = Field(default=20.0, gt=0, le=600)
    """Longest wait for an answer."""
    hidden: tuple[str, ...] = ()
    """Tools that the agent does not get."""
    reads: tuple[str, ...] = ()
    """Tools that change nothing, though the server does not say so."""


class Reset(_Table):
    """How the service comes back to where every episode begins; empty when it does not."""

    url: str = ""
    """Gets a POST with `task_id` and `seed`; a path stands under `base_url`."""
    command: str = ""
    """Is run in this folder, with TACKROOM_TASK_ID and TACKROOM_SEED."""
    restart: bool = False
    """A server that the upstream command starts begins in the same state each time."""
    timeout_s: float = Field(default=30.0, gt=0, le=600)
    """Longest wait."""

    @property
    def is_none(self) -> bool:
        """Whether nothing brings the service back."""
        return not (self.url or self.command or self.restart)

    @model_validator(mode="after")
    def _one(self) -> "Reset":
        if sum(map(bool, (self.url, self.command, self.restart))) > 1:
            message = "take one of url, command and restart"
            raise ValueError(message)
        return self


class ByState(_Table):
    """What the service holds at the end must be what the column `expected` says."""

    by: Literal["state"]
    look: str = ""
    """`GET /path`, or `TOOL {JSON}`; `{column}` stands for a value of the task."""
    match: Literal["equals", "contains"] = "contains"
    """Whether there may be more than what is expected."""


class ByPython(_Table):
    """A function of the user's own decides, in a process of its own."""

    by: Literal["python"]
    function: str = Field(pattern=r"^[\w./-]+\.py:[A-Za-z_]\w*$")
    """`file.py:function`, in this folder."""
    look: str = ""
    """What it gets as `state`, as in a verdict by state."""


class ByJudge(_Table):
    """A model decides from the transcript."""

    by: Literal["judge"]
    model: str = ""
    """`openai:NAME`; empty takes the role `judge` of tackroom.toml."""
    rubric: str = ""
    """What counts as success; a column `rubric` adds to it task by task."""
    votes: int = Field(default=1, ge=1, le=9)
    """Answers of which the majority counts."""
    look: str = ""
    """What the judge sees of the state, as in a verdict by state."""


VerdictTable = Annotated[ByState | ByPython | ByJudge, Field(discriminator="by")]


class _Service(_Table):
    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    version: int = Field(default=1, ge=1)
    """Raise it when the service behaves otherwise; stored episodes are then made anew."""
    system_prompt: str = ""
    step_budget: int = Field(default=30, ge=1, le=10_000)
    finish_tool: str = Field(default=FINISH, pattern=r"^[A-Za-z_][A-Za-z0-9_-]{0,63}$")
    """Tool that is added to end an episode, with an answer where one is asked for."""
    tasks: str
    """CSV or JSONL file."""
    together: int | None = Field(default=None, ge=1, le=256)
    """Episodes that may run side by side; by default 1 where they would share a state, else 8."""
    is_forkable: bool = False
    """Whether a reset and the same calls lead to the same state, so that episodes can be forked."""
    noise: str = ""
    """Why equal episodes may end differently; empty when they cannot."""
    reset: Reset = Reset()
    verdict: VerdictTable
    non_progress: tuple[str, ...] = ()
    order_constraints: tuple[tuple[str, str], ...] = ()
    handover_tools: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _forks_need_reset(self) -> "_Service":
        if self.is_forkable and self.reset.is_none:
            message = "is_forkable needs a [reset]"
            raise ValueError(message)
        return self


class HttpWorld(_Service):
    """A world over a service with an OpenAPI document."""

    kind: Literal["http"]
    service: HttpService

    @model_validator(mode="after")
    def _no_restart(self) -> "HttpWorld":
        if self.reset.restart:
            message = "only a server that an upstream command starts can be restarted"
            raise ValueError(message)
        return self


class McpWorld(_Service):
    """A world over an MCP server."""

    kind: Literal["mcp"]
    service: McpService

    @model_validator(mode="after")
    def _restart_needs_command(self) -> "McpWorld":
        is_url = "://" in self.service.upstream.split(" ", 1)[0]
        if self.reset.restart and is_url:
            message = "only a server that an upstream command starts can be restarted"
            raise ValueError(message)
        return self


class PythonWorld(_Table):
    """A factory in the folder, as in docs/environments.md."""

    kind: Literal["python"]
    factory: str
    """`module:factory`."""


WorldFile = Annotated[HttpWorld | McpWorld | PythonWorld, Field(discriminator="kind")]
ServiceFile = HttpWorld | McpWorld
VerdictChoice = ByState | ByPython | ByJudge
_ADAPTER: TypeAdapter[HttpWorld | McpWorld | PythonWorld] = TypeAdapter(WorldFile)


def read_world_file(folder: Path) -> HttpWorld | McpWorld | PythonWorld:
    """Read the file of a world.

    Raises:
        ConfigError: it is missing or no TOML, or a key is unknown or has a wrong value.
    """
    path = folder / FILE
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        what = f"the folder {folder} has no {FILE}"
        raise ConfigError(what, hint="`tackroom env new` makes one") from None
    except OSError as error:
        what = f"{path} cannot be read: {error.strerror}"
        raise ConfigError(what, hint="make it a file that you may read") from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        what = f"{path} is no TOML: {error}"
        raise ConfigError(what, hint="see docs/own-world.md") from None
    try:
        return _ADAPTER.validate_python(raw)
    except ValidationError as error:
        raise _explain(path, error, raw) from None


def _explain(path: Path, error: ValidationError, raw: dict[str, Any]) -> ConfigError:
    """The first mistake in one line; an unknown key comes first, since it explains missing ones."""
    found = error.errors(include_url=False)
    first = next((item for item in found if item["type"] == "extra_forbidden"), found[0])
    place = [str(part) for part in first["loc"]]
    key = ".".join(place[1:] if place[:1] == [str(raw.get("kind"))] else place)
    said = "there is no such key" if first["type"] == "extra_forbidden" else first["msg"]
    what = f"{path}: {f'`{key}`: ' if key else ''}{said.removeprefix('Value error, ')}"
    return ConfigError(what, hint="docs/own-world.md lists the keys")
