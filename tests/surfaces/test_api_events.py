"""Live events over REST: whoever comes back misses nothing, and a slow reader holds nobody up."""

from __future__ import annotations

import asyncio

import pytest

from fakes.rest import PANEL, HeldCast, numbers, rest, sent
from fakes.structured import plainly
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Token
from mutual_dissent.hosting.channel import AnswerPiece, Batch, Channel
from mutual_dissent.stream import collect_transcript
from mutual_dissent.surfaces.rest import events
from mutual_dissent.surfaces.rest.events import Stream, encode_batch


@pytest.fixture
async def api(own_home):
    async with rest(own_home) as found:
        yield found


def stream(api, name, after=None, **headers):
    path = f"/api/sessions/{name}/events"
    named = {k.replace("_", "-"): v for k, v in headers.items()}
    params = {"after": after} if after is not None else None
    return api.client.stream("GET", path, params=params, headers=named)


async def until(found, kind, count=1):
    """The events up to so many of a kind; the reader stays open."""
    seen = []
    async for event in found:
        seen.append(event)
        if [e.event for e in seen].count(kind) == count:
            return seen
    raise AssertionError(f"the stream ended without {kind}")


async def test_every_event_comes_once_in_order_and_the_stream_ends(api):
    name = await api.begun()
    async with stream(api, name) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        api.cast.open.set()
        seen = [e async for e in sent(answer.aiter_lines())]
    assert numbers(seen) == list(range(1, len(numbers(seen)) + 1))
    assert (seen[0].event, seen[-1].event) == ("opened", "closed")
    assert all(e.data["kind"] == e.event for e in seen if e.id)
    assert seen[-1].data["status"] == "completed"


async def test_every_answer_comes_with_what_it_says_of_itself_and_of_the_others(api):
    name = (await api.chat(mode="reflection", rounds=1))["sessionId"]
    async with stream(api, name) as answer:
        seen = [e async for e in sent(answer.aiter_lines())]
    said = [e.data["response"] for e in seen if e.event == "answered"]
    second = next(r for r in said if r["role"] == "reflection" and r["model_alias"] == "ada")
    assert second["closing"]["bottom_line"].startswith("In short, ")
    assert {v["seat"]: v["relation"] for v in second["closing"]["views"]} == {
        "bob": "partly", "cyd": "partly",
    }  # fmt: skip
    assert second["closing"]["change"]["kind"] == "nothing"
    assert all("BOTTOM LINE" not in r["content"] for r in said)


async def test_what_is_being_written_comes_as_tokens_without_a_number(api):
    name = await api.begun()
    async with stream(api, name) as answer:
        seen = await until(sent(answer.aiter_lines()), "tokens")
        assert seen[-1].id is None
        assert {p["text"] for p in seen[-1].data} == {"Well, "}
        assert seen[-1].data[0].keys() >= {"key", "panelist", "attempt", "offset", "round_number"}
        api.cast.open.set()


async def test_who_comes_back_goes_on_where_it_was(api):
    name = await api.begun()
    async with stream(api, name) as answer:
        first = await until(sent(answer.aiter_lines()), "tokens")
    last = numbers(first)[-1]
    async with stream(api, name, Last_Event_ID=str(last)) as answer:
        found = sent(answer.aiter_lines())
        partial = await until(found, "tokens")
        api.cast.open.set()
        rest_ = [*partial, *[e async for e in found]]
    assert {p["text"] for p in partial[-1].data} >= {"Well, "}
    assert [*numbers(first), *numbers(rest_)] == list(range(1, numbers(rest_)[-1] + 1))


async def test_a_finished_session_with_nothing_new_says_not_to_come_back(api):
    name = (await api.chat())["sessionId"]
    async with stream(api, name) as answer:
        seen = [e async for e in sent(answer.aiter_lines())]
    last = str(numbers(seen)[-1])
    for headers in ({"Last_Event_ID": last}, {"Last_Event_ID": "99999"}):
        async with stream(api, name, **headers) as answer:
            assert answer.status_code == 204
    async with stream(api, name, after=3) as answer:
        assert numbers([e async for e in sent(answer.aiter_lines())])[0] == 4


async def test_events_are_the_same_after_a_restart(own_home):
    async with rest(own_home) as api:
        name = await api.begun()
        async with stream(api, name) as answer:
            before = await until(sent(answer.aiter_lines()), "tokens")
    async with rest(own_home) as api:
        async with stream(api, name) as answer:
            stored = [e async for e in sent(answer.aiter_lines())]
        assert stored[: len(numbers(before))] == [e for e in before if e.id]
        await api.post(f"/api/sessions/{name}/resume", None, 202)
        last = str(numbers(stored)[-1])
        async with stream(api, name, Last_Event_ID=last) as answer:
            after = [e async for e in sent(answer.aiter_lines())]
    assert numbers(after)[0] == numbers(stored)[-1] + 1
    assert after[-1].data["status"] == "completed"


async def test_a_number_that_is_none_is_refused(api):
    name = (await api.chat())["sessionId"]
    for wrong in ("-1", "x", "1.5", "9" * 30):
        async with stream(api, name, Last_Event_ID=wrong) as answer:
            assert answer.status_code == 422


async def test_a_reader_that_leaves_neither_stops_nor_doubles_the_debate(api):
    name = await api.begun()
    for _ in range(3):  # who comes back and leaves again changes nothing either
        async with stream(api, name) as answer:
            await until(sent(answer.aiter_lines()), "tokens")
    api.cast.open.set()
    done = await api.hosted.sessions.wait(name, 60)
    assert done.synthesis is not None
    assert len(api.cast.asks) == len(list(done.responses()))
    assert api.hosted.md.store.count() == 1


async def test_a_debate_that_somebody_else_runs_is_followed_as_well(api, own_home):
    elsewhere = HeldCast(PANEL, plainly)
    elsewhere.open.clear()
    async with MutualDissent(home=own_home, env={}, provider=elsewhere) as other:
        brief = await other.brief("Tabs?", panel=PANEL)
        task = asyncio.create_task(collect_transcript(other.run(brief)))
        while len(other.store.ids()) < 1 or other.store.last_seq(brief.transcript_id) < 3:
            await asyncio.sleep(0.01)
        async with stream(api, brief.transcript_id) as answer:
            found = sent(answer.aiter_lines())
            first = await until(found, "asked")
            elsewhere.open.set()
            rest_ = [e async for e in found]
        await task
    seen = [*first, *rest_]
    assert numbers(seen) == list(range(1, len(seen) + 1))
    assert seen[-1].event == "closed"


# -- how it is sent


def test_a_batch_is_put_into_bytes_once():
    piece = AnswerPiece(
        key="k", panelist="a", round_number=0, role="initial", attempt=1, offset=0, text="x\ny"
    )
    batch = Batch(pieces=(piece,))
    assert encode_batch(batch) is encode_batch(batch)
    assert encode_batch(batch).count(b"\n") == 3


class Client:
    """Somebody at the other end of an ASGI connection, who takes things when it wants to."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.reads = asyncio.Event()
        self.left = asyncio.Event()

    async def receive(self):
        await self.left.wait()
        return {"type": "http.disconnect"}

    async def send(self, message):
        if message["type"] == "http.response.body":
            await self.reads.wait()
            self.taken.append(message["body"])


def word(text="word "):
    return Token(panelist="ada", round_number=0, role="initial", key="k", text=text)


async def test_a_slow_reader_holds_nobody_up_and_nothing_piles_up_for_it():
    channel, slow, quick = Channel(), Client(), Client()
    quick.reads.set()
    tasks = [asyncio.create_task(Stream(channel.follow())({}, c.receive, c.send))
             for c in (slow, quick)]  # fmt: skip
    for _ in range(2000):
        channel.put(word())
        await asyncio.sleep(0)
    channel.end()
    await tasks[1]
    assert b"".join(quick.taken).count(b"word ") == 2000
    slow.reads.set()
    await tasks[0]
    assert b"".join(slow.taken).count(b"word ") == 2000
    assert len(slow.taken) <= 4


async def test_where_nothing_happens_a_comment_shows_that_the_connection_lives(monkeypatch):
    monkeypatch.setattr(events, "HEARTBEAT", 0.001)
    channel, client = Channel(), Client()
    client.reads.set()
    task = asyncio.create_task(Stream(channel.follow())({}, client.receive, client.send))
    while b":\n\n" not in client.taken:
        await asyncio.sleep(0)
    channel.end()
    await task


async def test_a_reader_that_takes_nothing_for_long_is_let_go(monkeypatch):
    monkeypatch.setattr(events, "HEARTBEAT", 0.001)
    monkeypatch.setattr(events, "PATIENCE", 0.002)
    channel, client = Channel(), Client()
    task = asyncio.create_task(Stream(channel.follow())({}, client.receive, client.send))
    channel.put(word())
    await task
    assert client.taken == []
    assert not channel.ended


# -- over a real connection


async def test_a_client_that_reads_nothing_for_a_while_gets_it_all_and_holds_nobody_up(own_home):
    async with rest(own_home, says=lambda ask: "word " * 60_000) as api:
        name = await api.begun()
        host, port = api.url.removeprefix("http://").split(":")
        reader, writer = await asyncio.open_connection(host, int(port), limit=4096)
        writer.write(
            f"GET /api/sessions/{name}/events HTTP/1.1\r\nHost: {host}:{port}\r\n"
            "Connection: close\r\n\r\n".encode()
        )
        await reader.readuntil(b"event: opened")
        api.cast.open.set()
        assert (await api.hosted.sessions.wait(name, 60)).synthesis is not None
        async with stream(api, name) as answer:
            quick = [e async for e in sent(answer.aiter_lines())]
        rest_ = b""
        while data := await reader.read(1 << 16):
            rest_ += data
        writer.close()
    assert quick[-1].event == "closed"
    assert rest_.count(b"event: answered") == 7
    assert rest_.rindex(b"event: closed") > rest_.rindex(b"event: answered")
