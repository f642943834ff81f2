"""A figure: a chart with its title and a caveat for its readers."""

from __future__ import annotations

from dataclasses import dataclass

from mutual_dissent.views.charts.canvas import NOTHING


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A chart to show. `wide` ones need the whole width of a page."""

    name: str
    title: str
    svg: str
    note: str = ""
    wide: bool = False

    @property
    def has_data(self) -> bool:
        """Return whether there is anything to see."""
        return NOTHING not in self.svg
