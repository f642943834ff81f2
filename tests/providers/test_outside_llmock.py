"""Calls against llmock, which grades how its clients take the faults that it makes."""

from __future__ import annotations

from dataclasses import replace

import aiohttp
import pytest

from fakes.calls import CANARY, QUICK, a_router, an_ask
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.core.tool import SearchWay
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.endpoints import TABLE

pytestmark = pytest.mark.outside

VENDORS = {"openai": "openai", "anthropic": "anthropic", "google": "gemini", "groq": "groq",
           "xai": "xai", "perplexity": "perplexity"}  # fmt: skip
SEARCHING = "openai, searching"
DIALECTS = ["openai", SEARCHING, "anthropic", "google"]
OWN = SearchWay(by="openai", own=True, wire="openai-responses")
STREAM = {"type": "stream_fault", "after_chunks": 1}


@pytest.fixture(params=DIALECTS)
def vendor(request):
    return request.param


@pytest.fixture
def faults(llmock):
    """Queue faults for the calls to come; streams are paced, so that a fault is met in time."""
    llmock.pace(10)

    async def queue(*behaviors):
        async with aiohttp.ClientSession() as session:
            url = f"{llmock.url}/_llmock/scenario"
            async with session.post(url, json={"behaviors": list(behaviors)}) as answer:
                assert answer.status == 201, await answer.text()

    return queue


@pytest.fixture
async def asked(llmock, vendor):
    name, _, searching = vendor.partition(", ")
    base = llmock.base_url(VENDORS[name])
    key = Key(CANARY, TABLE[name].key_env)
    endpoint = replace(TABLE[name], base_url=base, key=key)
    search = OWN if searching else None

    async def ask(**more):
        asked = an_ask(vendor=name, model="model-1", search=search, **more)
        return await router.ask(asked, lambda _: None)

    async with a_router(endpoint, bounds=replace(QUICK, backoff=0.1, idle=1.5)) as router:
        yield ask


async def grade(llmock):
    """The verdict on all that was asked: neither an error nor a warning."""
    url = f"{llmock.url}/_llmock/verdict"
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        verdict = await answer.json()
    assert verdict["findings"] == []
    assert verdict["passed"]
    return verdict


@pytest.mark.parametrize("vendor", [*VENDORS, SEARCHING], indirect=True)
async def test_a_plain_answer_is_read(llmock, asked):
    response = await asked()
    assert response.usable
    assert response.content
    assert response.output_tokens
    assert (await grade(llmock))["attempts"] == 1


async def test_a_limit_is_waited_for(llmock, faults, asked):
    await faults({"type": "fail", "status": 429, "retry_after": 0.3, "times": 2})
    response = await asked()
    assert response.usable
    assert [a.error_kind for a in response.attempts] == [ErrorKind.RATE_LIMIT] * 2
    assert (await grade(llmock))["attempts"] == 3


async def test_a_real_quota_is_kept_to(llmock, asked):
    llmock.limits(rpm=60)
    responses = [await asked(head=f"Question {n}?") for n in range(3)]
    assert all(r.usable for r in responses)
    await grade(llmock)


@pytest.mark.parametrize("status", [500, 503])
async def test_a_failing_vendor_is_tried_again(llmock, faults, asked, status):
    await faults({"type": "fail", "status": status, "times": 2})
    assert (await asked()).usable
    assert (await grade(llmock))["attempts"] == 3


async def test_a_vendor_that_keeps_failing_is_given_up(llmock, faults, asked):
    await faults({"type": "fail", "status": 500, "times": 9})
    response = await asked()
    assert response.error_kind is ErrorKind.OVERLOADED
    assert (await grade(llmock))["attempts"] == 3


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, ErrorKind.AUTH),
        (403, ErrorKind.FORBIDDEN),
        (400, ErrorKind.BAD_REQUEST),
        (404, ErrorKind.UNKNOWN_MODEL),
        (422, ErrorKind.BAD_REQUEST),
    ],
)
async def test_what_cannot_succeed_is_not_tried_again(llmock, faults, asked, vendor, status, kind):
    await faults({"type": "fail", "status": status, "times": 9})
    assert (await asked()).error_kind is kind
    # Without a word about the model, it may be the wire of the search that is not there.
    wires = 2 if (vendor, status) == (SEARCHING, 404) else 1
    assert (await grade(llmock))["attempts"] == wires


@pytest.mark.parametrize("fault", ["truncate", "malformed", "disconnect"])
async def test_a_broken_stream_is_noticed_and_tried_again(llmock, faults, asked, fault):
    await faults({**STREAM, "kind": fault})
    response = await asked()
    assert response.usable
    assert len(response.attempts) == 1
    assert (await grade(llmock))["attempts"] == 2


async def test_a_stalled_stream_is_left(llmock, faults, asked, vendor):
    # Before its first word, who searches may be silent.
    begun = {"after_chunks": 6} if vendor == SEARCHING else {}
    await faults({**STREAM, "kind": "stall", "stall_seconds": 6, **begun})
    response = await asked()
    assert response.usable
    assert [a.error_kind for a in response.attempts] == [ErrorKind.TIMEOUT]
    assert (await grade(llmock))["attempts"] == 2


async def test_a_slow_first_token_is_waited_for(llmock, faults, asked):
    await faults({"type": "slow_first_token", "seconds": 2})
    response = await asked()
    assert response.usable
    assert response.first_token_ms >= 2000
    assert (await grade(llmock))["attempts"] == 1


async def test_a_tool_call_is_no_answer(llmock, asked):
    llmock.call_tool("look_up", {"q": "tabs"})
    response = await asked()
    assert response.finish is Finish.EMPTY
    assert response.tool_calls
    assert response.tool_calls[0]["name"] == "look_up"
    await grade(llmock)
