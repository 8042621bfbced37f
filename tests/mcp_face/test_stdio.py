"""The face over stdio: what a client is shown, what becomes of its calls, what the log says."""

import asyncio
import json
import subprocess

import pytest
from mcp import MCPError

from tasks.mcp_face.wire import said

pytestmark = pytest.mark.slow
SAID = "Be brief."


def texts(result):
    return [block.text for block in result.content if block.type == "text"]


def test_a_client_is_shown_contract_hints_and_skills_behind_the_upstreams_own(face, connect):
    faced = face()

    async def look():
        async with connect(faced.stdio) as client:
            told = client.session.initialize_result
            tools = {tool.name: tool.description for tool in (await client.list_tools()).tools}
            prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
            skill = (await client.get_prompt("look-up")).messages[0].content
            own = (await client.get_prompt("greet")).messages[0].content
            resource = (await client.read_resource("desk://a")).contents[0]
            return told, tools, prompts, skill.text, own.text, resource.text

    told, tools, prompts, skill, own, resource = asyncio.run(look())
    assert told.instructions == "Upstream says.\n\nBe brief."
    assert (told.server_info.name, told.server_info.version) == ("desk", "7")
    assert tools["echo"] == "Does echo. Say it once."
    assert tools["hang"] == "Does hang."
    assert len(tools) == 10
    assert prompts == ["greet", "look-up"]
    assert skill == "## Skill: look-up\n\nLook first."
    assert (own, resource) == ("upstream greet", "content of a")
    assert faced.kinds() == [("load", "done")]


def test_calls_are_rewritten_blocked_and_hinted_and_all_else_stays(face, connect):
    faced = face("--task", "Find the name.", "--budget", "9")

    async def play():
        async with connect(faced.stdio) as client:
            return [
                await client.call_tool("echo", {"text": "plain", "more": None}),
                await client.call_tool("echo", {"text": "quiet"}),
                await client.call_tool("echo", {"text": "secret"}),
                await client.call_tool("fail"),
                await client.call_tool("picture"),
                await client.call_tool("echo", {"text": "stop"}),
                await client.call_tool("echo", {"text": "force"}),
                await client.call_tool("echo", {"text": "task"}),
                await client.call_tool("echo", {"text": "task"}, meta={"tackroom/task": "Other."}),
                await client.call_tool("echo", {"text": "turns"}),
            ]

    plain, quiet, secret, fail, picture, stop, force, first, second, turns = asyncio.run(play())
    assert texts(plain) == ["plain"]
    assert plain.structured_content == {"got": {"text": "plain", "more": None}}
    assert texts(quiet) == ["LOUD\n\nHint: Look again."]
    assert quiet.structured_content == {"got": {"text": "LOUD"}}
    assert (texts(secret), secret.is_error) == (["Not that word.\n\nHint: Look again."], True)
    assert (texts(fail), fail.is_error) == (["it failed\n\nHint: Look again."], True)
    assert [block.type for block in picture.content] == ["image", "text"]
    assert (picture.content[0].data, picture.is_error) == ("aGVsbG8=", False)
    assert (texts(stop), texts(force)) == (["stop"], ["force"])
    assert texts(first)[0].startswith("The task is: Find the name.")
    assert texts(second)[0].startswith("The task is: Other.")
    assert texts(turns)[0].startswith("9 of 0")
    kinds = faced.kinds()
    assert kinds[:2] == [("inject", "unavailable"), ("rewrite", "done")]
    assert ("stop", "unavailable") in kinds
    assert ("force", "unavailable") in kinds
    assert faced.lines("session")[0]["unavailable"] == ["rescue", "force", "stop", "inject"]


def test_shadow_mode_logs_and_changes_nothing(face, connect):
    faced = face(
        "--mode",
        "shadow",
        **{"harness.yaml": "api: 1\nenvironment: sqldesk\ndelivery: on_demand\n"},
    )

    async def play():
        async with connect(faced.stdio) as client:
            told = client.session.initialize_result.instructions
            tools = (await client.list_tools()).tools
            prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
            answers = [
                texts(await client.call_tool("echo", {"text": text}))
                for text in ("quiet", "secret", "hint me")
            ]
            return told, len(tools), tools[0].description, prompts, answers

    told, count, described, prompts, answers = asyncio.run(play())
    assert (told, count, described) == ("Upstream says.", 10, "Does echo.")
    assert prompts == ["greet"]
    assert answers == [["quiet"], ["secret"], ["hint me"]]
    assert faced.kinds() == [("rewrite", "shadow"), ("block", "shadow"), ("hint", "shadow")]


def test_clashing_names_are_shown_under_others_and_still_reached(face, connect):
    settings = "api: 1\nenvironment: sqldesk\ndelivery: on_demand\n"
    desk = face().command[face().command.index("--upstream") + 1]
    faced = face(upstream=f"{desk} --clash", **{"harness.yaml": settings})

    async def play():
        async with connect(faced.stdio) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            skill = texts(await client.call_tool("load_skill", {"name": "look-up"}))
            theirs = texts(await client.call_tool("upstream_load_skill"))
            prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
            own = (await client.get_prompt("look-up")).messages[0].content.text
            ours = (await client.get_prompt("skill_look-up")).messages[0].content.text
            return names, skill, theirs, prompts, own, ours

    names, skill, theirs, prompts, own, ours = asyncio.run(play())
    assert names[-2:] == ["upstream_load_skill", "load_skill"]
    assert skill == ["## Skill: look-up\n\nLook first."]
    assert theirs == ["the upstream's own load_skill"]
    assert prompts == ["greet", "look-up", "skill_look-up"]
    assert (own, ours[:8]) == ("upstream look-up", "## Skill")
    assert faced.lines("renamed")[0]["shown"] == "upstream_load_skill"


def test_what_the_upstream_says_unasked_reaches_the_client(face, connect):
    faced, heard = face(), []

    async def hear(message):
        heard.append(type(message).__name__)

    async def answer(context, params):
        import mcp_types as types

        return types.ElicitResult(action="accept", content={"name": "Ada"})

    async def play():
        async with connect(
            faced.stdio, message_handler=hear, elicitation_callback=answer
        ) as client:
            asked = texts(await client.call_tool("ask"))
            await client.call_tool("grow")
            return asked, [tool.name for tool in (await client.list_tools()).tools][-1]

    assert asyncio.run(play()) == (["Ada"], "grown")
    assert heard == ["ToolListChangedNotification"]


def test_an_upstream_that_fails_reaches_the_client_as_itself(face, connect):
    faced, found = face("--timeout", "2"), {}

    async def play():
        async with connect(faced.stdio) as client:
            for name in ("refuse", "hang", "crash", "echo"):
                with pytest.raises(MCPError) as caught:
                    await client.call_tool(name)
                found[name] = (caught.value.code, caught.value.message, caught.value.data)

    asyncio.run(play())
    assert found == {
        "refuse": (-32042, "not today", {"why": "test"}),
        "hang": (-32001, "Request 'tools/call' timed out", None),
        "crash": (-32000, "Connection closed", None),
        "echo": (-32000, "Connection closed", None),
    }
    assert set(faced.kinds()) == {("hint", "unavailable")}


def test_an_upstream_that_cannot_be_started_is_said_to_the_client(face, connect):
    faced = face(upstream="false")

    async def play():
        async with connect(faced.stdio):
            pass

    with pytest.raises(BaseException) as caught:  # noqa: PT011
        asyncio.run(play())
    assert said(caught.value).startswith("the upstream server false cannot be used")


def test_huge_results_and_noise_of_the_upstream_pass(face, connect):
    faced = face()

    async def play():
        async with connect(faced.stdio) as client:
            noise = texts(await client.call_tool("noise"))
            return noise, len(texts(await client.call_tool("huge", {"size": 20_000_000}))[0])

    assert asyncio.run(play()) == (["made noise"], 20_000_000)
    assert [line["kind"] for line in faced.lines("fault")][:1] == ["upstream"]


def test_garbage_from_the_client_is_passed_over(face):
    faced = face()
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "0"},
    }
    calls = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": 7}},
        {"jsonrpc": "2.0", "id": 3, "method": "no/such"},
        {
            "jsonrpc": "2.0",
            "id": 4,
            "method": "tools/call",
            "params": {"name": "echo", "arguments": {"text": "secret"}},
        },
    ]
    said = b"\xff\xfe\nnot json\n[]\n{}\n" + "".join(json.dumps(c) + "\n" for c in calls).encode()
    process = subprocess.Popen(
        faced.command,
        env=faced.environ,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(said)
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(4)]
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 0
    by_id = {answer["id"]: answer for answer in answers}
    assert by_id[2]["error"]["code"] == -32602
    assert by_id[3]["error"]["code"] == -32601
    assert by_id[4]["result"]["isError"] is True
    assert b"Traceback" not in errors
    assert b"unavailable over MCP, only logged: rescue, force, stop, inject" in errors


def test_secrets_of_calls_and_of_the_upstream_are_not_in_the_log(face, connect):
    key = "sk-" + "a1B2c3D4e5F6g7H8i9J0"
    desk = face().command[face().command.index("--upstream") + 1]
    rule = '''def rule_all(action, context):
    """All calls are seen."""
    return {"kind": "block", "message": "No."}
'''
    faced = face(upstream=f"env KEY={key} {desk}", **{"actions.py": rule})

    async def play():
        async with connect(faced.stdio) as client:
            await client.call_tool("echo", {"api_key": "hunter2-hunter2", "text": f"use {key}"})

    asyncio.run(play())
    text = faced.log.read_text()
    assert "[REDACTED]" in text
    assert key not in text
    assert "hunter2" not in text
    assert faced.lines("session")[0]["upstream"] == "env"
    assert faced.log.stat().st_mode & 0o077 == 0
