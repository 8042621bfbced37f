"""Decoys: twenty distinct edits over all layers, whatever the environment."""

import asyncio
import json

import pytest

from schemas.errors import ConfigError
from tasks.editor.registry import create_editor


@pytest.mark.parametrize("name", ["null", "harmful", "random"])
@pytest.mark.parametrize("has_tools", [True, False])
def test_twenty_distinct_edits_cover_all_layers(name, has_tools, make_brief, make_episode, turn):
    won = [
        make_episode(
            n,
            [turn("run_query", {"statement": "SELECT 1"}), turn("hand_in", {"values": ["1"]})],
            won=True,
            text="Find the price of part seven.",
        )
        for n in range(4)
    ]
    brief = make_brief(won) if has_tools else make_brief([], tools=())
    editor = create_editor(name)
    found = asyncio.run(editor.propose(brief))
    assert editor.is_decoy
    assert len({one.child.harness_id for one in found}) == 20
    assert {one.layer for one in found} == {"contract", "skills", "actions", "regulation"}
    assert all(one.pattern_id is None for one in found)


def test_null_skills_and_rules_never_come_to_bear(make_brief, make_episode):
    brief = make_brief([make_episode(1, [], won=True, text="Find the price of part seven.")])
    for proposal in asyncio.run(create_editor("null").propose(brief)):
        for skill in proposal.child.skills:
            assert not skill.trigger.holds("Find the price of part seven.")


def test_random_edits_follow_the_seed(make_brief):
    ids = [
        [one.child.harness_id for one in asyncio.run(create_editor("random").propose(brief))]
        for brief in (make_brief([], seed=1), make_brief([], seed=1), make_brief([], seed=2))
    ]
    assert ids[0] == ids[1]
    assert ids[0] != ids[2]


def test_a_decoy_is_never_revised(make_brief):
    editor = create_editor("harmful")
    first = asyncio.run(editor.propose(make_brief([])))[0]
    assert asyncio.run(editor.revise(first, ["too long"])) is None
    json.loads(first.manifest.to_json())


@pytest.mark.parametrize("word", ["rule", "openai:", "openai:gpt", "", "nil"])
def test_an_editor_that_cannot_be_made_is_one_clear_error(word):
    with pytest.raises(ConfigError) as caught:
        create_editor(word)
    assert "\n" not in str(caught.value)
