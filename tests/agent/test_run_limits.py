"""Caps of a run: held before they would be broken, with everything that was made kept."""

import asyncio

import pytest

from schemas.errors import CapReached
from tasks.agent.protocols import ModelReply
from tasks.agent.run_limits import RunLimits, Spending, limited, run_limits, within_caps

HELLO = [{"role": "user", "content": "x" * 300}]


class Counting:
    """Takes the same of everybody, and remembers how many asked at once."""

    def __init__(
        self,
        prompt: int | None = 100,
        completion: int | None = 20,
        cost: float | None = None,
        usd_per_token: float = 0.0,
    ) -> None:
        self.reply_of = ModelReply(
            "ok", prompt_tokens=prompt, completion_tokens=completion, cost_usd=cost
        )
        self.usd_per_token = usd_per_token
        self.asked = self.now = self.most = 0

    async def reply(self, messages, tools):
        self.asked += 1
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0.001)
        self.now -= 1
        return self.reply_of


def play(spending: Spending, model: Counting, talks: int = 8, turns: int = 50) -> list[object]:
    async def talk() -> None:
        conversation = within_caps(model, model)
        for _ in range(turns):
            await conversation.reply(HELLO, ())

    async def main() -> list[object]:
        tasks = [talk() for _ in range(talks)]
        return await asyncio.wait_for(asyncio.gather(*tasks, return_exceptions=True), 30)

    with limited(RunLimits(spending)):
        return asyncio.run(main())


def test_tokens_never_pass_the_cap_and_nobody_is_left_waiting():
    spending, model = Spending(max_tokens=5000), Counting()
    ends = play(spending, model)
    assert all(isinstance(end, CapReached) for end in ends)
    assert 4700 < spending.tokens <= 5000
    assert spending.tokens == 120 * model.asked


def test_requests_run_side_by_side_until_the_cap_is_near():
    model = Counting()
    play(Spending(max_tokens=20_000), model)
    assert model.most == 8


def test_dollars_never_pass_the_cap():
    spending = Spending(max_usd=0.01)
    ends = play(spending, Counting(cost=120 * 2e-6, usd_per_token=2e-6))
    assert all(isinstance(end, CapReached) for end in ends)
    assert 0.009 < spending.usd <= 0.01


def test_what_an_endpoint_does_not_count_is_estimated_in_tokens_and_dollars():
    spending = Spending(max_tokens=4000, max_usd=1)
    play(spending, Counting(prompt=None, completion=None, usd_per_token=1e-6))
    assert 3000 < spending.tokens <= 4000
    assert spending.usd == pytest.approx(spending.tokens * 1e-6)


def test_a_cap_too_small_for_one_request_makes_none():
    model = Counting()
    ends = play(Spending(max_tokens=50), model)
    assert model.asked == 0
    assert "the cap of 50 tokens" in str(ends[0])
    assert "run the same command again" in str(ends[0])


def test_a_failed_request_gives_back_what_was_set_aside():
    class Broken(Counting):
        async def reply(self, messages, tools):
            raise TimeoutError

    spending = Spending(max_tokens=700)
    ends = play(spending, Broken(), talks=4, turns=1)
    assert [type(end) for end in ends] == [TimeoutError] * 4
    assert spending.tokens == 0


def test_without_caps_a_conversation_stays_as_it_is():
    model = Counting()
    assert within_caps(model, model) is model


def test_limits_of_a_run_under_way_stay():
    with limited(RunLimits(concurrency=3)), limited(RunLimits(concurrency=9)):
        assert run_limits().concurrency == 3
    assert run_limits().concurrency == 64
