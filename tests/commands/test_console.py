"""What the console writes stays one JSON object, whatever it holds and wherever it goes."""

import io
import json
from contextlib import redirect_stdout

import pytest

from deployments.console import emit_json, plain_text


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
@pytest.mark.parametrize(
    "text", ["plain", "h\u00e9 \u6f22", "lone \udcb2", "nul \0", "line\nbreak"]
)
def test_any_text_is_printed_as_json_on_any_terminal(encoding, text):
    out = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    with redirect_stdout(out):
        emit_json({"text": text})
    out.flush()
    printed = out.buffer.getvalue().decode(encoding)
    assert printed.count("\n") == 1
    assert json.loads(printed) == {"text": text}


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"a": 1, "b": 0.123456}, "a 1, b 0.1235"),
        ([], "none"),
        ({}, "none"),
        (None, "-"),
        (["x", 2], "x, 2"),
    ],
)
def test_values_are_told_in_words(value, text):
    assert plain_text(value) == text
