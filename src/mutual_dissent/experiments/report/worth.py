"""The section that says whether deliberating is worth its cost, and when."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from mutual_dissent.experiments.design.experiment import PANEL, SAMPLES
from mutual_dissent.experiments.report.parts import Section, points, share_of
from mutual_dissent.experiments.results.findings import ConditionSummary, ExperimentFindings
from mutual_dissent.experiments.results.splits import Split
from mutual_dissent.experiments.statistics.comparison import Comparison

GAIN = 0.05
"""The gain that an experiment should be large enough to show."""

POINTS = f"{100 * GAIN:.0f} points"

FEW = 10
TOO_FEW = "too few queries to say what debating does."


def verdict(found: ExperimentFindings) -> str | None:
    """Return whether deliberating pays here, in one sentence; None if nothing is known."""
    panels = [c for c in found.comparisons if _way(found, c.first) == PANEL]
    if not panels:
        return None
    shares = {s.accuracy.value for s in found.showings if s.accuracy}
    if shares <= {0.0} or shares <= {1.0}:
        word = "nothing" if shares == {0.0} else "everything"
        return f"These queries tell nothing: every way answers {word} right; ask others."
    best = max(panels, key=lambda c: c.difference.value)
    times = cost_ratio(best, found)
    at = f" at {times:.1f} times the cost" if times else ""
    d = best.difference
    if best.shown and d.value > 0:
        return (
            f"Deliberating pays here: {best.first} is right more often than the best model alone, "
            f"by {100 * d.value:.1f} points{at}{_but(best, found)}."
        )
    if best.shown:
        return "Deliberating does not pay here: every panel is worse than the best model alone."
    return (
        f"Deliberating is not shown to pay here: {best.first} differs from the best model alone by "
        f"{points(d)} points{at}; {_needed(best)}"
    )


def _but(best: Comparison, found: ExperimentFindings) -> str:
    """Return whether one model asked several times gets as far for as much."""
    panel = _showing(found, best.first)
    rivals = [
        s for s in found.showings if s.way == SAMPLES and s.accuracy and _affordable(s, panel)
    ]
    rival = max(rivals, key=lambda s: s.accuracy.value if s.accuracy else 0.0, default=None)
    if rival is None or panel.accuracy is None or rival.accuracy is None:
        return ""
    if rival.accuracy.value >= panel.accuracy.value:
        return f", but {rival.name} gets as far for no more ({share_of(rival.accuracy)})"
    return f", and more often than {rival.name} for about as much ({share_of(rival.accuracy)})"


def _needed(c: Comparison) -> str:
    """Return how many queries would show a gain of five points, if there is one."""
    half = (c.difference.high - c.difference.low) / 2
    if half <= 0:
        return "more queries would tell."
    deviation = half / 1.96 * c.queries**0.5
    # 1.96 for a level of 5 %, and 0.84 so that four in five such experiments show it.
    queries = ceil((2.8 * deviation / GAIN) ** 2)
    if queries <= c.queries:
        return f"{c.queries} queries are enough to say that there is hardly a gain of {POINTS}."
    return f"to show a gain of {POINTS}, about {queries:,} queries are needed, not {c.queries}."


def worth_section(found: ExperimentFindings) -> Section:
    """Report when to deliberate: the gain where first answers agree, and where they differ."""
    rows = tuple(
        (
            s.panel,
            "all the same" if s.unanimous else "different",
            f"{s.cases:,}",
            share_of(s.vote),
            share_of(s.debate),
            points(s.gain),
        )
        for s in found.splits
    )
    return Section(
        title="When deliberating is worth its cost",
        sentences=(*_when(found), *_answers(found)),
        head=(
            "panel", "first answers", "cases", "vote right (95 %)", "debate right (95 %)",
            "points gained by debating (95 %)",
        ),
        rows=rows,
    )  # fmt: skip


def _when(found: ExperimentFindings) -> Iterator[str]:
    for s in found.splits:
        cases = f"{s.cases:,} {'case' if s.cases == 1 else 'cases'}"
        if s.unanimous:
            yield (
                f"{s.panel}: where all first answers are the same ({cases}), they are right in "
                f"{share_of(s.vote)}; " + _unanimous(s)
            )
        else:
            yield f"{s.panel}: where they differ ({cases}), {_divided(s)}"


def _answers(found: ExperimentFindings) -> Iterator[str]:
    """Yield what selecting or amending an answer does, against writing it anew."""
    for c in found.answers:
        times = cost_ratio(c, found)
        at = f" at {times:.2f} times the cost" if times else ""
        shown = "" if c.shown else ", which shows no difference"
        yield f"{c.first} against {c.second}: {points(c.difference)} points{at}{shown}."


def _unanimous(s: Split) -> str:
    if s.queries < FEW:
        return TOO_FEW
    if s.gain.high < 0:
        return "debating makes it worse: stop there."
    if s.gain.low > 0:
        return "debating still adds to it."
    if s.gain.high <= GAIN:
        return "stop there, debating adds nothing."
    return "stop there, debating is not shown to add to it."


def _divided(s: Split) -> str:
    if s.queries < FEW:
        return TOO_FEW
    if s.gain.low > 0:
        return "debating beats a vote: that is when it is worth its cost."
    if s.gain.high < 0:
        return "debating does worse than a vote: take the vote."
    return "debating is not shown to beat a vote."


def _way(found: ExperimentFindings, name: str) -> str:
    return _showing(found, name).way


def _showing(found: ExperimentFindings, name: str) -> ConditionSummary:
    return next(s for s in found.showings if s.name == name)


def _affordable(s: ConditionSummary, panel: ConditionSummary) -> bool:
    cost, most = _costs(s, panel)
    return cost <= 1.25 * most


def cost_ratio(c: Comparison, found: ExperimentFindings) -> float | None:
    """Return how many times the cost of the second the first has; None if that one is free."""
    cost, base = _costs(_showing(found, c.first), _showing(found, c.second))
    return cost / base if base else None


def _costs(a: ConditionSummary, b: ConditionSummary) -> tuple[float, float]:
    """Return both costs in one unit: dollars where both have a price, else tokens."""
    return (a.tokens, b.tokens) if a.cost is None or b.cost is None else (a.cost, b.cost)
