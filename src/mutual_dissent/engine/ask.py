"""Asking: what is on record takes its place, what is not is asked and put on record."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field, replace

from mutual_dissent.core.events import Scored, Status
from mutual_dissent.core.response import SMALL, Ask, ErrorKind, Response, storable
from mutual_dissent.core.step import Step, Turn
from mutual_dissent.core.transcript import PANEL_ROLES, Transcript
from mutual_dissent.engine import telling, weigh
from mutual_dissent.engine.budget import Budget
from mutual_dissent.engine.ending import Over
from mutual_dissent.engine.memory import Memory
from mutual_dissent.engine.obeying import Obeying
from mutual_dissent.engine.record import Record
from mutual_dissent.engine.time_limit import GRAIN, TimeLimit
from mutual_dissent.engine.tool_use import ToolUse
from mutual_dissent.engine.world import World
from mutual_dissent.prompts.compose import Composed, compose, once_more

EMBEDDED = "local"


@dataclass(slots=True, kw_only=True)
class Asking:
    """How words come out of the models of one debate."""

    world: World
    record: Record
    memory: Memory
    obeying: Obeying
    limit: TimeLimit
    budget: Budget = field(init=False)
    tool_use: ToolUse = field(init=False)
    scores: list[Scored] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.budget = Budget(self.now.brief.max_cost, self.world.prices)
        self.tool_use = ToolUse(self.world.tools, self.record, self.budget)
        for response in self.memory.bought:
            self.budget.charge(response)

    @property
    def now(self) -> Transcript:
        """How the debate stands."""
        return self.record.now

    async def ask_all(self, step: Step, turns: Sequence[Turn]) -> None:
        """Ask what is not on record, all at once; what is on record takes its place."""
        at = self.world.clock()
        composed = [self._compose(step, turn) for turn in turns]
        missing = [c for c in composed if not self._remember(c.ask)]
        if missing:
            self.memory.ended.pop(step.place, None)
        lent = {c.ask.key: r for c in missing if (r := self.memory.borrow(c.ask))}
        scores, self.scores = self.scores, []
        begun = [] if step.place in self.memory.started else [telling.begun(step, at)]
        self.memory.started.add(step.place)
        borrowed = [c.ask for c in missing if c.ask.key in lent]
        await self.record.add(
            *begun,
            *scores,
            *(telling.answered(a, lent[a.key], at, reused=True) for a in borrowed),
        )
        silent = step.role in PANEL_ROLES and 0 <= step.round_number <= self.memory.complete
        wanted = [c for c in missing if c.ask.key not in lent]
        if wanted and not silent:
            await self._send(wanted)
        await self._ask_again(composed)

    async def _ask_again(self, composed: Sequence[Composed]) -> None:
        """Ask once more for structured answers that are not in order, if that can be paid for."""
        wanted = []
        for c in composed:
            reply = self.now.answered.get(c.ask.key)
            if reply and (wrong := weigh.complaint(c.turn, reply)):
                again = once_more(c, reply, wrong, self.now.brief.nonce)
                if not self._remember(again.ask) and self.budget.afford([again.ask]):
                    wanted.append(again)
        if wanted:
            await self._send(wanted)

    async def _send(self, wanted: list[Composed]) -> None:
        """Put the requests on record, then send them together."""
        if self.obeying.paused:
            raise Over(Status.PAUSED, "paused", "paused by directive")
        if self.limit.passed():
            raise self.limit.over
        asks = self.budget.afford([c.ask for c in wanted])
        if asks is None:
            raise Over(Status.STOPPED, "budget", self.budget.refusal)
        asks = [self._allowed(a) for a in asks]
        at = self.world.clock()
        await self.record.add(
            *(telling.asked(a, at) for a in asks), *telling.cuts(self.memory.cut, wanted, at)
        )
        await _all([self._ask(a, c) for a, c in zip(asks, wanted, strict=True)])

    def _allowed(self, ask: Ask) -> Ask:
        """The ask with the time and the tools that it may have."""
        timeout = min(ask.timeout, self.limit.left)
        return replace(ask, timeout=timeout, tools=self.tool_use.offered(ask.role))

    async def _ask(self, ask: Ask, composed: Composed) -> None:
        """One call: its answer is on record before anything else happens with it."""
        said = await self.tool_use.answer(ask, self._answer_to)
        response = weigh.read(ask, composed.turn, said)
        self.budget.charge(response)
        at = self.world.clock()
        if composed.again and not response.usable:  # the first reply stands, as far as it goes
            response = replace(response, role="correction")
        score = weigh.scored(self.now, ask, response, at)
        await self.record.add(
            telling.answered(ask, response, at),
            *([score] if score else []),
            *([] if composed.again else telling.remarks(response, at)),
        )

    async def _answer_to(self, ask: Ask) -> Response:
        """What the provider answers. One that breaks its promise not to raise costs one answer."""
        on_text = self.record.outbox.stream(ask)
        try:
            response = storable(await self.world.provider.ask(ask, on_text))
        except Exception as e:  # noqa: BLE001 - other panelists' answers are in flight
            return telling.broken(ask, e, self.world.clock())
        late = response.error_kind is ErrorKind.TIMEOUT
        return telling.out_of_time(response) if late and self.limit.passed(GRAIN) else response

    def _compose(self, step: Step, turn: Turn) -> Composed:
        """The request for a turn, no larger than its reader can take.

        The embedded model cannot fill in forms: it is asked for plain text everywhere.
        """
        if turn.panelist.route.vendor == EMBEDDED:
            turn = replace(turn, form=None, checks=())
        composed = compose(self.now, step, turn, self.world.library)
        if composed.ask.input_estimate <= SMALL:
            return composed
        window = self.world.prices.context_window(turn.panelist.route)
        return compose(self.now, step, turn, self.world.library, window) if window else composed

    def _remember(self, ask: Ask) -> bool:
        """Whether an ask is answered on record; if so, it takes its place."""
        answered = self.memory.recorded(ask)
        if answered is None:
            return False
        self.record.fold(answered)
        if score := weigh.scored(self.now, ask, answered.response, answered.at):
            self._rescore(score)
        return True

    def _rescore(self, score: Scored) -> None:
        """A judge's recorded reply counts again, also if another judge was asked since."""
        stands = self.memory.scored.get(score.about)
        self.record.fold(score)
        if stands is None or stands.score != score.score:
            self.scores.append(score)


async def _all(calls: Sequence[Coroutine[None, None, None]]) -> None:
    """Run calls together. If one breaks or all are cancelled, none is left running."""
    tasks = [asyncio.create_task(c) for c in calls]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
        if pending := [t for t in tasks if not t.done()]:
            await asyncio.wait(pending)
