"""Topologies: who reads whom in one round of reflection."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from mutual_dissent.core.sight import digest_of, everyone_else, last_round, predecessor
from mutual_dissent.core.step import Step, Topology, Turn, alone, together
from mutual_dissent.core.transcript import Transcript

ADVOCATE = "devils-advocate"
Rounds = Generator[Step, Transcript, Transcript]


def _mesh(so_far: Transcript, n: int) -> Rounds:
    return (
        yield together(
            so_far.standing,
            "reflection/reflect",
            role="reflection",
            round_number=n,
            sees=everyone_else,
        )
    )


def _ring(so_far: Transcript, n: int) -> Rounds:
    return (
        yield together(
            so_far.standing,
            "reflection/reflect",
            role="reflection",
            round_number=n,
            sees=predecessor,
        )
    )


def _star(so_far: Transcript, n: int) -> Rounds:
    """Without a digest, because its author failed, the panel reads each other instead."""
    so_far = yield alone(
        so_far.synthesizer, "reflection/digest", role="digest", round_number=n, sees=last_round
    )
    if not any(a.role == "digest" and a.round_number == n and a.usable for a in so_far.asides):
        return (yield from _mesh(so_far, n))
    return (
        yield together(
            so_far.standing,
            "reflection/reflect-on-digest",
            role="reflection",
            round_number=n,
            sees=digest_of(n),
        )
    )


def _adversarial(so_far: Transcript, n: int) -> Rounds:
    """The advocate's seat goes round, so that no model is the dissenter by appointment alone."""
    panel = so_far.standing
    # Rounds of reflection count from 1.
    advocate = panel[(n - 1) % len(panel)]
    turns = tuple(
        Turn(panelist=replace(p, role=ADVOCATE), prompt="reflection/challenge", sees=everyone_else)
        if p == advocate
        else Turn(panelist=p, prompt="reflection/reflect", sees=everyone_else)
        for p in panel
    )
    return (yield Step(turns=turns, role="reflection", round_number=n))


TOPOLOGIES = {
    t.name: t
    for t in (
        Topology(name="mesh", summary="Everyone reads everyone else.", reflect=_mesh),
        Topology(name="ring", summary="Each reads only the panelist before it.", reflect=_ring),
        Topology(
            name="star",
            summary="Everyone reads only the coordinator's digest (coordinator = synthesizer).",
            reflect=_star,
        ),
        Topology(
            name="adversarial",
            summary="Mesh in which one panelist, each round the next, is devil's advocate.",
            reflect=_adversarial,
        ),
    )
}
