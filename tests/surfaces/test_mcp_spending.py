"""What a call sets going ends with it; who waits hears that the panel lives."""

from __future__ import annotations

import asyncio

import pytest

from fakes.roundtable import ERAS, PANEL, Panel, differently, roundtable
from mutual_dissent.core.events import Status
from mutual_dissent.surfaces.mcp import progress as watching


@pytest.fixture
async def table(tmp_path):
    async with roundtable(tmp_path) as made:
        yield made


@pytest.fixture(params=ERAS)
def era(request):
    return request.param


async def given_up(call):
    """Cancel a call, as a client does whose user has lost patience."""
    call.cancel()
    await asyncio.wait([call])


async def only_session(table):
    [row] = table.hosted.md.store.list()
    return row.transcript_id


async def test_a_start_that_is_given_up_stops_spending_and_keeps_the_answers(tmp_path, era):
    panel = Panel(holds_from=1, says=differently)
    panel.open.clear()
    async with roundtable(tmp_path, panel) as table, table.client(era) as ask:
        call = asyncio.create_task(ask.start(rounds=3))
        await panel.begun.wait()
        await given_up(call)
        session = await only_session(table)
        stopped = await table.hosted.sessions.wait(session, 60)
        assert stopped.status is Status.STOPPED
        assert [len(r.usable) for r in stopped.rounds][:1] == [len(PANEL)]
        assert panel.given_up == len(PANEL)
        assert {a.round_number for a in panel.asks} == {0}
        panel.open.set()
        await ask("control_session", sessionId=session, action="resume")
        assert (await table.hosted.sessions.wait(session, 60)).status is Status.COMPLETED
        assert [a.round_number for a in panel.asks].count(0) == len(PANEL)


async def test_a_start_that_is_given_up_at_once_spends_nothing_later(table, era):
    table.panel.open.clear()
    async with table.client(era) as ask:
        await ask.schemas()

        async def begun_and_given_up(turns):
            call = asyncio.create_task(ask.start(rounds=1))
            for _ in range(turns):
                await asyncio.sleep(0)
            await given_up(call)

        await asyncio.gather(*(begun_and_given_up(turns) for turns in range(0, 60, 3)))
        while table.hosted.sessions.live:
            await asyncio.sleep(0.02)
    statuses = {row.status for row in table.hosted.md.store.list()}
    assert statuses <= {Status.STOPPED, Status.INTERRUPTED}


async def test_a_continuation_and_a_synthesis_that_are_given_up_stop_too(table, era):
    async with table.client(era) as ask:
        session = (await ask.start(rounds=1))["sessionId"]
        for tool in ("continue_roundtable", "synthesize_debate"):
            table.panel.open.clear()
            table.panel.begun.clear()
            call = asyncio.create_task(ask(tool, sessionId=session))
            await table.panel.begun.wait()
            await given_up(call)
            stopped = await table.hosted.sessions.wait(session, 60)
            assert stopped.status is Status.STOPPED
            table.panel.open.set()
            await ask("control_session", sessionId=session, action="resume")
            done = await table.hosted.sessions.wait(session, 60)
            assert done.status is Status.COMPLETED
        assert done.synthesis is not None


async def test_a_poll_that_is_given_up_stops_nothing(table, era):
    table.panel.open.clear()
    async with table.client(era) as ask:
        session = (await ask.start(rounds=1, wait=0))["sessionId"]
        await table.panel.begun.wait()
        poll = asyncio.create_task(ask("get_consensus", sessionId=session, wait=300))
        await asyncio.sleep(0.05)
        await given_up(poll)
        table.panel.open.set()
        assert (await ask("get_consensus", sessionId=session, wait=60))["status"] == "completed"
    assert table.panel.given_up == 0


async def test_whoever_waits_hears_of_every_event_and_progress_only_increases(table, era):
    told = []

    async def on_progress(progress, total, message):
        told.append((progress, message))

    async with table.client(era) as ask:
        given = {"topic": "Tabs?", "agents": PANEL, "mode": "collaborative", "rounds": 1}
        await ask.client.call_tool("start_roundtable", given, progress_callback=on_progress)
    steps = [progress for progress, _ in told]
    assert steps == sorted(set(steps))
    said = [message for _, message in told]
    for seat in PANEL:
        assert f"{seat} has answered" in said
    assert "end of initial answers" in said
    assert said[-1] == "the debate is completed"


async def test_there_are_signs_of_life_where_nothing_happens(table, era, monkeypatch):
    monkeypatch.setattr(watching, "HEARTBEAT", 0.01)
    table.panel.open.clear()
    alive = asyncio.Event()
    told = []

    async def on_progress(progress, total, message):
        told.append(progress)
        if "under way" in message and told.count(progress) == 1 and len(told) > 8:
            alive.set()

    async with table.client(era) as ask:
        given = {"topic": "Tabs?", "agents": PANEL, "mode": "collaborative", "rounds": 1}
        call = asyncio.create_task(
            ask.client.call_tool("start_roundtable", given, progress_callback=on_progress)
        )
        await alive.wait()
        table.panel.open.set()
        assert not (await call).is_error
    assert told == sorted(set(told))


async def test_a_panel_that_fails_is_a_result_with_the_next_step(tmp_path):
    def nobody(ask):
        raise StopIteration

    cast = Panel()
    cast._cast._cues = dict.fromkeys((*PANEL, "eve"), nobody)
    async with roundtable(tmp_path, cast) as table, table.client() as ask:
        said = await ask.start(rounds=1)
        assert said["status"] == "error"
        assert "resume" in said["next"]
        assert said["agentResponses"] == []
        assert "0 of 3 panelists answered" in said["heading"]
