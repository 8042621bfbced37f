"""The face over HTTP: clients have sessions of their own, and an upstream may be a URL."""

import asyncio

import httpx2
import pytest
from mcp import MCPError
from mcp.client.streamable_http import streamable_http_client

from tasks.mcp_face.wire import said

pytestmark = pytest.mark.slow
COUNT = '''def rule_count(action, context):
    """Says how many calls came before."""
    if action["arguments"].get("text") == "count":
        return {"kind": "block", "message": str(len(context["history"]))}
'''


def texts(result):
    return [block.text for block in result.content if block.type == "text"]


def test_two_clients_at_once_have_a_session_each(face, connect, serve_face, desk_url):
    faced = face(upstream=desk_url, **{"actions.py": COUNT})

    async def play(url):
        async with connect(url) as one, connect(url) as two:
            await asyncio.gather(
                *(one.call_tool("echo", {"text": f"{n}", "wait": 0.1}) for n in range(5)),
                *(two.call_tool("echo", {"text": f"{n}", "wait": 0.1}) for n in range(2)),
            )
            first = await one.call_tool("echo", {"text": "count"})
            second = await two.call_tool("echo", {"text": "count"})
            return texts(first)[0][:1], texts(second)[0][:1]

    with serve_face(faced) as url:
        assert asyncio.run(play(url)) == ("5", "2")
    assert [line["session"] for line in faced.lines("session")] == [1, 2]
    assert [line["calls"] for line in faced.lines("end")] in ([6, 3], [3, 6])


def test_calls_that_overlap_are_judged_and_finished_each_for_itself(
    face, connect, serve_face, desk_url
):
    faced = face(upstream=desk_url)
    words = {"hint me": 0.3, "quiet": 0.2, "secret": 0, "plain": 0.1}

    async def play(url):
        async with connect(url) as client:
            found = await asyncio.gather(
                *(client.call_tool("echo", {"text": w, "wait": s}) for w, s in words.items())
            )
            return [texts(one)[0] for one in found]

    with serve_face(faced) as url:
        hinted, loud, blocked, plain = asyncio.run(play(url))
    assert hinted == "hint me\n\nHint: Look again."
    assert loud == "LOUD\n\nHint: Look again."
    assert blocked.startswith("Not that word.")
    assert plain == "plain"


def test_huge_results_pass_over_http(face, serve_face, desk_url):
    from mcp import Client

    faced = face(upstream=desk_url)

    async def play(url):
        transport = streamable_http_client(url, max_sse_event_size=None)
        async with Client(transport) as client:
            return len(texts(await client.call_tool("huge", {"size": 8_000_000}))[0])

    with serve_face(faced) as url:
        assert asyncio.run(play(url)) == 8_000_000


def test_an_upstream_that_is_not_there_is_said_to_the_client(face, connect, serve_face):
    faced = face(upstream="http://127.0.0.1:9/mcp?key=hidden")

    async def play(url):
        async with connect(url):
            pass

    with serve_face(faced) as url, pytest.raises(BaseException) as caught:  # noqa: PT011
        asyncio.run(play(url))
    assert "upstream server http://127.0.0.1:9/mcp cannot be used" in said(caught.value)
    assert "hidden" not in said(caught.value)


def test_only_loopback_names_may_call_and_stateless_calls_are_refused(
    face, serve_face, desk_url, connect
):
    async def play(url):
        async with connect(url, mode="2026-07-28") as client:
            with pytest.raises(MCPError, match="handshake"):
                await client.call_tool("echo")
        async with httpx2.AsyncClient() as raw:
            headers = {"Host": "evil.example", "Content-Type": "application/json"}
            return (await raw.post(url, json={}, headers=headers)).status_code

    with serve_face(face(upstream=desk_url)) as url:
        assert asyncio.run(play(url)) == 421
