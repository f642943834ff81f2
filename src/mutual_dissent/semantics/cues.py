"""Where words show what a small model overlooks: order, polarity, doubt, equal amounts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mutual_dissent.semantics.comparisons import ranked
from mutual_dissent.semantics.quantities import (
    equal,
    numbers_clash,
    quantities,
    within_bounds,
)
from mutual_dissent.semantics.rules import (
    content,
    head,
    negations,
    normal,
    opposites,
    overlap,
)

AGREE, DISAGREE, NEITHER = 0, 1, 2
_POSSIBLE = re.compile(r"\b(?:may|might|could|possibly|perhaps|maybe|not sure|unclear|suggests?)\b")
_CERTAIN = re.compile(
    r"\b(?:must|definitely|certainly|will|always|prove[sdn]?|proven|undoubtedly|without doubt|"
    r"clearly|is certain|guarantee[sd]?|in every case)\b"
)
_MERELY = re.compile(r"\b(?:may|might|could|possibly|perhaps|maybe)\b")
_CAN = re.compile(r"\bcan\b")
_OUGHT = re.compile(r"\b(?:should|ought|must|have to|has to|need to|needs to|shall)\b")
_NOT_ALL = re.compile(
    r"\bnot (?:all|every\w*|each)\b|\b(?:some|sometimes|a few|several|certain|many)\b"
)
_SOME = re.compile(r"\b(?:some|sometimes|several|a few|certain)\b")
_ALL = re.compile(r"\b(?:all|every|each|most|always|everyone|everybody|entire)\b")
_CONDITION = re.compile(
    r"\b(?:if|unless|provided|as long as|only when|in case|depends|depending|except|once(?! a\b)|"
    r"when|whenever|in the event|should (?:the|there|you|it|any)|as soon as|only for)\b"
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
    if not heads or _CONDITION.search(a.lower()) or _CONDITION.search(b.lower()):
        return None
    word = "the same answer" if heads > 0 else "opposite answers"
    return Cue(AGREE if heads > 0 else DISAGREE, 0.35, f"they open with {word}")


def _order(a: str, b: str) -> Cue | None:
    """'X is faster than Y', 'Y is slower than X': who is ahead of whom, and in what."""
    found = ranked(a, b)
    if found == "other":
        return Cue(NEITHER, 0.4, "they compare two things in different respects")
    if found is None:
        return None
    return Cue(AGREE if found == "alike" else DISAGREE, 0.6, "they rank two things")


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


def _modality(a: str, b: str) -> Cue | None:
    """Nearly the same words, but one only says that it may be so."""
    if negations(a) or negations(b) or opposites(a, b) or overlap(a, b) < 0.75:
        return None
    merely = _one_sided(_MERELY, a, b)
    able = _one_sided(_CAN, a, b) and _one_sided(_OUGHT, a, b)
    if merely or able:
        return Cue(NEITHER, 0.6, "one says that it may be, the other that it is or should be")
    return None


def _both_some(a: str, b: str) -> Cue | None:
    """'Some passed' and 'some failed' go together; so do 'not all passed' and 'not all failed'."""
    if overlap(a, b) < 0.5 or not (_NOT_ALL.search(a.lower()) and _NOT_ALL.search(b.lower())):
        return None
    if opposites(a, b) == 1 or negations(a) % 2 != negations(b) % 2:
        return Cue(NEITHER, 0.6, "each speaks of some only")
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
    _modality,
    _both_some,
    _amount,
    _condition,
    _polarity,
    _yes_no,
    _same_amount,
)
