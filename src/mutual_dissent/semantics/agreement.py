"""Do two claims, or two whole answers, agree? The model and the rules together.

The model reads a pair in both directions. Rules decide what needs no model (refusals, equal texts),
put equal quantities into equal words before it reads, and correct it on numbers and yes or no.
Below a threshold the verdict is `uncertain`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mutual_dissent.semantics.claims import parts
from mutual_dissent.semantics.cues.quantities import harmonise
from mutual_dissent.semantics.cues.rules import ClaimVerdict, plain
from mutual_dissent.semantics.judgement import ModelReading, Scores, softmax, verdict
from mutual_dissent.semantics.readings import PassagePair, is_long, of_answers, within_budget

if TYPE_CHECKING:
    from mutual_dissent.semantics.model import Model

_PART_SURE = 0.8
_MOST_PARTED = 12  # pairs of a round that are read again in parts
_CLAIM = 400  # characters; longer ones are not cut into parts
_CHARACTERS = 12  # a piece has fewer, so that nothing is cut that would be read
_TERMINAL = (".", "!", "?", ":", ";", '"', ")", "”")


class Semantics:
    """The agreement model, loaded once; synchronous and safe to share between threads."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @classmethod
    def load(cls) -> Semantics:
        """The model that ships with the package."""
        from mutual_dissent.semantics.model import load

        return cls(load())

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[ClaimVerdict]:
        """Relate the second claim of each pair to the first."""
        return self._verdicts(pairs, [PassagePair(i, a, b) for i, (a, b) in enumerate(pairs)])

    def compare_all(self, pairs: Sequence[tuple[str, str]]) -> list[ClaimVerdict]:
        """Relate the answers of each pair; the time for a whole round is bounded."""
        readings = [r for i, (a, b) in enumerate(pairs) for r in of_answers(i, a, b)]
        return self._verdicts(pairs, within_budget(readings, len(pairs)))

    def _verdicts(
        self, pairs: Sequence[tuple[str, str]], readings: Sequence[PassagePair]
    ) -> list[ClaimVerdict]:
        settled = [plain(a, b) for a, b in pairs]
        seen = self.score_pairs([r for r in readings if settled[r.pair] is None])
        verdicts = [
            known if known is not None else verdict(a, b, seen[i])
            for i, ((a, b), known) in enumerate(zip(pairs, settled, strict=True))
        ]
        return self._by_parts(pairs, verdicts)

    def _by_parts(
        self, pairs: Sequence[tuple[str, str]], verdicts: list[ClaimVerdict]
    ) -> list[ClaimVerdict]:
        """Claims of several parts that agree on one and differ on another are partial."""
        parted = {i: _parts(*pairs[i]) for i, v in enumerate(verdicts) if _worth_parting(v)}
        tried = [(i, p) for i, p in parted.items() if p][:_MOST_PARTED]
        readings = [
            # One key for pair i and parts m and n: a side has at most three, so 4 * m + n < 16.
            PassagePair(16 * i + 4 * m + n, x, y)
            for i, (left, right) in tried
            for m, x in enumerate(left)
            for n, y in enumerate(right)
        ]
        seen = self.score_pairs(readings)
        for i, (left, right) in tried:
            places = [[16 * i + 4 * m + n for n in range(len(right))] for m in range(len(left))]
            if _is_mixed([[seen[p].agreement for p in row] for row in places]):
                reason = "they agree on one point and differ on another"
                verdicts[i] = ClaimVerdict("partial", verdicts[i].confidence, reason)
        return verdicts

    def score_pairs(self, readings: Sequence[PassagePair]) -> Mapping[int, ModelReading]:
        """The model's scores for each pair: all its readings, both directions of each."""
        if not readings:
            return {}
        both = [self._pieces(r) for r in readings]
        logits = self._model.logits([*both, *((b, a) for a, b in both)])
        rows: dict[int, list[tuple[float, Scores, Scores]]] = {}
        for i, reading in enumerate(readings):
            for row in (logits[i], logits[len(readings) + i]):
                agree, disagree, neither, entailed, neutral, contradicted = map(float, row)
                rows.setdefault(reading.pair, []).append((
                    reading.weight,
                    softmax([agree, disagree, neither]),
                    softmax([entailed, contradicted, neutral]),
                ))  # fmt: skip
        long = {r.pair for r in readings if is_long(r)}
        return {pair: _sum_up(scores, pair in long) for pair, scores in rows.items()}

    def _pieces(self, r: PassagePair) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Both sides in an order of their own, so that exchanging them changes nothing."""
        a, b = sorted((_closed(r.a), _closed(r.b)))
        b = harmonise(a, b)
        cut, limit = r.longest, r.longest * _CHARACTERS
        return self._model.pieces(a[:limit])[:cut], self._model.pieces(b[:limit])[:cut]


def _sum_up(rows: Sequence[tuple[float, Scores, Scores]], long: bool) -> ModelReading:
    """The weighted mean of all readings, and how far the farthest is from it."""
    agreement = _mean([(weight, scores) for weight, scores, _ in rows])
    inference = _mean([(weight, scores) for weight, _, scores in rows])
    far = max(sum(abs(x - y) for x, y in zip(s, agreement, strict=True)) / 2 for _, s, _ in rows)
    return ModelReading(agreement, inference, far, long)


def _mean(rows: Sequence[tuple[float, Scores]]) -> Scores:
    total = sum(weight for weight, _ in rows)
    agree, disagree, neither = (
        sum(weight * scores[k] for weight, scores in rows) / total for k in range(3)
    )
    return agree, disagree, neither


def _closed(text: str) -> str:
    """The text with a full stop at its end: without one the model errs more often."""
    bare = text.rstrip()
    return bare if not bare or bare.endswith(_TERMINAL) else f"{bare}."


def _worth_parting(verdict: ClaimVerdict) -> bool:
    return verdict.relation in ("agree", "disagree") and verdict.by_model


def _parts(a: str, b: str) -> tuple[list[str], list[str]] | None:
    """Both claims in their parts, if both are short and have two or three."""
    if max(len(a), len(b)) > _CLAIM:
        return None
    left, right = parts(a), parts(b)
    return (left, right) if 2 <= len(left) <= 3 and 2 <= len(right) <= 3 else None


def _is_mixed(table: list[list[Scores]]) -> bool:
    """Return whether one part agrees and another, none of whose matches agree, conflicts."""
    for m, row in enumerate(table):
        for n, score in enumerate(row):
            rest = [
                other
                for k, others in enumerate(table)
                for j, other in enumerate(others)
                if k != m and j != n
            ]
            if score[0] >= _PART_SURE and any(other[1] >= _PART_SURE for other in rest):
                return True
    return False
