"""Changes of several children of one parent go together; rivals are dropped by name."""

import pytest

from tasks.harness import Harness
from tasks.harness.bundle import bundle, changes

RULE = 'def rule_x(action, context):\n    """Reason."""\n    return None\n'


@pytest.fixture
def parent():
    return Harness.from_files({"harness.yaml": "api: 1\nenvironment: desk\n"})


def test_a_child_is_described_by_the_artifacts_it_changes(parent):
    child = parent.put("contract", "Order", "First this.").put("actions", "rule_x", RULE)
    found = changes(parent, child)
    assert {(one.layer, one.name) for one in found} == {
        ("contract", "Order"),
        ("actions", "rule_x"),
    }
    (gone,) = changes(child, child.remove("contract", "Order"))
    assert gone.body is None
    assert changes(parent, parent) == ()


def test_children_of_different_layers_go_together(parent):
    one = parent.put("contract", "Order", "First this.")
    two = parent.put("actions", "rule_x", RULE)
    made = bundle(parent, [one, two])
    assert made.harness == parent.put("contract", "Order", "First this.").put(
        "actions", "rule_x", RULE
    )
    assert made.applied == (0, 1)
    assert made.dropped == ()


def test_the_later_of_two_that_change_one_artifact_is_dropped(parent):
    one = parent.put("contract", "Order", "First this.")
    two = parent.put("contract", "Order", "First that.")
    made = bundle(parent, [one, two])
    assert made.harness == one
    assert [drop.position for drop in made.dropped] == [1]
    assert "Order" in made.dropped[0].why


def test_removals_and_an_empty_bundle(parent):
    full = parent.put("contract", "Order", "First this.")
    assert bundle(full, [full.remove("contract", "Order")]).harness == parent
    assert bundle(full, []).harness == full
