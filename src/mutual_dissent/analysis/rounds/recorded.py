"""Recorded measures: those taken when the rounds of a debate ended."""

from __future__ import annotations

from collections.abc import Mapping

from mutual_dissent.analysis.rounds.consensus import ANALYZERS
from mutual_dissent.core.measures import Consensus, Groupthink, VoteResult
from mutual_dissent.core.stopping import Exit
from mutual_dissent.core.transcript import Transcript, read_once


@read_once
def consensus_of(t: Transcript) -> Mapping[int, Consensus]:
    """Round -> its consensus; guesses of earlier versions from words are not read."""
    known = ((r.round_number, r.measures.consensus) for r in t.rounds)
    return {n: c for n, c in known if c and c.analyzer in ANALYZERS}


def groupthink_of(t: Transcript) -> Groupthink | None:
    """The warning of the last round that was looked at, if that was one."""
    warnings = [r.measures.groupthink for r in t.rounds if r.measures.groupthink]
    return warnings[-1] if warnings and warnings[-1].detected else None


def exit_of(t: Transcript) -> tuple[int, Exit] | None:
    """The round after which no further one was held, and why."""
    exits = [(r.round_number, r.measures.exit) for r in t.rounds if r.measures.exit]
    return exits[-1] if exits else None


def tally_of(t: Transcript) -> VoteResult | None:
    """Result of the last ballot."""
    return next((r.measures.tally for r in reversed(t.rounds) if r.measures.tally), None)
