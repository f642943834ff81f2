"""What every mode and every topology promises, on the day it is listed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.world import START, a_brief, run
from mutual_dissent.core.events import Opened, Status
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.core.transcript import opening
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.prompts.library import Library, blanks_of
from mutual_dissent.providers.responses import failure
from mutual_dissent.providers.scripted import Scripted

MODES = modes(TOPOLOGIES)
SEATS = ("ada", "bob", "cyd", "dee")
PROCEDURES = [("reflection", t) for t in sorted(TOPOLOGIES)]


def cast(**more):
    lines = dict.fromkeys(SEATS, lambda ask: f"{ask.panelist.seat}: {ask.key}")
    return Scripted({**lines, **more})


@pytest.fixture(params=PROCEDURES, ids=lambda p: "-".join(p))
def brief(request):
    mode, topology = request.param
    return a_brief(*SEATS, mode=mode, topology=topology, rounds=2)


async def test_it_ends_with_an_answer(brief):
    transcript, _, _ = await run(brief, cast())
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis is not None


def test_its_script_is_pure(brief):
    """Two walks over the same transcript ask the same."""
    start = opening(Opened(seq=1, at=START, brief=brief))
    mode = MODES[brief.mode]
    first, second = next(mode.script(start)), next(mode.script(start))
    assert [t.panelist for t in first.turns] == [t.panelist for t in second.turns]


async def test_its_prompts_exist_and_leave_no_blank_unfilled(brief):
    await run(brief, script := cast())
    library = Library()
    for ask in script.asks:
        assert library.text(ask.prompt)
        assert not blanks_of(ask.tail)


@pytest.mark.parametrize("victim", SEATS)
@pytest.mark.parametrize("when", range(4))
async def test_it_survives_any_one_panelist_failing_at_any_turn(brief, victim, when):
    turns = 0

    def sometimes(ask):
        nonlocal turns
        turns += 1
        if turns == when + 1:
            return failure(ask, ErrorKind.OVERLOADED, "gone")
        return "here"

    fallen = replace(brief, fallbacks=brief.panel[1:3])
    transcript, _, _ = await run(fallen, cast(**{victim: sometimes}))
    assert transcript.status is Status.COMPLETED
    assert transcript.synthesis is not None


def test_every_prompt_that_ships_is_used_and_says_something():
    for name in Library().names:
        assert len(Library().text(name)) > 40, name


def test_every_mode_and_topology_says_what_it_is_for():
    for thing in [*MODES.values(), *TOPOLOGIES.values()]:
        assert thing.summary.endswith(".")
