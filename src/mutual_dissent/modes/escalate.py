"""Escalate: two are asked, the others only where those differ, and then about the difference."""

from __future__ import annotations

from dataclasses import replace

from mutual_dissent.analysis.rounds.clusters import cluster_of
from mutual_dissent.core.figures.lead import count_holders, is_closed, last_consensus, lead
from mutual_dissent.core.measures import AGREE, Consensus
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Selection
from mutual_dissent.core.sight import Seen
from mutual_dissent.core.step import Mode, Need, Script, Step, conclude, together
from mutual_dissent.core.transcript import Transcript

FIRST = 2
ENOUGH = 2 / 3
"""So large a part of those who take a position settles the query."""


def script(so_far: Transcript) -> Script:
    """Agreement that was not measured is none, so that the others are asked."""
    order = order_of_asking(so_far)
    first, rest = order[:FIRST], order[FIRST:]
    # Should both fail, the others are still there to be asked.
    so_far = yield _asked(first, Need.NOTHING if rest else Need.QUORUM)
    if not _agree(so_far, first):
        if rest:
            # Part of the same round: nobody has read anybody yet, so that all answers count alike.
            so_far = yield replace(_asked(rest, Need.ROUND), part="rest")
        if not _stands(so_far) and len(differing := _differing(so_far)) > 1:
            so_far = yield _about_the_difference(differing)
    yield from _end(so_far)


def order_of_asking(so_far: Transcript) -> tuple[Panelist, ...]:
    """The panel in the order in which it is asked: by record, else as it was seated."""
    places = {seat: n for n, seat in enumerate(so_far.brief.first)}
    return tuple(sorted(so_far.panelists, key=lambda p: places.get(p.seat, len(places))))


def _asked(panelists: tuple[Panelist, ...], need: Need) -> Step:
    step = together(panelists, "common/answer", role="initial", round_number=0)
    return replace(step, need=need)


def _about_the_difference(panelists: tuple[Panelist, ...]) -> Step:
    """One round of those who differ; where it brings nothing, the first answers stand."""
    step = together(
        panelists, "escalate/differ", role="reflection", round_number=1, sees=other_groups
    )
    return replace(step, need=Need.NOTHING)


def _agree(so_far: Transcript, first: tuple[Panelist, ...]) -> bool:
    """Return whether the first two are known to agree, and to nothing less."""
    found, seats = last_consensus(so_far), {p.seat for p in first}
    return found is not None and any(
        p.relation == AGREE and {p.a, p.b} == seats for p in found.pairs
    )


def _stands(so_far: Transcript) -> bool:
    """Return whether a group of two thirds of those who take a position stands."""
    found = last_consensus(so_far)
    return found is not None and _is_large(found)


def _is_large(found: Consensus) -> bool:
    size = len(found.clusters[0].members) if found.clusters else 0
    # One answer alone is no group, though it be all who take a position.
    return size >= FIRST and size >= ENOUGH * count_holders(found)


def _differing(so_far: Transcript) -> tuple[Panelist, ...]:
    """Those who answered and take a position."""
    found = last_consensus(so_far)
    silent = found.silent if found else ()
    return tuple(p for p in so_far.standing if p.seat not in silent)


def other_groups(so_far: Transcript, reader: Panelist) -> Seen:
    """Its own first answer, and those of panelists that hold something else."""
    first = so_far.round(0)
    given = first.usable if first else ()
    found = first.measures.consensus if first else None
    own = cluster_of(reader.seat, found.clusters) if found else None
    hidden = {reader.seat, *(own.members if own else ()), *(found.silent if found else ())}
    return Seen(
        own=next((a for a in given if a.model_alias == reader.seat), None),
        others=tuple(a for a in given if a.model_alias not in hidden),
    )


def _end(so_far: Transcript) -> Script:
    """A closed answer that stands is the answer; anything else is synthesized."""
    found, brief = last_consensus(so_far), so_far.brief
    if brief.answer is None and brief.synthesize and found and _is_large(found):
        best = lead(so_far)
        if isinstance(best, Selection) and is_closed(so_far, found.clusters[0].members):
            yield best
            return
    yield from conclude(so_far, "common/synthesis")


ESCALATE = Mode(
    name="escalate",
    summary="Two are asked; the others only where they differ; then the difference alone.",
    script=script,
    rounds=None,
    weighs=True,
)
