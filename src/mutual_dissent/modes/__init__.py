"""The catalogue of procedures: one a file, and those that plugins add."""

from __future__ import annotations

from collections.abc import Mapping

from mutual_dissent.core.step import Mode, Topology
from mutual_dissent.modes.adversarial import ADVERSARIAL
from mutual_dissent.modes.collaborative import COLLABORATIVE
from mutual_dissent.modes.consensus import CONSENSUS
from mutual_dissent.modes.delphi import DELPHI
from mutual_dissent.modes.devils_advocate import DEVILS_ADVOCATE
from mutual_dissent.modes.escalate import ESCALATE
from mutual_dissent.modes.expert_panel import EXPERT_PANEL
from mutual_dissent.modes.forecast import FORECAST
from mutual_dissent.modes.hybrid import HYBRID
from mutual_dissent.modes.ranking import RANKING
from mutual_dissent.modes.red_team_blue_team import RED_TEAM_BLUE_TEAM
from mutual_dissent.modes.reflection import reflection
from mutual_dissent.modes.review import REVIEW_MODE
from mutual_dissent.modes.single import SINGLE
from mutual_dissent.modes.socratic import SOCRATIC

OURS = (
    COLLABORATIVE,
    ADVERSARIAL,
    SOCRATIC,
    EXPERT_PANEL,
    DEVILS_ADVOCATE,
    DELPHI,
    FORECAST,
    RED_TEAM_BLUE_TEAM,
    RANKING,
    CONSENSUS,
    HYBRID,
    ESCALATE,
    REVIEW_MODE,
    SINGLE,
)


def modes(
    topologies: Mapping[str, Topology], more: Mapping[str, Mode] | None = None
) -> dict[str, Mode]:
    """Every mode by name."""
    ours = (reflection(topologies), *OURS)
    return {**{m.name: m for m in ours}, **(more or {})}
