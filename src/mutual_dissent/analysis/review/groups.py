"""Groups of findings: which of them are one and the same, by place and by meaning.

Where it is not sure, two findings stay two. Nothing is ever left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import ceil, sqrt

from mutual_dissent.core.values.defects import Defect

NEAR = 3
"""Lines between two findings that are at one place."""

AT_ONE_PLACE, BY_MEANING, ELSEWHERE = 0.4, 0.45, 0.6
"""How alike the claims of two findings have to be: at one place, where the place of one is not
known, and at different places of one document or by one reviewer, who lists what it takes for two.

A place alone says nothing: a line may have two defects, and both claims name what stands there. So
at one place the words of the quotes do not count."""

SHARE = 0.4
"""Share of the reviewers that have to report a finding for it to be found by several, at least
two of two or three and three of more: on a large panel two say the same of trifles, too."""

MOST_UNSURE = 2
"""Reports of a finding that others look at, even where they make it found by several."""

ONE_PASSAGE = 40
"""Lines between two reports that are one where reviewers say so: the cause and what follows."""

_STEM = 6  # letters of a word that count
_WORD = re.compile(r"[a-z][a-z]{1,40}|\d{1,9}")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_NAME = re.compile(r"[A-Za-z_$][\w$]{0,60}(?:(?:\.|::|->|#)[A-Za-z_$][\w$]{0,60}){0,8}")
_IS_NAME = re.compile(r"[a-z][A-Z]|_|\.|::|->|#")
_COMMON = frozenset(
    "a an and are as at be been but by can could do does for from had has have if in into is it "
    "its may might more most not no of on only or our should so some such than that the their "
    "them then there these they this those to too was we were what when where which while who "
    "will with without would you your also because via using used use uses instead causing cause "
    "causes leading lead leads consider new code method function class call calls called calling "
    "value".split()
)

Links = dict[tuple[int, int], float]


def same_findings(found: Sequence[tuple[str, Defect]]) -> tuple[tuple[int, ...], ...]:
    """Groups of findings that are the same, each by their places in the list.

    Args:
        found: seat and finding.
    """
    return _merged(len(found), _links(found))


def enough(reviewers: int) -> int:
    """Number of reviewers that have to report a finding for it to be found by several."""
    return max(2 if reviewers <= 1 + MOST_UNSURE else 3, ceil(SHARE * reviewers))


def may_be_one(a: Defect, b: Defect) -> bool:
    """Return whether two reports are near enough to be one, if reviewers say that they are."""
    if a.path and b.path and a.path != b.path:
        return False
    known = a.line and b.line and a.quoted is not False and b.quoted is not False
    return not known or _one_quote(a, b) or abs((a.line or 0) - (b.line or 0)) <= ONE_PASSAGE


def _links(found: Sequence[tuple[str, Defect]]) -> Links:
    """Likeness of each pair as a share of what it needs to be one: 1 or more if it is."""
    words = [_words(f.claim) for _, f in found]
    links: Links = {}
    for i, j in combinations(range(len(found)), 2):
        (seat, a), (other, b) = found[i], found[j]
        needed = _needed(a, b)
        if needed is None:
            continue
        quoted = _words(f"{a.quote} {b.quote}") if needed == AT_ONE_PLACE else frozenset()
        alike = _alike(words[i] - quoted, words[j] - quoted)
        links[i, j] = alike / (ELSEWHERE if seat == other else needed)
    return links


def _needed(a: Defect, b: Defect) -> float | None:
    """Likeness that two findings need to be the same; None if they cannot be."""
    if a.path and b.path and a.path != b.path:
        return None
    if _one_quote(a, b) or (a.line and b.line and abs(a.line - b.line) <= NEAR):
        return AT_ONE_PLACE
    return ELSEWHERE if a.line and b.line else BY_MEANING


def _one_quote(a: Defect, b: Defect) -> bool:
    first, second = ("".join(f.quote.split()) for f in (a, b))
    shorter, longer = sorted((first, second), key=len)
    return len(shorter) > 2 * NEAR and shorter in longer


def _words(claim: str) -> frozenset[str]:
    """Stems of the words of a claim, and the names of code in it, whole."""
    # Names of code count whole as well: two claims about `parse_date` are about one thing.
    names = {n.lower() for n in _NAME.findall(claim) if _IS_NAME.search(n)}
    parts = {f"`{p}" for n in names for p in re.split(r"\.|::|->|#", n) if p}
    plain = _HUMP.sub(" ", claim).lower()
    return frozenset({w[:_STEM] for w in _WORD.findall(plain) if w not in _COMMON} | parts)


def _alike(a: frozenset[str], b: frozenset[str]) -> float:
    """The cosine of two sets of words; one word in common says nothing."""
    both = len(a & b)
    return both / sqrt(len(a) * len(b)) if both > 1 or (a == b and a) else 0.0


def _merged(size: int, links: Mapping[tuple[int, int], float]) -> tuple[tuple[int, ...], ...]:
    """Groups, the strongest links first; two become one if they are alike on the whole."""
    group = {n: [n] for n in range(size)}
    for i, j in sorted((p for p, x in links.items() if x >= 1), key=lambda p: (-links[p], p)):
        g, h = group[i], group[j]
        if g is h:
            continue
        between = [links.get((min(a, b), max(a, b)), 0.0) for a in g for b in h]
        # On the average of all pairs, or a chain of small likenesses would join strangers.
        if sum(between) >= len(between):
            g.extend(h)
            group.update(dict.fromkeys(h, g))
    distinct = {id(g): tuple(sorted(g)) for g in group.values()}
    return tuple(sorted(distinct.values()))
