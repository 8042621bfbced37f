import json
from dataclasses import dataclass, replace

import pytest

from schemas.episode import Episode
from schemas.ids import canonical_json, make_id
from schemas.trajectories import PromptRow, StepRow, ToolCallRow
from tasks.gate.candidate import Member
from tasks.gate.check import check_candidate, check_candidates
from tasks.gate.imports import gate_over_imports
from tasks.gate.static import StaticContext
from tasks.gate.touch import Replayer
from tasks.harness import Sandbox

TOOLS = [
    {"type": "function", "function": {"name": name, "description": name, "parameters": {}}}
    for name in ("query", "commit", "load")
]
PROMPTS = {"system": "You work with tables.", "task": "Find the weight of the crate."}


@dataclass(frozen=True)
class Did:
    """One turn: what was called (null: only text), what came back."""

    tool: str | None
    arguments: dict | None = None
    is_error: bool = False
    changes_state: bool = False
    text: str = ""
    result: str = "ok"


@pytest.fixture
def played(base, tasks, episode_of):
    """Make a stored run under the base harness out of turns."""

    def go(turns, *, outcome=True, number=0, origin="rollout", harness=base):
        task = tasks(50, "train")[number]
        trajectory_id = make_id("traj", [number, outcome, origin, len(turns)])
        sent = {**PROMPTS, "tools": canonical_json(TOOLS)}
        prompts = {
            kind: PromptRow.model_validate(
                {"prompt_id": make_id("prm", [kind, text]), "kind": kind, "text": text}
            )
            for kind, text in sent.items()
        }
        steps, calls, state = [], [], 0
        for index, turn in enumerate(turns):
            before = f"s{state}"
            state += turn.changes_state
            is_live = origin == "rollout"
            steps.append(
                StepRow(
                    trajectory_id=trajectory_id,
                    step_index=index,
                    role="assistant",
                    text=turn.text,
                    observation=turn.result if is_live else None,
                    state_hash_before=before if is_live else None,
                    state_hash_after=f"s{state}" if is_live else None,
                )
            )
            if turn.tool is None:
                continue
            arguments = canonical_json(turn.arguments or {})
            calls.append(
                ToolCallRow(
                    tool_call_id=make_id("call", [trajectory_id, index]),
                    trajectory_id=trajectory_id,
                    step_index=index,
                    call_index=0,
                    tool=turn.tool,
                    arguments_raw=arguments,
                    arguments=arguments,
                    executed=True,
                    executed_tool=turn.tool if is_live else None,
                    executed_arguments=arguments if is_live else None,
                    result=turn.result,
                    is_error=turn.is_error,
                )
            )
        blank = episode_of(task, harness, 0, outcome, 100)
        row = blank.trajectory.model_copy(
            update={
                "trajectory_id": trajectory_id,
                "origin": origin,
                "budget": 20,
                "steps": len(turns),
                **{f"{kind}_prompt_id": prompt.prompt_id for kind, prompt in prompts.items()},
            }
        )
        by_id = {prompt.prompt_id: prompt for prompt in prompts.values()}
        return Episode(row, tuple(steps), tuple(calls), prompts=by_id)

    return go


QUERY, COMMIT = {"sql": "SELECT 1"}, {"answer": ["1"]}
PASSED = [Did("query", QUERY), Did("commit", COMMIT, changes_state=True)]


def rule(name, condition, result, *, layer="actions"):
    first = "action" if layer == "actions" else "history"
    return f"""def {name}({first}, context):
    '''For a test.'''
    if {condition}:
        return {result!r}
    return None
"""


BLOCK = {"kind": "block", "message": "Not this way."}
HINT = {"kind": "hint", "message": "Try something else."}


@pytest.fixture
def checked(run, candidate):
    def go(name, body, episodes, *, layer="actions", context=None, **changes):
        edit = candidate(name, body, layer=layer, **changes)

        async def check():
            async with Sandbox(workers=1) as sandbox:
                return await check_candidate(
                    edit, context or StaticContext(), episodes, Replayer(sandbox)
                )

        return run(check())

    return go


def test_a_rule_that_only_fires_on_failures_is_clean(checked, played):
    failed = played([Did("query", {"sql": "bad"}, is_error=True)], outcome=False, number=1)
    source = rule("rule_x", "action['arguments'].get('sql') == 'bad'", BLOCK)
    entry = checked("rule_x", source, [failed, played(PASSED)])
    assert entry.is_clean
    assert (entry.replay.fires_on_failures, entry.replay.fires_on_successes) == (1, 0)
    assert entry.replay.trigger_precision == 1
    assert entry.replay.false_fire == 0


def test_a_block_of_what_a_success_executed_is_a_false_fire(checked, played):
    source = rule("rule_x", "action['tool'] == 'query'", BLOCK)
    entry = checked("rule_x", source, [played(PASSED)])
    assert entry.reason == "false_fire"
    assert entry.replay.false_fire == 1
    assert json.loads(entry.replay.tasks_at_risk) == [played(PASSED).trajectory.task_id]
    assert "step 0" in entry.sentences[0]


def test_a_block_of_a_call_that_failed_without_effect_is_no_false_fire(checked, played):
    repaired = [Did("query", {"sql": "bad"}, is_error=True), *PASSED]
    source = rule("rule_x", "action['arguments'].get('sql') == 'bad'", BLOCK)
    entry = checked("rule_x", source, [played(repaired)])
    assert entry.is_clean
    assert entry.replay.fires_on_successes == 1
    assert len(json.loads(entry.replay.tasks_at_risk)) == 1


def test_a_block_of_a_failed_call_that_changed_the_state_is_a_false_fire(checked, played):
    odd = [Did("query", {"sql": "bad"}, is_error=True, changes_state=True), *PASSED]
    source = rule("rule_x", "action['arguments'].get('sql') == 'bad'", BLOCK)
    assert checked("rule_x", source, [played(odd)]).reason == "false_fire"


def test_a_rewrite_to_the_executed_call_changes_nothing(checked, played):
    same = {"kind": "rewrite", "tool": "query", "arguments": QUERY}
    failed = played([Did("query", {"sql": "x"}, is_error=True)], outcome=False, number=2)
    source = rule("rule_x", "action['tool'] == 'query'", same)
    entry = checked("rule_x", source, [played(PASSED), failed])
    assert entry.is_clean
    assert entry.replay.fires_on_successes == 0


def test_a_rewrite_of_a_working_call_is_a_false_fire(checked, played):
    other = {"kind": "rewrite", "tool": "query", "arguments": {"sql": "SELECT 2"}}
    source = rule("rule_x", "action['tool'] == 'query'", other)
    assert checked("rule_x", source, [played(PASSED)]).reason == "false_fire"


def test_a_rescue_where_the_agent_then_made_such_a_call_is_no_false_fire(checked, played):
    said = [Did(None, text="SELECT 1", result="No tool call was found."), *PASSED]
    found = {"kind": "rescue", "tool": "query", "arguments": QUERY}
    source = rule("rule_x", "action['tool'] is None", found)
    assert checked("rule_x", source, [played(said)]).is_clean


def test_a_rescue_where_the_agent_went_on_otherwise_is_a_false_fire(checked, played):
    said = [Did(None, text="I think it is 1.", result="No tool call was found."), *PASSED]
    early = {"kind": "rescue", "tool": "commit", "arguments": COMMIT}
    source = rule("rule_x", "action['tool'] is None", early)
    assert checked("rule_x", source, [played(said)]).reason == "false_fire"


def test_a_rescue_with_words_that_nobody_wrote_is_a_false_fire(checked, played):
    said = [
        Did("query", QUERY),
        Did(None, text="The answer is 1.", result="No tool call was found."),
        Did("commit", COMMIT, changes_state=True),
    ]
    right = {"kind": "rescue", "tool": "commit", "arguments": COMMIT}
    assert checked(
        "rule_x", rule("rule_x", "action['tool'] is None", right), [played(said)]
    ).is_clean
    made_up = {"kind": "rescue", "tool": "commit", "arguments": {"answer": ["done"]}}
    entry = checked("rule_x", rule("rule_x", "action['tool'] is None", made_up), [played(said)])
    assert entry.reason == "false_fire"


def test_a_rewrite_that_only_adds_quotes_to_a_failed_call_is_no_false_fire(checked, played):
    bare, quoted = {"sql": "SELECT unit price FROM t"}, {"sql": "SELECT `unit price` FROM t"}
    repaired = [Did("query", bare, is_error=True), Did("query", {"sql": "SELECT 1"}), *PASSED]
    source = rule(
        "rule_x",
        "action['arguments'].get('sql') == 'SELECT unit price FROM t'",
        {"kind": "rewrite", "tool": "query", "arguments": quoted},
    )
    assert checked("rule_x", source, [played(repaired)]).is_clean


def test_hints_on_more_than_one_success_in_twenty_are_refused(checked, played):
    runs = [played(PASSED, number=n) for n in range(20)]
    talking = "len(history) == 1 and context['task_text']"
    often = rule("rule_h", talking, HINT, layer="regulation")
    assert checked("rule_h", often, runs, layer="regulation").reason == "false_fire"
    loud = [Did("query", {"sql": "odd"}), Did("commit", COMMIT)]
    seldom = rule(
        "rule_h",
        "history and history[-1]['action']['arguments'].get('sql') == 'odd'",
        HINT,
        layer="regulation",
    )
    entry = checked("rule_h", seldom, [*runs[1:], played(loud)], layer="regulation")
    assert entry.is_clean
    assert entry.replay.false_fire == pytest.approx(0.05)


def test_a_hint_after_the_last_result_reaches_nobody(checked, played):
    source = rule("rule_h", "len(history) == 2", HINT, layer="regulation")
    assert checked("rule_h", source, [played(PASSED)], layer="regulation").reason == "inert"


def test_a_forced_call_that_the_agent_made_anyway_is_no_false_fire(checked, played):
    force = {"kind": "force", "tool": "commit", "arguments": COMMIT}
    source = rule("rule_f", "len(history) == 1", force, layer="regulation")
    assert checked("rule_f", source, [played(PASSED)], layer="regulation").is_clean
    other = {"kind": "force", "tool": "commit", "arguments": {"answer": ["2"]}}
    source = rule("rule_f", "len(history) == 1", other, layer="regulation")
    entry = checked("rule_f", source, [played(PASSED)], layer="regulation")
    assert entry.reason == "false_fire"


def test_a_stop_of_a_success_is_a_false_fire(checked, played):
    source = rule("rule_s", "len(history) == 1", {"kind": "stop"}, layer="regulation")
    entry = checked("rule_s", source, [played(PASSED)], layer="regulation")
    assert entry.reason == "false_fire"


def test_a_rule_that_never_fires_is_inert(checked, played):
    source = rule("rule_x", "context['step'] < 0", BLOCK)
    assert checked("rule_x", source, [played(PASSED)]).reason == "inert"


def test_a_rule_that_misses_its_pattern_is_refused(checked, played):
    failures = [
        played([Did("query", {"sql": f"bad {n}"}, is_error=True)], outcome=False, number=n)
        for n in range(4)
    ]
    members = tuple(Member(run.trajectory_id, 0) for run in failures)
    source = rule("rule_x", "action['arguments'].get('sql') == 'bad 0'", BLOCK)
    entry = checked("rule_x", source, failures, members=members)
    assert entry.reason == "inert"
    assert entry.replay.coverage == 0.25


def test_a_rule_that_acts_long_after_the_decisive_step_does_not_cover_it(checked, played):
    late = played([Did("query", {"sql": str(n)}) for n in range(8)], outcome=False, number=1)
    members = (Member(late.trajectory_id, 1),)
    for when, coverage in ((3, 1.0), (6, 0.0)):
        source = rule("rule_x", f"context['step'] == {when}", BLOCK)
        entry = checked("rule_x", source, [late], members=members)
        assert entry.replay.coverage == coverage


def test_edits_that_cover_a_pattern_together_pass_together(run, candidate, played):
    failures = [
        played([Did("query", {"sql": f"bad {n}"}, is_error=True)], outcome=False, number=n)
        for n in range(4)
    ]
    members = tuple(Member(failed.trajectory_id, 0) for failed in failures)
    edits = [
        candidate(
            f"rule_{n}",
            rule(f"rule_{n}", f"action['arguments'].get('sql') == 'bad {n}'", BLOCK),
            layer="actions",
            members=members,
        )
        for n in range(3)
    ]

    async def check():
        async with Sandbox(workers=1) as sandbox:
            return await check_candidates(edits, StaticContext(), failures, Replayer(sandbox))

    entries = run(check())
    assert all(entry.is_clean for entry in entries)
    assert {entry.replay.coverage for entry in entries} == {0.25}
    assert all(entry.replay.passed and entry.notes for entry in entries)


def test_contract_text_puts_every_passing_task_at_risk(checked, played):
    runs = [played(PASSED, number=n) for n in range(3)]
    entry = checked("Answers", "Give a list.", runs, layer="contract")
    assert entry.is_clean
    assert len(json.loads(entry.replay.tasks_at_risk)) == 3
    assert entry.replay.false_fire is None


def risks(entry):
    return {
        row.task_id
        for row in entry.predictions
        if (row.prediction, row.forecaster) == ("risk", "replay")
    }


def test_only_text_that_asks_for_something_else_is_forecast_to_break_a_passing_task(
    checked, played
):
    runs = [played(PASSED, number=n) for n in range(3)]
    harmless = checked("Answers", "Give a list.", runs, layer="contract")
    wrong = checked("Answers", "Call `commit` first, before `query`.", runs, layer="contract")
    assert risks(harmless) == set()
    assert risks(wrong) == {run.trajectory.task_id for run in runs}


def test_a_block_that_lets_the_same_call_through_next_time_is_not_forecast_to_break_anything(
    checked, played
):
    once = rule("rule_x", "action['tool'] == 'query' and not context['history']", BLOCK)
    entry = checked("rule_x", once, [played(PASSED)])
    assert entry.reason == "false_fire"
    assert risks(entry) == set()
    always = rule("rule_x", "action['tool'] == 'query'", BLOCK)
    assert risks(checked("rule_x", always, [played(PASSED)])) != set()


def test_a_rule_that_changes_a_success_is_forecast_to_break_it_and_a_repair_is_not(checked, played):
    repaired = [Did("query", {"sql": "bad"}, is_error=True), *PASSED]
    source = rule("rule_x", "action['arguments'].get('sql') == 'bad'", BLOCK)
    assert risks(checked("rule_x", source, [played(repaired)])) == set()
    source = rule("rule_x", "action['tool'] == 'query'", BLOCK)
    assert risks(checked("rule_x", source, [played(PASSED)])) == {played(PASSED).trajectory.task_id}


def test_a_skill_that_no_task_retrieves_is_inert(checked, played):
    def skill(word):
        front = f"name: notes\ndescription: Notes on {word}.\ntrigger:\n  any: [{word}]"
        return f"---\n{front}\n---\nDo it well.\n"

    assert checked("notes", skill("weight"), [played(PASSED)], layer="skills").is_clean
    entry = checked("notes", skill("zeppelin"), [played(PASSED)], layer="skills")
    assert entry.reason == "inert"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("    while True:\n        pass\n", "timeout"),
        ("    pile = [0]\n    while True:\n        pile = pile + pile\n", "rule_x"),
        ("    return {'kind': 'explode'}\n", "bad_result"),
        ("    return action['nothing']\n", "error"),
    ],
)
def test_a_rule_that_misbehaves_on_fixtures_is_refused(checked, played, body, said):
    source = "def rule_x(action, context):\n" + body
    entry = checked("rule_x", source, [played(PASSED)])
    assert (entry.stage, entry.reason) == ("static", "static")
    assert said in " ".join(entry.sentences)


def test_runs_with_a_fault_and_runs_of_other_harnesses_say_nothing(checked, played, base):
    other = base.put("contract", "Old", "Text.")
    foreign = played(PASSED, number=1, harness=other)
    broken = played(PASSED, number=2, outcome=None)
    source = rule("rule_x", "action['tool'] == 'query'", BLOCK)
    entry = checked("rule_x", source, [foreign, broken])
    assert (entry.replay.successes, entry.replay.failures) == (0, 0)


def test_odd_text_in_stored_runs_breaks_nothing(checked, played):
    odd = [Did("query", {"sql": "\ufffd" * 50_000}), Did(None, text="{" * 5000), *PASSED]
    entry = checked("rule_x", rule("rule_x", "action['tool'] == 'commit'", BLOCK), [played(odd)])
    assert entry.reason == "false_fire"


@pytest.fixture
def over_imports(run, candidate, played):
    def go(name, body, *, layer="actions", passed=PASSED):
        history = [played(passed, number=n, origin="import") for n in range(6)]
        failed = [Did("query", {"sql": "bad"}, is_error=True)]
        history += [played(failed, number=n, origin="import", outcome=False) for n in range(6, 9)]
        edit = candidate(name, body, layer=layer)

        async def judge():
            async with Sandbox(workers=1) as sandbox:
                return await gate_over_imports(
                    [edit],
                    StaticContext(),
                    history,
                    Replayer(sandbox),
                    cycle_id="cyc_0123456789abcdef",
                )

        return run(judge()).decisions[0], history

    return go


def test_without_a_live_world_nothing_is_accepted(over_imports):
    source = rule("rule_x", "action['arguments'].get('sql') == 'bad'", BLOCK)
    row, _ = over_imports("rule_x", source)
    assert (row.verdict, row.reason, row.stage) == ("undecided", "no_live_world", "replay")


def test_an_over_triggering_candidate_is_rejected_by_history_alone(over_imports):
    row, _ = over_imports("rule_x", rule("rule_x", "action['tool'] == 'commit'", BLOCK))
    assert (row.verdict, row.reason) == ("rejected", "false_fire")
    hint = rule("rule_h", "history", HINT, layer="regulation")
    row, _ = over_imports("rule_h", hint, layer="regulation")
    assert (row.verdict, row.reason) == ("rejected", "false_fire")


def test_words_to_a_user_in_imported_successes_may_not_become_calls(over_imports):
    talk = [Did(None, text="Shall I go on?"), *PASSED]
    early = {"kind": "rescue", "tool": "query", "arguments": QUERY}
    row, _ = over_imports("rule_x", rule("rule_x", "action['tool'] is None", early), passed=talk)
    assert row.reason == "false_fire"


@pytest.fixture
def touches(run, base):
    def go(new, episode, old=base):
        async def ask():
            async with Sandbox(workers=1) as sandbox:
                return await Replayer(sandbox).can_touch(old, new, episode)

        return run(ask())

    return go


def test_a_rule_that_stays_silent_cannot_touch_a_run(touches, played, base):
    silent = rule("rule_x", "action['tool'] == 'load'", BLOCK)
    assert not touches(base.put("actions", "rule_x", silent), played(PASSED))


def test_a_rule_that_acts_text_and_skills_touch_a_run(touches, played, base):
    acting = rule("rule_x", "action['tool'] == 'commit'", BLOCK)
    assert touches(base.put("actions", "rule_x", acting), played(PASSED))
    assert touches(base.put("contract", "T", "Text."), played(PASSED))


def test_nothing_is_proven_about_a_run_of_another_harness_or_a_fork(touches, played, base):
    silent = base.put("actions", "rule_x", rule("rule_x", "False", BLOCK))
    other = base.put("contract", "T", "Text.")
    assert touches(silent, played(PASSED, harness=other))
    fork = played(PASSED)
    trajectory = fork.trajectory.model_copy(update={"arm": "fork:traj:1:x"})
    assert touches(silent, replace(fork, trajectory=trajectory))


def test_nothing_is_proven_when_the_prompt_cannot_be_explained(touches, played, base):
    silent = base.put("actions", "rule_x", rule("rule_x", "False", BLOCK))
    with_text = base.put("contract", "T", "Text.")
    claimed = played(PASSED, harness=with_text)  # its stored system text holds no such contract
    changed = with_text.put("actions", "rule_x", rule("rule_x", "False", BLOCK))
    assert not touches(silent, played(PASSED))
    assert touches(changed, claimed, old=with_text)


def test_a_revision_in_another_form_is_a_duplicate_of_what_was_refused_in_the_round(
    candidate, played, run
):
    episodes = [played([Did("query", {"q": "x"})], number=n) for n in range(4)]
    blocks = 'def {name}(action, context):\n    return {{"kind": "block", "message": "No."}}\n'
    context = StaticContext()

    async def check(name):
        edit = candidate(name, blocks.format(name=name), layer="actions")
        async with Sandbox() as sandbox:
            [checked] = await check_candidates([edit], context, episodes, Replayer(sandbox))
        return checked.reason

    assert run(check("rule_first")) == "false_fire"
    assert run(check("rule_renamed")) == "duplicate"
