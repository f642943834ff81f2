"""The report of an experiment: what is known first, and how sure it is; then the figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mutual_dissent.experiments.design import SINGLE, Experiment
from mutual_dissent.experiments.findings import Findings, Showing
from mutual_dissent.experiments.report_belief import calibration_section
from mutual_dissent.experiments.report_parts import Section, share_of, told
from mutual_dissent.experiments.report_trust import (
    drill_section,
    drilled,
    judges_section,
    preferred,
)
from mutual_dissent.experiments.report_worth import verdict, worth_section
from mutual_dissent.experiments.statistics.comparison import Comparison
from mutual_dissent.experiments.statistics.panels import Point
from mutual_dissent.views.charts import Bar, Mark, bars, scatter
from mutual_dissent.views.heading import EMBEDDED
from mutual_dissent.views.phrases import plural

LEVEL = 0.05
FEW = 5
"""Up to so many names are listed in a sentence or a chart."""

INTERVALS = (
    "Intervals hold the truth in 95 of 100 such experiments; the repeats of a query are taken "
    "together, because they are not independent."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An experiment's report, in no form yet."""

    title: str
    summary: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]


def report(experiment: Experiment, found: Findings) -> Report:
    """The report of an experiment."""
    sections = (
        drill_section(found),
        _ways(found),
        worth_section(found),
        _comparisons(found),
        judges_section(found),
        _clusters(found),
        calibration_section(found),
        _models(found),
        _method(experiment, found),
    )
    return Report(
        title=experiment.name,
        summary=experiment.summary,
        lead=(*_demo(experiment), *_lead(found)),
        sections=tuple(s for s in sections if s.sentences or s.rows),
    )


def _demo(experiment: Experiment) -> Iterator[str]:
    """What to know of figures about the embedded model."""
    members = {m for c in experiment.conditions for m in c.options.get("panel") or ()}
    if any(str(m).partition(":")[0] == EMBEDDED for m in members):
        yield "The embedded model is a demo: what is found of it is no evidence of others."


def _lead(found: Findings) -> Iterator[str]:
    """What is known, in a few sentences."""
    if not found.showings:
        yield "No debate of this experiment is complete yet."
        return
    yield from drilled(found)
    if not any(s.accuracy for s in found.showings):
        yield from preferred(found)
        yield "No query has a known answer, so nothing can be said of right and wrong."
        return
    if found.best_single is None:
        if found.shifts:
            return
        best = max((s for s in found.showings if s.accuracy), key=_value)
        yield f"{best.name} answers {share_of(best.accuracy)} right; no single model was compared."
        return
    yield from _against(found)


def _against(found: Findings) -> Iterator[str]:
    if (worth := verdict(found)) is not None:
        yield worth
    best = next(s for s in found.showings if s.name == found.best_single)
    yield f"The best model alone is {best.name}: {share_of(best.accuracy)} right."
    alone = {s.name for s in found.showings if s.way == SINGLE}
    for c in (c for c in found.comparisons if c.corrected < LEVEL and c.first not in alone):
        yield _sentence(c, found)
    if rest := [c for c in found.comparisons if c.corrected >= LEVEL]:
        few = len(rest) <= FEW
        names = ", ".join(c.first for c in rest) if few else f"the other {len(rest)} ways"
        widest = max(abs(b) for c in rest for b in (c.difference.low, c.difference.high))
        yield (
            f"No difference from it is shown for {names}: whatever difference there is lies within "
            f"{widest:.0%} either way."
        )
    if cheap := [p.name for p in found.curve if p.worthwhile]:
        yield f"At their cost, worth considering: {', '.join(cheap)}; the rest is beaten for less."


def _sentence(c: Comparison, found: Findings) -> str:
    word = "better" if c.difference.value > 0 else "worse"
    d = c.difference
    return (
        f"{c.first} is {word} by {abs(d.value):.1%} [{d.low:+.1%}, {d.high:+.1%}] on "
        f"{c.queries} queries (p = {c.corrected:.3g} corrected){_ratio(c, found)}."
    )


def _ratio(c: Comparison, found: Findings) -> str:
    costs = {s.name: s.cost or s.tokens for s in found.showings}
    base = costs.get(c.second) or 0
    return f", at {costs[c.first] / base:.1f} x its cost" if base else ""


def _ways(found: Findings) -> Section:
    shown = _ranked(found)
    rows = tuple(
        (
            f"{i}. {s.name}",
            share_of(s.accuracy),
            str(s.judged),
            "–" if s.cost is None else f"${s.cost:.4f}",
            f"{s.tokens:,.0f}",
            f"{s.calls:.1f}",
            f"{s.seconds:.1f} s",
        )
        for i, s in enumerate(shown, 1)
    )
    right = [
        Bar(name=f"{i}. {s.name}", value=s.accuracy.value, low=s.accuracy.low, high=s.accuracy.high,
            kind=_kind(s))
        for i, s in enumerate(shown, 1)
        if s.accuracy
    ]  # fmt: skip
    charts = (
        (bars(right, title="Answered right, with 95 % intervals", span=(0, 1)),) if right else ()
    )
    return Section(
        title="How each way of answering did",
        head=("way", "right (95 %)", "judged", "cost", "tokens", "calls", "time"),
        rows=rows,
        charts=(*charts, *_curve(found)),
        wide=True,
    )


def _curve(found: Findings) -> tuple[str, ...]:
    if not found.curve:
        return ()
    of = {s.name: s for s in found.showings}
    marks = [
        Mark(name=_label(p, found), x=p.cost, y=p.accuracy, low=a.low, high=a.high,
             kind=_kind(of[p.name]))
        for p in found.curve
        if (a := of[p.name].accuracy)
    ]  # fmt: skip
    priced = all(s.cost is not None for s in found.showings)
    return (
        scatter(
            marks,
            title="Accuracy against cost",
            x_name="dollars a query" if priced else "tokens a query",
            y_name="answered right",
            joined=[_label(p, found) for p in found.curve if p.worthwhile],
        ),
    )


def _label(point: Point, found: Findings) -> str:
    """What a point is called: by name where there are few, else by its line in the table."""
    if len(found.curve) <= FEW:
        return point.name
    order = [s.name for s in _ranked(found)]
    return f"{order.index(point.name) + 1}"


def _ranked(found: Findings) -> list[Showing]:
    """The ways, the best first."""
    return sorted(found.showings, key=_value, reverse=True)


def _comparisons(found: Findings) -> Section:
    rows = tuple(
        (
            f"{c.first} − {c.second}",
            f"{c.difference.value:+.1%} [{c.difference.low:+.1%}, {c.difference.high:+.1%}]",
            f"{c.better} / {c.equal} / {c.worse}",
            f"{c.p:.3g}",
            f"{c.corrected:.3g}",
            c.verdict,
        )
        for c in found.comparisons
    )
    said = "Each query is its own control; p values by sign flips, corrected by Holm's method."
    return Section(
        title="Against the best model alone",
        sentences=(said,) if rows else (),
        head=("difference", "mean (95 %)", "better / equal / worse", "p", "corrected", "verdict"),
        rows=rows,
    )


def _clusters(found: Findings) -> Section:
    rows = tuple((size, share_of(i)) for size, i in found.by_cluster.items())
    said = ""
    if rows:
        good = [size for size, i in found.by_cluster.items() if i.low >= 0.8]
        bad = [size for size, i in found.by_cluster.items() if i.high < 0.6]
        parts = [f"a vote is worth taking when {' or '.join(good)} agree"] if good else []
        parts += [f"it is not when only {' or '.join(bad)} do"] if bad else []
        said = ", and ".join(parts) or "no size of majority is clearly reliable here"
    return Section(
        title="When a vote is worth taking",
        sentences=(said[:1].upper() + said[1:] + ".",) if said else (),
        head=("share behind the most frequent first answer", "right (95 %)"),
        rows=rows,
    )


def _models(found: Findings) -> Section:
    rows = tuple(
        (
            m.model,
            str(m.flips.cases),
            str(m.flips.right_to_wrong),
            str(m.flips.wrong_to_right),
            told(m.flips.spoiled),
            told(m.flips.mended),
            told(m.sycophancy.gave_in),
        )
        for m in found.models
    )
    sizes = tuple(
        f"{name} is worth {i.value:.1f} independent members [{i.low:.1f}, {i.high:.1f}]."
        for name, i in found.effective.items()
    )
    return Section(
        title="What debating does to each model",
        sentences=sizes,
        head=(
            "model", "answers", "right to wrong", "wrong to right", "spoiled", "mended",
            "gave in when contradicted",
        ),
        rows=rows,
    )  # fmt: skip


def _method(experiment: Experiment, found: Findings) -> Section:
    answers = sum(s.answers for s in found.showings)
    size = (
        f"{plural(len(experiment.queries), 'query')}, "
        f"{plural(len(experiment.conditions), 'condition')}, "
        f"{plural(experiment.repeats, 'repeat')}, seed {experiment.seed}; "
        f"{plural(answers, 'answer')} in all."
    )
    return Section(title="How this was measured", sentences=(size, INTERVALS))


def _value(s: Showing) -> float:
    return s.accuracy.value if s.accuracy else -1.0


def _kind(s: Showing) -> int:
    return {"panel": 0, "single": 1, "self-consistency": 2, "best-of": 3, "vote": 4}.get(s.way, 5)
