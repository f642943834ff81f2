"""Names of panelists as people read them: as they were typed, and no longer than needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from mutual_dissent.core.transcript import Transcript, read_once
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import join_names

LONGEST = 40


def name(t: Transcript, seat: str) -> str:
    """A seat's name: `openrouter:p1` is `p1` if no other seat has that name."""
    return _names_by_seat(t).get(seat) or one_line(seat, LONGEST)


def names(t: Transcript, seats: Iterable[str]) -> str:
    """Several names in a sentence: `claude, gpt and p4`."""
    return join_names([name(t, s) for s in seats])


def with_names(t: Transcript, sentence: str) -> str:
    """A sentence about seats, with their names: `openrouter:p1 disagrees` as `p1 disagrees`."""
    known = {seat: short for seat, short in _names_by_seat(t).items() if seat != short}
    if not known:
        return sentence
    # The longest first, so that claude#2 is not taken for claude.
    seats = "|".join(re.escape(s) for s in sorted(known, key=len, reverse=True))
    return re.sub(rf"(?<![\w:/])(?:{seats})(?![\w/])", lambda m: known[m[0]], sentence)


def late_names(t: Transcript) -> str:
    """Panelists that are missing for a temporary reason, so that `resume --late` asks them."""
    return names(t, (r.model_alias for r in t.absent if r.may_be_over))


def in_panel_order(t: Transcript, seats: Iterable[str]) -> list[str]:
    """The seats as they sit."""
    place = {p.seat: i for i, p in enumerate(t.panelists)}
    return sorted(seats, key=lambda s: (place.get(s, len(place)), s))


@read_once
def _names_by_seat(t: Transcript) -> Mapping[str, str]:
    """Seat -> its name, for everybody that may be named."""
    bare = {p.seat: p.seat.removeprefix(f"{p.route.vendor}:") for p in t.brief.everyone}
    taken = Counter(bare.values())
    return {
        seat: one_line(short if short and taken[short] == 1 else seat, LONGEST)
        for seat, short in bare.items()
    }
