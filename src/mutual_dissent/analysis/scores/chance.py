"""Checked chance: the share of right answers among panels with the same degree of agreement.

The table was made from public recordings (`chance.json`, written by `scripts/evidence.py`); it
has only what held on a recording that it was not made from. It covers answers that were given
independently: the panel's first ones, before panelists read each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

import orjson

from mutual_dissent.analysis.scores.chance_table import (
    ChanceEntry,
    Table,
    model_probability,
    table_of_own,
    tally_debates,
)
from mutual_dissent.analysis.scores.track_record import OWN_ENOUGH, Graded

PUBLIC, OWN = "public recordings", "your graded debates"
LEAST = 10
"""An entry that rests on fewer questions says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """Share of right answers among panels that agreed to the same degree.

    Attributes:
        share: from 0 to 1; where several answers are tied for the lead, of any one of them.
        cases: number of recorded questions with such a panel that the share rests on.
        source: `public recordings` or `your graded debates`.
    """

    share: float
    cases: int
    source: str


def chance(*, leading: int, panel: int, kind: str, own: Table | None = None) -> Chance | None:
    """Share of right leading answers among panels that agreed to this degree; None if unknown.

    Only calculated numbers in panels of three to six are covered: there the table held on a
    recording that it was not made from. It did not for panels of two; names and dates differ, and
    choices, yes and no were not recorded (`docs/evidence.md`). Nothing is known of open answers.

    Args:
        leading: how many gave the most frequent answer at first, before they read each other.
        panel: how many took a position; a model that sits twice counts once.
        kind: `number`, `choice`, `yes_no`, `date` or `name`.
        own: the table that `own_table` made of the user's graded debates.
    """
    tables = [shipped_table()]
    if own is not None and own.graded.get(kind, 0) >= OWN_ENOUGH:
        # The user's own record goes first, and the public one fills what it does not cover.
        tables.insert(0, own)
    chances = (_looked_up(known, leading, panel, kind) for known in tables)
    return next((c for c in chances if c is not None), None)


def own_table(debates: Iterable[Graded]) -> Table:
    """The user's own table; the public one counts as ten cases, so that a few debates move little.

    It replaces the public one from 50 debates with a kind of answer on (`OWN_ENOUGH`).
    """
    public = shipped_table()

    def known(kind: str, panel: int, leading: int) -> float:
        entry = public.entries.get((kind, panel, leading))
        return entry.share if entry else model_probability(kind, panel, leading)

    return table_of_own(OWN, tally_debates(debates), known)


def _looked_up(known: Table, leading: int, panel: int, kind: str) -> Chance | None:
    entry = known.entries.get((kind, panel, leading))
    if entry is None or entry.cases < LEAST:
        return None
    return Chance(share=entry.share, cases=entry.cases, source=known.source)


@cache
def shipped_table() -> Table:
    """The table that comes with the program."""
    text = resources.files(__package__).joinpath("chance.json").read_text("utf-8")
    return read_table(orjson.loads(text))


def read_table(plain: Mapping[str, Any], source: str = PUBLIC) -> Table:
    """A table as `scripts/evidence.py` writes it, or `table_to_plain`."""
    entries = {
        (kind, int(panel), int(leading)): ChanceEntry(share=entry["share"], cases=entry["cases"])
        for kind, panels in plain["kinds"].items()
        for panel, sizes in panels.items()
        for leading, entry in sizes.items()
    }
    return Table(source=source, graded=plain["graded"], entries=entries)


def table_to_plain(known: Table) -> dict[str, Any]:
    """A table in the shape that `read_table` takes."""
    kinds: dict[str, dict[str, dict[str, Any]]] = {}
    for (kind, panel, leading), entry in known.entries.items():
        sizes = kinds.setdefault(kind, {}).setdefault(str(panel), {})
        sizes[str(leading)] = {"share": round(entry.share, 4), "cases": entry.cases}
    return {"graded": dict(known.graded), "kinds": kinds}
