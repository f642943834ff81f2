"""Many stored debates, made quickly."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.events import Answered, Closed, Event, Opened, Status
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Response
from mutual_dissent.store.store import Store

START = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = "harbour river engine policy market garden treaty carbon orbit signal ledger winter".split()
SEATS = ("claude", "gpt", "gemini", "grok")


def fill(path: Path, number: int, batch: int = 5_000) -> None:
    """Store so many debates of three answers each."""
    chance = Random(1)
    with Store(path) as store:
        for start in range(0, number, batch):
            ids = range(start, min(number, start + batch))
            store.save_all([list(_log(i, chance)) for i in ids])


def _log(i: int, chance: Random) -> Iterator[Event]:
    at = START + timedelta(seconds=i)
    who = chance.sample(SEATS, 2)
    panel = tuple(Panelist(seat=s, route=Route(vendor="openai", model_id=f"{s}-1")) for s in who)
    brief = Brief(
        transcript_id=str(uuid.UUID(int=chance.getrandbits(128), version=4)),
        query=f"What about the {_text(chance, 6)}?",
        panel=panel,
        synthesizer=panel[0],
    )
    yield Opened(seq=1, at=at, brief=brief)
    asks = [(0, "initial", panel[0]), (0, "initial", panel[1]), (-1, "synthesis", panel[0])]
    for seq, (number, role, panelist) in enumerate(asks, start=2):
        response = Response(
            model_id=panelist.model_id, model_alias=panelist.seat, round_number=number, role=role,
            content=_text(chance, 30), timestamp=at, input_tokens=100, output_tokens=40,
            cost_usd=0.001, routing=panelist.route,
        )  # fmt: skip
        key = f"{number}/{role}/{panelist.seat}"
        yield Answered(
            seq=seq, at=at, key=key, seat=panelist.seat, request_hash="", response=response
        )
    yield Closed(seq=5, at=at, status=Status.COMPLETED, reason="done")


def _text(chance: Random, words: int) -> str:
    return " ".join(chance.choices(WORDS, k=words))
