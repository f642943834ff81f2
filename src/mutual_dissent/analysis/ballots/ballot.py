"""Ballots: a voter's ranking of the answers that it was shown, read from its reply, best first.

A structured ranking counts before one in words, the last well-formed one before earlier ones. Only
the voter's own words are read, never its quotations. A ranking that cannot be read is None;
oddities of a ballot are in its flags. No reply, however hostile, raises anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mutual_dissent.analysis.answers.labels import Labels, Place, favourites
from mutual_dissent.analysis.answers.own_words import MOST_TEXT, own_words
from mutual_dissent.analysis.ballots import UNREAD
from mutual_dissent.analysis.ballots.json import json_rankings
from mutual_dissent.analysis.ballots.profile import Ranking
from mutual_dissent.analysis.ballots.text import text_rankings

SALVAGED = "ballot: read from the text"
UNKNOWN = "ballot: names an answer that was not shown"
OWN = "ballot: its own answer was left out"
TWICE = "ballot: an answer is named twice, the first mention counts"
PARTIAL = "ballot: not all answers are ranked"
SEVERAL = "ballot: several rankings that differ, the last one counts"
PROSE = "ballot: the text says otherwise"
LONG = "ballot: the reply was too long, only its end was read"

"""Oddities of a ballot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """Seats, best first, ties together; None if the reply has no ranking that could be read."""

    ranking: Ranking | None
    flags: tuple[str, ...] = ()


def ballot(reply: str, labels: Mapping[str, str], voter: str) -> Ballot:
    """The ranking in a voter's reply.

    Args:
        reply: everything that the voter said.
        labels: label -> seat, as this voter was shown them.
        voter: the voter's own seat, which cannot be on its ballot.
    """
    known = Labels(labels)
    structured, prose = json_rankings(reply, own_words(reply), known)
    spoken = text_rankings(prose, known)
    rankings = structured or spoken
    flags = [LONG] if len(reply) > MOST_TEXT else []
    if not rankings:
        return Ballot(ranking=None, flags=(*flags, UNREAD))
    read = _Count(labels, voter)
    ranking = read.seats(rankings[-1])
    if not ranking:
        return Ballot(ranking=None, flags=(*flags, *read.flags, UNREAD))
    if not structured:
        flags.append(SALVAGED)
    # Compared as seats: other words for the same order are no other ranking.
    if any(_Count(labels, voter).seats(r) != ranking for r in rankings[:-1]):
        flags.append(SEVERAL)
    if _is_disputed(ranking, spoken if structured else [], prose, known, voter):
        flags.append(PROSE)
    return Ballot(ranking=ranking, flags=(*flags, *read.flags))


def _is_disputed(
    ranking: Ranking, spoken: list[list[Place]], prose: str, known: Labels, voter: str
) -> bool:
    """Return whether the voter's text ranks otherwise, or calls only other answers the best."""
    if any(_Count(known.seats, voter).seats(r) != ranking for r in spoken):
        return True
    best = {known.seats[label] for label in favourites(prose, known)} - {voter}
    return bool(best) and not best & set(ranking[0])


class _Count:
    """Turns labels into seats, and collects oddities."""

    def __init__(self, labels: Mapping[str, str], voter: str) -> None:
        self._labels, self._voter = labels, voter
        self._odd: dict[str, None] = {}
        self._counted: set[str] = set()

    @property
    def flags(self) -> tuple[str, ...]:
        return tuple(self._odd)

    def seats(self, places: list[Place]) -> Ranking:
        levels = (tuple(filter(None, map(self._seat, dict.fromkeys(place)))) for place in places)
        ranking = tuple(level for level in levels if level)
        if ranking and set(self._labels.values()) - self._counted - {self._voter}:
            self._odd[PARTIAL] = None
        return ranking

    def _seat(self, label: str | None) -> str | None:
        seat = None if label is None else self._labels[label]
        odd = self._objection(seat)
        if odd:
            self._odd[odd] = None
            return None
        self._counted.add(seat or "")
        return seat

    def _objection(self, seat: str | None) -> str | None:
        if seat is None:
            return UNKNOWN
        if seat == self._voter:
            return OWN
        return TWICE if seat in self._counted else None
