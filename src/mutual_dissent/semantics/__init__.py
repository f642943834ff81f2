"""Do two answers agree? A small model of our own and rules, offline; numpy loads when used."""

from mutual_dissent.semantics.agreement import Semantics
from mutual_dissent.semantics.judgement import CONFIDENT
from mutual_dissent.semantics.rules import Relation, Verdict

__all__ = ["CONFIDENT", "Relation", "Semantics", "Verdict"]
