"""What went wrong at an endpoint, in words a user can act on: what happened, and what to do."""

import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

import httpx2

from schemas.settings import EndpointSettings
from tasks.agent.retry import Refusal

IS_UP = "check that the endpoint is up and that base_url names its host and port"
NO_API = "base_url must lead to an OpenAI-compatible API; it usually ends in /v1"
_WAY = "check base_url, and that a firewall or proxy lets requests through"


@dataclass(frozen=True)
class Trouble:
    """What happened, and what the user can do about it."""

    what: str
    hint: str


def times(count: int) -> str:
    """How often something was tried, in words."""
    return "once" if count == 1 else f"{count} times"


def place_of(url: str) -> str:
    """`host:port` of an address, without what may hold secrets."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    return f"{parts.hostname}:{port}"


def lost_request(error: BaseException, url: str, timeout_s: float) -> Trouble:
    """Why a request brought no response; the deepest cause says most."""
    place = place_of(url)
    causes = list(_causes(error))
    for cause in reversed(causes):
        found = _of_cause(cause, place)
        if found is not None:
            return found
    if any(isinstance(cause, httpx2.ConnectTimeout) for cause in causes):
        return Trouble(f"no connection to {place} within {timeout_s:g} s", _WAY)
    if any(isinstance(cause, TimeoutError | httpx2.TimeoutException) for cause in causes):
        hint = "raise limits.timeout_s, or lower limits.concurrency"
        return Trouble(f"no complete reply within {timeout_s:g} s", hint)
    last = str(causes[-1]) or type(causes[-1]).__name__
    return Trouble(f"the connection to {place} was lost: {last}", IS_UP)


def _of_cause(cause: BaseException, place: str) -> Trouble | None:
    match cause:
        case socket.gaierror():
            what = f"the host of {place} is not found (DNS: {cause.strerror})"
            return Trouble(what, "check base_url")
        case ConnectionRefusedError():
            return Trouble(f"connection refused at {place}", IS_UP)
        case ConnectionResetError() | BrokenPipeError():
            return Trouble(f"the connection to {place} was cut", IS_UP)
        case ssl.SSLCertVerificationError():
            why = getattr(cause, "verify_message", "") or cause
            what = f"the TLS certificate of {place} is not trusted: {why}"
            return Trouble(what, "check base_url, or name the authority with SSL_CERT_FILE")
        case ssl.SSLError():
            what = f"no TLS connection to {place}: {cause.reason or cause}"
            return Trouble(what, "check whether base_url begins with http:// or https://")
        case OSError() if cause.errno:
            return Trouble(f"no connection to {place}: {cause.strerror or cause}", _WAY)
        case _:
            return None


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from, the nearest first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def refused_request(refusal: Refusal, settings: EndpointSettings) -> Trouble:
    """What a response with an error status means."""
    said = f"status {refusal.status}: {refusal.text}"
    match refusal.status:
        case 401 | 403:
            key = settings.api_key_env or "OPENAI_API_KEY"
            hint = f"check the key in {key}; api_key_env names the variable"
            return Trouble(f"does not accept the key, {said}", hint)
        case 404 if "model" in refusal.text.lower():
            hint = "set `model` to a name that its /models lists"
            return Trouble(f"does not know the model `{settings.model}`, {said}", hint)
        case 404 | 405:
            hint = "check base_url, which usually ends in /v1, and model"
            return Trouble(f"has nothing at this address, {said}", hint)
        case 429 if refusal.has_no_money:
            return Trouble(f"asks for money, {said}", "check the account behind the key")
        case 429:
            return Trouble(f"asks for patience, {said}", "lower limits.concurrency, or wait")
        case _:
            return Trouble(f"refuses, {said}", "")
