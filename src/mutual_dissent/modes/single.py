"""Single: one model answers alone, as a baseline for panels, or where a debate would be absurd."""

from __future__ import annotations

from mutual_dissent.core.step import Mode, Script, alone
from mutual_dissent.core.transcript import Transcript


def script(so_far: Transcript) -> Script:
    """One model's answer, which no other reads or challenges."""
    yield alone(so_far.panelists[0], "single/answer", role="synthesis")


SINGLE = Mode(
    name="single",
    summary="One model alone: a baseline to compare panels with, and for titles and tags.",
    script=script,
    rounds=None,
    min_panel=1,
    max_panel=1,
)
