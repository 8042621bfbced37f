"""What `model check` finds out about servers, sound ones and such with one defect each."""

import asyncio
import time

import pytest

from schemas.errors import ModelFault
from schemas.settings import EndpointSettings, Limits
from tasks.agent.endpoint import Endpoint
from tasks.model_probes.check import PROBES, Checked, check_endpoint
from tasks.model_probes.desk import Desk
from tests.model_probes.conftest import call, completion

LIMITS = Limits(timeout_s=5, max_retries=1, concurrency=4)


def settings_of(server, **more) -> EndpointSettings:
    return EndpointSettings(**({"base_url": server.url, "model": "m", "limits": LIMITS} | more))


def check(server, **options) -> Checked:
    settings = settings_of(server, **options.pop("settings", {}))
    return asyncio.run(check_endpoint(Desk(Endpoint(settings), **options)))


def found(server, probe, **options):
    """Finding of one probe, made after the listing that some rest on."""

    async def main():
        desk = Desk(Endpoint(settings_of(server, **options.pop("settings", {}))))
        async with desk.endpoint:
            listed = await dict(PROBES)["listing"](desk)
            return listed if probe == "listing" else await dict(PROBES)[probe](desk)

    return asyncio.run(main())


def test_a_sound_server_passes_every_probe(server):
    checked = check(server)
    assert {one.probe: one.status for one in checked.findings} == {name: "ok" for name, _ in PROBES}
    assert checked.best_mode == "tools"
    assert checked.is_usable(settings_of(server))
    assert found(server, "context").seen.startswith("8192")
    assert "reasoning_content" in found(server, "reasoning").seen


def with_tools(body):
    return body.get("tools") and body["messages"][-1]["role"] == "user"


def saying(text):
    return lambda body: (200, completion({"content": text})) if with_tools(body) else None


@pytest.mark.parametrize(
    ("text", "parser"),
    [
        ('<tool_call>\n{"name": "add_numbers", "arguments": {"a": 1}}\n</tool_call>', "hermes"),
        ("<tool_call>\n<function=add_numbers>\n<parameter=a>", "qwen3_coder"),
        ('<|python_tag|>{"name": "add_numbers"}', "llama3_json"),
        ('{"name": "add_numbers", "parameters": {"a": 1}}', "llama3_json"),
        ('[TOOL_CALLS] [{"name": "add_numbers"}]', "mistral"),
        ("[add_numbers(a=1794, b=2537)]", "pythonic"),
    ],
)
def test_a_call_left_in_the_text_names_the_parser_that_would_read_it(server, text, parser):
    server.defect = saying(text)
    one = found(server, "tool_calls")
    assert one.status == "defect"
    assert f"--tool-call-parser {parser}" in one.change
    assert "--jinja" in one.change


def test_a_server_without_a_parser_is_told_which_flag_it_lacks(server):
    message = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser'
    server.defect = lambda body: (
        (400, {"error": {"message": message}}) if with_tools(body) else None
    )
    one = found(server, "tool_calls")
    assert one.status == "defect"
    assert "--enable-auto-tool-choice" in one.change


def test_a_model_that_answers_in_words_is_sent_to_another_mode(server):
    server.defect = saying("It is 4331.")
    checked = check(server)
    assert checked.status("tool_calls") == "missing"
    assert not checked.is_usable(settings_of(server))
    assert checked.is_usable(settings_of(server, mode="text"))
    assert checked.best_mode == "text"


def test_broken_argument_text_is_a_defect_and_an_object_is_not(server):
    def arguments(value):
        made = {"content": None, "tool_calls": [call("add_numbers", value)]}
        return lambda body: (200, completion(made)) if with_tools(body) else None

    server.defect = arguments('{"a": 1794, ')
    assert found(server, "tool_calls").status == "defect"
    server.defect = arguments({"a": 1, "b": 2})
    assert found(server, "tool_calls").status == "ok"
    server.defect = arguments('{"a":1,"b":2}{"a":3,"b":4}')
    assert "parallel_tool_calls" in found(server, "parallel_calls").change


def test_a_schema_that_is_ignored_or_only_taken_otherwise_is_told_apart(server):
    def ignoring(body):
        return (
            (200, completion({"content": "Waves roll in."})) if "response_format" in body else None
        )

    server.defect = ignoring
    assert found(server, "schema").status == "defect"

    def other_form(body):
        if body.get("response_format", {}).get("type") == "json_schema":
            return 422, {"error": {"message": "type: expected text or json_object"}}
        return None

    server.defect = other_form
    one = found(server, "schema")
    assert 'schema_form = "json_object"' in one.change
    given = {"settings": {"schema_form": "json_object"}}
    assert found(server, "schema", **given).status == "ok"


def test_a_seed_that_changes_nothing_is_not_called_one(server):
    numbers = iter(range(100))

    def fresh(body):
        return (200, completion({"content": str(next(numbers))})) if "seed" in body else None

    server.defect = fresh
    assert found(server, "seed").status == "missing"
    server.defect = lambda body: (200, completion({"content": "a"})) if "seed" in body else None
    assert found(server, "seed").status == "unknown"


def test_missing_logprobs_and_usage_and_inline_reasoning_are_seen(server):
    def bare(body):
        answer = completion({"content": "<think>hm</think>ready"})
        answer.pop("usage")
        return None if with_tools(body) else (200, answer)

    server.defect = bare
    checked = check(server)
    assert (checked.status("logprobs"), checked.status("usage")) == ("missing", "missing")
    reasoning = next(one for one in checked.findings if one.probe == "reasoning")
    assert reasoning.status == "defect"
    assert "--reasoning-parser" in reasoning.change


def test_the_context_is_read_from_a_refusal_where_no_list_says_it(server):
    server.listing = {"data": [{"id": "m"}]}

    def refusing(body):
        if body["max_tokens"] > 100_000:
            text = f"max_tokens={body['max_tokens']} is too large: at most 4096 tokens"
            return 400, {"error": {"message": text}}
        return None

    server.defect = refusing
    assert found(server, "context").seen.startswith("4096")


def test_a_model_that_is_not_listed_is_answered_with_those_that_are(server):
    server.listing = {"data": [{"id": "n-7b"}, {"id": "o-1b"}]}
    one = found(server, "listing")
    assert (one.status, one.change) == ("missing", "set model to one of: n-7b, o-1b")


def test_a_server_that_takes_two_at_once_is_not_given_four(server):
    running = [0]

    def crowded(body):
        if "in words" not in str(body["messages"][-1]["content"]):
            return None
        running[0] += 1
        time.sleep(0.1)
        refused = running[0] > 2
        running[0] -= 1
        return (429, {"error": {"message": "too many"}}) if refused else None

    server.defect = crowded
    one = found(server, "concurrency")
    assert one.change == "set limits.concurrency = 2"
    assert "of 4 at once fail" in one.seen


def test_a_model_that_refuses_everything_ends_the_check_at_once(server):
    server.defect = lambda body: (400, {"error": {"message": "use max_completion_tokens"}})
    checked = check(server)
    assert [one.probe for one in checked.findings] == ["listing", "reply"]
    assert "max_completion_tokens" in checked.findings[-1].change
    assert not checked.is_usable(settings_of(server))


def test_what_the_budget_does_not_reach_stays_unknown(server):
    checked = check(server, most_requests=3)
    assert len(server.bodies) == 3
    told = {one.probe for one in checked.findings if one.status != "unknown"}
    assert told == {"listing", "reply", "usage", "tool_calls", "context"}


def test_an_endpoint_that_is_down_is_one_fault():
    down = Endpoint(EndpointSettings(base_url="http://127.0.0.1:9/v1", model="m", limits=LIMITS))
    with pytest.raises(ModelFault, match=r"127\.0\.0\.1:9"):
        asyncio.run(check_endpoint(Desk(down)))
