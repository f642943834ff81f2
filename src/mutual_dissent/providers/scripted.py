"""A provider whose panelists say what a script tells them, for tests and examples."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from mutual_dissent.core.panel import Route
from mutual_dissent.core.ports import OnText
from mutual_dissent.core.response import Ask, ErrorKind, Response
from mutual_dissent.providers.responses import blank, failure

Line = str | Response
Lines = Sequence[Line] | Callable[[Ask], Line]


class Scripted:
    """Answers by seat, in order: `Scripted({"ada": ["tabs", "still tabs"]})`.

    A seat's lines may also be a function of the ask. A seat that is not in the script, or has
    nothing left to say, fails with a sentence. Everything that was asked is in `asks`.
    """

    def __init__(
        self,
        script: Mapping[str, Lines],
        *,
        delay: float = 0.0,
        word_delay: float = 0.0,
        blind: Collection[str] = (),
    ) -> None:
        """Set up the cast.

        Args:
            script: seat -> its lines, or a function that makes them.
            delay: seconds before each answer begins.
            word_delay: seconds between the words of an answer.
            blind: models that see no pictures.
        """
        self._blind = frozenset(blind)
        self._cues = {seat: _cue(lines) for seat, lines in script.items()}
        self._delay = delay
        self._word_delay = word_delay
        self.asks: list[Ask] = []

    def heard_by(self, seat: str) -> list[str]:
        """Return every request that this seat was sent, in full."""
        return [f"{a.system}\n{a.text}" for a in self.asks if a.panelist.seat == seat]

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """Return the seat's next line."""
        self.asks.append(ask)
        line = self._line(ask)
        if self._delay:
            await asyncio.sleep(self._delay)
        if isinstance(line, Response):
            return line
        await speak(line, on_text, self._word_delay)
        words = len(line.split())
        return replace(
            blank(ask),
            content=line,
            input_tokens=ask.input_estimate,
            output_tokens=words,
            token_count=ask.input_estimate + words,
            served_model=ask.panelist.model_id,
            latency_ms=0,
            first_token_ms=0,
        )

    def sees(self, route: Route) -> bool:
        """Return whether a model can be shown pictures."""
        return route.model_id not in self._blind

    async def warm_up(self, routes: Sequence[Route]) -> None:
        """Do nothing: nothing is needed."""

    def _line(self, ask: Ask) -> Line:
        seat = ask.panelist.seat
        cue = self._cues.get(seat) or self._cues.get(ask.panelist.alias)
        if cue is None:
            sentence = f"the script has no lines for {seat!r}; give it some"
            return failure(ask, ErrorKind.BAD_REQUEST, sentence)
        try:
            return cue(ask)
        except StopIteration:
            sentence = f"the script of {seat!r} has no line left for {ask.key}"
            return failure(ask, ErrorKind.BAD_REQUEST, sentence)


async def speak(text: str, on_text: OnText, word_delay: float = 0.0) -> None:
    """Stream a text word by word."""
    for word in _words(text):
        if word_delay:
            await asyncio.sleep(word_delay)
        on_text(word)


def _words(text: str) -> Iterator[str]:
    """Yield the words with the blanks after them, which make up the text again."""
    start = 0
    while start < len(text):
        space = text.find(" ", start)
        end = len(text) if space < 0 else space + 1
        yield text[start:end]
        start = end


def _cue(lines: Lines) -> Callable[[Ask], Line]:
    if callable(lines):
        return lines
    rest = iter(lines)
    return lambda _ask: next(rest)
