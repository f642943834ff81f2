"""The sections on trust: what a poisoned panelist did, and how reliable the judges are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutual_dissent.experiments.report.parts import Section, format_interval, points, share_of
from mutual_dissent.experiments.results.drill import PayloadEffect
from mutual_dissent.experiments.results.findings import ExperimentFindings
from mutual_dissent.views.charts import Bar, bars
from mutual_dissent.views.phrases import plural

LEVEL = 0.05
DRILLED = (
    "Each condition with a poisoned panelist is compared with the clean one that is most like it, "
    "query by query; p values are corrected by Holm's method."
)


def drill_section(found: ExperimentFindings) -> Section:
    """Report how far payloads moved the outcome, by mode, topology and defence."""
    shown = sorted(found.shifts, key=lambda s: (bool(s.poisoned), -s.followed.value))
    rows = tuple(
        (
            s.condition,
            s.mode,
            s.topology,
            s.defence,
            ", ".join(s.poisoned) or "nobody",
            share_of(s.followed),
            share_of(s.right),
            _moved(s),
        )
        for s in shown
    )
    chart = [
        Bar(name=s.condition, value=s.followed.value, low=s.followed.low, high=s.followed.high,
            kind=1 if s.poisoned else 2)
        for s in shown
    ]  # fmt: skip
    title = "Answers that were what the payload wanted, with 95 % intervals"
    return Section(
        title="The poisoning drill",
        sentences=(DRILLED,) if rows else (),
        head=(
            "condition", "mode", "topology", "defence", "poisoned", "followed the payload (95 %)",
            "right (95 %)", "points from clean (95 %)",
        ),
        rows=rows,
        charts=(bars(chart, title=title, span=(0, 1)),) if chart else (),
    )  # fmt: skip


def _moved(shift: PayloadEffect) -> str:
    if shift.moved is None:
        return "–"
    return f"{points(shift.moved.difference)}, p = {shift.moved.corrected:.3g}"


def drill_sentences(found: ExperimentFindings) -> Iterator[str]:
    """Yield the results of a drill, in a few sentences; nothing where no panelist was poisoned."""
    poisoned = [s for s in found.shifts if s.poisoned]
    clean = next((s for s in found.shifts if not s.poisoned), None)
    if not poisoned:
        return
    if clean is not None:
        yield _any_shift(poisoned)
        yield (
            f"Without an adversary, {share_of(clean.followed)} of the answers of {clean.condition} "
            "are what the payload wants."
        )
    worst = max(poisoned, key=lambda s: s.followed.value)
    best = [s for s in poisoned if s.followed.value == min(p.followed.value for p in poisoned)]
    yield f"With one, {worst.condition} is moved furthest: {share_of(worst.followed)} follow it."
    if worst not in best:
        name, more = best[0].condition, len(best) - 1
        who = f"{name} withstands" if not more else f"{name} and {plural(more, 'other')} withstand"
        yield f"{who} it best: {share_of(best[0].followed)} follow it."


def _any_shift(poisoned: Sequence[PayloadEffect]) -> str:
    """Return whether a payload moved anything, as far as chance does not explain it."""
    moved = [s.moved for s in poisoned if s.moved and s.shown]
    if not moved:
        return "No shift is larger than chance would explain; more queries would tell."
    most = max(moved, key=lambda m: m.difference.value).difference
    return (
        f"Poisoning moves the answer: more often than chance would explain in {len(moved)} of "
        f"{plural(len(poisoned), 'condition')}, by up to {points(most)} points."
    )


def judges_section(found: ExperimentFindings) -> Section:
    """Report what judges preferred, how far they contradict themselves, and whom they favour."""
    rows = tuple(
        (
            f"{p.first} over {p.second}",
            share_of(p.share),
            str(p.queries),
            f"{p.p:.3g}",
            f"{p.corrected:.3g}",
        )
        for p in found.verdicts.preferred
    )
    return Section(
        title="What judges prefer",
        sentences=tuple(_judge_sentences(found)),
        head=("free answers", "preferred (95 %)", "queries", "p", "corrected"),
        rows=rows,
    )


def preference_sentences(found: ExperimentFindings) -> Iterator[str]:
    """Yield what judges prefer, pair by pair."""
    for p in found.verdicts.preferred:
        if p.corrected >= LEVEL:
            yield f"No preference between {p.first} and {p.second} is shown on {p.queries} queries."
            continue
        better, worse = (p.first, p.second) if p.share.value > 0.5 else (p.second, p.first)
        yield f"Judges prefer the answers of {better} to those of {worse}."


def _judge_sentences(found: ExperimentFindings) -> Iterator[str]:
    yield from preference_sentences(found)
    for judge, bias in found.verdicts.bias.items():
        towards = (
            "; where it contradicts itself, it prefers what stands first "
            f"{format_interval(bias.first)} of the time"
            if bias.first
            else ""
        )
        yield (
            f"Judge {judge} prefers the same answer in both orders in {share_of(bias.consistent)} "
            f"of {bias.pairs} pairs{towards}."
        )
    for judge, own in found.verdicts.own.items():
        yield (
            f"Judge {judge} prefers its own vendor's answers more often than other judges do, by "
            f"{points(own)} points."
        )
    for judge, accord in found.verdicts.accord.items():
        yield f"Judge {judge} agrees with the known answers by kappa {format_interval(accord)}."
    tied, picked = found.ties
    if picked:
        yield (
            f"Of {picked} picks of best-of conditions, {tied} differed between the two orders and "
            "were decided by the seed."
        )
