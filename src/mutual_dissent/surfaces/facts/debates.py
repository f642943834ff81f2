"""A stored debate in a list: its row, with its heading and cost under the names readers know."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from mutual_dissent.core.codec.camel import Json, snake
from mutual_dissent.core.errors import DissentError
from mutual_dissent.core.events import Status

if TYPE_CHECKING:
    from mutual_dissent.store.debates.search import ListedDebate, Spending
    from mutual_dissent.store.store import Store


def with_headings(store: Store, rows: Sequence[ListedDebate]) -> list[ListedDebate]:
    """Return listed debates with their current headings and known costs."""
    titles = headings(store, rows)
    return [
        replace(row, heading=titles.get(row.transcript_id, ""), cost_usd=known_cost(row))
        for row in rows
    ]


def row_for_programs(line: ListedDebate | Spending) -> Json:
    """Return a row for programs, with its cost under both names that readers know."""
    plain = snake(line)
    amount = plain.pop("cost_usd")
    return {**plain, "cost": amount, "total_cost_usd": amount}


def known_cost(row: ListedDebate) -> float | None:
    """Return the known cost of a debate; 0.0 where no call was answered."""
    if row.cost_usd is None:
        return None if row.unpriced else 0.0
    return round(row.cost_usd, 10)


def headings(store: Store, rows: Sequence[ListedDebate]) -> dict[str, str]:
    """Id -> heading as it stands; a log that is damaged has none, and `doctor` says why."""
    from mutual_dissent.own_record import looks_at
    from mutual_dissent.views.heading import heading

    closed = looks_at(store, [r.transcript_id for r in rows if r.status not in _GOING_ON])
    titles = {name: seen.heading for name, seen in closed.items()}
    for name in (r.transcript_id for r in rows if r.status in _GOING_ON):
        with suppress(DissentError):
            titles[name] = heading(store.transcript(name))
    return titles


_GOING_ON = (Status.CREATED, Status.ACTIVE, Status.INTERRUPTED)
"""Open statuses: their headings say whether a process holds the debate; logs do not."""
