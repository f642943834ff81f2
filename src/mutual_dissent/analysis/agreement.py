"""How far a round's answers agree, by their words alone. A rough measure, and named as such."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from math import sqrt

from mutual_dissent.core.response import Response

MEASURE = "lexical"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_COMMON = frozenset(
    "a an and are as at be been but by can could do does for from had has have he her his i if in "
    "into is it its may might more most my of on or our she should so some such than that the "
    "their them then there these they this those to too was we were what when which who will with "
    "would you your".split()
)
_MAX_WORDS = 5_000
_SHORT = 20_000


def agreement(responses: Sequence[Response]) -> float | None:
    """The mean similarity of all pairs of usable answers, 0 to 1; None for fewer than two."""
    usable = [words(r.content) for r in responses if r.usable]
    if len(usable) < 2:
        return None
    pairs = [similarity(a, b) for a, b in combinations(usable, 2)]
    return round(sum(pairs) / len(pairs), 4)


def nearest_to_all(responses: Sequence[Response]) -> Response | None:
    """The usable answer that is most like all the others: what is shown if no synthesis exists."""
    usable = [r for r in responses if r.usable]
    if not usable:
        return None
    texts = [r.content for r in usable]
    closeness = [
        sum(alike(a, b) for j, b in enumerate(texts) if j != i) for i, a in enumerate(texts)
    ]
    return usable[max(range(len(usable)), key=lambda i: closeness[i])]


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
    dot = sum([a[w] * b[w] for w in a.keys() & b.keys()])
    return dot / sqrt(_square(a) * _square(b))


def _square(bag: Counter[str]) -> int:
    return sum([n * n for n in bag.values()])


def words(text: str) -> Counter[str]:
    """The words that carry meaning, with their numbers. Nobody may change what is returned."""
    return _known_words(text) if len(text) <= _SHORT else _words(text)


def _words(text: str) -> Counter[str]:
    found = _WORD.findall(text.lower())[:_MAX_WORDS]
    return Counter(w for w in found if w not in _COMMON) or Counter(found)


_known_words = lru_cache(maxsize=128)(_words)  # a round's answers are compared many times
