"""A service over HTTP: bounded requests, refusals as results, outages as faults."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx2

from schemas.errors import ConfigError, EnvironmentFault
from schemas.ids import canonical_json
from schemas.text import clean_text
from tasks.agent.protocols import ActResult, Call
from tasks.environments.declared.openapi import Document, Operation
from tasks.environments.declared.reset import Resetting
from tasks.environments.declared.service import Secrets, in_path
from tasks.environments.validation import make_check

MOST_BYTES = 1_000_000
"""Of one answer; an agent could not read more."""
CONNECT_RETRIES = 2
OUTAGES = frozenset({502, 503, 504})
FIRST_REFUSAL = 400
SAID = 300
SHOWN = 120


@dataclass(frozen=True)
class Address:
    """Where a service is and how it is spoken to."""

    base_url: str
    headers: Mapping[str, str]
    timeout_s: float
    episode_header: str = ""


class HttpService:
    """Implements `Service` over the operations of a document."""

    def __init__(
        self,
        document: Document,
        address: Address,
        resetting: Resetting,
        *,
        secrets: Secrets,
        hidden: Iterable[str] = (),
        reads: Iterable[str] = (),
    ) -> None:
        hidden = set(hidden)
        self.operations = {
            one.tool.name: one for one in document.operations if one.tool.name not in hidden
        }
        self.tools = tuple(one.tool for one in self.operations.values())
        writes = {name for name, one in self.operations.items() if one.is_write}
        self.write_tools = frozenset(writes - set(reads))
        self.left_out: Mapping[str, str] = {**document.left_out, **dict.fromkeys(hidden, "hidden")}
        self.is_apart = bool(address.episode_header)
        self.address, self._resetting = address, resetting
        self.check = make_check(self.tools)
        self.secrets = secrets
        self.client = httpx2.Client(
            headers={"Accept": "application/json", **address.headers},
            timeout=address.timeout_s,
            transport=httpx2.HTTPTransport(retries=CONNECT_RETRIES),
        )

    def open(self, episode: str, task: Mapping[str, Any], seed: int) -> "HttpDesk":
        """Reset the service and open connections to it."""
        desk = HttpDesk(self, episode)
        self._resetting.begin(task, seed, desk.post)
        return desk

    def close(self) -> None:
        """Close the connections."""
        self.client.close()

    def check_look(self, place: str) -> None:
        """Refuse what is no `GET /path`."""
        if not place.startswith("GET /"):
            what = f"the look {place[:80]!r} cannot be used"
            raise ConfigError(what, hint="write `GET /path`, `{column}` for a value of the task")


class HttpDesk:
    """The requests of one episode."""

    def __init__(self, service: HttpService, episode: str) -> None:
        self._service = service
        header = service.address.episode_header
        self._mark = {header: episode} if header else {}

    def call(self, call: Call) -> ActResult:
        """Send the request of a tool."""
        refused = self._service.check(call)
        if refused is not None:
            return refused
        operation = self._service.operations[call.tool]
        try:
            status, text = self._send(operation.method, **_request(operation, call.arguments))
        except httpx2.InvalidURL as error:
            return ActResult(f"no address: {error}", is_error=True, error_kind="address")
        if status in OUTAGES:
            what = f"{self._shown(operation.path)} answered with status {status}"
            raise EnvironmentFault(what, hint="see whether the service is up")
        if status >= FIRST_REFUSAL:
            said = f"HTTP {status}: {text}" if text else f"HTTP {status}"
            return ActResult(said, is_error=True, error_kind=f"http_{status}")
        return ActResult(text or f"HTTP {status}")

    def look(self, place: str, row: Mapping[str, Any]) -> Any:
        """JSON of a GET."""
        path = in_path(place.removeprefix("GET "), row)
        try:
            status, text = self._send("get", path=path)
        except httpx2.InvalidURL as error:
            what = f"`{place}` makes no address: {error}"
            raise EnvironmentFault(what, hint="mend `look`") from None
        if status >= FIRST_REFUSAL:
            what = f"GET {self._shown(path)} answered with status {status}"
            raise EnvironmentFault(what, hint="mend `look`, or the column it names")
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            what = f"GET {self._shown(path)} gave no JSON"
            raise EnvironmentFault(what, hint="`look` needs a place that gives JSON") from None

    def post(self, url: str, body: Mapping[str, Any]) -> None:
        """Send a reset."""
        try:
            status, text = self._send("post", path=url, json=dict(body))
        except httpx2.InvalidURL as error:
            what = f"the reset {url[:SHOWN]!r} is no address: {error}"
            raise EnvironmentFault(what, hint="mend reset.url") from None
        if status >= FIRST_REFUSAL:
            what = f"the reset {self._shown(url)} answered with status {status}: {text[:SAID]}"
            raise EnvironmentFault(what, hint="mend [reset], or the service")

    def close(self) -> None:
        """Nothing: connections are the service's."""

    def _url(self, path: str) -> str:
        return path if "://" in path else self._service.address.base_url.rstrip("/") + path

    def _shown(self, path: str) -> str:
        return clean_text(self._url(path).partition("?")[0])[:SHOWN]

    def _send(
        self, method: str, *, path: str, headers: Mapping[str, str] | None = None, **parts: Any
    ) -> tuple[int, str]:
        """Status and text of an answer.

        Raises:
            EnvironmentFault: there is none, or it is too long.
            InvalidURL: the arguments make no address.
        """
        sent = {**(headers or {}), **self._mark}
        client = self._service.client
        try:
            with client.stream(method.upper(), self._url(path), headers=sent, **parts) as response:
                return response.status_code, self._read(response, path)
        except httpx2.TimeoutException:
            limit = self._service.address.timeout_s
            what = f"{self._shown(path)} gave no answer in {limit:g} s"
            raise EnvironmentFault(what, hint="raise service.timeout_s, or mend it") from None
        except httpx2.HTTPError as error:
            reason = self._service.secrets.hide(" ".join(str(error).split()))
            said = clean_text(reason or type(error).__name__)[:SAID]
            what = f"{self._shown(path)} cannot be reached: {said}"
            raise EnvironmentFault(what, hint="see whether the service is up") from None

    def _read(self, response: httpx2.Response, path: str) -> str:
        data = bytearray()
        for chunk in response.iter_bytes():
            data += chunk
            if len(data) > MOST_BYTES:
                what = f"{self._shown(path)} gave more than {MOST_BYTES} bytes"
                raise EnvironmentFault(what, hint="hide the tool, or have it give pages")
        text = bytes(data).decode(response.charset_encoding or "utf-8", "replace")
        return self._service.secrets.hide(clean_text(text.strip()))


def _request(operation: Operation, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Where each argument goes; segments of the path cannot lead out of it."""
    path, query, headers = operation.path, list[tuple[str, str]](), dict[str, str]()
    body: dict[str, Any] = {}
    for name, value in arguments.items():
        argument = operation.arguments[name]
        if argument.place == "path":
            path = path.replace(f"{{{argument.name}}}", _segment(value))
        elif argument.place == "query":
            query += _query(argument.name, value, is_joined=argument.is_joined)
        elif argument.place == "header":
            headers[argument.name] = _one_line(value)
        else:
            body[argument.name] = value
    request: dict[str, Any] = {"path": path, "params": query or None, "headers": headers}
    if operation.is_body_whole and "body" in body:
        request["json"] = body["body"]
    elif body or any(one.place == "body" for one in operation.arguments.values()):
        request["json"] = body
    return request


def _segment(value: Any) -> str:
    text = quote(_one_line(value), safe="")
    return text.replace(".", "%2E") if text.strip(".") == "" else text


def _query(name: str, value: Any, *, is_joined: bool) -> list[tuple[str, str]]:
    if not isinstance(value, list):
        return [(name, _one_line(value))]
    items = [_one_line(item) for item in value]
    return [(name, ",".join(items))] if is_joined else [(name, item) for item in items]


def _one_line(value: Any) -> str:
    text = value if isinstance(value, str) else canonical_json(value)
    return clean_text(" ".join(text.splitlines()))
