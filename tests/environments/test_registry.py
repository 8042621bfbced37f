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


def test_the_steps_of_an_embedded_world_can_be_set_and_make_it_another_one():
    whole, short = resolve_environment("household"), resolve_environment("household?steps=3")
    assert (short.name, short.step_budget) == ("household", 3)
    assert short.fingerprint != whole.fingerprint
    assert short.fingerprint == resolve_environment("household?steps=3").fingerprint
    assert short.tasks("sealed") == whole.tasks("sealed")


@pytest.mark.parametrize(
    "word",
    ["household?steps=", "household?steps=0", "household?steps=-1", "household?steps=9999999",
     "household?steps=²", "household?step=3", "household?", "nowhere?steps=3", "?steps=3"],
)  # fmt: skip
def test_steps_that_cannot_be_set_are_refused_in_one_line(word):
    with pytest.raises(ConfigError) as caught:
        resolve_environment(word)
    assert "steps" in str(caught.value)
