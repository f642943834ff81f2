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
from mutual_dissent.core.response import Response
from mutual_dissent.core.step import Mode, Step
from mutual_dissent.core.transcript import OPINION_ROLES, Transcript
from mutual_dissent.engine import telling, weigh
from mutual_dissent.engine.ask import Asking

Reply = tuple[Response, dict[str, str]]
"""An analyst's reply, and the labels that it knows the panel by."""


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
        wanted, brief = analyzer_of(self._now.brief, self.mode), self._now.brief
        reply = await self._analysts_reply(step) if wanted == "model" else None
        if reply and (found := self._in_reply(reply, step)):
            return found
        if wanted not in ("model", "semantic"):
            return None
        found = await asyncio.to_thread(self._by_meaning, step)
        if reply and brief.analyst:
            await self._fallback(f"the analyst {brief.analyst.seat}", found, brief.analyst.seat)
        elif found is None and wanted == brief.analyzer == "semantic":
            await self._fallback("the agreement model", None)
        return found

    async def _analysts_reply(self, step: Step) -> Reply | None:
        """What the analyst says, if there is one and something to ask it."""
        analyst, round_ = self._now.brief.analyst, self._now.round(step.round_number)
        if analyst is None or round_ is None or len(round_.usable) < 2:
            return None
        asked = question(analyst, step.round_number)
        await self.asking.ask_all(asked, asked.turns)
        key = asked.key(asked.turns[0])
        reply = self._now.answered.get(key)
        return (reply, self._now.labels.get(key, {})) if reply else None

    def _in_reply(self, reply: Reply, step: Step) -> Consensus | None:
        """What the analyst found, if it can be read."""
        round_ = self._now.round(step.round_number)
        return consensus_in(*reply, round_.responses) if round_ else None

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

    async def _fallback(self, who: str, found: Consensus | None, seat: str | None = None) -> None:
        record = self.asking.record
        other = "the agreement model" if found else "rules"
        await record.add(telling.fallback(who, other, record.clock(), seat))
