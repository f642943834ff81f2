"""A stored debate in a list: its row, with its heading and cost under the names readers know."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from mutual_dissent.core.errors import DissentError

if TYPE_CHECKING:
    from mutual_dissent.store.search import Row
    from mutual_dissent.store.sqlite import Store

Json = dict[str, Any]


def row_to_json(store: Store, row: Row) -> Json:
    """A debate in a list for programs."""
    return {**priced(asdict(row), known_cost(row)), "heading": _heading(store, row)}


def priced(plain: Json, amount: float | None) -> Json:
    """A line whose amount goes by the names that its readers know."""
    del plain["cost_usd"]
    return {**plain, "cost": amount, "total_cost_usd": amount}


def known_cost(row: Row) -> float | None:
    """What is known to have been spent: nothing, where nobody answered."""
    if row.cost_usd is None:
        return None if row.unpriced else 0.0
    return round(row.cost_usd, 10)


def _heading(store: Store, row: Row) -> str:
    """The heading as it stands; a log that is damaged has none, and `doctor` says why."""
    from mutual_dissent.views.heading import heading

    try:
        return heading(store.transcript(row.transcript_id))
    except DissentError:
        return ""
