"""Fitting requests to their readers: the summaries that one needs are on record before it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from mutual_dissent.core.panel import EMBEDDED
from mutual_dissent.core.ports import Prices
from mutual_dissent.core.response import Ask
from mutual_dissent.core.step import Step, Turn
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.engine.environment import Environment
from mutual_dissent.engine.event_log import EventLog
from mutual_dissent.engine.memory import Memory
from mutual_dissent.prompts.compose import Composed
from mutual_dissent.prompts.fit import Fit
from mutual_dissent.prompts.library import Library

UNPAID = "what is left of the budget does not pay for it"

AskFirst = Callable[[list[Composed], list[Ask]], Awaitable[None]]
"""Asks for summaries, if those and the requests that they are for can be paid for."""


@dataclass(slots=True)
class ContextFit:
    """The requests of one debate, none larger than its reader can take."""

    world: Environment
    record: EventLog
    memory: Memory

    async def requests(
        self, step: Step, turns: Sequence[Turn], ask_first: AskFirst
    ) -> list[Composed]:
        """The requests for turns that are taken together."""
        world = self.world
        fits = [fit(self._now, step, t, world.library, world.prices) for t in turns]
        waiting = [f for f, turn in zip(fits, turns, strict=True) if not self._known(step, turn)]
        while wanted := [(f, piece) for f in waiting if (piece := f.next())]:
            limited = self._now.brief.max_cost is not None
            then = [f.without_summary().ask for f, _ in wanted] if limited else []
            await ask_first([piece for _, piece in wanted], then)
            for one, piece in wanted:
                one.take(self._now.answered.get(piece.ask.key), missing=UNPAID)
        return [f.request() for f in fits]

    @property
    def _now(self) -> Transcript:
        return self.record.now

    def _known(self, step: Step, turn: Turn) -> bool:
        """Return whether no summary is missing; those that were written take their place."""
        key = step.key(turn)
        if key not in self.memory.answers:
            return key in self.memory.borrowed or self.memory.silent(step)
        from mutual_dissent.prompts.summaries import summaries

        for written in self.memory.under(f"{step.round_number}/{summaries(step, turn)}/"):
            self.record.fold(written)
        return True


def fit(so_far: Transcript, step: Step, turn: Turn, library: Library, prices: Prices) -> Fit:
    """The request for a turn, in the making.

    The demo model cannot fill in forms: it is asked for plain text everywhere. No embedded model
    sums up: what is too long for it is cut.
    """
    if turn.panelist.route.is_demo:
        turn = replace(turn, form=None, checks=())
    able = turn.panelist.route.vendor != EMBEDDED
    return Fit(so_far, step, turn, library, prices.context_window, sums_up=able)
