"""A profile: every voter's preferences, in the one shape that every decision rule reads.

Conventions, the same for all rules:

- A ballot is a weak order: levels of candidates, best first; those of one level are tied.
- No voter ranks itself: a voter's own answer is taken off its ballot, which then says nothing
  about it. A voter that is not a candidate, an outside judge, ranks all of them.
- Candidates that a ballot leaves out are tied last on it, below all that it names.
- A ballot that names no candidate is an abstention and does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

Ranking = tuple[tuple[str, ...], ...]
"""Candidates, best first, ties together."""


@dataclass(frozen=True)
class Vote:
    """One voter's levels over all candidates but itself, and how often it counts."""

    voter: str
    levels: Ranking
    named: int
    weight: int = 1

    @property
    def size(self) -> int:
        """Number of candidates on the ballot."""
        return sum(len(level) for level in self.levels)


@dataclass(frozen=True)
class Profile:
    """All votes over the same candidates."""

    candidates: tuple[str, ...]
    votes: tuple[Vote, ...]

    @cached_property
    def support(self) -> dict[str, dict[str, int]]:
        """Number of voters that place the first above the second."""
        counts = {a: dict.fromkeys(self.candidates, 0) for a in self.candidates}
        for vote in self.votes:
            below = {c for level in vote.levels for c in level}
            for level in vote.levels:
                below -= set(level)
                for a in level:
                    row = counts[a]
                    for b in below:
                        row[b] += vote.weight
        return counts

    def margin(self, a: str, b: str) -> int:
        """Voters that place the first above the second, less those that place it below."""
        return self.support[a][b] - self.support[b][a]

    @property
    def condorcet(self) -> str | None:
        """The candidate that beats every other one in a direct comparison, if there is one."""
        if not self.votes:
            return None
        for a in self.candidates:
            if all(self.margin(a, b) > 0 for b in self.candidates if b != a):
                return a
        return None

    def with_weights(self, weights: Sequence[int]) -> Profile:
        """The same voters, each times its weight here; those with weight zero are dropped."""
        again = (
            Vote(v.voter, v.levels, v.named, v.weight * w)
            for v, w in zip(self.votes, weights, strict=True)
            if w
        )
        return Profile(self.candidates, tuple(again))


def profile(
    ballots: Mapping[str, Iterable[Iterable[str]] | None], candidates: Iterable[str]
) -> Profile:
    """The votes in these ballots, under the conventions above; strangers' names are ignored."""
    order = tuple(dict.fromkeys(candidates))
    votes = (_vote(voter, ranking or (), order) for voter, ranking in ballots.items())
    return Profile(order, tuple(v for v in votes if v.named))


def _vote(voter: str, ranking: Iterable[Iterable[str]], candidates: Sequence[str]) -> Vote:
    left = {c for c in candidates if c != voter}
    levels: list[tuple[str, ...]] = []
    for place in ranking:
        tied = left.intersection(place)
        if tied:
            levels.append(tuple(c for c in candidates if c in tied))
            left -= tied
    named = sum(len(level) for level in levels)
    if left:
        levels.append(tuple(c for c in candidates if c in left))
    return Vote(voter, tuple(levels), named)


def by_score(scores: Mapping[str, float]) -> Ranking:
    """The candidates in levels of equal score, highest first."""
    levels: dict[float, list[str]] = {}
    for candidate, score in scores.items():
        # Sums of fractions: without rounding, ties would depend on the order of the votes.
        levels.setdefault(round(score, 9), []).append(candidate)
    return tuple(tuple(levels[s]) for s in sorted(levels, reverse=True))


def by_defeats(first: Iterable[str], beats: Mapping[str, Iterable[str]]) -> Ranking:
    """The winners, then level by level the candidates that no remaining one beats.

    Two candidates of one level stay tied: no order is invented between them.

    Args:
        first: the winners.
        beats: candidate -> those it is above, a relation without cycles.
    """
    left = set(beats) - set(first)
    levels = [tuple(c for c in beats if c not in left)]
    while left:
        beaten = {b for a in left for b in beats[a]}
        level = [c for c in beats if c in left and c not in beaten]
        levels.append(tuple(level))
        left.difference_update(level)
    return tuple(level for level in levels if level)
