"""Summing up: the summary of some rounds, written piece by piece by the one who will read it.

The reader's own model writes it, from what this reader may see and under the labels that it knows:
nobody learns anything by it. What is too long to be read at once is read in pieces, each with the
summary of those before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response
from mutual_dissent.core.sight import Seen, Summary
from mutual_dissent.core.step import Need, Step, Turn
from mutual_dissent.core.transcript import INQUIRY, SUMMARY, Round, Transcript
from mutual_dissent.prompts.compose import Composed, compose
from mutual_dissent.prompts.fences import MAX_QUOTE, shorten
from mutual_dissent.prompts.library import Library
from mutual_dissent.prompts.window import ContextWindow

PROMPT = "common/summary"
WORD = 10
"""Characters for which one word is asked, so that what is written surely fits."""


@dataclass(frozen=True, slots=True)
class Summarizer:
    """The model that summarises, for a turn of a step."""

    so_far: Transcript
    step: Step
    turn: Turn
    library: Library
    window: ContextWindow

    @property
    def seen(self) -> Seen:
        """Answers that it may see."""
        return self.turn.sees(self.so_far, self.turn.panelist)

    def request(self, seen: Seen, name: str) -> Composed:
        """The request to sum up what is seen there, under a name that tells it from others."""
        step = replace(self.step, turns=(), role=SUMMARY, need=Need.NOTHING)
        turn = Turn(
            panelist=_plain(self.turn.panelist),
            prompt=PROMPT,
            sees=lambda *_: seen,
            about=f"{self.step.role}/{name}",
            blanks={"length": str(self.window.summary // WORD)},
        )
        return compose(self.so_far, step, turn, self.library)

    def room(self, longest: Summary) -> int:
        """Characters that can be read at once, beside a summary of what came before."""
        return self.window.room_for(self.request(Seen(summary=longest), "").ask)

    def earlier(self, first: int, last: int) -> Summary | None:
        """Its summary of these rounds for an earlier turn of its own.

        Rounds from the one before that turn on are not whole there: its own answer stood apart.
        """
        shown = self.seen.rounds
        # From the longest known summary down: the more it covers, the less is read again.
        for end in range(last, first - 1, -1):
            span = [r for r in shown if first <= r.round_number <= end]
            for before in self._before(end):
                said = self.so_far.answered.get(f"{before}/{summary_key(first, end)}")
                if said and said.usable:
                    return replace(self.longest(span), text=said.text)
        return None

    def _before(self, end: int) -> Iterator[str]:
        """Beginning of the keys of its earlier summaries, where rounds up to `end` are whole."""
        step, turn = self.step, self.turn
        for n in range(end + 2, step.round_number):
            yield f"{n}/{summaries(step, turn)}"
        # Who asked a panelist back before it writes has read the same rounds in short already.
        if step.role == "synthesis":
            yield f"{step.round_number}/{summaries(replace(step, role=INQUIRY), turn)}"

    def longest(self, span: Sequence[Round]) -> Summary:
        """A summary of some rounds that is as long as it may be: what fits with it, will fit."""
        return Summary(
            first=span[0].round_number,
            last=span[-1].round_number,
            # Letters that stand for a summary which is still to be written.
            text="x" * self.window.summary,
            seats=tuple(dict.fromkeys(a.model_alias for r in span for a in r.usable)),
            most=self.window.summary,
        )


class Summing:
    """A summary in the writing."""

    def __init__(self, writer: Summarizer, span: Sequence[Round]) -> None:
        """Begin with what the writer has of these rounds already."""
        self._writer, self._span = writer, span
        first, last = span[0].round_number, span[-1].round_number
        self._name = summary_key(first, last)
        self.summary = writer.earlier(first, last)
        known = self.summary.last if self.summary else first - 1
        rest = [r for r in span if r.round_number > known]
        room = writer.room(writer.longest(span))
        self._pieces = list(pieces(rest, room))
        self._cut = cut(rest, room)

    def next(self) -> Composed | None:
        """The request for the next piece, or None if all was read. The last has the plain name."""
        if not self._pieces:
            return None
        seen = self._writer.seen
        part = Seen(
            names=seen.names,
            reader=seen.reader,
            rounds=self._pieces[0],
            summary=self.summary,
            whole=seen.whole,
            spoken=seen.spoken,
        )
        left = len(self._pieces) - 1
        # Numbered backwards, so that the complete summary has the name that later turns look for.
        composed = self._writer.request(part, f"{self._name}.{left}" if left else self._name)
        return replace(composed, cut=self._cut)

    def take(self, text: str) -> None:
        """The summary of everything up to this piece."""
        read, before = self._pieces.pop(0), self.summary
        new = replace(self._writer.longest(read), text=text)
        if before is not None:
            seats = tuple(dict.fromkeys((*before.seats, *new.seats)))
            new = replace(new, first=before.first, seats=seats)
        self.summary = new


def summaries(step: Step, turn: Turn) -> str:
    """Part that the keys of the summaries for a panelist's turns share, after the round."""
    return f"{SUMMARY}/{turn.panelist.seat}/{step.role}"


def summary_key(first: int, last: int) -> str:
    """Part of a key that tells the summary of some rounds from others."""
    return f"{first}-{last}"


def _plain(panelist: Panelist) -> Panelist:
    """The model without the part that it plays: a summary takes no side."""
    return replace(panelist, instructions="", context="", perspective=None)


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
    # Fields would be repeated with every part of the answer.
    plain = replace(said, content=text, position=None, closing=None, confidence=None, stance=None)
    return replace(plain, citations=(), requests=())


def _grouped(parts: Sequence[Round]) -> tuple[Round, ...]:
    """The parts, those of one round together."""
    found: dict[int, Round] = {}
    for part in parts:
        known = found.get(part.round_number, replace(part, responses=()))
        found[part.round_number] = replace(known, responses=known.responses + part.responses)
    return tuple(found.values())
