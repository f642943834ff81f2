"""What else a program should know of a debate: who is missing, what is asked, how votes fell."""

from __future__ import annotations

from typing import Any

from mutual_dissent.analysis.recorded import tally_of
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.phrases import explanation, reason
from mutual_dissent.views.requests import requests
from mutual_dissent.views.safe import one_line, plain

Json = dict[str, Any]
MOST_LISTED = 30


def circumstances(t: Transcript) -> Json:
    """Failed agents, what only the user can tell, notes, and how the votes fell.

    `tally` is null where there was no vote.
    """
    return {
        "failedAgents": [
            {"agentId": r.model_alias, "reason": reason(r), "details": explanation(r)}
            for r in t.absent[:MOST_LISTED]
        ],
        "neededFromUser": requests(t)[:MOST_LISTED],
        "notes": [one_line(n.text, 300) for n in t.notes][-MOST_LISTED:],
        "tally": _tally(t),
    }


def _tally(t: Transcript) -> Json | None:
    found = tally_of(t)
    if found is None:
        return None
    return {
        "rule": plain(found.rule),
        "winners": list(found.winners),
        "ranking": [list(level) for level in found.ranking],
        "points": found.scores,
        "voters": found.voters,
    }
