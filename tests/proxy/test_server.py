"""The proxy over HTTP, as clients and upstreams meet it."""

import asyncio
import json
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import openai
import pytest
from aiohttp import web

from tasks.harness import Harness
from tasks.proxy.arms import Policy
from tasks.proxy.server import Address, listen, open_client
from tasks.proxy.service import Service
from tasks.proxy.upstream import HttpUpstream

CALL = [("execute_sql", json.dumps({"sql": "SELECT 1"}))]
DROP = [("execute_sql", json.dumps({"sql": "DROP TABLE t"}))]
BLOCK = """def rule_no_drop(action, context):
    if "DROP" in action["arguments"].get("sql", ""):
        return {"kind": "block", "message": "Never drop."}
"""
NOW = datetime(2030, 1, 1, tzinfo=UTC)
ASK: Any = [{"role": "user", "content": "How many rows?"}]


@pytest.fixture
def serve(sandbox, make, chat_reply):
    """The proxy before an upstream made of one handler; gives a client and what was asked."""

    @asynccontextmanager
    async def start(handler, *, token="", timeout_s=5.0, actions=BLOCK):
        asked = []

        async def handle(request):
            asked.append((request.path, dict(request.headers), await request.read()))
            return await handler(request, len(asked) - 1)

        app = web.Application()
        app.router.add_route("*", "/{path:.*}", handle)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        upstream = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        try:
            async with open_client() as client:
                service = Service(
                    upstream=HttpUpstream(upstream, client, timeout_s),
                    policy=lambda: Policy("enforce", 1.0, make(actions=actions)),
                    sandbox=sandbox,
                    record=lambda kept: None,
                    now=lambda: NOW,
                    empty=Harness.from_files({"harness.yaml": "api: 1\nenvironment: sqldesk\n"}),
                )
                address = Address("127.0.0.1", 0, upstream, timeout_s, token)
                async with listen(service, client, address) as url:
                    yield url, asked
        finally:
            await runner.cleanup()

    return start


@pytest.fixture
def connect(serve):
    """The client library with the proxy as its base URL, and what the upstream was asked."""

    @asynccontextmanager
    async def start(handler, **options):
        async with serve(handler, **options) as (url, asked):
            client: Any = openai.AsyncOpenAI(api_key="sk-test", base_url=url, max_retries=0)
            async with client:
                yield client, asked

    return start


def says(chat_reply, *turns):
    async def handler(request, number):
        return web.json_response(chat_reply(turns[number], number))

    return handler


def test_a_stream_is_told_to_the_client_library_as_one(run, connect, chat_reply, tools):
    async def main():
        async with connect(says(chat_reply, DROP, CALL)) as (client, asked):
            stream = await client.chat.completions.create(
                model="m",
                messages=ASK,
                tools=tools,
                stream=True,
                stream_options={"include_usage": True},
            )
            chunks = [chunk async for chunk in stream]
            return chunks, asked

    chunks, asked = run(main())
    parts = [call for c in chunks for choice in c.choices for call in choice.delta.tool_calls or []]
    assert [part.function.arguments for part in parts] == [CALL[0][1]]
    assert chunks[-2].choices[0].finish_reason == "tool_calls"
    assert chunks[-1].usage.total_tokens == 36
    assert all("stream" not in json.loads(body) for _, _, body in asked)
    assert asked[0][1]["Authorization"] == "Bearer sk-test"


def test_responses_stream_to_the_client_library_as_events(run, connect, tools):
    output = [
        {"type": "reasoning", "id": "r", "summary": []},
        {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "Seven.", "annotations": []}],
        },
        {
            "type": "function_call",
            "id": "f",
            "call_id": "c",
            "name": "execute_sql",
            "arguments": CALL[0][1],
            "status": "completed",
        },
    ]
    payload = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "m",
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }

    async def handler(request, number):
        return web.json_response(payload)

    async def main():
        flat = [{"type": "function", "strict": False, **tool["function"]} for tool in tools]
        async with (
            connect(handler) as (client, _),
            client.responses.stream(model="m", input="Hi", tools=flat) as stream,
        ):
            kinds = [event.type async for event in stream]
            return kinds, await stream.get_final_response()

    kinds, final = run(main())
    assert kinds[0] == "response.created"
    assert "response.function_call_arguments.done" in kinds
    assert kinds[-1] == "response.completed"
    assert final.output_text == "Seven."
    assert final.output[-1].arguments == CALL[0][1]


@pytest.mark.parametrize("status", [400, 401, 429, 500, 503])
def test_an_error_of_the_upstream_reaches_the_client_as_it_is(run, connect, tools, status):
    body = {"error": {"message": "slow down", "type": "rate", "code": "x"}}

    async def handler(request, number):
        return web.json_response(body, status=status, headers={"Retry-After": "3"})

    async def main():
        async with connect(handler) as (client, _):
            with pytest.raises(openai.APIStatusError) as caught:
                await client.chat.completions.create(model="m", messages=ASK, tools=tools)
            return caught.value

    error = run(main())
    assert error.status_code == status
    assert error.response.headers["Retry-After"] == "3"
    assert error.body == body["error"]


async def _dies(request, number):
    request.transport.abort()
    return web.Response()


async def _hangs(request, number):
    await asyncio.sleep(60)
    return web.Response()


async def _cuts(request, number):
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"choices": [')
    request.transport.abort()
    return response


@pytest.mark.parametrize(
    ("handler", "status"),
    [(_dies, 502), (_cuts, 502), (_hangs, 504)],
    ids=["dies", "cuts", "hangs"],
)
def test_an_upstream_that_breaks_off_is_an_error_of_the_upstream(
    run, connect, tools, handler, status
):
    async def main():
        async with connect(handler, timeout_s=0.5) as (client, _):
            with pytest.raises(openai.APIStatusError) as caught:
                await client.chat.completions.create(model="m", messages=ASK, tools=tools)
            return caught.value

    error = run(main())
    assert (error.status_code, error.type) == (status, "upstream_error")


@pytest.mark.parametrize("garbage", [b"<html>", b"\xff\xfe", b"[]", b'{"choices": []}', b""])
def test_garbage_reaches_the_client_as_it_came(run, serve, tools, garbage):
    async def handler(request, number):
        return web.Response(body=garbage, content_type="text/html")

    async def main():
        async with serve(handler) as (url, _), open_client() as client:
            body = {"model": "m", "messages": ASK, "tools": tools}
            async with client.post(f"{url}/chat/completions", json=body) as got:
                return got.status, got.content_type, await got.read()

    assert run(main()) == (200, "text/html", garbage)


@pytest.mark.parametrize("garbage", [b"<html>", b'{"choices": []}', b'{"error": {"code": 402}}'])
def test_a_client_that_waits_for_a_stream_is_told_of_garbage_there(run, connect, tools, garbage):
    async def handler(request, number):
        return web.Response(body=garbage, content_type="application/json")

    async def main():
        async with connect(handler) as (client, _):
            stream = await client.chat.completions.create(
                model="m", messages=ASK, tools=tools, stream=True
            )
            return [chunk async for chunk in stream]

    with pytest.raises(openai.APIError):
        run(main())


def test_other_paths_and_requests_pass_with_their_streams(run, serve):
    async def handler(request, number):
        response = web.StreamResponse(status=206, headers={"X-Own": "1"})
        await response.prepare(request)
        for part in (b"data: a\n\n", b"data: b\n\n"):
            await response.write(part)
        return response

    async def main():
        async with serve(handler) as (url, asked), open_client() as client:
            async with client.get(f"{url}/models?limit=2") as got:
                first = got.status, got.headers["X-Own"], await got.read()
            body = {"model": "m", "messages": ASK, "stream": True}
            async with client.post(f"{url}/chat/completions", json=body) as got:
                await got.read()
            return first, asked

    first, asked = run(main())
    assert first == (206, "1", b"data: a\n\ndata: b\n\n")
    assert [path for path, _, _ in asked] == ["/v1/models", "/v1/chat/completions"]
    assert json.loads(asked[1][2])["stream"] is True


def test_a_token_is_wanted_in_the_header_or_in_the_path(run, serve, chat_reply, tools):
    async def main():
        turns = says(chat_reply, CALL, CALL)
        async with serve(turns, token="word") as (url, asked), open_client() as client:
            body = {"model": "m", "messages": ASK, "tools": tools}
            found = []
            for where, headers in (
                (url, {}),
                (url, {"X-Tackroom-Token": "wrong"}),
                (url, {"X-Tackroom-Token": "word"}),
                (url.replace("/v1", "/word/v1"), {}),
            ):
                target = f"{where}/chat/completions"
                async with client.post(target, json=body, headers=headers) as got:
                    found.append(got.status)
            return found, asked

    found, asked = run(main())
    assert found == [401, 401, 200, 200]
    assert not any("Tackroom" in name for _, headers, _ in asked for name in headers)


def test_a_rule_that_never_ends_costs_its_own_time_and_no_call(run, connect, chat_reply, tools):
    forever = "def rule_a(action, context):\n    while True:\n        pass\n"

    async def main():
        async with connect(says(chat_reply, *[CALL] * 6), actions=forever) as (client, _):

            async def one():
                said = await client.chat.completions.create(model="m", messages=ASK, tools=tools)
                return said.choices[0].message.tool_calls[0].function.arguments

            return await asyncio.gather(*(one() for _ in range(6)))

    assert run(main()) == [CALL[0][1]] * 6
