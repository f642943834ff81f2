"""Charts as SVG: the same in the dashboard, in the report of a debate and in those of experiments.

Colours are names of the theme, so that a chart follows the page it stands in. Every name in it may
be a stranger's and is escaped; nothing in it can run or fetch.
"""

from mutual_dissent.views.charts.bars import Bar, bars
from mutual_dissent.views.charts.heatmap import heatmap
from mutual_dissent.views.charts.lines import Series, lines
from mutual_dissent.views.charts.scatter import Mark, scatter
from mutual_dissent.views.charts.timeline import Moment, Span, timeline

__all__ = [
    "Bar",
    "Mark",
    "Moment",
    "Series",
    "Span",
    "bars",
    "heatmap",
    "lines",
    "scatter",
    "timeline",
]
