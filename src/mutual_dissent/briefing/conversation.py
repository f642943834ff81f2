"""Conversations: a debate that goes on from earlier ones, whose questions and answers it is told.

The questions are the user's own words; the answers are quoted.

Who sits, and in which mode, goes on from the last debate as well, unless something else is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mutual_dissent.briefing.options import Options
from mutual_dissent.core.brief import Attachment, Brief, Earlier, SimilarDebate
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.answer import answer
from mutual_dissent.views.heading import heading
from mutual_dissent.views.panel.names import text_with_names
from mutual_dissent.views.phrases import clip
from mutual_dissent.views.remarks.readable import readable

MOST_CHARACTERS = 24_000
"""The most of a conversation that is told: some 7,000 tokens, at the head of every request."""
MOST_TURNS = 50
OF_BEFORE = " (of an earlier question)"
"""The end of the name of a picture that came with an earlier turn."""


@dataclass(frozen=True, slots=True)
class PastConversation:
    """An earlier exchange: the id of its first debate, and the last ones as far as they are told.

    Attributes:
        begun: the id of the debate that began it, which is what the conversation is called.
        length: how many debates it has so far.
        turns: the last debates, in order.
    """

    begun: str
    length: int
    turns: tuple[Transcript, ...]

    @classmethod
    def of(cls, ids: Sequence[str], latest_first: Iterable[Transcript]) -> PastConversation:
        """The conversation of these debates, read from its end until there is enough."""
        turns: list[Transcript] = []
        size = 0
        for turn in latest_first:
            size += sum(len(said.text) for said in _told(turn))
            # The last turn is told in any case; what is long in it is cut.
            if turns and (size > MOST_CHARACTERS or len(turns) == MOST_TURNS):
                break
            turns.insert(0, turn)
        return cls(ids[0], len(ids), tuple(turns))

    def carry_on(self, options: Options) -> Options:
        """The options of a further debate, and the last one's mode and panel if none is said."""
        if options.preset is not None:
            return options
        last = self.turns[-1].brief
        new: dict[str, Any] = {"mode": options.mode or last.mode}
        if options.panel is None:
            new["panel"] = [p.written for p in last.panel]
            new["synthesizer"] = options.synthesizer or last.synthesizer.written
            played = {p.seat: p.persona for p in last.panel if p.persona}
            new["personas"] = options.personas or played
        return replace(options, **new)

    def before(self, brief: Brief) -> Brief:
        """The brief of a further debate, with what came before it."""
        said = (part for turn in self.turns for part in _told(turn))
        return replace(
            brief,
            conversation=self.begun,
            similar=(_attached(self.turns[-1]),),
            earlier=(*said, *brief.earlier),
            notices=(*brief.notices, *self.cuts),
        )

    def pictures(self, known: Iterable[Attachment]) -> tuple[Attachment, ...]:
        """The pictures of its turns, each once, without those that are known."""
        there = {a.picture.sha256 for a in known if a.picture}
        shown = (a for turn in self.turns for a in turn.brief.context if a.picture)
        found = {a.picture.sha256: a for a in shown if a.picture}
        new = (a for sha256, a in found.items() if sha256 not in there)
        return tuple(replace(a, name=a.name.removesuffix(OF_BEFORE) + OF_BEFORE) for a in new)

    @property
    def cuts(self) -> tuple[str, ...]:
        """Notices to the user about turns that the panel is not told."""
        missing = self.length - len(self.turns)
        if missing:
            what = "question and its answer" if missing == 1 else f"{missing} questions and answers"
            return (f"of the conversation, the panel is not told the first {what}",)
        if any(_is_long(turn) for turn in self.turns):
            return ("of the conversation, the panel is told only the beginning of what is long",)
        return ()


def _attached(turn: Transcript) -> SimilarDebate:
    """A debate that the panel is told of, with what its answer comes to."""
    said = answer(turn)
    figure = said.closing.estimate if said and said.closing else None
    line = text_with_names(turn, said.bottom_line, said) if said else ""
    return SimilarDebate(
        transcript_id=turn.transcript_id,
        query=clip(turn.query, 200),
        heading=clip(heading(turn), 200),
        created_at=turn.created_at,
        attached=True,
        bottom_line=line,
        estimate=figure.words if figure else "",
    )


def _told(turn: Transcript) -> tuple[Earlier, Earlier]:
    """A question and its answer; what is too long loses its end."""
    asked = _cut(turn.query, MOST_CHARACTERS // 3)
    answered = _cut(_answer(turn), MOST_CHARACTERS - len(asked))
    name = turn.transcript_id
    return (
        Earlier(speaker="user", text=asked, debate=name),
        Earlier(speaker="assistant", text=answered, debate=name),
    )


def _answer(turn: Transcript) -> str:
    said = answer(turn)
    if said is None:
        return "(nobody answered)"
    text = text_with_names(turn, readable(said), said)
    return text if turn.synthesis else f"(one panelist's answer)\n{text}"


def _is_long(turn: Transcript) -> bool:
    return [said.text for said in _told(turn)] != [turn.query, _answer(turn)]


def _cut(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 20].rstrip() + "\n[cut here]\n"
