"""Finding debates: the rows that `list` shows, their filters, and what they cost together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Literal

import orjson

from mutual_dissent.core.codec.camel import Shape, about
from mutual_dissent.core.events import Status
from mutual_dissent.store.database import Database, Row
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
class AskedQuestion:
    """The question of a finished debate."""

    transcript_id: str
    query: str
    created_at: datetime


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
    db: Database,
    filters: Filters,
    *,
    limit: int,
    offset: int,
    order: Order,
    reverse: bool = False,
) -> list[ListedDebate]:
    """Return a page of the debates that pass the filters."""
    # Many are soon found from the newest on; a few are in an index, which has another order.
    rare = filters.has_limit and not filters.words and order not in _SORTED_BY
    rare = rare and count(db, filters, FEW) < FEW
    tables, where, values = selection(filters, indexed=rare)
    number, way = filters.number, _way(order, reverse)

    def page(where: str, sorting: str, **more: int) -> list[ListedDebate]:
        # Chosen by numbers alone, so that rows that are not shown are not read either. CROSS JOIN
        # keeps SQLite to that order: the page first, then its rows (see `filters._tables`).
        page_rows = db.rows(
            f"SELECT {_COLUMNS} FROM (SELECT {number} AS chosen FROM {tables} "  # noqa: S608 - constants
            f"WHERE {where} ORDER BY {_sorted(order, sorting, way)} LIMIT :limit OFFSET :offset) "
            "page CROSS JOIN debates d ON d.number = chosen "
            f"ORDER BY {_sorted(order, 'd.number', way)}",
            **values,
            **more,
            limit=limit,
            offset=offset,
        )
        return [_listed(row, filters.held) for row in page_rows]

    if rare:
        return page(where, f"({number} + 0)")
    if db.newest_first or not filters.words or order in _SORTED_BY:
        return page(where, number)
    # Frequent words are soon found from the end on; rare ones are in an index, which has no order.
    near = page(f"{where} AND {_NEAR[way]}", number, far=FAR * (limit + offset))
    # The sum keeps PostgreSQL from walking along the numbers, so that it takes the index of words.
    return near if len(near) == limit else page(where, f"({number} + 0)")


def questions(db: Database, owner: str, far: int) -> list[AskedQuestion]:
    """Return the owner's questions among so many of the newest finished debates, newest first."""
    found_rows = db.rows(_QUESTIONS, owner=owner, far=far, completed=Status.COMPLETED.value)
    return [AskedQuestion(**row | {"created_at": at_tick(row["created_at"])}) for row in found_rows]


def some(db: Database, ids: Sequence[str], held: Collection[str]) -> list[ListedDebate]:
    """Return the debates of these ids that exist, newest first."""
    found_rows = db.rows(
        f"SELECT {_COLUMNS} FROM debates d "  # noqa: S608 - constants
        "WHERE d.transcript_id IN (SELECT value FROM json_each(:ids)) ORDER BY d.number DESC",
        ids=orjson.dumps(list(ids)).decode(),
    )
    return [_listed(row, held) for row in found_rows]


def choices(db: Database) -> dict[str, list[str]]:
    """Return the values that a list can be filtered by, per filter; the most frequent first."""
    return {name: db.column(f"{query} LIMIT {_MOST_CHOICES}") for name, query in _CHOICES.items()}


def count(db: Database, filters: Filters, at_most: int | None = None) -> int:
    """Return the number of debates that pass the filters, counted as far as that."""
    tables, where, values = selection(filters, shown=False, indexed=True)
    passing = f"FROM {tables} WHERE {where}"
    if at_most is None:
        return int(db.column(f"SELECT count(*) {passing}", **values)[0])
    query = f"SELECT count(*) FROM (SELECT 1 {passing} LIMIT :most) counted"  # noqa: S608 - constants
    return int(db.column(query, **values, most=at_most)[0])


def spending(
    db: Database,
    by: Literal["model", "vendor", "day", "all"],
    since: datetime | None,
    until: datetime | None,
) -> list[Spending]:
    """Return the spending, the most expensive first; days in order."""
    name = {"model": "model_id", "vendor": "vendor", "day": "day", "all": "'all'"}[by]
    sums = ", ".join(f"sum({f.name}) AS {f.name}" for f in fields(Spending)[1:])
    # By their places: 7 is the cost, 2 the calls, 1 the name.
    order = "1" if by == "day" else "7 DESC NULLS LAST, 2 DESC, 1"
    lines = db.rows(
        f"SELECT {name} AS name, {sums} FROM ledger WHERE day BETWEEN :first AND :last "  # noqa: S608
        f"GROUP BY 1 HAVING sum(calls) > 0 OR sum(tokens) > 0 ORDER BY {order}",
        first=since.date().isoformat() if since else "",
        last=until.date().isoformat() if until else "9999-12-31",
    )
    return [Spending(**line) for line in lines]


_QUESTIONS = """
SELECT transcript_id, query, created_at FROM (
    SELECT number, transcript_id, substr(query, 1, 2000) AS query, created_at, owner,
           experiment_id, replay_of, mode
    FROM debates WHERE status = :completed ORDER BY number DESC LIMIT :far
) d
WHERE owner = :owner AND experiment_id IS NULL AND replay_of IS NULL AND mode <> 'review'
ORDER BY number DESC
"""
"""Those of experiments and replays are no memories: they were not asked for their answers."""

_OTHERWISE = {
    "duration_s": "d.worked AS duration_s",
    "tags": "(SELECT json_group_array(tag) FROM tags t WHERE t.debate = d.number) AS tags",
}
_COLUMNS = ", ".join(_OTHERWISE.get(f.name, f"d.{f.name}") for f in fields(ListedDebate))


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


# The same expressions as in the indexes (m0005), or these would not be used.
_SORTED_BY = {
    "cost": "coalesce(d.cost_usd, -1)",
    "tokens": "d.tokens",
    "agreement": "coalesce(d.agreement, -1)",
    "duration": "d.worked",
    "score": "coalesce(d.score, -1)",
    "rating": "coalesce(d.rating, -1)",
}


FEW = 1_000
"""Debates that are sorted in memory rather than looked for among all of them."""
FAR = 40
"""Debates that are looked through for each one that is shown."""

_NEAR = {
    way: f"s.rowid {side} coalesce("  # noqa: S608 - constants
    f"(SELECT rowid FROM search ORDER BY rowid {way} LIMIT 1 OFFSET :far), "
    f"(SELECT {last}(rowid) FROM search))"
    for way, side, last in (("DESC", ">=", "min"), ("ASC", "<=", "max"))
}


def _way(order: Order, reverse: bool) -> str:
    return "ASC" if reverse != (order == "oldest") else "DESC"


def _sorted(order: Order, number: str, way: str) -> str:
    """Return the columns to sort by, as they are in the indexes."""
    return ", ".join(f"{c} {way}" for c in (_SORTED_BY.get(order), number) if c)


def _listed(row: Row, held: Collection[str]) -> ListedDebate:
    for name in ("panel", "models", "vendors", "tags"):
        row[name] = tuple(orjson.loads(row[name]))
    for name in ("created_at", "updated_at"):
        row[name] = at_tick(row[name])
    row["duration_s"] /= 1_000_000
    if row["status"] in UNFINISHED and row["transcript_id"] not in held:
        row["status"] = Status.INTERRUPTED
    return ListedDebate(**row | {"status": Status(row["status"])})
