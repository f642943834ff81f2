"""After a round: what its answers say, as the panel says it itself."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass

from mutual_dissent.analysis.bottom_lines import Judge
from mutual_dissent.core.brief import AMEND, SELECT
from mutual_dissent.core.measures import Measures
from mutual_dissent.core.step import Mode, Step
from mutual_dissent.core.transcript import PANEL_ROLES, Transcript
from mutual_dissent.engine import measures
from mutual_dissent.engine.ask import Asking


@dataclass(slots=True)
class AfterRound:
    """The measures of one debate's rounds."""

    mode: Mode
    asking: Asking

    @property
    def _now(self) -> Transcript:
        return self.asking.now

    async def measures(self, step: Step) -> Measures:
        """Measures of a finished step, worked out in a thread so that no token is delayed."""
        if step.role not in PANEL_ROLES:
            return Measures()
        fixed = self.mode.rounds is None
        last = None if fixed else self._now.max_rounds - self.mode.first_counts
        return await asyncio.to_thread(self._measured, step, last)

    def _measured(self, step: Step, last: int | None) -> Measures:
        """The measures; the embedded model is asked only where its word can make a difference."""
        found = measures.measures(self._now, step, last=last)
        decided = found.consensus is not None and found.consensus.decided == 1.0
        if decided or not self._matters(step, last):
            return found
        judge = self._judge()
        with suppress(Exception):  # a measure that fails costs no debate: it is not measured
            return measures.measures(self._now, step, judge, last=last) if judge else found
        return found

    def _matters(self, step: Step, last: int | None) -> bool:
        """Return whether the round ends the debate or its rounds; readers measure the other ones.

        Where stages are fixed, the reviews that follow the first answers say how far they agree.
        """
        if step.reviews:
            return False
        brief = self._now.brief
        if self.mode.weighs or brief.answer in (SELECT, AMEND):
            return True
        if brief.rounds == "auto" or brief.exits.consensus is not None:
            return True
        return step.role == "evaluation" if last is None else step.round_number >= last

    def _judge(self) -> Judge | None:
        with suppress(Exception):  # what it needs may be broken: then nothing is asked of it
            return self.asking.world.judge()
        return None
