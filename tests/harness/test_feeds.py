import asyncio

import pytest

from tasks.harness import Sandbox, SandboxError
from tasks.harness.rules import read_rules
from tasks.harness.timeline import Point, Timeline, encode_action, encode_base, encode_message
from tasks.harness.values import Action

RULES = {
    "plain": "return {'kind': 'block', 'message': str(context['step'])}",
    "an error at one step": "return 1 / (context['step'] - 3)",
    "a loop at one step": "while context['step'] == 3:\n        pass\n    return None",
    "too much memory at one step": "return ['x'] * (10 ** 9 if context['step'] == 3 else 0)",
    "a list that grows": "SEEN.append(1)\n    return {'kind': 'block', 'message': str(len(SEEN))}",
    "a changed action": "action['arguments']['n'] = 1\n    return None",
    "a global": "global N\n    N += 1\n    return {'kind': 'block', 'message': str(N)}",
}


def rules_of(body):
    source = f"SEEN = []\nN = 0\n\n\ndef rule_a(action, context):\n    {body}\n"
    return read_rules("actions", source)


def moment(step):
    action = encode_action(Action("execute_sql", {"sql": "x"}))
    messages = [encode_message({"role": "user", "content": "Do it."})]
    return Timeline(encode_base("Do it.", []), [], messages, (Point(action, 0, 1, step, 9),))


def counted(box):
    """Payloads of each feed that the sandbox runs from now on."""
    feeds, run = [], box._queue.run

    def count(code, payloads, points):
        feeds.append(len(payloads))
        return run(code, payloads, points)

    box._queue.run = count
    return feeds


@pytest.mark.parametrize("body", RULES.values(), ids=RULES)
def test_sessions_that_ask_at_once_hear_what_each_hears_alone(sandbox, run, body):
    rules, steps = rules_of(body), [n % 8 for n in range(24)]

    async def both():
        together = await asyncio.gather(*(sandbox.evaluate(rules, moment(n)) for n in steps))
        return together, [await sandbox.evaluate(rules, moment(n)) for n in range(8)]

    together, alone = run(both())
    assert together == [alone[n] for n in steps]


def test_waiting_sessions_share_feeds_only_where_nothing_is_kept(run):
    async def count(body):
        async with Sandbox(workers=1) as box:
            feeds, rules = counted(box), rules_of(body)
            await asyncio.gather(*(box.evaluate(rules, moment(n)) for n in range(40)))
            return feeds

    shared = run(count(RULES["plain"]))
    assert sum(shared) == 40
    assert len(shared) <= 6
    assert set(run(count(RULES["a global"]))) == {1}


def test_different_files_do_not_wait_for_one_another(run):
    async def go():
        async with Sandbox(workers=1) as box:
            feeds = counted(box)
            files = [rules_of(f"return {{'kind': 'block', 'message': '{n}'}}") for n in range(3)]
            found = await asyncio.gather(
                *(box.evaluate(files[n % 3], moment(n)) for n in range(30))
            )
            return feeds, found

    feeds, found = run(go())
    assert max(feeds) <= 10
    assert [outcomes[0][0].result[-3] for outcomes in found] == [str(n % 3) for n in range(30)]


def test_a_session_whose_event_loop_is_gone_takes_no_worker_with_it():
    box = Sandbox(workers=1)
    owner = asyncio.new_event_loop()
    owner.run_until_complete(box.__aenter__())
    try:
        rules = rules_of(RULES["a loop at one step"])
        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(box.evaluate(rules, moment(3)), 0.05))
        plain = rules_of(RULES["plain"])
        found = asyncio.run(asyncio.wait_for(box.evaluate(plain, moment(1)), 20))
        assert found[0][0].result
    finally:
        owner.run_until_complete(box.__aexit__(None, None, None))
        owner.close()


def test_whoever_waits_while_the_sandbox_closes_is_told(run):
    async def go():
        box = Sandbox(workers=1)
        await box.__aenter__()
        rules = rules_of(RULES["a global"])
        asked = [asyncio.ensure_future(box.evaluate(rules, moment(n))) for n in range(200)]
        await asyncio.sleep(0)
        await box.__aexit__(None, None, None)
        return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 20)

    found = run(go())
    told = [one for one in found if isinstance(one, Exception)]
    assert told
    assert all(isinstance(one, SandboxError) for one in told)
