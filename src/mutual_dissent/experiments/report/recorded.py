"""The report on recorded answers: which rule of decision is right how often, and what it tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mutual_dissent.analysis.scores.juries import credit, verdict
from mutual_dissent.experiments.recordings.rules import (
    Recorded,
    RecordedAnswers,
    RecordedVerdicts,
    Reviewed,
    RuleAccuracy,
    rules_of_verdicts,
)
from mutual_dissent.experiments.recordings.votes import (
    BEST,
    ORACLE,
    TRIO,
    VOTE,
    WEIGHTED,
    Way,
    chosen_best,
    chosen_trios,
    leading,
    ways,
)
from mutual_dissent.experiments.report.parts import Section, points, share_of
from mutual_dissent.experiments.report.report import Report
from mutual_dissent.experiments.report.reviews import lead_reviews, sections_of_reviews
from mutual_dissent.experiments.statistics.comparison import FOLDS, Comparison, compare_pairs, folds
from mutual_dissent.experiments.statistics.intervals import Interval, share
from mutual_dissent.views.charts import Bar, bars
from mutual_dissent.views.phrases import join_names

SURE, UNSURE = 0.8, 0.6
"""Agreement is a signal from this share of right answers on, and little below the other."""

LEARNT = (
    f"What is learnt is learnt in {FOLDS} folds, never from the question that it decides. Points "
    "are percentage points against the best model alone; p is corrected for all rules that are "
    "compared."
)
SAME_VOTES = (
    "The same votes as above, by the number of models behind the winner; ties go to the best "
    "model. Where all agree, a vote says what each of them says: it gains nothing, but one knows "
    "how far the answer can be relied on."
)


def recorded_report(
    name: str, found: Recorded, judges: Sequence[str] = (), source: Section | None = None
) -> Report:
    """Build the report on a file of recorded answers, verdicts or reviews.

    Args:
        judges: of verdicts: the judges whose majority is shown, too.
        source: where the recording comes from.
    """
    answers = [f for f in found if isinstance(f, RecordedAnswers)]
    verdicts = [f for f in found if isinstance(f, RecordedVerdicts)]
    reviews = [f for f in found if isinstance(f, Reviewed)]
    if answers:
        lead, sections = _of_answers(answers)
    elif reviews:
        lead, sections = list(lead_reviews(reviews)), list(sections_of_reviews(reviews))
    else:
        lead = list(_lead_verdicts(verdicts))
        sections = [_of_verdicts(v, judges) for v in verdicts]
    return Report(
        title=name,
        summary="Recorded answers decided again; nobody was asked.",
        lead=tuple(lead),
        sections=(*sections, *([source] if source else [])),
    )


def _points(c: Comparison) -> str:
    """Return a difference of shares with its interval, in percentage points."""
    if not c.better + c.worse:
        return "the same"
    return points(c.difference)


def _of_answers(items: Sequence[RecordedAnswers]) -> tuple[list[str], list[Section]]:
    by_rule = ways(items)
    against = {c.first: c for c in _compared(by_rule)}
    alike = _by_agreement(items, by_rule)
    lead = [*_lead_ways(items, by_rule, against), *_lead_agreement(alike, items)]
    return lead, [_ways(by_rule, against), _trios(items), _agreement(alike)]


def _compared(found: Sequence[Way]) -> list[Comparison]:
    """Compare every rule, models alone left out, with the best model."""
    rules = [
        w.name for w in found if not w.name.endswith(" alone") and w.name not in (BEST, ORACLE)
    ]
    return compare_pairs({w.name: w.scores.tolist() for w in found}, [(r, BEST) for r in rules])


def _lead_ways(
    items: Sequence[RecordedAnswers], found: Sequence[Way], against: dict[str, Comparison]
) -> Iterator[str]:
    by_name = {w.name: w for w in found}
    best = " or ".join(dict.fromkeys(chosen_best(items)))
    alone = by_name[BEST].rule
    whole = f"{alone.right:.1%} of {alone.cases:,} questions"
    yield f"The best model alone ({best}) is right in {whole}."
    for name, way in (("A plain vote of all", VOTE), ("A weighted vote of all", WEIGHTED),
                      ("A plain vote of the best three", TRIO)):  # fmt: skip
        if way in by_name:
            yield f"{name} is right in {by_name[way].rule.right:.1%}: {_difference(against[way])}."


def _difference(c: Comparison) -> str:
    """Return a difference in points, and whether there is one at all."""
    i, p = c.difference, c.corrected
    between = f"{100 * i.low:+.1f} to {100 * i.high:+.1f}"
    size = f"{100 * i.value:+.1f} points ({between}; {c.better} gained, {c.worse} lost, {_p(p)})"
    return size if p < 0.05 else f"{size}, no difference shown"


def _p(p: float) -> str:
    return "p below 0.001" if p < 0.001 else f"p = {p:.2g}"


def _ways(found: Sequence[Way], against: dict[str, Comparison]) -> Section:
    title = "How far each rule of decision comes"
    shown = [(w, _interval(w.rule)) for w in sorted(found, key=lambda w: -w.rule.right)]
    chart = [
        Bar(name=w.name, value=i.value, low=i.low, high=i.high, kind=1 if " alone" in w.name else 0)
        for w, i in shown
    ]
    rows = tuple(
        (
            w.name, share_of(i), f"{w.calls:.1f}",
            _points(against[w.name]) if w.name in against else "–",
            _p(against[w.name].corrected) if w.name in against else "–",
        )
        for w, i in shown
    )  # fmt: skip
    return Section(
        title=title,
        sentences=(f"Of {shown[0][0].rule.cases:,} questions. {LEARNT}",),
        head=("rule", "right (95 %)", "answers", "points (95 %)", "p"),
        rows=rows,
        charts=(bars(chart, title=f"{title}: share right, with 95 % intervals", span=(0, 1)),),
        wide=True,
    )


def _trios(items: Sequence[RecordedAnswers]) -> Section:
    chosen = chosen_trios(items) if len(items[0].answers) > 3 else []
    counts = {t: chosen.count(t) for t in dict.fromkeys(chosen)}
    rows = tuple((join_names(list(t)), f"{n} of {len(chosen)}") for t, n in counts.items())
    sentence = (
        "Each fold chose the three whose plain vote was right most often on the other questions; "
        "what such a choice is worth on questions that it has not seen is in the table above."
    )
    few = "There are no three to choose: a choice needs at least four models."
    return Section(
        title="Which three to ask",
        sentences=(sentence if rows else few,),
        head=("panel", "chosen in folds") if rows else (),
        rows=rows,
    )


Alike = tuple[int, Interval, Interval, Comparison]
"""Size of the leading group, its share right, the best model's there, and the two compared."""


def _by_agreement(items: Sequence[RecordedAnswers], found: Sequence[Way]) -> list[Alike]:
    sizes, by_name = leading(items), {w.name: w.scores for w in found}
    met = [int(s) for s in np.unique(sizes)[::-1] if s > 0]
    scores = {
        f"{way}/{size}": by_name[way][sizes == size].tolist()
        for way in (VOTE, BEST)
        for size in met
    }
    tests = compare_pairs(scores, [(f"{VOTE}/{s}", f"{BEST}/{s}") for s in met])
    shares = {k: share(round(sum(v)), len(v)) for k, v in scores.items()}
    return [
        (s, shares[f"{VOTE}/{s}"], shares[f"{BEST}/{s}"], c)
        for s, c in zip(met, tests, strict=True)
    ]


def _lead_agreement(alike: Sequence[Alike], items: Sequence[RecordedAnswers]) -> Iterator[str]:
    n = len(items[0].answers)
    sure = [(size, i, c.queries) for size, i, _, c in alike if i.low >= SURE]
    if sure:
        size, i, count = sure[0]
        yield (
            f"Agreement is a signal: where {size} of {n} agree, the answer is right in "
            f"{i.value:.1%} of {count:,} questions{_where_few_do(alike, size)}."
        )
    else:
        yield "No size of the leading group is clearly reliable here."
    shown = [(size, c.difference.value) for size, _, _, c in alike if c.corrected < 0.05]
    gains = [str(size) for size, gain in shown if gain > 0]
    losses = [str(size) for size, gain in shown if gain < 0]
    parts = [f"{word} where {' or '.join(sizes)} of {n} agree"
             for word, sizes in (("gains", gains), ("loses", losses)) if sizes]  # fmt: skip
    if parts:
        yield f"Against the best model alone a plain vote {' and '.join(parts)}."
    else:
        yield "There is no size at which a plain vote is shown to differ from the best model alone."


def _where_few_do(alike: Sequence[Alike], sure: int) -> str:
    """Return up to which size of the leading group its answer is mostly not to be relied on."""
    for at, (size, _, _, _) in enumerate(alike):
        if size >= sure:
            continue
        some = [(i.value * c.queries, c.queries) for _, i, _, c in alike[at:]]
        right, of = round(sum(r for r, _ in some)), sum(n for _, n in some)
        if share(right, of).high < UNSURE:
            return f"; where at most {size} do, in {right / of:.1%} of {of:,}"
    return ""


def _agreement(alike: Sequence[Alike]) -> Section:
    rows = tuple(
        (str(size), share_of(i), share_of(best), _points(c), f"{c.queries:,}")
        for size, i, best, c in alike
    )
    return Section(
        title="What agreement tells",
        sentences=(SAME_VOTES,),
        head=("models that agree", "vote right (95 %)", "best model right (95 %)",
              "points (95 %)", "questions"),
        rows=rows,
    )  # fmt: skip


def _lead_verdicts(found: Sequence[RecordedVerdicts]) -> Iterator[str]:
    for verdicts in found:
        rules = rules_of_verdicts(verdicts)
        learnt = next(r for r in rules if "labels (5" in r.name)
        majority, best, names = _majority_and_best(verdicts)
        (test,) = compare_pairs({"majority": majority, "best": best}, [("majority", "best")])
        n = len(majority)
        yield (
            f"{verdicts.name}: the best judge alone ({' or '.join(names)}) is right in "
            f"{sum(best) / n:.1%} of {n:,} pairs, a majority in {sum(majority) / n:.1%}: "
            f"{_difference(test)}; with weights learnt from labels it is {learnt.right:.1%}."
        )


def _majority_and_best(found: RecordedVerdicts) -> tuple[list[float], list[float], list[str]]:
    """Return the credit of a majority and of the best judge, who is chosen on the other folds."""
    pairs = list(zip(found.cases, found.truths, strict=True))
    majority = [credit(verdict(case), truth) for case, truth in pairs]
    alone = {
        judge: np.array([sum(credit(s, t) for s in c[judge]) / len(c[judge]) for c, t in pairs])
        for judge in found.cases[0]
    }
    best, names = np.zeros(len(pairs)), []
    for kept, tried in folds(len(pairs)):
        name = max(alone, key=lambda judge: float(alone[judge][kept].sum()))
        best[tried] = alone[name][tried]
        names.append(name)
    return majority, best.tolist(), list(dict.fromkeys(names))


def _of_verdicts(found: RecordedVerdicts, judges: Sequence[str]) -> Section:
    rules = rules_of_verdicts(found, judges)
    return _rules(f"{found.name} ({len(found.cases):,} pairs)", rules)


def _rules(title: str, rules: Sequence[RuleAccuracy]) -> Section:
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


def _interval(rule: RuleAccuracy) -> Interval:
    """Return the interval of a rule. Ties count half, so its right cases need not be whole."""
    between = share(round(rule.right * rule.cases), rule.cases)
    return Interval(rule.right, between.low, between.high)
