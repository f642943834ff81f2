"""Likeness of questions: earlier ones that share the rare words of a new one."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

MOST_CHARACTERS = 2000
"""So much of a question is compared."""
LIKE = 0.3
"""Share of the weight of all words of two questions from which on they are alike."""
SURE = 0.7
"""The same share from which on they are surely on one matter, if they also name the same."""
LEAST_WORDS = 2
"""So many words two questions have in common, unless they have the same ones."""
REMEMBERED = 1000
"""So many questions are taken apart once: those on record are compared with every new one."""
UNSEEN = 100
"""Questions that are assumed beside those on record: among a few, no word is known to be rare."""

_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"(?<=[\w,;:] )[A-Z][^\W\d_]+")
"""Words with a capital that begin no sentence."""
_FORMULA = re.compile(r"\$[^$]{0,200}[\\^=_{}<>][^$]{0,200}\$|\\\[[^\]]{1,300}|\\\([^)]{1,300}")
_ENDINGS = ("ings", "ing", "ied", "ies", "ed", "es", "ly", "s")
_COMMON = frozenset(
    "a an the of to in on at by for with from into about as than then so if or and but not no do "
    "does did done is are was were be been being am has have had having will would can could "
    "should may might must shall i me my we us our you your he him his she her it its they them "
    "their this that these those what which who whom whose when where why how there here very more "
    "most much many some any all each other own such only same just also too up out off over under "
    "again after before during between because while until through get got getting going one two "
    "make take use say tell know think want need like best good better way lot thing things".split()
)


class Alike(NamedTuple):
    """An earlier question that is like a new one: its place, and whether it is surely the same."""

    place: int
    sure: bool


def key_words(question: str) -> frozenset[str]:
    """The stems of a question's words, without those that say nothing of its matter."""
    return _key_words(question[:MOST_CHARACTERS])


@lru_cache(maxsize=REMEMBERED)
def _key_words(beginning: str) -> frozenset[str]:
    folded = beginning.casefold().replace("'", "").replace("’", "")
    words = (w for w in _WORD.findall(folded) if w not in _COMMON)
    return frozenset(_stem(w) for w in words if len(w) > 1 or w.isdigit())


def same_question(one: str, other: str) -> bool:
    """Return whether two questions have the same words in the same order."""
    return _WORD.findall(one.casefold()) == _WORD.findall(other.casefold())


def most_like(question: str, earlier: Sequence[str]) -> list[Alike]:
    """The earlier questions that are like this one, the most alike first."""
    own, names = key_words(question), _names(question)
    words = [key_words(e) for e in earlier]
    seen = Counter(w for one in words for w in one)

    @cache
    def rarity(word: str) -> float:
        # Inverse document frequency: a word that few questions have weighs most.
        return math.log((len(earlier) + UNSEEN) / (seen[word] + 1))

    def weight(some: frozenset[str]) -> float:
        return sum(map(rarity, some))

    found: list[tuple[float, Alike]] = []
    for place, theirs in enumerate(words):
        shared = own & theirs
        if not shared or (len(shared) < LEAST_WORDS and own != theirs):
            continue
        degree = weight(shared) / max(weight(own | theirs), 1e-9)
        named = _names(earlier[place])
        if degree >= LIKE and not _is_of_another(names, named):
            found.append((-degree, Alike(place, degree >= SURE and names == named)))
    return [alike for _, alike in sorted(found)]


def _is_of_another(names: frozenset[str], theirs: frozenset[str]) -> bool:
    """Return whether each names or calculates something that the other does not."""
    return bool(names - theirs) and bool(theirs - names)


def _names(question: str) -> frozenset[str]:
    """Names and formulas, which say what a question is about where its words are those of many."""
    text = question[:MOST_CHARACTERS]
    formulas = ("".join(f.split()) for f in _FORMULA.findall(text))
    return frozenset((*map(str.casefold, _NAME.findall(text)), *formulas))


@lru_cache(maxsize=20_000)
def _stem(word: str) -> str:
    """The word without the ending of a plural or a verb, roughly."""
    ending = next((e for e in _ENDINGS if word.endswith(e) and len(word) - len(e) >= 3), "")
    bare = word.removesuffix(ending) if ending else word
    # "company" and "companies", "bake" and "baking"; below, "stop" and "stopped".
    if len(bare) > 3 and bare[-1] in "eyi":
        bare = bare[:-1]
    return bare[:-1] if len(bare) > 4 and bare[-1] == bare[-2] else bare
