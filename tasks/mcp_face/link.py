"""One client, its upstream and the harness session between them."""

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp import MCPError

from tasks.agent.mcp_upstream import Upstream
from tasks.harness.skills import Skill
from tasks.mcp_face.gate import Gate, Ruling
from tasks.mcp_face.offering import (
    as_chat_tool,
    as_mcp_prompt,
    as_prompt_answer,
    instructions,
    shown_names,
    shown_tools,
    skill_prompts,
    text_of,
    with_text,
)
from tasks.mcp_face.wire import Context, Json, Wire, said

TASK_KEY = "tackroom/task"
"""Key in the `_meta` of a call: the text of the task that it and later calls work on."""
_CANNOT_PASS = ("tasks", "extensions", "experimental")
"""Capabilities of an upstream that rest on requests which are not passed on here."""


class Link:
    """What is between one client and its upstream."""

    def __init__(self, upstream: Upstream, gate: Gate, ctx: Context) -> None:
        """Nothing is started before `wire` runs; `ctx` is the client's `initialize`."""
        self.gate = gate
        self.harness = gate.terms.harness
        self.wire = Wire(
            upstream,
            ctx.session,
            on_tools_changed=self._forget_tools,
            on_fault=lambda what: gate.log.note("fault", kind="upstream", message=what),
        )
        self._real: dict[str, str] = {}
        self._knows_tools = False

    def introduce(self, answer: Mapping[str, Any]) -> Json:
        """The answer to `initialize`: what the upstream says of itself, then the contract."""
        found = self.wire.session.initialize_result
        if found is None:
            return dict(answer)
        raw = found.model_dump(by_alias=True, mode="json", exclude_none=True)
        able = {k: v for k, v in raw["capabilities"].items() if k not in _CANNOT_PASS}
        told = raw.get("instructions")
        if not self.gate.is_shadow:
            told = instructions(self.harness, told)
            if skill_prompts(self.harness, ()):
                able.setdefault("prompts", {})
            if self.harness.offers_skills:
                able.setdefault("tools", {})
        shown = {**answer, "capabilities": able, "serverInfo": raw["serverInfo"]}
        return shown | ({"instructions": told} if told else {})

    async def forward(self, ctx: Context) -> Json:
        """Pass a request on and give the upstream's answer."""
        return await self.wire.send(ctx, ctx.method, dict(ctx.params or {}))

    async def list_tools(self, ctx: Context) -> Json:
        """All tools on one page, with the hints of the contract."""
        first, tools = await self.wire.walk(ctx, "tools") if self.wire.can("tools") else ({}, [])
        return {**first, "tools": self._learn(tools)}

    async def call_tool(self, ctx: Context) -> Json:
        """Run a call through the gate and, unless it is answered there, the upstream."""
        params = dict(ctx.params or {})
        meta = dict(params.get("_meta") or {})
        task = meta.pop(TASK_KEY, None)
        await self._learn_once(ctx)
        ruling = await self.gate.before(
            params["name"],
            dict(params.get("arguments") or {}),
            task=task if isinstance(task, str) else None,
        )
        if ruling.call is None:
            content = [{"type": "text", "text": ruling.message}]
            return {"content": content, "isError": ruling.is_error}
        try:
            sent = {**self._as_sent(params, ruling), "_meta": meta}
            result = await self.wire.send(ctx, "tools/call", sent)
        except MCPError as error:
            await self.gate.after(ruling, error.message, is_error=True, can_hint=False)
            raise
        is_error = result.get("isError") is True
        hint = await self.gate.after(ruling, text_of(result), is_error=is_error)
        return with_text(result, hint)

    async def list_prompts(self, ctx: Context) -> Json:
        """All prompts of the upstream, then the skills of the harness."""
        first, prompts = await self._upstream_prompts(ctx)
        mine = [as_mcp_prompt(name, one) for name, one in self._skills(prompts).items()]
        return {**first, "prompts": [*prompts, *mine]}

    async def get_prompt(self, ctx: Context) -> Json:
        """A skill, or a prompt of the upstream."""
        wanted = str((ctx.params or {}).get("name"))
        _, prompts = await self._upstream_prompts(ctx)
        skill = self._skills(prompts).get(wanted)
        if skill is None:
            return await self.forward(ctx)
        self.gate.log_prompt(skill)
        return as_prompt_answer(skill)

    async def tell_roots_changed(self) -> None:
        """Tell the upstream that the client's roots have changed."""
        await self.wire.session.send_notification(types.RootsListChangedNotification())

    async def _upstream_prompts(self, ctx: Context) -> tuple[Json, list[Json]]:
        return await self.wire.walk(ctx, "prompts") if self.wire.can("prompts") else ({}, [])

    def _skills(self, prompts: list[Json]) -> dict[str, Skill]:
        names = [str(one["name"]) for one in prompts]
        return {} if self.gate.is_shadow else skill_prompts(self.harness, names)

    def _as_sent(self, params: Json, ruling: Ruling) -> Json:
        """The call as the upstream is to get it; untouched where no rule has touched it."""
        call = ruling.call
        if call is None:
            return params
        sent = {**params, "name": self._real.get(call.tool, call.tool)}
        if call.arguments != (params.get("arguments") or {}):
            sent["arguments"] = call.arguments
        return sent

    def _forget_tools(self) -> None:
        self._knows_tools = False

    async def _learn_once(self, ctx: Context) -> None:
        if self._knows_tools or not self.wire.can("tools"):
            return
        try:
            self._learn((await self.wire.walk(ctx, "tools"))[1])
        except MCPError as error:
            self.gate.log.note("fault", kind="tools", message=said(error))

    def _learn(self, tools: list[Json]) -> list[Json]:
        """Tell the gate of the tools; gives them as the client is to see them."""
        self._knows_tools = True
        if self.gate.is_shadow:
            self.gate.learn_tools([as_chat_tool(tool) for tool in tools])
            return tools
        real = [str(tool["name"]) for tool in tools]
        names = shown_names(self.harness, real)
        for shown, name in zip(names, real, strict=True):
            if shown != name and shown not in self._real:
                self.gate.log.note("renamed", tool=name, shown=shown)
        self._real = dict(zip(names, real, strict=True))
        visible = [{**tool, "name": name} for name, tool in zip(names, tools, strict=True)]
        self.gate.learn_tools([as_chat_tool(tool) for tool in visible])
        return shown_tools(self.harness, visible)
