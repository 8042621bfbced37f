"""The runtime: runs a harness around any agent loop; imports nothing of ours, knows no loop.

`Harness` is a folder of artifacts in four layers, `Session` is one episode under it, `Sandbox`
is where its rules run. The same files are the package `tackroom_runtime`.
"""

from .difference import diff
from .errors import HarnessError, SandboxError
from .harness import Harness
from .sandbox import Sandbox
from .session import Session
from .values import (
    Action,
    Artifact,
    ArtifactFault,
    Call,
    Conditioned,
    Decision,
    HistoryEntry,
    Intervention,
    Regulated,
)

load = Harness.load

__all__ = [
    "Action",
    "Artifact",
    "ArtifactFault",
    "Call",
    "Conditioned",
    "Decision",
    "Harness",
    "HarnessError",
    "HistoryEntry",
    "Intervention",
    "Regulated",
    "Sandbox",
    "SandboxError",
    "Session",
    "diff",
    "load",
]
