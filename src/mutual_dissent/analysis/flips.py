"""Flips: who changed its position, and after reading whom."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mutual_dissent.analysis.clusters import cluster_of
from mutual_dissent.analysis.consensus import Consensus
from mutual_dissent.analysis.convergence import Convergence
from mutual_dissent.analysis.keypoints import position
from mutual_dissent.analysis.reading import previous, seats_read
from mutual_dissent.analysis.relations import Compare, by_rules
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A change of mind.

    Attributes:
        kind: what changed: `stance`, `position` (it contradicts its last answer) or `cluster`.
        read: whose answers it had read.
        towards: those of them whose position it now shares.
        reason: how the change was recognised.
    """

    seat: str
    round_number: int
    kind: str
    before: str
    after: str
    read: tuple[str, ...]
    towards: tuple[str, ...]
    reason: str


def flips(
    t: Transcript,
    by_round: Mapping[int, Consensus],
    moved: Convergence,
    compare: Compare = by_rules,
) -> tuple[Flip, ...]:
    """Every change of position, round by round."""
    return tuple(_flips(t, by_round, moved, compare))


def _flips(
    t: Transcript, by_round: Mapping[int, Consensus], moved: Convergence, compare: Compare
) -> Iterator[Flip]:
    left = {(s.seat, s.round_number) for s in moved.shifts if not s.same_cluster}
    for response in t.turns():
        before = previous(t, response) if response.usable else None
        if before is None:
            continue
        is_elsewhere = (response.model_alias, response.round_number) in left
        if change := _change(before, response, is_elsewhere, compare):
            yield _flip(t, before, response, change, by_round.get(response.round_number))


def _change(
    before: Response, after: Response, is_elsewhere: bool, compare: Compare
) -> tuple[str, str] | None:
    """The kind of change between two answers of one panelist, and how it was recognised."""
    if before.stance and after.stance and before.stance != after.stance:
        return "stance", f"its stance went from {before.stance} to {after.stance}"
    if before.text == after.text:
        return None
    judged = compare(before, after)
    if judged.relation == "disagree":
        return "position", f"it contradicts its last answer: {judged.reason}"
    if is_elsewhere and judged.relation != "agree":
        return "cluster", "it left those it had stood with"
    return None


def _flip(
    t: Transcript, before: Response, after: Response, change: tuple[str, str], now: Consensus | None
) -> Flip:
    read = seats_read(t, after)
    around = cluster_of(after.model_alias, now.clusters) if now else None
    return Flip(
        seat=after.model_alias,
        round_number=after.round_number,
        kind=change[0],
        before=position(before),
        after=position(after),
        read=read,
        towards=tuple(s for s in read if around and s in around.members),
        reason=change[1],
    )
