"""An agent program of the user around a model: it brings the loop, we bring model and world.

The program is started once a task with the address of a loopback server in its environment. What
it does not do itself it cannot break: the harness stands in the endpoint, the world behind `/call`,
and the verdict is taken when the program has ended. A program that breaks off or hangs after it
has asked the model is judged as it left the world; one that never asked is a fault.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import AgentFault, ConfigError
from schemas.ids import make_id
from schemas.text import clean_text
from tasks.agent.command_process import Ran, run_command, split_command
from tasks.agent.own_rows import keep_episode
from tasks.agent.own_stage import OwnStage, Played
from tasks.agent.protocols import Conversation, EpisodeContext, ManagedModel, Model
from tasks.agent.run_limits import usd_per_token, within_caps
from tasks.harness import SandboxError

if TYPE_CHECKING:
    from tasks.agent.own_server import OwnEpisode, OwnServer

PREFIX = "command:"
URL = "TACKROOM_AGENT_URL"
MAX_CHARS = 300


@dataclass
class OwnAgent:
    """A model with the user's program around it.

    Attributes:
        words: the program and its arguments; `{task}` and `{url}` in them are filled in.
        environ: variables the program gets; those of the endpoint are put in.
        folder: where the program is started.
        timeout_s: seconds an episode may take.
        together: programs that run at the same time at most.
    """

    inner: Model
    words: tuple[str, ...]
    environ: Mapping[str, str]
    folder: Path
    timeout_s: float = 600.0
    together: int = 8
    is_forkable: bool = False
    _users: int = field(default=0, init=False)
    _server: "OwnServer | None" = field(default=None, init=False)
    _slots: asyncio.Semaphore | None = field(default=None, init=False)

    @property
    def name(self) -> str:
        """The model and the program in the words of the command line."""
        return f"{self.inner.name} in {PREFIX}{' '.join(self.words)}"[:200]

    @property
    def fingerprint(self) -> str:
        """Hash of the model, the words, and every file that is named by them."""
        files = [_content(self.folder / word) for word in self.words]
        return make_id("model", [self.inner.fingerprint, list(self.words), files])

    @property
    def is_simulated(self) -> bool:
        """Whether the model is."""
        return self.inner.is_simulated

    @property
    def is_deterministic(self) -> bool:
        """Whether the model is; nobody knows of the program."""
        return self.inner.is_deterministic

    @property
    def usd_per_token(self) -> float | None:
        """As of the model."""
        return usd_per_token(self.inner)

    def open(self, context: EpisodeContext) -> Conversation:
        """The model without the program."""
        return self.inner.open(context)

    async def __aenter__(self) -> "OwnAgent":
        from tasks.agent.own_server import OwnServer

        self._users += 1
        if self._users == 1:
            if isinstance(self.inner, ManagedModel):
                await self.inner.__aenter__()
            self._slots = asyncio.Semaphore(self.together)
            self._server = OwnServer()
            await self._server.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._users -= 1
        if self._users == 0 and self._server is not None:
            server, self._server = self._server, None
            await server.stop()
            if isinstance(self.inner, ManagedModel):
                await self.inner.__aexit__(*exc)

    async def play(self, stage: OwnStage) -> Played:
        """Run the program for one episode.

        Raises:
            ConfigError: the program cannot be started.
            AgentFault: it ended without having asked the model.
            TackroomError: model or world broke.
        """
        from tasks.agent.own_server import OwnEpisode

        if self._server is None or self._slots is None:
            async with self:
                return await self.play(stage)
        conversation = within_caps(self.inner.open(stage.context), self.inner)
        episode = OwnEpisode(stage, conversation)
        async with self._slots:
            address = self._server.open(episode)
            try:
                ran = await self._run(address, stage.task_text)
            finally:
                self._server.close(address)
        keep_episode(stage, episode.kept)
        if episode.is_constrained:
            stage.log.constrain_all()
        return self._ending(episode, ran)

    async def _run(self, address: str, task: str) -> Ran:
        values = {"{task}": task, "{url}": address}
        words = [values.get(word, word) for word in self.words]
        ours = {
            URL: address,
            "OPENAI_BASE_URL": f"{address}/v1",
            "OPENAI_API_KEY": "episode",
            "NO_PROXY": "127.0.0.1",
        }
        return await run_command(words, self.folder, {**self.environ, **ours}, self.timeout_s)

    def _ending(self, episode: "OwnEpisode", ran: Ran) -> Played:
        _raise_faults(episode, ran)
        if episode.stage.is_done:
            return Played(episode.stage.driver.ended_as)
        if any(kept.account.is_stopped for kept in episode.kept):
            return Played("rule_stop")
        if episode.is_overflown:
            return Played("context_overflow")
        if episode.is_spent:
            return Played("budget")
        if ran.is_late:
            return Played("timeout", f"the program was ended after {self.timeout_s:g} s")
        if ran.exit_code:
            return Played("agent_error", f"exit code {ran.exit_code}: {_last_words(ran)}")
        return Played("finished")


def _raise_faults(episode: "OwnEpisode", ran: Ran) -> None:
    """Raise what broke that says nothing about the agent."""
    if ran.problem:
        what = f"--agent: {ran.problem}"
        raise ConfigError(what, hint="name a program that can be started")
    if episode.fault is not None:
        raise episode.fault
    trouble = [text for kept in episode.kept for text in kept.account.trouble]
    if trouble:
        raise SandboxError(trouble[0])
    if episode.asked == 0:
        end = "was ended for its time" if ran.is_late else f"exit code {ran.exit_code}"
        what = f"the agent program never asked the model ({end}): {_last_words(ran)}"
        raise AgentFault(what, hint="run it by hand with OPENAI_BASE_URL set")


def _last_words(ran: Ran) -> str:
    return clean_text(ran.stderr.strip()[-MAX_CHARS:])


def read_agent(
    text: str, inner: Model, *, environ: Mapping[str, str], folder: Path, timeout_s: float
) -> OwnAgent:
    """The agent that `command:TEMPLATE` names.

    Raises:
        ConfigError: it names none.
    """
    if not text.startswith(PREFIX):
        what = f"there is no agent `{text[:100]}`"
        raise ConfigError(what, hint=f"it looks like {PREFIX}python my_agent.py")
    words = split_command(
        text.removeprefix(PREFIX),
        "--agent",
        example=f"such as {PREFIX}python my_agent.py",
        keys="leave keys in variables; the program gets yours",
    )
    kept = {name: value for name, value in environ.items() if not name.startswith("TACKROOM_")}
    return OwnAgent(inner, words, kept, folder, timeout_s)


def _content(path: Path) -> str | None:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
    except (OSError, ValueError):
        return None
