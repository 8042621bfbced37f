"""The formats that can be read, in the order in which files are tried: special ones first."""

from schemas.errors import ConfigError
from tasks.importers.agentbench import AgentBenchReader
from tasks.importers.atif import AtifReader
from tasks.importers.claude_code import ClaudeCodeReader
from tasks.importers.codex import CodexReader
from tasks.importers.container import Outline
from tasks.importers.draft import Reader
from tasks.importers.few_shot import FewShotReader
from tasks.importers.gemini_cli import GeminiCliReader
from tasks.importers.harbor_traces import HarborTracesReader
from tasks.importers.inspect_log import InspectReader
from tasks.importers.langfuse import LangfuseReader
from tasks.importers.langsmith import LangSmithReader
from tasks.importers.mini_swe_agent import MiniSweAgentReader
from tasks.importers.openai_chat import OpenAIChatReader
from tasks.importers.openhands import OpenHandsReader
from tasks.importers.otel import OtelReader
from tasks.importers.swe_agent import SweAgentReader
from tasks.importers.tau2_bench import Tau2Reader
from tasks.importers.tau_bench import TauBenchReader
from tasks.importers.verifiers_rows import VerifiersReader

READERS: tuple[Reader, ...] = (
    TauBenchReader(),
    Tau2Reader(),
    FewShotReader(),
    AgentBenchReader(),
    InspectReader(),
    AtifReader(),
    MiniSweAgentReader(),
    SweAgentReader(),
    HarborTracesReader(),
    VerifiersReader(),
    ClaudeCodeReader(),
    CodexReader(),
    GeminiCliReader(),
    OpenHandsReader(),
    LangfuseReader(),
    LangSmithReader(),
    OtelReader(),
    OpenAIChatReader(),
)
SPREADS = frozenset(member for reader in READERS for member in reader.spreads)
FORMATS = tuple(reader.name for reader in READERS)


def choose_reader(outline: Outline, source_format: str = "") -> Reader | None:
    """The reader of a named format, else the first that recognises the content."""
    if source_format:
        return next((reader for reader in READERS if reader.name == source_format), None)
    return next((reader for reader in READERS if reader.recognises(outline)), None)


def check_format(name: str) -> None:
    """Refuse the name of a format that there is not; empty stands for any.

    Raises:
        ConfigError: no format is called so.
    """
    if name and name not in FORMATS:
        what = f"no format is called {name[:40]!r}"
        raise ConfigError(what, hint=f"one of {', '.join(FORMATS)}")


def known_formats() -> str:
    """What can be read, for error messages."""
    return "; ".join(reader.describes for reader in READERS)
