"""The table of a decision: medians and spreads of scores, weighed and added up by code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median

from mutual_dissent.analysis.decision.grid import Grid, grid_of
from mutual_dissent.core.codec.camel import Shape, about
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript

MOST_DIFFERENCES = 3
APART = 2.0
"""So many points lie between the highest and the lowest score where panelists differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredCell(Shape):
    """Scores of one option on one criterion."""

    median: float
    low: float
    high: float
    scores: dict[str, float] = field(metadata=about("Panelist -> its score."))


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredOption(Shape):
    """A row of the table."""

    option: str
    cells: tuple[ScoredCell | None, ...] = field(
        metadata=about("By criterion; null where nobody rated it.")
    )
    total: float | None = field(
        metadata=about("Mean of the medians by weight, from 1 to 5; null unless all are known.")
    )
    first_of: tuple[str, ...] = field(
        metadata=about("Panelists whose own scores and weights put it first.")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedCriterion(Shape):
    """A column of the table, and its share of the whole weight."""

    name: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreDifference(Shape):
    """A cell on which panelists are far apart, with the reasons at both ends."""

    option: str
    criterion: str
    low: float
    low_by: tuple[str, ...]
    low_reason: str
    high: float
    high_by: tuple[str, ...]
    high_reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionTable(Shape):
    """Options rated on criteria by a panel, the best total first."""

    criteria: tuple[WeighedCriterion, ...]
    options: tuple[ScoredOption, ...]
    differences: tuple[ScoreDifference, ...] = field(
        metadata=about("Where panelists differ most, the weightiest first.")
    )
    raters: tuple[str, ...]
    merged: dict[str, str] = field(
        metadata=about("Name -> the one that more than half of the raters take it for.")
    )
    left_out: tuple[str, ...] = field(
        metadata=about("Options and criteria that were named, and that nobody rated.")
    )


def decision_table(t: Transcript) -> DecisionTable | None:
    """The table of a debate; None where nobody rated anything."""
    raters = [r for r in map(t.latest_of, (p.seat for p in t.panelists)) if r and _rates(r)]
    if not raters:
        return None
    grid = grid_of(t)
    same = _merges(grid, raters)
    sheets = {r.model_alias: _Sheet(r, grid, same) for r in raters}
    rated = {name for sheet in sheets.values() for place in sheet.scores for name in place}
    options = [o for o in grid.options if same.get(o, o) == o and o in rated]
    criteria = [c for c in grid.criteria if same.get(c, c) == c and c in rated]
    # Medians, so that one rater cannot decide alone by an extreme weight.
    weights = _shares({c: median(s.weights.get(c, 0.0) for s in sheets.values()) for c in criteria})
    criteria.sort(key=lambda c: -weights[c])
    firsts = {seat: sheet.first(options, criteria) for seat, sheet in sheets.items()}
    rows = [_row(option, criteria, weights, sheets, firsts) for option in options]
    return DecisionTable(
        criteria=tuple(WeighedCriterion(name=c, weight=round(weights[c], 4)) for c in criteria),
        options=tuple(sorted(rows, key=lambda row: -(row.total or 0.0))),
        differences=tuple(_differences(rows, criteria, weights, sheets))[:MOST_DIFFERENCES],
        raters=tuple(sheets),
        merged=same,
        left_out=tuple(n for n in grid.every_name if n not in rated and n not in same),
    )


def table_lines(table: DecisionTable) -> list[list[str]]:
    """The table as cells of text, its head first: `4 (3–5)` is a median and its spread."""
    head = ["option", *(f"{c.name} ({c.weight:.0%})" for c in table.criteria), "total"]
    return [head, *([r.option, *map(_cell, r.cells), _total(r)] for r in table.options)]


def _cell(cell: ScoredCell | None) -> str:
    if cell is None:
        return "not rated"
    spread = f" ({cell.low:g}–{cell.high:g})" if cell.low < cell.high else ""
    return f"{cell.median:g}{spread}"


def _total(row: ScoredOption) -> str:
    return "not all rated" if row.total is None else f"{row.total:.1f}"


def _rates(response: Response) -> bool:
    return bool(response.matrix and response.matrix.scores)


def _merges(grid: Grid, raters: Sequence[Response]) -> dict[str, str]:
    """Name -> the earlier one of the list that more than half of the raters take it for."""
    own = [_own_names(grid, r) for r in raters]
    merged: dict[str, str] = {}
    for names in (grid.options, grid.criteria):
        for n, name in enumerate(names):
            for earlier in (e for e in names[:n] if e not in merged):
                # By each rater's own groups: "A is B" and "B is C" also mean that A is C to it.
                count = sum(said.get(name, name) == said.get(earlier, earlier) for said in own)
                if count * 2 > len(raters):
                    merged[name] = earlier
                    break
    return merged


def _own_names(grid: Grid, rater: Response) -> dict[str, str]:
    """Name -> the first one of the list that a rater takes for the same."""
    assert rater.matrix is not None
    groups: list[set[str]] = []
    for pair in rater.matrix.same:
        touched = [g for g in groups if g & {*pair}]
        groups = [g for g in groups if g not in touched] + [{*pair}.union(*touched)]
    found: dict[str, str] = {}
    for names in (grid.options, grid.criteria):
        for group in groups:
            first, *others = [n for n in names if n in group] or [""]
            found |= dict.fromkeys(others, first)
    return found


class _Sheet:
    """One panelist's weights and scores, by the names that are left."""

    def __init__(self, response: Response, grid: Grid, same: Mapping[str, str]) -> None:
        assert response.matrix is not None
        said = response.matrix
        weights: dict[str, float] = {}
        for c in said.criteria:
            name = same.get(c.name, c.name)
            # Two names for one criterion must not count it twice.
            weights[name] = max(weights.get(name, 0.0), c.weight)
        self.weights = _shares(weights)
        given: dict[tuple[str, str], list[int]] = {}
        self.reasons: dict[tuple[str, str], str] = {}
        for s in said.scores:
            place = same.get(s.option, s.option), same.get(s.criterion, s.criterion)
            given.setdefault(place, []).append(s.score)
            self.reasons.setdefault(place, s.reason)
        self.scores = {place: mean(scores) for place, scores in given.items()}
        own = _own_names(grid, response)  # what means the same to it was rated once
        for place in ((o, c) for o in grid.options for c in grid.criteria):
            twin = tuple(same.get(n, n) for n in (own.get(n, n) for n in place))
            if place not in self.scores and twin in self.scores:
                self.scores[place] = self.scores[twin[0], twin[1]]
                self.reasons[place] = self.reasons[twin[0], twin[1]]

    def first(self, options: Sequence[str], criteria: Sequence[str]) -> tuple[str, ...]:
        """The options that its own scores put first; none if it left something out."""
        if not all((o, c) in self.scores for o in options for c in criteria):
            return ()
        totals = {
            o: sum(self.weights.get(c, 0.0) * self.scores[o, c] for c in criteria) for o in options
        }
        best = max(totals.values(), default=0.0)
        # Equal totals may differ in the last digit of a float.
        return tuple(o for o, total in totals.items() if total > best - 1e-9)


def _shares(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights as shares of their sum; equal ones where nothing weighs."""
    whole = sum(weights.values())
    return {n: w / whole if whole else 1 / len(weights) for n, w in weights.items()}


def _row(
    option: str,
    criteria: Sequence[str],
    weights: Mapping[str, float],
    sheets: Mapping[str, _Sheet],
    firsts: Mapping[str, tuple[str, ...]],
) -> ScoredOption:
    cells = tuple(_scored(option, criterion, sheets) for criterion in criteria)
    pairs = list(zip(criteria, cells, strict=True))
    known = all(cells) and bool(cells)
    total = sum(weights[c] * cell.median for c, cell in pairs if cell) if known else None
    seats = tuple(seat for seat, best in firsts.items() if option in best)
    return ScoredOption(option=option, cells=cells, total=total, first_of=seats)


def _scored(option: str, criterion: str, sheets: Mapping[str, _Sheet]) -> ScoredCell | None:
    place = option, criterion
    scores = {seat: s.scores[place] for seat, s in sheets.items() if place in s.scores}
    if not scores:
        return None
    values = sorted(scores.values())
    return ScoredCell(median=median(values), low=values[0], high=values[-1], scores=scores)


def _differences(
    rows: Sequence[ScoredOption],
    criteria: Sequence[str],
    weights: Mapping[str, float],
    sheets: Mapping[str, _Sheet],
) -> Iterator[ScoreDifference]:
    cells = [
        (row.option, criterion, cell)
        for row in rows
        for criterion, cell in zip(criteria, row.cells, strict=True)
        if cell and cell.high - cell.low >= APART
    ]
    cells.sort(key=lambda c: -(c[2].high - c[2].low) * weights[c[1]])
    for option, criterion, cell in cells:
        low = tuple(s for s, v in cell.scores.items() if v == cell.low)
        high = tuple(s for s, v in cell.scores.items() if v == cell.high)
        why = [sheets[seats[0]].reasons.get((option, criterion), "") for seats in (low, high)]
        yield ScoreDifference(
            option=option, criterion=criterion, low=cell.low, low_by=low, low_reason=why[0],
            high=cell.high, high_by=high, high_reason=why[1],
        )  # fmt: skip
