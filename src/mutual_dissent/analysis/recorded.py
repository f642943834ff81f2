"""Recorded measures: what was found when the rounds of a debate ended, read back from its log."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, TypeVar

from mutual_dissent.analysis.consensus import ANALYZERS, Consensus
from mutual_dissent.analysis.decisions import Decision
from mutual_dissent.analysis.groupthink import Groupthink
from mutual_dissent.core.codec import Malformed, from_plain
from mutual_dissent.core.stopping import Exit
from mutual_dissent.core.transcript import Round, Transcript

T = TypeVar("T")


def consensus_of(t: Transcript) -> dict[int, Consensus]:
    """Round -> what was found in it; what earlier versions guessed from words is not read."""
    found = _each(t, "consensus", Consensus)
    return {number: known for number, known in found if known.analyzer in ANALYZERS}


def groupthink_of(t: Transcript) -> Groupthink | None:
    """The warning of the last round that was looked at, if that was one."""
    found = list(_each(t, "groupthink", Groupthink))
    return found[-1][1] if found and found[-1][1].detected else None


def exit_of(t: Transcript) -> tuple[int, Exit] | None:
    """The round after which no further one was held, and why."""
    return next(reversed(list(_each(t, "exit", Exit))), None)


def tally_of(t: Transcript) -> Decision | None:
    """How the votes of the last ballot fell."""
    found = list(_each(t, "tally", Decision))
    return found[-1][1] if found else None


def _each(t: Transcript, name: str, kind: type[T]) -> Iterator[tuple[int, T]]:
    for round_ in t.rounds:
        if (found := _read(round_, name, kind)) is not None:
            yield round_.round_number, found


def _read(round_: Round, name: str, kind: type[T]) -> T | None:
    plain = round_.measures.get(name)
    found: T | None = None if plain is None else _read_once(_Recorded(plain, kind))
    return found


class _Recorded:
    """What is on record of some kind: equal to itself alone, since it is never changed."""

    __slots__ = ("kind", "plain")

    def __init__(self, plain: object, kind: type) -> None:
        self.plain, self.kind = plain, kind

    def __hash__(self) -> int:
        return id(self.plain)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Recorded):
            return NotImplemented
        return self.plain is other.plain and self.kind is other.kind


@lru_cache(maxsize=256)
def _read_once(recorded: _Recorded) -> Any:
    """Every view of a debate asks for the same, again and again."""
    try:
        return from_plain(recorded.kind, recorded.plain)
    except Malformed:
        return None  # of another version, or of a file that somebody wrote by hand
