"""What is said of an endpoint that cannot be used: what happened, how often tried, what to do."""

import asyncio
import json
import socket
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from schemas.errors import ModelFault
from schemas.settings import EndpointSettings, Limits
from tasks.agent.chat_model import ChatConversation
from tasks.agent.endpoint import Endpoint
from tasks.agent.trouble import lost_request, place_of

TWICE = Limits(timeout_s=1, max_retries=1, retry_budget_s=5)


def said(url, limits=TWICE, **settings):
    place = Endpoint(EndpointSettings(base_url=url, model="m-7", limits=limits, **settings))
    with pytest.raises(ModelFault) as caught:
        asyncio.run(ChatConversation(place, seed=1).reply([{"role": "user", "content": "x"}], ()))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def answering():
    """Starts a server that answers every request with a status and a message."""
    servers = []

    def start(status, message):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.dumps({"error": {"message": message}}).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/v1"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def test_a_refused_connection_is_called_so_with_its_port_and_no_time_limit():
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        text = said(f"http://127.0.0.1:{port}/v1")
    assert f"after 2 tries: connection refused at 127.0.0.1:{port}" in text
    assert "check that the endpoint is up" in text
    assert "within" not in text


def test_a_server_that_never_answers_is_a_timeout_with_the_limit_to_raise():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        text = said(f"http://127.0.0.1:{silent.getsockname()[1]}/v1")
    assert "after 2 tries: no complete reply within 1 s" in text
    assert "limits.timeout_s" in text


def test_plain_http_behind_an_https_address_is_named_as_such(answering):
    text = said(answering(200, "").replace("http:", "https:"))
    assert "no TLS connection to 127.0.0.1:" in text
    assert "http:// or https://" in text


@pytest.mark.parametrize(
    ("status", "message", "parts"),
    [
        (401, "bad key", ("does not accept the key, status 401: bad key", "tried once", "MY_KEY")),
        (403, "go away", ("does not accept the key, status 403", "MY_KEY")),
        (404, "The model `m-7` does not exist.", ("does not know the model `m-7`", "/models")),
        (404, "Not Found", ("has nothing at this address, status 404", "/v1")),
        (429, "insufficient_quota", ("asks for money", "account")),
        (429, "slow down", ("after 2 tries: status 429: slow down", "concurrency")),
        (503, "loading", ("after 2 tries: status 503: loading", "endpoint is up")),
        (422, "no tools here", ("refuses, status 422: no tools here; tried once",)),
    ],
)
def test_a_status_is_told_by_what_it_means(answering, status, message, parts):
    text = said(answering(status, message), api_key_env="MY_KEY")
    for part in parts:
        assert part in text


def caused_by(cause):
    error = TimeoutError("Request timed out.")
    error.__cause__ = cause
    return lost_request(error, "https://models.example/v1", 9)


@pytest.mark.parametrize(
    ("cause", "what"),
    [
        (socket.gaierror(-2, "Name or service not known"), "not found (DNS: Name or service"),
        (ssl.SSLCertVerificationError(1, "self-signed"), "certificate of models.example:443"),
        (ConnectionResetError(104, "Connection reset by peer"), "models.example:443 was cut"),
        (OSError(113, "No route to host"), "no connection to models.example:443: No route"),
        (
            TimeoutError(110, "Connection timed out"),
            "no connection to models.example:443",
        ),
        (None, "no complete reply within 9 s"),
    ],
)
def test_the_deepest_cause_is_named_not_the_time_limit_it_is_wrapped_in(cause, what):
    trouble = caused_by(cause)
    assert what in trouble.what
    assert trouble.hint


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://user:secret@host/v1", "host:80"),
        ("https://host/v1?key=secret", "host:443"),
        ("http://[::1]:8000/v1", "::1:8000"),
    ],
)
def test_a_place_is_host_and_port_and_no_secret(url, place):
    assert place_of(url) == place
