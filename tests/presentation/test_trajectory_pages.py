"""A transcript says what happened, in order, and why it failed, and trusts nothing it shows."""

import re
import time
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from schemas.ids import make_id
from tasks.presentation.page import render_page
from tasks.presentation.step import ON_PAGE, ON_TERMINAL
from tasks.presentation.terminal import render_terminal
from tasks.presentation.trajectory import TrajectoryFacts, show_trajectory

HOSTILE = (
    '<script>alert(1)</script><img src=x onerror="x()">\x1b[2J\x1b]0;t\x07\ud800\x00\u202e&amp;'
)


def as_text(found, *, color=False):
    return render_terminal(show_trajectory(found, ON_TERMINAL), color=color)


def as_page(found):
    return render_page(show_trajectory(found, ON_PAGE))


class Tags(HTMLParser):
    """Collects the tags and attributes of a page."""

    def __init__(self):
        super().__init__()
        self.names, self.attributes = set(), []

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        self.attributes += attrs


def intervene(build, episode, step, **values):
    row = build.intervention.model_validate(
        {
            "trajectory_id": episode.trajectory_id,
            "step_index": step,
            "ordinal": values.pop("ordinal", 0),
            "artifact_id": make_id("art", values["artifact"]),
            **values,
        }
    )
    return replace(episode, interventions=(*episode.interventions, row))


def test_the_label_and_its_evidence_stand_at_their_step(build):
    episode = build.episode(texts=("first", "second", "third"))
    text = as_text(TrajectoryFacts(episode, labels=(build.label(episode),)))
    steps = re.split(r"\nStep ", text)[1:]
    assert "◆ label EC3 by rules, rule answer_shape" in steps[1]
    assert "value: a sentence" in steps[1]
    assert "◇ seen by rule answer_shape" in steps[0]
    assert "answer_shape" not in steps[2]


def test_a_label_without_a_step_is_told_at_the_top(build):
    episode = build.episode()
    text = as_text(TrajectoryFacts(episode, labels=(build.label(episode, step_index=None),)))
    assert "no step" in text
    assert text.index("EC3") < text.index("Step 0")


def test_a_rewrite_shows_what_was_asked_what_changed_and_what_ran(build):
    episode = build.episode(texts=("a b",))
    call = episode.calls[0].model_copy(
        update={"executed_arguments": '{"query":"SELECT \\"a b\\""}'}
    )
    episode = replace(episode, calls=(call,))
    episode = intervene(
        build,
        episode,
        0,
        layer="actions",
        artifact="rule_quote",
        kind="rewrite",
        before="B",
        after="A",
    )
    text = as_text(TrajectoryFacts(episode))
    order = ["call execute_sql", "actions: rewrite by rule_quote", "before: B", "after: A"]
    order += ["executed execute_sql", "result: result 0"]
    places = [text.index(part) for part in order]
    assert places == sorted(places)


def test_an_unchanged_call_is_not_shown_twice(build):
    assert "executed" not in as_text(TrajectoryFacts(build.episode()))


def test_a_suppressed_intervention_is_dim_and_says_so(build):
    episode = intervene(
        build,
        build.episode(),
        0,
        layer="regulation",
        artifact="rule_late",
        kind="hint",
        after="never told",
        suppressed=True,
    )
    colored = as_text(TrajectoryFacts(episode), color=True)
    assert "\x1b[2mregulation: hint by rule_late (suppressed" in colored
    assert "(suppressed" in as_text(TrajectoryFacts(episode))


def test_a_call_that_did_not_run_says_so_and_what_the_agent_was_told(build):
    episode = build.episode()
    call = episode.calls[0].model_copy(
        update={
            "executed": False,
            "executed_tool": None,
            "executed_arguments": None,
            "result": None,
            "observation": "blocked, go on",
            "arguments_error": "not JSON",
        }
    )
    text = as_text(TrajectoryFacts(replace(episode, calls=(call,))))
    for part in ("not executed", "unusable: not JSON", "agent saw: blocked, go on"):
        assert part in text


def test_a_result_message_of_an_import_is_not_told_twice(build):
    episode = build.episode(texts=("ask",), origin="import")
    step = episode.steps[0].model_copy(
        update={"step_index": 1, "role": "tool", "text": "result 0", "observation": None}
    )
    call = episode.calls[0].model_copy(update={"result_step_index": 1})
    text = as_text(TrajectoryFacts(replace(episode, steps=(*episode.steps, step), calls=(call,))))
    assert text.count("result 0") == 1


def test_where_it_comes_from_and_is_used_is_told(build):
    episode = build.episode()
    source = build.source(
        trajectory_id=episode.trajectory_id,
        source_file="airline.json",
        source_index=3,
        raw_sha256="x",
        source_format="tau_bench",
    )
    use = build.use(
        cycle_id=build.cycle_id, trajectory_id=episode.trajectory_id, purpose="sealed:final"
    )
    text = as_text(TrajectoryFacts(replace(episode, sources=(source,)), uses=(use,), forks=2))
    for part in ("airline.json", "sealed:final", build.cycle_id, "forks of it"):
        assert part in text


def test_a_fault_is_told_apart_from_a_failure(build):
    episode = build.episode(outcome="unknown", termination="fault", fault="endpoint down")
    assert "fault of infrastructure, not of the agent: endpoint down" in as_text(
        TrajectoryFacts(episode)
    )


@pytest.mark.parametrize(("model", "labelled"), [("simulated:weak", True), ("gpt-4o", False)])
def test_numbers_of_a_simulated_model_are_called_so(build, model, labelled):
    found = TrajectoryFacts(build.episode(model=model))
    assert ("[simulated]" in as_text(found)) is labelled
    assert ('class="badge">simulated' in as_page(found)) is labelled


def hostile_facts(build):
    episode = build.episode(texts=(HOSTILE, HOSTILE), task_id=HOSTILE, fault=HOSTILE)
    call = episode.calls[0].model_copy(
        update={"tool": HOSTILE, "arguments_raw": HOSTILE, "result": HOSTILE, "error_kind": HOSTILE}
    )
    episode = replace(episode, calls=(call, episode.calls[1]))
    episode = intervene(
        build, episode, 0, layer="skills", artifact=HOSTILE, kind="inject", after=HOSTILE
    )
    label = build.label(episode, rule=HOSTILE, evidence=HOSTILE, signature=HOSTILE)
    return TrajectoryFacts(episode, labels=(label,))


def test_hostile_text_stays_text_in_a_page(build):
    page = as_page(hostile_facts(build))
    tags = Tags()
    tags.feed(page)
    assert not {"script", "img", "iframe", "link", "object", "a", "form"} & tags.names
    assert not [name for name, _ in tags.attributes if name.startswith("on") or name == "src"]
    assert "&lt;script&gt;" in page
    for hidden in ("\x1b", "\x00", "\u202e", "\ud800", "\x07"):
        assert hidden not in page
    page.encode("utf-8")


def test_a_page_forbids_every_request_and_script(build):
    page = as_page(TrajectoryFacts(build.episode()))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy
    assert "default-src &#39;none&#39;" in policy[1]
    assert "unsafe" not in policy[1]
    assert "http://" not in page
    assert "https://" not in page


def test_no_escape_of_foreign_text_reaches_a_terminal(build):
    text = as_text(hostile_facts(build))
    assert "\x1b" not in text
    assert "␛[2J" in text
    text.encode("utf-8")
    colored = as_text(hostile_facts(build), color=True)
    assert not re.sub(r"\x1b\[[0-9;]*m", "", colored).count("\x1b")


def test_an_observation_of_five_megabytes_is_cut_with_a_note(build):
    huge = "<b>\x1b[1m" * 700_000
    episode = build.episode()
    call = episode.calls[0].model_copy(update={"result": huge, "arguments_raw": huge})
    step = episode.steps[0].model_copy(update={"text": huge, "observation": huge})
    found = TrajectoryFacts(replace(episode, calls=(call,), steps=(step,)))
    started = time.perf_counter()
    text, page = as_text(found), as_page(found)
    assert time.perf_counter() - started < 5
    assert "characters left out" in text
    assert len(text) < 50_000
    assert len(page) < 1_500_000


def test_steps_beyond_the_limit_are_counted(build):
    episode = build.episode(texts=tuple(f"t{n}" for n in range(ON_TERMINAL.steps + 5)))
    assert "5 more steps are left out" in as_text(TrajectoryFacts(episode))
