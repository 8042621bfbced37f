"""The word that names an upstream server: a command to start, or a URL to reach."""

import shlex
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from schemas.errors import ConfigError


@dataclass(frozen=True)
class Upstream:
    """An upstream server: `command` is empty where there is a `url`.

    Attributes:
        environ: variables a command is started with.
        headers: headers sent to a URL; they may hold keys and are shown nowhere.
        timeout_s: longest wait for one answer; null waits as long as the client does.
        folder: where a command is started; null for the current folder.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    environ: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    timeout_s: float | None = None
    folder: str | None = None

    @property
    def shown(self) -> str:
        """What may be told of it: no arguments, no user and no query, which may hold keys."""
        if self.command:
            return self.command[0]
        parts = urlsplit(self.url)
        port = f":{parts.port}" if parts.port else ""
        return f"{parts.scheme}://{parts.hostname}{port}{parts.path}"


def read_upstream(
    word: str,
    *,
    environ: Mapping[str, str],
    headers: Mapping[str, str],
    timeout_s: float | None = None,
) -> Upstream:
    """Read the word of the command line.

    Raises:
        ConfigError: another scheme than http and https, or no such program.
    """
    first = word.strip().split(" ", 1)[0]
    if "://" in first:
        return Upstream(url=_checked(word.strip()), headers=headers, timeout_s=timeout_s)
    if headers:
        what = "a command takes no headers"
        raise ConfigError(what, hint="leave out --header, or give a URL")
    try:
        words = tuple(shlex.split(word))
    except ValueError as error:
        what = f"the upstream command cannot be read: {error}"
        raise ConfigError(what, hint="quote it as a shell would need it") from None
    if not words or shutil.which(words[0], path=environ.get("PATH")) is None:
        what = f"there is no program {(words or ('',))[0][:80]!r} to start as the upstream server"
        raise ConfigError(what, hint="give a command, or a URL that starts with http")
    return Upstream(command=words, environ=environ, timeout_s=timeout_s)


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        what = f"the upstream {url.split('://', 1)[0][:20]}://… cannot be used"
        raise ConfigError(what, hint="a URL starts with http:// or https:// and names a host")
    return url
