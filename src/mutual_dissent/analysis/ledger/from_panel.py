"""The ledger of a debate as its panel itself tells it: made of closing lines alone."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mutual_dissent.analysis.ledger.entries import Correction, Issue, Ledger, Position, Shared, Side
from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.analysis.rounds.exposure import previous
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.core.closing import Change
from mutual_dissent.core.measures import Cluster, Conflict, Consensus
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript

MOST_CORRECTIONS = 12
MOST_MISSING = 6
_WHY = re.compile(r"[\s,;.:–—-]{0,8}(?:because(?: of)?\b[^:]{0,60}:)?[\s,;:]{0,8}", re.IGNORECASE)


def panel_ledger(t: Transcript) -> Ledger | None:
    """Build a ledger from closing lines; None if they say nothing."""
    last = last_consensus(t)
    ledger = Ledger(
        source="panel",
        analyst=None,
        positions=_positions(last.clusters) if last else (),
        contested=tuple(_issue(c, last.clusters) for c in last.conflicts) if last else (),
        common_ground=tuple(Shared(statement=s) for s in last.common_ground) if last else (),
        corrections=said_corrections(t),
        missing=facts_from_user(t),
    )
    return ledger if any((ledger.positions, ledger.corrections, ledger.missing)) else None


def last_consensus(t: Transcript) -> Consensus | None:
    """Consensus of the last round with a measured pair; else of the last round."""
    rounds = list(consensus_of(t).values())
    known = [f for f in rounds if any(p.measured for p in f.pairs)]
    return next(reversed(known or rounds), None)


def said_corrections(t: Transcript) -> tuple[Correction, ...]:
    """Changes of bottom lines, in their authors' own words."""
    moved = ((r, r.closing.change) for r in t.turns() if r.usable and r.closing)
    corrections = [_correction(t, r, c) for r, c in moved if c and c.kind == "yes"]
    return tuple(corrections[-MOST_CORRECTIONS:])


def facts_from_user(t: Transcript) -> tuple[str, ...]:
    """Facts that only the user can tell: as the answer names them, else open questions."""
    own = t.synthesis.requests if t.synthesis else ()
    return tuple(dict.fromkeys(own or (r.text for r in t.open_requests)))[:MOST_MISSING]


def _positions(clusters: Iterable[Cluster]) -> tuple[Position, ...]:
    return tuple(
        Position(statement=c.summary, holders=c.members) for c in clusters if c.summary.strip()
    )


def _issue(conflict: Conflict, clusters: Iterable[Cluster]) -> Issue:
    """A conflict in its parties' own words, a side for each group that takes part in it."""
    parties = {p.seat for p in conflict.positions}
    sides = (
        Side(statement=c.summary, holders=c.members, quote=None)
        for c in clusters
        if parties & {*c.members}
    )
    return Issue(question=conflict.issue, sides=tuple(sides))


def _correction(t: Transcript, response: Response, change: Change) -> Correction:
    before = previous(t, response)
    return Correction(
        seat=response.model_alias,
        before=change.before or (position(before, t.query) if before else ""),
        after=change.after or response.bottom_line,
        reason=_reason(change),
        because_of=change.because_of,
    )


def _reason(change: Change) -> str:
    """Reason for a change, without parts that have fields of their own: `had doubled the rate`."""
    _, separator, rest = change.what.rpartition(change.after) if change.after else ("", "", "")
    if not separator:
        return change.what
    match = _WHY.match(rest)
    return rest[match.end() :].strip() if match else rest.strip()
