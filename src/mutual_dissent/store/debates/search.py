"""Finding debates: the rows that `list` shows, their filters, and what they cost together."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import orjson

from mutual_dissent.core.codec.camel import Shape, about
from mutual_dissent.core.events import Status
from mutual_dissent.store.debates.filters import UNFINISHED, Filters, selection
from mutual_dissent.store.debates.row import at_tick

Order = Literal["newest", "oldest", "cost", "tokens", "agreement", "duration", "score", "rating"]
"""The sort order: the newest, the oldest, or the most of something first; unknown comes last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedDebate(Shape):
    """A debate in a list."""

    transcript_id: str = field(metadata=about("Its id.", alias="sessionId"))
    query: str
    status: Status
    mode: str
    preset: str | None
    topology: str
    panel: tuple[str, ...] = field(metadata=about("Its seats."))
    models: tuple[str, ...] = field(metadata=about("Their model ids, each once."))
    vendors: tuple[str, ...] = field(metadata=about("The vendors that serve them, each once."))
    synthesizer: str
    created_at: datetime
    updated_at: datetime
    duration_s: float = field(metadata=about("Time of work, without what lies between two runs."))
    rounds: int
    calls: int
    failed: int
    tokens: int
    cost_usd: float | None = field(metadata=about("What is known; unpriced calls are not in it."))
    unpriced: int
    agreement: float | None = field(metadata=about("Of the last round that was measured."))
    exit: str = field(metadata=about("Why no further round was held, such as `max_rounds`."))
    score: float | None = field(metadata=about("Mean of a judge's marks on its answer, 1 to 5."))
    rating: int | None = field(metadata=about("The user's own, 1 to 5."))
    outcome: str = field(metadata=about("`right`, `wrong` or the value, as the user said."))
    tags: tuple[str, ...]
    reason: str = field(metadata=about("Why it was closed."))
    heading: str
    experiment_id: str | None
    campaign_id: str | None
    condition: str | None
    replay_of: str | None
    conversation: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending(Shape):
    """Spending under one name: a model, a vendor, a day, or all together."""

    name: str
    calls: int
    unpriced: int
    tokens: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


def rows(
    db: sqlite3.Connection,
    filters: Filters,
    *,
    limit: int,
    offset: int,
    order: Order,
    reverse: bool = False,
    in_order: bool = True,
) -> list[ListedDebate]:
    """Return a page of the debates that pass the filters.

    Args:
        in_order: whether the search index has the newest debates first, as SQLite's has.
    """
    tables, where, values = selection(filters)
    number, way = filters.number, _way(order, reverse)

    def page(where: str, sorting: str, *more: int) -> list[ListedDebate]:
        # Chosen by numbers alone, so that rows that are not shown are not read either. CROSS JOIN
        # keeps SQLite to that order: the page first, then its rows (see `filters._tables`).
        page_rows = db.execute(
            f"SELECT {_COLUMNS}, {_TAGS} FROM (SELECT {number} AS chosen FROM {tables} "  # noqa: S608 - constants
            f"WHERE {where} ORDER BY {_sorted(order, sorting, way)} LIMIT ? OFFSET ?) page "
            f"CROSS JOIN debates d ON d.number = chosen ORDER BY {_sorted(order, 'd.number', way)}",
            (*values, *more, limit, offset),
        )
        return [_row(values, filters.held) for values in page_rows]

    if in_order or not filters.words or order in _SORTED_BY:
        return page(where, number)
    # Frequent words are soon found from the end on; rare ones are in an index, which has no order.
    near = page(f"{where} AND {_NEAR[way]}", number, FAR * (limit + offset))
    return near if len(near) == limit else page(where, f"({number} + 0)")


def some(db: sqlite3.Connection, ids: Sequence[str], held: Collection[str]) -> list[ListedDebate]:
    """Return the debates of these ids that exist, newest first."""
    found_rows = db.execute(
        f"SELECT {_COLUMNS}, {_TAGS} FROM debates d "  # noqa: S608 - constants
        "WHERE d.transcript_id IN (SELECT value FROM json_each(?)) ORDER BY d.number DESC",
        (orjson.dumps(list(ids)).decode(),),
    )
    return [_row(values, held) for values in found_rows]


def choices(db: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the values that a list can be filtered by, per filter; the most frequent first."""
    return {
        name: [str(value) for (value,) in db.execute(f"{query} LIMIT {_MOST_CHOICES}")]
        for name, query in _CHOICES.items()
    }


def count(db: sqlite3.Connection, filters: Filters) -> int:
    """Return the number of debates that pass the filters."""
    tables, where, values = selection(filters, shown=False)
    query = f"SELECT count(*) FROM {tables} WHERE {where}"  # noqa: S608 - constants only
    return int(db.execute(query, values).fetchone()[0])


def spending(
    db: sqlite3.Connection,
    by: Literal["model", "vendor", "day", "all"],
    since: datetime | None,
    until: datetime | None,
) -> list[Spending]:
    """Return the spending, the most expensive first; days in order."""
    name = {"model": "model_id", "vendor": "vendor", "day": "day", "all": "'all'"}[by]
    first = since.date().isoformat() if since else ""
    last = until.date().isoformat() if until else "9999-12-31"
    order = "1" if by == "day" else "7 DESC NULLS LAST, 2 DESC, 1"
    lines = db.execute(
        f"SELECT {name}, sum(calls), sum(unpriced), sum(tokens), sum(input_tokens), "  # noqa: S608
        "sum(output_tokens), sum(cost_usd) FROM ledger WHERE day BETWEEN ? AND ? "
        f"GROUP BY 1 HAVING sum(calls) > 0 OR sum(tokens) > 0 ORDER BY {order}",
        (first, last),
    )
    return [
        Spending(
            name=n, calls=calls, unpriced=unpriced, tokens=tokens,
            input_tokens=tokens_in, output_tokens=tokens_out, cost_usd=cost,
        )
        for n, calls, unpriced, tokens, tokens_in, tokens_out, cost in lines
    ]  # fmt: skip


_COLUMNS = ", ".join(
    f"d.{c}"
    for c in (
        "transcript_id", "query", "status", "mode", "preset", "topology", "panel", "models",
        "vendors", "synthesizer", "created_at", "updated_at", "worked", "rounds", "calls", "failed",
        "tokens", "cost_usd", "unpriced", "agreement", "exit", "score", "rating", "outcome",
        "reason", "heading", "experiment_id", "campaign_id", "condition", "replay_of",
        "conversation",
    )
)  # fmt: skip
_TAGS = "(SELECT json_group_array(tag) FROM tags t WHERE t.debate = d.number)"


_MOST_CHOICES = 200
_CHOICES = {
    **{
        name: f"SELECT {column} FROM debates WHERE {column} IS NOT NULL "  # noqa: S608 - constants
        f"GROUP BY {column} ORDER BY count(*) DESC, {column}"
        for name, column in (
            ("mode", "mode"),
            ("preset", "preset"),
            ("experiment", "experiment_id"),
        )
    },
    "model": "SELECT name FROM names GROUP BY name ORDER BY count(*) DESC, name",
    "tag": "SELECT tag FROM tags GROUP BY tag ORDER BY count(*) DESC, tag",
}


_SORTED_BY = {
    "cost": "coalesce(d.cost_usd, -1)",
    "tokens": "d.tokens",
    "agreement": "coalesce(d.agreement, -1)",
    "duration": "d.worked",
    "score": "coalesce(d.score, -1)",
    "rating": "coalesce(d.rating, -1)",
}


FAR = 40
"""Debates that are looked through for each one that is shown."""

_NEAR = {
    way: f"s.rowid {side} coalesce((SELECT rowid FROM search ORDER BY rowid {way} LIMIT 1 OFFSET ?)"  # noqa: S608 - constants
    f", (SELECT {last}(rowid) FROM search))"
    for way, side, last in (("DESC", ">=", "min"), ("ASC", "<=", "max"))
}


def _way(order: Order, reverse: bool) -> str:
    return "ASC" if reverse != (order == "oldest") else "DESC"


def _sorted(order: Order, number: str, way: str) -> str:
    """Return the columns to sort by, as they are in the indexes."""
    return ", ".join(f"{c} {way}" for c in (_SORTED_BY.get(order), number) if c)


def _row(values: tuple[object, ...], held: Collection[str]) -> ListedDebate:
    named = dict(zip(_NAMES, values, strict=True))
    for name in ("panel", "models", "vendors", "tags"):
        named[name] = tuple(orjson.loads(str(named[name])))
    for name in ("created_at", "updated_at"):
        named[name] = at_tick(int(str(named[name])))
    named["duration_s"] = int(str(named.pop("worked"))) / 1_000_000
    if named["status"] in UNFINISHED and named["transcript_id"] not in held:
        named["status"] = Status.INTERRUPTED
    named["status"] = Status(str(named["status"]))
    return ListedDebate(**named)  # type: ignore[arg-type]


_NAMES = [*(c.removeprefix("d.") for c in _COLUMNS.split(", ")), "tags"]
