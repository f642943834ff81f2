"""Panels that recorded models could have formed: how they split, and how often they were right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np

from mutual_dissent.analysis.scores.chance_table import ChanceTally, Key
from mutual_dissent.experiments.recordings.rules import RecordedAnswers
from mutual_dissent.experiments.statistics.intervals import Floats, Interval, bootstrap, share

Panel = tuple[str, ...]

Split = dict[tuple[int, int], tuple[float, float]]
"""One question: members with a position and size of the leading group -> right panels, and all
such panels. All panels of one size together count as one."""


Said = Callable[[int, int], float]


def of_different_vendors(vendors: Mapping[str, str], size: int) -> list[Panel]:
    """Return every panel of that size in which no vendor sits twice."""
    models: dict[str, list[str]] = {}
    for model, vendor in vendors.items():
        models.setdefault(vendor, []).append(model)
    return [p for some in combinations(models, size) for p in product(*(models[v] for v in some))]


def strengths(items: Sequence[RecordedAnswers]) -> dict[str, float]:
    """Return model -> share of right answers."""
    return {m: sum(i.right[m] for i in items) / len(items) for m in items[0].answers}


def spread(panel: Panel, strength: Mapping[str, float]) -> float:
    """Return how far the best member of a panel is ahead of its worst."""
    own = [strength[m] for m in panel]
    return max(own) - min(own)


def splits(items: Sequence[RecordedAnswers], panels: Sequence[Panel]) -> list[Split]:
    """Return how the panels split on each question.

    A member without an answer takes no position. Of several answers that lead with as many members
    each, each is as good as another: the share of them that is right counts.
    """
    many = Counter(map(len, panels))
    seen: dict[tuple[object, ...], Split] = {}
    by_question = []
    for item in items:
        pattern = _pattern(item)
        if pattern not in seen:
            seen[pattern] = _split(item, panels, many)
        by_question.append(seen[pattern])
    return by_question


def _pattern(item: RecordedAnswers) -> tuple[object, ...]:
    """Return which answers are equal and which are right: all that a split depends on."""
    names: dict[str | None, int] = {}
    return tuple((names.setdefault(a or None, len(names)), not a, item.right[m])
                 for m, a in item.answers.items())  # fmt: skip


def _split(item: RecordedAnswers, panels: Sequence[Panel], many: Mapping[int, int]) -> Split:
    sums: Counter[tuple[int, int]] = Counter()
    rights: Counter[tuple[int, int]] = Counter()
    for panel in panels:
        answers = Counter(a for m in panel if (a := item.answers[m]))
        if not answers:
            continue
        leading = max(answers.values())
        tied = {a for a, n in answers.items() if n == leading}
        right = any(item.right[m] for m in panel if item.answers[m] in tied)
        size, weight = (answers.total(), leading), 1 / many[len(panel)]
        sums[size] += weight  # type: ignore[assignment]
        rights[size] += weight * right / len(tied)  # type: ignore[assignment]
    return {size: (rights[size], weight) for size, weight in sums.items()}


def tallies(found: Sequence[Split], kind: str) -> dict[Key, ChanceTally]:
    """Add up the splits of all questions."""
    keys = sorted({size for split in found for size in split})
    return {(kind, *size): _tally([s[size] for s in found if size in s]) for size in keys}


def _tally(of: Sequence[tuple[float, float]]) -> ChanceTally:
    right, panels = (float(sum(x)) for x in zip(*of, strict=True))
    return ChanceTally(right=right, panels=panels, cases=len(of))


def calibration_error(
    said: Said, found: Sequence[Split], panel: int, *, times: int = 500
) -> tuple[Interval, int] | None:
    """Return the mean error of what was claimed, by cases, and the number of questions.

    Args:
        said: size of the panel and of its leading group -> the claimed share of right answers.
        found: the splits on questions from which nothing was learnt.
        panel: the number of panelists with a position.
        times: the number of resamples; 0 for no interval.
    """
    rows = np.array([list(_row(split, panel)) for split in found])
    rows = rows[rows[:, panel:].sum(axis=1) > 0]
    if not len(rows):
        return None
    shares = np.array([said(panel, s) for s in range(1, panel + 1)])

    def off(some: Floats) -> float:
        right, weight = some[:, :panel].sum(axis=0), some[:, panel:].sum(axis=0)
        return float(np.abs(shares * weight - right).sum() / weight.sum())

    if not times:
        return Interval(off(rows), off(rows), off(rows)), len(rows)
    return bootstrap(rows, off, times=times), len(rows)


def share_right(found: Sequence[Split], panel: int, leading: int) -> Interval | None:
    """Return how often such panels were right, with the interval of their effective sample size.

    A question on which few of all panels split so counts less than one on which all did.
    """
    met = [split[panel, leading] for split in found if (panel, leading) in split]
    if not met:
        return None
    right, weight = (sum(x) for x in zip(*met, strict=True))
    worth = max(1, round(weight**2 / sum(w**2 for _, w in met)))
    between = share(round(right / weight * worth), worth)
    value = right / weight
    return Interval(value, min(value, between.low), max(value, between.high))


def _row(split: Split, panel: int) -> Iterator[float]:
    """Yield the right panels by size of the leading group, then the number of panels."""
    for column in (0, 1):
        yield from (split.get((panel, s), (0.0, 0.0))[column] for s in range(1, panel + 1))
