"""Answers that can be compared word by word: clusters of the same one, and a vote among them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

_NUMBER = re.compile(r"-?\d{1,40}(?:\.\d{1,40})?")
_SEPARATOR = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_LONGEST = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Poll:
    """A vote among short answers.

    Attributes:
        answer: the answer that won, None if no panelist gave one.
        by: the seat whose answer it is: the first in order that gave it.
        size: number of panelists that gave it.
        tied: whether another answer was given as often.
    """

    answer: str | None
    by: str | None
    size: int
    tied: bool


def clusters(
    answers: Mapping[str, str | None], same: Callable[[str], str] | None = None
) -> dict[str, tuple[str, ...]]:
    """Normalised answer -> its authors, in order; missing answers are in no cluster.

    Args:
        same: function that maps equal answers to the same text; by default `normalise_answer`.
    """
    groups: dict[str, list[str]] = {}
    for who, answer in answers.items():
        if answer is not None and (common := (same or normalise_answer)(answer)):
            groups.setdefault(common, []).append(who)
    return {answer: tuple(members) for answer, members in groups.items()}


def plurality(
    answers: Mapping[str, str | None],
    order: Iterable[str] = (),
    same: Callable[[str], str] | None = None,
) -> Poll:
    """The most frequent answer; a tie goes to the author that comes first in the order.

    Args:
        answers: author -> its answer, None for no answer.
        order: authors, most trusted first, for ties; by default the order of the answers.
        same: as in `clusters`.
    """
    groups = clusters(answers, same)
    size = max((len(members) for members in groups.values()), default=0)
    best = {who: a for a, members in groups.items() if len(members) == size for who in members}
    by = next((who for who in (*order, *answers) if who in best), None)
    return Poll(
        answer=best[by] if by is not None else None,
        by=by,
        size=size,
        tied=len(set(best.values())) > 1,
    )


def normalise_answer(answer: str) -> str:
    """The answer without differences that do not matter: case, blanks, a full stop, `1,000`."""
    text = " ".join(answer[:_LONGEST].casefold().split()).strip(" .")
    bare = _SEPARATOR.sub("", text.removeprefix("$").strip())
    if not _NUMBER.fullmatch(bare):
        return text
    try:
        # Plus zero makes 0 of -0.
        return f"{Decimal(bare).normalize() + 0:f}"
    except InvalidOperation:  # more digits than a decimal holds
        return bare
