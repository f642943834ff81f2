"""Reflection: answer alone, read the others, think again, then one text for all."""

from __future__ import annotations

from collections.abc import Mapping

from mutual_dissent.core.step import Mode, Script, Topology, conclude, together
from mutual_dissent.core.transcript import Transcript

ENOUGH_AGREEMENT = 0.7


def reflection(topologies: Mapping[str, Topology]) -> Mode:
    """The mode, with the topologies that it can be run in."""

    def script(so_far: Transcript) -> Script:
        """With `auto`, the panel goes on only while it disagrees."""
        topology = topologies[so_far.brief.topology]
        so_far = yield together(
            so_far.panelists, "reflection/initial", role="initial", round_number=0
        )
        for n in range(1, so_far.max_rounds + 1):
            if so_far.settled or (so_far.brief.rounds == "auto" and _agreed(so_far)):
                break
            so_far = yield from topology.reflect(so_far, n)
        yield from conclude(so_far, "common/synthesis")

    return Mode(
        name="reflection",
        summary="Everyone answers, reads the others and refines; a synthesizer writes the answer.",
        script=script,
    )


def _agreed(so_far: Transcript) -> bool:
    """Return whether the panel is known to agree: what was not measured is no agreement."""
    return so_far.agreement is not None and so_far.agreement >= ENOUGH_AGREEMENT
