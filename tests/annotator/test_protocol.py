"""The protocol itself: priority, decisive hits, versions, patterns, order, speed, hostile text."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from schemas.failures import FailureLabelRow
from tasks.annotator.engine import Annotation, annotate
from tasks.annotator.hits import BULLETS
from tasks.annotator.ordering import with_mined_order
from tasks.annotator.parameters import DEFAULT, NO_GOLD, PAPER, Parameters, taxonomy_version
from tasks.annotator.patterns import PatternRule, find_patterns, layer_of
from tasks.annotator.profile import profile_of_environment
from tasks.annotator.rules import RULES
from tasks.annotator.signatures import KINDS
from tasks.environments.sqldesk import create

PROSE = "```sql\nSELECT a FROM t\n```"


def label_of(annotation: Annotation) -> FailureLabelRow:
    assert annotation.label is not None
    return annotation.label


def test_rules_stand_in_the_order_of_priority():
    places = [BULLETS.index(rule.bullet) for rule in RULES]
    assert places == sorted(places)
    assert {rule.bullet for rule in RULES} == set(BULLETS)


def test_the_first_bullet_by_priority_wins_and_the_others_are_runner_ups(make, moves, sql_profile):
    ask = moves.call("run_sql", "[]", sql="SELECT a FROM t")
    prose = moves.call("hand_in", "ok", answers=["I think that the answer must be 3"])
    found = annotate(make([ask, prose, moves.say(PROSE)]), sql_profile)
    assert label_of(found).bullet == "AR1"
    assert [hit["bullet"] for hit in json.loads(label_of(found).runner_ups)] == ["EC3"]
    assert {hit.rule for hit in found.hits} == {"call_in_text", "answer_shape"}


def test_a_slip_that_was_repaired_in_time_does_not_decide(make, moves, sql_profile):
    ask = moves.call("run_sql", "[]", sql="SELECT a FROM t")
    end = moves.call("hand_in", "ok", answers=["7"])
    early = make([moves.say(PROSE), ask, end])
    assert label_of(annotate(early, sql_profile)).bullet == "RR"
    (slip,) = [h for h in annotate(early, sql_profile).hits if h.bullet == "AR1"]
    assert not slip.decisive
    assert label_of(annotate(early, sql_profile, PAPER)).bullet == "AR1"


def test_slips_that_eat_the_budget_decide_even_when_repaired(make, moves, sql_profile):
    ask = moves.call("run_sql", "[]", sql="SELECT a FROM t")
    end = moves.call("hand_in", "ok", answers=["7"])
    episode = make([moves.say(PROSE)] * 3 + [ask, end], budget=10)
    assert label_of(annotate(episode, sql_profile)).bullet == "AR1"


def test_a_loop_after_a_wrong_answer_does_not_count(make, moves, sql_profile):
    ask = moves.call("run_sql", "[]", sql="SELECT a FROM t")
    end = moves.call("hand_in", "ok", answers=["7"])
    looped = make([ask] * 5 + [end], termination="budget", budget=6)
    assert label_of(annotate(looped, sql_profile)).bullet == "RR"


def test_versions_tell_parameters_apart():
    versions = [taxonomy_version(p) for p in (DEFAULT, PAPER, NO_GOLD, Parameters(repeat_run=4))]
    assert versions[0] == "1.0"
    assert len(set(versions)) == 4
    assert all(version.startswith("1.0") for version in versions)


def test_annotation_is_deterministic_and_each_rule_row_has_its_own_key(make, moves, sql_profile):
    texts = [PROSE, '{"name": "run_sql", "arguments": {}}', PROSE]
    episode = make([moves.say(text) for text in texts])
    found = annotate(episode, sql_profile)
    assert found == annotate(episode, sql_profile)
    keys = [(hit.rule, hit.signature) for hit in found.hits]
    assert len(keys) == len(set(keys)) == 2


def _failures(make, moves, count, tasks):
    return [
        make([moves.say(f"{PROSE} {index}")], number=index % tasks, task=f"Task {index}")
        for index in range(count)
    ]


@pytest.mark.parametrize(
    ("count", "tasks", "eligible"), [(3, 2, True), (2, 2, False), (3, 1, False)]
)
def test_a_pattern_needs_three_runs_of_two_tasks(make, moves, sql_profile, count, tasks, eligible):
    episodes = _failures(make, moves, count, tasks)
    annotations = [annotate(episode, sql_profile) for episode in episodes]
    (pattern,) = find_patterns(annotations, episodes)
    assert (pattern.runs, pattern.tasks, pattern.eligible) == (count, tasks, eligible)
    assert pattern.layer == "actions"
    assert pattern == find_patterns(annotations[::-1], episodes[::-1])[0]


def test_runner_ups_support_patterns_of_their_own(make, moves, sql_profile):
    prose = moves.call("hand_in", "ok", answers=["I think that the answer must be 3"])
    ask = moves.call("run_sql", "[]", sql="SELECT a FROM t")
    episodes = [
        make([ask, prose, moves.say(f"{PROSE} {index}")], number=index) for index in range(3)
    ]
    patterns = find_patterns([annotate(e, sql_profile) for e in episodes], episodes)
    assert {(p.bullet, p.eligible, p.layer) for p in patterns} == {
        ("AR1", True, "actions"),
        ("EC3", True, "contract"),
    }
    roles = {m["role"] for p in patterns if p.bullet == "EC3" for m in json.loads(p.members)}
    assert roles == {"runner_up"}


def test_repaired_slips_alone_make_no_eligible_pattern(make, moves, sql_profile):
    ask = moves.call("run_sql", "[]", sql="SELECT a FROM t")
    end = moves.call("hand_in", "ok", answers=["7"])
    episodes = [make([moves.say(f"{PROSE} {i}"), ask, end], number=i) for i in range(4)]
    patterns = find_patterns([annotate(e, sql_profile) for e in episodes], episodes)
    assert {p.bullet: p.eligible for p in patterns} == {"RR": True, "AR1": False}


def test_not_attributable_failures_form_no_pattern(make, moves, sql_profile):
    episodes = [
        make([moves.say(str(i))], number=i, reward_parts={"r_actions": 1.0}) for i in range(4)
    ]
    annotations = [annotate(e, sql_profile) for e in episodes]
    assert {label_of(a).bullet for a in annotations} == {"NA"}
    assert find_patterns(annotations, episodes, PatternRule(1, 1)) == ()


def test_layers_of_signatures_cover_the_lifecycle():
    assert {kind.layer for kind in KINDS.values()} == {
        "contract",
        "skills",
        "actions",
        "regulation",
    }
    assert layer_of("no json") == "contract"


def test_order_is_mined_from_enough_successes_only(make, moves, sql_profile):
    def solved(number):
        look = moves.call("run_sql", "[('a',)]", sql="SELECT DISTINCT b FROM t")
        write = moves.call("run_sql", "1 row", sql="UPDATE t SET a = 1 WHERE b = 'a'")
        end = moves.call("hand_in", "ok", answers=["done"])
        return make([look, write, end], number=number, outcome="success")

    few = with_mined_order(sql_profile, [solved(i) for i in range(7)])
    assert few.order == sql_profile.order
    mined = with_mined_order(sql_profile, [solved(i) for i in range(8)])
    pairs = {(pair.tool, pair.requires) for pair in mined.order}
    assert ("run_sql:update", "run_sql:select") in pairs
    write = moves.call("run_sql", "1 row", sql="UPDATE t SET a = 2")
    end = moves.call("hand_in", "ok", answers=["done"])
    found = annotate(make([write, end]), mined)
    assert label_of(found).bullet == "EC2"
    assert json.loads(label_of(found).signature)["kind"] == "procedure"


def test_an_embedded_world_is_profiled_from_what_it_declares():
    world: Any = create()
    profile = profile_of_environment(world)
    assert profile.terminal_tools == {"commit_final_answer"}
    assert profile.sql_arguments == {"execute_sql": "query"}
    assert profile.is_tools_known


def test_two_hundred_episodes_a_second(make, moves, sql_profile):
    def run(number):
        asks = [
            moves.failed("run_sql", "near 'x': syntax error", sql=f"SELECT {number} a{i} FRM t x")
            for i in range(2)
        ]
        asks += [moves.call("run_sql", f"[({i},)]", sql=f"SELECT {i}") for i in range(7)]
        return make([*asks, moves.call("hand_in", "ok", answers=["7"])])

    episodes = [run(number) for number in range(100)]
    start = time.process_time()
    for episode in episodes:
        annotate(episode, sql_profile)
    assert time.process_time() - start < 0.5


SLOW = [pytest.param(unit, marks=pytest.mark.slow) for unit in ("a", " ", "(", "'", "\x00", "x_1 ")]


@pytest.mark.parametrize("unit", ["[", "```\n", '{"a":', "\ud800", *SLOW])
def test_ten_megabytes_of_anything_are_read_in_a_second(unit, make, moves, sql_profile):
    text = unit * (10_000_000 // len(unit))
    cases = [
        [moves.say(text, text)],
        [moves.failed("run_sql", f"no such column: Unit {text}", sql=text)],
    ]
    for case in cases:
        episode = make(case)
        start = time.process_time()
        assert annotate(episode, sql_profile).label is not None
        assert time.process_time() - start < 1.0


def test_the_documentation_names_every_signature_and_rule():
    text = (Path(__file__).parents[2] / "docs" / "annotation.md").read_text()
    assert [kind for kind in KINDS if f"`{kind}`" not in text] == []
    assert [rule.name for rule in RULES if f"`{rule.name}`" not in text] == []
