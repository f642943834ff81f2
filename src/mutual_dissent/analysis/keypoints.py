"""Key points: the two or three sentences that carry an answer, its own where it named them."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from mutual_dissent.analysis.claims import Claim, claim, clipped, principal, sentences
from mutual_dissent.core.errors import clip
from mutual_dissent.core.form import MOST_POINTS
from mutual_dissent.core.response import Response

LONGEST_POINT = 240
_CONSIDERED = 24


def position(response: Response) -> str:
    """What an answer holds, in a line: its stated position or its main claim."""
    if response.position and response.position.strip():
        return one_line(response.position)
    main = principal(clipped(response.text))
    return one_line(main[0].text if main else response.text)


def key_points(response: Response) -> tuple[str, ...]:
    """At most three points: those that the answer gives, else extracted sentences."""
    given = tuple(one_line(p) for p in response.key_points if p.strip())[:MOST_POINTS]
    return given or extracted(clipped(response.text))


@lru_cache(maxsize=256)
def extracted(text: str) -> tuple[str, ...]:
    """The sentences of a text that say most of what it is about, in its order."""
    read = [claim(s) for s in sentences(text)[:_CONSIDERED] if not s.endswith((":", "?"))]
    known = [c for c in read if c.signs or c.quantities]
    counts = Counter(name for c in known for name in c.signs)
    ranked = sorted(range(len(known)), key=lambda i: (-_worth(known[i], i, counts), i))
    chosen = sorted(ranked[:MOST_POINTS])
    return tuple(dict.fromkeys(one_line(known[i].text) for i in chosen))


def one_line(text: str, limit: int = LONGEST_POINT) -> str:
    """The beginning of a text, on one line."""
    return clip(" ".join(text[: limit * 4].split()), limit)


def _worth(said: Claim, place: int, counts: Counter[str]) -> float:
    """How much of the text's subject a sentence carries; the first sentences count more."""
    carried = sum(counts[name] for name in said.signs)
    return carried / (len(said.signs) + 3) + (1.0 if place == 0 else 0.0) + 0.3 / (place + 1)
