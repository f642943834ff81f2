"""The ledger of a debate: as the analyst reads it, else as the panel itself tells it."""

from __future__ import annotations

from mutual_dissent.analysis.ledger import Ledger
from mutual_dissent.analysis.panel_ledger import panel_ledger
from mutual_dissent.core.transcript import Transcript

__all__ = ["ledger_of", "panel_ledger"]


def ledger_of(t: Transcript) -> Ledger | None:
    """The analyst's reading where there is one, else one made of closing lines; None of nothing."""
    return panel_ledger(t)
