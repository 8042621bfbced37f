"""Brings a service back to where every episode begins."""

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from schemas.errors import EnvironmentFault
from schemas.text import clean_text
from tasks.agent.command_process import split_command
from tasks.environments.declared.form import Reset

SAID = 300
POST_S = 30.0
Post = Callable[[str, Mapping[str, Any]], None]


@dataclass(frozen=True)
class Resetting:
    """What `[reset]` says, and the folder its command runs in."""

    reset: Reset
    folder: Path

    def begin(self, task: Mapping[str, Any], seed: int, post: Post) -> None:
        """Reset for an episode; nothing where there is no reset or the server is a new one.

        Raises:
            EnvironmentFault: it failed or took too long.
        """
        if self.reset.url:
            post(self.reset.url, {"task_id": task["task_id"], "seed": seed})
        elif self.reset.command:
            self._run(str(task["task_id"]), seed)

    def _run(self, task_id: str, seed: int) -> None:
        words = split_command(
            self.reset.command,
            "reset.command",
            example='write command = "./reset.sh"',
            keys="let the command read the key from a variable",
        )
        variables = {"TACKROOM_TASK_ID": task_id, "TACKROOM_SEED": str(seed)}
        try:
            ran = subprocess.run(
                words,
                cwd=self.folder,
                env={**os.environ, **variables},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=self.reset.timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            what = f"the reset command took longer than {self.reset.timeout_s:g} s"
            raise EnvironmentFault(what, hint="raise reset.timeout_s, or mend it") from None
        except OSError as error:
            what = f"the reset command cannot be started: {error.strerror}: {words[0][:80]}"
            raise EnvironmentFault(what, hint="mend reset.command") from None
        if ran.returncode:
            last = ran.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
            said = clean_text(last[0])[:SAID] if last else "it said nothing"
            what = f"the reset command ended with {ran.returncode}: {said}"
            raise EnvironmentFault(what, hint="mend reset.command")


def post(url: str, body: Mapping[str, Any]) -> None:
    """Reset a service that no connection of ours leads to.

    Raises:
        EnvironmentFault: it is not there, or refuses.
    """
    try:
        httpx2.post(url, json=dict(body), timeout=POST_S).raise_for_status()
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        what = f"the reset failed: {clean_text(' '.join(str(error).split()))[:SAID]}"
        raise EnvironmentFault(what, hint="mend reset.url, or the service") from None
