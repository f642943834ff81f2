"""Reviews of changes with known defects: the worth of one reviewer, a union, and a majority.

Only right findings are known to be the same, by their defect. Whether two reviewers found the
same thing is therefore told by their words, right and wrong ones alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, sqrt

import numpy as np

from mutual_dissent.analysis.review.groups import enough, same_findings
from mutual_dissent.core.values.defects import Defect
from mutual_dissent.experiments.recordings.rules import Reviewed, ReviewFinding
from mutual_dissent.experiments.statistics.intervals import Floats, Interval, bootstrap

SIZES = (1, 2, 3, 4, 5)
MOST_PANELS = 1000
MOST_GROUPED = 220
"""Panels of a size whose findings are grouped, evenly out of all of them."""

ALIKE = 0.25
"""From this similarity on, two findings on a change are the same one; chosen by hand, once."""

COMPANY = {
    "found by one": (1, 1),
    "found by two": (2, 2),
    "found by three or more": (3, 1000),
    "found by two or more": (2, 1000),
}
STEM = 6  # letters that count: "validate" and "validation" are one
_WORD = re.compile(r"[a-z]{3,40}")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LONGEST = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """The worth of a way to review.

    Attributes:
        found: the share of the known defects that it finds.
        right: the share of its findings that are a known defect; None for a majority, where it is
            unknown which wrong findings are the same.
        said: its number of different findings in all, for a panel on average.
    """

    name: str
    found: Interval
    right: Interval | None
    said: float | None


def reviewers(items: Sequence[Reviewed]) -> list[str]:
    """Return all reviewers, in the order of the file."""
    return list(dict.fromkeys(who for item in items for who in item.reviews))


def worth_of_each(items: Sequence[Reviewed]) -> list[Worth]:
    """Return the worth of every reviewer alone."""
    return [_worth(f"{who} alone", items, [(who,)], 1) for who in reviewers(items)]


def worth_of_panels(items: Sequence[Reviewed]) -> list[Worth]:
    """Return the worth of one reviewer on average, and of unions and majorities of several."""
    results = []
    for size in (k for k in SIZES if k <= len(reviewers(items))):
        panels = list(combinations(reviewers(items), size))[:MOST_PANELS]
        if size == 1:
            results.append(_worth("one reviewer", items, panels, 1))
            continue
        results.append(_worth(f"union of {size}", items, panels, 1))
        if size > 2:
            results.append(_worth(f"majority of {size}", items, panels, size // 2 + 1))
    return results


def by_company(items: Sequence[Reviewed]) -> list[tuple[str, Interval, int]]:
    """Return how often findings are right, by the number of reviewers that had them."""
    rows = np.array([list(_counts(item)) for item in items])
    results = []
    for column, name in enumerate(COMPANY):
        some = rows[:, column]
        if count := int(some[:, 1].sum()):
            results.append((name, bootstrap(some, _share), count))
    return results


def first_group(
    items: Sequence[Reviewed], size: int, *, matched: bool = False
) -> tuple[Interval, Interval, int]:
    """Return how much is right of what mode `review` would put first, on panels of that size.

    Its own code groups the findings, by meaning alone: recordings have no lines. First comes the
    share of findings that are right, then the share of all right findings that are there, and the
    number of findings there, for a panel on average.

    Args:
        matched: whether right findings are one by their defect, as no code could know.
    """
    panels = list(combinations(reviewers(items), size))
    panels = panels[:: -(-len(panels) // MOST_GROUPED)]
    rows = np.array([_first(item, panels, matched) for item in items])
    right, found = bootstrap(rows[:, [0, 1]], _share), bootstrap(rows[:, [0, 2]], _share)
    return right, found, round(rows[:, 1].sum())


def _first(
    item: Reviewed, panels: Sequence[tuple[str, ...]], matched: bool
) -> tuple[float, float, float]:
    """Return right and all findings of the first group, and all right ones; means over panels."""
    right = shown = known = kept = said = 0
    for panel in panels:
        pairs = [(who, f) for who in panel for f in item.reviews.get(who, ())]
        groups = _groups(pairs, matched)
        said, kept = said + len(pairs), kept + sum(map(len, groups))
        known += sum(f.defect is not None for _, f in pairs)
        for group in (g for g in groups if len({pairs[n][0] for n in g}) >= enough(len(panel))):
            right += sum(pairs[n][1].defect is not None for n in group)
            shown += len(group)
    assert kept == said, "no finding is ever left out"
    return right / len(panels), shown / len(panels), known / len(panels)


def _groups(pairs: Sequence[tuple[str, ReviewFinding]], matched: bool) -> Sequence[Sequence[int]]:
    """Return the findings of a panel that are one, by their places in the list."""
    known: dict[str, list[int]] = {}
    for n, (_, f) in enumerate(pairs):
        if matched and f.defect:
            known.setdefault(f.defect, []).append(n)
    rest = [n for n, (_, f) in enumerate(pairs) if not (matched and f.defect)]
    found = same_findings([(pairs[n][0], Defect(claim=pairs[n][1].text)) for n in rest])
    return [*known.values(), *([rest[n] for n in group] for group in found)]


def _counts(item: Reviewed) -> Iterator[tuple[float, float]]:
    """Yield right and all findings of one change, by the number of reviewers that had them."""
    company = [(len(c), f.defect is not None) for c, f in _by_likeness(item)]
    for least, most in COMPANY.values():
        some = [right for n, right in company if least <= n <= most]
        yield float(sum(some)), float(len(some))


def _share(some: Floats) -> float:
    right, of = some.sum(axis=0)
    return float(right / of) if of else float("nan")


def _worth(
    name: str, items: Sequence[Reviewed], panels: Sequence[tuple[str, ...]], least: int
) -> Worth:
    rows = np.array([_tally(item, panels, least) for item in items])
    found = bootstrap(rows[:, [0, 1]], _share)
    if least > 1:
        return Worth(name=name, found=found, right=None, said=None)
    right = bootstrap(rows[:, [0, 2]], _share)
    return Worth(name=name, found=found, right=right, said=float(rows[:, 2].sum()))


def _tally(
    item: Reviewed, panels: Sequence[tuple[str, ...]], least: int
) -> tuple[float, float, float]:
    """Return defects found, defects in all, and findings, on average over the panels.

    Each wrong finding is taken to be one reviewer's alone.
    """
    found = said = 0
    for panel in panels:
        names = [{f.defect for f in item.reviews.get(who, ()) if f.defect} for who in panel]
        counts = Counter(d for some in names for d in some)
        hits = sum(n >= least for n in counts.values())
        wrong = sum(not f.defect for who in panel for f in item.reviews.get(who, ()))
        found += hits
        said += hits + wrong
    return found / len(panels), float(len(item.defects)), said / len(panels)


def _by_likeness(item: Reviewed) -> list[tuple[set[str], ReviewFinding]]:
    """Return every finding with the reviewers who found something alike, its own among them."""
    pairs = [(who, f) for who, review in item.reviews.items() for f in review]
    words = [_words(f.text) for _, f in pairs]
    often = Counter(w for some in words for w in some)
    # Squared: in a cosine a word counts with its weight in both texts.
    weight = {w: log((len(pairs) + 1) / n) ** 2 for w, n in often.items()}
    company: list[set[str]] = [{who} for who, _ in pairs]
    for i, j in combinations(range(len(pairs)), 2):
        if pairs[i][0] != pairs[j][0] and _alike(words[i], words[j], weight) >= ALIKE:
            company[i].add(pairs[j][0])
            company[j].add(pairs[i][0])
    return [(c, f) for c, (_, f) in zip(company, pairs, strict=True)]


def _words(text: str) -> set[str]:
    """Return the stems of the words of a finding; `maxDepth` is two."""
    plain = _HUMP.sub(" ", text[:_LONGEST]).lower()
    return {w[:STEM] for w in _WORD.findall(plain)}


def _alike(a: set[str], b: set[str], weight: Mapping[str, float]) -> float:
    """Return the cosine of two sets of words, of which rare ones count more."""
    both = sum(weight[w] for w in a & b)
    sizes = sum(weight[w] for w in a) * sum(weight[w] for w in b)
    return both / sqrt(sizes) if sizes > 0 else 0.0
