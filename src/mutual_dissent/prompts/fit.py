"""Fitting: a request that is too long for its reader has the oldest rounds in short.

If that does not suffice, or nobody can write the summary, every quotation is cut to its share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mutual_dissent.core.panel import Route
from mutual_dissent.core.response import SMALL, Response
from mutual_dissent.core.sight import Seen, Summary, summarise
from mutual_dissent.core.step import Step, Turn
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.prompts.compose import Composed, Condensed, compose
from mutual_dissent.prompts.library import Library
from mutual_dissent.prompts.window import ContextWindow

if TYPE_CHECKING:
    from mutual_dissent.prompts.summaries import Summing

Windows = Callable[[Route], int | None]
"""How many tokens a model takes in all, if that is known."""


class Fit:
    """The request for one turn, and the summaries that must be written before it can be made."""

    def __init__(
        self,
        so_far: Transcript,
        step: Step,
        turn: Turn,
        library: Library,
        windows: Windows,
        *,
        sums_up: bool = True,
    ) -> None:
        """Look whether the request fits; a short one fits everywhere, and nothing is looked up.

        Args:
            sums_up: whether its reader can be trusted to sum up what others said.
        """
        self._so_far, self._step, self._turn, self._library = so_far, step, turn, library
        self._summing: Summing | None = None
        self._condensed: Condensed | None = None
        self._whole = self._with(None)
        small = self._whole.ask.input_estimate <= SMALL
        tokens = None if small else windows(turn.panelist.route)
        self._window = ContextWindow(tokens) if tokens else None
        if self._window and sums_up and not self._window.fits(self._whole.ask):
            self._plan(self._window)

    def next(self) -> Composed | None:
        """Request that must come first: the next part of a summary, or None."""
        return self._summing.next() if self._summing else None

    def take(self, reply: Response | None, missing: str = "") -> None:
        """Take the summary in. Without one, the rounds are shown as far as they fit.

        Args:
            missing: why there is no reply, if there is none.
        """
        assert self._summing is not None, "only what was wanted is taken"
        if reply and reply.usable and reply.text.strip():
            self._summing.take(reply.text)
            return
        why = (reply.error or f"its answer was {reply.finish.value}") if reply else missing
        self._summing = None
        if self._condensed:
            self._condensed = replace(self._condensed, failure=why)

    def request(self) -> Composed:
        """The request, as far as it can be made to fit."""
        summary = self._summing.summary if self._summing else None
        composed = self._with(summary) if summary else self._whole
        if self._window and not self._window.fits(composed.ask):
            composed = self._with(summary, shares=self._window)
        return replace(composed, condensed=self._condensed) if self._condensed else composed

    def without_summary(self) -> Composed:
        """The request as it will be if nobody sums up."""
        return self._with(None, shares=self._window)

    def _plan(self, window: ContextWindow) -> None:
        """Decide which rounds are summed up: as few as will do, and never the newest."""
        from mutual_dissent.prompts.summaries import Summarizer, Summing

        writer = Summarizer(self._so_far, self._step, self._turn, self._library, window)
        old = _old(writer.seen)
        longest = [writer.longest(old[: n + 1]) for n in range(len(old))]
        # Not even with all of it in short would it fit: no summary is bought for nothing.
        if not longest or not window.takes(self._with(longest[-1], shares=window).ask):
            return
        # Planned with the longest summaries, so that the real ones fit whatever they say.
        enough = (n for n, s in enumerate(longest, start=1) if window.fits(self._with(s).ask))
        self._summing = Summing(writer, span := old[: next(enough, len(old))])
        self._condensed = Condensed(
            first=span[0].round_number, last=span[-1].round_number, window=window.tokens
        )

    def _with(self, summary: Summary | None, shares: ContextWindow | None = None) -> Composed:
        turn, tokens = self._turn, shares.tokens if shares else None
        if summary is None:
            return compose(self._so_far, self._step, turn, self._library, tokens)
        turn = replace(turn, sees=summarise(turn.sees, summary))
        composed = compose(self._so_far, self._step, turn, self._library, tokens)
        return replace(composed, turn=self._turn)


def _old(seen: Seen) -> Sequence[Round]:
    """The rounds that are shown, but for the newest that anything shown is from."""
    rounds = [r for r in seen.rounds if r.usable]
    apart = [a for a in (*seen.others, *seen.critiques, seen.own) if a]
    newest = max(
        (a.round_number for a in (*apart, *(a for r in rounds for a in r.usable))), default=0
    )
    return [r for r in rounds if r.round_number < newest]
