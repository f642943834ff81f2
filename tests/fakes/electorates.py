"""Random electorates: weak orders with ties, partial ballots, abstentions, voters that stand."""

from __future__ import annotations

from random import Random

Ballots = dict[str, tuple[tuple[str, ...], ...]]


def electorate(
    seed: int, *, most: int = 5, voters: int = 7, inside: bool = False
) -> tuple[Ballots, tuple[str, ...]]:
    """Ballots and candidates. Inside voters are some of the candidates, outside ones are none."""
    dice = Random(seed)
    candidates = tuple("abcdefgh"[: dice.randint(3 if inside else 2, most)])
    some = dice.sample(candidates, dice.randint(2, len(candidates)))
    names = some if inside else [f"v{i}" for i in range(dice.randint(1, voters))]
    return {v: _ranking(dice, [c for c in candidates if c != v]) for v in names}, candidates


def _ranking(dice: Random, candidates: list[str]) -> tuple[tuple[str, ...], ...]:
    dice.shuffle(candidates)
    named = candidates[: dice.choice([len(candidates), dice.randint(1, len(candidates))])]
    levels: list[list[str]] = []
    for candidate in named:
        if levels and dice.random() < 0.25:
            levels[-1].append(candidate)
        else:
            levels.append([candidate])
    return tuple(tuple(level) for level in levels)
