"""The loop: walks a mode's script, asks what is not on record, and says what happens.

A debate that was interrupted is walked again from its start over the recorded answers, so that the
script sees exactly what it saw before; only what is missing is asked. Every answer is in the
journal before anybody is told of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from mutual_dissent.analysis import grading
from mutual_dissent.analysis.analyst import analyzer_of, consensus_in
from mutual_dissent.analysis.analyst import question as analyst_question
from mutual_dissent.analysis.consensus import Consensus, consensus
from mutual_dissent.analysis.relations import Compare
from mutual_dissent.core.errors import NotSaved, StoreError
from mutual_dissent.core.events import Closed, Event, Noted, Remarked, Scored, Status, Token
from mutual_dissent.core.ports import Clock, Journal, Prices, Provider, Tools
from mutual_dissent.core.response import SMALL, Ask, ErrorKind, Response, storable
from mutual_dissent.core.step import Mode, Need, Script, Step, Turn
from mutual_dissent.core.tool import Exchange, Use
from mutual_dissent.core.transcript import OPINION_ROLES, PANEL_ROLES, Transcript
from mutual_dissent.engine import telling, weigh
from mutual_dissent.engine.budget import Budget
from mutual_dissent.engine.memory import Memory
from mutual_dissent.engine.obeying import Directives, Obeying
from mutual_dissent.engine.outbox import Outbox
from mutual_dissent.prompts.compose import Composed, compose, once_more
from mutual_dissent.prompts.library import Library
from mutual_dissent.prompts.quoting import Fence

GRAIN = 0.01
"""Seconds by which a timer may be early."""


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a debate needs from outside: the ports, and the texts.

    `running` holds the debates that are under way, for whoever must end them.
    """

    provider: Provider
    journal: Journal
    prices: Prices
    library: Library
    clock: Clock
    tools: Tools | None = None
    directives: Directives | None = None
    semantics: Callable[[], Compare | None] = lambda: None
    running: set[asyncio.Task[None]] = field(default_factory=set)


async def deliberate(
    opened: Transcript, mode: Mode, world: World, memory: Memory, *, grade_only: bool = False
) -> AsyncGenerator[Event | Token, None]:
    """Run a debate from where its record ends, and yield everything that happens.

    Args:
        opened: the transcript of the bare opening; the record is in `memory`.
        grade_only: leave the debate as it is, of which `opened` then has all, and ask the judge.
    """
    debate = _Debate(opened, mode, world, memory, grade_only)
    task = asyncio.create_task(debate.run())
    debate.obeying.begin(task)
    world.running.add(task)
    task.add_done_callback(world.running.discard)
    task.add_done_callback(lambda _: debate.outbox.end())
    try:
        async for item in debate.outbox.items():
            yield item
    finally:
        task.cancel()
        await asyncio.wait([task])
    task.result()


EMBEDDED = "local"


class _Over(Exception):
    """The debate cannot go on: how it is closed."""

    def __init__(self, status: Status, reason: str, text: str) -> None:
        super().__init__(text)
        self.status, self.reason, self.text = status, reason, text


@dataclass(slots=True)
class _Debate:
    """One run of one debate."""

    now: Transcript
    mode: Mode
    world: World
    memory: Memory
    grade_only: bool
    outbox: Outbox = field(default_factory=Outbox)
    seq: int = 0
    deadline: float = float("inf")
    budget: Budget = field(init=False)
    obeying: Obeying = field(init=False)
    unsaved: bool = False
    scores: list[Scored] = field(default_factory=list)
    unsent: dict[int, Event] = field(default_factory=dict)
    sent: int = 0

    def __post_init__(self) -> None:
        self.seq = self.sent = self.memory.last_seq
        self.budget = Budget(self.now.brief.max_cost, self.world.prices)
        self.obeying = Obeying(self.world.directives)
        for response in self.memory.bought:
            self.budget.charge(response)
        for remark in self.memory.remarks:
            self.now = self.now.apply(remark)
        if self.now.brief.timeout:
            self.deadline = time.monotonic() + self.now.brief.timeout

    async def run(self) -> None:
        """From the first step to the closing event."""
        routes = list({p.route: None for p in self.now.brief.everyone})
        try:
            with suppress(Exception):  # whatever is wrong, the calls will meet it and say so
                await self.world.prices.prepare(routes)
                await self.world.provider.warm_up(routes)
            ending = await self.deliberation()
            if self.now.synthesis is not None:
                await self.grading()
        except asyncio.CancelledError:
            if self.obeying.stopped:
                await self.close(_Over(Status.STOPPED, "stopped", "stopped by directive"))
                return
            await self.close(_Over(Status.INTERRUPTED, "interrupted", ""))
            raise
        finally:
            await self.obeying.end()
        await self.close(ending)

    async def deliberation(self) -> _Over:
        """The mode's own procedure, and how it ended."""
        if self.grade_only:
            return _ending(self.now)
        try:
            await self.walk(self.mode.script(self.now))
        except _Over as over:
            return over
        return _ending(self.now)

    async def grading(self) -> None:
        """The judge's part. The answer stands, whatever becomes of it."""
        try:
            await self.walk(grading.script(self.now))
        except _Over as over:
            text = f"not scored: {over.text}"
            await self.record(Noted(at=self.world.clock(), code="not_scored", text=text))

    async def walk(self, script: Script) -> None:
        """Go through a script step by step, each time telling it how things stand."""
        try:
            step = next(script)
            while True:
                await self.take(step)
                step = script.send(self.now)
        except StopIteration:
            return

    async def take(self, step: Step) -> None:
        """One step, from the first request to the measures."""
        remarks, self.obeying.remarks = self.obeying.remarks, []
        await self.record(*(Remarked(at=self.world.clock(), text=r) for r in remarks))
        for turns in step.waves:
            await self.ask_all(step, turns)
        if past := self.memory.ended.get(step.place):
            self.now = self.now.apply(past)
        else:
            measures = await self.weighed(step)
            await self.record(telling.ended(step, measures, self.world.clock()))
        self.go_on_or_stop(step)

    async def weighed(self, step: Step) -> dict[str, Any]:
        """What a finished step says, worked out where it delays no token."""
        found = await self.analysed(step) if step.role in OPINION_ROLES else None
        fixed = self.mode.rounds is None
        last = None if fixed else self.now.max_rounds - self.mode.first_counts
        return await asyncio.to_thread(weigh.measures, self.now, step, found, last=last)

    async def analysed(self, step: Step) -> Consensus | None:
        """How far a round agrees, by the best analyzer that was asked for and is there."""
        wanted = analyzer_of(self.now.brief, self.mode)
        if wanted == "model" and (found := await self.by_analyst(step)):
            return found
        if wanted in ("model", "semantic"):
            found = await asyncio.to_thread(self.by_meaning, step)
            if found is None and wanted == self.now.brief.analyzer == "semantic":
                await self.record(telling.fallback("the agreement model", self.world.clock()))
            return found
        return None

    async def by_analyst(self, step: Step) -> Consensus | None:
        """What the analyst says, if it can be read."""
        analyst, round_ = self.now.brief.analyst, self.now.round(step.round_number)
        if analyst is None or round_ is None or len(round_.usable) < 2:
            return None
        question = analyst_question(analyst, step.round_number)
        await self.ask_all(question, question.turns)
        key = question.key(question.turns[0])
        if (reply := self.now.answered.get(key)) is None:
            return None
        found = consensus_in(reply, self.now.labels.get(key, {}), round_.responses)
        if found is None:
            await self.record(
                telling.fallback(f"the analyst {analyst.seat}", self.world.clock(), analyst.seat)
            )
        return found

    def by_meaning(self, step: Step) -> Consensus | None:
        """What the embedded agreement model says, if it is installed and can."""
        round_ = self.now.round(step.round_number)
        if round_ is None or len(round_.usable) < 2:
            return None
        with suppress(Exception):  # a measure that fails costs no debate: the rules are there
            compare = self.world.semantics()
            return consensus(round_.responses, compare, "semantic") if compare else None
        return None

    async def ask_all(self, step: Step, turns: Sequence[Turn]) -> None:
        """Ask what is not on record, all at once; what is on record takes its place."""
        at = self.world.clock()
        composed = [self.compose(step, turn) for turn in turns]
        missing = [c for c in composed if not self.remember(c.ask)]
        if missing:
            self.memory.ended.pop(step.place, None)
        lent = {c.ask.key: r for c in missing if (r := self.memory.borrow(c.ask))}
        scores, self.scores = self.scores, []
        begun = [] if step.place in self.memory.started else [telling.begun(step, at)]
        self.memory.started.add(step.place)
        borrowed = [c.ask for c in missing if c.ask.key in lent]
        await self.record(
            *begun,
            *scores,
            *(telling.answered(a, lent[a.key], at, reused=True) for a in borrowed),
        )
        silent = step.role in PANEL_ROLES and 0 <= step.round_number <= self.memory.complete
        wanted = [c for c in missing if c.ask.key not in lent]
        if wanted and not silent:
            await self.send(wanted)
        await self.ask_again(composed)

    async def ask_again(self, composed: Sequence[Composed]) -> None:
        """Ask once more for structured answers that are not in order, if that can be paid for."""
        wanted = []
        for c in composed:
            reply = self.now.answered.get(c.ask.key)
            if reply and (wrong := weigh.complaint(c.turn, reply)):
                again = once_more(c, reply, wrong, self.now.brief.nonce)
                if not self.remember(again.ask) and self.budget.afford([again.ask]):
                    wanted.append(again)
        if wanted:
            await self.send(wanted)

    async def send(self, wanted: list[Composed]) -> None:
        """Put the requests on record, then send them together."""
        if self.obeying.paused:
            raise _Over(Status.PAUSED, "paused", "paused by directive")
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise _Over(Status.STOPPED, "timeout", "the debate's time limit was reached")
        asks = self.budget.afford([c.ask for c in wanted])
        if asks is None:
            raise _Over(Status.STOPPED, "budget", self.budget.refusal)
        tools = self.world.tools.offered() if self.now.brief.tools and self.world.tools else ()
        asks = [
            replace(
                a,
                timeout=min(a.timeout, left),
                tools=tools if a.role in OPINION_ROLES else (),
            )
            for a in asks
        ]
        at = self.world.clock()
        await self.record(
            *(telling.asked(a, at) for a in asks), *telling.cuts(self.memory.cut, wanted, at)
        )
        await _all([self.ask(a, c) for a, c in zip(asks, wanted, strict=True)])

    async def ask(self, ask: Ask, composed: Composed) -> None:
        """One call: its answer is on record before anything else happens with it."""
        response = weigh.read(ask, composed.turn, await self.answer_with_tools(ask))
        self.budget.charge(response)
        at = self.world.clock()
        if composed.again and not response.usable:  # the first reply stands, as far as it goes
            response = replace(response, role="correction")
        score = weigh.scored(self.now, ask, response, at)
        await self.record(
            telling.answered(ask, response, at),
            *([score] if score else []),
            *([] if composed.again else telling.remarks(response, at)),
        )

    async def answer_with_tools(self, ask: Ask) -> Response:
        """The answer, after as many uses of tools as the panelist wants and may have.

        Each reply that only calls tools was paid for: it is on record before a tool is used.
        """
        response = await self.answer_to(ask)
        while ask.tools and response.usable and response.tool_calls and not ask.tools_spent:
            key = f"{ask.key}/tools{len(ask.exchanges)}"
            calling = replace(response, role="tool_use")
            at = self.world.clock()
            await self.record(telling.answered(replace(ask, key=key), calling, at))
            self.budget.charge(response)
            uses = [await self.used(call, key) for call in response.tool_calls]
            exchange = Exchange(text=response.content, uses=tuple(uses))
            ask = replace(ask, exchanges=(*ask.exchanges, exchange))
            response = await self.answer_to(ask)
        return response

    async def used(self, call: dict[str, Any], key: str) -> Use:
        """One use of a tool; what came of it is quoted, so that nobody takes it for orders."""
        use = Use.of(call, "")
        found = await self.world.tools.use(use.name, use.arguments) if self.world.tools else ""
        return replace(use, result=Fence.of(self.now.brief.nonce, key).quote("found", found))

    async def answer_to(self, ask: Ask) -> Response:
        """What the provider answers. One that breaks its promise not to raise costs one answer."""
        try:
            response = storable(await self.world.provider.ask(ask, self.outbox.stream(ask)))
        except Exception as e:  # noqa: BLE001 - other panelists' answers are in flight
            return telling.broken(ask, e, self.world.clock())
        late = response.error_kind is ErrorKind.TIMEOUT
        over = time.monotonic() >= self.deadline - GRAIN
        return telling.out_of_time(response) if late and over else response

    def go_on_or_stop(self, step: Step) -> None:
        """Stop where the step's answers do not suffice for the next one."""
        keys = (step.key(t) for t in step.turns)
        answers = [self.now.answered[k] for k in keys if k in self.now.answered]
        if broke := [a for a in answers if a.error_kind is ErrorKind.CREDITS]:
            raise _Over(Status.STOPPED, "credits", broke[0].error or "")
        late = any(a.error_kind is ErrorKind.TIMEOUT for a in answers)
        if late and time.monotonic() >= self.deadline:
            raise _Over(Status.STOPPED, "timeout", "the debate's time limit was reached")
        usable = sum(a.usable for a in answers)
        if step.need is Need.QUORUM and usable < self.now.brief.quorum:
            raise _Over(
                Status.ERROR,
                "quorum",
                f"{usable} of {len(step.turns)} panelists answered, "
                f"{self.now.brief.quorum} are needed",
            )

    def compose(self, step: Step, turn: Turn) -> Composed:
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

    def remember(self, ask: Ask) -> bool:
        """Whether an ask is answered on record; if so, it takes its place."""
        answered = self.memory.recorded(ask)
        if answered is None:
            return False
        self.now = self.now.apply(answered)
        if score := weigh.scored(self.now, ask, answered.response, answered.at):
            self.rescore(score)
        return True

    def rescore(self, score: Scored) -> None:
        """A judge's recorded reply counts again, also if another judge was asked since."""
        stands = self.memory.scored.get(score.about)
        self.now = self.now.apply(score)
        if stands is None or stands.score != score.score:
            self.scores.append(score)

    async def close(self, over: _Over) -> None:
        """The event that ends this run."""
        at = self.world.clock()
        await self.record(Closed(at=at, status=over.status, reason=over.reason, text=over.text))

    async def record(self, *events: Event) -> None:
        """Number events, store them, fold them in, and only then pass them on, in order."""
        numbered = self.numbered(events)
        if not numbered:
            return
        try:
            if not self.unsaved:
                await _to_the_end(self.world.journal.append(numbered))
        except NotSaved as e:
            numbered += self.not_saved(e)
        except StoreError:
            if not self.unsaved:  # else it only misses what could not be written just before
                raise
        finally:
            self.pass_on(numbered)

    def numbered(self, events: Sequence[Event]) -> list[Event]:
        """The events with their places in the log."""
        placed = [e.numbered(self.seq + i) for i, e in enumerate(events, start=1)]
        self.seq += len(placed)
        return placed

    def pass_on(self, events: Sequence[Event]) -> None:
        """Fold events in and show them, none before those with smaller numbers."""
        self.unsent.update({e.seq: e for e in events})
        while event := self.unsent.pop(self.sent + 1, None):
            self.sent += 1
            self.now = self.now.apply(event)
            self.outbox.put(event)

    def not_saved(self, error: NotSaved) -> list[Event]:
        """From here on the debate lives in memory alone; said once."""
        if self.unsaved:
            return []
        self.unsaved = True
        return self.numbered([Noted(at=self.world.clock(), code="not_saved", text=str(error))])


def _ending(so_far: Transcript) -> _Over:
    """How a script that ran to its end is closed."""
    if so_far.synthesis is not None:
        return _Over(Status.COMPLETED, "done", "")
    tried = [f"{r.model_alias}: {r.error or r.finish.value}" for r in so_far.failed_syntheses]
    return _Over(Status.ERROR, "synthesis", "not synthesized: " + "; ".join(tried))


async def _to_the_end(work: Coroutine[None, None, None]) -> None:
    """Wait for work that must not be left half done, also if whoever waits is cancelled."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


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
