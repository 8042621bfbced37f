"""A scripted model edits a workspace through tools; whatever it says is checked."""

import asyncio
import json
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from schemas.errors import ModelFault
from schemas.settings import EditorSettings
from tasks.agent.protocols import ModelReply, RawCall
from tasks.editor.coding_agent import CodingAgentEditor
from tasks.editor.evidence import EvidenceDesk
from tasks.editor.protocols import RejectedEdit
from tasks.editor.workshop import LEAK, Report, Workshop

SECTION = "## Final call\n\nEvery task ends with a call of `hand_in`.\n"


class ScriptedClient:
    """Replies from a list; keeps what it was sent."""

    def __init__(self, replies):
        self.replies = list(replies)
        self.seen = []

    async def reply(self, messages, tools):
        self.seen.append([dict(message) for message in messages])
        return self.replies.pop(0) if self.replies else ModelReply(calls=(RawCall("finish", "{}"),))


def calls(*pairs):
    return ModelReply(
        calls=tuple(
            RawCall(name, given if isinstance(given, str) else json.dumps(given))
            for name, given in pairs
        )
    )


PLENTY = EditorSettings(tokens=10**9)


def edit(replies, brief, caps=None, **offered):
    client = ScriptedClient(replies)
    workshop = Workshop(caps or EditorSettings(), **offered)
    editor = CodingAgentEditor("openai:scripted", client, workshop)
    return editor, client, asyncio.run(editor.propose(brief))


def answers(client):
    return [m["content"] for m in client.seen[-1] if m["role"] == "tool"]


def manifest_for(brief, **changes):
    failed = next(one for one in brief.episodes if one.is_failure)
    return {
        "title": "End with hand_in",
        "layer": "contract",
        "evidence": [{"trajectory_id": failed.trajectory_id, "step": 0}],
        "root_cause": "It is missing.",
        "predicted_fixes": [failed.trajectory.task_id],
        "predicted_risks": [],
        "why_safe": "It states a fact.",
        "watch": "Early calls.",
    } | changes


@pytest.fixture
def manifest(brief):
    return manifest_for(brief)


@pytest.fixture
def brief(make_brief, make_episode, make_pattern, said, turn):
    won = [
        make_episode(
            1, [turn("run_query", {"statement": "SELECT 1"}), turn("hand_in", {})], won=True
        )
    ]
    lost = [make_episode(n, [said("All done.")], won=False) for n in (1, 2, 3)]
    pattern = make_pattern(lost, {"kind": "required_tool_missing", "tool": "hand_in"}, bullet="EC1")
    return make_brief([*won, *lost], [pattern])


def test_a_written_file_and_a_manifest_become_a_proposal(brief, manifest):
    pattern_id = brief.patterns[0].pattern_id
    given = manifest | {"pattern_id": pattern_id, "token_increase": 0.1}
    editor, client, found = edit(
        [
            calls(("list_files", {}), ("read_file", {"path": "contract.md"})),
            calls(("write_file", {"path": "contract.md", "text": SECTION}), ("submit", given)),
        ],
        brief,
    )
    (proposal,) = found
    assert proposal.layer == "contract"
    assert proposal.artifact == "Final call"
    assert proposal.pattern_id == pattern_id
    landed = json.loads(proposal.manifest.to_json())
    assert landed == {
        "evidence": manifest["evidence"],
        "root_cause": "It is missing.",
        "layer": "contract",
        "predicted_fixes": manifest["predicted_fixes"],
        "predicted_risks": [],
        "token_increase": 0.1,
        "why_safe": "It states a fact.",
        "watch": "Early calls.",
        "pattern_id": pattern_id,
    }
    opening = client.seen[0][1]["content"]
    assert pattern_id in opening
    assert "successful run went on" in opening
    (session,) = editor.sessions
    assert (session.stop, session.proposals, session.refusals) == ("finished", 1, 0)
    assert [one.role for one in session.entries[:4]] == ["system", "user", "call", "tool"]


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("write_file", {"path": "../escape.md", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "/etc/passwd", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "skills/../../x/SKILL.md", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "skills/a/b/SKILL.md", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "skills\\a\\SKILL.md", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "contract.md\u0000", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "contract.md\n", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "\u0441ontract.md", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "contract\uff0emd", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "x" * 10_000_000, "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "harness.yaml", "text": "api: 1"}, "cannot be changed"),
        ("write_file", {"path": "control.json", "text": "{}"}, "cannot be changed"),
        ("write_file", {"path": "workflow.yaml", "text": "a: 1"}, "cannot be changed"),
        ("delete_file", {"path": "harness.yaml"}, "cannot be changed"),
        ("write_file", {"path": "contract.md", "text": "x" * 70_000}, "more than"),
        ("write_file", {"path": "contract.md", "text": "x" * 50_000_000}, "more than"),
        ("write_file", {"path": "contract.md", "text": "a\u202eb"}, "invisible character U+202E"),
        ("write_file", {"path": "contract.md", "text": "a\u200bb"}, "invisible character U+200B"),
        ("write_file", {"path": "contract.md"}, "'text' is a required property"),
        ("write_file", {"path": 3, "text": "x"}, "path: 3 is not of type 'string'"),
        ("write_file", {"path": "contract.md", "text": "x", "mode": 1}, "'mode' was unexpected"),
        ("write_file", '{"path": "contract.md", "text"', "not valid JSON"),
        ("write_file", "[]", "not an object"),
        ("write_file", "{}{}", "trailing data"),
        ("read_file", {"path": "contract.md", "offset": -1}, "less than the minimum"),
        ("run_shell", {"command": "ls"}, "there is no tool"),
        ("", {}, "there is no tool"),
        ("read_file", {"path": "secret.txt"}, "there is no file"),
        ("read_file", {"path": "../../etc/passwd"}, "there is no file"),
        ("delete_file", {"path": "skills/none/SKILL.md"}, "there is no file"),
        ("read_run", {"trajectory_id": "traj_unknown"}, "no train trajectory"),
        ("compare_runs", {"failed_id": "traj_unknown"}, "no train trajectory"),
        ("query", {"sql": "SELECT 1"}, "no tables to query"),
        ("check", {}, "cannot be tried out"),
        ("replay", {"pattern_id": "pat_unknown"}, "no pattern"),
        ("submit", {"title": "x"}, "is a required property"),
    ],
)
def test_what_cannot_be_done_is_answered_with_the_reason_and_kept(brief, name, given, reason):
    editor, client, found = edit([calls((name, given))], brief, PLENTY)
    assert found == []
    (answer,) = answers(client)
    assert answer.startswith("refused: ")
    assert reason in answer
    assert len(answer) < 1500
    (entry,) = [one for one in editor.sessions[0].entries if one.refused]
    assert entry.tool == name[:200]
    assert answer == f"refused: {entry.refused}"


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"evidence": []}, "should be non-empty"),
        ({"evidence": [{"trajectory_id": "traj_1", "step": 0}]}, "no train run of this round"),
        ({"evidence": "all"}, "is not of type 'array'"),
        ({"predicted_fixes": ["desk/sealed/9"]}, "which is no train task"),
        ({"predicted_risks": ["x" * 150]}, "which is no train task"),
        ({"predicted_fixes": "all"}, "is not of type 'array'"),
        ({"pattern_id": "pat_0"}, "there is no pattern"),
        ({"layer": "skills"}, "but the files changed belong to 'contract'"),
        ({"layer": "budget"}, "is not one of"),
        ({"root_cause": "  "}, "root_cause is empty"),
        ({"why_safe": ""}, "should be non-empty"),
        ({"watch": "x" * 2001}, "is too long"),
        ({"token_increase": 9}, "greater than the maximum"),
        ({"verdict": "accepted"}, "was unexpected"),
    ],
)
def test_a_manifest_that_cannot_be_used_is_refused_and_can_be_mended(
    brief, manifest, changes, reason
):
    editor, client, found = edit(
        [
            calls(
                ("write_file", {"path": "contract.md", "text": SECTION}),
                ("submit", manifest | changes),
            ),
            calls(("submit", manifest)),
        ],
        brief,
    )
    assert reason in answers(client)[1]
    assert len(found) == 1
    assert editor.sessions[0].refusals == 1


def test_a_step_that_the_run_does_not_have_is_refused(brief, manifest):
    wrong = [manifest["evidence"][0] | {"step": 7}]
    _, client, _ = edit(
        [
            calls(
                ("write_file", {"path": "contract.md", "text": SECTION}),
                ("submit", manifest | {"evidence": wrong}),
            )
        ],
        brief,
    )
    assert "has the steps 0 to 0, not 7" in answers(client)[1]


def test_an_edit_without_a_change_is_refused(brief, manifest):
    _, client, found = edit([calls(("submit", manifest))], brief)
    assert found == []
    assert "no artifact is changed" in answers(client)[0]


def test_broken_files_and_two_layers_are_refused_at_submission(brief, manifest):
    rule = "def rule_x(history, context):\n    return None\n"
    _, client, found = edit(
        [
            calls(
                ("write_file", {"path": "actions.py", "text": "def rule_x(:"}), ("submit", manifest)
            ),
            calls(
                ("write_file", {"path": "actions.py", "text": ""}),
                ("write_file", {"path": "regulation.py", "text": rule}),
                ("write_file", {"path": "contract.md", "text": SECTION}),
                ("submit", manifest),
            ),
        ],
        brief,
    )
    assert found == []
    said = answers(client)
    assert "syntax error" in said[1]
    assert "contract and regulation" in said[-1]


def test_the_next_edit_starts_from_the_parent(brief, manifest):
    other = SECTION.replace("Final call", "Ending")
    _, _, found = edit(
        [
            calls(("write_file", {"path": "contract.md", "text": SECTION}), ("submit", manifest)),
            calls(("write_file", {"path": "contract.md", "text": other}), ("submit", manifest)),
            calls(("write_file", {"path": "contract.md", "text": other}), ("submit", manifest)),
        ],
        brief,
    )
    assert [one.artifact for one in found] == ["Final call", "Ending"]


def test_talk_without_tools_ends_the_work(brief):
    editor, client, found = edit([ModelReply(text="Hm.")] * 50, brief, EditorSettings(turns=5))
    assert found == []
    assert len(client.seen) == 3
    assert editor.sessions[0].stop == "silent"


def test_an_endless_tool_loop_ends_at_the_turn_cap(brief):
    loop = [calls(*[("list_files", {})] * 40)] * 50
    editor, client, found = edit(loop, brief, EditorSettings(turns=5))
    assert found == []
    assert len(client.seen) == 5
    (session,) = editor.sessions
    assert (session.stop, session.turns, session.calls) == ("turns", 5, 80)
    assert sum(one.refused == "over 16 in a reply" for one in session.entries) == 5 * 24


def test_the_token_cap_ends_the_work(brief):
    big = ModelReply(text="x", prompt_tokens=4000, completion_tokens=200)
    editor, client, _ = edit([big] * 50, brief, EditorSettings(tokens=10_000))
    assert len(client.seen) == 2
    assert editor.sessions[0].stop == "tokens"


def test_the_cost_cap_ends_the_work_and_the_price_is_kept(brief):
    big = ModelReply(text="x", prompt_tokens=900, completion_tokens=200, cost_usd=0.4)
    editor, client, _ = edit([big] * 50, brief, EditorSettings(cost_usd=0.7))
    assert len(client.seen) == 2
    (session,) = editor.sessions
    assert (session.stop, session.cost_usd) == ("cost", 0.8)
    assert (session.prompt_tokens, session.completion_tokens) == (1800, 400)


def test_cost_and_tokens_that_were_not_counted_are_unknown(brief):
    editor, _, _ = edit([calls(("finish", {}))], brief)
    (session,) = editor.sessions
    assert (session.cost_usd, session.prompt_tokens) == (None, None)


def test_caps_hold_over_revisions_of_a_round(brief, manifest):
    write = ("write_file", {"path": "contract.md", "text": SECTION})
    editor, client, found = edit(
        [calls(write, ("submit", manifest)), calls(("finish", {}))],
        brief,
        EditorSettings(tokens=20_000),
    )
    client.replies = [ModelReply(text="x", prompt_tokens=20_000, completion_tokens=0)] * 9
    assert asyncio.run(editor.revise(found[0], ["no"])) is None
    assert asyncio.run(editor.revise(found[0], ["no"])) is None
    assert [one.stop for one in editor.sessions] == ["finished", "tokens", "tokens"]
    assert [one.turns for one in editor.sessions] == [2, 1, 0]


class BreakingClient(ScriptedClient):
    """Fails once its replies are used up."""

    async def reply(self, messages, tools):
        if not self.replies:
            what = "the endpoint is down"
            raise ModelFault(what)
        return await super().reply(messages, tools)


def test_an_endpoint_that_breaks_leaves_what_was_submitted(brief, manifest):
    write = ("write_file", {"path": "contract.md", "text": SECTION})
    client = BreakingClient([calls(write, ("submit", manifest))])
    editor = CodingAgentEditor("openai:scripted", client)
    found = asyncio.run(editor.propose(brief))
    assert [one.artifact for one in found] == ["Final call"]
    (session,) = editor.sessions
    assert (session.stop, session.detail) == ("fault", "the endpoint is down")


def test_an_endpoint_that_never_answers_is_an_error_with_a_session(brief):
    editor = CodingAgentEditor("openai:scripted", BreakingClient([]))
    with pytest.raises(ModelFault):
        asyncio.run(editor.propose(brief))
    assert editor.sessions[0].stop == "fault"


def test_what_is_sent_back_to_the_model_stays_bounded(brief):
    huge = {"path": "contract.md", "text": "x" * 50_000_000}
    editor, client, _ = edit([calls(("write_file", huge))], brief, PLENTY)
    assert len(json.dumps(client.seen[-1])) < 200_000
    assert sum(len(one.content) for one in editor.sessions[0].entries) < 100_000


async def echo(sql):
    return f"asked {sql} " + "x" * 30_000


def test_queries_are_counted_and_bounded_by_the_rounds_evidence(brief):
    replies = [calls(*[("query", {"sql": f"SELECT {n}"})] * 4) for n in range(3)]
    _, client, _ = edit(replies, brief, query=echo, tables={"runs": "a, b"})
    said = answers(client)
    assert said[0].startswith("asked SELECT 0")
    assert "evidence of this round is spent" in said[-1]
    assert sum(len(one) for one in said) < 80_000
    assert "- runs: a, b" in client.seen[0][1]["content"]


def test_queries_beyond_the_cap_and_huge_ones_are_refused(brief):
    small = [calls(*[("query", {"sql": "SELECT 1"})] * 3), calls(("query", {"sql": "1+" * 99_999}))]

    async def answer(sql):
        return "1"

    _, client, _ = edit(small, brief, EditorSettings(queries=2), query=answer)
    said = answers(client)
    assert said[:2] == ["1", "1"]
    assert "all 2 queries" in said[2]
    assert "too long" in said[3]


def trying(*reports):
    left = list(reports)

    async def try_out(trial, *, replay):
        return left.pop(0)

    return try_out


def test_checks_and_replays_of_a_candidate_are_answered(brief):
    write = ("write_file", {"path": "contract.md", "text": SECTION})
    pattern = {"pattern_id": brief.patterns[0].pattern_id}
    try_out = trying(Report(("It is too long.",)), Report((), {"coverage": 0.5}))
    _, client, _ = edit([calls(write, ("check", {}), ("replay", pattern))], brief, try_out=try_out)
    _, checked, replayed = answers(client)
    assert "It is too long." in checked
    assert '"coverage": 0.5' in replayed


def test_a_guess_at_closed_text_ends_all_trial_checks_of_the_round(brief):
    write = ("write_file", {"path": "contract.md", "text": SECTION})
    try_out = trying(Report((LEAK,), is_leak=True), Report())
    _, client, _ = edit([calls(write, ("check", {}), ("check", {}))], brief, try_out=try_out)
    assert LEAK in answers(client)[1]
    assert "no further check" in answers(client)[2]


def test_the_users_guide_is_added_and_refused_edits_are_shown_without_leaks(brief):
    refused = (
        RejectedEdit("h", "contract", "Old", "Do this.", "inert", findings=("acts nowhere",)),
        RejectedEdit("h", "contract", "Gold", "secret 42", "leak", findings=("holds '42'",)),
    )
    _, client, _ = edit([], replace(brief, rejected=refused), guide="Prefer short rules.")
    system, opening = client.seen[0][0]["content"], client.seen[0][1]["content"]
    assert "Prefer short rules." in system
    assert "acts nowhere" in opening
    assert "contract Gold: leak" in opening
    assert "42" not in opening


def test_the_first_evidence_is_bounded(make_brief, make_episode, make_pattern, turn):
    long = "x" * 5000
    lost = [
        make_episode(n, [turn("run_query", {"statement": long}, long)] * 9, won=False)
        for n in range(60)
    ]
    patterns = [make_pattern(lost[n : n + 6], {"kind": f"k{n}"}) for n in range(0, 60, 2)]
    desk = EvidenceDesk(make_brief(lost, patterns))
    text = desk.opening()
    assert len(text) <= 24_000
    assert 0 < text.count("case of") <= 12


def test_a_refused_edit_is_revised_at_most_twice(brief, manifest):
    editor, client, found = edit(
        [calls(("write_file", {"path": "contract.md", "text": SECTION}), ("submit", manifest))],
        brief,
    )
    current = found[0]
    for revision in (1, 2):
        text = SECTION + f"\nRevision {revision}.\n"
        client.replies = [
            calls(("write_file", {"path": "contract.md", "text": text}), ("submit", manifest))
        ]
        revised = asyncio.run(editor.revise(current, ["fires on successes"]))
        assert revised is not None
        current = revised
        assert current.revision == revision
        assert "fires on successes" in client.seen[-1][-1]["content"]
    assert asyncio.run(editor.revise(current, ["again"])) is None


def test_a_model_that_gives_up_revises_nothing(brief, manifest):
    editor, _, found = edit(
        [calls(("write_file", {"path": "contract.md", "text": SECTION}), ("submit", manifest))],
        brief,
    )
    assert asyncio.run(editor.revise(found[0], ["no"])) is None


def test_only_train_runs_are_shown(make_brief, make_episode, said):
    train = make_episode(1, [said("a")], won=False)
    hidden = make_episode(2, [said("b")], won=False)
    sealed = hidden.trajectory.model_copy(update={"split": "sealed"})
    brief = make_brief([train, type(hidden)(sealed, hidden.steps, hidden.calls)])
    _, client, _ = edit(
        [
            calls(
                ("read_run", {"trajectory_id": train.trajectory_id}),
                ("read_run", {"trajectory_id": hidden.trajectory_id}),
            )
        ],
        brief,
    )
    first, second = answers(client)
    assert "said" in first
    assert "no train trajectory" in second


def test_lone_surrogates_and_deep_json_do_no_harm(brief, manifest):
    deep = '{"path": ' + "[" * 5000
    odd = {"path": "contract.md", "text": "## A\n\n\ud800\x00"}
    _, client, _ = edit(
        [calls(("write_file", deep), ("write_file", odd), ("submit", manifest))], brief
    )
    assert "refused" in answers(client)[0]


def test_it_works_over_the_wire(brief, manifest):
    script = [
        [("write_file", {"path": "contract.md", "text": SECTION}), ("submit", manifest)],
        [("finish", {})],
    ]
    bodies = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            turn = script[min(len(bodies), len(script)) - 1]
            made = [
                {
                    "id": f"c{n}",
                    "type": "function",
                    "function": {"name": name, "arguments": json.dumps(given)},
                }
                for n, (name, given) in enumerate(turn)
            ]
            message = {"role": "assistant", "content": None, "tool_calls": made}
            payload = {
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "scripted",
                "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
                "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
            }
            data = json.dumps(payload).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        found = asyncio.run(propose_over(f"http://127.0.0.1:{server.server_port}/v1", brief))
    finally:
        server.shutdown()
        server.server_close()
    assert [one.artifact for one in found] == ["Final call"]
    names = [tool["function"]["name"] for tool in bodies[0]["tools"]]
    assert "write_file" in names
    assert bodies[1]["messages"][-1]["role"] == "tool"


async def propose_over(url, brief):
    from schemas.settings import EndpointSettings
    from tasks.agent.chat_model import ChatConversation
    from tasks.agent.endpoint import Endpoint

    settings = EndpointSettings(base_url=url, model="scripted")
    async with Endpoint(settings) as endpoint:
        client = ChatConversation(endpoint, seed=1)
        return await CodingAgentEditor("openai:scripted", client).propose(brief)
