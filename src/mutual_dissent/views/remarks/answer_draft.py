"""A debate as text for clients that show it while it is held: its course, and the answer in pieces.

Text that was sent cannot be taken back, so a letter that stands for a panelist waits until it is
certain that it does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutual_dissent.core.events import Answered, Event, Noted, RoundEnded, RoundStarted
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import DESCRIPTION, PANEL_ROLES, REPLY, SUMMARY, Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.panel.names import (
    Letters,
    letters,
    names,
    replace_letters,
    text_with_names,
)
from mutual_dissent.views.phrases import round_name

TOLD = PANEL_ROLES | {DESCRIPTION, SUMMARY, REPLY}
"""Roles of what is part of the course. The answer is told on its own, and what analyst, judge and
code ask for is a form for a program."""

BROKEN_OFF = "\n\n[The answer broke off here; another one follows.]\n\n"

# "as Panelist" may go on with "B says": then B becomes a name, in text that is already sent.
_UNSETTLED = re.compile(
    r"(?:\bthe\s{1,9})?\bpan[eé]list\w{0,6}\b[^.!?\n]{0,80}$|\w{1,40}$", re.IGNORECASE
)
"""End of a text whose next word may turn a letter into a panelist's name."""


class AnswerDraft:
    """The answer as it is written, with names instead of letters, in pieces that can be sent.

    The piece `BROKEN_OFF` says that what came before it is no part of the answer.
    """

    def __init__(self) -> None:
        self._written = self._sent = ""
        self._attempt: tuple[str, int] | None = None
        self._letters: Letters = {}

    def more(self, t: Transcript, key: str, attempt: int, text: str) -> Iterator[str]:
        """Yield what can be sent once this text is there, of an attempt at the answer."""
        if self._attempt not in (None, (key, attempt)):
            yield from self.break_off()
            self._attempt = None
        if self._attempt is None:
            self._letters = letters(t, key)
        self._attempt = (key, attempt)
        self._written += text
        settled = self._named(self._written)
        # Else a later word has changed what was sent: the finished answer puts it right.
        if settled.startswith(self._sent):
            yield settled[len(self._sent) :]
            self._sent = settled

    def whole(self, t: Transcript, response: Response) -> Iterator[str]:
        """Yield the rest of a finished answer."""
        if not response.usable:
            return
        text = text_with_names(t, response.text, response)
        rest = rest_of(text, self._sent)
        if rest is None:
            yield from self.break_off()
            rest = text
        yield rest
        self._sent = text

    def break_off(self) -> Iterator[str]:
        """Give up the answer so far, of which somebody may have seen a part."""
        sent, self._sent, self._written = self._sent, "", ""
        if sent:
            yield BROKEN_OFF

    def _named(self, written: str) -> str:
        """Return the settled part of the answer, with names instead of letters."""
        # 200 characters are more than the pattern can match.
        end = _UNSETTLED.search(written, max(0, len(written) - 200))
        settled = written[: end.start()].rstrip() if end else written.rstrip()
        return replace_letters(settled, self._letters)


def rest_of(text: str, sent: str) -> str | None:
    """Return the text after a part already sent; None if that part is not its beginning.

    White space may differ: the stream can have other blanks than the finished text.
    """
    if text.startswith(sent):
        return text[len(sent) :]
    at = 0
    for word in sent.split():
        while at < len(text) and text[at].isspace():
            at += 1
        if not text.startswith(word, at):
            return None
        at += len(word)
    return text[at:]


def course_text(t: Transcript, event: Event) -> str:
    """An event as Markdown for who reads along; empty for what is not worth a word."""
    match event:
        case RoundStarted() if event.role in TOLD:
            place = round_name(event.round_number, event.role, t.brief.mode)
            return f"\n## {place}: {names(t, event.seats)}\n"
        case Answered() if event.response.usable and event.response.role in TOLD:
            text = text_with_names(t, event.response.text, event.response)
            return f"\n### {names(t, [event.seat])}\n\n{text}\n"
        case RoundEnded():
            return _positions(t, event)
        case Noted():
            return f"\n({event.text})\n"
        case _:
            return ""


def _positions(t: Transcript, event: RoundEnded) -> str:
    """List the positions at the end of a round, a group a line."""
    consensus, who = event.measures.consensus, letters(t)
    lines = (
        f"- {names(t, c.members)}: {one_line(replace_letters(c.summary, who), 300)}\n"
        for c in (consensus.clusters if consensus else ())
        if c.summary
    )
    text = "".join(lines)
    return f"\n{text}" if text else ""
