"""Closing lines: what an answer comes to in its author's own words, kept as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Relation = Literal["agree", "partly", "disagree"]
RELATIONS: tuple[Relation, ...] = ("agree", "partly", "disagree")
Kind = Literal["nothing", "detail", "yes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A quantity with its unit and its range, as far as they were given.

    Attributes:
        stated: whether its author named the value; else it is the middle of the range.
    """

    value: float
    unit: str = ""
    low: float | None = None
    high: float | None = None
    stated: bool = True

    @property
    def is_exact(self) -> bool:
        """Return whether its author gives no range, or one without width."""
        return self.low == self.high

    @property
    def figure(self) -> str:
        """The number that its author gave: `75`, or `50 to 100` where it gave a range alone."""
        has_range = self.low is not None and self.high is not None
        return (
            f"{self.low:,.15g} to {self.high:,.15g}"
            if has_range and not self.stated
            else f"{self.value:,.15g}"
        )

    @property
    def words(self) -> str:
        """As it is written: `75 people [50 to 100]`."""
        bare = f"{self.figure} {self.unit}".rstrip()
        has_range = self.low is not None and self.high is not None
        return (
            f"{bare} [{self.low:,.15g} to {self.high:,.15g}]" if has_range and self.stated else bare
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """An author's relation to another panelist's answer, and the point on which they differ."""

    seat: str
    relation: Relation
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Change of an author's position after it had read the others.

    Attributes:
        kind: `nothing`, a `detail`, or its bottom line (`yes`).
        what: the change in its own words.
        before: what it held before, where it says so.
        after: what it holds now.
        because_of: the seats whose answers moved it.
    """

    kind: Kind
    what: str = ""
    before: str = ""
    after: str = ""
    because_of: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """The lines that close an answer.

    Attributes:
        bottom_line: the answer in one sentence; empty where its author takes no position.
        views: how it relates to the answers that it had read, by seat.
        raw: the lines as they came.
    """

    bottom_line: str = ""
    estimate: Estimate | None = None
    views: tuple[View, ...] = ()
    change: Change | None = None
    raw: str = ""

    def view_of(self, seat: str) -> View | None:
        """View of a seat's answer, None where it has none."""
        return next((v for v in self.views if v.seat == seat), None)
