"""Killed at any moment, a debate loses no answer and buys none twice."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from collections import Counter, deque
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from fakes.patience import LONG
from fakes.vendor import FakeVendor, Turn
from mutual_dissent.core.events import Answered, Status
from mutual_dissent.core.transcript import fold
from mutual_dissent.store.store import Store

CALLS = 9
FORM = {"position": "Tabs.", "reasoning": "One key.", "key_points": ["a", "b"], "confidence": 0.7}
ANSWER = json.dumps(FORM)
"""Serves as plain text and as a structured answer."""


def forecaster(n: int) -> str:
    return json.dumps({**FORM, "estimate": f"{20 + n} % [10 to 50]"})


def reviewer(n: int) -> str:
    """A model that finds something of its own, and leaves open what the others found."""
    quotes = ("rate = 2", "hours = read()", "tax = rate / hours", "print(total)")
    claims = ("The rate is fixed.", "Nobody closes the file.", "Zero divides.", "No such name.")
    found = {"file": "pay.py", "line": n + 1, "severity": "high", "quote": quotes[n], "fix": ""}
    rows = [{**found, "claim": claims[n]}]
    return json.dumps({"position": "Not yet.", "findings": rows, "verdicts": []})


def contrary(n: int) -> str:
    return f"So.\nBOTTOM LINE: {('Tabs.', 'Spaces.')[n % 2]}"


SPEECH = {"escalate": contrary, "forecast": forecaster, "review": reviewer}
"""Texts of the model with a number, in modes in which all the same would be too simple."""


def speak(vendor, what: str, delay: float = 0.0) -> None:
    """Have every model answer as the mode needs it, however often it is asked."""
    vendor.always(delay=delay, text=ANSWER)
    if what in SPEECH:
        turns = {f"m{n}": Turn(text=SPEECH[what](n), delay=delay) for n in range(4)}
        vendor.models.update({model: deque([turn] * 99) for model, turn in turns.items()})


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
    speak(vendor, what)
    await mill.start(str(home), vendor.base_url("openai-chat"), what)
    assert await mill.ended() == 0
    return essence(on_disk(home))


def calls(events) -> set[str]:
    """The answers that a model gave; others were chosen among those, or put together by code."""
    given = [e for e in events if isinstance(e, Answered)]
    return {e.key for e in given if e.response.model_id and not e.response.chosen}


async def check_recovery(mill, vendor, home: Path, expected, what: str = "run") -> None:
    """Resume what is there and compare with a debate that was never interrupted."""
    before = on_disk(home)
    if before is None:
        return
    transcript_id = before[0].brief.transcript_id
    first = len(vendor.arrivals)
    speak(vendor, what)
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
    assert again == len(calls(events) - calls(before)), "only what was missing was asked for"
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
@pytest.mark.parametrize(
    ("what", "step"),
    [("run", 1), ("star", 1), ("adversarial", 1), ("escalate", 3), ("review", 3), ("forecast", 3)],
)
async def test_killed_before_and_after_a_call_nothing_is_lost_and_nothing_bought_twice(
    tmp_path, what, step
):
    """Each call of some modes; every third moment of others, in each of their phases."""
    number_of_calls = CALLS + {"star": 1, "review": -1}.get(what, 0)
    async with FakeVendor() as vendor, zygote() as mill:
        expected = await uninterrupted(mill, vendor, tmp_path / "control", what)
        assert expected[2] is Status.COMPLETED
        assert len(vendor.arrivals) >= number_of_calls
        for point in range(step // 2, 2 * number_of_calls + 1, step):
            home = tmp_path / f"{what}-{point}"
            vendor.arrivals.clear()
            speak(vendor, what, delay=0.01)
            await mill.start(str(home), vendor.base_url("openai-chat"), what)
            number, after = divmod(point, 2)
            await asyncio.wait_for(
                answers(home, number) if after == 0 else arrivals(vendor, number + 1), LONG
            )
            await kill(mill)
            await check_recovery(mill, vendor, home, expected, what)


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
