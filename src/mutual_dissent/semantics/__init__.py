"""Do two answers agree? A small model of our own and rules, offline; numpy loads when used."""

from mutual_dissent.semantics.agreement import Semantics
from mutual_dissent.semantics.cues.rules import ClaimVerdict, Relation
from mutual_dissent.semantics.judgement import CONFIDENT

__all__ = ["CONFIDENT", "ClaimVerdict", "Relation", "Semantics"]
