"""Weighted: places count as with Borda, and voters by their record."""

from __future__ import annotations

from mutual_dissent.analysis.ballots.rules.borda import tally
from mutual_dissent.analysis.ballots.rules.rule import Rule

WEIGHTED = Rule(
    name="weighted",
    summary="Borda with each voter weighed by how often it was right in your graded debates; "
    "closed answers are weighed alike.",
    unit="weighted mean place, 0 to 1",
    tally=tally,
)
