"""The channel of a debate: whoever comes whenever is told everything once."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from mutual_dissent.core.events import Noted, Token
from mutual_dissent.hosting.channel import Channel

ONE = {"panelist": "ada", "round_number": 0, "role": "initial", "key": "k"}


def noted(seq):
    return Noted(seq=seq, at=datetime(2026, 1, 1, tzinfo=UTC), code="test", text=f"note {seq}")


def numbers(*batches):
    return [e.seq for b in batches for e in b.events]


async def told(channel):
    """Wait until what was put last is told."""
    batches = channel.follow()
    async for batch in batches:
        if batch.events and batch.events[-1] is channel.events[-1]:
            return


async def test_who_comes_between_two_batches_gets_nothing_twice():
    channel = Channel()
    channel.put(noted(1))
    channel.put(Token(**ONE, text="one "))
    await told(channel)
    channel.put(noted(2))
    channel.put(Token(**ONE, text="two "))
    late = channel.follow()
    first = await anext(late)
    channel.put(noted(3))
    channel.put(Token(**ONE, text="three"))
    channel.end()
    batches = [first, *[b async for b in late]]
    assert numbers(*batches) == [1, 2, 3]
    assert "".join(p.text for b in batches for p in b.pieces) == "one two three"


async def test_who_comes_back_before_the_first_batch_gets_only_what_it_lacks():
    channel = Channel()
    for seq in range(1, 8):
        channel.put(noted(seq))
    back = channel.follow(after=5)
    coming = asyncio.ensure_future(anext(back))
    await asyncio.sleep(0)
    channel.end()
    assert numbers(await coming, *[b async for b in back]) == [6, 7]


async def test_who_falls_behind_gets_nothing_twice():
    channel = Channel()
    slow = channel.follow()
    channel.put(noted(1))
    first = await anext(slow)
    for seq in (2, 3):
        channel.put(noted(seq))
        channel.put(Token(**ONE, text=f"{seq} "))
        await told(channel)
    channel.put(noted(4))  # not told to anybody yet
    second = await anext(slow)
    channel.end()
    batches = [first, second, *[b async for b in slow]]
    assert numbers(*batches) == [1, 2, 3, 4]
    assert "".join(p.text for b in batches for p in b.pieces) == "2 3 "


async def test_who_comes_while_an_answer_is_begun_anew_gets_only_the_new_one():
    channel = Channel()
    channel.put(noted(1))
    channel.put(Token(**ONE, text="wrong, and longer"))
    await told(channel)
    channel.put(Token(**ONE, text="right", restart=True))
    late = channel.follow()
    first = await anext(late)
    channel.end()
    pieces = [p for b in (first, *[b async for b in late]) for p in b.pieces]
    assert [(p.attempt, p.offset, p.text) for p in pieces] == [(2, 0, "right")]
