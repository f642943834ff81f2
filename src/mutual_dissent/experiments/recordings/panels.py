"""Panels that recorded models could have formed: how they split, and how often they were right."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product

import numpy as np

from mutual_dissent.analysis.scores.chance_table import ChanceTally, Key
from mutual_dissent.experiments.recordings.rules import RecordedAnswers
from mutual_dissent.experiments.statistics.intervals import Floats, Interval, resampled, share

Panel = tuple[str, ...]

Split = dict[tuple[int, int], tuple[float, float]]
"""Of one question: members with a position and size of the leading group -> how many panels were
right, and how many there were. All panels of one size together count as one."""


Said = Callable[[int, int], float]


def of_different_vendors(vendors: Mapping[str, str], size: int) -> list[Panel]:
    """Every panel of so many models in which no vendor sits twice."""
    models: dict[str, list[str]] = {}
    for model, vendor in vendors.items():
        models.setdefault(vendor, []).append(model)
    return [p for some in combinations(models, size) for p in product(*(models[v] for v in some))]


def strengths(items: Sequence[RecordedAnswers]) -> dict[str, float]:
    """Model -> how often it is right."""
    return {m: sum(i.right[m] for i in items) / len(items) for m in items[0].answers}


def spread(panel: Panel, strength: Mapping[str, float]) -> float:
    """How far the best member of a panel is ahead of its worst."""
    own = [strength[m] for m in panel]
    return max(own) - min(own)


def splits(items: Sequence[RecordedAnswers], panels: Sequence[Panel]) -> list[Split]:
    """How the panels split on each question.

    Who gave no answer takes no position. Of several answers that lead with as many members each,
    each is as good as another: the share of them that is right counts.
    """
    many = Counter(map(len, panels))
    seen: dict[tuple[object, ...], Split] = {}
    found = []
    for item in items:
        pattern = _pattern(item)
        if pattern not in seen:
            seen[pattern] = _split(item, panels, many)
        found.append(seen[pattern])
    return found


def _pattern(item: RecordedAnswers) -> tuple[object, ...]:
    """Who said the same as whom and who was right: all that a split depends on."""
    names: dict[str | None, int] = {}
    return tuple((names.setdefault(a or None, len(names)), not a, item.right[m])
                 for m, a in item.answers.items())  # fmt: skip


def _split(item: RecordedAnswers, panels: Sequence[Panel], many: Mapping[int, int]) -> Split:
    sums: Counter[tuple[int, int]] = Counter()
    rights: Counter[tuple[int, int]] = Counter()
    for panel in panels:
        given = Counter(a for m in panel if (a := item.answers[m]))
        if not given:
            continue
        leading = max(given.values())
        tied = {a for a, n in given.items() if n == leading}
        right = any(item.right[m] for m in panel if item.answers[m] in tied)
        size, weight = (given.total(), leading), 1 / many[len(panel)]
        sums[size] += weight  # type: ignore[assignment]
        rights[size] += weight * right / len(tied)  # type: ignore[assignment]
    return {size: (rights[size], weight) for size, weight in sums.items()}


def tallies(found: Sequence[Split], kind: str) -> dict[Key, ChanceTally]:
    """All questions together."""
    keys = sorted({size for split in found for size in split})
    return {(kind, *size): _tally([s[size] for s in found if size in s]) for size in keys}


def _tally(of: Sequence[tuple[float, float]]) -> ChanceTally:
    right, panels = (float(sum(x)) for x in zip(*of, strict=True))
    return ChanceTally(right=right, panels=panels, cases=len(of))


def calibration_error(
    said: Said, found: Sequence[Split], panel: int, *, times: int = 500
) -> tuple[Interval, int] | None:
    """How far what was said is off on average, by cases, and on how many questions that rests.

    Args:
        said: size of the panel and of its leading group -> how often that is said to be right.
        found: how panels split on questions from which nothing was learnt.
        panel: how many of the panel took a position.
        times: how often questions are resampled; 0 for no interval.
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
    return resampled(rows, off, times=times), len(rows)


def share_right(found: Sequence[Split], panel: int, leading: int) -> Interval | None:
    """How often such panels were right; the interval is on as many questions as they are worth.

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
    """What was right by size of the leading group, then how many there were."""
    for column in (0, 1):
        yield from (split.get((panel, s), (0.0, 0.0))[column] for s in range(1, panel + 1))
