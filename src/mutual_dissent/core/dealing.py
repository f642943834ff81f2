"""Dealing debates out: what there is to hold, in figures and ids, and without any content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

STAGES = ("trials", "judgements")
"""The debates of an experiment in their order: what is judged has to be there first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A debate that is still to be held.

    Attributes:
        mode: its procedure, where the experiment names one.
        likely: dollars that it will cost, as far as that is known and there is a budget.
        spent: dollars that are on record for it already.
    """

    transcript_id: str
    mode: str = ""
    likely: float = 0.0
    spent: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some debates of an experiment, in their order.

    Attributes:
        due: those that are still to be held.
        complete: how many others of this page are.
        then: where the next page begins; None after the last one.
    """

    due: Sequence[Due] = ()
    complete: int = 0
    then: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """What an experiment comes to: its debates, dollars spent earlier, and dollars for all."""

    total: int
    earlier: float = 0.0
    budget: float | None = None
