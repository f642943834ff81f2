"""Where words show what a small model overlooks: order, polarity, doubt, equal amounts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mutual_dissent.semantics.quantities import (
    equal,
    numbers_clash,
    quantities,
    within_bounds,
)
from mutual_dissent.semantics.rules import (
    are_opposite,
    content,
    head,
    negations,
    normal,
    opposites,
    overlap,
)

AGREE, DISAGREE, NEITHER = 0, 1, 2
_COMPARED = re.compile(
    r"\b(?:(?:(?P<degree>more|less|fewer)\s+)?(?P<word>[a-z]+)\b(?P<rest>[^.;]{0,60}?)\s+than)\b|"
    r"\b(?P<order>before|after)\b"
)
_COMPARATIVE = re.compile(r"\w+er$|^(?:better|worse|more|less|fewer)$")
_POSSIBLE = re.compile(r"\b(?:may|might|could|possibly|perhaps|maybe|not sure|unclear|suggests?)\b")
_CERTAIN = re.compile(
    r"\b(?:must|definitely|certainly|will|always|prove[sdn]?|proven|undoubtedly|without doubt|"
    r"clearly|is certain|guarantee[sd]?|in every case)\b"
)
_SOME = re.compile(r"\b(?:some|sometimes|several|a few|certain)\b")
_ALL = re.compile(r"\b(?:all|every|each|most|always|everyone|everybody|entire)\b")
_CONDITION = re.compile(
    r"\b(?:if|unless|provided|as long as|only when|in case|depends|depending|except|once)\b"
)


@dataclass(frozen=True)
class Cue:
    """Which way the words point, how strongly, and why."""

    side: int
    share: float
    why: str


def cue(a: str, b: str) -> Cue | None:
    """The first cue that two claims on the same matter give, if any."""
    for find in _FINDERS:
        found = find(a, b)
        if found is not None:
            return found
    return None


def _numbers(a: str, b: str) -> Cue | None:
    if within_bounds(a, b):
        return Cue(NEITHER, 0.5, "one gives a bound and the other a number within it")
    if numbers_clash(a, b):
        return Cue(DISAGREE, 0.8, "their numbers differ")
    return None


def _same_amount(a: str, b: str) -> Cue | None:
    """The same amount in other words is no accident."""
    for p in quantities(a):
        for q in quantities(b):
            other_words = a[p.start : p.end].lower() != b[q.start : q.end].lower()
            if other_words and equal(p, q) and negations(a) % 2 == negations(b) % 2:
                return Cue(AGREE, 0.4, "they give the same amount in other words")
    return None


def _yes_no(a: str, b: str) -> Cue | None:
    heads = head(a) * head(b)
    if not heads:
        return None
    word = "the same answer" if heads > 0 else "opposite answers"
    return Cue(AGREE if heads > 0 else DISAGREE, 0.35, f"they open with {word}")


def _order(a: str, b: str) -> Cue | None:
    """'X is faster than Y', 'Y is slower than X': who is ahead of whom."""
    one, two = _ranking(a), _ranking(b)
    if one is None or two is None:
        return None
    same_word = one[1] == two[1]
    if not same_word and not are_opposite(one[1], two[1]):
        return None
    straight = len(one[2] & two[2])
    crossed = len(one[0] & two[2]) + len(one[2] & two[0])
    if bool(straight) == bool(crossed):
        return None
    against = bool(crossed) == same_word
    if (negations(a) + negations(b)) % 2:
        return None
    return Cue(DISAGREE if against else AGREE, 0.6, "they rank two things")


def _ranking(text: str) -> tuple[set[str], str, set[str]] | None:
    """What stands before a comparison, its word, and what stands after it."""
    low = text.lower()
    for match in _COMPARED.finditer(low):
        word = match["order"] or (match["degree"] or match["word"])
        if match["order"] or _COMPARATIVE.match(word):
            left = content(low[: match.start()])
            right = content(low[match.end() :])
            if match["degree"] in ("less", "fewer"):
                word = "less"
            if left and right:
                return left, word, right
    return None


def _polarity(a: str, b: str) -> Cue | None:
    """Nearly the same words, apart from a negation or an opposite."""
    found = opposites(a, b)
    flipped = negations(a) % 2 != negations(b) % 2
    if found != 1 or max(len(normal(a)), len(normal(b))) > 14 or not _same_order(a, b):
        return None
    if overlap(a, b) < 0.5:
        return None
    if flipped:
        return Cue(AGREE, 0.5, "one denies the other's opposite")
    return Cue(DISAGREE, 0.5, "they use opposite words of the same thing")


def _same_order(a: str, b: str) -> bool:
    """Whether the words that both have come in the same order."""
    one, two = normal(a), normal(b)
    shared = {w for w in set(one) & set(two) if content(w)}
    return [w for w in one if w in shared] == [w for w in two if w in shared]


def _doubt(a: str, b: str) -> Cue | None:
    if overlap(a, b) >= 0.6 and _one_sided(_POSSIBLE, a, b) and _one_sided(_CERTAIN, b, a):
        return Cue(NEITHER, 0.6, "one calls possible what the other calls certain")
    return None


def _amount(a: str, b: str) -> Cue | None:
    polar = negations(a) % 2 != negations(b) % 2 or opposites(a, b)
    if not polar and _one_sided(_SOME, a, b) and _one_sided(_ALL, b, a):
        return Cue(NEITHER, 0.6, "one speaks of some, the other of all or most")
    return None


def _condition(a: str, b: str) -> Cue | None:
    low = (a.lower(), b.lower())
    conditional = [_CONDITION.search(t) is not None for t in low]
    polar = negations(a) % 2 != negations(b) % 2 or "even if" in low[0] + low[1]
    if conditional[0] != conditional[1] and not polar and overlap(a, b) >= 0.5:
        return Cue(NEITHER, 0.4, "one sets a condition and the other none")
    return None


def _one_sided(pattern: re.Pattern[str], a: str, b: str) -> bool:
    """Whether exactly one text has the pattern, whichever it is."""
    return (pattern.search(a.lower()) is None) != (pattern.search(b.lower()) is None)


_FINDERS: tuple[Callable[[str, str], Cue | None], ...] = (
    _numbers,
    _order,
    _doubt,
    _amount,
    _condition,
    _polarity,
    _yes_no,
    _same_amount,
)
