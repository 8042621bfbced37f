"""Which harness a proxy uses: the one it was told, or whatever is released at the moment."""

import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from schemas.errors import ConfigError, TackroomError
from schemas.traffic import Mode
from tasks.harness import Harness, HarnessError
from tasks.proxy.arms import Policy, read_mode
from tasks.release_pointer import PointerWatch, ReleasePointer, harness_folder
from tasks.release_store import follow_pointer
from tasks.traffic import left_folder
from tasks.workbench import Workbench

logger = logging.getLogger(__name__)


class Asked(Protocol):
    """What of the options of a proxy says which harness it uses."""

    @property
    def harness(self) -> str:
        """Word for a harness; empty follows the releases."""
        ...

    @property
    def environment(self) -> str:
        """Environment whose names and releases are meant."""
        ...

    @property
    def control(self) -> str:
        """Word for the harness of the other arm; empty for none."""
        ...

    @property
    def mode(self) -> str:
        """`enforce`, `shadow` or `split:P`."""
        ...


def open_policy(bench: Workbench, asked: Asked) -> Callable[[], Policy]:
    """What gives the policy at each request.

    Raises:
        ConfigError: a harness or the mode is not known, or nothing has been released.
    """
    mode, share = read_mode(asked.mode)
    if asked.control and mode != "split":
        what = f"--control has no meaning in mode `{asked.mode}`"
        raise ConfigError(what, hint="use --mode split:P")
    home = bench.settings.home
    if not asked.harness:
        if not asked.environment:
            what = "neither --harness nor --environment says which harness is meant"
            raise ConfigError(what, hint="name a harness, or the environment whose release to use")
        followed = ReleasedPolicy(home, asked.environment, mode, share)
        followed()
        return followed
    control = bench.harness(asked.environment, asked.control) if asked.control else None
    policy = Policy(mode, share, bench.harness(asked.environment, asked.harness), control)
    for harness in (policy.treatment, policy.control):
        if harness is not None:
            _leave(home, harness)
    return lambda: policy


@dataclass
class ReleasedPolicy:
    """Follows promotions and rollbacks; a pointer that cannot be read leaves the last one in force.

    A split tries the canary against the release; the other modes use the release.
    """

    home: Path
    environment: str
    mode: Mode
    share: float
    _watch: PointerWatch = field(init=False)
    _pointer: ReleasePointer | None = field(default=None, init=False)
    _policy: Policy | None = field(default=None, init=False)
    _known: dict[str, Harness] = field(default_factory=dict[str, Harness], init=False)

    def __post_init__(self) -> None:
        """Watch the pointer file; what a killed command left is put right first."""
        self._watch = follow_pointer(self.home, self.environment)

    def __call__(self) -> Policy:
        """The policy of this moment.

        Raises:
            ConfigError: there has never been one that can be used.
        """
        try:
            pointer = self._watch.read()
            if self._policy is None or pointer != self._pointer:
                self._policy, self._pointer = self._made(pointer), pointer
        except (TackroomError, HarnessError) as error:
            if self._policy is None:
                raise
            logger.warning("releases cannot be followed: %s", error)
        return self._policy

    def _made(self, pointer: ReleasePointer) -> Policy:
        if pointer.released is None:
            what = f"nothing of `{self.environment}` has been released"
            raise ConfigError(what, hint="tackroom harness promote HARNESS --to released")
        released = self._harness(pointer.released)
        if self.mode != "split" or pointer.canary is None:
            mode: Mode = "enforce" if self.mode == "split" else self.mode
            return Policy(mode, 1.0, released)
        return Policy("split", self.share, self._harness(pointer.canary), released)

    def _harness(self, harness_id: str) -> Harness:
        if harness_id not in self._known:
            folder = harness_folder(self.home, harness_id)
            self._known[harness_id] = Harness.load(folder, harness_id=harness_id)
        return self._known[harness_id]


def _leave(home: Path, harness: Harness) -> None:
    """Write a harness where landing finds it, for the warehouse may not know it."""
    folder = left_folder(home, harness.harness_id)
    with suppress(OSError):
        folder.parent.mkdir(parents=True, exist_ok=True)
        if not folder.exists():
            harness.export(folder)
