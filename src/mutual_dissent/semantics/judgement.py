"""Verdict with a confidence, from the model's scores of a pair and the cues in its words.

The weights in `calibration.json` were fitted on the tuning pairs by `training.calibrate`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import exp, log

from mutual_dissent.semantics.cues.marks import Cue, cue, is_balanced
from mutual_dissent.semantics.cues.rules import ClaimVerdict, Relation, overlap
from mutual_dissent.semantics.lexical.relations import relation as by_rules

Scores = tuple[float, float, float]  # agree, disagree, neither
CONFIDENT = 0.9  # above it, verdicts are meant to be right nine times in ten
_SURE_ENOUGH = 0.5  # under it, agree and disagree become uncertain
_AGAINST = 0.2  # from there on the opposite is too likely to be ruled out
_CLAIM = 280  # characters; word cues are for single claims, not for whole answers
_SAME_MATTER, _SOME_MATTER = 0.25, 0.3  # shared words
# A score of nearly nothing would otherwise weigh without bound in the logarithm.
_FLOOR = 0.01
_SIDES = ("agree", "disagree", "partial")


@dataclass(frozen=True)
class ModelReading:
    """Scores of the model for a pair, and the spread of its readings (0 to 1)."""

    agreement: Scores
    inference: Scores  # entailed, contradicted, neutral
    spread: float
    is_long: bool


@dataclass(frozen=True)
class FeatureWeights:
    """Weights of the features for agreement and for disagreement, and the confidence threshold."""

    agree: tuple[float, ...]
    disagree: tuple[float, ...]
    confident: float


def verdict(a: str, b: str, seen: ModelReading) -> ClaimVerdict:
    """The likeliest relation; `uncertain` if agreement or conflict is not clear."""
    shown = word_cue(a, b, seen.agreement)
    chances = _chances(features(a, b, seen, shown))
    top = max(range(3), key=lambda k: chances[k])
    why = shown.why if shown and shown.side == top else ""
    confidence = _confidence(chances[top])
    if top == 2:
        relation: Relation = "partial" if overlap(a, b) >= _SAME_MATTER else "unrelated"
        return ClaimVerdict(relation, confidence, why or "neither agreement nor conflict is seen")
    relation = "agree" if top == 0 else "disagree"
    if chances[top] < _SURE_ENOUGH or chances[1 - top] >= _AGAINST:
        return ClaimVerdict("uncertain", confidence, f"leans to {relation}, but not clearly")
    meaning = "they mean the same" if top == 0 else "they cannot both hold"
    return ClaimVerdict(
        relation, confidence, why or f"the model finds that {meaning}", by_model=not why
    )


def features(a: str, b: str, seen: ModelReading, shown: Cue | None) -> tuple[float, ...]:
    """Features that the verdict is weighed by, as numbers of about the same size."""
    moved = _towards(seen.agreement, shown.side, shown.share) if shown else seen.agreement
    for_, against = (_ratio(moved[k], moved[2]) for k in (0, 1))
    pointed = [shown.share if shown and shown.side == k else 0.0 for k in range(3)]
    entailed, contradicted = (_ratio(seen.inference[k], seen.inference[2]) for k in (0, 1))
    ruled = by_rules(a, b)
    rule_scores = [ruled.confidence if ruled.relation.value == side else 0.0 for side in _SIDES]
    long, shared = float(seen.is_long), overlap(a, b)
    weighs = float(seen.is_long and is_balanced(a) != is_balanced(b))
    # The order is that of the weights in calibration.json: whoever changes it has to fit them anew.
    return (
        1.0, for_, against, entailed, contradicted, seen.spread, seen.spread * for_,
        seen.spread * against, shared, shared * for_, shared * against, long, long * for_,
        long * against, weighs, *rule_scores, *pointed,
    )  # fmt: skip


def _chances(values: tuple[float, ...]) -> Scores:
    weights = _calibration()
    sums = [sum(w * x for w, x in zip(side, values, strict=True)) for side in
            (weights.agree, weights.disagree)]  # fmt: skip
    return softmax([*sums, 0.0])  # `neither` is the reference, with no weights of its own


def _confidence(chance: float) -> float:
    """The chance, stretched so that CONFIDENT is the point where tuning pairs were right enough."""
    start = _calibration().confident
    if chance < start:
        return round(chance / start * CONFIDENT, 4)
    return round(CONFIDENT + (chance - start) / (1 - start) * (1 - CONFIDENT), 4)


@cache
def _calibration() -> FeatureWeights:
    path = files("mutual_dissent.semantics") / "weights" / "calibration.json"
    weights = json.loads(path.read_text("utf-8"))
    return FeatureWeights(tuple(weights["agree"]), tuple(weights["disagree"]), weights["confident"])


def word_cue(a: str, b: str, scores: Scores) -> Cue | None:
    """Cue in the words of two short claims about the same matter."""
    on_one_matter = scores[2] < 0.6 or overlap(a, b) >= _SOME_MATTER
    return cue(a, b) if max(len(a), len(b)) <= _CLAIM and on_one_matter else None


def _towards(scores: Scores, side: int, share: float) -> Scores:
    agree, disagree, neither = (
        s * (1 - share) + (share if k == side else 0.0) for k, s in enumerate(scores)
    )
    return agree, disagree, neither


def _ratio(x: float, y: float) -> float:
    return log(max(x, _FLOOR)) - log(max(y, _FLOOR))


def softmax(row: list[float]) -> Scores:
    """Shares that add up to one."""
    highest = max(row)  # taken off, so that `exp` cannot overflow
    agree, disagree, neither = (exp(x - highest) for x in row)
    total = agree + disagree + neither
    return agree / total, disagree / total, neither / total
