"""Table of right answers by degree of agreement, made from graded panels.

A few cases prove little, so every entry is a mean of several voices: each recording has one that
grows with its cases, and a plain model of panels has a quarter of one. The model is not fitted to
the recordings. It ties all panel sizes together, so that a size with few cases is not an
outlier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, factorial, prod

from mutual_dissent.analysis.scores.track_record import Graded

HALF_HEARD = 30.0
"""Number of cases at which a recording has half of its greatest possible weight."""

MODEL_VOICE = 0.25
"""The plain model counts as much as a quarter of a recording."""

PRIOR_CASES = 10.0
"""Weight of the prior beside the user's own cases, counted in cases."""

_UNHEARD = 0.01  # weight of a size without cases, so that pooling never divides by zero

WRONG_ANSWERS = {"yes_no": 1, "choice": 3}
MANY_WRONG_ANSWERS = 10
"""Equally tempting wrong answers in the plain model, for a kind without a number of its own."""

MOST = 12
"""No table is made for larger panels."""

Key = tuple[str, int, int]
"""Kind of answer, size of the panel, size of the leading group."""

Prior = Callable[[str, int, int], float]
"""Prior probability of a key, before any case was seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceTally:
    """The panels of one recording that agreed alike.

    Attributes:
        right: how many of them were right.
        panels: how many there were; many panels of the same models may count as one in all.
        cases: on how many different questions.
    """

    right: float
    panels: float
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChanceEntry:
    """A share of right panels, and on how many questions it rests."""

    share: float
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Share of right answers by kind of answer, panel size and degree of agreement.

    Attributes:
        source: origin of the cases, in words.
        graded: kind of answer -> number of graded panels.
    """

    source: str
    graded: Mapping[str, int]
    entries: Mapping[Key, ChanceEntry]


def tally_debates(debates: Iterable[Graded]) -> dict[Key, ChanceTally]:
    """Tally graded panels, each on a different question, by kind and size."""
    sums: dict[Key, tuple[float, int]] = {}
    for one in debates:
        if 2 <= one.panel <= MOST and 1 <= one.leading <= one.panel:
            key = (one.kind, one.panel, one.leading)
            right, count = sums.get(key, (0.0, 0))
            sums[key] = (right + one.right, count + 1)
    return {k: ChanceTally(right=r, panels=n, cases=n) for k, (r, n) in sums.items()}


def table(
    source: str,
    recordings: Sequence[Mapping[Key, ChanceTally]],
    prior: Prior,
    *,
    voice: float = MODEL_VOICE,
    half_heard: float = HALF_HEARD,
) -> Table:
    """Combine some recordings into one table, for questions that are in none of them.

    Args:
        recordings: the tallies of each.
        prior: counts beside them; `model_probability` if nothing better is known.
        voice: how much it counts, in recordings.
        half_heard: with how many cases a recording has half of its weight.
    """

    def heard(key: Key) -> Heard:
        total, voices = voice * prior(*key), 0.0
        for tallies in recordings:
            if (tally := tallies.get(key)) and tally.panels:
                own = tally.panels / (tally.panels + half_heard)
                total += own * tally.right / tally.panels
                voices += own
        weight = voice + voices
        return (total / weight if weight else prior(*key)), voices

    return _table(source, recordings, heard)


def table_of_own(source: str, tallies: Mapping[Key, ChanceTally], prior: Prior) -> Table:
    """The table of a user's own questions, for more of them; `prior` counts as ten cases."""

    def heard(key: Key) -> Heard:
        tally = tallies.get(key)
        right, panels = (tally.right, tally.panels) if tally else (0.0, 0.0)
        return (right + PRIOR_CASES * prior(*key)) / (panels + PRIOR_CASES), panels

    return _table(source, [tallies], heard)


Heard = tuple[float, float]
"""A share, and how much was heard of it."""


def _table(
    source: str, recordings: Sequence[Mapping[Key, ChanceTally]], heard: Callable[[Key], Heard]
) -> Table:
    """A share never falls as the leading group of a panel grows: a fall in the cases is chance."""
    entries: dict[Key, ChanceEntry] = {}
    graded: dict[str, int] = {}
    for kind, panel in sorted({(kind, panel) for cells in recordings for kind, panel, _ in cells}):
        keys = [(kind, panel, size) for size in range(1, panel + 1)]
        for key, share in zip(keys, _rising([heard(key) for key in keys]), strict=True):
            cases = sum(cells[key].cases for cells in recordings if key in cells)
            entries[key] = ChanceEntry(share=share, cases=cases)
            graded[kind] = graded.get(kind, 0) + cases
    return Table(source=source, graded=graded, entries=entries)


def _rising(shares: Sequence[Heard]) -> list[float]:
    """The nearest values that never fall: neighbours that do are replaced by their mean."""
    # Isotonic regression by pooling adjacent violators: mean, weight and length of each block.
    blocks: list[tuple[float, float, int]] = []
    for share, weight in shares:
        blocks.append((share, weight + _UNHEARD, 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (after, v, m), (before, w, n) = blocks.pop(), blocks.pop()
            blocks.append(((before * w + after * v) / (v + w), v + w, n + m))
    return [share for share, _, count in blocks for _ in range(count)]


def model_probability(
    kind: str, panel: int, leading: int, wrong_answers: int | None = None
) -> float:
    """Probability by the plain model: questions of every difficulty, wrong answers at random.

    All members are right with the same probability, uniformly distributed; a wrong member picks
    one of the tempting wrong answers. Nothing of it is fitted to a recording.
    """
    wrong_ones = wrong_answers or WRONG_ANSWERS.get(kind, MANY_WRONG_ANSWERS)
    right = total = 0.0
    for correct in range(panel + 1):
        wrong = panel - correct
        # Number of right members, integrated over all probabilities: the beta integral.
        for groups in _partitions(wrong, wrong):
            largest = max(correct, *groups) if groups else correct
            if largest != leading or len(groups) > wrong_ones:
                continue
            weight = comb(panel, correct) * _beta(correct, wrong) * _spread(groups, wrong_ones)
            total += weight
            if correct == largest:
                right += weight / (1 + groups.count(largest))  # of tied leaders one is right
    return right / total if total else 1 / panel


def _beta(correct: int, wrong: int) -> float:
    return factorial(correct) * factorial(wrong) / factorial(correct + wrong + 1)


def _spread(groups: tuple[int, ...], labels: int) -> float:
    """Probability that random wrong answers fall into groups of these sizes."""
    wrong = sum(groups)
    ways = factorial(wrong) // prod(map(factorial, groups))
    same = prod(factorial(groups.count(size)) for size in set(groups))
    choices = factorial(labels) // factorial(labels - len(groups)) // same
    return float(ways * choices / labels**wrong)


def _partitions(count: int, most: int) -> Iterable[tuple[int, ...]]:
    """Every way to split a number into parts, the largest first."""
    if count == 0:
        yield ()
    for part in range(min(count, most), 0, -1):
        for rest in _partitions(count - part, part):
            yield (part, *rest)
