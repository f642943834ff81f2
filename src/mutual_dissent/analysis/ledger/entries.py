"""The ledger: who holds what, what is contested, what was corrected, what became of dissent.

One reader outside the panel, the analyst, goes through the last answers and the synthesis when the
debate is over. What it says is taken over as far as it can be read and its quotes can be found;
without an analyst the ledger is made of closing lines alone, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from mutual_dissent.core.codec.camel import Shape, about

EarlierRelation = Literal["confirms", "replaces", "contradicts", "other"]
EARLIER_RELATIONS: tuple[EarlierRelation, ...] = ("confirms", "replaces", "contradicts", "other")
Fate = Literal["adopted", "rebutted", "listed", "omitted"]
FATES: tuple[Fate, ...] = ("adopted", "rebutted", "listed", "omitted")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote(Shape):
    """Words of a panelist, found in its answer."""

    seat: str = field(metadata={"alias": "by"})
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Position(Shape):
    """A position, and the panelists that hold it."""

    statement: str
    holders: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Side(Shape):
    """One side of a contested issue."""

    statement: str
    holders: tuple[str, ...]
    quote: Quote | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Issue(Shape):
    """A contested issue, as a question, and its sides."""

    question: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared(Shape):
    """Common ground: a statement that nobody contests."""

    statement: str
    quotes: tuple[Quote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Minority(Shape):
    """A claim that only some make, and what became of it in the synthesis."""

    claim: str
    holders: tuple[str, ...]
    fate: Fate
    quote: Quote | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction(Shape):
    """A panelist's correction of itself in the debate: `125 -> 75, had doubled the rate`."""

    seat: str = field(metadata={"alias": "by"})
    before: str
    after: str
    reason: str = ""
    because_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierAnswer(Shape):
    """An answer beside that of an earlier debate, which the panel was told."""

    transcript_id: str = field(metadata=about("The earlier debate.", alias="sessionId"))
    relation: EarlierRelation = field(
        metadata=about("What the answer does to the earlier one; `other` is about another question")
    )
    source: Literal["analyst", "value", "estimate"] = field(
        metadata=about("Who compared them: the analyst, or code.")
    )
    before: str = field(metadata=about("Words of the earlier answer, found in it."))
    now: str = field(metadata=about("Words of the answer, found in it."))
    reason: str = ""


@dataclass(frozen=True, slots=True)
class EarlierTexts:
    """Texts in which an analyst's quotes about an earlier debate must stand, and its id."""

    transcript_id: str
    before: tuple[str, ...]
    now: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger(Shape):
    """Positions and their holders, contested issues, corrections, and what became of dissent."""

    source: Literal["analyst", "panel"] = field(
        metadata=about("`panel` where it is made of closing lines alone.")
    )
    analyst: str | None = field(metadata=about("The seat of the analyst, if there was one."))
    positions: tuple[Position, ...] = ()
    contested: tuple[Issue, ...] = ()
    common_ground: tuple[Shared, ...] = ()
    minority: tuple[Minority, ...] = ()
    corrections: tuple[Correction, ...] = ()
    missing: tuple[str, ...] = field(default=(), metadata=about("What only the user can tell."))
    disputes: tuple[str, ...] = field(
        default=(), metadata=about("Where the analyst and the panelists contradict each other.")
    )
    earlier: EarlierAnswer | None = field(
        default=None,
        metadata=about("How the answer stands to that of an attached debate, if that is known."),
    )
    dropped: int = field(
        default=0,
        metadata=about(
            "Quotes of the analyst that are not in the answer they are said to be from.",
            alias="droppedQuotes",
        ),
    )
