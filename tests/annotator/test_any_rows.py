"""Whatever a model, a world or a file says, annotation gives one label and never breaks."""

import json

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tasks.annotator.declared import imported_profile
from tasks.annotator.engine import annotate
from tasks.annotator.parameters import DEFAULT, NO_GOLD, PAPER
from tasks.annotator.patterns import find_patterns

WORDS = ["hand_in", "run_sql", "answers", "reservation_id", "name", "yes", "cancel_reservation"]
TEXT = st.text(max_size=60) | st.sampled_from([*WORDS, "\ud800", "final answer: 3", "SELECT 1"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
MOVE = st.fixed_dictionaries(
    {"text": TEXT, "observation": TEXT},
    optional={
        "call": st.tuples(TEXT, st.dictionaries(TEXT, JSON, max_size=3), st.booleans()),
        "raw": TEXT,
        "admissible": st.lists(TEXT, max_size=3),
        "result": JSON,
    },
)
PARTS = st.dictionaries(
    st.sampled_from(
        [
            "expected_actions",
            "action_checks",
            "base_reward",
            "output_checks",
            "instruction",
            "reward_basis",
            "db_match",
            "communicate_checks",
            "review",
            "answer_type",
        ]
    ),
    JSON | st.lists(st.fixed_dictionaries({"name": TEXT, "arguments": JSON}), max_size=2),
)

INF = {"name": "run_sql", "arguments": {"": [float("inf"), {"x": float("-inf")}]}}
NOT_FINITE = {
    "text": "",
    "observation": "",
    "call": ("run_sql", {"": float("inf"), "deep": [{"x": [float("nan")]}]}, False),
    "result": [float("-inf")],
}


def _row(move):
    row = {"text": move["text"], "observation": move["observation"]}
    if "admissible" in move:
        row["admissible"] = move["admissible"]
    if "call" in move:
        tool, arguments, is_error = move["call"]
        row |= {"tool": tool, "arguments": arguments, "is_error": is_error}
        row["result"] = json.dumps(move.get("result"))
        if "raw" in move:
            row["raw"] = move["raw"]
    return row


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(moves=st.lists(MOVE, max_size=5), parts=PARTS, end=st.sampled_from(["budget", "user_stop"]))
@example(moves=[NOT_FINITE, NOT_FINITE], parts={"expected_actions": [INF]}, end="budget")
def test_any_rows_get_one_label(make, sql_profile, command_profile, moves, parts, end):
    options = {"termination": end, "environment": "tau2_airline"}
    episode = make([_row(move) for move in moves], reward_parts=parts, **options)
    inferred = imported_profile("tau2_airline", [episode])
    for profile in (sql_profile, command_profile, inferred):
        for parameters in (DEFAULT, NO_GOLD, PAPER):
            found = annotate(episode, profile, parameters)
            assert found.label is not None
            assert found.label.step_index is not None or found.label.bullet == "NA"
            find_patterns([found], [episode])
