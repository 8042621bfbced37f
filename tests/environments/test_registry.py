"""Environments by name."""

from importlib.metadata import EntryPoint

import pytest

from schemas.errors import ConfigError
from tasks.environments import registry
from tasks.environments.registry import environment_names, resolve_environment


def test_an_embedded_environment_is_found_without_being_installed():
    assert "sqldesk" in environment_names()
    assert resolve_environment("sqldesk").name == "sqldesk"


@pytest.mark.parametrize(
    ("word", "hint"),
    [("sqldsk", "did you mean `sqldesk`?"), ("", "known: "), ("x" * 1000, "known: ")],
)
def test_an_unknown_name_is_one_line_that_helps(word, hint):
    with pytest.raises(ConfigError) as caught:
        resolve_environment(word)
    assert hint in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "target", ["tasks.environments.registry:GROUP", "no.such.module:x", "json:dumps", "json:none"]
)
def test_an_entry_point_that_makes_no_environment_is_refused(target):
    with pytest.raises(ConfigError, match="`broken`"):
        registry.checked("broken", registry.create("broken", EntryPoint("broken", target, "g")))
