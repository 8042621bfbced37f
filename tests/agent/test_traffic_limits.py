"""Requests and tokens a minute, pauses, and repetitions that all requests share."""

import asyncio

from schemas.settings import Limits
from tasks.agent.traffic_limits import Account, account_of, wait_turn


def test_requests_are_spread_evenly_and_start_in_the_order_of_asking():
    limits, account = Limits(requests_per_minute=120), Account()
    starts = [account.book(limits, now=100.0, tokens=0) for _ in range(5)]
    assert starts == [100.0, 100.5, 101.0, 101.5, 102.0]


def test_a_quiet_minute_earns_no_burst():
    limits, account = Limits(requests_per_minute=60), Account()
    account.book(limits, now=0.0, tokens=0)
    assert [account.book(limits, now=600.0, tokens=0) for _ in range(2)] == [600.0, 601.0]


def test_tokens_a_minute_hold_back_the_next_request_by_what_the_last_one_takes():
    limits, account = Limits(tokens_per_minute=6000), Account()
    account.book(limits, now=0.0, tokens=300)
    assert account.book(limits, now=0.0, tokens=300) == 3.0
    account.settle(limits, -200)
    assert account.book(limits, now=0.0, tokens=300) == 4.0


def test_without_limits_nobody_waits():
    account = Account()
    assert {account.book(Limits(), now=5.0, tokens=10**6) for _ in range(9)} == {5.0}


def test_a_pause_holds_for_those_who_wait_already_and_a_shorter_one_does_not_end_it():
    account, limits, woke = Account(), Limits(), []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        account.pause(began + 0.1)

        async def one() -> None:
            await wait_turn(account, limits, 0)
            woke.append(loop.time() - began)

        waiting = [asyncio.create_task(one()) for _ in range(3)]
        await asyncio.sleep(0.05)
        account.pause(began + 0.3)
        account.pause(began + 0.2)
        await asyncio.gather(*waiting)

    asyncio.run(main())
    assert all(0.29 < waited < 1.5 for waited in woke)


def test_repetitions_of_all_requests_together_are_bounded_by_their_share():
    limits = Limits(concurrency=2, max_retries=3, retry_share=0.5)
    account = Account(requests=10, repetitions=10)
    assert account.may_repeat(limits)
    account.repetitions = 11
    assert not account.may_repeat(limits)


def test_everybody_in_a_process_shares_the_account_of_an_endpoint():
    assert account_of("http://a/v1", "m") is account_of("http://a/v1", "m")
    assert account_of("http://a/v1", "m") is not account_of("http://a/v1", "n")
