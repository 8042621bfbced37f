"""The client of an OpenAI-compatible endpoint, against a real server on loopback."""

import asyncio
import json
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import SecretStr

from schemas.errors import ContextOverflow, ModelFault
from schemas.settings import EndpointSettings, Limits, Price, Sampling
from tasks.agent.chat_model import ChatConversation, ChatModel
from tasks.agent.endpoint import Endpoint
from tasks.agent.episode_spec import EpisodeSpec

KEY = "sk-very-secret-key-0123456789"
HELLO = [{"role": "user", "content": "hello"}]
QUICK = Limits(timeout_s=2, max_retries=3, retry_budget_s=10)


def completion(text: str | None = "hi", calls: list[dict[str, Any]] | None = None, **more: Any):
    """A chat completion as a server sends it."""
    message = {"role": "assistant", "content": text, "tool_calls": calls or []}
    return {"choices": [{"message": message, "finish_reason": "stop"}], **more}


def called(name: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


@dataclass
class Answer:
    """What the server does with one request."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    act: Callable[[BaseHTTPRequestHandler], None] | None = None


class Server:
    """Answers one request after the other as scripted; the last answer is given for ever."""

    def __init__(self) -> None:
        self.answers: list[Answer] = [Answer(completion())]
        self.bodies: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.in_flight = self.most = 0
        self.lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self.lock:
            self.bodies.append(body)
            self.headers.append({k.lower(): v for k, v in handler.headers.items()})
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            self.in_flight += 1
            self.most = max(self.most, self.in_flight)
        try:
            if answer.act:
                answer.act(handler)
            else:
                self.send(handler, answer)
        except OSError:
            handler.close_connection = True
        finally:
            with self.lock:
                self.in_flight -= 1

    @staticmethod
    def send(handler: BaseHTTPRequestHandler, answer: Answer) -> None:
        is_text = isinstance(answer.body, str)
        data = answer.body.encode() if is_text else json.dumps(answer.body).encode()
        handler.send_response(answer.status)
        kind = "text/html" if is_text and answer.body.startswith("<") else "application/json"
        headers = {"Content-Type": kind, "Content-Length": str(len(data))} | answer.headers
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(data)


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.http.shutdown()
    running.http.server_close()


def endpoint(server: Server, *, key: str | None = KEY, **settings: Any) -> Endpoint:
    values = {"base_url": server.url, "model": "m", "limits": QUICK} | settings
    return Endpoint(EndpointSettings(**values), SecretStr(key) if key else None)


def ask(place: Endpoint, messages=HELLO, tools=()):
    async def main():
        async with place:
            return await ChatConversation(place, seed=5).reply(messages, tools)

    return asyncio.run(main())


def fault(place: Endpoint) -> ModelFault:
    with pytest.raises(ModelFault) as caught:
        ask(place)
    return caught.value


def test_a_reply_keeps_text_calls_and_counts_as_sent(server):
    raw = '{ "n" : 1, }'
    usage = {"prompt_tokens": 11, "completion_tokens": 3}
    server.answers = [Answer(completion("so", [called("add", raw)], usage=usage))]
    reply = ask(endpoint(server, price=Price(prompt=2, completion=10)))
    assert (reply.text, reply.calls[0].name, reply.calls[0].arguments) == ("so", "add", raw)
    assert (reply.prompt_tokens, reply.completion_tokens) == (11, 3)
    assert reply.cost_usd == pytest.approx((2 * 11 + 10 * 3) / 1e6)
    assert (reply.latency_s or 0) > 0
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


def test_an_endpoint_without_a_key_is_sent_none(server):
    ask(endpoint(server, key=None))
    assert "authorization" not in server.headers[0]


def test_the_request_holds_what_is_configured_and_nothing_else(server):
    sampling = Sampling(temperature=0, max_tokens=9, stop=("END",), extra_body={"top_k": 3})
    tools = [{"type": "function", "function": {"name": "f", "description": "", "parameters": {}}}]
    ask(endpoint(server, sampling=sampling), tools=tools)
    ask(endpoint(server))
    assert server.bodies[0] == {
        "model": "m",
        "messages": HELLO,
        "tools": tools,
        "temperature": 0.0,
        "max_tokens": 9,
        "stop": ["END"],
        "top_k": 3,
    }
    assert server.bodies[1] == {"model": "m", "messages": HELLO}


def test_a_query_in_the_address_is_sent_with_each_request(server):
    seen: list[str] = []

    def look(handler: BaseHTTPRequestHandler) -> None:
        seen.append(handler.path)
        Server.send(handler, Answer(completion()))

    server.answers = [Answer(act=look)]
    ask(endpoint(server, base_url=f"{server.url}/?api-version=3"))
    assert seen == ["/v1/chat/completions?api-version=3"]


def test_a_password_in_the_address_is_sent_when_there_is_no_key(server):
    ask(endpoint(server, key=None, base_url=server.url.replace("//", "//user:word@")))
    assert server.headers[0]["authorization"].startswith("Basic ")


def test_a_seed_is_sent_only_when_asked_for(server):
    ask(endpoint(server, sampling=Sampling(send_seed=True)))
    assert server.bodies[0]["seed"] == 5


@pytest.mark.parametrize(
    ("arguments", "raw"),
    [(None, ""), ("", ""), ({"b": 1, "a": 2}, '{"a":2,"b":1}'), ("{", "{"), ([1], "[1]")],
)
def test_argument_text_is_kept_whatever_a_server_sends(server, arguments, raw):
    server.answers = [Answer(completion(None, [called("f", arguments)]))]
    assert ask(endpoint(server)).calls[0].arguments == raw


@pytest.mark.parametrize("call", [{}, {"function": {}}, {"function": None}, None, 3])
def test_a_call_without_name_is_still_a_call_of_the_model(server, call):
    server.answers = [Answer(completion(None, [call]))]
    assert ask(endpoint(server)).calls[0].name == ""


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503])
def test_a_passing_trouble_is_tried_again(server, status):
    server.answers = [Answer({"error": "busy"}, status), Answer(completion("late"))]
    assert ask(endpoint(server)).text == "late"
    assert len(server.bodies) == 2


def test_the_server_is_obeyed_when_it_asks_to_wait(server):
    server.answers = [Answer({}, 429, {"Retry-After": "1.2"}), Answer(completion())]
    started = time.monotonic()
    ask(endpoint(server))
    assert time.monotonic() - started >= 1.2


def test_no_wait_goes_beyond_the_retry_budget(server):
    server.answers = [Answer({}, 429, {"Retry-After": "3600"})]
    started = time.monotonic()
    error = fault(endpoint(server))
    assert time.monotonic() - started < 2
    assert (error.kind, len(server.bodies)) == ("unavailable", 1)
    assert "3600 s" in str(error)


def test_a_lasting_trouble_ends_after_the_allowed_tries(server):
    server.answers = [Answer({"error": {"message": "overloaded"}}, 503)]
    limits = Limits(max_retries=1, timeout_s=2, retry_budget_s=10)
    error = fault(endpoint(server, limits=limits))
    assert (error.kind, len(server.bodies)) == ("unavailable", 2)
    assert "after 2 tries: status 503: overloaded" in str(error)


@pytest.mark.parametrize(("status", "hint"), [(400, ""), (401, "api_key_env"), (404, "base_url")])
def test_a_refusal_is_final_and_says_what_the_server_said(server, status, hint):
    server.answers = [Answer({"error": {"message": "not like this"}}, status)]
    error = fault(endpoint(server))
    assert (error.kind, len(server.bodies)) == ("refused", 1)
    assert f"{status}: not like this" in str(error)
    assert hint in error.hint


def test_an_empty_account_is_not_waited_for(server):
    body = {"error": {"code": "insufficient_quota", "message": "pay"}}
    server.answers = [Answer(body, 429)]
    assert fault(endpoint(server)).kind == "refused"
    assert len(server.bodies) == 1


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens.",
        "the request exceeds the available context size",
        "prompt is too long: 300000 tokens",
    ],
)
def test_a_conversation_that_is_too_long_has_an_error_of_its_own(server, message):
    server.answers = [Answer({"error": {"message": message}}, 400)]
    assert isinstance(fault(endpoint(server)), ContextOverflow)


@pytest.mark.parametrize(
    "text",
    [f"bad key {KEY}", "bad key sk-proj-other1234567890abcd", "Authorization: Bearer abc123def456"],
)
def test_no_key_is_repeated_in_an_error(server, text):
    server.answers = [Answer({"error": {"message": text + " x" * 10_000}}, 401)]
    error = fault(endpoint(server))
    shown = f"{error} {error!r} {vars(error)} {error.__cause__} {error.__context__!r}"
    assert not any(secret in str(error) for secret in (KEY, "other1234567890abcd", "abc123def456"))
    assert KEY not in shown.replace(text, "")
    assert len(str(error)) < 600


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"choices": []},
        {"choices": None},
        {"choices": [None]},
        {"choices": [{"message": None}]},
        {"choices": [{"message": "text"}]},
        {"error": {"message": "went wrong"}},
        [],
        None,
        3,
        "",
        "<html>Bad gateway</html>",
        '{"choices": [',
        "[" * 100_000,
    ],
    ids=range(14),
)
def test_a_response_that_is_no_completion_is_a_typed_fault(server, body):
    server.answers = [Answer(body)]
    assert fault(endpoint(server, limits=Limits(max_retries=0))).kind == "malformed"


def test_a_model_that_says_nothing_is_not_the_endpoints_fault(server):
    server.answers = [Answer(completion(None))]
    reply = ask(endpoint(server))
    assert (reply.text, reply.calls) == ("", ())


def test_a_response_without_end_is_cut_off(server):
    def pour(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.end_headers()
        handler.close_connection = True
        for _ in range(2000):
            handler.wfile.write(b" " * 10_000)

    server.answers = [Answer(act=pour)]
    limits = Limits(max_retries=0, max_reply_bytes=100_000)
    error = fault(endpoint(server, limits=limits))
    assert error.kind == "malformed"
    assert "100000 bytes" in str(error)


def hang(handler: BaseHTTPRequestHandler) -> None:
    time.sleep(0.6)
    handler.close_connection = True


def drip(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    for _ in range(20):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.1)
    handler.close_connection = True


def drop(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def cut(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


@pytest.mark.parametrize("act", [hang, drip, drop, cut])
def test_a_lost_or_endless_answer_is_tried_again_and_then_a_fault(server, act):
    limits = Limits(timeout_s=0.4, max_retries=1, retry_budget_s=5)
    server.answers = [Answer(act=act)]
    started = time.monotonic()
    assert fault(endpoint(server, limits=limits)).kind == "unavailable"
    assert time.monotonic() - started < 3
    assert len(server.bodies) == 2


@pytest.mark.parametrize("act", [hang, drip, drop, cut])
def test_one_lost_answer_does_not_matter(server, act):
    limits = Limits(timeout_s=0.4, max_retries=2, retry_budget_s=5)
    server.answers = [Answer(act=act), Answer(completion("there"))]
    assert ask(endpoint(server, limits=limits)).text == "there"


def test_a_dead_endpoint_is_a_fault():
    settings = EndpointSettings(
        base_url="http://user:pa55word@127.0.0.1:9/v1?key=hidden123",
        model="m",
        limits=Limits(max_retries=1, retry_budget_s=2),
    )
    error = fault(Endpoint(settings, SecretStr(KEY)))
    assert error.kind == "unavailable"
    assert "http://127.0.0.1:9/v1 is not usable after 2 tries" in str(error)
    assert "pa55word" not in str(error)
    assert "hidden123" not in str(error)


def test_no_more_requests_are_in_flight_than_allowed(server):
    def wait(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(0.05)
        Server.send(handler, Answer(completion()))

    server.answers = [Answer(act=wait)]
    place = endpoint(server, limits=Limits(concurrency=3))

    async def main():
        async with place:
            talks = [ChatConversation(place, seed=n) for n in range(12)]
            return await asyncio.gather(*(talk.reply(HELLO, ()) for talk in talks))

    assert len(asyncio.run(main())) == 12
    assert server.most == 3


def test_lone_surrogates_and_long_prompts_reach_the_server(server):
    messages = [{"role": "user", "content": "a\udcb2" + "x" * 900_000}]
    ask(endpoint(server), messages)
    assert server.bodies[-1]["messages"][0]["content"].startswith("a\ufffdxx")
    assert len(server.bodies[-1]["messages"][0]["content"]) == 900_002


def test_a_broken_call_of_an_earlier_turn_goes_back_as_an_object(server):
    calls = [called("f", raw) for raw in ("", '{"a":', '{"a": 1}')]
    calls[0]["function"]["name"] = "no such/name"
    messages = [*HELLO, {"role": "assistant", "content": "", "tool_calls": calls}]
    ask(endpoint(server), messages)
    sent = [call["function"] for call in server.bodies[0]["messages"][1]["tool_calls"]]
    assert sent[0] == {"name": "no_such_name", "arguments": "{}"}
    assert json.loads(sent[1]["arguments"]) == {"malformed_arguments": '{"a":'}
    assert sent[2]["arguments"] == '{"a": 1}'


def test_an_endpoint_can_be_used_again_in_another_event_loop(server):
    place = endpoint(server)
    assert [ask(place).text, ask(place).text] == ["hi", "hi"]


def test_the_fingerprint_names_what_changes_results_and_no_secret(server):
    def mark(**settings: Any) -> str:
        return ChatModel("openai:x", endpoint(server, **settings)).fingerprint

    plain = mark()
    assert plain == mark(key="another", limits=Limits(), price=Price(prompt=1))
    assert plain == mark(base_url=server.url.replace("//", "//user:secret@") + "/?key=1")
    others = [
        mark(model="n"),
        mark(mode="text"),
        mark(sampling=Sampling(temperature=0)),
        mark(base_url="http://elsewhere/v1"),
    ]
    assert len({plain, *others}) == 5


def test_temperature_zero_counts_as_deterministic(server):
    zero = ChatModel("a", endpoint(server, sampling=Sampling(temperature=0)))
    assert (zero.is_deterministic, ChatModel("b", endpoint(server)).is_deterministic) == (
        True,
        False,
    )


def test_jitter_depends_on_the_seed_alone():
    from tasks.agent.retry import backoff_s

    first = [backoff_s(n, random.Random(1)) for n in range(12)]
    assert first == [backoff_s(n, random.Random(1)) for n in range(12)]
    assert all(0.25 <= wait <= 30 for wait in first)


def test_an_episode_runs_over_the_wire(server, bench):
    server.answers = [
        Answer(completion("one", [called("add", '{"n": 3}')])),
        Answer(completion(None, [called("hand_in", None)])),
    ]
    episode = bench.one(ChatModel("openai:m", endpoint(server)))
    assert episode.trajectory.outcome == "success"
    assert episode.trajectory.model == "openai:m"
    roles = [message["role"] for message in server.bodies[1]["messages"]]
    assert roles == ["system", "user", "assistant", "tool"]


def test_a_dead_endpoint_fails_no_episode(server, bench):
    server.answers = [Answer({"error": "gone"}, 503)]
    limits = Limits(max_retries=0)
    model = ChatModel("openai:m", endpoint(server, limits=limits))
    episodes = bench.run(model, *(EpisodeSpec(bench.task, seed) for seed in range(5)))
    assert {e.trajectory.fault for e in episodes} == {"model_unavailable"}
    assert {e.trajectory.outcome for e in episodes} == {"unknown"}
