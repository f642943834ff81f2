"""Exposure: the answers that a panelist had read when it wrote its own."""

from __future__ import annotations

from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript


def seats_read(t: Transcript, response: Response) -> tuple[str, ...]:
    """The seats whose answers were shown to the writer of a response, by name."""
    key = _key(response)
    shown = [
        seat
        for name, labels in t.labels.items()
        # Samples and corrections are asked under keys that go on from this one.
        if name == key or name.startswith(f"{key}/")
        for seat in labels.values()
    ]
    return tuple(sorted({s for s in shown if s != response.model_alias}))


def answer_before(t: Transcript, seat: str, reader: Response) -> Response | None:
    """The last answer of a seat at the time that the reader was asked.

    Where turns follow each other that may be an answer of the same round: it counts if it was on
    record before the reader's request was.
    """
    last = None
    for response in t.turns():
        if response.model_alias == seat and response.usable and _precedes(t, response, reader):
            last = response
    return last


def previous(t: Transcript, response: Response) -> Response | None:
    """The panelist's own last usable answer of an earlier round."""
    own = [
        r
        for r in t.turns()
        if r.model_alias == response.model_alias
        and r.usable
        and r.round_number < response.round_number
    ]
    return own[-1] if own else None


def _precedes(t: Transcript, answer: Response, reader: Response) -> bool:
    if answer.round_number != reader.round_number:
        return answer.round_number < reader.round_number
    came, sent = t.came.get(_key(answer)), t.sent.get(_key(reader))
    # By places in the log and not by times: clocks of two machines may differ.
    return came is not None and sent is not None and came < sent


def _key(response: Response) -> str:
    return f"{response.round_number}/{response.role}/{response.model_alias}"
