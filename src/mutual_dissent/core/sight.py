"""Who sees what: a sight picks, from the transcript so far, what one panelist may read.

A sight decides only which responses are shown. How they look in a request (labels, fences, limits)
is the prompts' business, the same for every mode.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What one panelist is shown: the blanks of its prompt are filled from this alone."""

    own: Response | None = None
    others: tuple[Response, ...] = ()
    rounds: tuple[Round, ...] = ()
    subject: Response | None = None
    digest: Response | None = None


Sight = Callable[[Transcript, Panelist], Seen]


def nothing(so_far: Transcript, reader: Panelist) -> Seen:
    """Only the query."""
    return Seen()


def everyone_else(so_far: Transcript, reader: Panelist) -> Seen:
    """Its own last answer, and the last answer of every other panelist that still stands."""
    return Seen(
        own=so_far.latest_of(reader.seat),
        others=tuple(_latest(so_far, p) for p in so_far.standing if p.seat != reader.seat),
    )


def predecessor(so_far: Transcript, reader: Panelist) -> Seen:
    """Its own last answer, and that of the panelist before it in the ring."""
    ring = so_far.standing
    place = next((i for i, p in enumerate(ring) if p.seat == reader.seat), 0)
    before = ring[place - 1]
    others = (_latest(so_far, before),) if before.seat != reader.seat else ()
    return Seen(own=so_far.latest_of(reader.seat), others=others)


def whole_debate(so_far: Transcript, reader: Panelist) -> Seen:
    """Every usable answer of every round."""
    return Seen(rounds=so_far.rounds)


def last_round(so_far: Transcript, reader: Panelist) -> Seen:
    """Every usable answer of the last round."""
    latest = so_far.last_round
    return Seen(rounds=(latest,) if latest else ())


def digest_of(round_number: int) -> Sight:
    """Its own last answer, and the coordinator's digest for this round instead of the others'."""

    def sight(so_far: Transcript, reader: Panelist) -> Seen:
        digest = next(
            (
                a
                for a in so_far.asides
                if a.role == "digest" and a.round_number == round_number and a.usable
            ),
            None,
        )
        return Seen(own=so_far.latest_of(reader.seat), digest=digest)

    return sight


def only(subject: Response) -> Sight:
    """One response, to be judged."""

    def sight(so_far: Transcript, reader: Panelist) -> Seen:
        return Seen(subject=subject)

    return sight


def _latest(so_far: Transcript, panelist: Panelist) -> Response:
    found = so_far.latest_of(panelist.seat)
    assert found is not None, "a standing panelist has answered"
    return found
