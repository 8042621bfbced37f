"""Five hundred episodes against an endpoint that spoils every fifth answer."""

import asyncio
import itertools
import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web

from schemas.settings import EndpointSettings, Limits
from tasks.agent.chat_model import ChatModel
from tasks.agent.endpoint import Endpoint
from tasks.agent.episode_spec import EpisodeSpec

EPISODES = 500
SHARE = 5
LIMITS = Limits(timeout_s=3, max_retries=5, retry_budget_s=60, concurrency=64)
SPOILT = (
    "busy",
    "broken",
    "slow",
    "cut",
    "torn",
    "empty",
    "page",
    "no_json",
    "cut_arguments",
    "glued_arguments",
)


@dataclass
class Chaos:
    """Spoils every fifth answer, one way after the other, and remembers what it asked for."""

    url: str = ""
    requests: int = 0
    spoilt: Counter[str] = field(default_factory=Counter)
    called: set[tuple[str, str]] = field(default_factory=set)
    _ways: Iterator[str] = field(default_factory=lambda: itertools.cycle(SPOILT))

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = json.loads(await request.read())
        self.requests += 1
        if self.requests % SHARE:
            return web.json_response(self.completion(body))
        way = next(self._ways)
        self.spoilt[way] += 1
        return await getattr(self, way)(request, body)

    def completion(self, body: dict[str, Any], arguments: str = "") -> dict[str, Any]:
        """Add the target of the task once, then hand in."""
        target = body["messages"][1]["content"].split()[2].rstrip(".")
        is_counted = any("stands at" in m["content"] for m in body["messages"][2:])
        name = "hand_in" if is_counted else "add"
        arguments = arguments or ("{}" if is_counted else json.dumps({"n": int(target)}))
        self.called.add((name, arguments))
        function = {"name": name, "arguments": arguments}
        call = {"id": f"c{self.requests}", "type": "function", "function": function}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {"choices": [{"message": message, "finish_reason": "tool_calls"}], "model": "m"}

    async def busy(self, _, body):
        return web.json_response({"error": "busy"}, status=429, headers={"Retry-After": "0.01"})

    async def broken(self, _, body):
        return web.json_response({"error": {"message": "broken"}}, status=500)

    async def slow(self, _, body):
        await asyncio.sleep(2 * LIMITS.timeout_s)
        return web.json_response(self.completion(body, '{"n": 77}'))

    async def cut(self, request, body):
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"choices": [')
        request.transport.close()
        return response

    async def torn(self, _, body):
        text = json.dumps(self.completion(body, '{"n": 78}'))
        return web.Response(text=text[: len(text) // 2], content_type="application/json")

    async def empty(self, _, body):
        return web.json_response({"choices": []})

    async def page(self, _, body):
        return web.Response(text="<html>Bad gateway</html>", content_type="text/html")

    async def no_json(self, _, body):
        return web.Response(text="upstream said no", content_type="text/plain")

    async def cut_arguments(self, _, body):
        return web.json_response(self.completion(body, '{"n": 7'))

    async def glued_arguments(self, _, body):
        return web.json_response(self.completion(body, '{"n": 1}{"n": 2}'))


@pytest.fixture
def chaos() -> Iterator[Chaos]:
    made, ready, loop = Chaos(), threading.Event(), asyncio.new_event_loop()

    async def serve() -> None:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", made.answer)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        made.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        ready.set()
        try:
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    task = loop.create_task(serve())

    def run() -> None:
        with pytest.raises(asyncio.CancelledError):
            loop.run_until_complete(task)
        loop.close()

    thread = threading.Thread(target=run)
    thread.start()
    assert ready.wait(10)
    yield made
    loop.call_soon_threadsafe(task.cancel)
    thread.join(10)


@pytest.mark.slow
def test_every_episode_ends_judged_or_with_a_typed_fault_and_nothing_is_invented(bench, chaos):
    settings = EndpointSettings(base_url=chaos.url, model="m", limits=LIMITS)
    endpoint = Endpoint(settings)
    tasks = bench.environment.tasks("train")
    specs = [EpisodeSpec(tasks[n % len(tasks)], seed=n) for n in range(EPISODES)]
    episodes = bench.run(ChatModel("openai:m", endpoint), *specs)
    assert len(episodes) == EPISODES
    assert set(chaos.spoilt) == set(SPOILT)
    assert sum(chaos.spoilt.values()) == chaos.requests // SHARE
    faults = Counter(one.trajectory.fault for one in episodes)
    assert set(faults) <= {None, "model_unavailable", "model_malformed"}
    judged = [one for one in episodes if one.trajectory.fault is None]
    assert {one.trajectory.outcome for one in judged} == {"success"}
    assert len(judged) > 0.97 * EPISODES
    for call in (call for one in episodes for call in one.calls):
        assert (call.tool, call.arguments_raw) in chaos.called
        if call.executed:
            assert json.loads(call.executed_arguments) == json.loads(call.arguments_raw)
        else:
            assert call.arguments_error
    assert not any(world.acts and _has_invented(world.acts) for world in bench.environment.worlds)
    account = endpoint.account
    assert chaos.requests <= account.requests + account.repetitions
    assert account.repetitions <= LIMITS.retry_share * account.requests


def _has_invented(acts) -> bool:
    """Whether a call ran that only a lost or torn answer held, or that nobody wrote."""
    return any(act.arguments.get("n") in (7, 77, 78) for act in acts)
