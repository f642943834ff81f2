"""Splits: what debating adds to a vote, where first answers agree and where they differ."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from mutual_dissent.experiments.design.experiment import PANEL, VOTE
from mutual_dissent.experiments.results.results import TrialResult
from mutual_dissent.experiments.statistics.intervals import (
    Interval,
    mean_by_query,
    share_by_query,
    within,
)

# A share of 1, as far as floating point keeps it.
UNANIMOUS = 0.999


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A panel's debates against the vote of its first answers, on cases that are alike.

    Attributes:
        unanimous: whether the first answers were the same.
        queries: the number of different queries among the cases.
        gain: how much more often the debate is right than the vote.
    """

    panel: str
    unanimous: bool
    queries: int
    cases: int
    debate: Interval
    vote: Interval
    gain: Interval


def splits(results: Iterable[TrialResult], votes: Mapping[str, str]) -> list[Split]:
    """Compare every panel with its vote.

    Args:
        votes: the name of a vote -> the panel whose first answers it counts.
    """
    of: dict[str, dict[tuple[str, int], TrialResult]] = defaultdict(dict)
    for r in results:
        if r.way in (PANEL, VOTE) and r.right is not None:
            of[r.condition][r.query, r.repeat] = r
    compared = []
    for vote, panel in votes.items():
        cases = [(of[panel][k], v) for k, v in of[vote].items() if k in of[panel]]
        for unanimous in (True, False):
            mine = [c for c in cases if c[1].cluster and (c[1].cluster > UNANIMOUS) == unanimous]
            if mine:
                compared.append(_split(panel, unanimous, mine))
    return compared


def _split(panel: str, unanimous: bool, cases: Sequence[tuple[TrialResult, TrialResult]]) -> Split:
    queries = [d.query for d, _ in cases]
    gains = [float(bool(d.right)) - float(bool(v.right)) for d, v in cases]
    return Split(
        panel=panel,
        unanimous=unanimous,
        queries=len(set(queries)),
        cases=len(cases),
        debate=share_by_query([bool(d.right) for d, _ in cases], queries),
        vote=share_by_query([bool(v.right) for _, v in cases], queries),
        gain=within(mean_by_query(gains, queries), -1.0, 1.0),
    )
