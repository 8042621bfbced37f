"""A value of a form that cannot be used is one line that people can read."""

import pytest

from schemas.errors import ConfigError
from schemas.forms import read_form
from schemas.trajectory_forms import AnnotateForm


def test_a_word_of_the_wrong_form_is_told_without_a_pattern():
    with pytest.raises(ConfigError) as caught:
        read_form(AnnotateForm, {"judge": "gpt"})
    text = f"{caught.value} {caught.value.hint}"
    assert "--judge is not understood; got 'gpt'" in text
    assert "openai:NAME" in text
    assert "^" not in text
