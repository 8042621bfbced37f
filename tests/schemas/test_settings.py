"""Settings: where they come from, who wins, and what is said about mistakes."""

import os
from pathlib import Path

import pytest

from schemas.errors import ConfigError
from schemas.settings import Settings, load_settings

ENDPOINT = '[models.a]\nbase_url = "http://h/v1"\nmodel = "m"\n'


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch):
    for name in list(os.environ):
        if name.upper().startswith("TACKROOM_") or name == "SOME_KEY":
            monkeypatch.delenv(name)


@pytest.fixture
def load(tmp_path):
    def read(toml: str = "", dotenv: str = "") -> Settings:
        (tmp_path / "tackroom.toml").write_text(toml)
        (tmp_path / ".env").write_text(dotenv)
        return load_settings(tmp_path)

    return read


def test_defaults_hold_in_an_empty_folder(tmp_path):
    settings = load_settings(tmp_path)
    assert (settings.home, settings.models, settings.roles.agent) == (Path(".tackroom"), {}, None)


def test_a_variable_without_a_value_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("TACKROOM_HOME", "")
    assert load_settings(tmp_path).home == Path(".tackroom")


def test_variables_win_over_dotenv_and_dotenv_over_toml(load, monkeypatch):
    assert load('home = "toml"').home == Path("toml")
    assert load('home = "toml"', "TACKROOM_HOME=dotenv").home == Path("dotenv")
    monkeypatch.setenv("TACKROOM_HOME", "variable")
    assert load('home = "toml"', "TACKROOM_HOME=dotenv").home == Path("variable")


def test_an_endpoint_is_read_with_all_its_parts(load):
    toml = ENDPOINT + (
        'api_key_env = "SOME_KEY"\nmode = "text"\n'
        "[models.a.sampling]\ntemperature = 0\n[models.a.limits]\ntimeout_s = 5\n"
        '[models.a.price]\nprompt = 1.5\n[roles]\nagent = "openai:a"\n'
    )
    settings = load(toml)
    place = settings.models["a"]
    assert (place.mode, place.sampling.temperature, place.limits.timeout_s) == ("text", 0, 5)
    assert place.price
    assert place.price.prompt == 1.5
    assert settings.roles.agent == "openai:a"


def test_a_variable_changes_one_value_of_an_endpoint(load, monkeypatch):
    monkeypatch.setenv("TACKROOM_MODELS__A__MODEL", "other")
    assert load(ENDPOINT).models["a"].model == "other"


def test_a_key_is_found_by_name_and_never_shown(load, monkeypatch):
    settings = load(dotenv="SOME_KEY=from-dotenv\n")
    secret = settings.secret("SOME_KEY")
    assert secret
    assert secret.get_secret_value() == "from-dotenv"
    assert "from-dotenv" not in repr(settings) + repr(secret) + str(settings.model_dump())
    monkeypatch.setenv("SOME_KEY", "from-variable")
    assert settings.variable("SOME_KEY") == "from-variable"
    assert settings.secret("NO_SUCH_KEY") is None


def test_variables_of_other_programs_in_dotenv_are_left_alone(load):
    assert load(dotenv="OPENAI_API_KEY=x\nPATH_TO=y\n").models == {}


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ('hmoe = "x"', "unknown key `hmoe` (did you mean `home`?)"),
        (ENDPOINT + "temprature = 1", "unknown key `models.a.temprature`"),
        (ENDPOINT + "[models.a.limits]\ntimeout = 1", "did you mean `timeout_s`?"),
        (ENDPOINT + "[models.a.sampling]\ntop_q = 1", "did you mean `top_p`?"),
        (ENDPOINT + "[models.a.price]\nprompts = 1", "did you mean `prompt`?"),
        ('[roles]\nagnet = "gold"', "did you mean `agent`?"),
        ("_env_file = 1", "unknown key `_env_file`"),
        ('[models.a]\nmodel = "m"', "`models.a.base_url`: Field required"),
        (ENDPOINT + 'mode = "grammar"', "`models.a.mode`"),
        (ENDPOINT.replace("http://h/v1", "h:80"), "`models.a.base_url`"),
        (ENDPOINT + "[models.a.limits]\nconcurrency = 0", "greater than or equal to 1"),
        ("home = 3", "`home`"),
        ("models = 3", "`models`"),
        ('[models.a]\nbase_url = "http://h/v1"\nmodle = "m"', "did you mean `model`?"),
        ('[models.a]\nmodel = "m"', "(add the key)"),
        (ENDPOINT + "[models.a.limits]\nconcurrency = 'x'", "(write a number without quotes)"),
        (ENDPOINT + 'mode = "grammar"', "(change it: Native tool calls"),
        ("home = 3", "(write a text in quotes"),
        ("models = 3", "(write a table"),
        ("[editor]\npass_env = 3", "(write a list"),
        ("a = = 3", "(line 1) cannot be read"),
        ('home = "x"\n[roles]\na = = 3', "(line 3) cannot be read: Invalid value (mend that line"),
        ("home", "end of document) (mend its last line"),
    ],
)
def test_a_mistake_in_the_file_is_one_line_that_helps(load, toml, says):
    with pytest.raises(ConfigError) as caught:
        load(toml)
    assert says in str(caught.value)
    assert "tackroom.toml" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("dotenv", "says"),
    [
        ("TACKROOM_HOEM=x", "unknown key `hoem` (did you mean `home`?)"),
        ("TACKROOM_MODELS=x", "models"),
        ("TACKROOM_MODELS__A__MODEL=x", "`models.a.base_url`"),
    ],
)
def test_a_mistake_in_dotenv_is_one_line_that_helps(load, dotenv, says):
    with pytest.raises(ConfigError) as caught:
        load(dotenv=dotenv)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_key_pasted_into_the_wrong_place_is_not_repeated(load):
    with pytest.raises(ConfigError) as caught:
        load(ENDPOINT + 'api_key_env = "sk-abc-123"')
    assert "sk-abc" not in str(caught.value)


def test_a_file_that_is_no_text_is_one_line(tmp_path):
    (tmp_path / "tackroom.toml").write_bytes(b"# a\n\xff\xfe\x00")
    with pytest.raises(ConfigError, match=r"\(line 2\) cannot be read: .* \(save it as UTF-8\)"):
        load_settings(tmp_path)
