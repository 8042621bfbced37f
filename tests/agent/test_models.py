"""Words of the command line that name models."""

import pytest

from schemas.errors import ConfigError
from schemas.settings import EndpointSettings, Settings
from tasks.agent.chat_model import ChatModel
from tasks.agent.models import resolve_model
from tasks.agent.recorded_models import RecordingModel

LOCAL = EndpointSettings(base_url="http://127.0.0.1:1/v1", model="m")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch, tmp_path):
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "TACKROOM_TEST_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    "word", ["gold", "noop", "simulated:weak", "simulated:mid?temperature=0.7"]
)
def test_a_built_in_model_is_called_as_it_is_written(word):
    model = resolve_model(word, Settings())
    assert model.name == word
    assert model.is_simulated
    assert model.is_deterministic is ("temperature" not in word)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("golf", "did you mean `gold`"),
        ("simulated:week", "did you mean `simulated:weak`"),
        ("simulated", "tiers: weak, mid, strong"),
        ("openai:locl", "did you mean `openai:local`"),
        ("anthropic:x", "a model is one of"),
        ("", "a model is one of"),
        ("gold:1", "gold"),
        ("replay:", "a model is one of"),
        ("simulated:weak?temperature=hot", "temperature"),
        ("simulated:weak?temperature=-1", "temperature"),
        ("replay:none.jsonl", "--record"),
    ],
)
def test_an_unknown_word_is_one_line_that_helps(word, hint):
    with pytest.raises(ConfigError) as caught:
        resolve_model(word, Settings(models={"local": LOCAL}))
    assert hint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_named_endpoint_is_used_as_configured():
    model = resolve_model("openai:local", Settings(models={"local": LOCAL}))
    assert isinstance(model, ChatModel)
    assert (model.name, model.endpoint.settings, model.is_simulated) == (
        "openai:local",
        LOCAL,
        False,
    )


def test_a_model_id_is_taken_to_the_address_in_the_environment(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:2/v1")
    model = resolve_model("openai:some/model", Settings())
    assert isinstance(model, ChatModel)
    assert (model.endpoint.url, model.endpoint.settings.model) == (
        "http://127.0.0.1:2/v1",
        "some/model",
    )


def test_an_address_that_is_none_is_refused(monkeypatch):
    monkeypatch.setenv("OPENAI_BASE_URL", "localhost")
    with pytest.raises(ConfigError, match="OPENAI_BASE_URL"):
        resolve_model("openai:m", Settings())


def test_a_key_that_is_not_set_is_named_and_not_guessed(monkeypatch):
    place = LOCAL.model_copy(update={"api_key_env": "TACKROOM_TEST_KEY"})
    settings = Settings(models={"local": place})
    with pytest.raises(ConfigError, match="TACKROOM_TEST_KEY is not set"):
        resolve_model("openai:local", settings)
    monkeypatch.setenv("TACKROOM_TEST_KEY", "hush-hush")
    model = resolve_model("openai:local", settings)
    assert "hush" not in repr(model) + repr(vars(model)) + model.fingerprint


def test_a_recorded_model_keeps_its_name(tmp_path):
    model = resolve_model("noop", Settings(), record=tmp_path / "r.jsonl")
    assert isinstance(model, RecordingModel)
    assert model.name == "noop"


def test_the_expert_needs_an_environment_that_has_one(bench):
    class Plain:
        pass

    for name in ("name", "fingerprint", "tools", "system_prompt", "step_budget", "start"):
        setattr(Plain, name, getattr(bench.environment, name))
    bench_task = bench.task
    bench.environment = Plain()
    from tasks.agent.episode_spec import EpisodeSpec

    with pytest.raises(ConfigError, match="no expert"):
        bench.run(resolve_model("gold", Settings()), EpisodeSpec(bench_task, 1))
