"""Finding debates: the rows that `list` shows, their filters, and what they cost together."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import orjson

from mutual_dissent.core.events import Status
from mutual_dissent.store.change import at_tick, ticks

Order = Literal["newest", "oldest", "cost"]
UNFINISHED = (Status.CREATED.value, Status.ACTIVE.value)
_MAX_TERMS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One debate in a list. `cost_usd` is what is known; `unpriced` calls are not in it."""

    transcript_id: str
    query: str
    status: Status
    mode: str
    panel: tuple[str, ...]
    synthesizer: str
    created_at: datetime
    updated_at: datetime
    rounds: int
    calls: int
    failed: int
    tokens: int
    cost_usd: float | None
    unpriced: int
    agreement: float | None
    reason: str
    heading: str
    experiment_id: str | None
    replay_of: str | None
    conversation: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Spending:
    """What was spent under one name: a model, a vendor, a day, or all together."""

    name: str
    calls: int
    unpriced: int
    tokens: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which debates are wanted; `held` are the ids that somebody works on right now."""

    text: str | None = None
    model: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    status: Status | None = None
    held: Collection[str] = ()


def rows(
    db: sqlite3.Connection, filters: Filters, *, limit: int, offset: int, order: Order
) -> list[Row]:
    """The debates that pass the filters, a page of them."""
    tables, where, values = _selection(filters)
    number = _number(filters)
    # The page is chosen by numbers alone, so that what is not shown is not read either.
    found = db.execute(
        f"SELECT {_COLUMNS} FROM (SELECT {number} AS chosen FROM {tables} "  # noqa: S608 - constants
        f"WHERE {where} ORDER BY {_orders(number)[order]} LIMIT ? OFFSET ?) "
        f"CROSS JOIN debates d ON d.number = chosen ORDER BY {_orders('d.number')[order]}",
        (*values, limit, offset),
    )
    return [_row(values, filters.held) for values in found]


def count(db: sqlite3.Connection, filters: Filters) -> int:
    """How many debates pass the filters."""
    tables, where, values = _selection(filters)
    query = f"SELECT count(*) FROM {tables} WHERE {where}"  # noqa: S608 - constants only
    return int(db.execute(query, values).fetchone()[0])


def spending(
    db: sqlite3.Connection,
    by: Literal["model", "vendor", "day", "all"],
    since: datetime | None,
    until: datetime | None,
) -> list[Spending]:
    """What was spent, the most expensive first; days in order."""
    name = {"model": "model_id", "vendor": "vendor", "day": "day", "all": "'all'"}[by]
    first = since.date().isoformat() if since else ""
    last = until.date().isoformat() if until else "9999-12-31"
    order = "1" if by == "day" else "7 DESC, 2 DESC, 1"
    found = db.execute(
        f"SELECT {name}, sum(calls), sum(unpriced), sum(tokens), sum(input_tokens), "  # noqa: S608
        "sum(output_tokens), sum(cost_usd) FROM ledger WHERE day BETWEEN ? AND ? "
        f"GROUP BY 1 ORDER BY {order}",
        (first, last),
    )
    return [
        Spending(
            name=n, calls=calls, unpriced=unpriced, tokens=tokens,
            input_tokens=tokens_in, output_tokens=tokens_out, cost_usd=cost,
        )
        for n, calls, unpriced, tokens, tokens_in, tokens_out, cost in found
    ]  # fmt: skip


def quoted(text: str) -> str:
    """A user's words as an FTS5 query that wants them all; `word*` wants what begins so."""
    words = [w for w in text.replace("\0", " ").split() if any(c.isalnum() for c in w)]
    return " ".join(_quoted(w) for w in words[:_MAX_TERMS])


def _quoted(word: str) -> str:
    inside = word.replace('"', '""')
    return f'"{inside}"*' if word.endswith("*") else f'"{inside}"'


_COLUMNS = ", ".join(
    f"d.{c}"
    for c in (
        "transcript_id", "query", "status", "mode", "panel", "synthesizer", "created_at",
        "updated_at", "rounds", "calls", "failed", "tokens", "cost_usd", "unpriced", "agreement",
        "reason", "heading", "experiment_id", "replay_of", "conversation",
    )
)  # fmt: skip


def _selection(filters: Filters) -> tuple[str, str, list[object]]:
    """The tables, the conditions and their values. User text is only ever among the values."""
    tables, where, values = "debates d", ["1"], list[object]()
    if filters.model is not None:
        tables = "names n CROSS JOIN debates d ON d.number = n.debate"
        where.append("n.name = ?")
        values.append(filters.model.lower())
    if filters.text is not None and (terms := quoted(filters.text)):
        # CROSS JOIN keeps SQLite to the order that reads matches newest first and stops early.
        if filters.model is None:
            tables = "search s CROSS JOIN debates d ON d.number = s.rowid"
        else:
            tables = (
                "search s CROSS JOIN names n ON n.debate = s.rowid "
                "CROSS JOIN debates d ON d.number = s.rowid"
            )
        where.append("search MATCH ?")
        values.append(terms)
    elif filters.text is not None and filters.text.strip():
        where.append("instr(d.query, ?)")
        values.append(filters.text.strip())
    for moment, comparison in ((filters.since, ">="), (filters.until, "<")):
        if moment is not None:
            where.append(f"{_number(filters)} {comparison} ?")
            values.append(ticks(moment))
    if filters.status is not None:
        condition, wanted = _status(filters.status, filters.held)
        where.append(condition)
        values += wanted
    return tables, " AND ".join(where), values


def _status(status: Status, held: Collection[str]) -> tuple[str, list[object]]:
    """A stored `active` means running only while somebody holds the debate."""
    some = ", ".join("?" * len(held))
    running = f"d.transcript_id IN ({some})"
    unfinished = "d.status IN ('created', 'active')"
    if status is Status.INTERRUPTED:
        return f"(d.status = 'interrupted' OR ({unfinished} AND NOT {running}))", [*held]
    if status.value in UNFINISHED:
        return f"d.status = ? AND {running}", [status.value, *held]
    return "d.status = ?", [status.value]


def _orders(number: str) -> dict[Order, str]:
    return {
        "newest": f"{number} DESC",
        "oldest": number,
        "cost": f"coalesce(d.cost_usd, -1) DESC, {number} DESC",
    }


def _number(filters: Filters) -> str:
    """The debate's number, from the table that is read first."""
    if filters.text is not None and quoted(filters.text):
        return "s.rowid"
    return "d.number" if filters.model is None else "n.debate"


def _row(values: tuple[object, ...], held: Collection[str]) -> Row:
    named = dict(zip(_NAMES, values, strict=True))
    named["panel"] = tuple(orjson.loads(str(named["panel"])))
    named["created_at"] = at_tick(int(str(named["created_at"])))
    named["updated_at"] = at_tick(int(str(named["updated_at"])))
    if named["status"] in UNFINISHED and named["transcript_id"] not in held:
        named["status"] = Status.INTERRUPTED
    named["status"] = Status(str(named["status"]))
    return Row(**named)  # type: ignore[arg-type]


_NAMES = [c.removeprefix("d.") for c in _COLUMNS.split(", ")]
