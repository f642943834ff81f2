"""How many calls a vendor takes at once is found out, without a setting or much refusal."""

from __future__ import annotations

import asyncio
import heapq
import random

import pytest

from fakes.calls import a_router, an_ask, an_endpoint
from fakes.patience import not_for_ever
from fakes.vendor import FakeVendor
from mutual_dissent.providers.endpoints import TABLE
from mutual_dissent.providers.http.allowance import Allowances, buckets
from mutual_dissent.providers.http.limits import Bounds
from mutual_dissent.providers.http.rate_limit import FIRST, CallWindow

SECONDS = (0.2, 0.4, 0.8, 1.0)
SETTLED = 10.0


class Vendor:
    """A vendor in a time of its own: it serves so many at once and refuses all others.

    With `slots` it refuses nobody, and makes everyone wait who comes when they are taken.
    """

    def __init__(self, at_once=10**9, noise=0.0, slots=10**9, most=4096):
        self.at_once, self.noise, self.slots = at_once, noise, slots
        self.window = CallWindow(most)
        self.dice = random.Random(7)
        self.now = self.used = 0.0
        self.in_flight = self.busy = self.number = 0
        self.most_in_flight = 0
        self.coming = []
        self.served, self.refused = [], []

    def hold(self, calls):
        self.left = calls
        self._send()
        while self.coming:
            at, _, kind, *about = heapq.heappop(self.coming)
            self.used += self.busy * (at - self.now)
            self.now = at
            getattr(self, f"_{kind}")(*about)
            self._send()
        return self

    def _send(self):
        while self.left and self.in_flight < self.window.places:
            self.left -= 1
            self.in_flight += 1
            self.last_sent, self.used_while_busy = self.now, self.used
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            model = self.dice.randrange(len(SECONDS))
            if self.busy >= self.at_once:
                self._later(0.002, "refuse", self.now)
            else:
                self.busy += 1
                queue = max(1.0, self.busy / self.slots)
                wait = SECONDS[model] * self.dice.lognormvariate(0, self.noise) * queue
                self._later(wait, "answer", model, self.now, wait)

    def _later(self, seconds, *what):
        self.number += 1
        heapq.heappush(self.coming, (self.now + seconds, self.number, *what))

    def _answer(self, model, began, wait):
        full = self.left > 0 or self.in_flight >= self.window.places
        self.window.note_answer(str(model), began, self.now, wait, full=full)
        self.busy -= 1
        self.in_flight -= 1
        self.served.append(self.now)

    def _refuse(self, began):
        self.window.note_refusal(began, self.now, self.in_flight)
        self.in_flight -= 1
        self.refused.append(self.now)
        self._later(0.6, "retry")

    def _retry(self):
        self.left += 1

    @property
    def share_used(self):
        return self.used_while_busy / (self.at_once * self.last_sent)

    @property
    def share_refused(self):
        late = [sum(at > SETTLED for at in times) for times in (self.refused, self.served)]
        return late[0] / max(1, sum(late))


@pytest.mark.parametrize("noise", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("at_once", [4, 40, 300])
def test_a_limit_that_nobody_tells_is_found_and_used(at_once, noise):
    vendor = Vendor(at_once, noise).hold(at_once * 300)
    assert len(vendor.served) == at_once * 300
    assert vendor.share_used >= 0.85
    assert vendor.share_refused <= 0.02


def test_without_a_limit_nobody_waits_for_long():
    vendor = Vendor().hold(1800)
    assert vendor.most_in_flight >= 500
    assert vendor.now <= 5 * max(SECONDS)


def test_a_setting_stays_an_upper_bound():
    assert Vendor(most=7).hold(500).most_in_flight == 7


def test_places_are_halved_when_answers_take_twice_as_long():
    vendor = Vendor(slots=100)
    vendor.hold(20_000)
    assert vendor.window.places <= 400, "four times what it can work on"
    assert vendor.now <= 1.2 * 20_000 * sum(SECONDS) / len(SECONDS) / 100


def test_places_are_kept_where_we_are_late_ourselves():
    window = CallWindow(4096)
    for n in range(4000):
        late = n >= 500
        window.note_answer("m", n / 100, n / 100, 3.0 if late else 1.0, full=True, lag=0.5 * late)
    assert window.places >= 4000


def test_slowness_that_is_not_our_doing_becomes_usual():
    window = CallWindow(4096)
    for n in range(4000):
        window.note_answer("m", n, n, 1.0 if n < 500 else 5.0, full=True)
    assert window.places >= 500


def test_a_burst_of_refusals_leaves_as_many_places_as_were_not_refused():
    window = CallWindow(1000)
    for in_flight in range(FIRST, 10, -1):
        window.note_refusal(0.0, 1.0, in_flight)
    assert window.places == 10


def test_a_limit_that_was_raised_is_noticed():
    vendor = Vendor(20).hold(4000)
    vendor.at_once, before = 200, vendor.window.places
    assert vendor.hold(40_000).window.places > 4 * before


def test_no_vendor_in_the_world_has_a_fixed_number():
    assert {row.concurrency for row in TABLE.values() if row.needs_key} == {None}


async def test_a_vendor_that_takes_few_at_once_answers_everyone():
    async with FakeVendor() as vendor:
        vendor.at_once = 5
        vendor.always(delay=0.05)
        async with a_router(an_endpoint(vendor.base_url())) as router:
            asked = (router.ask(an_ask(seat=f"s{i}"), print) for i in range(FIRST))
            responses = await asyncio.gather(*asked)
            before = vendor.turned_away
            asked = (router.ask(an_ask(seat=f"s{i}"), print) for i in range(FIRST))
            responses += await asyncio.gather(*asked)
    assert all(r.usable for r in responses)
    assert vendor.turned_away - before <= 5


async def test_room_is_made_when_answers_begin_and_not_when_they_end():
    """Answers take long to be written: whoever waits for a place must not wait for their ends."""
    async with FakeVendor() as vendor:
        vendor.always("held")
        async with a_router(an_endpoint(vendor.base_url()), bounds=Bounds()) as router:
            asked = [router.ask(an_ask(seat=f"s{i}"), print) for i in range(2 * FIRST)]
            calls = [asyncio.create_task(a) for a in asked]
            async with not_for_ever():
                while len(vendor.arrivals) < 2 * FIRST:
                    await asyncio.wait(calls, timeout=0.01)
                    assert not any(call.done() for call in calls)
            vendor.gate.set()
            assert all(r.usable for r in await asyncio.gather(*calls))


# -- what vendors say in headers

OPENAI = {
    "x-ratelimit-limit-requests": "60", "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": "1m0s", "x-ratelimit-limit-tokens": "1000",
    "x-ratelimit-remaining-tokens": "400", "x-ratelimit-reset-tokens": "600ms",
}  # fmt: skip


def test_what_is_left_of_a_limit_is_waited_for():
    left = Allowances()
    left.read_headers("m1", OPENAI, now=100.0)
    assert left.wait("m1", 10, now=100.0) == pytest.approx(1.0), "sixty in a minute"
    assert left.wait("m1", 10, now=101.0) == pytest.approx(0.0)
    assert left.wait("m1", 500, now=100.0) == pytest.approx(1.0)
    assert left.wait("m2", 10, now=100.0) == 0.0


def test_what_is_sent_is_counted_before_the_vendor_says_so():
    left = Allowances()
    left.read_headers("m1", {**OPENAI, "x-ratelimit-remaining-requests": "2"}, now=100.0)
    for _ in range(2):
        assert left.wait("m1", 10, now=100.0) == 0.0
        left.take("m1", 10, now=100.0)
    assert left.wait("m1", 10, now=100.0) > 0.9


def test_nobody_waits_for_more_than_the_whole_of_a_limit():
    left = Allowances()
    left.read_headers("m1", OPENAI, now=100.0)
    assert left.wait("m1", 10**9, now=200.0) == 0.0


def test_anthropics_dates_are_read():
    found = buckets(
        {
            "anthropic-ratelimit-requests-limit": "50",
            "anthropic-ratelimit-requests-remaining": "49",
            "anthropic-ratelimit-requests-reset": "2999-01-01T00:00:00Z",
        },
        now=0.0,
    )
    assert found["requests"].left == 49


@pytest.mark.parametrize("junk", ["", "soon", "-1", "nan", "1e9", "9" * 50, "5mm", "1h2", "0s"])
def test_a_limit_that_cannot_be_read_is_none(junk):
    assert "requests" not in buckets({**OPENAI, "x-ratelimit-reset-requests": junk}, 0.0)


async def test_calls_wait_for_what_the_headers_promise():
    async with FakeVendor() as vendor:
        limits = {
            "x-ratelimit-limit-requests": "10", "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": "5s",
        }  # fmt: skip
        vendor.then(headers=limits)
        async with a_router(an_endpoint(vendor.base_url())) as router:
            await router.ask(an_ask(), print)
            await router.ask(an_ask(), print)
            await router.ask(an_ask(model="m2"), print)
    assert vendor.gaps[0] >= 0.45
    assert [a.model for a in vendor.arrivals] == ["m1", "m1", "m2"]
