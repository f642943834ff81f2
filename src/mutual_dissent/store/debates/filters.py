"""The filters of a list of debates, and the SQL conditions that they come to."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

import orjson

from mutual_dissent.core.events import Status
from mutual_dissent.store.database import Row
from mutual_dissent.store.debates.row import ticks

UNFINISHED = (Status.CREATED.value, Status.ACTIVE.value)
# Each term is looked up by itself; a pasted page must not become thousands of lookups.
_MAX_TERMS = 32


class ListFilters(TypedDict, total=False):
    """The filters of a list of debates; None is the same as leaving one out.

    `text` is looked for in queries and answers, `model` is an alias, a seat or a model id,
    `vendor` one that serves a panelist, `until` is exclusive, the limits are inclusive. An unknown
    value (a price, a score) is neither above nor below a limit. `graded` keeps those whose outcome
    the user has told.
    """

    text: str | None
    model: str | None
    since: datetime | None
    until: datetime | None
    status: Status | str | None
    mode: str | None
    preset: str | None
    topology: str | None
    vendor: str | None
    experiment: str | None
    campaign: str | None
    condition: str | None
    tag: str | None
    min_agreement: float | None
    max_agreement: float | None
    min_cost: float | None
    max_cost: float | None
    min_score: float | None
    max_score: float | None
    min_rating: int | None
    max_rating: int | None
    graded: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The filters of one list; `held` are the ids that a process works on right now.

    `owner` is the only owner whose debates the viewer sees; None if all.
    """

    wanted: ListFilters
    status: Status | None = None
    held: Collection[str] = ()
    owner: str | None = None

    @property
    def words(self) -> str:
        """Return the search words, as FTS5 takes them; empty if there are none."""
        return quote_words(self.wanted.get("text") or "")

    @property
    def has_limit(self) -> bool:
        """Return whether a limit is among them for which there is an index."""
        return any(self.wanted.get(name) is not None for name in _INDEXED)

    @property
    def number(self) -> str:
        """Return the debate's number, from the table that is read first."""
        if self.words:
            return "s.rowid"
        return "d.number" if self.wanted.get("model") is None else "n.debate"


def selection(
    filters: Filters, *, shown: bool = True, indexed: bool = False
) -> tuple[str, str, Row]:
    """Return the tables, the conditions and their values. User text is only among the values.

    Args:
        shown: whether the debates' own columns are selected; if not, they are read only where a
        condition is about them.
        indexed: whether limits are looked up in their indexes, which have an order of their own.
    """
    wanted = filters.wanted
    given = dict(wanted) | {
        "words": filters.words or None,
        # Signs alone, such as `=>`, have no words that the index knows: they are looked for as they
        # are.
        "text": None if filters.words else (wanted.get("text") or "").strip() or None,
        "model": model.lower() if (model := wanted.get("model")) is not None else None,
        "owner": filters.owner,
        "graded": wanted.get("graded") or None,
    }
    values = {
        name: ticks(value) if isinstance(value, datetime) else value
        for name, value in given.items()
        if value is not None and name in _CONDITIONS
    }
    conditions = _CONDITIONS | _INDEXED if indexed else _CONDITIONS
    where = [conditions[name].format(number=filters.number) for name in values]
    if filters.status is not None:
        where.append(_of_status(filters.status))
        held = orjson.dumps(list(filters.held)).decode()
        values |= {"status": filters.status.value, "held": held}
    joined = shown or any("d." in c for c in where)
    return _tables(filters, joined=joined), " AND ".join(where) or "1 = 1", values


# Without a figure it is free only where every call has a price; else it is not known.
_COST = "coalesce(d.cost_usd, CASE d.unpriced WHEN 0 THEN 0.0 END)"
_CONDITIONS = {
    "words": "search MATCH :words",
    "text": "instr(d.query, :text) > 0",
    "model": "n.name = :model",
    "since": "{number} >= :since",
    "until": "{number} < :until",
    "owner": "d.owner = :owner",
    "mode": "d.mode = :mode",
    "preset": "d.preset = :preset",
    "topology": "d.topology = :topology",
    "experiment": "d.experiment_id = :experiment",
    "campaign": "d.campaign_id = :campaign",
    "condition": "d.condition = :condition",
    "vendor": "EXISTS (SELECT 1 FROM json_each(d.vendors) WHERE value = :vendor)",
    "tag": "d.number IN (SELECT debate FROM tags WHERE tag = :tag)",
    "min_agreement": "d.agreement >= :min_agreement",
    "max_agreement": "d.agreement <= :max_agreement",
    "min_cost": f"{_COST} >= :min_cost",
    "max_cost": f"{_COST} <= :max_cost",
    "min_score": "d.score >= :min_score",
    "max_score": "d.score <= :max_score",
    "min_rating": "d.rating >= :min_rating",
    "max_rating": "d.rating <= :max_rating",
    "graded": "d.outcome <> ''",
}
"""Filter -> its condition; `{number}` is the column that is read first."""
_INDEXED = {
    name: f"coalesce(d.{column}, -1) >= :{name} AND d.{column} IS NOT NULL"
    for name, column in (
        ("min_agreement", "agreement"),
        ("min_score", "score"),
        ("min_rating", "rating"),
    )
}
"""The same in the words of an index, for counts and for limits that few debates pass."""


def quote_words(text: str) -> str:
    """Return a user's words as an FTS5 query for all of them; `word*` is a prefix."""
    words = [w for w in text.replace("\0", " ").split() if any(c.isalnum() for c in w)]
    return " ".join(_quoted(w) for w in words[:_MAX_TERMS])


def _quoted(word: str) -> str:
    inside = word.replace('"', '""')
    return f'"{inside}"*' if word.endswith("*") else f'"{inside}"'


def _tables(filters: Filters, *, joined: bool) -> str:
    """Return the joined tables.

    CROSS JOIN keeps SQLite to the order that reads matches newest first and stops early.
    """
    parts = ["search s"] if filters.words else []
    if filters.wanted.get("model") is not None:
        parts.append("names n ON n.debate = s.rowid" if parts else "names n")
    if joined or not parts:
        parts.append(f"debates d ON d.number = {filters.number}" if parts else "debates d")
    return " CROSS JOIN ".join(parts)


def _of_status(status: Status) -> str:
    """Return the condition of a status. A stored `active` is true only while a process holds it."""
    running = "d.transcript_id IN (SELECT value FROM json_each(:held))"
    if status is Status.INTERRUPTED:
        unfinished = "d.status IN ('created', 'active')"
        return f"(d.status = :status OR ({unfinished} AND NOT {running}))"
    if status.value in UNFINISHED:
        return f"d.status = :status AND {running}"
    return "d.status = :status"
