"""Stability: how often the same ones win when the electorate is drawn again from itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod

from mutual_dissent.analysis.ballots.profile import Profile

DRAWS = 500
"""Electorates that are drawn where there are too many to go through them all."""


def stability(
    profile: Profile, winners: Callable[[Profile], tuple[str, ...]], seed: int = 0
) -> float | None:
    """The share of electorates, drawn with replacement, in which the same candidates win.

    All samples are enumerated where there are at most `DRAWS` different ones (up to six voters):
    the share is then exact. Otherwise `DRAWS` are drawn by seed. None for fewer than two voters,
    because a single voter has only one sample.
    """
    size = len(profile.votes)
    if size < 2:
        return None
    expected = set(winners(profile))

    @cache
    def same(weights: tuple[int, ...]) -> bool:
        return set(winners(profile.with_weights(weights))) == expected

    # The number of multisets of `size` voters out of `size`.
    every = comb(2 * size - 1, size) <= DRAWS
    share = sum(p for weights, p in (_all(size) if every else _drawn(size, seed)) if same(weights))
    return round(share, 4)


def _all(size: int) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every electorate of that size, as how often each voter is in it, with its probability."""
    for drawn in combinations_with_replacement(range(size), size):
        count = Counter(drawn)
        weights = tuple(count[i] for i in range(size))
        yield weights, factorial(size) / prod(map(factorial, weights)) / size**size


def _drawn(size: int, seed: int) -> Iterator[tuple[tuple[int, ...], float]]:
    dice = _dice(seed)
    for _ in range(DRAWS):
        count = Counter(next(dice) % size for _ in range(size))
        yield tuple(count[i] for i in range(size)), 1 / DRAWS


# `random` is not for layers that do nothing but think (the contracts in pyproject.toml).
def _dice(seed: int) -> Iterator[int]:
    """Numbers that look random and are the same everywhere: a 64-bit linear congruence."""
    state = seed & 0xFFFFFFFFFFFFFFFF
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        yield state >> 33  # the lower bits repeat early
