"""Spans of language models: dialects by attributes, conversations rebuilt, nothing vanishes."""

import json

import pytest


def attributes(**values):
    """Attributes in the typed form of OTLP, underscores of names as dots where doubled."""
    kinds = {bool: "boolValue", int: "intValue", float: "doubleValue", str: "stringValue"}
    return [
        {"key": key.replace("__", "."), "value": {kinds[type(value)]: _typed(value)}}
        for key, value in values.items()
    ]


def _typed(value):
    return str(value) if type(value) is int else value


def span(name, number, parent="", trace="t1", status=None, **values):
    return {
        "traceId": trace,
        "spanId": f"s{number}",
        "parentSpanId": parent,
        "name": name,
        "startTimeUnixNano": str(1_700_000_000_000_000_000 + number),
        "attributes": attributes(**values),
        "status": status or {},
    }


def envelope(*spans, service="desk"):
    resource = {"attributes": attributes(service__name=service)}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": list(spans)}]}]}


def text(role, content):
    return {"role": role, "parts": [{"type": "text", "content": content}]}


def called(call_id, name, arguments):
    part = {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}
    return {"role": "assistant", "parts": [part], "finish_reason": "tool_calls"}


def answered(call_id, response):
    part = {"type": "tool_call_response", "id": call_id, "response": response}
    return {"role": "tool", "parts": [part]}


def chat(number, given, said, parent="", trace="t1", **values):
    return span(
        "chat gpt-x",
        number,
        parent,
        trace,
        gen_ai__operation__name="chat",
        gen_ai__request__model="gpt-x",
        gen_ai__input__messages=json.dumps(given),
        gen_ai__output__messages=json.dumps(said),
        gen_ai__usage__input_tokens=10 * number,
        gen_ai__usage__output_tokens=number,
        **values,
    )


ASKED = [text("user", "Weather in Paris?")]
CALLED = called("c1", "get", '{"city": "Paris"}')


def roles(episode):
    return [step.role for step in episode.steps]


def test_a_history_that_every_span_repeats_is_taken_once(load, write):
    third = [*ASKED, CALLED, answered("c1", "rain"), text("assistant", "Rain."), text("user", "Ok")]
    spans = (
        chat(3, third, [text("assistant", "Bye.")]),
        chat(1, ASKED, [CALLED]),
        chat(2, third[:3], [third[3]]),
    )
    (episode,) = load(write(envelope(*spans))).episodes
    assert roles(episode) == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    row = episode.trajectory
    assert (row.steps, row.prompt_tokens, row.completion_tokens) == (3, 60, 6)
    assert (row.environment, row.model, row.outcome) == ("otel_desk", "gpt-x", "unknown")
    (call,) = episode.calls
    assert (call.arguments_raw, call.result) == ('{"city": "Paris"}', "rain")
    assert episode.sources[0].native_id == "t1"


def test_a_shortened_history_loses_nothing_and_doubles_nothing(load, write):
    first = [text("user", "One"), text("assistant", "1"), text("user", "Two")]
    cut = [text("user", "Two"), text("assistant", "2"), text("user", "Three")]
    spans = (
        chat(1, first, [text("assistant", "2")]),
        chat(2, cut, [text("assistant", "3")]),
    )
    (episode,) = load(write(envelope(*spans))).episodes
    assert [step.text for step in episode.steps] == ["One", "1", "Two", "2", "Three", "3"]


def test_tool_spans_bring_the_results_that_no_message_holds(load, write):
    tool = span(
        "execute_tool get",
        2,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="get",
        gen_ai__tool__call__id="c1",
        gen_ai__tool__call__arguments='{"city": "Paris"}',
        gen_ai__tool__call__result="no such city",
        status={"code": 2, "message": "failed"},
    )
    (episode,) = load(write(envelope(chat(1, ASKED, [CALLED]), tool))).episodes
    (call,) = episode.calls
    assert (call.result, call.is_error, call.executed) == ("no such city", True, True)


def test_spans_without_content_are_no_empty_turns(load, write):
    spans = (
        span("chat", 1, gen_ai__operation__name="chat", gen_ai__request__model="m"),
        span(
            "execute_tool",
            2,
            gen_ai__operation__name="execute_tool",
            gen_ai__tool__name="get",
            gen_ai__tool__call__id="c1",
        ),
    )
    (episode,) = load(write(envelope(*spans))).episodes
    assert next((s.role, s.text) for s in episode.steps) == ("assistant", None)
    assert "content" in json.loads(episode.trajectory.lost_evidence)
    assert [call.tool for call in episode.calls] == ["get"]


def test_each_agent_is_an_episode_and_knows_who_started_it(load, write):
    spans = (
        span(
            "invoke_agent boss",
            1,
            gen_ai__operation__name="invoke_agent",
            gen_ai__agent__name="boss",
        ),
        chat(2, ASKED, [text("assistant", "I ask.")], parent="s1"),
        span(
            "invoke_agent aide",
            3,
            "s1",
            gen_ai__operation__name="invoke_agent",
            gen_ai__agent__name="aide",
        ),
        chat(4, [text("user", "Look.")], [text("assistant", "Seen.")], parent="s3"),
    )
    result = load(write(envelope(*spans)))
    found = [(e.sources[0].native_id, e.sources[0].parent_native_id) for e in result.episodes]
    assert found == [("t1/boss", None), ("t1/aide", "t1/boss")]


def test_traces_are_gathered_over_lines_and_conversations_over_traces(load, write):
    other = [text("user", "Hi")]
    lines = [
        envelope(chat(1, ASKED, [CALLED])),
        envelope(
            chat(2, other, [text("assistant", "Yo")], trace="t2", gen_ai__conversation__id="k")
        ),
        envelope(chat(3, [*ASKED, CALLED, answered("c1", "rain")], [text("assistant", "Rain.")])),
        envelope(
            chat(
                4,
                [*other, text("assistant", "Yo"), text("user", "And?")],
                [text("assistant", "So.")],
                trace="t3",
                gen_ai__conversation__id="k",
            )
        ),
    ]
    result = load(write("\n".join(map(json.dumps, lines)), "spans.jsonl"))
    assert [e.sources[0].native_id for e in result.episodes] == ["t1", "k"]
    assert [len(e.steps) for e in result.episodes] == [4, 4]


def test_openinference_lists_are_sorted_by_number(load, write):
    given = {}
    for at in range(12):
        given[f"llm.input_messages.{at}.message.role"] = "user" if at % 2 == 0 else "assistant"
        given[f"llm.input_messages.{at}.message.content"] = f"m{at}"
    values = dict(sorted(given.items()))
    one = span("llm", 1) | {
        "attributes": {
            "openinference.span.kind": "LLM",
            **values,
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "f",
            "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"a": 1}',
        }
    }
    (episode,) = load(write([one])).episodes
    assert [step.text for step in episode.steps][:12] == [f"m{at}" for at in range(12)]
    assert (episode.calls[0].tool, episode.calls[0].arguments_raw) == ("f", '{"a": 1}')


def test_older_indexed_names_are_read(load, write):
    one = span(
        "openai.chat",
        1,
        gen_ai__prompt__0__role="user",
        gen_ai__prompt__0__content="Hi",
        gen_ai__completion__0__role="assistant",
        gen_ai__completion__0__tool_calls__0__id="c",
        gen_ai__completion__0__tool_calls__0__name="f",
        gen_ai__completion__0__tool_calls__0__arguments='{"a": 1}',
    )
    result = load(write(envelope(one)))
    (episode,) = result.episodes
    assert (episode.calls[0].tool, episode.calls[0].native_id) == ("f", "c")
    assert json.loads(result.reports[0].row.dialects) == ["gen_ai_older"]


def test_phoenix_rows_are_read(load, write):
    row = {
        "context.trace_id": "t9",
        "context.span_id": "s1",
        "parent_id": None,
        "start_time": "2025-01-01T00:00:00Z",
        "status_code": "OK",
        "attributes.openinference.span.kind": "LLM",
        "attributes.llm.input_messages": [{"message.role": "user", "message.content": "Hi"}],
        "attributes.llm.output_messages": [
            {"message": {"role": "assistant", "content": "Yo"}},
        ],
    }
    (episode,) = load(
        write(json.dumps(row) + "\n" + json.dumps(row | {"context.trace_id": "t8"}), "p.jsonl")
    ).episodes[:1]
    assert [(s.role, s.text) for s in episode.steps] == [("user", "Hi"), ("assistant", "Yo")]
    assert episode.sources[0].native_id == "t9"


def test_spans_of_another_dialect_are_counted_and_named(load, write):
    llm = span("llm", 1, openinference__span__kind="LLM", input__value="Hi", output__value="Yo")
    result = load(write(envelope(llm, span("vendor.think", 2, vendor__kind="think"))))
    assert len(result.episodes) == 1
    assert "1 spans are in no dialect that is known, such as 'vendor.think'" in (
        result.reports[0].row.notes
    )
    nothing = load(write(envelope(span("vendor.think", 2, vendor__kind="think"))))
    assert nothing.reports[0].row.imported == 0


def test_evaluations_decide_only_when_they_are_named(load, write):
    scored = chat(1, ASKED, [text("assistant", "Rain.")])
    scored["events"] = [
        {
            "name": "gen_ai.evaluation.result",
            "attributes": attributes(
                gen_ai__evaluation__name="right", gen_ai__evaluation__score__value=1.0
            ),
        }
    ]
    path = write(envelope(scored))
    assert load(path).episodes[0].trajectory.outcome == "unknown"
    row = load(path, verdict_field="scores.right").episodes[0].trajectory
    assert (row.outcome, json.loads(row.reward_parts)["scores"]) == ("success", {"right": 1.0})


def test_a_model_that_could_not_be_reached_is_a_fault(load, write):
    failed = span(
        "chat",
        1,
        gen_ai__operation__name="chat",
        gen_ai__input__messages=json.dumps(ASKED),
        status={"code": "STATUS_CODE_ERROR", "message": "RateLimitError: 429"},
    )
    row = load(write(envelope(failed))).episodes[0].trajectory
    assert (row.outcome, row.fault, row.termination) == ("unknown", "api_error", "fault")


def test_secrets_in_typed_attributes_are_redacted(load, write):
    secret = "SECRET-VALUE-123456"
    one = chat(1, ASKED, [text("assistant", "Hi")], gen_ai__request__api_key=secret)
    result = load(write(envelope(one)))
    assert secret not in result.episodes[0].trajectory.model_dump_json()
    assert json.loads(result.reports[0].row.redactions_by_kind) == {"named": 1}


@pytest.mark.parametrize(
    "name",
    [
        "openinference_client_span_tool_calls.json",
        "otel_genai_client_span_tool_calls.json",
        "otel_genai_deprecated_client_span_tool_calls.json",
    ],
)
def test_recorded_attributes_give_the_same_conversation(load, write, shared, name):
    values = json.loads((shared / "otel-openinference" / name).read_text())
    (episode,) = load(write(envelope(span("llm", 1) | {"attributes": values}))).episodes
    (call,) = episode.calls
    assert (call.tool, json.loads(call.arguments)) == ("get_weather", {"location": "Paris"})
    assert "57°F" in call.result
    assert "57°F" in episode.steps[-1].text
    assert (episode.trajectory.prompt_tokens, episode.trajectory.completion_tokens) == (97, 52)
