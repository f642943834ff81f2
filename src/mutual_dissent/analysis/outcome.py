"""The outcome: how each first answer relates to the one that the debate came to.

It is judged once, when the synthesis is there, by whoever judged the rounds, and kept with it.
"""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.analysis.clusters import opinions
from mutual_dissent.analysis.relations import Compare, Judged, by_rules
from mutual_dissent.core.codec import Malformed, from_plain
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript

OUTCOME = "outcome"
"""Its name among what was found about a synthesis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Relationship:
    """A verdict on a pair as it is kept; `relation` is one of the words of `Relation`."""

    relation: str
    confidence: float
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Seat -> how its first answer relates to the synthesis, and who says so."""

    analyzer: str
    relations: dict[str, Relationship]

    def compare(self, said: Response, final: Response) -> Judged:
        """The verdict on a first answer; by rules where there is none."""
        return self.relations.get(said.model_alias) or by_rules(said, final)


def outcome(t: Transcript, compare: Compare, analyzer: str) -> Outcome | None:
    """How the first answers relate to the synthesis; None where one of them is missing."""
    initial = t.round(0)
    answers = opinions(initial.responses) if initial else {}
    if not answers or t.synthesis is None:
        return None
    found = {seat: compare(said, t.synthesis) for seat, said in answers.items()}
    return Outcome(analyzer=analyzer, relations={s: _kept(v) for s, v in found.items()})


def outcome_of(t: Transcript) -> Outcome | None:
    """The outcome as it was judged when the debate ended; None if it was not."""
    plain = t.synthesis.analysis.get(OUTCOME) if t.synthesis else None
    try:
        return None if plain is None else from_plain(Outcome, plain)
    except Malformed:
        return None  # of another version, or of a file that somebody wrote by hand


def _kept(verdict: Judged) -> Relationship:
    return Relationship(
        relation=str(verdict.relation),
        confidence=round(float(verdict.confidence), 4),
        reason=verdict.reason,
    )
