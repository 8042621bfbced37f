"""Reasoning of a model is kept apart from what it says, wherever an endpoint puts it."""

import pytest

from tasks.agent.reasoning import take_reasoning


@pytest.mark.parametrize(
    ("message", "field"),
    [
        ({"content": "So.", "reasoning_content": "hm"}, "reasoning_content"),
        ({"content": "So.", "reasoning": "hm"}, "reasoning"),
        ({"content": "So.", "reasoning_content": None, "reasoning": "hm"}, "reasoning"),
        ({"content": "So.", "thinking": "hm"}, "thinking"),
        (
            {"content": "So.", "reasoning_details": [{"type": "reasoning.text", "text": "hm"}]},
            "reasoning_details",
        ),
        (
            {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "So."}]},
            "content part",
        ),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "text", "text": "So."},
                ]
            },
            "content part",
        ),
        ({"content": "<think>hm</think>\n\nSo."}, "in the text"),
    ],
)
def test_reasoning_and_text_come_apart(message, field):
    thought = take_reasoning(message)
    assert (thought.text, thought.reasoning, thought.field) == ("So.", "hm", field)


@pytest.mark.parametrize(
    "text", ["So.", "Use <think>hm</think> there.", "<think>never closed", "<b>x</b>", ""]
)
def test_words_that_are_no_reasoning_stay_the_models(text):
    thought = take_reasoning({"content": text})
    assert (thought.text, thought.reasoning) == (text, "")
