"""The MCP tools of an agent that drives an evolution from outside."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from schemas.errors import EditRejected, TackroomError
from schemas.gate import GateDecisionRow
from schemas.harness import EditRow
from schemas.plans import CyclePlan
from tasks.agent.protocols import JsonObject
from tasks.cycle import release
from tasks.editor.agent_tools import MAX_ANSWER, Answer
from tasks.editor.claims import MANIFEST_PROPERTIES, OPTIONAL_PROPERTIES
from tasks.editor.guide import system_text
from tasks.editor.tool_specs import check_arguments
from tasks.editor.workshop import LEAK
from tasks.harness_store import stored_harnesses
from tasks.outside_cycle import standing
from tasks.outside_editing import OutsideDesk, edits_of, open_outside_desk
from tasks.workbench import Workbench

_CYCLES = "SELECT cycle_id, environment, model, editor FROM own_cycles"
_TEXT: JsonObject = {"type": "string"}
_KINDS = ("environments", "harnesses", "cycles", "patterns", "edits")


def _schema(required: JsonObject, optional: JsonObject | None = None) -> JsonObject:
    return {
        "type": "object",
        "properties": required | (optional or {}),
        "required": list(required),
        "additionalProperties": False,
    }


_MANIFEST = _schema(MANIFEST_PROPERTIES, OPTIONAL_PROPERTIES)
_FILES: JsonObject = {
    "type": "object",
    "description": "whole texts of the files to change, by path; null removes one",
    "additionalProperties": {"type": ["string", "null"]},
    "minProperties": 1,
}
TOOLS: dict[str, tuple[str, JsonObject]] = {
    "list": (
        "List environments, harnesses, cycles, recurring failures (patterns) or edits.",
        _schema({"what": {"enum": list(_KINDS)}}),
    ),
    "sql": ("Ask one SQL SELECT (DuckDB) over the train tables.", _schema({"query": _TEXT})),
    "show": (
        "Show a train trajectory, an edit with its verdict, or files of the harness in force.",
        _schema({"id": _TEXT}, {"path": _TEXT}),
    ),
    "propose_edit": (
        "Propose an edit of the harness in force, in one layer; answers with what was found.",
        _schema({"files": _FILES, "manifest": _MANIFEST}),
    ),
    "gate_status": ("Edits with verdict, reason and won, lost and tied pairs.", _schema({})),
}


@dataclass
class Tools:
    """Answers the calls of one agent, one after the other."""

    outside: OutsideDesk
    lock: asyncio.Lock

    async def answer(self, name: str, arguments: JsonObject) -> tuple[str, bool]:
        """Carry out one call; gives its text and whether it was refused."""
        try:
            if name not in TOOLS:
                what = f"there is no tool {name[:60]!r}"
                raise EditRejected(what, hint=f"tools: {', '.join(TOOLS)}")
            given = check_arguments(name, TOOLS[name][1], arguments)
            async with self.lock:
                found = await self._act[name](given)
        except TackroomError as error:
            return f"refused: {error}", True
        text = found.text if len(found.text) <= MAX_ANSWER else f"{found.text[:MAX_ANSWER]}… [cut]"
        return text, found.refused is not None

    @property
    def _act(self) -> dict[str, Callable[[JsonObject], Awaitable[Answer]]]:
        return {
            "list": self._list,
            "sql": self._sql,
            "show": self._show,
            "propose_edit": self._propose,
            "gate_status": self._status,
        }

    async def _list(self, given: JsonObject) -> Answer:
        bench, plan = self.outside.work.bench, self.outside.work.plan
        match given["what"]:
            case "environments":
                return _told(list(bench.environment_names()))
            case "harnesses":
                kept = ("harness_id", "environment", "names", "layers", "delivery")
                rows = stored_harnesses()
                return _told([{name: row[name] for name in kept} for row in rows])
            case "cycles":
                with bench.warehouse.read() as reader:
                    return _told(reader.frame(_CYCLES).to_dicts())
            case "patterns":
                return _told([_pattern(row) for row in self.outside.work.brief.patterns])
            case _:
                return _told([_short(edit) for edit, _ in edits_of(bench, plan.cycle_id)])

    async def _sql(self, given: JsonObject) -> Answer:
        return await self.outside.use("query", {"sql": given["query"]})

    async def _show(self, given: JsonObject) -> Answer:
        wanted, work = given["id"], self.outside.work
        if wanted.startswith("edit_"):
            for edit, decision in edits_of(work.bench, work.plan.cycle_id):
                if edit.edit_id == wanted:
                    return _told(_short(edit) | _verdict(decision), edit.diff)
            what = f"there is no edit {wanted[:60]!r} in this cycle"
            raise EditRejected(what, hint="list edits")
        if wanted == work.brief.harness.harness_id:
            workspace = self.outside.desk.workspace
            if path := given.get("path"):
                return Answer(workspace.read(path))
            return _told(workspace.sizes())
        return await self.outside.use("read_run", {"trajectory_id": wanted})

    async def _propose(self, given: JsonObject) -> Answer:
        return await self.outside.propose(given["files"], given["manifest"])

    async def _status(self, given: JsonObject) -> Answer:
        del given
        work = self.outside.work
        now = standing(work.bench, work.plan)
        edits = [
            _short(edit) | _verdict(decision)
            for edit, decision in edits_of(work.bench, work.plan.cycle_id)
        ]
        waiting = sum(edit["verdict"] == "open" for edit in edits)
        head = {
            "cycle_id": work.plan.cycle_id,
            "round": now.round_number,
            "harness_id": now.harness_id,
            "slots_used": now.slots_used,
            "slots": work.plan.form.slots,
        }
        if waiting:
            head["next"] = f"a person runs `tackroom gate trial --cycle {work.plan.cycle_id}`"
        return _told(head | {"edits": edits})


def _pattern(row: Any) -> dict[str, Any]:
    kept = ("pattern_id", "category", "bullet", "signature", "family", "layer", "runs", "tasks")
    return {name: getattr(row, name) for name in kept}


def _short(edit: EditRow) -> dict[str, Any]:
    kept = {"edit_id", "round", "editor", "layer", "artifact", "title", "child_harness_id"}
    return edit.model_dump(include=kept)


def _verdict(decision: GateDecisionRow | None) -> dict[str, Any]:
    """What an editor may hear of a decision; of a trial only the counts, of a leak only that."""
    if decision is None:
        return {"verdict": "open", "reason": None}
    told = decision.model_dump(include={"verdict", "reason", "stage", "wins", "losses", "ties"})
    if decision.reason == "leak":
        return told | {"findings": [LEAK]}
    is_early = decision.stage in ("static", "replay")
    return told | ({"findings": json.loads(decision.findings)} if is_early else {})


def _told(value: object, *texts: str) -> Answer:
    rendered = json.dumps(value, ensure_ascii=False, default=str)
    return Answer("\n".join([rendered, *texts]))


async def serve_outside(bench: Workbench, plan: CyclePlan) -> None:
    """Serve one agent over stdio until it is gone."""
    from tasks.mcp_face.tools import make_tool, serve_tools

    async with open_outside_desk(bench, plan) as outside:
        tools = Tools(outside, asyncio.Lock())
        await serve_tools(
            [make_tool(name, described, schema) for name, (described, schema) in TOOLS.items()],
            tools.answer,
            instructions=_instructions(outside),
            version=release(),
        )


def _instructions(outside: OutsideDesk) -> str:
    work, workshop = outside.work, outside.desk.workshop
    tables = "\n".join(f"- {name}: {columns}" for name, columns in workshop.tables.items())
    parts = (
        f"Edit harness {work.brief.harness.harness_id} of environment {work.environment.name} so "
        "that train failures stop recurring. `list` the patterns and `show` the harness first.",
        f"Tables of `sql`:\n{tables}",
        system_text(workshop),
    )
    return "\n\n".join(parts)
