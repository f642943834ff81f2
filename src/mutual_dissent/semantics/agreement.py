"""Do two claims, or two whole answers, agree? The model and the rules together.

The model reads a pair in both directions. Rules decide what needs no model (refusals, equal texts),
put equal quantities into equal words before it reads, and correct it on numbers and yes or no.
Below a threshold the verdict is `uncertain`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mutual_dissent.semantics.claims import claims, gist, parts
from mutual_dissent.semantics.cues import cue
from mutual_dissent.semantics.quantities import harmonised
from mutual_dissent.semantics.rules import Relation, Verdict, overlap, plain

if TYPE_CHECKING:
    from mutual_dissent.semantics.model import Model

CONFIDENT = 0.9  # above it, verdicts are meant to be right nine times in ten
_SURE_ENOUGH = 0.7  # under it, agree and disagree become uncertain
_SHORT = 40  # words; a longer answer is also read by its gist
_ROUND_TOKENS = 3_600  # what one core reads in some two seconds; a round of answers gets no more
_SAME_MATTER, _OTHER_MATTER = 0.25, 0.08  # shared words
_PART_SURE = 0.8
_MOST_PARTED = 12  # pairs of a round that are read again in parts
_CLAIM = 400  # characters; word cues are for single claims, not for whole answers
_VERY_LONG, _GLANCE = 1_500, 48  # characters of an answer; pieces of its gist
_FULL, _LEAST = 126, 24  # pieces a side
_PIECE = 4.4  # characters, on average
Scores = tuple[float, float, float]  # agree, disagree, neither


@dataclass(frozen=True)
class _Reading:
    """Two texts as the model will read them, and how much the reading counts."""

    pair: int
    a: str
    b: str
    weight: float
    longest: int = _FULL


class Semantics:
    """The agreement model, loaded once; synchronous and safe to share between threads."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @classmethod
    def load(cls) -> Semantics:
        """The model that ships with the package."""
        from mutual_dissent.semantics.model import load

        return cls(load())

    def compare(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """How the second claim of each pair relates to the first."""
        return self._verdicts(pairs, [_whole(i, a, b) for i, (a, b) in enumerate(pairs)])

    def compare_answers(self, a: str, b: str) -> Verdict:
        """How two answers relate; long ones are read whole and by the claims that carry them."""
        readings = _answer_readings(0, a, b)
        if max(len(a), len(b)) > _VERY_LONG:  # a round has up to 28 such pairs
            readings = [replace(readings[0], longest=_GLANCE)]
        return self._verdicts([(a, b)], readings)[0]

    def compare_all(self, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        """How the answers of each pair relate, with the reading of a whole round kept bounded."""
        readings = [r for i, (a, b) in enumerate(pairs) for r in _answer_readings(i, a, b)]
        return self._verdicts(pairs, _within_budget(readings))

    def _verdicts(
        self, pairs: Sequence[tuple[str, str]], readings: Sequence[_Reading]
    ) -> list[Verdict]:
        settled = [plain(a, b) for a, b in pairs]
        open_readings = [r for r in readings if settled[r.pair] is None]
        scores = self._scores(open_readings)
        found = [
            verdict if verdict is not None else _verdict(a, b, scores[i])
            for i, ((a, b), verdict) in enumerate(zip(pairs, settled, strict=True))
        ]
        return self._by_parts(pairs, found)

    def _by_parts(self, pairs: Sequence[tuple[str, str]], found: list[Verdict]) -> list[Verdict]:
        """Claims of several parts that agree on one and differ on another are partial."""
        parted = {i: _parts(*pairs[i]) for i, v in enumerate(found) if _worth_parting(v)}
        tried = [(i, p) for i, p in parted.items() if p][:_MOST_PARTED]
        readings = [
            _Reading(16 * i + 4 * m + n, x, y, 1.0)
            for i, (left, right) in tried
            for m, x in enumerate(left)
            for n, y in enumerate(right)
        ]
        scores = self._scores(readings)
        for i, (left, right) in tried:
            table = [
                [scores[16 * i + 4 * m + n] for n in range(len(right))] for m in range(len(left))
            ]
            if _mixed(table):
                reason = "they agree on one point and differ on another"
                found[i] = Verdict("partial", found[i].confidence, reason)
        return found

    def _scores(self, readings: Sequence[_Reading]) -> dict[int, Scores]:
        """The weighted mean of all readings of each pair, both directions of each."""
        if not readings:
            return {}
        both = [self._pieces(r) for r in readings]
        logits = self._model.logits([*both, *((b, a) for a, b in both)])
        total: dict[int, list[float]] = {}
        for i, reading in enumerate(readings):
            sums = total.setdefault(reading.pair, [0.0, 0.0, 0.0])
            for row in (logits[i], logits[len(readings) + i]):
                for k, share in enumerate(_softmax([float(x) for x in row[:3]])):
                    sums[k] += reading.weight * share
        return {pair: _shares(sums) for pair, sums in total.items()}

    def _pieces(self, r: _Reading) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Both sides in an order of their own, so that exchanging them changes nothing."""
        a, b = sorted((r.a, r.b))
        b = harmonised(a, b)
        cut = r.longest
        limit = cut * 12
        return self._model.pieces(a[:limit])[:cut], self._model.pieces(b[:limit])[:cut]


def _worth_parting(verdict: Verdict) -> bool:
    return verdict.relation in ("agree", "disagree") and verdict.reason.startswith("the model")


def _parts(a: str, b: str) -> tuple[list[str], list[str]] | None:
    """Both claims in their parts, where both are short and have two or three."""
    if max(len(a), len(b)) > _CLAIM:
        return None
    left, right = parts(a), parts(b)
    return (left, right) if 2 <= len(left) <= 3 and 2 <= len(right) <= 3 else None


def _mixed(table: list[list[Scores]]) -> bool:
    """Whether one part finds agreement and another, none of whose matches agree, finds conflict."""
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


def _whole(pair: int, a: str, b: str) -> _Reading:
    return _Reading(pair, a, b, 1.0)


def _answer_readings(pair: int, a: str, b: str) -> list[_Reading]:
    """A short answer is one claim; a long one is read by its gist and as a whole."""
    if max(len(a.split(None, _SHORT)), len(b.split(None, _SHORT))) <= _SHORT:
        return [_whole(pair, a, b)]
    return [_Reading(pair, gist(a, 2), gist(b, 2), 1.0), _Reading(pair, _prose(a), _prose(b), 1.0)]


def _prose(answer: str) -> str:
    """An answer without code, marks and list signs."""
    return " ".join(c.text for c in claims(answer))


def _within_budget(readings: list[_Reading]) -> list[_Reading]:
    """Reads as much of each answer as a round's time allows: gists first, then whole answers."""
    if _cost(readings) <= _ROUND_TOKENS:
        return readings
    seen: set[int] = set()
    first = [r for r in readings if not (r.pair in seen or seen.add(r.pair))]  # type: ignore[func-returns-value]
    longest = max(_LEAST, min(_FULL, _ROUND_TOKENS // max(1, 4 * len(first))))
    return [replace(r, longest=longest) for r in first]


def _cost(readings: Sequence[_Reading]) -> float:
    """Pieces to be read, both directions."""
    return sum(
        2 * (min(r.longest, len(r.a) / _PIECE) + min(r.longest, len(r.b) / _PIECE))
        for r in readings
    )


def _verdict(a: str, b: str, scores: Scores) -> Verdict:
    """The relation with the highest score after the rules have had their say."""
    scores, why = _corrected(a, b, scores)
    top = max(range(3), key=lambda k: scores[k])
    shared = overlap(a, b)
    confidence = round(scores[top] * _trust(top, shared), 4)
    if top == 2:
        relation: Relation = "partial" if shared >= _SAME_MATTER else "unrelated"
        return Verdict(relation, confidence, why or "neither agreement nor conflict is seen")
    relation = "agree" if top == 0 else "disagree"
    if scores[top] < _SURE_ENOUGH:
        return Verdict("uncertain", confidence, f"leans to {relation}, but not clearly")
    meaning = "they mean the same" if top == 0 else "they cannot both hold"
    return Verdict(relation, confidence, why or f"the model finds that {meaning}")


def _trust(top: int, shared: float) -> float:
    """How far the model's score can be believed; measured on the tuning pairs."""
    if top == 2:
        return 1.0 if shared < _OTHER_MATTER else 0.9
    return 0.85 if top == 1 and shared < _SAME_MATTER else 1.0


def _corrected(a: str, b: str, scores: Scores) -> tuple[Scores, str]:
    """The scores, moved where the words of two short claims on one matter speak clearly."""
    if max(len(a), len(b)) > _CLAIM or not (scores[2] < 0.6 or overlap(a, b) >= 0.3):
        return scores, ""
    found = cue(a, b)
    if found is None:
        return scores, ""
    moved = _towards(scores, found.side, found.share)
    return moved, found.why if max(moved) == moved[found.side] else ""


def _towards(scores: Scores, side: int, share: float) -> Scores:
    moved = [s * (1 - share) + (share if k == side else 0.0) for k, s in enumerate(scores)]
    return _shares(moved)


def _shares(values: Sequence[float]) -> Scores:
    total = sum(values) or 1.0
    agree, disagree, neither = (v / total for v in values)
    return agree, disagree, neither


def _softmax(row: Sequence[float]) -> Scores:
    from math import exp

    highest = max(row)
    return _shares([exp(x - highest) for x in row])
