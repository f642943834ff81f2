"""Kemeny: the order that contradicts the voters least, found exactly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from mutual_dissent.analysis.ballots.profile import Profile, by_defeats
from mutual_dissent.analysis.ballots.rules.rule import Rule, RuleTally

MOST = 8
"""More candidates than this make the exact search too long to repeat for a bootstrap."""


def tally(profile: Profile) -> RuleTally:
    """Winners are those on top of some order that agrees with the most pairwise preferences.

    Scores say with how many pairwise preferences the best order headed by a candidate agrees.
    Where several orders are equally good, the ranking has only what they share.
    """
    return _Search(profile).tally()


@dataclass
class _Search:
    """Best orders of every set of candidates, sets being bits of a number."""

    profile: Profile

    def tally(self) -> RuleTally:
        names = self.profile.candidates
        best, whole = self._best(), (1 << len(names)) - 1
        headed = [self._gain(i, whole) + best[whole & ~(1 << i)] for i in range(len(names))]
        below = self._sometimes_below(best)
        beats = {
            # `a` beats `b` if in no best order `b` stands above it.
            a: [b for j, b in enumerate(names) if i != j and not below[j] >> i & 1]
            for i, a in enumerate(names)
        }
        winners = [a for i, a in enumerate(names) if headed[i] == best[whole]]
        scores = {a: float(headed[i]) for i, a in enumerate(names)}
        return RuleTally(ranking=by_defeats(winners, beats), scores=scores)

    def _best(self) -> list[int]:
        """Set -> the agreement of the best order of its members."""
        best = [0] * (1 << len(self.profile.candidates))
        # Subsets come before their supersets: removing a bit makes a smaller number.
        for group in range(1, len(best)):
            best[group] = max(self._gain(i, group) + best[group & ~(1 << i)] for i in bits(group))
        return best

    def _sometimes_below(self, best: list[int]) -> list[int]:
        """Candidate -> the set of those that stand below it in some best order."""
        below = [0] * len(self.profile.candidates)
        reached = {len(best) - 1}
        while reached:
            after = set()
            for group in reached:
                for i in bits(group):
                    rest = group & ~(1 << i)
                    if self._gain(i, group) + best[rest] == best[group]:
                        below[i] |= rest
                        after.add(rest)
            reached = after - {0}
        return below

    def _gain(self, i: int, group: int) -> int:
        """Number of preferences that agree with placing one above all others of a group."""
        return self._gains[i][group]

    def __post_init__(self) -> None:
        names, support = self.profile.candidates, self.profile.support
        self._gains = [_sums([support[a][b] for b in names]) for a in names]


def _sums(row: list[int]) -> list[int]:
    """Set -> the sum of its members' entries; one's own entry is zero."""
    # Each entry doubles the list, so that the index is the set as bits.
    sums = [0]
    for entry in row:
        sums += [s + entry for s in sums]
    return sums


@cache
def bits(group: int) -> tuple[int, ...]:
    """The members of a set."""
    return tuple(i for i in range(group.bit_length()) if group >> i & 1)


KEMENY = Rule(
    name="kemeny",
    summary=f"The order that contradicts the voters least; exact, up to {MOST} candidates.",
    unit="preferences that the best order under it agrees with",
    tally=tally,
    most=MOST,
)
