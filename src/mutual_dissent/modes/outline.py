"""The outline of a mode: its script walked once, to see what is asked of whom, and in which order.

Nothing about a mode is written down twice: what it can be told is seen in what it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.events import Answered, Opened
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import Response
from mutual_dissent.core.sight import Sight
from mutual_dissent.core.step import Assignments, Mode, Step, Turn
from mutual_dissent.core.transcript import Transcript, opening
from mutual_dissent.core.values.defects import SUPPOSED

SAMPLE = 4
"""Panelists of the walk, so that every role of our modes is played by somebody."""

USUAL_TOPOLOGY = "mesh"
_NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stage:
    """One step: its place, how its panelists are asked, and with which prompts."""

    round_number: int
    role: str
    order: str
    prompts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outline:
    """Outline of a mode: its first two rounds, and the options that it takes.

    Attributes:
        parts: those of `role`, `perspective` and `team` that it gives to panelists.
        ballots: whether panelists rank answers.
        structured: whether any answer has a form.
    """

    stages: tuple[Stage, ...]
    parts: tuple[str, ...]
    ballots: bool
    structured: bool

    @property
    def order(self) -> str:
        """Return how the panel is asked."""
        found = dict.fromkeys(s.order for s in self.stages if s.order != "alone")
        return ", then ".join(found)

    @property
    def prompts(self) -> tuple[str, ...]:
        """Every prompt that it asks with."""
        return tuple(dict.fromkeys(p for s in self.stages for p in s.prompts))


def outline(mode: Mode, topology: str = USUAL_TOPOLOGY) -> Outline:
    """Walk a mode's script with a panel that answers a word each time."""
    panel = _panel(mode)
    steps = list(_steps(mode, panel, topology))
    forms = [turn.form for step in steps for turn in step.turns if turn.form]
    return Outline(
        stages=tuple(_stage(s) for s in steps),
        parts=tuple(
            p for p in ("role", "perspective", "team") if any(getattr(m, p) for m in panel)
        ),
        ballots=any(form.ranking for form in forms),
        structured=bool(forms),
    )


def heeds_topology(mode: Mode, topologies: Iterable[str]) -> bool:
    """Return whether it makes a difference to the mode which topology it is held in."""
    usual = _essence(mode, USUAL_TOPOLOGY)
    return any(_essence(mode, t) != usual for t in topologies if t != USUAL_TOPOLOGY)


def _essence(mode: Mode, topology: str) -> list[object]:
    steps = _steps(mode, _panel(mode), topology)
    return [[(t.panelist.seat, t.prompt, _name(t.sees)) for t in step.turns] for step in steps]


def _name(sight: Sight) -> str:
    """Name of a sight: one that is made for a round is made again on every walk."""
    return str(getattr(sight, "__qualname__", type(sight).__qualname__))


def _panel(mode: Mode) -> tuple[Panelist, ...]:
    seats = [f"panelist-{n}" for n in range(1, max(SAMPLE, mode.min_panel) + 1)]
    panel = tuple(Panelist(seat=s, route=Route(vendor="sample", model_id=s)) for s in seats)
    return mode.assign(panel, Assignments()) if mode.assign else panel


def _steps(mode: Mode, panel: tuple[Panelist, ...], topology: str) -> Iterator[Step]:
    brief = Brief(
        transcript_id="sample",
        query="?",
        panel=panel,
        synthesizer=panel[0],
        mode=mode.name,
        topology=topology,
        # One round after the initial one is enough to see every kind of step.
        rounds=0 if mode.rounds is None else 1 + mode.first_counts,
    )
    now = opening(Opened(at=_NEVER, brief=brief))
    script = mode.script(now)
    try:
        step = next(script)
        while isinstance(step, Step):
            yield step
            now = _answered(now, step)
            step = script.send(now)
    except StopIteration:
        return


def _answered(now: Transcript, step: Step) -> Transcript:
    for turn in step.turns:
        now = now.apply(_answer(step, turn))
    return now


def _answer(step: Step, turn: Turn) -> Answered:
    said = Response(
        model_id=turn.panelist.model_id,
        model_alias=turn.panelist.seat,
        round_number=step.round_number,
        role=step.role,
        content="something",
        timestamp=_NEVER,
        findings=SUPPOSED if turn.form and turn.form.findings else (),
    )
    key = step.key(turn)
    return Answered(at=_NEVER, key=key, seat=said.model_alias, request_hash="", response=said)


def _stage(step: Step) -> Stage:
    order = "alone" if len(step.turns) == 1 else step.order.value
    prompts = tuple(dict.fromkeys(turn.prompt for turn in step.turns))
    return Stage(step.round_number, step.role, order, prompts)
