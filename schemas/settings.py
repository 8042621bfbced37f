"""Settings of an installation: environment variables, then `.env`, then `tackroom.toml`.

`TACKROOM_HOME=/data` sets `home`; `TACKROOM_MODELS__LOCAL__MODEL=qwen` sets a nested value. Keys
of endpoints are never settings: an endpoint names the variable that holds its key.
"""

import os
import re
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, cast

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from schemas.errors import ConfigError

TOML_FILE = "tackroom.toml"
DOTENV_FILE = ".env"
PREFIX = "TACKROOM_"
_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
_TEXT, _NUMBER = 'write a text in quotes, as in `key = "text"`', "write a number without quotes"
_REMEDIES = {
    "string_type": _TEXT,
    "path_type": _TEXT,
    "int_type": _NUMBER,
    "int_parsing": _NUMBER,
    "int_from_float": "write a whole number",
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "tuple_type": 'write a list, as in `["a", "b"]`',
    "dict_type": "write a table, as in `[table]`",
    "model_type": "write a table, as in `[table]`",
    "missing": "add the key",
}
"""What to write, by the type of pydantic's error."""
_STRICT = ConfigDict(
    frozen=True, extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False
)


class Sampling(BaseModel):
    """How an endpoint draws its replies; what is not set is left to the endpoint."""

    model_config = _STRICT
    temperature: float | None = Field(default=None, ge=0, le=2)
    """0 makes an endpoint count as deterministic."""
    top_p: float | None = Field(default=None, gt=0, le=1)
    """Nucleus sampling."""
    max_tokens: int | None = Field(default=None, ge=1)
    """Most tokens of one reply."""
    stop: tuple[str, ...] = ()
    """Texts that end a reply."""
    send_seed: bool = False
    """Whether a seed made from task, seed and repeat is sent with each request."""
    extra_body: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """Further members of the request, for options of one server only."""


class Limits(BaseModel):
    """What one endpoint is asked to bear, and for how long it may fail."""

    model_config = _STRICT
    concurrency: int = Field(default=32, ge=1, le=1024)
    """Most requests in flight."""
    timeout_s: float = Field(default=120, gt=0, le=3600)
    """Longest wait for one complete reply."""
    max_retries: int = Field(default=5, ge=0, le=20)
    """Most repetitions of one request after 408, 429, 5xx and lost connections."""
    retry_budget_s: float = Field(default=180, ge=0, le=3600)
    """Longest time spent on one request, all repetitions and waits together."""
    max_reply_bytes: int = Field(default=8_000_000, ge=1000)
    """Longest response that is read."""


class Price(BaseModel):
    """Price of an endpoint in US dollars for a million tokens."""

    model_config = _STRICT
    prompt: float = Field(default=0, ge=0)
    """Tokens sent."""
    completion: float = Field(default=0, ge=0)
    """Tokens written."""


class EndpointSettings(BaseModel):
    """A named endpoint that speaks the OpenAI chat completions protocol."""

    model_config = _STRICT
    base_url: str = Field(pattern=r"^https?://[^\s/]+")
    """Address up to and without `/chat/completions`."""
    model: str = Field(min_length=1)
    """Model as the endpoint calls it."""
    api_key_env: str | None = Field(default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")
    """Name of the variable that holds the key; none for endpoints without one."""
    mode: Literal["tools", "text"] = "tools"
    """Native tool calls, or calls written as JSON text for models without them."""
    sampling: Sampling = Sampling()
    """How replies are drawn."""
    limits: Limits = Limits()
    """Concurrency, timeouts, retries."""
    price: Price | None = None
    """Price; costs stay unknown without it."""


class Roles(BaseModel):
    """Which model answers in which role, in the words of the command line."""

    model_config = _STRICT
    agent: str | None = None
    """Acts in the environments."""
    reference: str | None = None
    """Compared with in the diagnosis."""
    editor: str | None = None
    """Edits harnesses."""
    judge: str | None = None
    """Judges what rules cannot."""
    user: str | None = None
    """Plays the user where a world needs one."""


class EditorSettings(BaseModel):
    """What an editor with a model or a command behind it may spend in a round, and its guide."""

    model_config = _STRICT
    turns: int = Field(default=60, ge=1, le=10_000)
    """Most replies of the model in one conversation."""
    tokens: int = Field(default=1_000_000, ge=1)
    """Most tokens of a round, sent and written together."""
    cost_usd: float | None = Field(default=None, gt=0)
    """Most dollars of a round; needs the price of the endpoint."""
    proposals: int = Field(default=6, ge=1, le=60)
    """Most edits of a round, revisions left out."""
    queries: int = Field(default=60, ge=0)
    """Most SQL queries of a round."""
    checks: int = Field(default=40, ge=0)
    """Most trial checks and replays of a round."""
    rollouts: int = Field(default=240, ge=1)
    """Most episode evaluations of prompt evolution in a round."""
    guide: Path | None = None
    """Text file that is added to the design guide."""
    timeout_s: float = Field(default=1800, gt=0, le=86_400)
    """Time after which an external command is killed with all its children."""
    pass_env: tuple[str, ...] = ()
    """Names of further variables an external command may see; none may hold a key of ours."""


class Settings(BaseSettings):
    """Everything a user can configure outside of a command."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_nested_delimiter="__",
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        use_attribute_docstrings=True,
        dotenv_filtering="match_prefix",
    )
    home: Path = Path(".tackroom")
    """Data folder."""
    python: str = ""
    """Interpreter that runs environments of the user's own; empty takes this one."""
    models: dict[str, EndpointSettings] = Field(default_factory=dict[str, EndpointSettings])
    """Named endpoints."""
    roles: Roles = Roles()
    """Models by role."""
    editor: EditorSettings = EditorSettings()
    """Caps and guide of editors."""
    _folder: Path = Path()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let variables win over `.env`, and `.env` over values passed in from the file."""
        return env_settings, dotenv_settings, file_secret_settings, init_settings

    def read_in(self, folder: Path) -> "Settings":
        """Remember the folder whose `.env` holds further variables."""
        self._folder = folder
        return self

    def variable(self, name: str) -> str | None:
        """Value of an environment variable, else of the same name in `.env`."""
        return os.environ.get(name) or dotenv_values(self._folder / DOTENV_FILE).get(name)

    def secret(self, name: str) -> SecretStr | None:
        """As `variable`, for a key."""
        value = self.variable(name)
        return SecretStr(value) if value else None


def load_settings(folder: Path = Path()) -> Settings:
    """Read the settings that hold in a folder.

    Raises:
        ConfigError: a file cannot be read, or holds an unknown key or a wrong value.
    """
    toml = _read_toml(folder / TOML_FILE)
    try:
        values: dict[str, Any] = {**toml, "_env_file": folder / DOTENV_FILE}
        settings = Settings(**values)
    except ValidationError as error:
        raise _explain(error.errors(include_url=False), toml) from None
    except SettingsError as error:
        message = f"the environment or {DOTENV_FILE}: {error}"
        hint = f"write JSON, or a variable for each value, as in {PREFIX}MODELS__LOCAL__MODEL"
        raise ConfigError(message, hint=hint) from error
    return settings.read_in(folder)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        toml = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError, RecursionError, tomllib.TOMLDecodeError) as error:
        raise _unreadable(error) from error
    private = next((key for key in toml if key.startswith("_")), None)
    if private is not None:
        message = f"{TOML_FILE}: unknown key `{private}`"
        raise ConfigError(message, hint=f"known: {', '.join(_known_keys(()))}")
    return toml


def _unreadable(error: Exception) -> ConfigError:
    """Say where the file breaks and what to do about it."""
    place, reason, hint = "", str(error), "nest its tables and lists less deeply"
    if isinstance(error, UnicodeDecodeError):
        line = error.object.count(b"\n", 0, error.start) + 1
        place, reason, hint = f" (line {line})", "it is no UTF-8 text", "save it as UTF-8"
    elif isinstance(error, tomllib.TOMLDecodeError):
        found = _LINE.search(reason)
        place = f" (line {found[1]})" if found else ""
        reason = _LINE.sub("", reason)
        hint = f"mend {'that line' if found else 'its last line'}: tables are `[table]`, "
        hint += 'values `key = "text"` or `key = 1`'
    elif isinstance(error, OSError):
        reason, hint = error.strerror or reason, "make it a file that you may read"
    return ConfigError(f"{TOML_FILE}{place} cannot be read: {reason}", hint=hint)


def _explain(errors: list[ErrorDetails], toml: dict[str, Any]) -> ConfigError:
    """Say in one line which key is wrong, where it stands, and what was expected.

    An unknown key comes first: mistyped, it is why another one is missing.
    The value is not repeated: it may be a key somebody pasted into the wrong place.
    """
    error = next((item for item in errors if item["type"] == "extra_forbidden"), errors[0])
    place = tuple(str(part) for part in error["loc"])
    key = ".".join(place)
    origin = TOML_FILE if _stands_in(toml, place) else f"the environment or {DOTENV_FILE}"
    if error["type"] != "extra_forbidden":
        message = f"{origin}: `{key}`: {error['msg']}"
        return ConfigError(message, hint=_remedy(error["type"], place))
    known = _known_keys(place[:-1])
    beside = [item for item in errors if item["loc"][:-1] == error["loc"][:-1]]
    missing = [str(item["loc"][-1]) for item in beside if item["type"] == "missing"]
    close = get_close_matches(place[-1], missing, n=1) or get_close_matches(place[-1], known, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"known: {', '.join(known)}"
    message = f"{origin}: unknown key `{key}`"
    return ConfigError(message, hint=hint)


def _remedy(kind: str, place: tuple[str, ...]) -> str:
    """What to write instead: a value of another type, or what the key is for."""
    field = _model_of(place[:-1]).model_fields.get(place[-1])
    meaning = ((field.description if field else None) or "").rstrip(".")
    return _REMEDIES.get(kind) or (f"change it: {meaning}" if meaning else "change it")


def _stands_in(toml: object, place: Sequence[str]) -> bool:
    """Tell whether a missing or wrong key comes from the file: its table stands there."""
    for part in place[:-1]:
        if not isinstance(toml, dict) or part not in toml:
            return False
        toml = cast("dict[str, Any]", toml)[part]
    return len(place) > 1 or (isinstance(toml, dict) and place[-1] in toml)


def _known_keys(table: tuple[str, ...]) -> list[str]:
    """Keys of the table that an unknown key stands in."""
    return sorted(_model_of(table).model_fields)


def _model_of(table: tuple[str, ...]) -> type[BaseModel]:
    match table:
        case ("models", _):
            model: type[BaseModel] = EndpointSettings
        case ("models", _, "sampling"):
            model = Sampling
        case ("models", _, "limits"):
            model = Limits
        case ("models", _, "price"):
            model = Price
        case ("roles",):
            model = Roles
        case ("editor",):
            model = EditorSettings
        case _:
            model = Settings
    return model
