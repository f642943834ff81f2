"""What is tried again, what is not, and how long a call may take."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from fakes.calls import IMPATIENT, QUICK, a_router, an_ask, an_endpoint
from fakes.patience import not_for_ever
from fakes.vendor import FakeVendor
from mutual_dissent.core.ports import RESTART
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.http.attempt import asked_wait, pause
from mutual_dissent.providers.http.limits import Bounds

DIALECTS = ["openai-chat", "openai-responses", "anthropic", "google"]


@pytest.fixture(params=DIALECTS)
def dialect(request):
    return request.param


@pytest.fixture(params=["stream", "whole"])
async def vendor(request):
    async with FakeVendor(whole=request.param == "whole") as running:
        yield running


@pytest.fixture
async def router(vendor, dialect):
    async with a_router(an_endpoint(vendor.base_url(dialect), dialect)) as made:
        yield made


@pytest.fixture
async def one_router(vendor):
    """A router of one dialect, for what does not depend on it."""
    async with a_router(an_endpoint(vendor.base_url())) as made:
        yield made


# -- R1: Retry-After


@pytest.mark.parametrize("status", ["429", "503"])
async def test_a_retry_never_comes_early(vendor, one_router, status):
    vendor.then(status, retry_after=0.4)
    response = await one_router.ask(an_ask(), print)
    assert response.usable
    assert len(vendor.arrivals) == 2
    assert vendor.gaps[0] >= 0.4
    assert [a.status for a in response.attempts] == [int(status)]


async def test_a_date_to_wait_for_is_honoured(one_router, vendor):
    vendor.then("429", retry_after=2, retry_date=True)
    asked_at, began = time.time(), time.monotonic()
    response = await one_router.ask(an_ask(), print)
    assert response.usable
    _, again = vendor.arrivals
    assert again.at - began >= int(asked_at) + 2 - asked_at - 0.01  # a date has whole seconds


async def test_a_wait_longer_than_the_call_may_take_fails_at_once_and_says_how_long(vendor, router):
    vendor.always("429", retry_after=90)
    async with not_for_ever(50):
        response = await router.ask(an_ask(timeout=60), print)
    assert response.error_kind is ErrorKind.RATE_LIMIT
    assert "90 s" in response.error
    assert len(vendor.arrivals) == 1


async def test_others_are_not_held_up_by_one_that_waits(vendor, one_router):
    vendor.then("429", retry_after=0.5, model="slow")
    slow = asyncio.create_task(one_router.ask(an_ask(model="slow"), print))
    await vendor.heard.wait()
    assert (await one_router.ask(an_ask(model="quick"), print)).usable
    assert (await slow).usable
    assert [a.model for a in vendor.arrivals] == ["slow", "quick", "slow"]


@pytest.mark.parametrize("junk", ["soon", "-5", "nan", "inf", "1e9", "", "99999999999999"])
def test_a_wait_that_cannot_be_read_is_no_wait(junk):
    from datetime import UTC, datetime

    assert asked_wait({"Retry-After": junk}, datetime.now(UTC)) is None


def test_the_vendors_clock_counts_where_the_clocks_differ():
    from datetime import UTC, datetime

    headers = {
        "Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT",
        "Date": "Wed, 21 Oct 2026 07:28:00 GMT",
    }
    assert asked_wait(headers, datetime(2026, 10, 22, tzinfo=UTC)) == 30.0


# -- R2, R3: limits without a header, failing servers


@pytest.mark.parametrize("status", ["429", "500", "502", "503", "529"])
async def test_a_failing_vendor_is_tried_three_times_at_most(vendor, router, status):
    vendor.always(status)
    response = await router.ask(an_ask(), print)
    assert len(vendor.arrivals) == 3
    assert len(response.attempts) == 2
    kind = ErrorKind.RATE_LIMIT if status == "429" else ErrorKind.OVERLOADED
    assert (response.error_kind, response.finish) == (kind, Finish.FAILED)
    assert {a.error_kind for a in response.attempts} == {kind}


async def test_the_third_attempt_succeeds_after_a_burst_of_two(vendor, router):
    vendor.then("503", times=2)
    response = await router.ask(an_ask(), print)
    assert response.usable
    assert len(vendor.arrivals) == 3


async def test_pauses_grow(vendor):
    vendor.always("500")
    bounds = Bounds(backoff=0.1)
    async with a_router(an_endpoint(vendor.base_url()), bounds=bounds) as router:
        await router.ask(an_ask(), print)
    first, second = vendor.gaps
    assert first >= 0.1
    assert second >= 0.2


def test_a_pause_is_little_longer_than_it_must_be():
    for _ in range(200):
        assert 0.1 <= pause(None, 1, 0.1) <= 0.15
        assert 0.2 <= pause(None, 2, 0.1) <= 0.3
        assert 10 <= pause(10, 1, 0.1) <= 12


# -- R4 to R6: what no retry can cure


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("400", ErrorKind.BAD_REQUEST),
        ("404", ErrorKind.UNKNOWN_MODEL),
        ("422", ErrorKind.BAD_REQUEST),
        ("402", ErrorKind.CREDITS),
        ("401", ErrorKind.AUTH),
        ("403", ErrorKind.FORBIDDEN),
        ("408", ErrorKind.TIMEOUT),
    ],
)
async def test_what_cannot_succeed_is_not_tried_again(vendor, router, status, kind):
    vendor.always(status, retry_after=0)
    response = await router.ask(an_ask(), print)
    assert len(vendor.arrivals) == 1
    assert (response.error_kind, response.finish) == (kind, Finish.FAILED)
    assert "acme" in response.error
    assert "m1" in response.error


async def test_an_unknown_model_is_answered_with_the_nearest_names(vendor, dialect):
    vendor.always("404")
    endpoint = an_endpoint(vendor.base_url(dialect), dialect)
    known = ["gpt-6.1-sol", "gpt-6.1-luna", "claude-sonnet-5-5"]
    async with a_router(endpoint, known=lambda: known) as router:
        response = await router.ask(an_ask(model="gpt-6.1-soll"), print)
    assert "gpt-6.1-soll" in response.error
    assert "'gpt-6.1-sol'" in response.error
    assert "claude" not in response.error


async def test_the_id_that_was_refused_is_not_suggested(vendor):
    vendor.always("404")
    known = ["acme:gpt-9", "gpt-9", "acme:gpt-8"]
    async with a_router(an_endpoint(vendor.base_url()), known=lambda: known) as router:
        response = await router.ask(an_ask(model="gpt-9"), print)
    assert response.error.endswith("did you mean 'acme:gpt-8'?")


async def test_a_refused_key_is_not_sent_again(vendor, router):
    vendor.then("401")
    first = await router.ask(an_ask(), print)
    later = await router.ask(an_ask(seat="bob", model="m2"), print)
    assert len(vendor.arrivals) == 1
    assert later.error_kind is ErrorKind.AUTH
    assert "ACME_API_KEY" in first.error
    assert "ACME_API_KEY" in later.error


async def test_calls_in_flight_finish_when_the_key_is_refused_and_those_waiting_stop(vendor):
    vendor.then(model="paid", delay=1.0)
    vendor.then("503", model="waiting", delay=0.1, retry_after=0.2)
    vendor.then("401", model="refused", delay=0.05)
    async with a_router(an_endpoint(vendor.base_url(), concurrency=3)) as router:
        models = ["paid", "waiting", "refused", "queued"]
        responses = await asyncio.gather(*(router.ask(an_ask(model=m), print) for m in models))
    paid, waiting, refused, queued = responses
    assert paid.usable
    assert {r.error_kind for r in (waiting, refused, queued)} == {ErrorKind.AUTH}
    assert sorted(a.model for a in vendor.arrivals) == ["paid", "refused", "waiting"]


async def test_a_vendor_without_its_key_is_not_called(vendor):
    async with a_router(an_endpoint(vendor.base_url(), key=None)) as router:
        response = await router.ask(an_ask(), print)
    assert response.error_kind is ErrorKind.AUTH
    assert "set ACME_API_KEY" in response.error
    assert not vendor.arrivals


async def test_a_vendor_that_needs_no_key_is_called_without(vendor, dialect):
    endpoint = an_endpoint(vendor.base_url(dialect), dialect, key=None, needs_key=False)
    async with a_router(endpoint) as router:
        assert (await router.ask(an_ask(), print)).usable


# -- R7: no connection


async def test_a_closed_port_is_tried_three_times_and_named(unused_tcp_port):
    async with a_router(an_endpoint(f"http://127.0.0.1:{unused_tcp_port}/v1")) as router:
        response = await router.ask(an_ask(), print)
    assert response.error_kind is ErrorKind.CONNECTION
    assert len(response.attempts) == 2
    assert "could not be reached: connection refused; check " in response.error
    assert str(unused_tcp_port) not in response.error


async def test_an_unknown_host_is_tried_three_times_and_named(monkeypatch):
    def nowhere(*_args, **_more):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", nowhere)
    async with a_router(an_endpoint("http://nowhere.invalid/v1")) as router:
        response = await router.ask(an_ask(), print)
    assert response.error_kind is ErrorKind.CONNECTION
    assert len(response.attempts) == 2
    assert "name is unknown" in response.error


async def test_a_failed_handshake_is_tried_three_times(vendor):
    url = vendor.base_url().replace("http:", "https:")
    async with a_router(an_endpoint(url)) as router:
        response = await router.ask(an_ask(), print)
    assert response.error_kind is ErrorKind.CONNECTION
    assert len(response.attempts) == 2
    assert "could not be reached: it does not encrypt, as an https address must;" in response.error


async def test_a_reset_before_the_headers_is_tried_again(vendor, router):
    vendor.then("reset")
    response = await router.ask(an_ask(), print)
    assert response.usable
    assert [a.error_kind for a in response.attempts] == [ErrorKind.CONNECTION]
    vendor.always("reset")
    await router.ask(an_ask(), print)
    assert len(vendor.arrivals) == 2 + 3


async def test_an_address_that_is_none_is_said(vendor):
    for url in ("htp://host/v1", "http://", "http://[::1", "http://user:pw@127.0.0.1:9/v1"):
        async with a_router(an_endpoint(url)) as router:
            response = await router.ask(an_ask(), print)
        assert response.error_kind in (ErrorKind.BAD_REQUEST, ErrorKind.CONNECTION), url
        assert "pw" not in response.error


# -- R8: silence


@pytest.mark.parametrize("fault", ["hang", "hang_body", "slowloris"])
async def test_a_call_ends_at_its_deadline(vendor, router, fault):
    vendor.always(fault)
    began = time.monotonic()
    async with not_for_ever(30):
        response = await router.ask(an_ask(timeout=0.3), print)
    assert time.monotonic() - began >= 0.28
    assert response.error_kind is ErrorKind.TIMEOUT
    assert not response.usable
    assert len(vendor.arrivals) <= 1


async def test_silence_in_an_answer_ends_it_and_it_is_tried_once_more(vendor, dialect):
    vendor.always("stall")
    endpoint = an_endpoint(vendor.base_url(dialect), dialect)
    async with a_router(endpoint, bounds=IMPATIENT) as router:
        response = await router.ask(an_ask(), print)
    assert len(vendor.arrivals) == 2
    assert (response.finish, response.error_kind) == (Finish.INCOMPLETE, ErrorKind.TIMEOUT)
    assert [a.error_kind for a in response.attempts] == [ErrorKind.TIMEOUT]


async def test_a_slow_answer_is_not_silence(dialect):
    async with (
        FakeVendor(token_delay=0.12) as vendor,
        a_router(an_endpoint(vendor.base_url(dialect), dialect), bounds=IMPATIENT) as router,
    ):
        assert (await router.ask(an_ask(), print)).usable
    assert len(vendor.arrivals) == 1


async def test_a_vendor_that_says_it_is_at_work_may_think_for_long_and_then_may_not_stall():
    wire = "openai-responses"
    async with (
        FakeVendor() as vendor,
        a_router(an_endpoint(vendor.base_url(wire), wire), bounds=IMPATIENT) as router,
    ):
        vendor.then(thinks=1.5)
        assert (await router.ask(an_ask(), print)).attempts == ()
        vendor.then("stall")
        again = await router.ask(an_ask(), print)
    assert [a.error_kind for a in again.attempts] == [ErrorKind.TIMEOUT]


async def test_the_first_byte_has_a_limit_of_its_own(vendor):
    vendor.then("hang")
    bounds = Bounds(first_byte=1.0, backoff=0.01)
    async with a_router(an_endpoint(vendor.base_url()), bounds=bounds) as router:
        response = await router.ask(an_ask(), print)
    assert response.usable
    assert [a.error_kind for a in response.attempts] == [ErrorKind.TIMEOUT]


async def test_thinking_long_before_the_first_byte_is_allowed(vendor):
    vendor.then(delay=1.2)  # twice the silence that is borne within an answer
    async with a_router(an_endpoint(vendor.base_url()), bounds=IMPATIENT) as router:
        assert (await router.ask(an_ask(), print)).usable


async def test_retries_stay_within_the_deadline(vendor):
    vendor.always("500", delay=0.2)
    bounds = Bounds(backoff=0.2)
    async with a_router(an_endpoint(vendor.base_url()), bounds=bounds) as router, not_for_ever():
        response = await router.ask(an_ask(timeout=0.5), print)
    assert len(vendor.arrivals) <= 2  # the third would have begun after the deadline
    assert not response.usable


# -- R9, R10: answers that break off


@pytest.mark.parametrize("fault", ["midcut", "truncate"])
async def test_a_cut_answer_is_tried_once_more_and_both_attempts_are_kept(vendor, router, fault):
    vendor.always(fault)
    response = await router.ask(an_ask(), print)
    assert len(vendor.arrivals) == 2
    assert response.finish is Finish.INCOMPLETE
    assert response.error_kind is ErrorKind.CONNECTION
    assert len(response.attempts) == 1
    assert not response.usable


@pytest.mark.parametrize("fault", ["midcut", "truncate", "no_finish", "malformed"])
async def test_half_an_answer_is_kept_but_never_used(dialect, fault):
    heard = []
    async with (
        FakeVendor() as vendor,
        a_router(an_endpoint(vendor.base_url(dialect), dialect)) as router,
    ):
        vendor.always(fault)
        response = await router.ask(an_ask(), heard.append)
    assert response.content == "m1 has "
    assert response.attempts[0].partial == "m1 has "
    assert response.finish is Finish.INCOMPLETE
    assert not response.usable
    assert "".join(heard) == f"m1 has {RESTART}m1 has "
    assert len(vendor.arrivals) == 2


@pytest.mark.parametrize("fault", ["midcut", "truncate", "no_finish", "malformed", "error_event"])
async def test_the_second_attempt_starts_the_text_over(dialect, fault):
    heard = []
    async with (
        FakeVendor() as vendor,
        a_router(an_endpoint(vendor.base_url(dialect), dialect)) as router,
    ):
        vendor.then(fault)
        response = await router.ask(an_ask(), heard.append)
    assert response.usable
    assert "".join(heard).rpartition(RESTART)[2] == response.content
    assert heard.count(RESTART) == 1


async def test_no_restart_is_told_when_nothing_was_heard(vendor, router):
    vendor.then("500")
    heard = []
    await router.ask(an_ask(), heard.append)
    assert RESTART not in heard


# -- R11: what is no answer


@pytest.mark.parametrize(
    ("fault", "quoted"),
    [
        ("badjson", '{"choices": [{"mess'),
        ("html", "Please sign in to this network."),
        ("gzip_bomb", "more than 11 MB"),
        ("lying_gzip", "not compressed"),
        ("lying_br", "'br'"),
        ("empty_body", "empty body"),
    ],
)
async def test_what_is_no_answer_is_quoted_and_not_bought_again(vendor, router, fault, quoted):
    vendor.always(fault)
    response = await router.ask(an_ask(), print)
    assert (response.finish, response.error_kind) == (Finish.FAILED, ErrorKind.BAD_RESPONSE)
    assert quoted in response.error
    assert response.content == ""
    assert len(response.error) < 400
    assert len(vendor.arrivals) == 1


# -- R14: errors inside a 200


@pytest.mark.parametrize(
    ("code", "kind", "arrivals"),
    [
        (429, ErrorKind.RATE_LIMIT, 3),
        (502, ErrorKind.OVERLOADED, 3),
        (402, ErrorKind.CREDITS, 1),
        (401, ErrorKind.AUTH, 1),
        (400, ErrorKind.BAD_REQUEST, 1),
    ],
)
async def test_an_error_inside_a_200_counts_as_its_code_says(vendor, router, code, kind, arrivals):
    vendor.always("error200", inner=code)
    response = await router.ask(an_ask(), print)
    assert (response.error_kind, response.finish) == (kind, Finish.FAILED)
    assert len(vendor.arrivals) == arrivals


# -- cancelling


async def test_a_cancelled_call_ends_at_once_and_frees_its_place(vendor):
    vendor.then("hang")
    async with a_router(an_endpoint(vendor.base_url(), concurrency=1)) as router:
        asking = asyncio.create_task(router.ask(an_ask(), print))
        await vendor.heard.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert (await router.ask(an_ask(), print)).usable


async def test_the_patience_of_production_is_as_documented():
    bounds = Bounds()
    assert (bounds.connect, bounds.idle, bounds.attempts) == (10.0, 60.0, 3)
    assert bounds.first_byte is None
    assert bounds.text == 2_000_000
    assert QUICK.attempts == bounds.attempts
