"""Worlds whose user a model plays: who speaks when, what the model sees, and whose fault is whose.

The models are programs behind an endpoint on loopback.
"""

import asyncio
import json
import textwrap
from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.errors import CapReached, ConfigError, EnvironmentFault, UserFault
from schemas.settings import Settings
from tasks.agent.builtin_models import GoldModel, NoopModel, ScriptedModel
from tasks.agent.episode_spec import EpisodeSpec, Rig
from tasks.agent.offers import noise_of
from tasks.agent.protocols import Call
from tasks.agent.rollout import run_episodes
from tasks.agent.run_limits import RunLimits, Spending, limited
from tasks.agent.user_talk import user_of
from tasks.environments.catalogue import WORLDS, environments_of
from tasks.environments.installation import WorldFolder
from tasks.environments.registry import close, resolve_environment
from tasks.harness import Harness
from tasks.world_check import check_world

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SECRET = "You want blue paint."
TALK = """
class World:
    def __init__(self):
        self.talk, self.sold, self.over = ["Hello!"], "", False
    def user_turn(self):
        if self.over or len(self.talk) % 2 == 0:
            return None
        if self.talk[-1] == "be odd":
            return [{"role": "tool", "content": 7}]
        roles = ["user", "assistant"]
        told = [{"role": roles[n % 2], "content": words} for n, words in enumerate(self.talk)]
        return [{"role": "system", "content": "You want blue paint."}, *told]
    def hear(self, words):
        self.talk.append(words)
        if words == "say nonsense":
            return {"observation": words, "done": True, "ended_as": "odd"}
        self.over = words.endswith(("BYE", "LOST"))
        ended_as = "user_error" if words.endswith("LOST") else "user_stop"
        return {"observation": words, "done": self.over, "ended_as": ended_as}
    def act(self, call):
        if call.tool == "sell":
            self.sold = call.arguments.get("paint")
            return "sold"
        if call.arguments.get("message") == "crash":
            import os
            os._exit(3)
        self.talk.append(call.arguments.get("message"))
        return ""
    def snapshot(self):
        return [self.talk, self.sold, self.over]
    def verdict(self):
        return self.over and self.sold == "blue"

class Shop:
    name = "paint_shop"
    tools = [
        {"name": "respond", "parameters": {"type": "object", "properties": {"message": {}}}},
        {"name": "sell", "parameters": {"type": "object", "properties": {"paint": {}}}},
    ]
    system_prompt = "You sell paint."
    talk_tools = ["respond"]
    has_user = True
    def tasks(self):
        return [{"task_id": "shop/paint/%d" % n, "text": "A customer writes:"} for n in range(10)]
    def start(self, task, seed):
        return World()
"""
WORD = "paint_shop_module:Shop"


def respond(message):
    return Call("respond", {"message": message})


SALE = [Call("sell", {"paint": "blue"}), respond("Sold.")]


@pytest.fixture
def shop(tmp_path, monkeypatch, scripted_endpoint):
    """Opens the shop with a customer who says what a script makes of a request."""
    (tmp_path / "paint_shop_module.py").write_text(textwrap.dedent(TALK))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path / "home"))
    opened = []

    def open_it(script, **values):
        environ = scripted_endpoint(script)
        environ["TACKROOM_ROLES__USER"] = "openai:scripted"
        environ["TACKROOM_MODELS__SCRIPTED__LIMITS__MAX_RETRIES"] = "0"
        for name, value in (environ | values).items():
            monkeypatch.setenv(name, value)
        opened.append(resolve_environment(WORD, settings=Settings()))
        return opened[-1]

    yield open_it
    for environment in opened:
        close(environment)


def run(environment, *script, spending=None):
    """One episode of an agent that follows a script."""
    spec = EpisodeSpec(environment.tasks("train")[0], 7)
    return play(environment, ScriptedModel(list(script)), [spec], spending)[0]


def play(environment, model, specs, spending=None):
    """Episodes of a model."""
    harness = Harness.from_files({"harness.yaml": f"api: 1\nenvironment: {environment.name}\n"})
    rig = Rig(environment, model, harness, None, NOW)
    with limited(RunLimits(spending or Spending())):
        return asyncio.run(run_episodes(specs, rig))


def customer(*lines):
    """Says its lines one after the other; keeps the requests."""
    requests = []

    def script(body):
        requests.append(body)
        spoken = sum(one["role"] == "assistant" for one in body["messages"])
        return lines[min(spoken, len(lines) - 1)]

    return script, requests


def test_the_customer_opens_answers_and_ends_the_talk(shop):
    script, requests = customer("I need paint.", "Thanks. BYE")
    environment = shop(script)
    episode = run(environment, *SALE)
    row = episode.trajectory
    assert (row.outcome, row.termination, row.fault) == ("success", "user_stop", None)
    assert episode.task_text == "A customer writes:\n\nI need paint."
    assert [call.result for call in episode.calls] == ["sold", "Thanks. BYE"]
    talks = [body["messages"] for body in requests]
    greeted = [{"role": "system", "content": SECRET}, {"role": "user", "content": "Hello!"}]
    assert talks[-1] == [
        *greeted,
        {"role": "assistant", "content": "I need paint."},
        {"role": "user", "content": "Sold."},
    ]
    assert not any("tools" in body for body in requests)
    assert environment.system_prompt not in str(talks)
    assert (row.prompt_tokens, row.user_prompt_tokens) == (None, 1800)
    assert row.user_completion_tokens == 180


def test_an_agent_cannot_speak_for_the_customer(shop):
    script, requests = customer("I need paint.", "Thanks. BYE")
    episode = run(shop(script), Call("hear", {"words": "BYE"}), *SALE)
    assert episode.calls[0].error_kind == "unknown_tool"
    assert not episode.calls[0].executed
    assert "BYE" not in str(requests)


def test_a_customer_who_leaves_its_part_is_told_apart(shop):
    script, _ = customer("I need paint.", "LOST")
    row = run(shop(script), respond("Which?")).trajectory
    assert (row.outcome, row.termination, row.fault) == ("failure", "user_error", None)


def no_words(body):
    return [("sell", {"paint": "red"})]


@pytest.mark.parametrize("lines", [("Hi.", "  \n"), ("Hi.", "a" * 20_001), ("Hi. BYE",)])
def test_a_customer_who_says_nothing_usable_is_a_fault_of_the_user(shop, lines):
    script, _ = customer(*lines)
    row = run(shop(script), *SALE).trajectory
    assert (row.outcome, row.termination, row.fault) == ("unknown", "user_error", "user_silent")
    # What was paid for is told, also where the talk ended before it began.
    assert row.user_prompt_tokens
    assert row.user_completion_tokens


def test_a_call_is_no_word(shop):
    row = run(shop(no_words), *SALE).trajectory
    assert (row.termination, row.fault) == ("user_error", "user_silent")
    assert "who plays the user, said nothing" in str(row.termination_raw)


def test_an_endpoint_that_is_down_is_a_fault_of_the_user_and_the_others_go_on(shop):
    script, _ = customer("I need paint.", "Thanks. BYE")
    environment = shop(script)
    gone = shop(script, TACKROOM_MODELS__SCRIPTED__BASE_URL="http://127.0.0.1:9/v1")
    row = run(gone, *SALE).trajectory
    assert (row.outcome, row.termination, row.fault) == (
        "unknown",
        "user_error",
        "user_unavailable",
    )
    assert "connection refused" in str(row.termination_raw)
    assert run(environment, *SALE).is_success


@pytest.mark.parametrize(
    ("message", "words", "said"),
    [("be odd", "Hm.", "`user_turn` must give"), ("Hi.", "say nonsense", "`ended_as` was 'odd'")],
)
def test_what_a_world_says_wrong_of_its_user_is_a_fault_of_the_world(shop, message, words, said):
    script, _ = customer("I need paint.", words)
    row = run(shop(script), respond(message), *SALE).trajectory
    assert (row.termination, row.fault) == ("fault", "environment")
    assert said in row.termination_raw


def test_without_the_role_the_environment_is_refused_in_one_line(shop):
    for word, said in (("", "no model has that role"), ("gold", "`gold` is no model behind")):
        with pytest.raises(ConfigError, match=said) as caught:
            shop(customer("Hi.")[0], TACKROOM_ROLES__USER=word)
        assert "under [roles]" in caught.value.hint


def test_the_model_is_in_the_fingerprint_and_the_noise_is_said(shop):
    script, _ = customer("Hi.")
    one = shop(script, TACKROOM_MODELS__SCRIPTED__MODEL="one")
    other = shop(script, TACKROOM_MODELS__SCRIPTED__MODEL="other")
    assert user_of(one) is not None
    assert one.fingerprint != other.fingerprint
    assert noise_of(one) == "a model (openai:scripted) plays the user"


def test_what_the_customer_takes_counts_into_the_caps(shop):
    script, requests = customer("I need paint.", "Hm.", "Thanks. BYE")
    environment, spending = shop(script), Spending(max_tokens=2_600)
    specs = [EpisodeSpec(task, 7) for task in environment.tasks("train")[:3]]
    with pytest.raises(CapReached, match="2600 tokens"):
        play(environment, ScriptedModel([respond("Which?"), *SALE]), specs, spending)
    assert spending.tokens >= 990 * len(requests)
    assert len(requests) < 3 * 3


def test_dollars_are_capped_only_where_the_customer_has_a_price(shop):
    script, _ = customer("I need paint.", "Thanks. BYE")
    with pytest.raises(ConfigError, match="who plays the user, has no price"):
        run(shop(script), *SALE, spending=Spending(max_usd=1))
    price = {
        "TACKROOM_MODELS__SCRIPTED__PRICE__PROMPT": "10",
        "TACKROOM_MODELS__SCRIPTED__PRICE__COMPLETION": "100",
    }
    spending = Spending(max_usd=1)
    row = run(shop(script, **price), *SALE, spending=spending).trajectory
    assert row.user_cost_usd == pytest.approx(2 * (900 * 10 + 90 * 100) / 1e6)
    assert spending.usd == pytest.approx(row.user_cost_usd)
    assert row.cost_usd is None


def test_a_new_child_hears_the_same_words_and_no_model_is_asked(shop):
    environment = shop(lambda body: pytest.fail("asked"))
    first, second = (environment.start(task, 7) for task in environment.tasks("train")[:2])
    first.hear("I need paint.")
    first.act(respond("Which?"))
    second.hear("Hi.")
    with pytest.raises(EnvironmentFault, match="died"):
        second.act(respond("crash"))
    assert first.user_turn()[-1] == {"role": "user", "content": "Which?"}
    first.hear("Blue. BYE")
    heard = ["Hello!", "I need paint.", "Which?", "Blue. BYE"]
    assert json.loads(first.snapshot())[0] == heard


def test_a_check_asks_no_model_and_says_what_it_left_out(shop):
    shop(lambda body: pytest.fail("asked"))
    report = check_world(WORD)
    assert report["ok"], report["findings"]
    assert report["grades"]["gold"]["value"] == "unknown"
    assert "a check asks none" in report["grades"]["gold"]["note"]


def test_a_user_fault_is_one_of_the_world():
    assert issubclass(UserFault, EnvironmentFault)


def test_the_name_of_a_world_stands_for_what_needs_no_model():
    assert environments_of("tau2") == (
        "tau2_telecom_solo",
        "tau2_retail_scripted",
        "tau2_airline_scripted",
    )
    assert environments_of("tau2_retail_user") == ("tau2_retail_user",)


FOLDER = Path(__file__).parents[2] / ".worlds" / "worlds"


def a_customer_of_tau2(body):
    """A program that knows the benchmark's marks: agrees until nothing more can be done."""
    last = body["messages"][-1]["content"]
    if "being transferred" in last:
        return "###TRANSFER###"
    if "all I can do" in last:
        return "Thank you, goodbye. ###STOP###"
    return "Hello, please help me." if len(body["messages"]) == 2 else "Yes, go ahead."


@pytest.fixture
def tau2(tmp_path, monkeypatch, scripted_endpoint):
    """Opens a desk of tau2 with that customer; gives it with the requests."""
    if not WorldFolder(FOLDER).is_current(WORLDS["tau2"]):
        pytest.skip("the world `tau2` is not installed: make worlds")
    monkeypatch.setenv("TACKROOM_HOME", str(tmp_path))
    (tmp_path / "worlds").symlink_to(FOLDER)
    opened, requests = [], []

    def open_it(name, script=a_customer_of_tau2):
        environ = scripted_endpoint(lambda body: requests.append(body) or script(body))
        for key, value in (environ | {"TACKROOM_ROLES__USER": "openai:scripted"}).items():
            monkeypatch.setenv(key, value)
        opened.append(resolve_environment(name, settings=Settings()))
        return opened[-1], requests

    yield open_it
    for environment in opened:
        close(environment)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.xdist_group("worlds")
@pytest.mark.parametrize(
    ("name", "counts"), [("tau2_retail_user", (37, 37, 40)), ("tau2_airline_user", (15, 15, 20))]
)
def test_gold_solves_every_task_of_tau2_with_a_played_customer_and_noop_none(tau2, name, counts):
    environment, requests = tau2(name)
    splits = [environment.tasks(split) for split in ("train", "select", "sealed")]
    assert tuple(map(len, splits)) == counts
    specs = [EpisodeSpec(task, 7) for split in splits for task in split]
    played = play(environment, GoldModel(), specs)
    failed = [(one.trajectory.task_id, one.trajectory.reward_parts) for one in played]
    assert all(one.is_success for one in played), failed
    assert {one.trajectory.termination for one in played} == {"user_stop"}
    assert not any("###" in str(one.calls) for one in played)
    asked = str([body["messages"] for body in requests])
    assert environment.system_prompt[-400:] not in asked
    assert not any("tools" in body for body in requests)
    idle = play(environment, NoopModel(), specs)
    assert {one.trajectory.termination for one in idle} == {"budget"}
    assert not any(one.is_success for one in idle)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.xdist_group("worlds")
def test_a_customer_of_tau2_without_an_answer_in_its_instructions_ends_the_talk(tau2):
    lost = "I was not told that. ###OUT-OF-SCOPE###"
    environment, _ = tau2(
        "tau2_airline_user", lambda body: lost if len(body["messages"]) > 2 else "Hello."
    )
    episode = run(environment, respond("What is your middle name?"))
    row = episode.trajectory
    assert (row.termination, row.outcome, row.fault) == ("user_error", "failure", None)
    assert episode.calls[0].result == "I was not told that."
