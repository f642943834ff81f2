"""What votes of recorded panels are worth against their best member, and what they cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from evidence_panels import Panel, spread
from evidence_table import EVEN, Recording

from mutual_dissent.experiments.recordings.votes import (
    BEST,
    TWO_FIRST,
    VOTE,
    WEIGHTED,
    sheet,
    ways_of,
    weighted_scores,
)
from mutual_dissent.experiments.statistics.intervals import Floats, Interval, bootstrap, mean

AHEAD = 0.10
"""In an uneven panel the best member is at least so far ahead of the second."""

SIZE = 5
AHEAD_SORT = "one ahead"
CHANCES = {"1/2": 1 / 2, "2/5": 2 / 5, "1/3": 1 / 3, "1/4": 1 / 4, "1/10": 1 / 10}


@dataclass(frozen=True, kw_only=True)
class Votes:
    """Panels of one sort in one recording, on average.

    Attributes:
        best: how often the best member is right, chosen in five folds.
        plain: what a plain vote adds to that; `weighted`, the program's own rule, likewise.
        won_back: the share of what a plain vote loses that `weighted` wins back; None if none is.
        by_chance: the same for other values of the chance that earns no weight.
        calls: how many answers a question takes when two are asked first.
        saved: what asking two first loses against asking all, both weighted.
    """

    recording: str
    sort: str
    panels: int
    questions: int
    best: Interval
    plain: Interval
    weighted: Interval
    won_back: Interval | None
    by_chance: dict[str, float]
    calls: float
    saved: Interval


def votes(found: Sequence[Recording]) -> list[Votes]:
    """Panels of five vendors, even ones and those with one member far ahead."""
    sorts: dict[str, Callable[[Recording, Panel], bool]] = {
        "even": lambda r, p: spread(p, r.strength) <= EVEN,
        AHEAD_SORT: lambda r, p: _lead(r, p) >= AHEAD,
        "others": lambda r, p: spread(p, r.strength) > EVEN and _lead(r, p) < AHEAD,
    }
    return [
        _votes(r, name, panels)
        for name, holds in sorts.items()
        for r in found
        if (panels := [p for p in r.panels(SIZE) if holds(r, p)])
    ]


def won_back(best: Floats, plain: Floats, weighted: Floats) -> Interval | None:
    """The share of what a plain vote loses to the best that weights win back; None if it gains."""

    def figure(rows: Floats) -> float:
        first, lost, won = rows.sum(axis=0)
        return float((won - lost) / (first - lost)) if first > lost else float("nan")

    found = bootstrap(np.column_stack([best, plain, weighted]), figure)
    return None if np.isnan(found.value) else found


def _lead(r: Recording, panel: Panel) -> float:
    first, second, *_ = sorted((r.strength[m] for m in panel), reverse=True)
    return first - second


def _votes(r: Recording, name: str, panels: Sequence[Panel]) -> Votes:
    table = sheet(r.items)
    sums: dict[str, Floats] = {}
    calls = 0.0
    for panel in panels:
        some = table.only([table.models.index(m) for m in panel])
        for chance, value in CHANCES.items() if name == AHEAD_SORT else ():
            sums[chance] = sums.get(chance, np.zeros(len(r.items))) + weighted_scores(some, value)
        for way in ways_of(some):
            sums[way.name] = sums.get(way.name, np.zeros(len(r.items))) + way.scores
            calls += way.calls if way.name == TWO_FIRST else 0.0
    each = {k: v / len(panels) for k, v in sums.items()}
    return Votes(
        recording=r.name,
        sort=name,
        panels=len(panels),
        questions=len(r.items),
        best=mean(each[BEST]),
        plain=mean(each[VOTE] - each[BEST]),
        weighted=mean(each[WEIGHTED] - each[BEST]),
        won_back=won_back(each[BEST], each[VOTE], each[WEIGHTED]),
        by_chance={
            c: (each[c] - each[VOTE]).sum() / (each[BEST] - each[VOTE]).sum()
            for c in CHANCES
            if c in each
        },
        calls=calls / len(panels),
        saved=mean(each[TWO_FIRST] - each[WEIGHTED]),
    )
