"""A sample debate that comes with the program, to watch without any key."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.resources import files

from mutual_dissent.core.events import Answered, Asked, Event, Token, event_from_plain
from mutual_dissent.stream import UpdateStream

TICK = 0.05
"""Seconds between two pieces of text."""
THINKING = 0.12
"""Share of its time in which an answer shows no text yet."""


def sample() -> list[Event]:
    """Return the events of the sample debate. Its texts were written by hand, not by a model."""
    text = files(__package__).joinpath("sample.json").read_text("utf-8")
    return [event_from_plain(plain) for plain in json.loads(text)]


async def play_sample(events: list[Event], now: datetime, *, speed: float | None) -> UpdateStream:
    """Yield the events as if they happened now, with the text of answers in pieces.

    Args:
        speed: how many times faster than recorded; None for all at once and without pieces.
    """
    begun, clock, started = events[0].at, 0.0, time.monotonic()
    answers = {e.key: e for e in events if isinstance(e, Answered)}
    writing: dict[str, _Writing] = {}
    for event in events:
        due = (event.at - begun).total_seconds()
        while speed and clock < due:
            await asyncio.sleep(min(TICK, (due - clock) / speed))
            clock = min(due, (time.monotonic() - started) * speed)
            for token in [t for w in writing.values() for t in w.until(clock)]:
                yield token
        if isinstance(event, Asked) and event.key in answers:
            writing[event.key] = _Writing(event, answers[event.key], clock)
        elif isinstance(event, Answered):
            writing.pop(event.key, None)
        yield replace(event, at=now + (event.at - begun))


@dataclass(slots=True)
class _Writing:
    """An answer that is being written."""

    asked: Asked
    answer: Answered
    since: float
    done: int = 0

    def until(self, clock: float) -> Iterator[Token]:
        """Yield the text that is due at this time and was not yielded before."""
        whole = self.answer.response.content
        took = (self.answer.response.latency_ms or 1) / 1000
        part = ((clock - self.since) / took - THINKING) / (1 - THINKING)
        written = int(len(whole) * max(0.0, min(1.0, part)))
        if written > self.done:
            a = self.asked
            text, self.done = whole[self.done : written], written
            yield Token(
                panelist=a.seat, round_number=a.round_number, role=a.role, key=a.key, text=text
            )
