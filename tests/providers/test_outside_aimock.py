"""Calls against aimock, which was written by others, on every wire that it speaks."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.aimock import Aimock
from fakes.calls import CANARY, QUICK, a_router, an_ask
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.core.tool import SearchWay
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.endpoints import TABLE

pytestmark = pytest.mark.outside

SEARCHING = "openai, searching"
VENDORS = ["openai", SEARCHING, "anthropic", "google", "openrouter", "groq", "ollama"]
OWN = SearchWay(by="openai", own=True, wire="openai-responses")
ANSWER = "Tabs, for the sake of everyone who reads with other eyes."


def when(text, response, **more):
    match = {"userMessage": text, **more.pop("match", {})}
    return {"match": match, "response": response, **more}


def failing_once(text, status, message, **more):
    error = {"error": {"message": message, "type": "told"}, "status": status, **more}
    return [
        when(text, error, match={"sequenceIndex": 0}),
        when(text, {"content": ANSWER}, match={"sequenceIndex": 1}),
    ]


FIXTURES = [
    when("plainly", {"content": ANSWER}),
    when("with thought", {"content": ANSWER, "reasoning": "Let me think."}),
    when("with a tool", {"toolCalls": [{"name": "look_up", "arguments": {"q": "tabs"}}]}),
    when("with usage", {"content": ANSWER, "usage": {
        "prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16,
        "input_tokens": 11, "output_tokens": 5,
        "promptTokenCount": 11, "candidatesTokenCount": 5, "totalTokenCount": 16}}),
    when("at length", {"content": ANSWER, "finishReason": "length"}),
    when("cut short", {"content": ANSWER}, truncateAfterChunks=4, chunkSize=5, latency=20),
    when("hang up", {"content": ANSWER}, disconnectAfterMs=150, chunkSize=5, latency=50),
    when("in comments", {"content": ANSWER}, openRouterProcessing=True, latency=5),
    when("for free", {"error": {"message": "no credits left", "type": "x"}, "status": 402}),
    when("as a stranger", {"error": {"message": "who are you", "type": "x"}, "status": 401}),
    when("of nobody", {"error": {"message": "model not found", "type": "x"}, "status": 404}),
]  # fmt: skip


@pytest.fixture(scope="module")
def aimock(tmp_path_factory):
    flaky = []
    for vendor in VENDORS:
        flaky += failing_once(f"limited {vendor}", 429, "slow down", retryAfter=1)
        flaky += failing_once(f"broken {vendor}", 503, "try later")
    with Aimock([*FIXTURES, *flaky], tmp_path_factory.mktemp("aimock")) as running:
        yield running


@pytest.fixture(params=VENDORS)
def vendor(request):
    return request.param


@pytest.fixture
async def asked(aimock, vendor):
    """Asks the vendor something and gives the response and what was heard."""
    name, _, searching = vendor.partition(", ")
    key = Key(CANARY, TABLE[name].key_env) if TABLE[name].needs_key else None
    endpoint = replace(TABLE[name], base_url=aimock.base_url(name), key=key)
    heard, search = [], OWN if searching else None

    async def ask(text, **more):
        response = await router.ask(
            an_ask(vendor=name, model="model-1", head=f"Answer {text}.", search=search, **more),
            heard.append,
        )
        return response, "".join(heard)

    async with a_router(endpoint, bounds=QUICK) as router:
        yield ask


async def test_a_plain_answer_is_read(asked):
    response, heard = await asked("plainly")
    assert response.content == heard == ANSWER
    assert response.finish is Finish.COMPLETE
    assert response.served_model in ("model-1", None)  # its Gemini does not say


async def test_reasoning_is_no_part_of_the_answer(asked):
    response, heard = await asked("with thought")
    assert response.content == heard == ANSWER


async def test_usage_is_read(asked):
    response, _ = await asked("with usage")
    assert (response.input_tokens, response.output_tokens) == (11, 5)


async def test_a_tool_call_is_no_answer(asked):
    response, _ = await asked("with a tool")
    assert response.finish is Finish.EMPTY
    assert response.tool_calls[0]["name"] == "look_up"


async def test_an_answer_cut_at_its_length_is_marked(asked, vendor):
    response, _ = await asked("at length")
    # Of a response that is incomplete, it does not say why.
    cut = Finish.INCOMPLETE if vendor == SEARCHING else Finish.TRUNCATED
    assert (response.content, response.finish) == (ANSWER, cut)


@pytest.mark.parametrize("how", ["cut short", "hang up"])
async def test_half_an_answer_is_never_used(asked, how):
    response, _ = await asked(how)
    assert response.finish is Finish.INCOMPLETE
    assert not response.usable
    assert ANSWER.startswith(response.content)
    assert len(response.attempts) == 1


async def test_comment_lines_are_skipped(asked):
    response, _ = await asked("in comments")
    assert response.content == ANSWER


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("for free", ErrorKind.CREDITS),
        ("as a stranger", ErrorKind.AUTH),
        ("of nobody", ErrorKind.UNKNOWN_MODEL),
    ],
)
async def test_errors_are_told_apart_and_not_retried(asked, how, kind):
    response, _ = await asked(how)
    assert (response.error_kind, response.attempts) == (kind, ())


async def test_a_limited_call_waits_as_asked_and_succeeds(asked, vendor):
    response, _ = await asked(f"limited {vendor}")
    assert response.content == ANSWER
    assert [a.error_kind for a in response.attempts] == [ErrorKind.RATE_LIMIT]
    waited = response.timestamp - response.attempts[0].started_at
    assert waited.total_seconds() >= 1.0


async def test_a_broken_vendor_is_tried_again(asked, vendor):
    response, _ = await asked(f"broken {vendor}")
    assert response.content == ANSWER
    assert [a.error_kind for a in response.attempts] == [ErrorKind.OVERLOADED]
