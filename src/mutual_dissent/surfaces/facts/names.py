"""The names that an option accepts, each with a description."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mutual_dissent.app import MutualDissent


def known_names(md: MutualDissent, what: str) -> Iterator[tuple[str, str]]:
    """Yield every mode, topology, preset, rule or rubric; `what` is the kind in `NameOf`."""
    match what:
        case "mode":
            yield from ((name, md.modes[name].summary) for name in md.modes)
        case "topology":
            yield from ((name, md.topologies[name].summary) for name in md.topologies)
        case "preset":
            yield from ((name, preset.summary) for name, preset in md.settings.presets.items())
        case "rule":
            from mutual_dissent.analysis.ballots.rules import RULES

            yield from ((name, "") for name in RULES)
        case "rubric":
            yield from ((name, ", ".join(row)) for name, row in md.settings.rubrics.items())
