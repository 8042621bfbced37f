"""Installing a small real model: what is there is used, and what is missing is one clear line."""

import sys
from pathlib import Path

import pytest

from deployments.local_model import ENGINE, ENGINE_VERSION, find_model, install
from schemas.errors import ConfigError, TackroomError

MODEL = find_model("smollm2")


def put_distribution(folder: Path, name: str, version: str) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")


def put_program(folder: Path, name: str, exit_code: int) -> None:
    program = folder / name
    program.write_text(f"#!/bin/sh\necho said by {name}\nexit {exit_code}\n")
    program.chmod(0o755)


@pytest.fixture
def extra(tmp_path, monkeypatch):
    """The packages of the extra, without what is in them."""
    site = tmp_path / "site"
    (site / MODEL.module).mkdir(parents=True)
    (site / MODEL.module / "model.gguf").write_bytes(b"GGUF")
    monkeypatch.syspath_prepend(str(site))
    put_distribution(site, MODEL.package, MODEL.version)
    return site


def test_the_extra_is_used_where_it_is_installed(extra, tmp_path):
    put_distribution(extra, ENGINE, ENGINE_VERSION)
    found = install(MODEL, tmp_path / "home")
    assert found.python == Path(sys.executable)
    assert found.weights == extra / MODEL.module / "model.gguf"
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize(("only", "missing"), [("cc", "C++"), ("c++", "C")])
def test_without_a_compiler_nothing_is_installed(tmp_path, monkeypatch, only, missing):
    put_program(tmp_path, only, 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(ConfigError, match=f"there is no {missing.replace('+', '[+]')} compiler"):
        install(MODEL, tmp_path / "home")
    assert not (tmp_path / "home" / "local-llm" / "venv").exists()


def test_other_versions_of_the_extra_are_not_taken_for_it(extra, tmp_path, monkeypatch):
    put_distribution(extra, ENGINE, "0.1.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="compiler"):
        install(MODEL, tmp_path / "home")


def test_a_step_that_fails_is_named_with_its_last_words(tmp_path, monkeypatch):
    for name in ("cc", "c++"):
        put_program(tmp_path, name, 0)
    put_program(tmp_path, "python", 3)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(TackroomError) as caught:
        install(MODEL, tmp_path / "home")
    said = str(caught.value)
    assert "virtual environment failed with exit code 3: said by python" in said
    assert str(tmp_path / "home" / "local-llm" / "install.log") in said
