"""Parts: what the user said about who plays what, checked against who is there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mutual_dissent.core.errors import UnknownName
from mutual_dissent.core.panel import Panelist


def seats_of(panel: Iterable[Panelist], given: Mapping[str, str]) -> dict[str, str]:
    """Seat -> the part that it is given.

    Raises:
        UnknownName: if nobody sits there.
    """
    seats = [p.seat for p in panel]
    for seat in given:
        if seat not in seats:
            raise UnknownName("panelist", seat, seats)
    return dict(given)


def one_of(kind: str, parts: Iterable[str], wanted: str) -> str:
    """The part of that name, however it is written.

    Raises:
        UnknownName: if there is none.
    """
    known = {p.casefold(): p for p in parts}
    found = known.get(wanted.strip().casefold())
    if found is None:
        raise UnknownName(kind, wanted, known.values())
    return found
