"""Vendors that search on a wire of their own: there they break in every known way, too."""

from __future__ import annotations

from collections import Counter

import pytest

from fakes.ledgers import unread
from fakes.vendor import FakeVendor
from mutual_dissent import MutualDissent
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.views.remarks.notes import warnings

HEALTHY = ["openai:gpt-5", "xai:grok-4"]
SEARCH, CHAT = "openai-responses", "openai-chat"
KEY = "canary-key-0123456789"

BROKEN = {
    # fault: (kind of error, most calls that it may cost)
    "429": (ErrorKind.RATE_LIMIT, 3),
    "500": (ErrorKind.OVERLOADED, 3),
    "400": (ErrorKind.BAD_REQUEST, 1),
    "reset": (ErrorKind.CONNECTION, 3),
    "hang": (ErrorKind.TIMEOUT, 2),
    "midcut": (ErrorKind.CONNECTION, 2),
    "no_finish": (ErrorKind.BAD_RESPONSE, 2),
    "malformed": (ErrorKind.BAD_RESPONSE, 2),
    "html": (ErrorKind.BAD_RESPONSE, 1),
    "empty": (ErrorKind.BAD_RESPONSE, 1),
    "refusal": (ErrorKind.REFUSED, 1),
    "filter": (ErrorKind.FILTERED, 1),
    "error200": (ErrorKind.RATE_LIMIT, 3),
    "error_event": (ErrorKind.RATE_LIMIT, 3),
}


@pytest.fixture
def debate(own_home, monkeypatch):
    """Hold a debate at this vendor, with searches."""
    unread(own_home)

    async def hold(vendor, *seats, **more):
        for name in ("OPENAI", "XAI"):
            monkeypatch.setenv(f"{name}_API_KEY", KEY)
            monkeypatch.setenv(f"{name}_BASE_URL", vendor.base_url(CHAT))
        how = {"synthesizer": HEALTHY[1], "tools": True, "check_citations": False, **more}
        async with MutualDissent() as md:
            return await md.debate("q", panel=[*HEALTHY, *seats], **how)

    return hold


async def test_the_debate_goes_on_without_panelists_whose_search_breaks(debate):
    async with FakeVendor() as vendor:
        for fault in BROKEN:
            vendor.then(fault, model=f"gpt-5-{fault}", times=3)
        seats = [f"openai:gpt-5-{fault}" for fault in BROKEN]
        transcript = await debate(vendor, *seats, call_timeout=6)
        calls = Counter((a.model, a.dialect) for a in vendor.arrivals)
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis is not None
    absent = {r.model_id.removeprefix("gpt-5-"): r for r in transcript.absent}
    assert {fault: r.error_kind for fault, r in absent.items()} == {
        fault: kind for fault, (kind, _) in BROKEN.items()
    }
    assert absent["midcut"].finish is Finish.INCOMPLETE
    for fault, (_, most) in BROKEN.items():
        assert 1 <= calls[f"gpt-5-{fault}", SEARCH] <= most, fault
        assert not calls[f"gpt-5-{fault}", CHAT], (
            "asked on the other wire though it was not refused"
        )
    assert KEY not in repr(transcript)


async def test_what_a_panel_searched_is_on_record_and_everybody_else_is_asked_as_ever(debate):
    async with FakeVendor() as vendor:
        vendor.then(model="grok-4", usage={"in": 12, "out": 7, "cost": 0.25})
        transcript = await debate(vendor, "openai:o3")
    turns = {r.model_id: r for r in transcript.rounds[0].responses}
    assert {r.searches for r in turns.values()} == {1}
    assert {c.url for r in turns.values() for c in r.citations} == {"https://found.example/a"}
    assert turns["grok-4"].cost_usd == 0.25  # as its vendor says
    assert turns["gpt-5"].cost_usd >= 0.01
    searching = [a for a in vendor.arrivals if a.dialect == SEARCH]
    assert len(searching) == 6
    assert [a.model for a in vendor.arrivals if a.dialect == CHAT] == ["grok-4"]  # it sums up
    assert not any(a.body["store"] for a in searching)
    bounds = {a.model: a.body.get("max_tool_calls") for a in searching}
    assert bounds == {"gpt-5": 4, "o3": 4, "grok-4": None}


REFUSALS = {
    # what a server says: whether it is the search that it refuses
    (400, "Tool 'web_search' is not supported with this model."): True,
    (400, "The following tools cannot be used with reasoning.effort 'minimal': web_search."): True,
    (400, "Unknown parameter: 'max_tool_calls'."): True,
    (404, "Not Found"): True,
    (405, "Method Not Allowed"): True,
    (404, "The model `gpt-5-mini` does not exist or you do not have access to it."): False,
    (400, "Invalid 'temperature': decimal below minimum value."): False,
}


@pytest.mark.parametrize("refusal", REFUSALS)
async def test_who_may_not_search_is_asked_as_ever_and_pays_for_no_search(refusal, debate):
    status, words = refusal
    async with FakeVendor() as vendor:
        vendor.then(str(status), model="gpt-5-mini", message=words)
        transcript = await debate(vendor, "openai:gpt-5-mini")
        wires = [a.dialect for a in vendor.arrivals if a.model == "gpt-5-mini"]
    if REFUSALS[refusal]:
        answers = [r for r in transcript.turns() if r.model_id == "gpt-5-mini"]
        assert wires == [SEARCH, CHAT, CHAT]
        assert [(r.usable, r.searches) for r in answers] == [(True, None)] * 2
        assert all(0 < r.cost_usd < 0.001 for r in answers)
        assert {n.seat for n in transcript.notes if n.code == "unsearched"} == {"openai:gpt-5-mini"}
        assert any("refused to search" in warning for warning in warnings(transcript))
    else:
        assert wires == [SEARCH]
        assert [r.model_id for r in transcript.absent] == ["gpt-5-mini"]
