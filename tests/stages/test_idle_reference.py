"""A cycle in a user's own world says at its start which of its models cannot act."""

import pytest

from schemas.errors import ConfigError
from schemas.forms import CycleForm
from tasks.cycle import plan_cycle

YARD = """
from tasks.agent.protocols import ActResult, Task, ToolSpec, Verdict

class World:
    opening = ""
    def act(self, call): return ActResult("done", done=True)
    def admissible(self): return None
    def snapshot(self): return b"{}"
    def restore(self, state): pass
    def verdict(self): return Verdict("success", 1.0)

class Yard:
    name, fingerprint, system_prompt, step_budget = "yard", "1", "Work.", 3
    tools = (ToolSpec("finish", "Finish.", {"type": "object", "properties": {}}),)
    terminal_tools, non_progress = frozenset({"finish"}), ()
    def tasks(self, split):
        return tuple(Task(f"yard/any/{split}{n}", "yard", "any", split, "Go.") for n in range(3))
    def start(self, task, seed): return World()

def create(): return Yard()
"""


@pytest.fixture
def form(tmp_path, monkeypatch):
    (tmp_path / "yard_world.py").write_text(YARD)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    return lambda **words: CycleForm(environment="yard_world:create", **words)


def test_a_reference_that_cannot_act_is_told_in_one_line(form):
    note = plan_cycle(form(model="noop")).note
    assert "simulated:strong cannot act in `yard`" in note
    assert "benefit rate" in note
    assert "\n" not in note


def test_a_model_that_cannot_act_is_no_cycle(form):
    with pytest.raises(ConfigError, match="simulated:weak cannot act in `yard`"):
        plan_cycle(form(model="simulated:weak"))


def test_nothing_is_said_where_both_can_act(form):
    assert plan_cycle(CycleForm(environment="sqldesk")).note == ""
