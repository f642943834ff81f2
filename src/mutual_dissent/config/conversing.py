"""Conversations: a debate that goes on from earlier ones, whose questions and answers it is told.

Who sits, and in which mode, goes on from the last debate as well, unless something else is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mutual_dissent.config.briefing import Options
from mutual_dissent.core.brief import Attachment, Brief
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.aliases import shown
from mutual_dissent.views.answer import answer
from mutual_dissent.views.said import readable

MOST_CHARACTERS = 24_000
"""How much of a conversation is told: some 7,000 tokens, at the head of every request."""
MOST_TURNS = 50
NAME = "earlier in this conversation"


@dataclass(frozen=True, slots=True)
class Conversation:
    """What came before: the id of the first debate, and the last ones as far as they are told.

    Attributes:
        begun: the id of the debate that began it, which is what the conversation is called.
        length: how many debates it has so far.
        turns: the last debates, in order.
    """

    begun: str
    length: int
    turns: tuple[Transcript, ...]

    @classmethod
    def of(cls, ids: Sequence[str], latest_first: Iterable[Transcript]) -> Conversation:
        """The conversation of these debates, read from its end until there is enough."""
        turns: list[Transcript] = []
        size = 0
        for turn in latest_first:
            size += len(_told(turn, 0))
            if turns and (size > MOST_CHARACTERS or len(turns) == MOST_TURNS):
                break
            turns.insert(0, turn)
        return cls(ids[0], len(ids), tuple(turns))

    def carried_on(self, options: Options) -> Options:
        """The options of a further debate, and the last one's mode and panel if none is said."""
        if options.preset is not None:
            return options
        last = self.turns[-1].brief
        new: dict[str, Any] = {"mode": options.mode or last.mode}
        if options.panel is None:
            new["panel"] = [p.seat for p in last.panel]
            new["synthesizer"] = options.synthesizer or last.synthesizer.seat
            played = {p.seat: p.persona for p in last.panel if p.persona}
            new["personas"] = options.personas or played
        return replace(options, **new)

    def before(self, brief: Brief) -> Brief:
        """The brief of a further debate, with what came before attached to it."""
        earlier = Attachment(name=NAME, text=self.text)
        return replace(
            brief,
            conversation=self.begun,
            context=(earlier, *brief.context),
            notices=(*brief.notices, *self.cuts),
        )

    @property
    def text(self) -> str:
        """The questions and answers, oldest first; what is too long loses its end."""
        first = self.length - len(self.turns) + 1
        left_out = f"(The first {first - 1} are left out.)\n\n" if first > 1 else ""
        told = "".join(_told(turn, n) for n, turn in enumerate(self.turns, first))
        return left_out + _cut(told, MOST_CHARACTERS)

    @property
    def cuts(self) -> tuple[str, ...]:
        """What the user should know about what the panel is not told."""
        missing = self.length - len(self.turns)
        if missing:
            what = "question and its answer" if missing == 1 else f"{missing} questions and answers"
            return (f"of the conversation, the panel is not told the first {what}",)
        if any(_is_long(turn) for turn in self.turns):
            return ("of the conversation, the panel is told only the beginning of what is long",)
        return ()


def _told(turn: Transcript, number: int) -> str:
    said = answer(turn)
    text = shown(turn, readable(said), said) if said else "(nobody answered)"
    kind = "Answer" if turn.synthesis else "Answer of one panelist"
    asked = _cut(turn.query, _longest_query())
    return f"Question {number}:\n{asked}\n\n{kind} {number}:\n{text}\n\n"


def _is_long(turn: Transcript) -> bool:
    return len(turn.query) > _longest_query() or len(_told(turn, 0)) > MOST_CHARACTERS


def _longest_query() -> int:
    return MOST_CHARACTERS // 3


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 20].rstrip() + "\n[cut here]\n"
