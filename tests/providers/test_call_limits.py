"""How many calls a vendor gets at once and in a minute."""

from __future__ import annotations

import asyncio
import time

from fakes.calls import a_router, an_ask, an_endpoint
from fakes.patience import not_for_ever
from fakes.vendor import FakeVendor
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.providers.http.rate_limit import Gate


async def test_no_more_calls_are_in_flight_than_allowed():
    async with FakeVendor() as vendor:
        vendor.always(delay=0.1)
        async with a_router(an_endpoint(vendor.base_url(), concurrency=3)) as router:
            asked = (router.ask(an_ask(seat=f"s{i}"), print) for i in range(12))
            responses = await asyncio.gather(*asked)
    assert all(r.usable for r in responses)
    assert vendor.most_in_flight == 3


async def test_who_comes_first_is_served_first():
    async with FakeVendor() as vendor:
        vendor.always(delay=0.005)
        async with a_router(an_endpoint(vendor.base_url(), concurrency=1)) as router:
            models = [f"m{i}" for i in range(8)]
            await asyncio.gather(*(router.ask(an_ask(model=m), print) for m in models))
    assert [a.model for a in vendor.arrivals] == models


async def test_vendors_do_not_wait_for_each_other():
    async with FakeVendor() as slow, FakeVendor() as quick:
        slow.always("hang")
        endpoints = [
            an_endpoint(slow.base_url(), vendor="slow", concurrency=1),
            an_endpoint(quick.base_url(), vendor="quick", concurrency=1),
        ]
        async with a_router(*endpoints) as router:
            stuck = asyncio.create_task(router.ask(an_ask(vendor="slow"), print))
            await slow.heard.wait()
            assert (await router.ask(an_ask(vendor="quick"), print)).usable
            stuck.cancel()


async def test_time_in_the_queue_is_not_the_models_latency():
    async with FakeVendor() as vendor:
        vendor.always(delay=0.15)
        async with a_router(an_endpoint(vendor.base_url(), concurrency=1)) as router:
            asked = (router.ask(an_ask(seat=f"s{i}"), print) for i in range(3))
            began = time.monotonic()
            responses = await asyncio.gather(*asked)
            took = 1000 * (time.monotonic() - began)
    one_after_the_other = sum(r.latency_ms for r in responses)
    assert one_after_the_other <= took + 3  # each is rounded to a millisecond


async def test_the_time_of_a_call_counts_from_when_it_is_sent():
    async with FakeVendor() as vendor:
        vendor.then(delay=1.5)
        async with a_router(an_endpoint(vendor.base_url(), concurrency=1)) as router:
            first = asyncio.create_task(router.ask(an_ask(), print))
            await vendor.heard.wait()
            queued = await router.ask(an_ask(timeout=1.0), print)
            assert first.done()
    assert queued.error is None


async def test_the_time_of_a_call_that_waited_is_not_longer_than_that_of_others():
    async with FakeVendor() as vendor:
        vendor.then(delay=0.3).always("hang")
        async with a_router(an_endpoint(vendor.base_url(), concurrency=1)) as router:
            asked = (router.ask(an_ask(seat=f"s{i}", timeout=0.6), print) for i in range(2))
            async with not_for_ever():
                _, waited = await asyncio.gather(*asked)
    assert waited.error_kind is ErrorKind.TIMEOUT
    assert "did not finish in 0.6 s; give it more with a longer call timeout" in waited.error


async def test_a_call_does_not_wait_in_the_queue_beyond_the_time_that_its_debate_has():
    async with FakeVendor() as vendor:
        vendor.always("hang")
        async with a_router(an_endpoint(vendor.base_url(), concurrency=1)) as router:
            first = asyncio.create_task(router.ask(an_ask(timeout=600), print))
            await vendor.heard.wait()
            async with not_for_ever():
                queued = await router.ask(an_ask(timeout=0.3, within=0.3), print)
            first.cancel()
    assert queued.error_kind is ErrorKind.TIMEOUT
    assert "queue" in queued.error
    assert len(vendor.arrivals) == 1


async def test_only_so_many_calls_start_in_a_minute():
    gate = Gate(10, per_minute=3, minute=0.3)
    deadline = asyncio.get_running_loop().time() + 60
    starts = []

    async def call():
        async with gate.until(deadline):
            starts.append(time.monotonic())

    await asyncio.gather(*(call() for _ in range(7)))
    windows = [b - a for a, b in zip(starts, starts[3:], strict=False)]
    assert len(starts) == 7
    assert min(windows) >= 0.29


async def test_the_minutes_limit_of_an_endpoint_holds():
    async with (
        FakeVendor() as vendor,
        a_router(an_endpoint(vendor.base_url(), per_minute=2)) as router,
    ):
        asked = (router.ask(an_ask(seat=f"s{i}", within=2), print) for i in range(4))
        responses = await asyncio.gather(*asked)
    assert len(vendor.arrivals) == 2
    assert [r.usable for r in responses] == [True, True, False, False]


async def test_a_place_given_up_at_the_deadline_is_not_lost():
    gate = Gate(1)
    loop = asyncio.get_running_loop()
    await gate.enter(loop.time() + 60)
    try:
        async with gate.until(loop.time() + 0.02):
            raise AssertionError("there is only one place")
    except TimeoutError:
        gate.leave()
    async with gate.until(loop.time() + 60):
        pass
