"""Simulated models in a world of three buttons: luck, cues, stickiness, forks, temperature."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field, fields, replace

import pytest

from schemas.errors import ConfigError
from tasks.agent.protocols import (
    ActResult,
    Call,
    EpisodeContext,
    RawCall,
    Task,
    ToolSpec,
    Verdict,
)
from tasks.agent.simulated_faults import CueCache
from tasks.agent.simulated_model import simulated_model
from tasks.agent.simulated_prose import SHAPES, write_as_text
from tasks.agent.simulated_tiers import PROFILES, Luck, TierProfile
from tasks.agent.simulated_world import Cue, FaultKind, Slip

PRESS = ToolSpec("press", "Press a button.", {"type": "object", "properties": {}})
RATE = 0.5


@dataclass
class Buttons:
    """Buttons a, b, c are to be pressed in turn."""

    opening: str = ""
    pressed: list = field(default_factory=list)

    def act(self, call):
        self.pressed.append(call.arguments.get("button"))
        return ActResult("click", done=len(self.pressed) == 3)

    def admissible(self):
        return None

    def snapshot(self):
        return b"{}"

    def restore(self, state):
        pass

    def verdict(self):
        return Verdict("failure", 0.0)


class ButtonSimulation:
    kinds = (
        FaultKind(
            "mumble",
            {"*": dict.fromkeys(PROFILES, RATE)},
            {"system": 1.0, "skill": 1.0, "recent": 1.0, "tools": 1.0},
        ),
    )

    def opportunity(self, kind, view):
        return 1.0

    def slip(self, kind, view, roll, detail):
        return Slip(text=detail or f"mumble {view.streak}")

    def read(self, text, source):
        if "SHOUT" in text:
            return (Cue("mumble", is_right=False, detail="shout"),)
        return (Cue("mumble", is_right=True),) if "SPEAK" in text else ()

    def skill_fit(self, name, description, view):
        return float(name == "speaking")


class ButtonRoom:
    name = "buttons"
    fingerprint = "1"
    tools = (PRESS,)
    system_prompt = "SPEAK is part of the room's own prompt."
    step_budget = 9
    terminal_tools = frozenset()
    non_progress = ()
    simulation = ButtonSimulation()

    def tasks(self, split):
        return tuple(Task(f"buttons/f/{i}", "buttons", "f", split, "Press.") for i in range(200))

    def start(self, task, seed):
        return Buttons()

    def expert_call(self, task, world):
        return Call("press", {"button": "abc"[len(world.pressed)]})


ROOM = ButtonRoom()
TOOLS = [PRESS.as_openai()]


def talk(word, task, *, system="", user="", seed=1, repeat=0, turns=1, tools=TOOLS, tail=()):
    """Replies of one episode whose world never moves."""
    events = []
    chosen = simulated_model(word, lambda luck, turn, event: events.append(event))
    conversation = chosen.open(EpisodeContext(ROOM, task, Buttons(), seed, repeat))
    messages = [
        {"role": "system", "content": ROOM.system_prompt + system},
        {"role": "user", "content": task.text + user},
        *tail,
    ]

    async def ask():
        replies = []
        for _ in range(turns):
            replies.append(await conversation.reply(messages, tools))
            messages.append({"role": "assistant", "content": replies[-1].text})
            messages.append({"role": "user", "content": "go on"})
        return replies

    return asyncio.run(ask()), events


def first_texts(word, **more):
    return [talk(word, task, **more)[0][0].text for task in ROOM.tasks("train")]


def share(texts):
    return sum(bool(text) for text in texts) / len(texts)


@pytest.mark.parametrize(
    "word",
    [
        "simulated:huge",
        "simulated:",
        "simulated",
        "simulated:weak?temperature=hot",
        "simulated:weak?temperature=3",
        "simulated:weak?top_p=1",
        "simulated:weak?temperature=1.2.3",
    ],
)
def test_a_word_that_names_no_model_is_a_clear_error(word):
    with pytest.raises(ConfigError, match="is no simulated model"):
        simulated_model(word)


def test_a_word_names_tier_and_temperature():
    plain, warm = simulated_model("simulated:mid"), simulated_model("simulated:mid?temperature=0.7")
    assert (plain.name, plain.is_deterministic) == ("simulated:mid", True)
    assert (warm.name, warm.is_deterministic) == ("simulated:mid?temperature=0.7", False)
    assert plain.is_simulated
    assert (
        len({model.fingerprint for model in (plain, warm, simulated_model("simulated:weak"))}) == 3
    )


@pytest.mark.parametrize("parameter", [field.name for field in fields(TierProfile)])
def test_every_parameter_of_a_tier_makes_another_fingerprint(parameter):
    plain = simulated_model("simulated:mid")
    profile = replace(PROFILES["mid"], **{parameter: 0.123456})
    other = replace(plain, profile=profile)
    assert other.fingerprint != plain.fingerprint
    assert replace(plain, profile=PROFILES["mid"]).fingerprint == plain.fingerprint


class Reader(ButtonSimulation):
    """A simulation whose cues are given to it."""

    def __init__(self, *cues):
        self.cues = cues

    def read(self, text, source):
        return self.cues


def test_two_worlds_of_one_kind_are_read_each_by_its_own_cues():
    cache = CueCache()
    worlds = [Reader(Cue("mumble", is_right=True)), Reader()]
    assert [len(cache.read(one, "system", "text")) for one in worlds] == [1, 0]


def test_a_world_without_a_policy_is_refused():
    plain = type("PlainRoom", (ButtonRoom,), {"name": "plain", "expert_call": None})
    context = EpisodeContext(plain(), ROOM.tasks("train")[0], Buttons(), 0, 0)
    with pytest.raises(ConfigError, match="'plain' cannot be played"):
        simulated_model("simulated:weak").open(context)


def test_a_fault_strikes_at_its_rate():
    assert share(first_texts("simulated:weak")) == pytest.approx(RATE, abs=0.1)


def test_the_environments_own_words_are_no_cue():
    assert share(first_texts("simulated:strong")) == pytest.approx(RATE, abs=0.1)


@pytest.mark.parametrize("tier", PROFILES)
def test_a_cue_cures_with_the_tiers_obedience(tier):
    word = f"simulated:{tier}"
    before, after = first_texts(word), first_texts(word, system="SPEAK")
    struck = [text for text, old in zip(after, before, strict=True) if old]
    assert 1 - share(struck) == pytest.approx(PROFILES[tier].adherence, abs=0.12)


def test_a_cue_never_makes_a_fault_strike():
    before, after = first_texts("simulated:mid"), first_texts("simulated:mid", system="SPEAK")
    assert not any(new and not old for new, old in zip(after, before, strict=True))


@pytest.mark.parametrize("tier", PROFILES)
def test_a_wrong_cue_is_followed_with_the_same_probability(tier):
    texts = first_texts(f"simulated:{tier}", system="SHOUT")
    assert texts.count("shout") / len(texts) == pytest.approx(PROFILES[tier].adherence, abs=0.1)


@pytest.mark.parametrize(
    "more",
    [
        {"user": "\n\n## Skill: SPEAK"},
        {"tools": [ToolSpec("press", "Press a button. SPEAK", {}).as_openai()]},
        {"tail": [{"role": "assistant", "content": "x"}, {"role": "user", "content": "SPEAK"}]},
    ],
)
def test_cues_are_read_wherever_the_model_is_shown_text(more):
    assert share(first_texts("simulated:strong", **more)) < 0.1


def test_an_old_observation_is_not_read_again():
    tail = [
        {"role": "assistant", "content": "x"},
        {"role": "user", "content": "SPEAK"},
        {"role": "assistant", "content": "x"},
        {"role": "user", "content": "go on"},
    ]
    assert share(first_texts("simulated:strong", tail=tail)) == pytest.approx(RATE, abs=0.1)


def test_the_newest_of_two_contradicting_texts_wins():
    assert share(first_texts("simulated:strong", system="SPEAK", user="SHOUT")) > 0.9
    assert share(first_texts("simulated:strong", system="SHOUT", user="SPEAK")) < 0.1


def test_a_long_prompt_is_obeyed_less():
    short = share(first_texts("simulated:weak", system="SPEAK"))
    assert share(first_texts("simulated:weak", system="SPEAK" + " blah" * 8000)) > short + 0.05


def test_a_fault_is_gone_on_with_until_the_model_recovers():
    rows = [
        [reply.text for reply in talk("simulated:weak", task, turns=8)[0]]
        for task in ROOM.tasks("train")[:60]
    ]
    struck = [texts for texts in rows if texts[0]]
    kept = sum(texts[1] != "" for texts in struck) / len(struck)
    assert kept > RATE + 0.2
    assert any("mumble 7" in texts for texts in struck)


def test_tiers_recover_differently():
    kept = {}
    for tier in PROFILES:
        causes = Counter(
            event.cause
            for task in ROOM.tasks("train")[:100]
            for event in talk(f"simulated:{tier}", task, turns=4)[1]
        )
        kept[tier] = causes["stuck"] / (causes["stuck"] + causes["recovered"])
    assert kept["weak"] > kept["mid"] > kept["strong"]


def test_neither_harness_nor_anything_but_seed_task_and_repeat_is_in_the_luck():
    assert Luck(1, "t", 0).draw("k", 2) == Luck(1, "t", 0).draw("k", 2)
    draws = {
        Luck(seed, task, repeat).draw(kind, number)
        for seed in (1, 2)
        for task in ("t", "u")
        for repeat in (0, 1)
        for kind in ("k", "l")
        for number in (0, 1)
    }
    assert len(draws) == 32


def test_the_repeat_counts_only_above_temperature_zero():
    cold = [first_texts("simulated:mid", repeat=repeat) for repeat in (0, 1)]
    warm = [first_texts("simulated:mid?temperature=1", repeat=repeat) for repeat in (0, 1)]
    assert cold[0] == cold[1] == warm[0]
    assert warm[0] != warm[1]


def test_the_seed_changes_the_luck():
    assert first_texts("simulated:mid", seed=1) != first_texts("simulated:mid", seed=2)


def test_a_reply_says_what_the_expert_would_and_counts_tokens():
    task = ROOM.tasks("train")[0]
    texts = first_texts("simulated:strong")
    place = next(place for place, text in enumerate(texts) if not text)
    reply = talk("simulated:strong", ROOM.tasks("train")[place])[0][0]
    assert [(call.name, call.arguments) for call in reply.calls] == [("press", '{"button":"a"}')]
    assert reply.finish_reason == "tool_calls"
    assert reply.reasoning is None
    assert reply.prompt_tokens > 10
    assert reply.completion_tokens > 3
    longer = talk("simulated:strong", task, system="x" * 4000)[0][0]
    assert longer.prompt_tokens >= talk("simulated:strong", task)[0][0].prompt_tokens + 1000


LOAD = {
    "type": "function",
    "function": {
        "name": "load_skill",
        "description": "Load a skill.",
        "parameters": {"properties": {"name": {"enum": ["speaking", "other"]}}},
    },
}


def loaded(tier, **more):
    replies = [
        talk(f"simulated:{tier}", task, tools=[*TOOLS, LOAD], **more)[0][0]
        for task in ROOM.tasks("train")
    ]
    calls = [call for reply in replies for call in reply.calls if call.name == "load_skill"]
    assert {call.arguments for call in calls} <= {'{"name":"speaking"}'}
    return len(calls) / len(replies)


@pytest.mark.parametrize(("tier", "rate"), [("weak", 0.25), ("mid", 0.60), ("strong", 0.96)])
def test_the_fitting_skill_is_loaded_at_the_tiers_rate(tier, rate):
    assert loaded(tier) == pytest.approx(rate, abs=0.1)


@pytest.mark.parametrize("tier", ["weak", "mid"])
def test_a_reference_put_before_the_model_raises_loading(tier):
    at_start = loaded(tier, user="\n\nThe skill speaking helps.")
    later = loaded(
        tier,
        tail=[{"role": "assistant", "content": "x"}, {"role": "user", "content": "see speaking"}],
    )
    assert at_start > loaded(tier) + 0.1
    assert later > loaded(tier) + 0.1


def test_a_loaded_skill_stays_a_cue_and_is_not_loaded_again():
    function = {"name": "load_skill", "arguments": '{"name": "speaking"}'}
    call = {"id": "c1", "type": "function", "function": function}
    tail = [
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "SPEAK"},
        {"role": "assistant", "content": "x"},
        {"role": "user", "content": "go on"},
    ]
    assert loaded("strong", tail=tail) == 0
    assert share(first_texts("simulated:strong", tail=tail, tools=[*TOOLS, LOAD])) < 0.1


@pytest.mark.parametrize(
    "tail",
    [
        [{"role": "assistant", "content": None, "tool_calls": None}],
        [
            {
                "role": "user",
                "content": [{"type": "text", "text": "SPEAK \ud800"}, {"type": "image"}],
            }
        ],
        [
            {
                "role": "assistant",
                "tool_calls": [{"function": {"name": "x", "arguments": "{" * 9999}}],
            }
        ],
        [{"role": "tool", "content": "\0" * 100}],
    ],
)
def test_strange_messages_do_not_break_it(tail):
    replies, _ = talk("simulated:mid", ROOM.tasks("train")[0], tail=tail)
    assert replies[0].calls or replies[0].text


def test_every_text_shape_holds_tool_and_value():
    call = Call("press", {"button": "a"})
    texts = {write_as_text(call, (place + 0.5) / len(SHAPES)) for place in range(len(SHAPES))}
    assert len(texts) == len(SHAPES)
    assert all("press" in text and '"a"' in text for text in texts)
    assert isinstance(RawCall("press", "{}"), RawCall)
