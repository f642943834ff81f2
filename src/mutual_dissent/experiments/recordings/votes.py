"""Votes of recorded models: how often each rule of decision is right, and its cost in answers.

Everything learnt (whom to trust, weights, which three to ask) is learnt on four fifths of the
questions and tried on the rest, in five folds: every fifth question is in one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mutual_dissent.analysis.scores.weights import standings, support
from mutual_dissent.experiments.recordings.rules import RecordedAnswers, RuleAccuracy
from mutual_dissent.experiments.statistics.comparison import folds
from mutual_dissent.experiments.statistics.intervals import Floats, Ints

FEW = 3
MOST_TRIOS = 2000
"""With more trios than this, the best three are sought among the best models."""

BEST, VOTE, WEIGHTED, TRIO, TWO_FIRST, ORACLE = (
    "best model alone, chosen in 5 folds",
    "vote, ties to the best model",
    "weighted vote, learnt in 5 folds",
    "vote of the best three, chosen in 5 folds",
    "two first, all where they differ",
    "oracle: right if anybody is",
)

Bools = NDArray[np.bool_]
Decide = Callable[[Ints], Floats]
Learn = Callable[[Ints], Decide]
"""Rows to learn from -> the rows of others that are decided right."""


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """Recorded answers as a table: a row a question, a column a model.

    Attributes:
        said: the number of the answer among those to the question; -1 for none.
        right: whether it is the known one.
    """

    models: tuple[str, ...]
    said: Ints
    right: Bools

    def only(self, columns: Sequence[int]) -> AnswerTable:
        """Return the table with only some of the models."""
        some = list(columns)
        return AnswerTable(
            tuple(self.models[c] for c in some), self.said[:, some], self.right[:, some]
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way to answer: its score on each question, and the number of answers that it takes."""

    name: str
    scores: Floats
    calls: float

    @property
    def rule(self) -> RuleAccuracy:
        """Return the rule over all questions together."""
        return RuleAccuracy(name=self.name, right=float(self.scores.mean()), cases=len(self.scores))


def sheet(items: Sequence[RecordedAnswers]) -> AnswerTable:
    """Build the table of recorded answers; a model missing in a line gave no answer there."""
    models = tuple(dict.fromkeys(m for item in items for m in item.answers))
    said = np.full((len(items), len(models)), -1, dtype=np.int64)
    right = np.zeros(said.shape, dtype=np.bool_)
    for row, item in enumerate(items):
        names: dict[str, int] = {}
        for column, model in enumerate(models):
            if answer := item.answers.get(model):
                said[row, column] = names.setdefault(answer, len(names))
                right[row, column] = item.right[model]
    return AnswerTable(models, said, right)


def ways(items: Sequence[RecordedAnswers]) -> list[Way]:
    """Return how often each model, each rule of voting and an oracle are right."""
    return ways_of(sheet(items))


def ways_of(s: AnswerTable) -> list[Way]:
    """Return the same for a table."""
    n, many = s.said.shape
    alone = [Way(name=f"{m} alone", scores=s.right[:, c].astype(float), calls=1)
             for c, m in enumerate(s.models)]  # fmt: skip
    by_rule = [
        *alone,
        Way(name=BEST, scores=in_folds(n, partial(_best, s)), calls=1),
        Way(name=VOTE, scores=in_folds(n, partial(_vote, s)), calls=many),
        Way(name=WEIGHTED, scores=in_folds(n, partial(_weighted, s)), calls=many),
    ]
    if many > FEW:
        differ = float(in_folds(n, partial(_two_differ, s)).mean())
        by_rule += [
            Way(name=TRIO, scores=in_folds(n, partial(_trio, s)), calls=FEW),
            Way(name=TWO_FIRST, scores=in_folds(n, partial(_two_first, s)),
                calls=2 + differ * (many - 2)),
        ]  # fmt: skip
    return [*by_rule, Way(name=ORACLE, scores=s.right.any(axis=1).astype(float), calls=many)]


def chosen_trios(items: Sequence[RecordedAnswers]) -> list[tuple[str, ...]]:
    """Return the three models that each fold chose, most trusted first."""
    s = sheet(items)
    return [tuple(s.models[c] for c in _best_trio(s, kept)) for kept, _ in folds(len(items))]


def chosen_best(items: Sequence[RecordedAnswers]) -> list[str]:
    """Return the model that each fold found best."""
    s = sheet(items)
    return [s.models[trust(s, kept)[0]] for kept, _ in folds(len(items))]


def leading(items: Sequence[RecordedAnswers]) -> Ints:
    """Return the number of models that gave the most frequent answer, per question."""
    s = sheet(items)
    sizes: Ints = _support(s, np.ones(len(s.models))).max(axis=1).astype(np.int64)
    return sizes


def in_folds(n: int, learn: Learn) -> Floats:
    """Return the score of every row, by a rule learnt without it."""
    scores = np.zeros(n)
    for kept, tried in folds(n):
        scores[tried] = learn(kept)(tried)
    return scores


def trust(s: AnswerTable, kept: Ints) -> list[int]:
    """Return the columns, most often right first."""
    return [int(c) for c in np.argsort(-s.right[kept].sum(axis=0), kind="stable")]


def score_vote(s: AnswerTable, order: Sequence[int], weights: Floats, rows: Ints) -> Floats:
    """Return whether the answer with the most weight is right; ties go to the most trusted model.

    A model without an answer has no vote.
    """
    some = AnswerTable(s.models, s.said[rows], s.right[rows])
    # Rounded: equal weights summed in another order differ in the last digits, and ties would
    # be decided by that.
    support = np.round(_support(some, weights), 9)[:, list(order)]
    winners = np.asarray(order)[support.argmax(axis=1)]
    right: Floats = some.right[np.arange(len(rows)), winners].astype(float)
    return right


def _support(s: AnswerTable, weights: Floats) -> Floats:
    """Return the weight behind each model's answer."""
    same = (s.said[:, :, None] == s.said[:, None, :]) & (s.said[:, None, :] >= 0)
    support: Floats = np.where(s.said >= 0, same @ weights, -1.0)
    return support


def _best(s: AnswerTable, kept: Ints) -> Decide:
    best = trust(s, kept)[0]
    return lambda rows: s.right[rows, best].astype(float)


def _vote(s: AnswerTable, kept: Ints) -> Decide:
    order = trust(s, kept)
    return lambda rows: score_vote(s, order, np.ones(len(order)), rows)


def _weighted(s: AnswerTable, kept: Ints, chance: float | None = None) -> Decide:
    """Decide by the program's own rule `weighted`, from the record on some questions."""
    order, models = trust(s, kept), s.models
    rights, counts = s.right[kept].sum(axis=0), (s.said[kept] >= 0).sum(axis=0)
    tallies = {m: (float(r), int(n)) for m, r, n in zip(models, rights, counts, strict=True)}
    weights = {m: x.weight for m, x in standings(tallies, chance=chance).items()}
    known: dict[tuple[int, ...], int] = {}

    def winner(said: tuple[int, ...]) -> int:
        """Return the column whose answer has the most weight; of equals, the most trusted."""
        # Of thousands of questions, most repeat a pattern of who agrees with whom.
        if said not in known:
            groups = [[m for m, a in zip(models, said, strict=True) if a == said[c]] for c in order]
            behind = support(groups, weights)
            spoken = [b if said[c] >= 0 else -1.0 for b, c in zip(behind, order, strict=True)]
            known[said] = order[spoken.index(max(spoken))]
        return known[said]

    def decide(rows: Ints) -> Floats:
        return np.array([s.right[row, winner(tuple(s.said[row].tolist()))] for row in rows], float)

    return decide


def weighted_scores(s: AnswerTable, chance: float | None = None) -> Floats:
    """Return the scores of the rule `weighted` by question, in five folds, under any chance."""
    return in_folds(len(s.said), partial(_weighted, s, chance=chance))


def _trio(s: AnswerTable, kept: Ints) -> Decide:
    order = _best_trio(s, kept)
    three = s.only(order)
    return lambda rows: score_vote(three, range(FEW), np.ones(FEW), rows)


def _best_trio(s: AnswerTable, kept: Ints) -> tuple[int, ...]:
    """Return the three whose vote is right most often; of equal trios, the more trusted one."""
    order = trust(s, kept)
    tried = _trios(order)
    return max(tried, key=lambda three: _trio_right(s, three, kept))


def _trios(order: Sequence[int]) -> list[tuple[int, ...]]:
    many = next((n for n in range(FEW, len(order)) if _choose(n + 1) > MOST_TRIOS), len(order))
    return list(combinations(order[:many], FEW))


def _choose(n: int) -> int:
    return n * (n - 1) * (n - 2) // 6


def _trio_right(s: AnswerTable, three: tuple[int, ...], rows: Ints) -> int:
    """Return how often a vote of three is right: the first decides unless the others agree."""
    a, b, c = three
    said: Any = s.said[rows]
    outvoted = (said[:, b] == said[:, c]) & (said[:, b] >= 0) | (said[:, a] < 0)
    second = np.where(said[:, b] >= 0, s.right[rows, b], s.right[rows, c])
    return int(np.where(outvoted, second, s.right[rows, a]).sum())


def _two_first(s: AnswerTable, kept: Ints) -> Decide:
    """Let the two most trusted models decide where they agree, all where they do not."""
    order = trust(s, kept)
    all_of = _weighted(s, kept)

    def decide(rows: Ints) -> Floats:
        agreed = ~_differ(s, order, rows)
        return np.where(agreed, s.right[rows, order[0]].astype(float), all_of(rows))

    return decide


def _two_differ(s: AnswerTable, kept: Ints) -> Decide:
    order = trust(s, kept)
    return lambda rows: _differ(s, order, rows).astype(float)


def _differ(s: AnswerTable, order: Sequence[int], rows: Ints) -> Bools:
    first, second = s.said[rows, order[0]], s.said[rows, order[1]]
    differ: Bools = (first != second) | (first < 0)
    return differ
