"""Relation of two claims by their words: negation, opposites, numbers, comparisons, yes and no.

The agreement model weighs this beside its own reading; by itself it is right too seldom.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import product
from math import inf

from mutual_dissent.analysis.answers.words import alike
from mutual_dissent.semantics.lexical.claims import LIGHT, ParsedClaim, clip_ends, principal
from mutual_dissent.semantics.lexical.quantities import QuantityRange, clash, differ, match


class Relation(StrEnum):
    """Relations between two answers."""

    AGREE = "agree"
    DISAGREE = "disagree"
    PARTIAL = "partial"
    UNRELATED = "unrelated"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """Verdict of the rules on a pair."""

    relation: Relation
    confidence: float
    reason: str
    other_thing: bool = False
    """Whether the difference is another thing that is named or chosen."""


_DISAGREE, _AGREE, _PARTIAL = Relation.DISAGREE, Relation.AGREE, Relation.PARTIAL
_VAGUE = frozenset({"few", "some", "some-not"})
_UNSURE = RuleVerdict(Relation.UNCERTAIN, 0.0, "the rules cannot tell")
# Shares of the shorter claim that the other one has (`_overlap`); then a confidence and a share.
_SAME_TOPIC, _SAME_CLAIM, _SAME_FRAME = 0.34, 0.6, 0.8
_SURE, _SAME_ENOUGH = 0.6, 0.45


def relation(a: str, b: str) -> RuleVerdict:
    """Relate two texts: their main claims first, then the others."""
    a, b = clip_ends(a), clip_ends(b)
    if not a.strip() or not b.strip():
        return RuleVerdict(Relation.UNCERTAIN, 0.0, "one of them says nothing")
    if _fold(a) == _fold(b):
        return RuleVerdict(_AGREE, 1.0, "they say the same in the same words")
    mine, theirs = principal(a), principal(b)
    if not mine or not theirs:
        return _by_words(a, b)
    if heads := _heads(mine[0], theirs[0]):
        return heads
    main = between(mine[0], theirs[0])
    if main.relation in (_AGREE, _DISAGREE, _PARTIAL) and main.confidence >= _SURE:
        return main if main.relation is not _AGREE else _temper(main, mine, theirs)
    return _by_claims(mine, theirs, main) or _by_words(a, b)


def _heads(a: ParsedClaim, b: ParsedClaim) -> RuleVerdict | None:
    """Decide by a leading yes or no."""
    if not a.head or not b.head:
        return None
    if a.head != b.head:
        return RuleVerdict(_DISAGREE, 0.9, "one says yes, the other no")
    if (numbers := clash(a.quantities, b.quantities)) and _overlap(a, b) >= _SAME_TOPIC:
        return RuleVerdict(
            _PARTIAL, 0.6, f"both say {a.head}, with other numbers: {_numbers(numbers)}"
        )
    if a.conditional != b.conditional:
        return RuleVerdict(_PARTIAL, 0.7, f"both say {a.head}, one of them on a condition")
    return RuleVerdict(_AGREE, 0.8, f"both say {a.head}")


def _temper(
    main: RuleVerdict, mine: tuple[ParsedClaim, ...], theirs: tuple[ParsedClaim, ...]
) -> RuleVerdict:
    """An agreement on the main claim, unless further claims contradict each other."""
    for a, b in product(mine[1:], theirs[1:]):
        verdict = between(a, b)
        if verdict.relation is _DISAGREE and verdict.confidence >= 0.75:
            return RuleVerdict(_PARTIAL, 0.6, f"they agree on the main claim, but {verdict.reason}")
    return main


def _by_claims(
    mine: tuple[ParsedClaim, ...], theirs: tuple[ParsedClaim, ...], main: RuleVerdict
) -> RuleVerdict | None:
    """Decide by single claims where the first ones do not."""
    verdicts = [main, *(between(a, b) for a, b in product(mine, theirs))]
    against = max((v for v in verdicts if v.relation is _DISAGREE), key=_confidence, default=None)
    along = max((v for v in verdicts if v.relation is _AGREE), key=_confidence, default=None)
    if against and along:
        return RuleVerdict(_PARTIAL, 0.5, f"{along.reason}, but {against.reason}")
    if best := against or along:
        # Found among further claims: never as sure as the main ones.
        return replace(best, confidence=round(min(0.65, best.confidence), 2))
    return next((v for v in verdicts if v.relation is _PARTIAL), None)


def _by_words(a: str, b: str) -> RuleVerdict:
    """Decide by the share of words in common: the last resort."""
    level = alike(a, b)
    if level >= 0.85:
        return RuleVerdict(_AGREE, 0.5, "nearly the same words, and no contradiction was found")
    if level < 0.08:
        return RuleVerdict(Relation.UNRELATED, 0.5, "they have hardly a word in common")
    return RuleVerdict(
        Relation.UNCERTAIN, 0.3, "the rules found neither agreement nor contradiction"
    )


def between(a: ParsedClaim, b: ParsedClaim) -> RuleVerdict:
    """Relate two claims by the first rule that can tell."""
    overlap = _overlap(a, b)
    for rule in _RULES:
        if verdict := rule(a, b, overlap):
            return verdict
    return _UNSURE


def _by_comparison(a: ParsedClaim, b: ParsedClaim, overlap: float) -> RuleVerdict | None:
    """Faster than, slower than: the same two things, the same way round or not."""
    p, q = a.comparison, b.comparison
    if not p or not q or p.quality != q.quality:
        return None
    straight = bool(p.left & q.left) and bool(p.right & q.right)
    crossed = bool(p.left & q.right) and bool(p.right & q.left)
    if straight == crossed:
        return RuleVerdict(Relation.UNCERTAIN, 0.3, "they compare, but it is not clear what")
    same = (p.sign == q.sign) == straight
    how = "the same way round" if same else "the other way round"
    return RuleVerdict(_AGREE if same else _DISAGREE, 0.85, f"they compare the same things {how}")


def _by_numbers(a: ParsedClaim, b: ParsedClaim, overlap: float) -> RuleVerdict | None:
    """Other numbers for the same thing."""
    is_bare = not a.signs or not b.signs
    numbers = clash(a.quantities, b.quantities)
    if not numbers and overlap >= _SAME_FRAME:
        numbers = differ(a.quantities, b.quantities)
    if numbers and (overlap >= _SAME_TOPIC or is_bare):
        return RuleVerdict(_DISAGREE, 0.8, f"they give other numbers: {_numbers(numbers)}")
    if is_bare and match(a.quantities, b.quantities):
        return RuleVerdict(_AGREE, 0.8, "they give the same number")
    return None


def _by_opposites(a: ParsedClaim, b: ParsedClaim, overlap: float) -> RuleVerdict | None:
    """One affirms what the other denies."""
    turned = [c for c in a.signs if a.signs[c] * b.signs.get(c, 0) < 0]
    if not turned or overlap < _SAME_TOPIC:
        return None
    word = _wording(a, turned[0])
    if a.conditional != b.conditional:
        return RuleVerdict(_PARTIAL, 0.6, f"they differ about {word}, one on a condition")
    if {a.quantifier, b.quantifier} & _VAGUE:
        return RuleVerdict(Relation.UNCERTAIN, 0.3, f"of how many {word} is said is not clear")
    sure = round(min(0.9, 0.55 + 0.35 * overlap), 2)
    return RuleVerdict(_DISAGREE, sure, f"one affirms what the other denies: {word}")


def _by_names(a: ParsedClaim, b: ParsedClaim, overlap: float) -> RuleVerdict | None:
    """Disagree where the names differ and only one can be right."""
    mine, theirs = a.names - b.signs.keys(), b.names - a.signs.keys()
    if not mine or not theirs or len(mine) > 2 or len(theirs) > 2:
        return None
    is_bare = a.signs.keys() <= a.names and b.signs.keys() <= b.names
    # What stands around the names must be the same, or they answer different questions.
    common = (a.signs.keys() & b.signs.keys()) - LIGHT
    frame = min(len(a.signs.keys() - mine), len(b.signs.keys() - theirs))
    is_frame = frame > 0 and len(common) / frame >= 0.5
    subjects = bool(mine & a.subject) and bool(theirs & b.subject)
    if is_bare or (is_frame and (a.exclusive or b.exclusive or not subjects)):
        return RuleVerdict(
            _DISAGREE,
            0.7,
            f"they name {_wording(a, min(mine))} and {_wording(b, min(theirs))}",
            other_thing=True,
        )
    return None


def _chose(a: ParsedClaim, b: ParsedClaim, overlap: float) -> RuleVerdict | None:
    """They say to use other things."""
    if not a.chosen or not b.chosen or a.chosen & b.chosen:
        return None
    if a.exclusive or b.exclusive or (a.chosen & a.names and b.chosen & b.names):
        return RuleVerdict(
            _DISAGREE,
            0.65,
            f"they choose {_wording(a, min(a.chosen))} and {_wording(b, min(b.chosen))}",
            other_thing=True,
        )
    return None


def _by_quantifiers(a: ParsedClaim, b: ParsedClaim, overlap: float) -> RuleVerdict | None:
    """All, most, some, not all."""
    kinds = {a.quantifier, b.quantifier}
    if overlap < _SAME_CLAIM or len(kinds) == 1:
        return None
    if kinds == {"most", "few"}:
        return RuleVerdict(_DISAGREE, 0.7, "one says many, the other few")
    if "all" not in kinds:
        return None
    if "some-not" in kinds:
        return RuleVerdict(_DISAGREE, 0.8, "one says all, the other not all")
    if kinds & {"most", "some"}:
        return RuleVerdict(_PARTIAL, 0.65, "one says all, the other fewer")
    return None


def _alike(a: ParsedClaim, b: ParsedClaim, overlap: float) -> RuleVerdict | None:
    """The same claim, unless only one of them sets a condition."""
    if overlap < _SAME_CLAIM:
        return None
    if a.conditional != b.conditional:
        return RuleVerdict(_PARTIAL, 0.65, "the same claim, one of them on a condition")
    if a.hedged != b.hedged:
        return RuleVerdict(_PARTIAL, 0.6, "the same claim, one of them with reserve")
    mine, theirs = a.signs.keys() - LIGHT, b.signs.keys() - LIGHT
    share = len(mine & theirs) / (len(mine | theirs) or 1)
    if len(mine - theirs) == 1 == len(theirs - mine):
        one, other = _wording(a, min(mine - theirs)), _wording(b, min(theirs - mine))
        return RuleVerdict(Relation.UNCERTAIN, 0.4, f"the same but for {one} and {other}")
    if share < _SAME_ENOUGH:
        return None
    return RuleVerdict(_AGREE, round(0.5 + 0.4 * share, 2), "their claims have the same content")


_RULES = (_by_comparison, _by_numbers, _by_opposites, _by_names, _chose, _by_quantifiers, _alike)


def _overlap(a: ParsedClaim, b: ParsedClaim) -> float:
    """Share of the shorter claim in the other, of either sign; light words count less."""
    mine, theirs = a.signs.keys(), b.signs.keys()
    weight = min(_weight(mine), _weight(theirs))
    return min(1.0, _weight(mine & theirs) / weight) if weight else 0.0


def _weight(concepts: Iterable[str]) -> float:
    return sum(0.3 if c in LIGHT else 1.0 for c in concepts)


def _wording(claim: ParsedClaim, name: str) -> str:
    return repr(claim.shown.get(name, name)[:40])


def _numbers(pair: tuple[QuantityRange, QuantityRange]) -> str:
    return " and ".join(_number(q) for q in pair)


def _number(q: QuantityRange) -> str:
    value = q.high if q.low == -inf else q.low if q.high == inf else (q.low + q.high) / 2
    return f"{value:g} {q.unit}".strip()


def _confidence(v: RuleVerdict) -> float:
    return v.confidence


def _fold(text: str) -> str:
    return " ".join(text.lower().split()).strip(" .!")
