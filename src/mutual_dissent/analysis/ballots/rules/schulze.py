"""Schulze: the strongest chain of majorities decides between two."""

from __future__ import annotations

from mutual_dissent.analysis.ballots.profile import Profile, by_defeats
from mutual_dissent.analysis.ballots.rules.rule import Rule, RuleTally


def tally(profile: Profile) -> RuleTally:
    """Winners have a path to every other candidate at least as strong as the path back.

    A majority is as strong as its margin; a path is as strong as its weakest majority.
    """
    paths = _paths(profile)
    everyone = profile.candidates
    beats = {a: [b for b in everyone if paths[a][b] > paths[b][a]] for a in everyone}
    beaten = {b for a in everyone for b in beats[a]}
    winners = [a for a in everyone if a not in beaten]
    return RuleTally(
        ranking=by_defeats(winners, beats), scores={a: float(len(beats[a])) for a in everyone}
    )


def _paths(profile: Profile) -> dict[str, dict[str, int]]:
    """The strength of the strongest path from each candidate to each other."""
    everyone = profile.candidates
    best = {a: {b: max(0, profile.margin(a, b)) for b in everyone} for a in everyone}
    # Floyd and Warshall's algorithm, with the weakest link for the length of a path.
    for via in everyone:
        onward = best[via]
        for a in everyone:
            row, reach = best[a], best[a][via]
            if reach:
                for b in everyone:
                    row[b] = max(row[b], min(reach, onward[b]))
    return best


SCHULZE = Rule(
    name="schulze",
    summary="Whoever has the stronger chain of majorities is above the other.",
    unit="candidates beaten by a stronger chain",
    tally=tally,
)
