"""The list of a decision: the options and criteria that panelists named, under labels."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.matrix import MOST_CRITERIA, MOST_OPTIONS, Criterion, OptionScore
from mutual_dissent.text.likeness import key_words

# "O1", "O-1", "c 2", and "O1: Postgres" with the name behind it.
_LABEL = re.compile(r"([OC])\W{0,3}(\d{1,2})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Grid:
    """Options and criteria; those that most panelists named come first."""

    options: tuple[str, ...]
    criteria: tuple[str, ...]
    left_out: tuple[str, ...] = ()

    @property
    def every_name(self) -> tuple[str, ...]:
        """All names, with those for which the list has no room."""
        return (*self.options, *self.criteria, *self.left_out)

    @property
    def words(self) -> str:
        """The list as panelists read it: every name under its label."""
        lines = [f"O{n}: {name}" for n, name in enumerate(self.options, 1)]
        lines += [f"C{n}: {name}" for n, name in enumerate(self.criteria, 1)]
        return "\n".join(lines)

    def name_of(self, word: str) -> str | None:
        """The name behind a label, or behind a name as somebody else writes it."""
        if found := _LABEL.match(word):
            names = self.options if found[1].upper() == "O" else self.criteria
            place = int(found[2]) - 1
            return names[place] if 0 <= place < len(names) else None
        return next((n for n in (*self.options, *self.criteria) if _same(n, word)), None)


def grid_of(so_far: Transcript) -> Grid:
    """The list that the first answers of a debate make."""
    first = so_far.round(0)
    said = [r.matrix for r in first.usable if r.matrix] if first else []
    options = _most_named([m.options for m in said])
    criteria = _most_named([[c.name for c in m.criteria] for m in said])
    return Grid(
        options[:MOST_OPTIONS],
        criteria[:MOST_CRITERIA],
        (*options[MOST_OPTIONS:], *criteria[MOST_CRITERIA:]),
    )


def without_labels(so_far: Transcript, response: Response) -> Response:
    """The response with names in the place of labels; what is not in the list is left out."""
    said = response.matrix
    if said is None or not said.scores:
        return response
    grid = grid_of(so_far)
    weights = ((grid.name_of(c.name), c.weight) for c in said.criteria)
    pairs = ((grid.name_of(a), grid.name_of(b)) for a, b in said.same)
    matrix = replace(
        said,
        criteria=tuple(Criterion(name=n, weight=w) for n, w in weights if n in grid.criteria and n),
        scores=tuple(_scores(grid, said.scores)),
        same=tuple((a, b) for a, b in pairs if a and b and a != b),
    )
    return replace(response, matrix=matrix)


def _scores(grid: Grid, scores: Iterable[OptionScore]) -> Iterable[OptionScore]:
    for s in scores:
        option, criterion = grid.name_of(s.option), grid.name_of(s.criterion)
        if option in grid.options and criterion in grid.criteria and option and criterion:
            yield replace(s, option=option, criterion=criterion)


def _most_named(lists: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Names of all lists, each once, in the words of who wrote it first."""
    found: dict[str, int] = {}
    for names in lists:
        for name in names:
            known = next((n for n in found if _same(n, name)), name)
            found[known] = found.get(known, 0) + 1
    return tuple(sorted(found, key=lambda n: -found[n]))


def _same(one: str, other: str) -> bool:
    """Return whether two names are the same but for case, endings and small words."""
    mine, theirs = key_words(one), key_words(other)
    return one.casefold() == other.casefold() or (bool(mine) and mine == theirs)
