"""A world over an HTTP service: calls, refusals, outages, reset, verdict, secrets."""

import socket

import pytest

from schemas.errors import ConfigError, EnvironmentFault
from schemas.settings import Settings
from tasks.agent.capabilities import Blocking, HasGoldTexts
from tasks.agent.offers import lasting_tools, most_together, noise_of
from tasks.agent.protocols import Call, Environment
from tasks.environments.declared.environment import ServiceEnvironment, open_folder
from tasks.environments.registry import close


def task_of(environment, family):
    tasks = [t for split in ("train", "select", "sealed") for t in environment.tasks(split)]
    return next(task for task in tasks if task.family == family)


def play(environment, family, *calls):
    world = environment.start(task_of(environment, family), 7)
    try:
        return [world.act(Call(tool, given)) for tool, given in calls], world.verdict()
    finally:
        world.close()


def order_of(environment, family):
    return task_of(environment, family).task_id.rpartition("-")[2]


def test_it_is_an_environment_with_a_tool_for_each_operation_and_one_that_ends(open_world):
    environment = open_world()
    assert isinstance(environment, Environment)
    assert isinstance(environment, Blocking)
    assert isinstance(environment, HasGoldTexts)
    names = [tool.name for tool in environment.tools]
    known = ["list_orders", "get_order", "cancel_order", "refund_order", "move_order", "finish"]
    assert names == known
    assert environment.terminal_tools == {"finish"}
    assert isinstance(environment, ServiceEnvironment)
    assert environment.write_tools == {"cancel_order", "refund_order", "move_order"}


def test_a_task_is_solved_by_what_is_left_in_the_service(open_world):
    environment = open_world()
    order = order_of(environment, "cancel")
    reason = "ordered_by_mistake"
    if "no longer" in task_of(environment, "cancel").text:
        reason = "no_longer_needed"
    cancel = ("cancel_order", {"order_id": order, "reason": reason})
    results, verdict = play(environment, "cancel", cancel, ("finish", {}))
    assert [result.is_error for result in results] == [False, False]
    assert results[-1].done
    assert verdict.outcome == "success"
    wrong = next(one for one in ("no_longer_needed", "ordered_by_mistake") if one != reason)
    other = ("cancel_order", {"order_id": order, "reason": wrong})
    _, verdict = play(environment, "cancel", other, ("finish", {}))
    assert verdict.outcome == "failure"
    assert verdict.parts["differs_at"] == "$.reason"


def test_doing_nothing_and_ending_too_early_solve_nothing(open_world):
    environment = open_world()
    for family in ("cancel", "refund", "move", "total"):
        assert play(environment, family)[1].outcome == "failure"
        assert play(environment, family, ("finish", {}))[1].outcome == "failure"


def test_a_right_outcome_that_the_agent_did_not_end_is_a_failure(open_world):
    environment = open_world()
    look = ("get_order", {"order_id": order_of(environment, "total")})
    _, verdict = play(environment, "total", look)
    assert verdict.parts == {"finished": False, "state": True, "answer": False}


def test_an_answer_is_compared_as_a_number_where_it_is_one(open_world):
    environment = open_world()
    task = task_of(environment, "total")
    total = environment._posed[task.task_id].row["answer"]
    assert play(environment, "total", ("finish", {"answer": f"{total}0"}))[1].outcome == "success"
    assert play(environment, "total", ("finish", {"answer": f"{total} euros"}))[1].reward == 0


def test_what_the_service_refuses_is_an_error_that_the_agent_sees(open_world):
    environment = open_world()
    order = order_of(environment, "total")
    results, _ = play(
        environment,
        "total",
        ("cancel_order", {"order_id": order, "reason": "no_longer_needed"}),
        ("get_order", {"order_id": "W1"}),
        ("get_order", {"order_id": "../reset"}),
        ("get_order", {}),
        ("refund_order", {"order_id": order, "amount": "12"}),
        ("drop_table", {}),
    )
    kinds = [result.error_kind for result in results]
    assert kinds == ["http_409", "http_404", "http_404", "schema", "schema", "unknown_tool"]
    assert "only pending can be cancelled" in results[0].observation


def test_an_address_that_the_arguments_make_too_long_is_the_agents_error(open_world):
    environment = open_world()
    results, _ = play(environment, "total", ("get_order", {"order_id": "x" * 100_000}))
    assert results[0].is_error
    assert len(results[0].observation) < 200


def test_each_episode_begins_in_the_same_state(open_world):
    environment = open_world()
    order = order_of(environment, "move")
    move = ("move_order", {"order_id": order, "city": "Rome"})
    look = ("get_order", {"order_id": order})
    first, _ = play(environment, "move", look, move)
    again, _ = play(environment, "move", look)
    assert again[0] == first[0]
    assert "Rome" in first[1].observation


def test_episodes_over_one_state_take_turns_and_reading_ones_do_not(open_world):
    assert most_together(open_world()) == 1
    writes = ["cancel_order", "refund_order", "move_order"]
    assert most_together(open_world(service=f"hidden = {writes}", reset="")) == 8
    header = 'episode_header = "X-Episode"'
    assert most_together(open_world(service=header, reset="")) == 8


def test_more_together_than_the_state_bears_is_refused(open_world):
    with pytest.raises(ConfigError, match="would share one state"):
        open_world(top="together = 4")


def test_write_tools_without_a_reset_last(open_world):
    assert lasting_tools(open_world(reset="")) == {"cancel_order", "refund_order", "move_order"}
    assert lasting_tools(open_world()) == frozenset()
    reads = 'reads = ["cancel_order", "refund_order", "move_order"]'
    assert lasting_tools(open_world(reset="", service=reads)) == frozenset()


def test_a_service_that_is_not_there_is_a_fault(open_world):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        environment = open_world(url=f"http://127.0.0.1:{taken.getsockname()[1]}")
        with pytest.raises(EnvironmentFault, match="cannot be reached"):
            environment.start(task_of(environment, "total"), 7)


def test_a_service_that_does_not_answer_is_a_fault(open_world):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        environment = open_world(url=url, service="timeout_s = 0.2")
        with pytest.raises(EnvironmentFault, match=r"no answer in 0\.2 s"):
            environment.start(task_of(environment, "total"), 7)


def test_a_reset_that_fails_is_a_fault_that_names_it(open_world):
    environment = open_world(reset='[reset]\nurl = "/nowhere"')
    with pytest.raises(EnvironmentFault, match=r"reset .*/nowhere answered with status 404"):
        environment.start(task_of(environment, "total"), 7)


def test_a_reset_command_runs_in_the_folder_and_knows_the_task(open_world):
    command = "sh -c 'echo $TACKROOM_TASK_ID > seen.txt; exit $TACKROOM_SEED'"
    environment = open_world(reset=f'[reset]\ncommand = "{command}"')
    task = task_of(environment, "total")
    environment.start(task, 0).close()
    assert (environment.folder / "seen.txt").read_text().strip() == task.task_id
    with pytest.raises(EnvironmentFault, match="ended with 3"):
        environment.start(task, 3)


def test_worlds_fork_when_the_file_says_that_calls_lead_to_the_same_state(open_world):
    environment = open_world(top="is_forkable = true")
    world = environment.start(task_of(environment, "move"), 7)
    order = order_of(environment, "move")
    world.act(Call("move_order", {"order_id": order, "city": "Rome"}))
    state = world.snapshot()
    world.act(Call("move_order", {"order_id": order, "city": "Oslo"}))
    world.restore(state)
    assert world.snapshot() == state
    assert "Rome" in world.act(Call("get_order", {"order_id": order})).observation
    world.close()


def test_a_header_holds_the_value_of_a_variable_and_comes_back_hidden(make_folder, monkeypatch):
    secret = "W1000"  # the desk tells it, so that it would show
    folder = make_folder(service='headers = { X-Key = "DESK_KEY" }')
    with pytest.raises(ConfigError, match="needs the variable DESK_KEY"):
        open_folder(folder, Settings())
    monkeypatch.setenv("DESK_KEY", secret)
    environment = open_folder(folder, Settings())
    results, _ = play(environment, "total", ("get_order", {"order_id": secret}))
    close(environment)
    assert secret not in results[0].observation
    assert isinstance(environment, ServiceEnvironment)
    assert secret not in repr(vars(environment.declared))


def test_where_the_service_is_does_not_change_the_fingerprint(open_world):
    first = open_world().fingerprint
    assert open_world(url="http://127.0.0.1:1").fingerprint == first
    assert open_world(top="version = 2").fingerprint != first
    assert open_world(verdict=BY_EXACT).fingerprint != first


BY_EXACT = 'by = "state"\nlook = "GET /orders/{order_id}"\nmatch = "equals"'


def test_it_has_no_noise_unless_the_file_says_so(open_world):
    assert noise_of(open_world()) == ""
    assert noise_of(open_world(top='noise = "stock varies"')) == "stock varies"
