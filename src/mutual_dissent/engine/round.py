"""After a round: what its answers say, by the best analyzer that was asked for and is there."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from mutual_dissent.analysis.analyst import analyzer_of, consensus_in, question
from mutual_dissent.analysis.clusters import opinions
from mutual_dissent.analysis.consensus import Consensus, consensus
from mutual_dissent.analysis.outcome import OUTCOME, outcome
from mutual_dissent.analysis.recorded import consensus_of
from mutual_dissent.analysis.relations import RULES
from mutual_dissent.core.codec import to_plain
from mutual_dissent.core.step import Mode, Step
from mutual_dissent.core.transcript import OPINION_ROLES, Transcript
from mutual_dissent.engine import telling, weigh
from mutual_dissent.engine.ask import Asking


@dataclass(slots=True)
class AfterRound:
    """The analysis of one debate's rounds."""

    mode: Mode
    asking: Asking

    @property
    def _now(self) -> Transcript:
        return self.asking.now

    async def measures(self, step: Step) -> dict[str, Any]:
        """What a finished step says, worked out where it delays no token."""
        if step.role == "synthesis":
            return await asyncio.to_thread(self._outcome)
        found = await self._analysed(step) if step.role in OPINION_ROLES else None
        fixed = self.mode.rounds is None
        last = None if fixed else self._now.max_rounds - self.mode.first_counts
        return await asyncio.to_thread(weigh.measures, self._now, step, found, last=last)

    async def _analysed(self, step: Step) -> Consensus | None:
        """How far a round agrees; None leaves it to the rules."""
        wanted = analyzer_of(self._now.brief, self.mode)
        if wanted == "model" and (found := await self._by_analyst(step)):
            return found
        if wanted in ("model", "semantic"):
            found = await asyncio.to_thread(self._by_meaning, step)
            if found is None and wanted == self._now.brief.analyzer == "semantic":
                await self._fallback("the agreement model")
            return found
        return None

    async def _by_analyst(self, step: Step) -> Consensus | None:
        """What the analyst says, if it can be read."""
        analyst, round_ = self._now.brief.analyst, self._now.round(step.round_number)
        if analyst is None or round_ is None or len(round_.usable) < 2:
            return None
        asked = question(analyst, step.round_number)
        await self.asking.ask_all(asked, asked.turns)
        key = asked.key(asked.turns[0])
        if (reply := self._now.answered.get(key)) is None:
            return None
        found = consensus_in(reply, self._now.labels.get(key, {}), round_.responses)
        if found is None:
            await self._fallback(f"the analyst {analyst.seat}", analyst.seat)
        return found

    def _by_meaning(self, step: Step) -> Consensus | None:
        """What the embedded agreement model says, if it is installed and can."""
        round_ = self._now.round(step.round_number)
        if round_ is None or len(round_.usable) < 2:
            return None
        with suppress(Exception):  # a measure that fails costs no debate: the rules are there
            compare = self.asking.world.semantics(list(opinions(round_.responses).values()))
            return consensus(round_.responses, compare, "semantic") if compare else None
        return None

    def _outcome(self) -> dict[str, Any]:
        """What the synthesis is to the first answers, by meaning where rounds were read so."""
        first = consensus_of(self._now).get(0)
        if first is None or first.analyzer == RULES or self._now.synthesis is None:
            return {}
        with suppress(Exception):  # a measure that fails costs no debate: the rules are there
            compare = self.asking.world.semantics([])
            found = outcome(self._now, compare, "semantic") if compare else None
            return {OUTCOME: to_plain(found)} if found else {}
        return {}

    async def _fallback(self, who: str, seat: str | None = None) -> None:
        record = self.asking.record
        await record.add(telling.fallback(who, record.clock(), seat))
