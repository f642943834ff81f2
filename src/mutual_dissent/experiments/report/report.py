"""The report of an experiment: what is known first, and how sure it is; then the figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mutual_dissent.core.panel import DEMO, EMBEDDED
from mutual_dissent.experiments.design.experiment import Experiment
from mutual_dissent.experiments.report.calibration import calibration_section
from mutual_dissent.experiments.report.parts import Section, format_interval, points, share_of
from mutual_dissent.experiments.report.provenance import Provenance, incomplete, provenance_section
from mutual_dissent.experiments.report.trust import (
    drill_section,
    drill_sentences,
    judges_section,
    preference_sentences,
)
from mutual_dissent.experiments.report.worth import cost_ratio, verdict, worth_section
from mutual_dissent.experiments.results.baseline import PICKED
from mutual_dissent.experiments.results.findings import ConditionSummary, ExperimentFindings
from mutual_dissent.experiments.statistics.comparison import Comparison
from mutual_dissent.experiments.statistics.panels import Point
from mutual_dissent.views.charts import Bar, Mark, bars, scatter
from mutual_dissent.views.phrases import join_names, plural

SURE, UNSURE = 0.8, 0.6
"""Agreement is a signal from this share of right answers on, and little below the other."""

FEW = 5
"""The most names listed in a sentence or a chart."""

INTERVALS = (
    "Intervals hold the truth in 95 of 100 such experiments. The repeats of a query are not "
    "independent: queries are resampled, with all their repeats. Differences are percentage points."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An experiment's report, in no form yet."""

    title: str
    summary: str
    lead: tuple[str, ...]
    sections: tuple[Section, ...]


def report(
    experiment: Experiment, found: ExperimentFindings, source: Provenance | None = None
) -> Report:
    """Build the report of an experiment.

    Args:
        source: the provenance of its figures; without it the report cannot be cited.
    """
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
        *([provenance_section(source)] if source else []),
    )
    return Report(
        title=experiment.name,
        summary=experiment.summary,
        lead=(*_demo(experiment), *(incomplete(source) if source else ()), *_lead(found)),
        sections=tuple(s for s in sections if s.sentences or s.rows),
    )


def _demo(experiment: Experiment) -> Iterator[str]:
    """Yield a warning on figures about the smallest embedded model."""
    members = {m for c in experiment.conditions for m in c.options.get("panel") or ()}
    if f"{EMBEDDED}:{DEMO}" in map(str, members):
        yield "The embedded model is a demo: what is found of it is no evidence of others."


def _lead(found: ExperimentFindings) -> Iterator[str]:
    """Yield what is known, in a few sentences."""
    if not found.showings:
        yield "No debate of this experiment is complete yet."
        return
    yield from _unread(found)
    yield from drill_sentences(found)
    if not any(s.accuracy for s in found.showings):
        yield from preference_sentences(found)
        yield "No query has a known answer, so nothing can be said of right and wrong."
        return
    if found.best_single is None:
        if found.shifts:
            return
        best = max((s for s in found.showings if s.accuracy), key=_value)
        yield f"{best.name} answers {share_of(best.accuracy)} right; no single model was compared."
        return
    yield from _against(found)


def _unread(found: ExperimentFindings) -> Iterator[str]:
    """Yield the number of unreadable answers, and the ways that are therefore not compared."""
    own = [s for s in found.showings if s.way != PICKED]
    if unread := sum(s.unreadable for s in own):
        of = plural(sum(s.answers for s in own), "text")
        yield f"No answer can be read in {unread:,} of {of}; they count neither as right nor wrong."
    if refused := [s for s in own if not s.comparable]:
        names = join_names([f"{s.name} ({s.unreadable / s.answers:.0%})" for s in refused[:FEW]])
        more = f" and {len(refused) - FEW} more" if len(refused) > FEW else ""
        yield f"Too many of them are of {names}{more}: nothing is compared with that."


def _against(found: ExperimentFindings) -> Iterator[str]:
    if (worth := verdict(found)) is not None:
        yield worth
    best = next(s for s in found.showings if s.name == found.baseline)
    picked = ", picked on other queries than it is tried on" if best.way == PICKED else ""
    names = " or ".join(found.picks[:FEW])
    yield f"The best model alone ({names}{picked}) answers {share_of(best.accuracy)} right."
    for c in (c for c in found.comparisons if c.shown):
        yield _sentence(c, found)
    if rest := [c for c in found.comparisons if not c.shown]:
        few = len(rest) <= FEW
        names = ", ".join(c.first for c in rest) if few else f"the other {len(rest)} ways"
        widest = max(abs(b) for c in rest for b in (c.difference.low, c.difference.high))
        yield (
            f"No difference from it is shown for {names}: whatever difference there is lies within "
            f"{100 * widest:.0f} points either way."
        )
    if cheap := [p.name for p in found.curve if p.worthwhile]:
        yield f"At their cost, worth considering: {', '.join(cheap)}; the rest is beaten for less."


def _sentence(c: Comparison, found: ExperimentFindings) -> str:
    word = "better" if c.difference.value > 0 else "worse"
    return (
        f"{c.first} is {word}: {points(c.difference)} points on {c.queries} queries "
        f"(p = {c.corrected:.3g} corrected){_ratio(c, found)}."
    )


def _ratio(c: Comparison, found: ExperimentFindings) -> str:
    times = cost_ratio(c, found)
    return f", at {times:.1f} x its cost" if times else ""


def _ways(found: ExperimentFindings) -> Section:
    shown = _ranked(found)
    rows = tuple(
        (
            f"{i}. {s.name}",
            share_of(s.accuracy),
            str(s.judged),
            str(s.unreadable),
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
        head=("way", "right (95 %)", "judged", "unreadable", "cost", "tokens", "calls", "time"),
        rows=rows,
        charts=(*charts, *_curve(found)),
        wide=True,
    )


def _curve(found: ExperimentFindings) -> tuple[str, ...]:
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


def _label(point: Point, found: ExperimentFindings) -> str:
    """Return the label of a point: its name where there are few, else its line in the table."""
    if len(found.curve) <= FEW:
        return point.name
    order = [s.name for s in _ranked(found)]
    return f"{order.index(point.name) + 1}"


def _ranked(found: ExperimentFindings) -> list[ConditionSummary]:
    """Return the ways, the best first."""
    return sorted(found.showings, key=_value, reverse=True)


def _comparisons(found: ExperimentFindings) -> Section:
    rows = tuple(
        (
            c.first,
            points(c.difference),
            f"{c.better} / {c.equal} / {c.worse}",
            f"{c.p:.3g}",
            f"{c.corrected:.3g}",
            ("better" if c.difference.value > 0 else "worse") if c.shown else "not shown",
        )
        for c in found.comparisons
    )
    method = (
        "Each query is its own control; p values by sign flips, corrected by Holm's method. With "
        "several models, the best one is picked in five folds, never on the query it is tried on."
    )
    return Section(
        title="Against the best model alone",
        sentences=(method,) if rows else (),
        head=("way", "points (95 %)", "better / equal / worse", "p", "corrected", "difference"),
        rows=rows,
    )


def _clusters(found: ExperimentFindings) -> Section:
    rows = tuple(
        (
            f"{a.share:.0%}",
            share_of(a.right),
            points(a.against.difference) if a.against else "–",
            f"{a.cases:,}",
        )
        for a in found.by_cluster
    )
    return Section(
        title="What agreement tells",
        sentences=tuple(_agreed(found)) if rows else (),
        head=(
            "first answers that are the same", "vote right (95 %)",
            "points against the best model alone (95 %)", "votes",
        ),
        rows=rows,
    )  # fmt: skip


def _agreed(found: ExperimentFindings) -> Iterator[str]:
    """Yield when a vote can be relied on, and where it does better than the best model alone."""
    sure = [f"{a.share:.0%}" for a in found.by_cluster if a.right.low >= SURE]
    unsure = [f"{a.share:.0%}" for a in found.by_cluster if a.right.high < UNSURE]
    parts = [f"a vote can be relied on where {' or '.join(sure)} agree"] if sure else []
    subject = "it cannot" if sure else "a vote cannot be relied on"
    parts += [f"{subject} where only {' or '.join(unsure)} agree"] if unsure else []
    sentence = ", and ".join(parts) or "no size of majority is clearly reliable here"
    yield f"{sentence[:1].upper()}{sentence[1:]}."
    if found.baseline is None:
        return
    shown = [(f"{a.share:.0%}", a.against) for a in found.by_cluster if a.against]
    tests = [(size, c.difference.value) for size, c in shown if c.shown]
    for word, some in (
        ("better", [size for size, gain in tests if gain > 0]),
        ("worse", [size for size, gain in tests if gain < 0]),
    ):
        if some:
            yield f"A vote is {word} than the best model alone where {' or '.join(some)} agree."
    if not tests:
        yield "At no size of majority is a vote shown to differ from the best model alone."


def _models(found: ExperimentFindings) -> Section:
    rows = tuple(
        (
            m.model,
            str(m.flips.cases),
            str(m.flips.right_to_wrong),
            str(m.flips.wrong_to_right),
            format_interval(m.flips.spoiled),
            format_interval(m.flips.mended),
            format_interval(m.sycophancy.gave_in),
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


def _method(experiment: Experiment, found: ExperimentFindings) -> Section:
    answers = sum(s.answers for s in found.showings if s.way != PICKED)
    size = (
        f"{plural(len(experiment.queries), 'query')}, "
        f"{plural(len(experiment.conditions), 'condition')}, "
        f"{plural(experiment.repeats, 'repeat')}, seed {experiment.seed}; "
        f"{plural(answers, 'answer')} in all."
    )
    return Section(title="How this was measured", sentences=(size, INTERVALS))


def _value(s: ConditionSummary) -> float:
    return s.accuracy.value if s.accuracy else -1.0


def _kind(s: ConditionSummary) -> int:
    return {"panel": 0, "single": 1, PICKED: 1, "self-consistency": 2, "best-of": 3, "vote": 4}.get(
        s.way, 5
    )
