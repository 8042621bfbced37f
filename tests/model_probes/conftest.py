"""A loopback server that is as capable as an OpenAI-compatible server can be, minus defects."""

import json
import random
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Body = dict[str, Any]
Reply = tuple[int, Any]


def completion(message: Body, **more: Any) -> Body:
    choice = {"index": 0, "message": {"role": "assistant"} | message, "finish_reason": "stop"}
    usage = {"prompt_tokens": 20, "completion_tokens": 5, "total_tokens": 25}
    return {"choices": [choice | more.pop("choice", {})], "model": "m-1", "usage": usage} | more


def call(name: str, arguments: Any) -> Body:
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}}


def capable(body: Body) -> Body:
    """What a server without a defect answers."""
    said = body["messages"][-1]["content"]
    if "response_format" in body:
        made = {"call": {"tool": "add_numbers", "arguments": {"a": 1, "b": 2}}}
        return completion({"content": json.dumps(made)})
    if body.get("tools") and body["messages"][-1]["role"] == "user":
        pairs = [(11, 22), (33, 44)] if "two calls" in said else [(1794, 2537)]
        calls = [call("add_numbers", json.dumps({"a": a, "b": b})) for a, b in pairs]
        return completion({"content": None, "tool_calls": calls})
    if "You act by calling tools" in str(body["messages"][0]["content"]):
        return completion({"content": '{"tool": "add_numbers", "arguments": {"a": 1, "b": 2}}'})
    if body["messages"][-1]["role"] == "tool":
        return completion({"content": "It is 4331."})
    if "seed" in body:
        return completion({"content": str(random.Random(body["seed"]).random())})
    if body.get("logprobs"):
        told = {"content": [{"token": "yes", "logprob": -0.1}]}
        return completion({"content": "yes"}, choice={"logprobs": told})
    if "bat" in said:
        return completion({"content": "0.05", "reasoning_content": "Let it be x."})
    return completion({"content": "ready"})


@dataclass
class Server:
    """Answers as `capable`, unless `defect` gives something else for a request."""

    defect: Callable[[Body], Reply | None] = lambda body: None
    listing: Any = field(default_factory=lambda: {"data": [{"id": "m", "max_model_len": 8192}]})
    bodies: list[Body] = field(default_factory=list)
    url: str = ""

    def answer(self, body: Body) -> Reply:
        self.bodies.append(body)
        return self.defect(body) or (200, capable(body))


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            self.tell(*made.answer(json.loads(self.rfile.read(length))))

        def do_GET(self) -> None:
            found = made.listing if self.path == "/v1/models" else None
            self.tell(200 if found is not None else 404, found or {"error": "nothing here"})

        def tell(self, status: int, value: Any) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    made.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
    yield made
    http.shutdown()
    http.server_close()
