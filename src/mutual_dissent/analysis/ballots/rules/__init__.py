"""Rules of decision, one a file: from a profile of weak orders to winners, scores and an order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutual_dissent.core.values.by_name import ByName

if TYPE_CHECKING:
    from mutual_dissent.analysis.ballots.rules.rule import Rule

DEFAULT = "borda"
BY_RECORD = "weighted"
"""The rule that weighs voters by how often they were right."""

RULES: ByName[Rule] = ByName(
    __name__,
    {
        DEFAULT: "borda.BORDA",
        "plurality": "plurality.PLURALITY",
        "approval": "approval.APPROVAL",
        "copeland": "copeland.COPELAND",
        "ranked-pairs": "ranked_pairs.RANKED_PAIRS",
        "schulze": "schulze.SCHULZE",
        "kemeny": "kemeny.KEMENY",
        BY_RECORD: "weighted_borda.WEIGHTED",
    },
)
"""Every rule by its name, in the order of all lists."""
