import copy

import pytest

from tasks.harness import HarnessError, Session

MESSAGES = [
    {"role": "system", "content": "You are a clerk."},
    {"role": "user", "content": "Change the name."},
]


@pytest.fixture
def condition(open_session, tools):
    def go(harness, messages=MESSAGES, task="Change the name."):
        return open_session(harness, task=task).condition(messages, tools)

    return go


def test_an_empty_harness_changes_nothing(make, condition, tools):
    sent = condition(make())
    assert (sent.messages, sent.tools, sent.interventions) == (MESSAGES, tools, ())


def test_the_contract_goes_behind_the_system_message(make, condition):
    sent = condition(make(contract="Be careful.\n\n## Answers\n\nGive a list.\n"))
    assert sent.messages[0]["content"] == (
        "You are a clerk.\n\nBe careful.\n\n## Answers\n\nGive a list."
    )
    assert sent.messages[1] == MESSAGES[1]


def test_the_contract_makes_a_system_message_when_there_is_none(make, condition):
    sent = condition(make(contract="Be careful.\n"), MESSAGES[1:])
    assert sent.messages == [{"role": "system", "content": "Be careful."}, MESSAGES[1]]


def test_messages_in_parts_get_another_part(make, condition):
    parts = [{"role": "system", "content": [{"type": "text", "text": "A"}]}, MESSAGES[1]]
    sent = condition(make(contract="B\n"), parts)
    assert sent.messages[0]["content"][1] == {"type": "text", "text": "B"}


def test_what_was_given_is_not_changed(make, condition, tools, skill_text):
    messages, before = copy.deepcopy(MESSAGES), copy.deepcopy(tools)
    harness = make(
        contract="---\ntools:\n  execute_sql: Hint.\n---\nBe careful.\n",
        skills={"s": skill_text("s", "Change the name.")},
    )
    condition(harness, messages)
    assert (messages, tools) == (MESSAGES, before)


def test_a_tool_hint_goes_behind_the_description(make, condition):
    sent = condition(make(contract="---\ntools:\n  execute_sql: One statement.\n---\n"))
    assert sent.tools[0]["function"]["description"] == "Runs execute_sql. One statement."
    assert sent.tools[1]["function"]["description"] == "Runs commit_final_answer."
    assert sent.messages == MESSAGES


def test_one_skill_goes_behind_the_task_text(make, condition, skill_text):
    skills = {
        "names": skill_text("names", "Change the name of a customer.", body="1. Look it up."),
        "prices": skill_text("prices", "Change the price of an article."),
    }
    sent = condition(make(skills=skills))
    assert sent.messages[1]["content"] == ("Change the name.\n\n## Skill: names\n\n1. Look it up.")
    (one,) = sent.interventions
    assert (one.layer, one.kind, one.artifact) == ("skills", "inject", "names")
    assert one.after == "## Skill: names\n\n1. Look it up."


def test_no_skill_is_given_without_a_match(make, condition, skill_text):
    harness = make(skills={"s": skill_text("s", "Cook.", "trigger: egg\n")})
    assert condition(harness).messages == MESSAGES


@pytest.mark.parametrize("layer", ["contract", "skills"])
def test_a_layer_that_is_off_adds_nothing(make, condition, skill_text, layer):
    parts = {
        "contract": {"contract": "---\ntools:\n  execute_sql: Hint.\n---\nBe careful.\n"},
        "skills": {"skills": {"s": skill_text("s", "Change the name.")}},
    }
    harness = make(**parts[layer])
    assert condition(harness) != condition(make())
    assert condition(harness.without_layer(layer)) == condition(make())


def test_another_skill_is_given_when_the_stage_changes(make, open_session, skill_text):
    harness = make(
        skills={
            "find": skill_text("find", "d", "trigger: change\n", "Find it."),
            "check": skill_text("check", "d", "trigger: {all: [checking stage]}\n", "Check it."),
        }
    )
    session = open_session(harness)
    session.condition(MESSAGES, [])
    assert session.change_stage("still here") == (None, ())
    harness = harness.remove("skills", "find")
    session = open_session(harness)
    session.condition(MESSAGES, [])
    text, interventions = session.change_stage("now in the checking stage")
    assert text == "## Skill: check\n\nCheck it."
    assert [one.artifact for one in interventions] == ["check"]


@pytest.fixture
def on_demand(make, skill_text):
    skills = {
        "names": skill_text("names", "Change a name.", body="Look it up."),
        "prices": skill_text("prices", "Change a price."),
    }
    return make(skills=skills).with_delivery("on_demand")


def test_skills_on_demand_are_listed_and_can_be_loaded(on_demand, open_session, tools, run):
    session = open_session(on_demand)
    sent = session.condition(MESSAGES, tools)
    assert "- names: Change a name.\n- prices: Change a price." in sent.messages[0]["content"]
    assert sent.messages[1] == MESSAGES[1]
    assert sent.tools[-1]["function"]["name"] == "load_skill"
    decision = run(session.before_call("load_skill", '{"name": "names"}'))
    assert (decision.kind, decision.call) == ("loaded", None)
    assert decision.message == "## Skill: names\n\nLook it up."
    assert [(one.kind, one.artifact) for one in decision.interventions] == [("load", "names")]


def test_loading_an_unknown_skill_names_the_known_ones(on_demand, open_session, run):
    decision = run(open_session(on_demand).before_call("load_skill", '{"name": "x"}'))
    assert decision.kind == "unusable"
    assert "names, prices" in decision.message


def test_a_tool_of_the_agent_may_not_be_called_like_the_loader(on_demand):
    tools = [{"type": "function", "function": {"name": "load_skill"}}]
    with pytest.raises(HarnessError, match="load_skill"):
        Session(on_demand, "T", tools)


def test_injected_skills_offer_no_loader(make, condition, skill_text):
    sent = condition(make(skills={"s": skill_text("s", "Change.")}))
    assert all(tool["function"]["name"] != "load_skill" for tool in sent.tools)
