"""Bags of words: similarity of two texts by their words, without regard to meaning."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import sqrt

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_COMMON = frozenset(
    "a an and are as at be been but by can could do does for from had has have he her his i if in "
    "into is it its may might more most my of on or our she should so some such than that the "
    "their them then there these they this those to too was we were what when which who will with "
    "would you your".split()
)
_MAX_WORDS = 5_000
_SHORT = 20_000


def alike(a: str, b: str) -> float:
    """The similarity of the words of two texts."""
    if max(len(a), len(b)) > _SHORT:
        return similarity(words(a), words(b))
    return _known_alike(a, b) if a <= b else _known_alike(b, a)


@lru_cache(maxsize=256)
def _known_alike(a: str, b: str) -> float:
    """The same; kept, since several measures compare the same answers."""
    return similarity(words(a), words(b))


def similarity(a: Counter[str], b: Counter[str]) -> float:
    """The cosine of two bags of words."""
    if not a or not b:
        return 1.0 if a == b else 0.0
    # A list: for a short sum it is faster than a generator.
    dot = sum([a[w] * b[w] for w in a.keys() & b.keys()])
    return dot / sqrt(_square(a) * _square(b))


def _square(bag: Counter[str]) -> int:
    return sum([n * n for n in bag.values()])


def words(text: str) -> Counter[str]:
    """Words that carry meaning, with their counts. Cached: callers must not change the result."""
    return _known_words(text) if len(text) <= _SHORT else _words(text)


def _words(text: str) -> Counter[str]:
    found = _WORD.findall(text.lower())[:_MAX_WORDS]
    return Counter(w for w in found if w not in _COMMON) or Counter(found)


_known_words = lru_cache(maxsize=128)(_words)  # a round's answers are compared many times
