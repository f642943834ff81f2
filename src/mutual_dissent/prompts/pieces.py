"""Pieces: rounds cut into parts that can be read one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round
from mutual_dissent.prompts.fences import MAX_QUOTE, shorten

MOST = 12
"""Pieces that one reader is given; of longer answers, all are shortened to what fits in them."""

LEAST_ROOM = 1_000
FRAME = 120
"""Characters of a quotation besides its text: label, part and fence."""


def pieces(rounds: Sequence[Round], room: int) -> Iterator[tuple[Round, ...]]:
    """The rounds in pieces of about `room` characters, in order.

    An answer that is longer than a piece goes on in the next one.
    """
    room, limit = max(LEAST_ROOM, room), _limit(rounds, room)
    piece: list[Round] = []
    used = 0
    for round_, part in _parts(rounds, room, limit):
        if piece and used + len(part.text) + FRAME > room:
            yield _grouped(piece)
            piece, used = [], 0
        piece.append(replace(round_, responses=(part,)))
        used += len(part.text) + FRAME
    if piece:
        yield _grouped(piece)


def cut(rounds: Sequence[Round], room: int) -> tuple[str, ...]:
    """The seats whose answers are too long to be read whole even so."""
    limit = _limit(rounds, room)
    long = (a.model_alias for r in rounds for a in r.usable if len(_worded(a)) > limit)
    return tuple(dict.fromkeys(long))


def _limit(rounds: Sequence[Round], room: int) -> int:
    answers = sum(len(r.usable) for r in rounds)
    return min(MAX_QUOTE, max(LEAST_ROOM, room) * MOST // max(1, answers))


def _parts(rounds: Sequence[Round], room: int, limit: int) -> Iterator[tuple[Round, Response]]:
    size = room - FRAME
    for round_ in rounds:
        for said in round_.usable:
            text = shorten(_worded(said), limit)
            for start in range(0, max(1, len(text)), size):
                yield round_, _part(said, text[start : start + size])


def _worded(said: Response) -> str:
    """An answer with what it comes to, which a summary must not lose."""
    parts = [said.text]
    if said.position is None and said.bottom_line:
        parts.append(f"Bottom line: {said.bottom_line}")
    if said.closing and said.closing.estimate:
        parts.append(f"Estimate: {said.closing.estimate.words}")
    return "\n\n".join(parts)


def _part(said: Response, text: str) -> Response:
    """A part of an answer: nothing but its words."""
    plain = replace(said, content=text, position=None, closing=None, confidence=None, stance=None)
    return replace(plain, citations=(), requests=())


def _grouped(parts: Sequence[Round]) -> tuple[Round, ...]:
    """The parts, those of one round together."""
    found: dict[int, Round] = {}
    for part in parts:
        known = found.get(part.round_number, replace(part, responses=()))
        found[part.round_number] = replace(known, responses=known.responses + part.responses)
    return tuple(found.values())
