"""Who answers behind an endpoint, as far as it tells; kept in the data folder, part of the key.

It is asked for once, before the first use of an endpoint in a data folder: what `/models` says
of the model, the chat template where the server shows it, and one reply of one token. What was
noted then holds until `tackroom model check` asks again, so that runs which belong together
share a key, also while the endpoint is down.
"""

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from schemas.errors import ConfigError, ModelFault
from schemas.ids import canonical_json, sha256_hex
from schemas.settings import EndpointSettings, Limits
from tasks.agent.endpoint import Endpoint
from tasks.agent.protocols import JsonObject, ModelReply
from tasks.agent.wire import read_reply

FOLDER = "endpoints"
BRIEF = Limits(timeout_s=10, max_retries=0, concurrency=1)
"""Limits under which an endpoint is asked who it is."""
_LISTED = ("root", "parent", "owned_by", "max_model_len", "context_length", "meta")
"""Members of a listing that stay the same while a server stays the same."""


class Identity(BaseModel):
    """What an endpoint says of the model behind it; what it does not say is left empty."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    listed: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    served_model: str | None = None
    system_fingerprint: str | None = None
    template_sha256: str | None = None

    @property
    def key(self) -> JsonObject:
        """Everything that is known, for the key of a trajectory."""
        return self.model_dump(mode="json", exclude_defaults=True)


UNKNOWN = Identity()


def known_identity(endpoint: Endpoint, home: Path) -> Identity:
    """The identity that was noted in a data folder; asked for and noted at first.

    An endpoint that cannot be reached stays unknown, and is asked the next time.

    Raises:
        ConfigError: what was noted cannot be read, or cannot be written.
    """
    path = identity_path(endpoint.settings, endpoint.url, home)
    if path.exists():
        return read_identity(path)
    found = _asked_here(endpoint)
    if found is None:
        return UNKNOWN
    note_identity(found, path)
    return found


def identity_path(settings: EndpointSettings, url: str, home: Path) -> Path:
    """File of the identity of one model at one address."""
    name = sha256_hex(canonical_json([url, settings.model]))[:16]
    return home / FOLDER / f"{name}.json"


def note_identity(identity: Identity, path: Path) -> None:
    """Write an identity down.

    Raises:
        ConfigError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(".part")
        partial.write_text(identity.model_dump_json(indent=1), encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        what = f"{path} cannot be written: {error.strerror}"
        raise ConfigError(what, hint="choose a data folder that can be written") from error


def read_identity(path: Path) -> Identity:
    """What was noted.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        return Identity.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        what = f"{path} cannot be read"
        raise ConfigError(what, hint="remove it, and run `tackroom model check NAME`") from error


def _asked_here(endpoint: Endpoint) -> Identity | None:
    """Ask from a thread of its own: the caller may be inside an event loop."""
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(lambda: asyncio.run(ask_identity(endpoint))).result()


async def ask_identity(endpoint: Endpoint) -> Identity | None:
    """Ask an endpoint who it is; null when it cannot be reached.

    A server that lists no models is not asked for a reply either.
    """
    async with endpoint.within(BRIEF) as place:
        try:
            listing = await place.fetch("/models")
        except ModelFault as error:
            return None if error.kind == "unavailable" else UNKNOWN
        entry = find_entry(listing, place.settings.model)
        if entry is None:
            return UNKNOWN
        reply = await _one_token(place)
        return Identity(
            listed={name: entry[name] for name in _LISTED if entry.get(name) is not None},
            served_model=reply.served_model,
            system_fingerprint=reply.system_fingerprint,
            template_sha256=await _template(place),
        )


def find_entry(listing: object, model: str) -> JsonObject | None:
    """What a listing says of a model; empty when the model is not in it, null for no listing."""
    data: Any = cast("JsonObject", listing).get("data") if isinstance(listing, dict) else None
    if not isinstance(data, list):
        return None
    entries = [cast("JsonObject", one) for one in cast("list[Any]", data) if isinstance(one, dict)]
    found = [one for one in entries if one.get("id") == model]
    return found[0] if found else {}


async def _one_token(place: Endpoint) -> ModelReply:
    body = {
        "model": place.settings.model,
        "messages": [{"role": "user", "content": "Hello."}],
        "max_tokens": 1,
    }
    try:
        return await place.complete(body, random.Random(0), read_reply)
    except ModelFault:
        return ModelReply()


async def _template(place: Endpoint) -> str | None:
    """Hash of the chat template, which llama.cpp shows beside its API."""
    try:
        shown = await place.fetch(f"{place.url.removesuffix('/v1')}/props")
    except ModelFault:
        return None
    template: Any = cast("JsonObject", shown).get("chat_template") if isinstance(shown, dict) else 0
    return sha256_hex(template) if isinstance(template, str) else None
