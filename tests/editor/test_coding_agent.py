"""A scripted model edits a workspace through tools; whatever it says is checked."""

import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tasks.agent.protocols import ModelReply, RawCall
from tasks.editor.coding_agent import Caps, CodingAgentEditor

SECTION = "## Final call\n\nEvery task ends with a call of `hand_in`.\n"
MANIFEST = {"title": "End with hand_in", "root_cause": "It is missing.", "why_safe": "True."}


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


def edit(replies, brief, caps=None):
    client = ScriptedClient(replies)
    editor = CodingAgentEditor("openai:scripted", client, caps)
    return editor, client, asyncio.run(editor.propose(brief))


def answers(client):
    return [m["content"] for m in client.seen[-1] if m["role"] == "tool"]


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


def test_a_written_file_and_a_manifest_become_a_proposal(brief):
    pattern_id = brief.patterns[0].pattern_id
    manifest = MANIFEST | {"pattern_id": pattern_id, "predicted_fixes": ["desk/lookup/1"]}
    _, client, found = edit(
        [
            calls(("list_files", {}), ("read_file", {"path": "contract.md"})),
            calls(("write_file", {"path": "contract.md", "text": SECTION}), ("submit", manifest)),
        ],
        brief,
    )
    (proposal,) = found
    assert proposal.layer == "contract"
    assert proposal.artifact == "Final call"
    assert proposal.pattern_id == pattern_id
    assert proposal.manifest.predicted_fixes == ("desk/lookup/1",)
    opening = client.seen[0][1]["content"]
    assert pattern_id in opening
    assert "successful run went on" in opening


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("write_file", {"path": "../escape.md", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "/etc/passwd", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "skills/../../x/SKILL.md", "text": "x"}, "no file of a harness"),
        ("write_file", {"path": "harness.yaml", "text": "api: 1"}, "cannot be changed"),
        ("write_file", {"path": "contract.md", "text": "x" * 70_000}, "more than"),
        ("write_file", {"path": "contract.md"}, "missing ['text']"),
        ("write_file", {"path": 3, "text": "x"}, "wrong type ['path']"),
        ("write_file", '{"path": "contract.md", "text"', "not valid JSON"),
        ("write_file", "[]", "not an object"),
        ("run_shell", {"command": "ls"}, "there is no tool"),
        ("read_file", {"path": "secret.txt"}, "there is no file"),
        ("delete_file", {"path": "skills/none/SKILL.md"}, "there is no file"),
        ("read_run", {"trajectory_id": "traj_unknown"}, "no train trajectory"),
        ("submit", MANIFEST, "no artifact is changed"),
        ("submit", {"title": "x"}, "missing"),
        ("submit", MANIFEST | {"predicted_fixes": "all"}, "wrong type"),
    ],
)
def test_what_cannot_be_done_is_answered_with_the_reason(brief, name, given, reason):
    _, client, found = edit([calls((name, given))], brief)
    assert found == []
    assert reason in answers(client)[0]


def test_broken_files_and_two_layers_are_refused_at_submission(brief):
    rule = "def rule_x(history, context):\n    return None\n"
    _, client, found = edit(
        [
            calls(
                ("write_file", {"path": "actions.py", "text": "def rule_x(:"}), ("submit", MANIFEST)
            ),
            calls(
                ("write_file", {"path": "actions.py", "text": ""}),
                ("write_file", {"path": "regulation.py", "text": rule}),
                ("write_file", {"path": "contract.md", "text": SECTION}),
                ("submit", MANIFEST),
            ),
        ],
        brief,
    )
    assert found == []
    said = answers(client)
    assert "syntax error" in said[1]
    assert "contract and regulation" in said[-1]


def test_the_next_edit_starts_from_the_parent(brief):
    other = SECTION.replace("Final call", "Ending")
    _, _, found = edit(
        [
            calls(("write_file", {"path": "contract.md", "text": SECTION}), ("submit", MANIFEST)),
            calls(("write_file", {"path": "contract.md", "text": other}), ("submit", MANIFEST)),
            calls(("write_file", {"path": "contract.md", "text": other}), ("submit", MANIFEST)),
        ],
        brief,
    )
    assert [one.artifact for one in found] == ["Final call", "Ending"]


def test_talk_without_tools_ends_at_the_turn_cap(brief):
    _, client, found = edit([ModelReply(text="Hm.")] * 50, brief, Caps(turns=5))
    assert found == []
    assert len(client.seen) == 5


def test_the_token_cap_ends_the_work(brief):
    big = ModelReply(text="x", prompt_tokens=900, completion_tokens=200)
    _, client, _ = edit([big] * 50, brief, Caps(tokens=1000))
    assert len(client.seen) == 1


def test_a_refused_edit_is_revised_at_most_twice(brief):
    editor, client, found = edit(
        [calls(("write_file", {"path": "contract.md", "text": SECTION}), ("submit", MANIFEST))],
        brief,
    )
    current = found[0]
    for revision in (1, 2):
        text = SECTION + f"\nRevision {revision}.\n"
        client.replies = [
            calls(("write_file", {"path": "contract.md", "text": text}), ("submit", MANIFEST))
        ]
        revised = asyncio.run(editor.revise(current, ["fires on successes"]))
        assert revised is not None
        current = revised
        assert current.revision == revision
        assert "fires on successes" in client.seen[-1][-1]["content"]
    assert asyncio.run(editor.revise(current, ["again"])) is None


def test_a_model_that_gives_up_revises_nothing(brief):
    editor, _, found = edit(
        [calls(("write_file", {"path": "contract.md", "text": SECTION}), ("submit", MANIFEST))],
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


def test_lone_surrogates_and_deep_json_do_no_harm(brief):
    deep = '{"path": ' + "[" * 5000
    odd = {"path": "contract.md", "text": "## A\n\n\ud800\x00"}
    _, client, _ = edit(
        [calls(("write_file", deep), ("write_file", odd), ("submit", MANIFEST))], brief
    )
    assert "refused" in answers(client)[0]


def test_it_works_over_the_wire(brief):
    script = [
        [("write_file", {"path": "contract.md", "text": SECTION}), ("submit", MANIFEST)],
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
