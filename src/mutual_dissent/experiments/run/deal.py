"""An experiment as an engine sees it: its debates by pages, and what each is about.

Every worker can tell it: the experiment is on record, and the ids follow from its content.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import NotFound
from mutual_dissent.core.events import Status
from mutual_dissent.core.values.deal import STAGES, DealtPage, Due, Scope
from mutual_dissent.core.values.directive import Action
from mutual_dissent.experiments.design.experiment import Experiment
from mutual_dissent.experiments.jury.schedule import count_judgements, judgements
from mutual_dissent.experiments.run.registry import ORDERS, load_experiment, rows, save_state
from mutual_dissent.experiments.run.run import RunItem, brief_of
from mutual_dissent.store.experiments import State


@dataclass(slots=True)
class DealtExperiment:
    """An experiment as it was last read, with what was found out about it."""

    text: tuple[str, str]
    experiment: Experiment
    quotes: dict[str, float] = field(default_factory=dict)
    pieces: dict[str, RunItem] = field(default_factory=dict)


@dataclass(slots=True)
class Dealing:
    """The experiments of a record, for the process that deals their debates out."""

    md: MutualDissent
    _known: dict[str, DealtExperiment] = field(default_factory=dict)

    async def scope(self, name: str) -> Scope:
        """Return the size and the budget of an experiment."""
        experiment = (await self._read(name)).experiment
        spent = await asyncio.to_thread(lambda: [r.cost_usd or 0.0 for r in rows(self.md, name)])
        total = experiment.size + count_judgements(experiment)
        return Scope(total=total, earlier=sum(spent), budget=experiment.budget)

    async def page(self, name: str, stage: str, start: int, most: int) -> DealtPage:
        """Return up to `most` debates of a stage, from a place on."""
        known = await self._read(name)
        pieces = await asyncio.to_thread(self._slice, known.experiment, stage, start, most)
        held = await asyncio.to_thread(self._held, name)
        due = [await self._due(known, p, held) for p in pieces if not held[p.transcript_id][0]]
        then = start + most if len(pieces) == most else None
        return DealtPage(due=due, complete=len(pieces) - len(due), then=then)

    async def brief(self, name: str, transcript_id: str, limit: float | None) -> Brief:
        """Return the brief of a debate that no worker has begun yet.

        Raises:
            NotFound: if the experiment has no such debate.
        """
        known = await self._read(name)
        if transcript_id not in known.pieces:
            await asyncio.to_thread(self._index, known)
        piece = known.pieces.get(transcript_id)
        if piece is None:
            raise NotFound(f"experiment {name} has no debate {transcript_id[:8]} any more")
        return await brief_of(self.md, piece, limit)

    def order(self, name: str) -> tuple[bool, Action | None]:
        """Return whether the experiment was stopped, and the order for its debates under way."""
        state = self.md.experiments.state(name)
        return state in ORDERS, ORDERS.get(state) if state else None

    async def halt(self, name: str) -> None:
        """Put on record that no more debates of it are to be begun."""
        begins = (State.RUNNING, State.FINISHING)  # a stricter stop stays
        move = self.md.experiments.move
        await asyncio.to_thread(
            lambda: [move(name, State.STOPPING, self.md.clock(), only=s) for s in begins]
        )

    async def save_end(self, name: str, stopped: str, left: int) -> None:
        """Put on record where it stands now."""
        await asyncio.to_thread(save_state, self.md, name, stopped, left)

    async def _read(self, name: str) -> DealtExperiment:
        kept = await asyncio.to_thread(self.md.experiments.find, name)
        known = self._known.get(name)
        if kept is None or known is None or known.text != (kept.text, kept.settled):
            experiment = await load_experiment(self.md, name)
            text = (kept.text, kept.settled) if kept else ("", "")
            known = self._known[name] = DealtExperiment(text, experiment)
        return known

    def _slice(self, experiment: Experiment, stage: str, start: int, most: int) -> list[RunItem]:
        return list(islice(self._pieces(experiment, stage), start, start + most))

    def _pieces(self, experiment: Experiment, stage: str) -> Iterable[RunItem]:
        if stage == STAGES[0]:
            return experiment.trials()
        return judgements(self.md, experiment) if count_judgements(experiment) else ()

    def _index(self, known: DealtExperiment) -> None:
        """Index every debate by its id; what is judged may have come only now."""
        for stage in STAGES:
            for piece in self._pieces(known.experiment, stage):
                known.pieces[piece.transcript_id] = piece

    def _held(self, name: str) -> dict[str, tuple[bool, float]]:
        """Return id -> whether a debate is complete, and what was spent on it."""
        by_id: dict[str, tuple[bool, float]] = defaultdict(lambda: (False, 0.0))
        for row in rows(self.md, name):
            by_id[row.transcript_id] = (row.status is Status.COMPLETED, row.cost_usd or 0.0)
        return by_id

    async def _due(
        self, known: DealtExperiment, piece: RunItem, held: dict[str, tuple[bool, float]]
    ) -> Due:
        return Due(
            transcript_id=piece.transcript_id,
            mode=str(piece.options.get("mode") or ""),
            likely=await self._quote(known, piece),
            spent=held[piece.transcript_id][1],
        )

    async def _quote(self, known: DealtExperiment, piece: RunItem) -> float:
        if known.experiment.budget is None:
            return 0.0
        if piece.label not in known.quotes:
            quote = self.md.quote(await self.md.brief(piece.text, **piece.options))
            known.quotes[piece.label] = quote.cost_usd or 0.0
        return known.quotes[piece.label]
