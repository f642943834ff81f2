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
    counts = [words(r.content) for r in usable]
    closeness = [
        sum(similarity(a, b) for j, b in enumerate(counts) if j != i) for i, a in enumerate(counts)
    ]
    return usable[max(range(len(usable)), key=lambda i: closeness[i])]


def similarity(a: Counter[str], b: Counter[str]) -> float:
    """The cosine of two bags of words."""
    if not a or not b:
        return 1.0 if a == b else 0.0
    small, large = (a, b) if len(a) < len(b) else (b, a)
    dot = sum(n * large[w] for w, n in small.items())
    return dot / sqrt(sum(n * n for n in a.values()) * sum(n * n for n in b.values()))


def words(text: str) -> Counter[str]:
    """The words that carry meaning, with their numbers. Nobody may change what is returned."""
    return _known_words(text) if len(text) <= _SHORT else _words(text)


def _words(text: str) -> Counter[str]:
    found = _WORD.findall(text.lower())[:_MAX_WORDS]
    return Counter(w for w in found if w not in _COMMON) or Counter(found)


_known_words = lru_cache(maxsize=128)(_words)  # a round's answers are compared many times
