"""A small world for the engine: scripted panelists, a journal in memory, known prices."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.events import Event, Opened, Token
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.transcript import Transcript, fold, opening
from mutual_dissent.engine.deliberate import deliberate
from mutual_dissent.engine.environment import Environment
from mutual_dissent.engine.memory import Memory
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.prompts.library import Library

START = datetime(2026, 2, 21, 15, 30, tzinfo=UTC)


class Ledger:
    """A journal in memory that may fail after so many events."""

    def __init__(self, fails_after: int | None = None) -> None:
        self.events: list[Event] = []
        self.fails_after = fails_after

    async def append(self, events: Sequence[Event]) -> None:
        from mutual_dissent.core.errors import NotSaved

        if self.fails_after is not None and len(self.events) + len(events) > self.fails_after:
            raise NotSaved("the disk is full; free some space")
        self.events += events


class Tariff:
    """A dollar a thousand tokens in, two out; every model takes so many tokens."""

    def __init__(self, window: int | None = None, known: bool = True) -> None:
        self.window, self.known = window, known

    def cost(self, route, input_tokens, output_tokens, cached_tokens=0):
        return (input_tokens + 2 * output_tokens) / 1000 if self.known else None

    def context_window(self, route):
        return self.window

    async def prepare(self, routes):
        pass

    def known_models(self):
        return []


def ticking():
    """A clock that is a second further each time."""
    at = START

    def clock() -> datetime:
        nonlocal at
        at += timedelta(seconds=1)
        return at

    return clock


def seat(name: str, **more) -> Panelist:
    base = name.partition("#")[0]
    return Panelist(seat=name, route=Route(vendor="given", model_id=f"{base}-1"), **more)


def a_brief(*seats: str, **more) -> Brief:
    panel = tuple(seat(s) for s in seats or ("ada", "bob", "cyd"))
    values = {
        "transcript_id": "0b5c1f2e-0000-4000-8000-000000000001",
        "query": "Tabs or spaces?",
        "panel": panel,
        "synthesizer": panel[0],
        "nonce": "n0nce",
        "seed": 7,
    }
    return Brief(**{**values, **more})


async def run(
    brief: Brief,
    provider,
    *,
    events: Sequence[Event] = (),
    journal=None,
    prices=None,
    tools=None,
    cited=None,
    library=None,
    **memory,
) -> tuple[Transcript, list[Event], list[Token]]:
    """Run a debate, or run it on from the events of an earlier one."""
    journal = journal if journal is not None else Ledger()
    clock = ticking()
    first = events[0] if events else Opened(seq=1, at=clock(), brief=brief)
    assert isinstance(first, Opened)
    if not events:
        journal.events.append(first)
    past = Memory.of(events) if events else Memory(last_seq=1, **memory)
    world = Environment(
        provider=provider,
        journal=journal,
        prices=prices or Tariff(),
        library=library or Library(),
        clock=clock,
        tools=tools,
        cited=cited,
    )
    seen: list[Event] = list(events) or [first]
    tokens: list[Token] = []
    mode = modes(TOPOLOGIES)[brief.mode]
    async for item in deliberate(opening(first), mode, world, past):
        (tokens if isinstance(item, Token) else seen).append(item)
    return fold(seen), seen, tokens
