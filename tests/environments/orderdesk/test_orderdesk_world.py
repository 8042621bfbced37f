"""The order desk: policy, guards, the customer, verdicts, snapshots."""

import json
import random
import time

import pytest

from schemas.errors import EnvironmentFault
from tasks.agent.protocols import Call
from tasks.environments.orderdesk import create
from tasks.environments.orderdesk.expert import propose, refuse, say
from tasks.environments.orderdesk.shop import RETURN_DAYS

FAMILIES = (
    "track_order",
    "exchange_listed",
    "exchange_described",
    "find_order",
    "cancel_order",
    "refuse_change",
)


@pytest.fixture(scope="module")
def environment():
    return create()


def tasks_of(environment, family, split="train"):
    return [task for task in environment.tasks(split) if task.family == family]


def begin(environment, family, place=0):
    return environment.start(tasks_of(environment, family)[place], 0)


def follow(environment, world, until):
    """Follow the expert until its next call is of a tool."""
    while True:
        call = environment.expert_call(world.problem.task, world)
        if call.tool == until:
            return call
        assert not world.act(call).done


def agree(environment, world):
    """Come to where the customer has agreed; the change that is due."""
    return follow(environment, world, world.problem.call.tool)


def end(world):
    """Say that it is done, and judge."""
    assert world.act(say("It is done.")).done
    return world.verdict()


@pytest.mark.parametrize("split", ["train", "select", "sealed"])
def test_the_expert_needs_at_most_ten_steps(environment, split):
    for task in environment.tasks(split):
        world, steps = environment.start(task, 0), 1
        while not world.act(environment.expert_call(task, world)).done:
            steps += 1
        assert steps <= 10, task.task_id


def test_splits_share_no_books(environment):
    tasks = [t for split in ("train", "select", "sealed") for t in environment.tasks(split)]
    books = {json.dumps(environment.start(task, 0).problem.books) for task in tasks}
    assert len(books) == len(tasks)


def test_a_step_takes_less_than_a_millisecond(environment):
    spent, steps = 0.0, 0
    for task in environment.tasks("select"):
        world = environment.start(task, 0)
        done = False
        while not done:
            call = environment.expert_call(task, world)
            began = time.process_time()
            done = world.act(call).done
            world.snapshot()
            spent += time.process_time() - began
            steps += 1
    assert spent / steps < 0.001


@pytest.mark.parametrize("family", FAMILIES)
def test_a_restored_world_goes_on_word_for_word(environment, family):
    world, other = begin(environment, family), begin(environment, family)
    done = False
    while not done:
        call = environment.expert_call(world.problem.task, world)
        state = world.snapshot()
        other.restore(state)
        assert other.snapshot() == state
        one, two = world.act(call), other.act(call)
        assert one == two
        assert other.snapshot() == world.snapshot()
        done = one.done
    assert other.verdict() == world.verdict()


def test_a_state_of_another_task_is_refused(environment):
    with pytest.raises(EnvironmentFault, match="state of"):
        begin(environment, "find_order").restore(begin(environment, "cancel_order").snapshot())


def random_call(rng, world):
    books = world.problem.books
    ids = {
        "order_id": list(books["orders"]),
        "customer_id": list(books["customers"]),
        "product_id": list(books["products"]),
        "payment_id": list(
            world.problem.books["customers"][world.problem.customer_id]["payment_methods"]
        ),
        "email": [world.problem.wish.email],
        "reason": ["no longer needed", "ordered by mistake"],
        "message": ["Shall I change order it?", "It is done.", "I am sorry, I cannot.", "Email?"],
        "summary": ["x"],
    }
    items = [item["item_id"] for order in books["orders"].values() for item in order["items"]]
    tool = rng.choice(TOOLS)
    properties = tool.parameters["properties"]
    return Call(
        tool.name,
        {
            key: rng.sample(items, 1) if key.endswith("item_ids") else rng.choice(ids[key])
            for key in properties
        },
    )


TOOLS = create().tools


def test_random_calls_with_known_values_pass_nearly_no_task(environment):
    wins = 0
    for task in environment.tasks("select"):
        rng, world = random.Random(task.task_id), environment.start(task, 0)
        for _ in range(environment.step_budget):
            if world.act(random_call(rng, world)).done:
                break
        wins += world.verdict().outcome == "success"
    assert wins <= 6


def test_a_change_that_nobody_agreed_to_fails_although_the_books_are_right(environment):
    world = begin(environment, "cancel_order")
    follow(environment, world, "get_order")
    world.act(world.problem.call)
    verdict = end(world)
    assert verdict.outcome == "failure"
    assert verdict.parts["are_books_right"]
    assert not verdict.parts["is_agreed"]


@pytest.mark.parametrize("family", ["cancel_order", "find_order", "exchange_described"])
def test_a_wrong_change_fails(environment, family):
    world = begin(environment, family)
    agree(environment, world)
    assert not world.act(world.problem.wrong).is_error
    assert not end(world).parts["are_books_right"]


def test_claiming_a_change_is_none(environment):
    world = begin(environment, "cancel_order")
    agree(environment, world)
    assert end(world).outcome == "failure"


def test_a_refusal_counts_only_after_the_look_that_justifies_it(environment):
    early, late = begin(environment, "refuse_change"), begin(environment, "refuse_change")
    call = refuse(late.problem)
    assert early.act(call).done
    follow(environment, late, "get_order")
    late.act(Call("get_order", {"order_id": late.problem.order_id}))
    assert late.act(call).done
    assert (early.verdict().outcome, late.verdict().outcome) == ("failure", "success")


@pytest.mark.parametrize("family", FAMILIES[:-1])
def test_refusing_what_can_be_done_fails(environment, family):
    world = begin(environment, family)
    follow(environment, world, "get_order")
    world.act(Call("get_order", {"order_id": world.problem.order_id}))
    assert world.act(refuse(world.problem)).done
    assert world.verdict().outcome == "failure"


def test_what_is_to_be_refused_is_against_the_policy(environment):
    for split in ("train", "select", "sealed"):
        for task in tasks_of(environment, "refuse_change", split):
            problem = environment.start(task, 0).problem
            order = problem.books["orders"][problem.order_id]
            is_late = order.get("delivered_days_ago", 0) > RETURN_DAYS
            assert is_late or order["status"] == "shipped"


@pytest.mark.parametrize("family", FAMILIES)
def test_handing_over_ends_and_fails(environment, family):
    world = begin(environment, family)
    assert world.act(Call("transfer_to_human", {"summary": "help"})).done
    assert world.verdict().outcome == "failure"


def changed(call, **values):
    return Call(call.tool, {**call.arguments, **values})


def test_lists_of_an_exchange_must_match(environment):
    world = begin(environment, "exchange_listed")
    call = agree(environment, world)
    new = call.arguments["new_item_ids"]
    for uneven in (new[:1], [*new, new[0]]):
        result = world.act(changed(call, new_item_ids=uneven))
        assert result.is_error
        assert "same number of items" in result.observation
    assert not world.state.is_changed


def test_the_order_of_matching_lists_is_free(environment):
    world = begin(environment, "exchange_listed")
    call = agree(environment, world)
    pairs = {name: call.arguments[name][::-1] for name in ("item_ids", "new_item_ids")}
    assert not world.act(changed(call, **pairs)).is_error
    assert end(world).outcome == "success"


def test_a_gift_card_pays_only_what_is_left_on_it(environment):
    world = begin(environment, "exchange_listed")
    call = agree(environment, world)
    customer = world.problem.books["customers"][world.problem.customer_id]
    gift = next(one for one in customer["payment_methods"] if one.startswith("gift"))
    result = world.act(changed(call, payment_id=gift))
    assert result.is_error
    assert "does not cover" in result.observation


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"order_id": "#W1"}, "no order"),
        ({"item_ids": ["1"]}, "has no item"),
        ({"payment_id": "credit_card_1"}, "no payment method"),
        ({"new_item_ids": ["1"]}, "no other version"),
    ],
)
def test_strange_ids_are_refused_and_change_nothing(environment, changes, words):
    world = begin(environment, "exchange_described")
    call = agree(environment, world)
    before = world.state.books
    result = world.act(changed(call, **changes))
    assert result.is_error
    assert words in result.observation
    assert world.state.books == before


def test_a_status_guards_its_order(environment):
    world = begin(environment, "cancel_order")
    call = agree(environment, world)
    assert not world.act(call).is_error
    again = world.act(call)
    assert again.is_error
    assert "must be pending" in again.observation


def test_a_reason_that_the_shop_does_not_know_is_refused(environment):
    world = begin(environment, "cancel_order")
    call = agree(environment, world)
    result = world.act(changed(call, reason="changed mind"))
    assert result.error_kind == "schema"
    assert "is not one of" in result.observation


def test_an_order_can_be_paid_otherwise_when_the_card_covers_it(environment):
    world = begin(environment, "cancel_order")
    order_id = world.problem.order_id
    methods = world.problem.books["customers"][world.problem.customer_id]["payment_methods"]
    results = {
        name.rsplit("_", 1)[0]: world.act(
            Call("change_payment", {"order_id": order_id, "payment_id": name})
        )
        for name in sorted(methods)
    }
    assert not results["credit_card"].is_error
    assert "does not cover" in results["gift_card"].observation


def hear(world, message):
    return world.act(say(message))


def test_the_customer_tells_what_is_asked_and_no_more(environment):
    world = begin(environment, "cancel_order")
    wish = world.problem.wish
    assert wish.email in hear(world, "What is your email?").observation
    told = hear(world, "Which order is it, and what is the reason?").observation
    assert wish.order in told
    assert wish.reason in told
    assert wish.email not in told


def test_a_fact_told_before_is_told_again_as_such(environment):
    world = begin(environment, "track_order")
    first = hear(world, "Your email, please?").observation
    again = hear(world, "What was your email?").observation
    assert again == f"As I said: {first}"


def test_a_proposal_is_agreed_to_once_it_names_an_own_order(environment):
    world = begin(environment, "cancel_order")
    assert hear(world, "Shall I cancel order #W0000001?").observation.startswith("No")
    assert not world.is_agreed
    assert hear(world, propose(world.problem.call).arguments["message"]).observation.startswith(
        "Yes"
    )
    assert world.is_agreed


@pytest.mark.parametrize(
    "message",
    [
        "Could you confirm your email?",
        "Which items do you want to exchange?",
        "Hello! How can I help you?",
        "Why do you want to cancel the order?",
        "What do you need?",
    ],
)
def test_a_question_for_facts_is_no_proposal(environment, message):
    world = begin(environment, "cancel_order")
    hear(world, message)
    assert not world.is_agreed


@pytest.mark.parametrize(
    "message",
    [
        "I will cancel order {order}. Do you agree?",
        "Order {order} will be cancelled because it is no longer needed. Is that right?",
        "Please confirm that I should cancel {order}.",
        "Shall I go ahead and cancel it?",
        "Would you like me to cancel order {order} now (yes/no)?",
    ],
)
def test_a_proposal_in_other_words_is_one(environment, message):
    world = begin(environment, "cancel_order")
    hear(world, message.format(order=world.problem.order_id))
    assert world.is_agreed


@pytest.mark.parametrize(
    "message", ["", "\0", "\ud800", "?" * 4000, "yes? " * 800, "#W" * 2000, "cancel " * 500]
)
def test_odd_messages_do_no_harm(environment, message):
    world = begin(environment, "cancel_order")
    began = time.process_time()
    hear(world, message)
    assert time.process_time() - began < 0.5
    world.restore(world.snapshot())


def test_the_customer_ends_the_talk_at_news_and_at_a_refusal(environment):
    news, refusal = begin(environment, "cancel_order"), begin(environment, "cancel_order")
    assert hear(news, "Your order has been cancelled.").done
    assert hear(refusal, "I am sorry, that is not possible.").done
    assert news.act(Call("get_order", {"order_id": news.problem.order_id})).is_error


def test_small_talk_goes_on(environment):
    world = begin(environment, "track_order")
    result = hear(world, "Welcome to the shop.")
    assert not result.done
    assert result.observation.startswith("As I said")


def test_another_tracking_number_is_a_wrong_answer(environment):
    world = begin(environment, "track_order")
    follow(environment, world, "get_order")
    assert world.act(world.problem.wrong).done
    assert not world.verdict().parts["is_answer_right"]


def test_gold_texts_are_the_answers_of_all_splits(environment):
    gold = set(environment.gold_texts())
    for task in tasks_of(environment, "track_order", "sealed"):
        assert environment.start(task, 0).problem.answer in gold


def test_it_declares_what_its_tools_do(environment):
    assert environment.talk_tools == {"respond"}
    assert environment.handover_tools == environment.terminal_tools == {"transfer_to_human"}
    assert {"cancel_order", "return_items"} < environment.write_tools
    assert ("get_order", "cancel_order") in environment.order_constraints
