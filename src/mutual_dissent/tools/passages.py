"""Passages of a text that are about a claim, and which side they seem to take: by words alone.

The rules, in full:

* A sentence is about a claim if it has at least 60 % of the claim's meaningful words.
* It speaks against the claim if one of the two is negated and the other is not. A sentence is
  negated if it has an odd number of words such as "not", "never", "false" or "myth".
* It also speaks against it if the claim has numbers, and the sentence has others but none of them.
  A sentence without any number says nothing about a claim that has some.
* Otherwise it speaks for the claim.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from mutual_dissent.analysis.answers.words import words

ABOUT = 0.6
MAX_SENTENCES = 5_000
MAX_SENTENCE = 400
MAX_PASSAGE = 1_000
_BREAK = re.compile(r"(?<=[.!?])\s+|\n+")
_NUMBER = re.compile(r"\d[\d.,]{0,30}")
_PER_CENT = re.compile(r"\d{1,9} ?%")
_CLAIM_BREAK = re.compile(r"[^\w']+")
_AUXILIARIES = frozenset(
    "is are was were am be can could will would should may might must has have had does do "
    "did".split()
)
_NEGATIONS = frozenset(
    "not never no none nobody nothing neither cannot false untrue wrong incorrect myth myths "
    "debunked hoax misconception refuted disproved disproven fake inaccurate unfounded".split()
)
_ENDINGS = ("ing", "ed", "es", "s")


class PassageSide(StrEnum):
    """Side that a passage takes."""

    FOR = "for"
    AGAINST = "against"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A sentence that is about a claim, how near it is to it (0 to 1), and its side."""

    text: str
    nearness: float
    side: PassageSide


def nearest(claim: str, text: str, most: int = 1) -> list[Passage]:
    """The sentences of a text that are about a claim and take a side, the nearest first."""
    wanted = terms(claim)
    if not wanted:
        return []
    found = []
    for sentence in _BREAK.split(text, MAX_SENTENCES)[:MAX_SENTENCES]:
        shown = sentence.strip()[:MAX_SENTENCE]
        nearness = len(wanted & terms(shown)) / len(wanted) if shown else 0.0
        if nearness >= ABOUT and (side := side_of(claim, shown)) is not PassageSide.NEITHER:
            found.append(Passage(text=shown, nearness=round(nearness, 3), side=side))
    return sorted(found, key=lambda p: -p.nearness)[:most]


def split_sentences(text: str) -> list[str]:
    """The first sentences of a text, each cut where it is too long."""
    parts = (s.strip()[:MAX_SENTENCE] for s in _BREAK.split(text, MAX_SENTENCES)[:MAX_SENTENCES])
    return [p for p in parts if p]


def closest(claim: str, text: str) -> tuple[str, float]:
    """The few sentences of a text that share most with a claim, and how much that is (0 to 1)."""
    wanted, numbers = terms(claim), _figures(claim)
    parts = split_sentences(text)
    if not wanted or not parts:
        return "", 0.0
    shared = [wanted & terms(p) for p in parts]
    best, score = 0, 0.0
    for i, part in enumerate(parts):
        near = set().union(*shared[max(0, i - 1) : i + 2])
        figures = len(numbers & _figures(part)) / len(numbers) if numbers else 0.0
        # The sentence itself counts more than its neighbours, or any of three would do.
        rated = len(near) / len(wanted) + 0.2 * len(shared[i]) / len(wanted) + 0.3 * figures
        if rated > score:
            best, score = i, rated
    near = set().union(*shared[max(0, best - 1) : best + 2])
    window = parts[max(0, best - 1) : best + 2]
    return " ".join(window)[:MAX_PASSAGE], len(near) / len(wanted)


def side_of(claim: str, sentence: str) -> PassageSide:
    """Return whether a sentence about a claim speaks for or against it."""
    claimed, stated = _numbers(claim), _numbers(sentence)
    if claimed and not stated:
        return PassageSide.NEITHER
    other_number = bool(claimed) and not claimed & stated
    if other_number or is_negated(claim) != is_negated(sentence):
        return PassageSide.AGAINST
    return PassageSide.FOR


def is_negated(sentence: str) -> bool:
    """Return whether a sentence says that something is not so."""
    found = (w.lower() for w in _CLAIM_BREAK.split(sentence.replace("’", "'")))
    count = sum(1 for w in found if w in _NEGATIONS or w.endswith("n't"))
    return count % 2 == 1


def negation(claim: str) -> str:
    """The claim's opposite, in words that a search engine takes."""
    said = claim.split()
    for i, word in enumerate(said):
        if word.lower() == "not":
            return " ".join(said[:i] + said[i + 1 :])
        # Without their ending these two would be "ca" and "wo".
        if word.lower().endswith("n't") and word.lower() not in ("can't", "won't"):
            return " ".join([*said[:i], word[:-3], *said[i + 1 :]])
    for i, word in enumerate(said):
        if word.lower() in _AUXILIARIES and i:
            return " ".join([*said[: i + 1], "not", *said[i + 1 :]])
    return f"it is not true that {claim}"


def terms(text: str) -> set[str]:
    """The words that a text is about, without endings, numbers and negations."""
    return {
        _stem(w)
        for w in words(text)
        if w not in _NEGATIONS and not w.endswith("n't") and not w[:1].isdigit()
    }


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word


def _figures(text: str) -> set[str]:
    """Numbers, those of per cent told from others."""
    return _numbers(text) | {m[0].replace(" ", "") for m in _PER_CENT.finditer(text)}


def _numbers(text: str) -> set[str]:
    # So that 1,000 is 1000, and 1.50 is 1.5.
    found = (n.strip(".,").replace(",", "") for n in _NUMBER.findall(text))
    return {n.rstrip("0").rstrip(".") if "." in n else n for n in found}
