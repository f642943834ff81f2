"""The report on recorded answers: which rule of decision is right how often, and when to vote."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutual_dissent.experiments.recorded import (
    Answered,
    Rule,
    Verdicts,
    by_cluster,
    rules_of_answers,
    rules_of_verdicts,
)
from mutual_dissent.experiments.report import Report
from mutual_dissent.experiments.report_parts import Section, share_of
from mutual_dissent.experiments.statistics.intervals import Interval, share
from mutual_dissent.views.charts import Bar, bars

WORTH, NOT_WORTH = 0.8, 0.6


def recorded_report(
    name: str, found: Sequence[Answered] | Sequence[Verdicts], judges: Sequence[str] = ()
) -> Report:
    """The report on a file of recorded answers or verdicts; `judges` get a majority of theirs."""
    answers = [f for f in found if isinstance(f, Answered)]
    verdicts = [f for f in found if isinstance(f, Verdicts)]
    sections = [*_of_answers(answers)] if answers else [_of_verdicts(v, judges) for v in verdicts]
    lead = tuple(_lead_answers(answers) if answers else _lead_verdicts(verdicts))
    return Report(
        title=name,
        summary="Recorded answers decided again; nobody was asked.",
        lead=lead,
        sections=tuple(sections),
    )


def _lead_answers(items: Sequence[Answered]) -> Iterator[str]:
    rules = rules_of_answers(items)
    alone = max((r for r in rules if r.name.endswith(" alone")), key=lambda r: r.right)
    vote = next(r for r in rules if r.name.startswith("vote"))
    gain = vote.right - alone.right
    yield (
        f"A vote of all is right in {vote.right:.1%} of {vote.cases:,} questions, {alone.name} in "
        f"{alone.right:.1%}: voting {'gains' if gain > 0 else 'loses'} {abs(gain):.1%} and costs "
        f"{len(items[0].answers)} answers instead of one."
    )
    yield _when(items)


def _when(items: Sequence[Answered]) -> str:
    sizes = {size: share(right, of) for size, (right, of) in by_cluster(items).items()}
    good = [str(size) for size, i in sizes.items() if i.low >= WORTH]
    bad = [str(size) for size, i in sizes.items() if i.high < NOT_WORTH]
    n = len(items[0].answers)
    parts = []
    if good:
        parts.append(f"A vote is worth taking when {' or '.join(good)} of {n} agree")
    if bad:
        parts.append(f"it is not when at most {max(map(int, bad))} do")
    return "; ".join(parts)[:1].upper() + "; ".join(parts)[1:] + "." if parts else (
        "No size of majority is clearly reliable here."
    )  # fmt: skip


def _of_answers(items: Sequence[Answered]) -> Iterator[Section]:
    yield _rules("How far each rule of decision comes", rules_of_answers(items))
    rows = tuple(
        (str(size), share_of(share(right, of)), f"{of:,}")
        for size, (right, of) in by_cluster(items).items()
    )
    yield Section(
        title="When a vote is worth taking",
        sentences=(_when(items),),
        head=("members behind the most frequent answer", "right (95 %)", "questions"),
        rows=rows,
    )


def _lead_verdicts(found: Sequence[Verdicts]) -> Iterator[str]:
    for verdicts in found:
        rules = rules_of_verdicts(verdicts)
        alone = max((r for r in rules if " alone" in r.name), key=lambda r: r.right)
        majority = next(r for r in rules if r.name == "majority, both orders")
        learnt = max((r for r in rules if "labels (5" in r.name), key=lambda r: r.right)
        word = "beats" if majority.right > alone.right else "loses to"
        yield (
            f"{verdicts.name}: a majority ({majority.right:.1%}) {word} {alone.name} "
            f"({alone.right:.1%}); with weights learnt from labels it is {learnt.right:.1%}."
        )


def _of_verdicts(found: Verdicts, judges: Sequence[str]) -> Section:
    rules = rules_of_verdicts(found, judges)
    return _rules(f"{found.name} ({len(found.cases):,} pairs)", rules)


def _rules(title: str, rules: Sequence[Rule]) -> Section:
    shown = [(r, _interval(r)) for r in sorted(rules, key=lambda r: -r.right)]
    chart = [
        Bar(name=r.name, value=i.value, low=i.low, high=i.high, kind=1 if " alone" in r.name else 0)
        for r, i in shown
    ]
    return Section(
        title=title,
        head=("rule", "right (95 %)", "cases"),
        rows=tuple((r.name, share_of(i), f"{r.cases:,}") for r, i in shown),
        charts=(bars(chart, title=f"{title}: share right, with 95 % intervals", span=(0, 1)),),
        wide=True,
    )


def _interval(rule: Rule) -> Interval:
    """Ties count half, so that what is right need not be a whole number."""
    found = share(round(rule.right * rule.cases), rule.cases)
    return Interval(rule.right, found.low, found.high)
