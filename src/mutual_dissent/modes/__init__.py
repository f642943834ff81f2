"""The catalogue of procedures: one a file, and those that plugins add."""

from __future__ import annotations

from collections.abc import Mapping

from mutual_dissent.core.step import Mode, Topology
from mutual_dissent.modes.reflection import reflection


def modes(
    topologies: Mapping[str, Topology], more: Mapping[str, Mode] | None = None
) -> dict[str, Mode]:
    """Every mode by name."""
    ours = (reflection(topologies),)
    return {**{m.name: m for m in ours}, **(more or {})}
