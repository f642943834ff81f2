"""Cues in words that a small model overlooks: order, polarity, doubt, equal amounts."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from mutual_dissent.semantics.cues.arithmetic import works_out
from mutual_dissent.semantics.cues.comparisons import compare_ranks, compare_tops
from mutual_dissent.semantics.cues.quantities import (
    equal,
    numbers_clash,
    quantities,
    within_bounds,
)
from mutual_dissent.semantics.cues.rules import (
    content,
    head,
    negations,
    normal,
    opposites,
    overlap,
)
from mutual_dissent.semantics.cues.time_words import at_other_times, dates_differ, phases_oppose
from mutual_dissent.semantics.lexical.relations import relation as by_rules

AGREE, DISAGREE, NEITHER = 0, 1, 2
_LOOK = 4_000  # characters of an answer that are read for its attitude
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
# "Should it rain" is a condition, "once a week" is none.
_CONDITION = re.compile(
    r"\b(?:if|unless|provided|as long as|only when|in case|depends|depending|except|once(?! a\b)|"
    r"when|whenever|in the event|should (?:the|there|you|it|any)|as soon as|only for)\b"
)
# "Anything but cheap" is a negation, not a second thought.
_BUT = re.compile(r"\b(?:(?<!anything )(?<!nothing )but|yet|although|though|while)\b")
# "Takes as long as" compares; elsewhere "as long as" sets a condition.
_AS_LONG = re.compile(r"\b(?:takes?|took|lasts?|lasted|is|are|was|were)(?: \w+)? as long as\b")
# "The day after Monday" and "Tuesday" name different days and mean the same.
_DAY_BESIDE = re.compile(r"\bday (?:after|before)\b")
_POSSESSED = re.compile(r"\b(\w+) (?:is|was) (\w+)['’]s (\w+)")
_ONLY_IF = re.compile(r"\bonly (?:if|when|in case)\b")
_BALANCED = re.compile(
    r"\b(?:it|this|that|answer|much|choice|which|whether[^.]{3,80}) (?:all |really )?depends\b|"
    r"\bdepends on (?:how|what|which|where|who|whether|your)\b|\bhinges on\b|\bcase by case\b|"
    r"\bno (?:single|one|general) (?:answer|rule)\b|"
    r"\beither (?:can|could|may|way|approach|course)\b|"
    r"\bno strong (?:view|opinion)\b|\b(?:too early|impossible|hard) to (?:say|tell|judge)\b|"
    r"\bcan(?:['’]t|not) (?:say|tell|decide|be answered|draw)\b|\bmiddle (?:ground|way|course)\b|"
    r"\b(?:could|might|would) be a compromise\b|\bbit of both\b|\bideally both\b|"
    r"\bneither (?:approach|option|side|camp|is wrong)\b|\bon the one hand\b|\bpremature\b|"
    r"\bmixture suits\b|\bmatter of taste\b|\bin some cases\b|\bnobody knows yet\b|"
    r"\bif you\b[^.]{3,100}; if\b"
)


@dataclass(frozen=True)
class Cue:
    """Side that the words point to, how strongly, and why."""

    side: int
    share: float
    why: str


def cue(a: str, b: str) -> Cue | None:
    """The first cue that two claims on the same matter give, if any."""
    for find in _FINDERS:
        cue_ = find(a, b)
        if cue_ is not None:
            return cue_
    return None


def is_balanced(text: str) -> bool:
    """Return whether an answer weighs both sides instead of taking one."""
    return _BALANCED.search(text[:_LOOK].lower()) is not None


def _worked_out(a: str, b: str) -> Cue | None:
    if works_out(a, b) and negations(a) % 2 == negations(b) % 2 and not opposites(a, b):
        return Cue(AGREE, 0.8, "the amount of one follows from those of the other")
    return None


def _numbers(a: str, b: str) -> Cue | None:
    if within_bounds(a, b):
        return Cue(NEITHER, 0.5, "one gives a bound and the other a number within it")
    if numbers_clash(a, b) and not _needs_reckoning(a, b):
        alike = overlap(a, b) >= 0.5 or _but_for_numbers(a) == _but_for_numbers(b)
        return Cue(DISAGREE, 0.9 if alike else 0.6, "their numbers differ")
    return None


def _but_for_numbers(text: str) -> list[str]:
    return [w for w in normal(text) if not w[0].isdigit()]


def _needs_reckoning(a: str, b: str) -> bool:
    """Return whether a date must be calculated: 'from 2010, for four years' and 'until 2014'."""
    kinds = [{q.dimension for q in quantities(t)} for t in (a, b)]
    return any({"year", "time"} <= k for k in kinds) and all("year" in k for k in kinds)


def _dates(a: str, b: str) -> Cue | None:
    if overlap(a, b) >= 0.3 and dates_differ(a, b) and negations(a) % 2 == negations(b) % 2:
        return Cue(DISAGREE, 0.75, "their dates differ")
    return None


def _same_amount(a: str, b: str) -> Cue | None:
    """Agree where both give the same amount in other words: that is hardly an accident."""
    for p in quantities(a):
        for q in quantities(b):
            other_words = a[p.start : p.end].lower() != b[q.start : q.end].lower()
            if other_words and equal(p, q) and negations(a) % 2 == negations(b) % 2:
                return Cue(AGREE, 0.55, "they give the same amount in other words")
    return None


def _yes_no(a: str, b: str) -> Cue | None:
    heads = head(a) * head(b)
    if not heads or _CONDITION.search(a.lower()) or _CONDITION.search(b.lower()):
        return None
    word = "the same answer" if heads > 0 else "opposite answers"
    return Cue(AGREE if heads > 0 else DISAGREE, 0.35, f"they open with {word}")


def _order(a: str, b: str) -> Cue | None:
    """Compare rankings: 'X is faster than Y', 'Y is slower than X'."""
    order = compare_ranks(a, b)
    if order == "other":
        return Cue(NEITHER, 0.4, "they compare two things in different respects")
    if order is None:
        return None
    return Cue(AGREE if order == "alike" else DISAGREE, 0.75, "they rank two things")


def _first(a: str, b: str) -> Cue | None:
    """Compare 'the fastest of all' with 'nobody is faster', or with 'another one is faster'."""
    order = compare_tops(a, b)
    if order is None:
        return None
    return Cue(AGREE if order == "alike" else DISAGREE, 0.6, "they say what comes first")


def _phase(a: str, b: str) -> Cue | None:
    """Compare 'still' with 'no longer', or the times that both texts name."""
    if opposites(a, b) and at_other_times(a, b):
        return Cue(NEITHER, 0.7, "they speak of different times")
    if overlap(a, b) < 0.4 or opposites(a, b) or not phases_oppose(a, b):
        return None
    return Cue(DISAGREE, 0.5, "one says that it goes on or is done, the other that it does not")


def _polarity(a: str, b: str) -> Cue | None:
    """Nearly the same words, apart from a negation or an opposite."""
    pairs = opposites(a, b)
    flipped = negations(a) % 2 != negations(b) % 2
    if pairs != 1 or max(len(normal(a)), len(normal(b))) > 14 or not _same_order(a, b):
        return None
    if overlap(a, b) < 0.5 or _BUT.search(a.lower()) or _BUT.search(b.lower()):
        return None
    if flipped:
        return Cue(AGREE, 0.6, "one denies the other's opposite")
    return Cue(DISAGREE, 0.6, "they use opposite words of the same thing")


def _exchanged(a: str, b: str) -> Cue | None:
    """'Anna is Ben's boss' and 'Ben is Anna's boss'."""
    one, two = (_POSSESSED.search(t.lower()) for t in (a, b))
    if one is None or two is None or one[3] != two[3]:
        return None
    if one[1] == two[2] and one[2] == two[1] and negations(a) % 2 == negations(b) % 2:
        return Cue(DISAGREE, 0.8, "their places are exchanged")
    return None


def _named(a: str, b: str) -> Cue | None:
    """Disagree where the names differ and only one can be right."""
    verdict = by_rules(a, b)
    if _is_one_sided(_DAY_BESIDE, a, b) or overlap(a, b) < 0.5:
        return None
    if verdict.other_thing:
        return Cue(DISAGREE, 0.6, verdict.reason)
    return None


def _same_order(a: str, b: str) -> bool:
    """Return whether the shared words come in the same order."""
    one, two = normal(a), normal(b)
    shared = {w for w in set(one) & set(two) if content(w)}
    return [w for w in one if w in shared] == [w for w in two if w in shared]


def _doubt(a: str, b: str) -> Cue | None:
    if overlap(a, b) >= 0.6 and _is_one_sided(_POSSIBLE, a, b) and _is_one_sided(_CERTAIN, b, a):
        return Cue(NEITHER, 0.6, "one calls possible what the other calls certain")
    return None


def _modality(a: str, b: str) -> Cue | None:
    """Nearly the same words, but one only says that it may be so."""
    if negations(a) or negations(b) or opposites(a, b) or overlap(a, b) < 0.75:
        return None
    merely = _is_one_sided(_MERELY, a, b)
    able = _is_one_sided(_CAN, a, b) and _is_one_sided(_OUGHT, a, b)
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
    if not polar and _is_one_sided(_SOME, a, b) and _is_one_sided(_ALL, b, a):
        return Cue(NEITHER, 0.6, "one speaks of some, the other of all or most")
    return None


def _converse(a: str, b: str) -> Cue | None:
    """'Unless it rains' and 'only if it rains' cannot both hold."""
    low = (a.lower(), b.lower())
    unless = ["unless" in t for t in low]
    only = [_ONLY_IF.search(t) is not None for t in low]
    turned = unless[0] != unless[1] and only[0] != only[1] and unless[0] != only[0]
    if turned and overlap(a, b) >= 0.6 and negations(a) % 2 == negations(b) % 2:
        return Cue(DISAGREE, 0.75, "one excludes the condition that the other sets")
    return None


def _condition(a: str, b: str) -> Cue | None:
    low = (a.lower(), b.lower())
    conditional = [_CONDITION.search(_AS_LONG.sub(" ", t)) is not None for t in low]
    polar = negations(a) % 2 != negations(b) % 2 or "even if" in low[0] + low[1]
    if conditional[0] != conditional[1] and not polar and overlap(a, b) >= 0.5:
        return Cue(NEITHER, 0.4, "one sets a condition and the other none")
    return None


def _is_one_sided(pattern: re.Pattern[str], a: str, b: str) -> bool:
    """Return whether exactly one of the texts matches the pattern."""
    return (pattern.search(a.lower()) is None) != (pattern.search(b.lower()) is None)


# The first cue counts, so the order matters. The weights in calibration.json were fitted with these
# cues in this order (`training.calibrate`).
_FINDERS: tuple[Callable[[str, str], Cue | None], ...] = (
    _phase,
    _worked_out,
    _numbers,
    _dates,
    _order,
    _first,
    _doubt,
    _modality,
    _both_some,
    _amount,
    _converse,
    _condition,
    _yes_no,
    _exchanged,
    _polarity,
    _named,
    _same_amount,
)
