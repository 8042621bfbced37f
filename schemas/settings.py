"""Settings of an installation: environment variables, then `.env`, then `tackroom.toml`.

`TACKROOM_HOME=/data` sets `home`; `TACKROOM_MODELS__LOCAL__MODEL=qwen` sets a nested value. Keys
of endpoints are never settings: an endpoint names the variable that holds its key.
"""

import os
from pathlib import Path
from typing import Any, Literal

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, JsonValue, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from schemas.errors import ConfigError
from schemas.settings_file import DOTENV_FILE, TOML_FILE, explain, read_toml

PREFIX = "TACKROOM_"
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
    logprobs: bool = False
    """Whether log-probabilities of the written tokens are asked for and stored with the steps."""
    extra_body: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """Further members of the request, for options of one server only."""


class Limits(BaseModel):
    """What one endpoint is asked to bear, and for how long it may fail."""

    model_config = _STRICT
    concurrency: int = Field(default=64, ge=1, le=1024)
    """Most requests in flight."""
    requests_per_minute: float | None = Field(default=None, gt=0)
    """Most requests a minute, spread evenly."""
    tokens_per_minute: float | None = Field(default=None, gt=0)
    """Most tokens a minute, sent and written together."""
    timeout_s: float = Field(default=120, gt=0, le=3600)
    """Longest wait for one complete reply."""
    max_retries: int = Field(default=5, ge=0, le=20)
    """Most repetitions of one request after 408, 429, 5xx and lost connections."""
    retry_budget_s: float = Field(default=180, ge=0, le=3600)
    """Longest time spent on one request, all repetitions and waits together."""
    retry_share: float = Field(default=0.5, ge=0, le=10)
    """Most repetitions of all requests together, as a share of the requests made so far; so many
    as fill `concurrency` once with `max_retries` are always allowed."""
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
    mode: Literal["tools", "text", "schema"] = "tools"
    """Native tool calls; calls written as JSON text for models without them; or such text that the
    endpoint holds to a JSON schema of the tools, which hides calls that could not be executed."""
    schema_form: Literal["json_schema", "json_object"] = "json_schema"
    """How mode `schema` hands its schema over; some servers take it in a `json_object` only."""
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


class Caps(BaseModel):
    """What one run of a command may spend on models; it stops before it would spend more."""

    model_config = _STRICT
    max_usd: float = Field(default=0, ge=0)
    """Most US dollars; 0 sets no cap. Needs the price of every endpoint that is used."""
    max_tokens: int = Field(default=0, ge=0)
    """Most tokens, sent and written together; 0 sets no cap."""


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
    allow_side_effects: bool = False
    """Whether worlds may be used in which what an episode does stays."""
    models: dict[str, EndpointSettings] = Field(default_factory=dict[str, EndpointSettings])
    """Named endpoints."""
    roles: Roles = Roles()
    """Models by role."""
    editor: EditorSettings = EditorSettings()
    """Caps and guide of editors."""
    caps: Caps = Caps()
    """What a run may spend; an option of the command comes first."""
    concurrency: int = Field(default=64, ge=1, le=1024)
    """Episodes that run side by side; an option of the command comes first."""
    agent_timeout_s: float = Field(default=600.0, gt=0)
    """Seconds an agent program of the user may take for one episode."""
    agent_processes: int = Field(default=8, ge=1, le=256)
    """Agent programs that run at the same time."""
    runtime_token: SecretStr | None = None
    """Word that clients of a proxy must show; needed when it listens beyond this machine."""
    _folder: Path = Path()

    @property
    def worlds(self) -> Path:
        """Folder that worlds of the catalogue are installed in."""
        return self.home / "worlds"

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
    toml = read_toml(folder / TOML_FILE, Settings)
    try:
        values: dict[str, Any] = {**toml, "_env_file": folder / DOTENV_FILE}
        settings = Settings(**values)
    except ValidationError as error:
        raise explain(error.errors(include_url=False), toml, Settings) from None
    except SettingsError as error:
        message = f"the environment or {DOTENV_FILE}: {error}"
        hint = f"write JSON, or a variable for each value, as in {PREFIX}MODELS__LOCAL__MODEL"
        raise ConfigError(message, hint=hint) from error
    return settings.read_in(folder)
