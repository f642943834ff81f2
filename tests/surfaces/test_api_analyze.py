"""A stored debate is read by an analyst over REST."""

from __future__ import annotations

import pytest_asyncio

from fakes.patience import LONG
from fakes.rest import WAIT, rest
from mutual_dissent.analysis.ledger.lookup import ledger_of


@pytest_asyncio.fixture
async def api(own_home):
    async with rest(own_home, seats=("ada", "bob", "cyd")) as found:
        yield found


def ledger(api, name):
    return ledger_of(api.hosted.sessions.transcript(name))


async def debated(api, **more):
    """The id of a debate that nobody works on any more."""
    said = await api.chat(panel=["ada", "bob", "cyd"], **more)
    return (await api.hosted.sessions.wait(said["sessionId"], LONG)).transcript_id


async def test_who_reads_a_debate_can_be_said_when_it_is_asked(api):
    assert ledger(api, await debated(api, analyst="eve")).analyst == "eve"
    unread = await debated(api, analyst="none")
    assert sum(a.role == "analysis" for a in api.cast.asks) == 1
    assert not (found := ledger(api, unread)) or found.source == "panel"


async def test_a_debate_that_nobody_read_is_read_later_and_again(api):
    name = await debated(api)
    before = api.hosted.sessions.transcript(name).synthesis
    path = f"/api/sessions/{name}/analyze"
    await api.post(path, {"analyst": "eve"}, 200, **WAIT)
    assert ledger(api, name).analyst == "eve"
    await api.post(path, None, 200, **WAIT)
    assert sum(a.role == "analysis" for a in api.cast.asks) == 2
    assert api.hosted.sessions.transcript(name).synthesis == before


async def test_what_cannot_be_read_is_refused_with_a_reason(api):
    bare = await debated(api, synthesize=False)
    said = await api.post(f"/api/sessions/{bare}/analyze", None, 422)
    assert "no synthesis" in said["error"]["message"]
    said = await api.post(f"/api/sessions/{bare}/analyze", {"analyzer": "rules"}, 422)
    assert "analyzer" in said["error"]["message"]
    assert not any(a.role == "analysis" for a in api.cast.asks)
