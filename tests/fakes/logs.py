"""Logs of debates that never happened, numbered as the engine numbers them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.events import (
    Answered,
    Asked,
    Closed,
    Event,
    Noted,
    Opened,
    RoundEnded,
    RoundStarted,
    Status,
)
from mutual_dissent.core.measures import Measures
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Response

START = datetime(2026, 2, 21, 15, 30, tzinfo=UTC)


def an_id(n: int = 0) -> str:
    """A UUID, the same for the same number."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, f"debate {n}"))


def seat(
    name: str, model_id: str | None = None, vendor: str = "openrouter", **more: Any
) -> Panelist:
    """A panelist."""
    route = Route(vendor=vendor, model_id=model_id or f"maker/{name.partition('#')[0]}-1")
    return Panelist(seat=name, route=route, **more)


def a_brief(
    n: int = 0, query: str = "Which city is the capital of Australia?", **more: Any
) -> Brief:
    """A brief for three panelists."""
    panel = more.pop("panel", (seat("claude"), seat("gpt"), seat("claude#2", persona="sceptic")))
    return Brief(
        transcript_id=an_id(n),
        query=query,
        panel=panel,
        synthesizer=more.pop("synthesizer", seat("claude")),
        nonce="n0nce",
        **more,
    )


def a_response(
    panelist: Panelist, number: int, role: str, content: str, at: datetime, **more: Any
) -> Response:
    """What a panelist said; 100 tokens for a tenth of a cent."""
    values: dict[str, Any] = {
        "token_count": 100,
        "input_tokens": 60,
        "output_tokens": 40,
        "latency_ms": 900,
        "provider": panelist.route.vendor,
        "routing": panelist.route,
        "persona": panelist.persona,
        "cost_usd": 0.001,
    }
    return Response(
        model_id=panelist.model_id,
        model_alias=panelist.seat,
        round_number=number,
        role=role,
        content=content,
        timestamp=at,
        **{**values, **more},
    )


def numbered(events: Iterable[Event], start: int = 1) -> list[Event]:
    """The events with their places in the log."""
    return [e.with_seq(i) for i, e in enumerate(events, start)]


def a_turn(
    panelist: Panelist, number: int, role: str, content: str, at: datetime, **more: Any
) -> list[Event]:
    """A request and its answer."""
    key = f"{number}/{role}/{panelist.seat}"
    return [
        Asked(
            at=at, key=key, seat=panelist.seat, round_number=number, role=role,
            prompt="p", request_hash=f"hash of {key}", labels={"A": "gpt"} if number == 1 else {},
        ),
        Answered(
            at=at + timedelta(seconds=1), key=key, seat=panelist.seat,
            request_hash=f"hash of {key}",
            response=a_response(panelist, number, role, content, at, **more),
        ),
    ]  # fmt: skip


def a_log(
    n: int = 0, *, at: datetime | None = None, brief: Brief | None = None, closed: bool = True
) -> list[Event]:
    """A whole debate: two rounds of three, a note, a synthesis."""
    brief = brief or a_brief(n)
    at = at or START + timedelta(minutes=n)
    events: list[Event] = [
        Opened(at=at, brief=brief, version="0.1.0", settings={"rounds": 1}, prompts={"p": "abc"})
    ]
    for number, role in ((0, "initial"), (1, "reflection")):
        seats = tuple(p.seat for p in brief.panel)
        events.append(RoundStarted(at=at, round_number=number, role=role, seats=seats))
        for p in brief.panel:
            events += a_turn(p, number, role, f"{p.seat} says Canberra, round {number}.", at)
        events.append(
            RoundEnded(
                at=at,
                round_number=number,
                role=role,
                measures=Measures(agreement=0.6 + number / 5, measure="panel"),
            )
        )
    events.append(Noted(at=at, code="cut", text="an answer was cut in a quotation", seat="gpt"))
    events.append(RoundStarted(at=at, round_number=-1, role="synthesis", seats=("claude",)))
    events += a_turn(brief.synthesizer, -1, "synthesis", "All agree: Canberra.", at)
    end = at + timedelta(seconds=9)
    if closed:
        events.append(
            Closed(at=end, status=Status.COMPLETED, reason="done", text="3 of 3 answered")
        )
    return numbered(events)


def with_query(events: list[Event], query: str) -> list[Event]:
    """The same log about something else."""
    first = events[0]
    assert isinstance(first, Opened)
    return [replace(first, brief=replace(first.brief, query=query)), *events[1:]]
