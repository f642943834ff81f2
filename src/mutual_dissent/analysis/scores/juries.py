"""Juries: several judges' verdicts on the same question, combined with and without known answers.

A verdict is +1 for the first choice, -1 for the second, 0 for a tie or an unreadable one. A judge
may give several verdicts on a case, one for each order in which the choices were shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import exp, log

Case = Mapping[str, Sequence[int]]
"""Judge -> its verdicts on one case."""

Weights = Mapping[str, float]

_EVEN = 1e-9  # rounding errors of a sum that is zero
_MOST_ROUNDS = 500


def verdict(case: Case, weights: Weights | None = None) -> int:
    """The sign of the weighted sum of all verdicts: a majority if no weights are given."""
    total = sum(
        (1.0 if weights is None else weights.get(judge, 0.0)) * sum(votes)
        for judge, votes in case.items()
    )
    return 0 if abs(total) < _EVEN else 1 if total > 0 else -1


def credit(vote: int, truth: int) -> float:
    """Credit: one for the right verdict, one half for no verdict."""
    return 0.5 if vote == 0 else float(vote == truth)


def accuracy(said: Sequence[int], truths: Sequence[int]) -> float:
    """The mean credit."""
    return sum(map(credit, said, truths)) / len(truths)


def judge_accuracy(cases: Sequence[Case], truths: Sequence[int], judge: str) -> float:
    """The mean credit of one judge's verdicts, all orders alike."""
    earned = [credit(s, t) for case, t in zip(cases, truths, strict=True) for s in case[judge]]
    return sum(earned) / len(earned)


def log_odds(cases: Sequence[Case], truths: Sequence[int], *, clip: bool = False) -> Weights:
    """Each judge's weight as the log-odds of being right, learnt from cases with known answers.

    A judge that is mostly wrong gets a negative weight, so that its verdicts count the other way
    round; clipped at zero it is ignored. One right and one wrong verdict are added, so that no
    judge has an infinite weight.
    """
    weights = {}
    for judge in cases[0] if cases else ():
        count = sum(len(case[judge]) for case in cases)
        right = judge_accuracy(cases, truths, judge) * count
        weights[judge] = log((right + 1) / (count - right + 1))
    return {j: max(0.0, w) for j, w in weights.items()} if clip else weights


def cross_validate(
    cases: Sequence[Case],
    truths: Sequence[int],
    learn: Callable[[Sequence[Case], Sequence[int]], Weights] = log_odds,
    folds: int = 5,
) -> list[int]:
    """Verdicts under weights that were learnt without the case itself: every n-th one is a fold."""
    learnt = []
    for fold in range(folds):
        kept = [i for i in range(len(cases)) if i % folds != fold]
        learnt.append(learn([cases[i] for i in kept], [truths[i] for i in kept]))
    return [verdict(case, learnt[i % folds]) for i, case in enumerate(cases)]


def one_coin(cases: Sequence[Case]) -> list[int]:
    """Verdicts without any known answer, by the one-coin model of Dawid and Skene.

    Each judge is right with a probability of its own that does not depend on the truth. Truths and
    probabilities are estimated in turn, from the majority, until they settle. Where most judges
    share an error, it believes in the error: that is its known weakness, and worth measuring.
    """
    beliefs = [_share(case) for case in cases]
    for _ in range(_MOST_ROUNDS):
        weights = _reliabilities(cases, beliefs)
        after = [_sigmoid(sum(weights[j] * sum(votes) for j, votes in c.items())) for c in cases]
        moved = max((abs(a - b) for a, b in zip(after, beliefs, strict=True)), default=0.0)
        beliefs = after
        if moved < _EVEN:
            break
    return [0 if abs(b - 0.5) < _EVEN else 1 if b > 0.5 else -1 for b in beliefs]


def _share(case: Case) -> float:
    """The share of the readable verdicts that are for the first choice."""
    votes = [s for verdicts in case.values() for s in verdicts if s]
    return votes.count(1) / len(votes) if votes else 0.5


def _reliabilities(cases: Sequence[Case], beliefs: Sequence[float]) -> dict[str, float]:
    """Each judge's log-odds of being right if the truths are as believed."""
    weights = {}
    for judge in dict.fromkeys(j for case in cases for j in case):
        agreed = [
            b if s > 0 else 1 - b
            for case, b in zip(cases, beliefs, strict=True)
            for s in case.get(judge, ())
            if s
        ]
        # A judge that always agrees with the beliefs would have infinite log-odds.
        right = min(max(sum(agreed) / len(agreed), 1e-6), 1 - 1e-6) if agreed else 0.5
        weights[judge] = log(right / (1 - right))
    return weights


def _sigmoid(x: float) -> float:
    return 1 / (1 + exp(-max(-500.0, min(500.0, x))))
