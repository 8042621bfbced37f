"""The runtime: runs a harness around any agent loop; imports nothing of ours, knows no loop.

`Harness` is a folder of artifacts in four layers, `Session` is one episode under it, `Sandbox`
is where its rules run; `SyncSession` and `SyncSandbox` are the same for code that does not await.
The same files are the package `tackroom_runtime`.
"""

from .agent_skills import AgentSkills, PassedOver, read_agent_skills, write_agent_skills
from .difference import diff, diff_files
from .errors import HarnessError, SandboxError
from .harness import Harness
from .probe import Finding, probe
from .replay import RecordedEpisode, RecordedStep, StepDecisions, replay_session
from .sandbox import Sandbox
from .session import Session
from .sync import SyncSession
from .sync_sandbox import SyncSandbox
from .values import (
    Action,
    Artifact,
    ArtifactFault,
    Call,
    Conditioned,
    Decision,
    HistoryEntry,
    Intervention,
    Pending,
    Regulated,
    SessionState,
    WrittenCall,
)

load = Harness.load

__all__ = [
    "Action",
    "AgentSkills",
    "Artifact",
    "ArtifactFault",
    "Call",
    "Conditioned",
    "Decision",
    "Finding",
    "Harness",
    "HarnessError",
    "HistoryEntry",
    "Intervention",
    "PassedOver",
    "Pending",
    "RecordedEpisode",
    "RecordedStep",
    "Regulated",
    "Sandbox",
    "SandboxError",
    "Session",
    "SessionState",
    "StepDecisions",
    "SyncSandbox",
    "SyncSession",
    "WrittenCall",
    "diff",
    "diff_files",
    "load",
    "probe",
    "read_agent_skills",
    "replay_session",
    "write_agent_skills",
]
