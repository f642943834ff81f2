"""Rules on the words of two claims: refusals, yes and no, negation, opposites, numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from mutual_dissent.semantics.cues.opposites import are_opposite

Relation = Literal["agree", "disagree", "partial", "unrelated", "uncertain"]
_LOOK = 4_000
_WORD = re.compile(r"[a-z0-9]+(?:['’][a-z]+)?")
_STOP = frozenset(
    "a an and are as at be been being but by can could did do does for from had has have he her "
    "his i if in into is it its may me might more most my of on one or our she should so some "
    "such than that the their them then there these they this those to too us very was we were "
    "what when which who will with would you your also just only about because since think view "
    "opinion say answer yes no not".split()
)
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without|hardly|barely|false|untrue|"
    r"wrong|myth|fails?|failed|lacks?|refus\w+|den(?:y|ies|ied)|unlikely|doubt\w*|anything but|"
    r"far from)\b|n['’]t\b"
)
_REFUSAL = re.compile(
    r"\bi(?:['’]m| am)? (?:am )?(?:sorry|unable|not able|afraid i)\b.{0,60}\b(?:help|assist|answer|"
    r"comment|provide|discuss|can['’]?t|cannot)|"
    r"\bi (?:can(?:not|['’]?t)|won['’]t|must decline|decline|would rather not|['’]d rather not)\b"
    r".{0,40}\b(?:help|assist|answer|comment|provide|discuss|give|share|engage|opinion|that)\b|"
    r"\bas an ai\b|\bno (?:personal )?opinions?\b|\bdon['’]t have (?:personal |enough )|"
    r"\bagainst my (?:guidelines|policy|policies)\b|\bi don['’]t know\b[.!]?\s*$"
)
_YES = re.compile(
    r"^(?:yes|yeah|yep|absolutely|definitely(?! not)|certainly(?! not)|sure|of course(?! not))\b"
)
_NO = re.compile(
    r"^(?:no|nope|never|not (?:really|at all|necessarily)|definitely not|certainly not|"
    # "No one", "no doubt" and "no longer" open a statement, not a no.
    r"absolutely not|of course not|hardly)\b(?! (?:one|other|doubt|matter|longer|more))"
)
_SYMMETRIC = frozenset("and or with both between equal equally same either neither if when".split())


@dataclass(frozen=True)
class ClaimVerdict:
    """The relation of two texts, how sure it is, why, and whether the model alone says so."""

    relation: Relation
    confidence: float
    reason: str
    by_model: bool = False


def plain(a: str, b: str) -> ClaimVerdict | None:
    """Verdict on the plain cases: empty, a refusal, the same words, the same words turned."""
    if not (content(a) and content(b)):
        if _spoken(a) and _spoken(b) and normal(a) == normal(b):
            return ClaimVerdict("agree", 1.0, "the same text")
        if head(a) and head(b):
            same = head(a) == head(b)
            return ClaimVerdict(
                "agree" if same else "disagree", 0.9, "yes and no, without a reason"
            )
        return ClaimVerdict("unrelated", 0.9, "one side says nothing that can be compared")
    if refuses(a) or refuses(b):
        return ClaimVerdict("unrelated", 0.9, "one side declines to answer")
    if normal(a) == normal(b):
        return ClaimVerdict("agree", 1.0, "the same text")
    if is_exchanged(a, b):
        return ClaimVerdict("disagree", 0.85, "the same words with their places exchanged")
    return None


def normal(text: str) -> list[str]:
    """The words in order, in lower case."""
    return _WORD.findall(text[:_LOOK].lower())


def content(text: str) -> frozenset[str]:
    """Stems of the words that carry meaning."""
    return _content(text[:_LOOK])


@lru_cache(512)  # in a round every answer is asked for many times
def _content(text: str) -> frozenset[str]:
    return frozenset(_stem(w) for w in normal(text) if w not in _STOP)


def overlap(a: str, b: str) -> float:
    """Share of the shorter text's content words that the other has."""
    one, two = content(a), content(b)
    return len(one & two) / max(1, min(len(one), len(two)))


def refuses(text: str) -> bool:
    """Return whether the text declines to answer."""
    # A long text that says so in passing answers all the same.
    return len(text) < 600 and _REFUSAL.search(text[:200].lower().strip()) is not None


def head(text: str) -> int:
    """1 for an answer that opens with yes, -1 with no, else 0."""
    opening = text[:60].strip().lower()
    return -1 if _NO.match(opening) else 1 if _YES.match(opening) else 0


def negations(text: str) -> int:
    """Number of negating words."""
    return len(_NEGATION.findall(text[:_LOOK].lower()))


def opposites(a: str, b: str) -> int:
    """Number of words of one text whose opposite, but not the word itself, is in the other."""
    one, two = set(normal(a)), set(normal(b))
    return sum(1 for w in one - two if any(are_opposite(w, v) for v in two - one))


def is_exchanged(a: str, b: str) -> bool:
    """Return whether two places are exchanged: 'A calls B' and 'B calls A'."""
    one, two = normal(a), normal(b)
    if one == two or sorted(one) != sorted(two) or not 3 <= len(one) <= 25:
        return False
    # "A and B" says the same as "B and A".
    if _SYMMETRIC & set(one) or re.search(r"[,;:]", a.strip(" .") + b.strip(" .")):
        return False
    moved = [i for i, (x, y) in enumerate(zip(one, two, strict=True)) if x != y]
    return all(one[i] in two for i in moved) and len(moved) >= 2


def _spoken(text: str) -> bool:
    return bool(text.strip())


@lru_cache(20_000)
def _stem(word: str) -> str:
    word = word.replace("’", "'").removesuffix("'s")
    for end in ("ations", "ation", "ings", "ing", "ers", "ies", "ied", "ed", "er", "es", "ly", "s"):
        if word.endswith(end) and len(word) - len(end) >= 4:
            return word[: -len(end)]
    return word
