"""Killed at any moment, a debate loses no answer and buys none twice."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from collections import Counter
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from fakes.patience import LONG
from fakes.vendor import FakeVendor
from mutual_dissent.core.events import Answered, Status
from mutual_dissent.core.transcript import fold
from mutual_dissent.store.store import Store

CALLS = 9
ANSWER = json.dumps(
    {"position": "Tabs.", "reasoning": "One key.", "key_points": ["a", "b"], "confidence": 0.7}
)
"""Serves as plain text and as a structured answer."""


class Zygote:
    """Children that hold a debate, started by fork."""

    def __init__(self, process) -> None:
        self._process, self.pid = process, 0

    async def start(self, *words: str) -> int:
        self._process.stdin.write((" ".join(words) + "\n").encode())
        await self._process.stdin.drain()
        self.pid = int(await self._process.stdout.readline())
        return self.pid

    async def ended(self) -> int:
        return int(await self._process.stdout.readline())


@asynccontextmanager
async def zygote():
    process = await asyncio.create_subprocess_exec(
        sys.executable, str(Path(__file__).with_name("zygote.py")),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield Zygote(process)
    finally:
        process.stdin.close()
        await process.wait()


def on_disk(home: Path):
    """What the record of the only debate holds; None if there is none yet."""
    if not (home / "dissent.db").exists():
        return None
    store = Store(home / "dissent.db")
    try:
        ids = store.ids()
        return store.events(ids[0]) if ids else None
    finally:
        store.close()


def asked_in(arrival) -> tuple[str, str]:
    """Which ask a request is: its model and its whole text."""
    return arrival.model, arrival.prompt


def essence(events):
    """What a debate came to."""
    whole = fold(events)
    said = [(r.round_number, r.model_alias, r.content) for r in whole.turns()]
    return said, whole.synthesis and whole.synthesis.content, whole.status


async def uninterrupted(mill, vendor, home: Path, what: str):
    """What the same debate comes to if nobody kills it."""
    vendor.always(text=ANSWER)
    await mill.start(str(home), vendor.base_url("openai-chat"), what)
    assert await mill.ended() == 0
    return essence(on_disk(home))


async def check_recovery(mill, vendor, home: Path, expected) -> None:
    """Resume what is there and compare with a debate that was never interrupted."""
    before = on_disk(home)
    if before is None:
        return
    bought = {e.key for e in before if isinstance(e, Answered)}
    transcript_id = before[0].brief.transcript_id
    first = len(vendor.arrivals)
    vendor.always(text=ANSWER)
    pid = await mill.start(str(home), vendor.base_url("openai-chat"), "resume", transcript_id)
    assert pid
    assert await mill.ended() == 0
    events = on_disk(home)
    assert events[: len(before)] == before, "the record was only added to"
    whole = fold(events)
    assert essence(events) == expected
    answered = Counter(e.key for e in events if isinstance(e, Answered))
    assert set(answered.values()) == {1}, "no answer is on record twice"
    again = len(vendor.arrivals) - first
    assert again == len(answered) - len(bought), "only what was missing was asked for"
    texts = Counter(asked_in(a) for a in vendor.arrivals)
    twice = sum(n - 1 for n in texts.values())
    assert twice <= whole.bought_twice, "a call in flight at the kill is reported"
    assert [e.seq for e in events] == list(range(1, len(events) + 1))


async def arrivals(vendor, number: int) -> None:
    while len(vendor.arrivals) < number:
        vendor.heard.clear()
        await vendor.heard.wait()


async def answers(home: Path, number: int) -> None:
    """Until so many answers are on disk."""
    while True:
        events = on_disk(home) or []
        if sum(isinstance(e, Answered) for e in events) >= number:
            return
        await asyncio.sleep(0.002)


@pytest.mark.slow
@pytest.mark.parametrize("what", ["run", "star", "adversarial"])
async def test_killed_before_and_after_each_call_nothing_is_lost_and_nothing_bought_twice(
    tmp_path, what
):
    calls = CALLS + (what == "star")
    async with FakeVendor() as vendor, zygote() as mill:
        expected = await uninterrupted(mill, vendor, tmp_path / "control", what)
        assert expected[2] is Status.COMPLETED
        for point in range(2 * calls + 1):
            home = tmp_path / f"{what}-{point}"
            vendor.arrivals.clear()
            vendor.always(delay=0.01, text=ANSWER)
            await mill.start(str(home), vendor.base_url("openai-chat"), what)
            number, after = divmod(point, 2)
            await asyncio.wait_for(
                answers(home, number) if after == 0 else arrivals(vendor, number + 1), LONG
            )
            await kill(mill)
            await check_recovery(mill, vendor, home, expected)


async def kill(mill) -> None:
    with suppress(ProcessLookupError):
        os.kill(mill.pid, signal.SIGKILL)
    await mill.ended()


@pytest.mark.slow
async def test_killed_at_a_hundred_random_instants_nothing_is_lost_and_nothing_bought_twice(
    tmp_path,
):
    chance = random.Random(2026)
    async with FakeVendor() as vendor, zygote() as mill:
        expected = await uninterrupted(mill, vendor, tmp_path / "control", "run")
        for trial in range(100):
            home = tmp_path / str(trial)
            vendor.arrivals.clear()
            vendor.always(delay=0.005, text=ANSWER)
            await mill.start(str(home), vendor.base_url("openai-chat"), "run")
            await asyncio.sleep(chance.uniform(0.0, 0.12))
            await kill(mill)
            await check_recovery(mill, vendor, home, expected)
