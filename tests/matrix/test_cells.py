"""Which cells a matrix has, and which of them are compared."""

from collections import Counter

import pytest

from tasks.harness import Harness
from tasks.matrix.cells import Arm, LayerPlan, World, plan_editors, plan_grid

RULE = 'def rule_x(action, context):\n    """Why."""\n    return None\n'


def harness(contract="", actions=""):
    return Harness.from_files(
        {
            "harness.yaml": "api: 1\nenvironment: desk\n",
            "contract.md": contract,
            "actions.py": actions,
            "regulation.py": "",
        }
    )


BASE = harness()
EVOLVED = harness("# Answers\n\nGive a list.\n", RULE)


def arm(word="m", loop="tool_call", splits=("select",)):
    return Arm(word, loop, word if loop == "tool_call" else f"{word} in {loop}", splits)


def kinds(matrix):
    return Counter(one.kind for one in matrix.contrasts)


def test_one_model_in_one_harness_is_one_cell_and_nothing_to_compare():
    matrix = plan_grid([World("desk", (BASE,))], [arm()], LayerPlan())
    assert (len(matrix.cells), matrix.contrasts) == (1, ())


def test_every_harness_is_compared_with_the_first_and_every_loop_with_the_first():
    arms = [arm("a"), arm("a", "react"), arm("b"), arm("b", "react")]
    worlds = [World("desk", (BASE, EVOLVED)), World("shop", (BASE, EVOLVED))]
    matrix = plan_grid(worlds, arms, LayerPlan())
    assert len(matrix.cells) == 2 * 4 * 2
    assert kinds(matrix) == {"harness": 8, "loop": 8}
    for one in matrix.contrasts:
        differs = {
            "harness": one.old.harness_id != one.new.harness_id,
            "loop": one.old.arm.loop != one.new.arm.loop,
        }
        assert [name for name, does in differs.items() if does] == [one.kind]
        assert one.old.arm.word == one.new.arm.word
        assert one.old.environment == one.new.environment


def test_models_are_scored_on_their_own_splits():
    arms = [arm("gold", splits=("train", "select", "sealed")), arm("m")]
    matrix = plan_grid([World("desk", (BASE,))], arms, LayerPlan())
    assert Counter(cell.arm.word for cell in matrix.cells) == {"gold": 3, "m": 1}


def test_leave_one_out_takes_out_layers_that_hold_something():
    layers = LayerPlan(leaves_out_all=True)
    matrix = plan_grid([World("desk", (EVOLVED,))], [arm()], layers)
    assert [one.subject for one in matrix.contrasts] == ["contract", "actions"]
    for one in matrix.contrasts:
        assert one.new.harness_id == EVOLVED.harness_id
        assert one.subject not in matrix.harnesses[one.old.harness_id].layers


def test_a_layer_that_is_asked_for_is_taken_out_even_when_it_is_empty():
    layers = LayerPlan(without=("skills",), leaves_out_all=True)
    matrix = plan_grid([World("desk", (EVOLVED,))], [arm()], layers)
    assert [one.subject for one in matrix.contrasts] == ["skills", "contract", "actions"]


def test_add_one_in_tries_each_layer_alone_against_none():
    matrix = plan_grid([World("desk", (EVOLVED,))], [arm()], LayerPlan(adds_each=True))
    alone = [one for one in matrix.contrasts if one.kind == "with_layer"]
    assert [matrix.harnesses[one.new.harness_id].layers for one in alone] == [
        (one.subject,) for one in alone
    ]
    assert {matrix.harnesses[one.old.harness_id].layers for one in matrix.contrasts} == {()}
    assert kinds(matrix) == {"with_layer": 2, "all_layers": 1}


@pytest.mark.parametrize("made", [EVOLVED, BASE])
def test_an_editor_that_got_nothing_accepted_is_told_as_such(made):
    evolved = {("rules", "a"): EVOLVED, ("null", "a"): made}
    matrix = plan_editors("desk", [arm("a")], BASE, evolved)
    assert [one.subject for one in matrix.contrasts] == ["rules", "null"]
    assert {one.old.harness_id for one in matrix.contrasts} == {BASE.harness_id}


def test_each_model_is_scored_in_what_was_made_for_it():
    other = harness("# Other\n\nText.\n")
    evolved = {("rules", "a"): EVOLVED, ("rules", "b"): other}
    matrix = plan_editors("desk", [arm("a"), arm("b")], BASE, evolved)
    found = {one.new.arm.word: one.new.harness_id for one in matrix.contrasts}
    assert found == {"a": EVOLVED.harness_id, "b": other.harness_id}
