"""What the harness did in the traffic: one redacted JSON line each, before a call goes on."""

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TextIO

from schemas.redaction import Redactor
from tasks.harness import ArtifactFault, Intervention

logger = logging.getLogger(__name__)
Mode = Literal["enforce", "shadow"]
UNAVAILABLE = ("rescue", "force", "stop", "inject")
"""Kinds that cannot be carried out between a client and a server: there is no turn without a call
here, no call that the client did not make, no end of its episode and no task message to add to."""


@dataclass
class TrafficLog:
    """The lines of all clients of one server.

    A log that cannot be written is said once and changes no call.
    """

    stream: TextIO
    now: Callable[[], datetime]
    is_broken: bool = False

    def write(self, line: Mapping[str, Any]) -> None:
        """Write one line and hand it to the operating system."""
        text = json.dumps({"at": self.now().isoformat(), **line}, ensure_ascii=False, default=str)
        try:
            self.stream.write(text.encode("utf-8", "replace").decode() + "\n")
            self.stream.flush()
        except (OSError, ValueError) as error:
            if not self.is_broken:
                logger.warning("the log cannot be written: %s; calls go on without it", error)
            self.is_broken = True


@dataclass
class SessionLog:
    """The lines of one client."""

    log: TrafficLog
    session: int
    mode: Mode
    redactor: Redactor = field(default_factory=Redactor)

    def note(self, event: str, **facts: Any) -> None:
        """Write one event of this client."""
        told = self.redactor.value(facts)
        self.log.write({"session": self.session, "event": event, **told})

    def intervention(
        self, done: Intervention, *, call: int | None = None, tool: str = "", can_act: bool = True
    ) -> None:
        """Write what a rule or skill did, or would have done; `can_act` tells whether it could."""
        self.note(
            "intervention",
            call=call,
            tool=tool,
            layer=done.layer,
            artifact_id=done.artifact_id,
            artifact=done.artifact,
            kind=done.kind,
            status=self._status(done, can_act=can_act),
            before=done.before,
            after=done.after,
        )

    def fault(self, found: ArtifactFault, *, call: int | None = None) -> None:
        """Write that a rule failed."""
        self.note(
            "fault", call=call, artifact=found.artifact, kind=found.kind, message=found.message
        )

    def _status(self, done: Intervention, *, can_act: bool) -> str:
        if done.suppressed:
            return "suppressed"
        if done.kind in UNAVAILABLE or not can_act:
            return "unavailable"
        return "shadow" if self.mode == "shadow" else "done"
