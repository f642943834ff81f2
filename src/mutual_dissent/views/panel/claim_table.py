"""Claims by panelists: each agrees, agrees in part, disagrees, or holds another side, as shown.

A cell holds what a panelist said or what was compared; unknown cells are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mutual_dissent.analysis.ledger.entries import Ledger
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.panel.ledger_names import named_ledger

Json = dict[str, Any]
WORST_FIRST = ("disagree", "partly", "agree")
OTHER = "other"
"""Stand of a panelist that holds another side of an issue with more than two."""
MOST = 24


def claim_table(t: Transcript, rounds: Sequence[Json]) -> list[Json]:
    """The claims of a debate's ledger with each panelist's stance on them.

    Args:
        t: the debate.
        rounds: panelists' positions and their views of each other, round by round.
    """
    ledger, last = named_ledger(t), rounds[-1] if rounds else {"rows": []}
    if not ledger:
        return []
    rows = [
        *_positions(ledger, {r["seat"]: r for r in last["rows"]}),
        *_contested(ledger),
        *_shared(ledger),
    ]
    return rows[:MOST]


def _positions(ledger: Ledger, held: Mapping[str, Json]) -> Iterator[Json]:
    """Holders agree; other panelists stand as they say of the holders."""
    for p in ledger.positions:
        cells = {s: _cell("agree", held.get(s, {}).get("holds", "")) for s in p.holders}
        others = {s: _view(row, p.holders) for s, row in held.items() if s not in cells}
        cells |= {s: cell for s, cell in others.items() if cell}
        yield {"kind": "position", "question": None, "claim": p.statement, "cells": cells}


def _view(row: Json, holders: Sequence[str]) -> Json | None:
    """A panelist's view of those that hold a position: the strongest objection counts."""
    views = [v for v in row["views"] if v["seat"] in holders and v["relation"]]
    ranked = sorted(views, key=lambda v: WORST_FIRST.index(v["relation"]))
    return _cell(ranked[0]["relation"], ranked[0]["sentence"]) if ranked else None


def _contested(ledger: Ledger) -> Iterator[Json]:
    """Of two sides each agrees with its own statement and not with the other's.

    Of more than two sides, no panelist has said that each excludes all others: holders of another
    one are shown with what they hold.
    """
    for issue in ledger.contested:
        for side in issue.sides:
            others = [s for s in issue.sides if s is not side]
            stand = "disagree" if len(others) == 1 else OTHER
            cells = {h: _cell(stand, s.statement) for s in others for h in s.holders}
            for holder in side.holders:
                quoted = side.quote.text if side.quote and side.quote.seat == holder else ""
                cells[holder] = _cell("agree", quoted or side.statement)
            yield {
                "kind": "contested",
                "question": issue.question,
                "claim": side.statement,
                "cells": cells,
            }


def _shared(ledger: Ledger) -> Iterator[Json]:
    for common in ledger.common_ground:
        cells = {q.seat: _cell("agree", q.text) for q in common.quotes}
        yield {"kind": "common", "question": None, "claim": common.statement, "cells": cells}


def _cell(stand: str, sentence: str) -> Json:
    return {"stand": stand, "sentence": sentence}
