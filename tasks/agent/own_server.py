"""The loopback server that agents of other people talk to: a model, tools, and their task.

Each episode has an address of its own, `/e/WORD`, with `/v1` (an OpenAI-compatible endpoint with
the harness in it), `/task` and `/call`. The word is random, so no other program finds it.
"""

import asyncio
import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

from aiohttp import web

from schemas.errors import CapReached, ContextOverflow, EnvironmentFault, ModelFault, TackroomError
from tasks.agent.arguments import clean_value
from tasks.agent.own_stage import OwnStage
from tasks.agent.protocols import Call, Conversation, ModelReply
from tasks.harness import Harness
from tasks.proxy.arms import Policy
from tasks.proxy.chat_form import ChatForm
from tasks.proxy.forms import Form
from tasks.proxy.responses_form import ResponsesForm
from tasks.proxy.server import MOST_REQUEST_BYTES, send
from tasks.proxy.service import Exchanged, Response, Service
from tasks.proxy.translation import as_chat, as_response
from tasks.proxy.upstream import Answered

CHAT, RESPONSES = ChatForm(), ResponsesForm()
FORMS: dict[str, Form] = {f"v1{form.path}": form for form in (CHAT, RESPONSES)}
OVER = "The task is over."
SPENT = "The budget of model calls is spent."


@dataclass
class OwnEpisode:
    """One episode while its agent runs.

    Attributes:
        kept: requests as the proxy kept them.
        asked: how often the model was asked.
        fault: what broke that is not the agent's.
    """

    stage: OwnStage
    conversation: Conversation
    kept: list[Exchanged] = field(default_factory=list[Exchanged])
    asked: int = 0
    is_spent: bool = False
    is_overflown: bool = False
    is_constrained: bool = False
    fault: TackroomError | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def ask(self, path: str, body: dict[str, Any], headers: Mapping[str, str]) -> Answered:
        """Ask the model, as the upstream of a proxy."""
        del headers
        is_response = path == RESPONSES.path
        messages: list[dict[str, Any]] = body.get("messages") or []
        tools: list[dict[str, Any]] = body.get("tools") or []
        if is_response:
            messages, tools = as_chat(body)
        if self.asked >= self.stage.budget:
            self.is_spent = True
            return refused(429, "budget_spent", SPENT)
        self.asked += 1
        try:
            reply = await self.conversation.reply(messages, tools)
        except ContextOverflow as error:
            self.is_overflown = True
            return refused(400, "context_length_exceeded", str(error))
        except (ModelFault, CapReached) as error:
            self.fault = error
            return refused(502, "model", str(error))
        self.is_constrained = self.is_constrained or reply.is_constrained
        value = _completion(reply, self.asked, str(body.get("model", "")))
        if is_response:
            said = CHAT.read_reply(value)
            value = as_response(body, said, value["usage"], str(self.asked))
        return Answered(200, json.dumps(value).encode(), {}, value)

    async def act(self, value: object) -> dict[str, Any]:
        """Execute a call for the agent."""
        body = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        arguments: Any = body.get("arguments")
        if isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                arguments = None
        try:
            cleaned: object = clean_value(arguments)
        except ValueError:
            cleaned = None
        if not isinstance(cleaned, dict):
            what = "The call was not executed: its arguments are no JSON object."
            return {"content": what, "is_error": True, "done": False}
        call = Call(str(body.get("name", "")), cast("dict[str, Any]", cleaned))
        async with self._lock:
            try:
                result = await self.stage.act(call)
            except (CapReached, EnvironmentFault) as error:
                self.fault = error
                return {"content": str(error), "is_error": True, "done": True}
        return {"content": result.observation, "is_error": result.is_error, "done": result.done}


def refused(status: int, code: str, what: str) -> Answered:
    """An error in the words of an endpoint."""
    error = {"message": what, "type": "invalid_request_error", "code": code, "param": None}
    body = json.dumps({"error": error}).encode()
    return Answered(status, body, {"Content-Type": "application/json"})


def _completion(reply: ModelReply, number: int, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for place, call in enumerate(reply.calls)
        ]
    sent, written = reply.prompt_tokens or 0, reply.completion_tokens or 0
    usage = {"prompt_tokens": sent, "completion_tokens": written, "total_tokens": sent + written}
    reason = reply.finish_reason or ("tool_calls" if reply.calls else "stop")
    choice = {"index": 0, "message": message, "finish_reason": reason, "logprobs": None}
    return {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [choice],
        "usage": usage,
    }


class OwnServer:
    """Serves all episodes of one process; entered before the first, left after the last."""

    def __init__(self) -> None:
        self._runner: web.AppRunner | None = None
        self._episodes: dict[str, tuple[OwnEpisode, Service]] = {}
        self._base = ""

    async def start(self) -> None:
        """Listen on a free loopback port."""
        app = web.Application(client_max_size=MOST_REQUEST_BYTES)
        app.router.add_route("*", "/e/{word}/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self._base = f"http://127.0.0.1:{self._runner.addresses[0][1]}/e/"

    async def stop(self) -> None:
        """Close the port."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    def open(self, episode: OwnEpisode) -> str:
        """Address of an episode, to be closed when its agent has ended."""
        word = secrets.token_urlsafe(16)
        stage = episode.stage
        policy = Policy("enforce", 1.0, stage.harness)
        service = Service(
            upstream=episode,
            policy=lambda: policy,
            sandbox=stage.sandbox,
            record=episode.kept.append,
            now=lambda: datetime.now(UTC),
            empty=Harness.from_files({"harness.yaml": "api: 1\nenvironment: none\n"}),
            budget=stage.budget,
            most_asks=stage.budget + 1,
            steers_all=True,
            facts=stage,
        )
        self._episodes[word] = (episode, service)
        return self._base + word

    def close(self, address: str) -> None:
        """Forget an episode."""
        self._episodes.pop(address.removeprefix(self._base), None)

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        found = self._episodes.get(request.match_info["word"])
        if found is None:
            return _plain(refused(404, "episode", "there is no such episode, or it has ended"))
        episode, service = found
        raw = await request.read()
        match request.method, request.match_info["path"]:
            case "GET", "task":
                return web.json_response(_task(episode.stage))
            case "POST", "call":
                return web.json_response(await episode.act(_parsed(raw)))
            case "GET", "v1/models":
                model = {"id": "model", "object": "model", "created": 0, "owned_by": "tackroom"}
                return web.json_response({"object": "list", "data": [model]})
            case "POST", path if path in FORMS:
                answer = await self._answer(episode, service, FORMS[path], request)
                if answer is not None:
                    return await send(request, answer)
            case _:
                pass
        return _plain(refused(400, "request", "this is no request that an episode answers"))

    async def _answer(
        self, episode: OwnEpisode, service: Service, form: Form, request: web.Request
    ) -> Response | None:
        raw = await request.read()
        if not episode.stage.is_done:
            return await service.answer(form, raw, request.headers)
        body = _parsed(raw)
        own = form.own_reply({}, form.said_by_us(OVER, ()))
        if isinstance(body, dict) and cast("dict[str, Any]", body).get("stream"):
            return Response(200, {"Content-Type": "text/event-stream"}, events=form.events(own, {}))
        return Response(200, {"Content-Type": "application/json"}, json.dumps(own).encode())


def _task(stage: OwnStage) -> dict[str, Any]:
    return {
        "task": stage.task_text,
        "system": stage.context.environment.system_prompt,
        "tools": stage.tools,
        "budget": stage.budget,
    }


def _parsed(raw: bytes) -> object:
    try:
        return json.loads(raw)
    except (ValueError, RecursionError):
        return None


def _plain(answered: Answered) -> web.Response:
    return web.Response(status=answered.status, body=answered.body, content_type="application/json")
