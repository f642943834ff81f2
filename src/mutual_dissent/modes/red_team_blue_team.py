"""Red team, blue team: one looks for what can go wrong, the other defends; they alternate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from mutual_dissent.core.checks import STRUCTURED
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.form import Form
from mutual_dissent.core.panel import TEAMS, Panelist
from mutual_dissent.core.sight import own_team, whole_debate_in_turn
from mutual_dissent.core.step import (
    Assignments,
    Mode,
    Script,
    Step,
    conclude,
    opinion,
    rounds,
    teams_in_turn,
)
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.modes.assignment import one_of, seats_of

FORM = Form(name="findings")


def script(so_far: Transcript) -> Script:
    """Red opens every round; a team sees the other's turn only when it is finished."""
    so_far = yield from rounds(so_far, _round)
    yield from conclude(so_far, "red-team-blue-team/report", sees=whole_debate_in_turn)


def assign(panel: tuple[Panelist, ...], given: Assignments) -> tuple[Panelist, ...]:
    """Teams by name; the others join the smaller one, so that seats alternate red, blue."""
    of = {s: one_of("team", TEAMS, t) for s, t in seats_of(panel, given.team_of).items()}
    for panelist in panel:
        of.setdefault(panelist.seat, _smaller(of.values()))
    if empty := [team for team in TEAMS if team not in of.values()]:
        raise BadInput(f"nobody is in the {empty[0]} team; put a panelist there, or leave one free")
    return tuple(replace(p, team=of[p.seat]) for p in panel)


def _smaller(taken: Iterable[str]) -> str:
    sizes = Counter(taken)
    return min(TEAMS, key=lambda team: sizes[team])


def _round(so_far: Transcript, n: int) -> Step:
    return teams_in_turn(
        # Teams are asked in waves of neighbours, so that members must stand together.
        sorted(so_far.standing, key=lambda p: TEAMS.index(_team(p))),
        lambda p: f"red-team-blue-team/{_team(p)}",
        role=opinion(n),
        round_number=n,
        sees=own_team,
        form=FORM,
        checks=STRUCTURED,
    )


def _team(panelist: Panelist) -> str:
    return panelist.team or TEAMS[0]


RED_TEAM_BLUE_TEAM = Mode(
    name="red-team-blue-team",
    summary="A red team looks for risks, a blue team defends, in alternating turns.",
    script=script,
    rounds=3,
    max_rounds=10,
    first_counts=True,
    assign=assign,
    structured=True,
)
