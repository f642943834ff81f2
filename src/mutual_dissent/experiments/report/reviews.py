"""The report on recorded reviews: one reviewer, several together, and what two found alike."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutual_dissent.experiments.recordings.reviews import (
    Worth,
    by_company,
    worth_of_each,
    worth_of_panels,
)
from mutual_dissent.experiments.recordings.rules import Reviewed
from mutual_dissent.experiments.report.parts import Section, share_of
from mutual_dissent.experiments.statistics.intervals import Interval
from mutual_dissent.views.charts import Bar, bars

ONE, MANY = "found by one", "found by two or more"

TOGETHER = (
    "Means over all panels of the reviewers of this file. A majority is of more than half. How "
    "much of what a majority says is right is not known: of wrong findings nobody knows which are "
    "the same."
)
BY_WORDS = (
    "Whether two findings are the same is told by their rare words, of right and wrong ones alike, "
    "without knowing which is which."
)


def lead_reviews(items: Sequence[Reviewed]) -> Iterator[str]:
    """Yield what is known first."""
    panels = {w.name: w.found for w in worth_of_panels(items)}
    defects = sum(len(i.defects) for i in items)
    yield (
        f"One reviewer finds {_short(panels['one reviewer'])} of {defects:,} known defects in "
        f"{len(items):,} changes, on average."
    )
    if "union of 3" in panels:
        union, majority = panels["union of 3"], panels["majority of 3"]
        better = majority.value > panels["one reviewer"].value
        yield (
            f"What any of three found has {_short(union)} of them; what two of three found has "
            f"{_short(majority)}, {'more' if better else 'no more'} than one reviewer alone."
        )
    company = {name: (i, n) for name, i, n in by_company(items)}
    if ONE in company and MANY in company:
        (one, n), (many, m) = company[ONE], company[MANY]
        yield (
            f"A finding that two or more had in much the same words is right in {_short(many)} of "
            f"{m:,}, one that nobody else had in {_short(one)} of {n:,}."
        )


def sections_of_reviews(items: Sequence[Reviewed]) -> Iterator[Section]:
    """Yield the figures."""
    yield _table("Several reviewers together", worth_of_panels(items), (TOGETHER,))
    yield Section(
        title="What others found, too",
        sentences=(BY_WORDS,),
        head=("findings", "right (95 %)", "how many"),
        rows=tuple((name, share_of(i), f"{n:,}") for name, i, n in by_company(items)),
    )
    each = sorted(worth_of_each(items), key=lambda w: -w.found.value)
    yield _table("Every reviewer alone", each, ())


def _table(title: str, found: Sequence[Worth], sentences: tuple[str, ...]) -> Section:
    chart = [
        Bar(name=w.name, value=w.found.value, low=w.found.low, high=w.found.high,
            kind=1 if " alone" in w.name else 0)
        for w in found
    ]  # fmt: skip
    return Section(
        title=title,
        sentences=sentences,
        head=("who", "defects found (95 %)", "right of what is said (95 %)", "findings"),
        rows=tuple(
            (
                w.name,
                share_of(w.found),
                share_of(w.right),
                "–" if w.said is None else f"{w.said:.0f}",
            )
            for w in found
        ),
        charts=(bars(chart, title=f"{title}: defects found, with 95 % intervals", span=(0, 1)),),
        wide=True,
    )


def _short(i: Interval) -> str:
    return f"{i.value:.0%} ({i.low:.0%} to {i.high:.0%})"
