"""The parts of a report's sections."""

from __future__ import annotations

from dataclasses import dataclass, field

from mutual_dissent.experiments.statistics.intervals import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of a report: sentences, then charts (as SVG), then a table.

    Attributes:
        wide: whether each chart has a line of its own.
    """

    title: str
    sentences: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    charts: tuple[str, ...] = field(default=(), repr=False)
    wide: bool = False


def share_of(i: Interval | None) -> str:
    """Return a share with its interval, in percent."""
    return "–" if i is None else f"{i.value:.1%} [{i.low:.1%}, {i.high:.1%}]"


def points(i: Interval) -> str:
    """Return a difference of shares with its interval, in percentage points."""
    return f"{100 * i.value:+.1f} [{100 * i.low:+.1f}, {100 * i.high:+.1f}]"


def format_interval(i: Interval | None) -> str:
    """Return a figure with its interval."""
    return "–" if i is None else f"{i.value:.2f} [{i.low:.2f}, {i.high:.2f}]"
