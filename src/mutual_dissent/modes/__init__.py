"""The catalogue of procedures: one a file, and those that plugins add."""

from __future__ import annotations

from collections.abc import Mapping

from mutual_dissent.core.step import Mode, Topology
from mutual_dissent.core.values.by_name import ByName
from mutual_dissent.modes.reflection import reflection

OURS = {
    "collaborative": "collaborative.COLLABORATIVE",
    "adversarial": "adversarial.ADVERSARIAL",
    "socratic": "socratic.SOCRATIC",
    "expert-panel": "expert_panel.EXPERT_PANEL",
    "devils-advocate": "devils_advocate.DEVILS_ADVOCATE",
    "delphi": "delphi.DELPHI",
    "forecast": "forecast.FORECAST",
    "red-team-blue-team": "red_team_blue_team.RED_TEAM_BLUE_TEAM",
    "ranking": "ranking.RANKING",
    "consensus": "consensus.CONSENSUS",
    "hybrid": "hybrid.HYBRID",
    "decide": "decide.DECIDE",
    "escalate": "escalate.ESCALATE",
    "review": "review.REVIEW_MODE",
    "single": "single.SINGLE",
}
"""Name -> module and constant, in the order of all lists."""


def modes(
    topologies: Mapping[str, Topology], more: Mapping[str, Mode] | None = None
) -> Mapping[str, Mode]:
    """Every mode by name; its file is loaded when it is asked for."""
    return ByName(__name__, {"reflection": reflection(topologies), **OURS, **(more or {})})
