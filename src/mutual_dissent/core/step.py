"""Steps: what a mode yields. Who is asked, together or in turn, with which prompt, seeing what."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from itertools import groupby
from typing import Any

from mutual_dissent.core.brief import AMEND, MAX_PANEL, SELECT, Attachment
from mutual_dissent.core.checks import Check
from mutual_dissent.core.figures.lead import lead
from mutual_dissent.core.form import Form
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import SYNTHESIS_ROUND, Selection
from mutual_dissent.core.sight import (
    Sight,
    follow_up,
    nothing,
    question_of,
    whole_debate,
    with_follow_up,
    with_subject,
)
from mutual_dissent.core.transcript import INQUIRY, OPINION_ROLES, REPLY, Transcript


class Need(StrEnum):
    """Answers that a step needs for the debate to go on."""

    QUORUM = "quorum"  # as many usable answers as the brief's quorum
    ROUND = "round"  # as many in the round, with those of its earlier steps
    NOTHING = "nothing"  # go on whatever happened


class Order(StrEnum):
    """Order in which the panelists of a step are asked."""

    TOGETHER = "together"
    IN_TURN = "in turn"  # each may see the answers before its own
    BY_TEAM = "team by team"  # the teams in turn, the members of a team together


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One panelist's part in a step.

    Attributes:
        about: tells several turns of one panelist apart: the key of what this one is about.
        form: the structure that the answer must have, if any.
        schema: a JSON schema of its own for an answer that is no panelist's, if any.
        checks: what is looked at in a structured answer; it may be asked for once more.
        blanks: further blanks of the prompt, filled.
        shown: which of what is attached goes with it; None for all of it.
        replaceable: whether somebody else can be asked should it stay silent; then not all the
            time that is left is waited for a first word of it.
    """

    panelist: Panelist
    prompt: str
    sees: Sight = nothing
    about: str = ""
    form: Form | None = None
    schema: dict[str, Any] | None = None
    checks: tuple[Check, ...] = ()
    blanks: Mapping[str, str] = field(default_factory=dict)
    shown: tuple[Attachment, ...] | None = None
    replaceable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Something to be asked of some panelists, all at once or in an order.

    `part` tells several steps of one round and role apart.
    """

    turns: tuple[Turn, ...]
    role: str
    round_number: int
    order: Order = Order.TOGETHER
    need: Need = Need.QUORUM
    part: str = ""

    @property
    def waves(self) -> tuple[tuple[Turn, ...], ...]:
        """The turns that are asked at the same time, wave after wave."""
        if self.order is Order.IN_TURN:
            return tuple((turn,) for turn in self.turns)
        if self.order is Order.BY_TEAM:
            # `groupby` joins neighbours alone: turns come team by team (see `ask`).
            teams = groupby(self.turns, key=lambda turn: turn.panelist.team)
            return tuple(tuple(members) for _, members in teams)
        return (self.turns,)

    @property
    def place(self) -> tuple[int, str, str]:
        """Return where it stands in the debate."""
        return (self.round_number, self.role, self.part)

    @property
    def reviews(self) -> bool:
        """Return whether it is one of a review: it asks for findings, or for verdicts on them."""
        forms = [turn.form for turn in self.turns if turn.form]
        return any(form.findings or form.verdicts for form in forms)

    def key(self, turn: Turn) -> str:
        """Key of this ask within the debate, the same on every run."""
        parts = (str(self.round_number), self.role, turn.panelist.seat, turn.about)
        return "/".join(p for p in parts if p)

    def samples(self, turn: Turn) -> int:
        """Return how often a turn's question is asked: answers to the query may be sampled."""
        return turn.panelist.samples if self.role in OPINION_ROLES else 1


PromptFor = str | Callable[[Panelist], str]
"""The name of a prompt, or who gets which."""


@dataclass(frozen=True, slots=True)
class WrittenAnswer:
    """A final answer that code puts together, without a call."""

    text: str


Script = Generator[Step | Selection | WrittenAnswer, Transcript, None]
"""A meeting's procedure: yields steps, is sent the transcript so far, does nothing else.

In place of the synthesis it may yield a selection, by which an answer that is there becomes the
final one, or an answer that code has written.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignments:
    """Parts as the user assigned them.

    Attributes:
        perspectives: viewpoints to be dealt out, or the mode's own if there are none.
        how: `round-robin` or `random` (by seed).
        perspective_of: seat -> the perspective that it is given.
        role_of: seat -> the role that it is given.
        team_of: seat -> the team that it is put in.
    """

    perspectives: tuple[str, ...] = ()
    how: str = "round-robin"
    perspective_of: Mapping[str, str] = field(default_factory=dict)
    role_of: Mapping[str, str] = field(default_factory=dict)
    team_of: Mapping[str, str] = field(default_factory=dict)
    seed: int = 0


Assign = Callable[[tuple[Panelist, ...], Assignments], tuple[Panelist, ...]]
"""Gives the panelists of a mode their parts; raises UserError for one that does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mode:
    """A named procedure.

    Attributes:
        script: the procedure, a pure generator.
        conclusion: how the answer is written where time or money end too soon; a synthesis of
            what is there, unless the mode has one of its own.
        rounds: the default number of rounds; None where stages are fixed.
        max_rounds: the most rounds that may be asked for.
        first_counts: whether the initial round is one of them.
        min_panel: the fewest panelists it works with.
        max_panel: the most of them.
        assign: gives the panelists roles, perspectives or teams when they are seated.
        structured: whether panelists answer the query in a form, which a small model cannot fill
            in; reviews of answers have one in any case.
        by_parts: whether what is attached is dealt with part by part, each of which fits the
            context of every panelist.
        unsigned: whether nobody on the panel may learn whose an answer is.
        with_user: whether the user may sit on its panel: a form of its own is for models.
        weighs: whether what is asked next depends on who agrees, so that every round is measured
            as well as can be.
    """

    name: str
    summary: str
    script: Callable[[Transcript], Script]
    conclusion: Callable[[Transcript], Script] | None = None
    rounds: int | None = 1
    max_rounds: int = 3
    first_counts: bool = False
    min_panel: int = 2
    max_panel: int = MAX_PANEL
    assign: Assign | None = None
    structured: bool = False
    by_parts: bool = False
    unsigned: bool = False
    with_user: bool = True
    weighs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """A named way to run one reflection round: a script of the steps of round `n`."""

    name: str
    summary: str
    reflect: Callable[[Transcript, int], Generator[Step, Transcript, Transcript]]


def ask(
    panelists: Iterable[Panelist],
    prompt: PromptFor,
    *,
    role: str,
    round_number: int,
    order: Order = Order.TOGETHER,
    sees: Sight = nothing,
    form: Form | None = None,
    checks: tuple[Check, ...] = (),
) -> Step:
    """Put a question to panelists; by team, they come team by team."""
    turns = tuple(
        Turn(
            panelist=p,
            prompt=prompt if isinstance(prompt, str) else prompt(p),
            sees=sees,
            form=form,
            checks=checks,
        )
        for p in panelists
    )
    return Step(turns=turns, role=role, round_number=round_number, order=order)


together = partial(ask, order=Order.TOGETHER)
in_turn = partial(ask, order=Order.IN_TURN)
teams_in_turn = partial(ask, order=Order.BY_TEAM)


def rounds(
    so_far: Transcript, round_of: Callable[[Transcript, int], Step]
) -> Generator[Step, Transcript, Transcript]:
    """Round after round, from 0, until the panel has settled or may have no more of them."""
    for n in range(so_far.max_rounds):
        if so_far.settled:
            break
        so_far = yield round_of(so_far, n)
    return so_far


def opinion(round_number: int) -> str:
    """The role of an answer to the query in a round."""
    return "reflection" if round_number else "initial"


def conclude(so_far: Transcript, prompt: str, sees: Sight = whole_debate) -> Script:
    """The synthesis, by the first of the synthesizer and its stand-ins that manages it.

    Where the brief wants an answer selected or amended and one leads, it is that one.
    """
    if not so_far.brief.synthesize:
        return
    # Where nothing leads, an answer is written all the same; the heading says why.
    if so_far.brief.answer in (SELECT, AMEND) and isinstance(best := lead(so_far), Selection):
        if so_far.brief.answer == SELECT:
            yield best
            return
        prompt, sees = "common/amend", with_subject(so_far.answered[best.about], sees)
    if so_far.brief.follow_up:
        so_far = yield from _ask_back(so_far, sees)
        sees = with_follow_up(sees)
    writers, silent = _writers(so_far), _silent(so_far)
    for n, writer in enumerate(writers, 1):
        # A stand-in that has dropped out itself is nobody to hurry for, unless the writer has, too.
        others = any(w.model_id not in silent or writer.model_id in silent for w in writers[n:])
        so_far = yield alone(writer, prompt, role="synthesis", sees=sees, replaceable=others)
        if so_far.synthesis is not None:
            return


def _writers(so_far: Transcript) -> list[Panelist]:
    """The synthesizer and its stand-ins; who dropped out comes after those who did not.

    Of the others, those come first who know what is on the pictures, if any are attached.
    """
    silent, unsighted = _silent(so_far), so_far.unsighted
    candidates = (so_far.brief.synthesizer, *so_far.brief.fallbacks)
    return sorted(candidates, key=lambda c: (c.model_id in silent, c.seat in unsighted))


def _silent(so_far: Transcript) -> set[str]:
    """The ids of models that dropped out of the panel, wherever they sat on it."""
    gone = {r.model_alias for r in so_far.absent}
    heard = {p.model_id for p in so_far.brief.panel if p.seat not in gone}
    # A model that sits twice and failed once can still be heard.
    return {r.model_id for r in so_far.absent} - heard


def _ask_back(so_far: Transcript, sees: Sight) -> Generator[Step, Transcript, Transcript]:
    """The synthesizer may ask one panelist one question; what fails here costs no answer."""
    asker = _writers(so_far)[0]
    so_far = yield alone(asker, "common/follow-up", role=INQUIRY, sees=sees, replaceable=True)
    found = follow_up(so_far)
    asked = next((p for p in so_far.panelists if found and p.seat == found.seat), None)
    if found and asked:
        sees = question_of(found, sees)
        prompt = "common/follow-up-answer"
        so_far = yield alone(asked, prompt, role=REPLY, sees=sees, replaceable=True)
    return so_far


def alone(
    panelist: Panelist,
    prompt: str,
    *,
    role: str,
    round_number: int = SYNTHESIS_ROUND,
    sees: Sight = nothing,
    replaceable: bool = False,
) -> Step:
    """One panelist is asked; the debate goes on even if it fails."""
    turn = Turn(panelist=panelist, prompt=prompt, sees=sees, replaceable=replaceable)
    return Step(turns=(turn,), role=role, round_number=round_number, need=Need.NOTHING)
