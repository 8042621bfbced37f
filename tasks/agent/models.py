"""Models in the words of the command line: `gold`, `simulated:weak`, `replay:FILE`, `openai:NAME`.

Heavy clients are imported only when a word needs them.
"""

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from schemas.errors import ConfigError
from tasks.agent.builtin_models import GoldModel, NoopModel
from tasks.agent.protocols import Model
from tasks.agent.recorded_models import RecordingModel, ReplayModel

if TYPE_CHECKING:
    from schemas.settings import EndpointSettings, Settings
    from tasks.agent.endpoint import Endpoint

TIERS = ("weak", "mid", "strong")
KINDS = ("gold", "noop", "simulated:TIER", "replay:FILE", "openai:NAME")
DEFAULT_URL = "https://api.openai.com/v1"


def resolve_model(word: str, settings: "Settings", *, record: Path | None = None) -> Model:
    """Make the model a user named; with `record`, its replies are written to a file.

    Raises:
        ConfigError: there is no such model, or it cannot be used as configured.
    """
    model = _resolve(word, settings)
    return RecordingModel(model, record) if record else model


def _resolve(word: str, settings: "Settings") -> Model:
    kind, _, rest = word.partition(":")
    match kind:
        case "gold" if not rest:
            return GoldModel()
        case "noop" if not rest:
            return NoopModel()
        case "simulated":
            return _simulated(word, rest)
        case "replay" if rest:
            return ReplayModel.from_file(Path(rest))
        case "openai" if rest:
            return _chat(word, rest, settings)
        case _:
            raise _unknown(word, settings)


def _unknown(word: str, settings: "Settings") -> ConfigError:
    candidates = ["gold", "noop", *(f"simulated:{tier}" for tier in TIERS)]
    candidates += [f"openai:{name}" for name in sorted(settings.models)]
    close = get_close_matches(word, candidates, n=1)
    hint = f"did you mean `{close[0]}`?" if close else f"a model is one of {', '.join(KINDS)}"
    return ConfigError(f"there is no model `{word}`", hint=hint)


def _simulated(word: str, rest: str) -> Model:
    tier = rest.partition("?")[0]
    if tier not in TIERS:
        close = get_close_matches(tier, TIERS, n=1)
        hint = f"did you mean `simulated:{close[0]}`?" if close else f"tiers: {', '.join(TIERS)}"
        what = f"there is no model `{word}`"
        raise ConfigError(what, hint=hint)
    from tasks.agent.simulated_model import simulated_model

    return simulated_model(word)


def _chat(word: str, name: str, settings: "Settings") -> Model:
    from tasks.agent.chat_model import ChatModel
    from tasks.agent.identity import known_identity

    endpoint = resolve_endpoint(name, settings)
    return ChatModel(word, endpoint, known_identity(endpoint, settings.home))


def resolve_endpoint(name: str, settings: "Settings") -> "Endpoint":
    """Make the endpoint of `openai:NAME`: a `[models.NAME]`, else a model at OPENAI_BASE_URL.

    Raises:
        ConfigError: there is no such endpoint, or its key is not set.
    """
    from tasks.agent.endpoint import Endpoint

    configured = settings.models.get(name)
    if configured is None:
        unnamed = _from_environment(name, settings)
        return Endpoint(unnamed, settings.secret("OPENAI_API_KEY"))
    if configured.api_key_env is None:
        return Endpoint(configured)
    key = settings.secret(configured.api_key_env)
    if key is None:
        what = f"`openai:{name}` needs a key, and the variable {configured.api_key_env} is not set"
        raise ConfigError(what, hint="export it, or put it into .env")
    return Endpoint(configured, key)


def _from_environment(name: str, settings: "Settings") -> "EndpointSettings":
    from schemas.settings import EndpointSettings

    url = settings.variable("OPENAI_BASE_URL")
    if not url and not settings.variable("OPENAI_API_KEY"):
        close = get_close_matches(name, sorted(settings.models), n=1)
        hint = f"did you mean `openai:{close[0]}`?" if close else "add [models.NAME]"
        what = f"there is no [models.{name}] in tackroom.toml and OPENAI_BASE_URL is not set"
        raise ConfigError(what, hint=hint)
    try:
        return EndpointSettings(base_url=url or DEFAULT_URL, model=name)
    except ValidationError as error:
        what = "OPENAI_BASE_URL is not an http(s) address"
        raise ConfigError(what, hint="it looks like http://host:port/v1") from error
