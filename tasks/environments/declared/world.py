"""One episode over a service: calls, what came back, and the verdict at its end."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.errors import EnvironmentFault
from schemas.ids import canonical_json, sha256_hex
from tasks.agent.protocols import ActResult, Call, JsonObject, ToolSpec, Verdict
from tasks.environments.declared.occupancy import Occupancy
from tasks.environments.declared.service import Desk, Service
from tasks.environments.declared.task_file import Posed
from tasks.environments.declared.verdict import Grader, Move, Played

_ENDED = "Done."


@dataclass(frozen=True)
class Ground:
    """What all worlds of an environment stand on.

    Attributes:
        look: place that is looked at for the verdict; a column `look` takes its place.
    """

    name: str
    service: Service
    grader: Grader
    finish: ToolSpec
    occupancy: Occupancy
    look: str = ""
    is_forkable: bool = False

    def place_of(self, row: Mapping[str, Any]) -> str:
        """Where the state of a task is looked at; empty for nowhere."""
        return str(row.get("look") or self.look)


def finish_tool(name: str) -> ToolSpec:
    """The tool that ends an episode."""
    said = "End the task. Give the answer where the task asks for one."
    answer = {"type": "string", "description": "The answer alone, without a sentence around it."}
    schema: JsonObject = {
        "type": "object",
        "properties": {"answer": answer},
        "additionalProperties": False,
    }
    return ToolSpec(name, said, schema)


class ServiceWorld:
    """Implements `World`; its state is what was called and what came back."""

    opening = ""

    def __init__(self, ground: Ground, posed: Posed, seed: int, episode: str) -> None:
        self._ground, self._posed, self._seed, self._episode = ground, posed, seed, episode
        self._moves: list[Move] = []
        self._place = ground.occupancy.enter()
        try:
            self._desk: Desk = self._begin()
        except BaseException:
            self._place.leave()
            raise

    def _begin(self) -> Desk:
        return self._ground.service.open(self._episode, self._posed.row, self._seed)

    @property
    def _end(self) -> Move | None:
        last = self._moves[-1] if self._moves else None
        return last if last and last.result.done else None

    def act(self, call: Call) -> ActResult:
        """Carry out a call; the tool that ends the episode is ours."""
        result = self._finish(call) if call.tool == self._ground.finish.name else None
        result = result or self._desk.call(call)
        self._moves.append(Move(call, result))
        return result

    def _finish(self, call: Call) -> ActResult:
        answer = call.arguments.get("answer")
        if call.arguments.keys() - {"answer"} or not isinstance(answer, str | int | float | None):
            said = f"{call.tool} takes one text, `answer`"
            return ActResult(said, is_error=True, error_kind="schema")
        return ActResult(_ENDED, done=True)

    def admissible(self) -> None:
        """A service lists no commands."""

    def snapshot(self) -> bytes:
        """Task, seed, calls, and a hash of what came back to each."""
        moves = [
            [move.call.tool, move.call.arguments, sha256_hex(move.result.observation)]
            for move in self._moves
        ]
        return canonical_json([self._posed.task.task_id, self._seed, moves]).encode()

    def restore(self, state: bytes) -> None:
        """Begin anew and carry the calls out again.

        Raises:
            EnvironmentFault: the world does not fork, or came to another state.
        """
        if not self._ground.is_forkable:
            what = f"environment `{self._ground.name}` cannot restore a state"
            raise EnvironmentFault(what, hint="set is_forkable = true if a reset leads to it")
        self._desk.close()
        self._desk, self._moves = self._begin(), []
        for tool, arguments, _ in json.loads(state)[2]:
            self.act(Call(tool, arguments))
        if self.snapshot() != state:
            what = f"environment `{self._ground.name}` gave other answers to the same calls"
            raise EnvironmentFault(what, hint="it is not deterministic: set is_forkable = false")

    def verdict(self) -> Verdict:
        """Judge the episode as it is now."""
        end, row = self._end, self._posed.row
        answer = end.call.arguments.get("answer") if end else None
        place = self._ground.place_of(row)
        return self._ground.grader.judge(
            Played(
                row=row,
                moves=tuple(self._moves),
                is_finished=end is not None,
                answer=None if answer is None else str(answer),
                state=lambda: self._desk.look(place, row) if place else None,
            )
        )

    def close(self) -> None:
        """Let the next episode have the service."""
        try:
            self._desk.close()
        finally:
            self._place.leave()
