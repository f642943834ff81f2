"""The ledger: who holds what, what is contested, what was corrected, what became of dissent.

One reader outside the panel, the analyst, goes through the last answers and the synthesis when the
debate is over. What it says is taken over as far as it can be read and its quotes can be found;
without an analyst the ledger is made of closing lines alone, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Fate = Literal["adopted", "rebutted", "listed", "omitted"]
FATES: tuple[Fate, ...] = ("adopted", "rebutted", "listed", "omitted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words of a panelist, found in its answer."""

    seat: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """What some panelists hold."""

    statement: str
    holders: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One side of a contested issue."""

    statement: str
    holders: tuple[str, ...]
    quote: Quote | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue:
    """What is contested, as a question, and its sides."""

    question: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Common ground: a statement that nobody contests."""

    statement: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Minority:
    """A claim that only some make, and what became of it in the synthesis."""

    claim: str
    holders: tuple[str, ...]
    fate: Fate
    quote: Quote | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What a panelist corrected in the debate: `125 -> 75, had doubled the rate`."""

    seat: str
    before: str
    after: str
    reason: str = ""
    because_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The reading of a finished debate.

    Attributes:
        source: `analyst`, or `panel` where it is made of closing lines alone.
        analyst: the seat of the analyst, if there was one.
        missing: what only the user can tell.
        disputes: where the analyst and the panelists themselves contradict each other, in words.
        dropped: how many quotes of the analyst are not in the answer that they are said to be from.
    """

    source: Literal["analyst", "panel"]
    analyst: str = ""
    positions: tuple[Position, ...] = ()
    contested: tuple[Issue, ...] = ()
    common_ground: tuple[Shared, ...] = ()
    minority: tuple[Minority, ...] = ()
    corrections: tuple[Correction, ...] = ()
    missing: tuple[str, ...] = ()
    disputes: tuple[str, ...] = ()
    dropped: int = 0
