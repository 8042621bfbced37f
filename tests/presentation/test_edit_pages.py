"""An edit shows what it changes, why, what the gate saw, and the pairs from where they part."""

from dataclasses import replace

import pytest

from tasks.presentation.edit import EditFacts, show_edit
from tasks.presentation.page import render_page
from tasks.presentation.pairs import PairFacts
from tasks.presentation.step import ON_PAGE, ON_TERMINAL
from tasks.presentation.terminal import render_terminal


def as_text(found):
    return render_terminal(show_edit(found, ON_TERMINAL), color=False)


@pytest.fixture
def tried(build):
    """An accepted edit with more won pairs than are shown, and one lost."""
    old = build.episode("old", texts=("same", "wrong"))
    new = build.episode("new", texts=("same", "right"), outcome="success", termination="finished")
    won = [PairFacts(build.pair(number, "win", old, new), old, new) for number in range(5)]
    lost = PairFacts(build.pair(9, "loss", new, old), new, old)
    return EditFacts(
        build.edit(),
        "simulated:weak",
        build.decision(),
        (build.replay(),),
        results={"win": 9, "loss": 1, "tie": 50},
        pairs=(lost, *won),
        bundle=("contract Answers", "actions rule_quote"),
    )


def test_reason_change_replay_and_verdict_are_told(tried):
    text = as_text(tried)
    for part in (
        "accepted, evidence: contract Answers",
        "answers are sentences",
        "+added",
        "8 of 80",
        "sqldesk/lookup/9",
        "9 won, 1 lost, 50 tied",
        "186.1, needed 120",
        "+13.3 points (+5.0 to +22.0, 95 %)",
        "the trial tried 2 edits together",
    ):
        assert part in text


def test_a_pair_starts_where_its_runs_part(tried):
    text = as_text(tried)
    won = text[text.index("won: ") :]
    assert "make 1 equal moves" in won
    assert "SELECT wrong" in won
    assert "SELECT right" in won
    assert "SELECT same" not in won


def test_lost_pairs_come_first_and_the_rest_is_counted(tried):
    text = as_text(tried)
    assert text.index("Lost pairs (1)") < text.index("Won pairs (9)")
    assert "6 more are not shown" in text


def test_a_page_puts_the_runs_side_by_side(tried):
    assert '<div class="sides">' in render_page(show_edit(tried, ON_PAGE))


def test_an_edit_that_waits_says_so(build):
    text = as_text(EditFacts(build.edit(), "gpt-4o"))
    assert "waits for its verdict" in text
    assert "The gate has not decided yet." in text
    assert "[simulated]" not in text


def test_an_edit_over_imports_has_no_pairs(build):
    decision = build.decision(
        stage="replay",
        verdict="undecided",
        reason="no_live_world",
        trial_id=None,
        slot=None,
        e_value=None,
        threshold=None,
        delta=None,
    )
    text = as_text(EditFacts(build.edit(), "imported", decision, (build.replay(),), results={}))
    assert "undecided, no_live_world" in text
    assert "pairs" not in text


def test_a_pair_without_a_stored_run_is_told(build):
    old = build.episode("old")
    pair = PairFacts(build.pair(1, "loss", old, old), old, None)
    text = as_text(
        EditFacts(build.edit(), "m", build.decision(), results={"loss": 1}, pairs=(pair,))
    )
    assert "One of the two runs is not stored." in text


@pytest.mark.parametrize(
    "manifest",
    [
        "{}",
        "[]",
        "null",
        '"text"',
        '{"root_cause": 7, "evidence": "x", "predicted_fixes": {}}',
        "{",
    ],
)
def test_a_manifest_of_any_shape_is_borne(build, manifest):
    assert "Why" in as_text(EditFacts(build.edit(manifest=manifest), "m"))


def test_hostile_names_and_diffs_stay_text(build):
    evil = "</pre><script>x</script>\x1b[31m\u202e"
    edit = build.edit(title=evil, artifact=evil, diff=f"+{evil}\n" * 3, editor=evil)
    found = EditFacts(edit, evil, build.decision(findings=f'["{evil[:20]}"]'))
    page = render_page(show_edit(found, ON_PAGE))
    assert "<script" not in page
    assert "\x1b" not in page + as_text(found)


def test_a_diff_of_five_megabytes_is_cut(build):
    edit = build.edit(diff="+line\n" * 900_000)
    assert len(render_page(show_edit(EditFacts(edit, "m"), ON_PAGE))) < 1_500_000


def test_a_bundle_of_one_is_not_called_a_bundle(tried):
    assert "together" not in as_text(replace(tried, bundle=("contract Answers",)))
