"""The loop: walks a mode's script, asks what is not on record, and says what happens.

A debate that was interrupted is walked again from its start over the recorded answers, so that the
script sees exactly what it saw before; only what is missing is asked. Every answer is in the
journal before anybody is told of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from mutual_dissent.analysis import grading
from mutual_dissent.core.errors import NotSaved, clip, StoreError
from mutual_dissent.core.events import (
    Answered,
    Asked,
    Closed,
    Event,
    Noted,
    RoundEnded,
    RoundStarted,
    Status,
    Token,
)
from mutual_dissent.core.ports import Clock, Journal, Prices, Provider
from mutual_dissent.core.response import SMALL, Ask, ErrorKind, Finish, Response, storable
from mutual_dissent.core.step import Mode, Need, Script, Step, Turn
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.engine import weigh
from mutual_dissent.engine.budget import Budget
from mutual_dissent.engine.memory import Memory
from mutual_dissent.engine.outbox import Outbox
from mutual_dissent.prompts.compose import Composed, compose
from mutual_dissent.prompts.library import Library


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """What a debate needs from outside: the ports, and the texts."""

    provider: Provider
    journal: Journal
    prices: Prices
    library: Library
    clock: Clock


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
    task.add_done_callback(lambda _: debate.outbox.end())
    try:
        async for item in debate.outbox.items():
            yield item
    finally:
        task.cancel()
        await asyncio.wait([task])
    task.result()


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
    unsaved: bool = False

    def __post_init__(self) -> None:
        self.seq = self.memory.last_seq
        self.budget = Budget(self.now.brief.max_cost, self.world.prices)
        if self.now.brief.timeout:
            self.deadline = time.monotonic() + self.now.brief.timeout

    async def run(self) -> None:
        """From the first step to the closing event."""
        routes = list({p.route: None for p in self.now.brief.everyone})
        prices = asyncio.create_task(self.world.prices.prepare(routes))
        await self.world.provider.warm_up(routes)
        try:
            if not self.grade_only:
                await self.walk(self.mode.script(self.now))
            ending = _ending(self.now)
            if self.now.synthesis is not None:
                await self.walk(grading.script(self.now))
        except _Over as over:
            ending = over
        except asyncio.CancelledError:
            await self.record(self.closing(_Over(Status.INTERRUPTED, "interrupted", "")))
            raise
        finally:
            prices.cancel()
        await self.record(self.closing(ending))

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
        place = (step.round_number, step.role)
        groups = [(t,) for t in step.turns] if step.in_turn else [step.turns]
        for turns in groups:
            await self.ask_all(step, turns)
        if place in self.memory.ended:
            self.now = self.now.apply(self.memory.ended[place])
        else:
            await self.end(step)
        self.go_on_or_stop(step)

    async def ask_all(self, step: Step, turns: Sequence[Turn]) -> None:
        """Ask what is not on record, all at once; what is on record takes its place."""
        composed = [self.compose(step, turn) for turn in turns]
        missing = [c for c in composed if not self.remember(c.ask)]
        borrowed = [(c.ask, r) for c in missing if (r := self.memory.borrow(c.ask))]
        taken = {ask.key for ask, _ in borrowed}
        wanted = [c for c in missing if c.ask.key not in taken]
        await self.record(*self.beginning(step), *(self.lent(a, r) for a, r in borrowed))
        if wanted:
            await self.send(wanted)

    async def send(self, wanted: list[Composed]) -> None:
        """Put the requests on record, then send them together."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise _Over(Status.STOPPED, "timeout", "the debate's time limit was reached")
        asks = self.budget.afford([c.ask for c in wanted])
        if asks is None:
            limit = self.now.brief.max_cost
            raise _Over(
                Status.STOPPED, "budget", f"the next calls could exceed the limit of ${limit:g}"
            )
        asks = [replace(a, timeout=min(a.timeout, left)) for a in asks]
        await self.record(*(self.about_to_ask(a) for a in asks), *self.cuts(wanted))
        await _all([self.ask(a) for a in asks])

    async def ask(self, ask: Ask) -> None:
        """One call: its answer is on record before anything else happens with it."""
        response = await self.answer_to(ask)
        self.budget.charge(response)
        answered = Answered(
            at=self.world.clock(),
            key=ask.key,
            seat=ask.panelist.seat,
            request_hash=ask.request_hash,
            response=response,
        )
        score = weigh.scored(self.now, ask, response, self.world.clock())
        await self.record(answered, *([score] if score else []), *self.remarks(response))

    async def answer_to(self, ask: Ask) -> Response:
        """What the provider answers. One that breaks its promise not to raise costs one answer."""
        try:
            return storable(await self.world.provider.ask(ask, self.outbox.stream(ask)))
        except Exception as e:  # noqa: BLE001 - other panelists' answers are in flight
            return Response(
                model_id=ask.panelist.model_id,
                model_alias=ask.panelist.seat,
                round_number=ask.round_number,
                role=ask.role,
                content="",
                timestamp=self.world.clock(),
                error=f"the provider of {ask.panelist.seat} failed: {type(e).__name__}: {clip(str(e))}",
                error_kind=ErrorKind.BAD_RESPONSE,
                finish=Finish.FAILED,
                routing=ask.panelist.route,
            )

    async def end(self, step: Step) -> None:
        """Measure a finished step."""
        await self.record(
            RoundEnded(
                at=self.world.clock(),
                round_number=step.round_number,
                role=step.role,
                measures=weigh.measures(self.now, step),
            )
        )

    def go_on_or_stop(self, step: Step) -> None:
        """Stop where the step's answers do not suffice for the next one."""
        answers = [
            self.now.answered[k] for t in step.turns if (k := step.key(t)) in self.now.answered
        ]
        if broke := [a for a in answers if a.error_kind is ErrorKind.CREDITS]:
            raise _Over(Status.STOPPED, "credits", broke[0].error or "")
        if (
            any(a.error_kind is ErrorKind.TIMEOUT for a in answers)
            and time.monotonic() >= self.deadline
        ):
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
        """The request for a turn, no larger than its reader can take."""
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
        if not answered.reused:
            self.budget.charge(answered.response)
        if score := self.memory.scored.get(ask.about):
            self.now = self.now.apply(score)
        return True

    def beginning(self, step: Step) -> list[Event]:
        """The event that a step begins, unless the record has it."""
        place = (step.round_number, step.role)
        if place in self.memory.started:
            return []
        self.memory.started.add(place)
        seats = tuple(t.panelist.seat for t in step.turns)
        return [
            RoundStarted(
                at=self.world.clock(),
                round_number=step.round_number,
                role=step.role,
                seats=seats,
            )
        ]

    def lent(self, ask: Ask, response: Response) -> Answered:
        """An answer of the replayed debate, in this one."""
        return Answered(
            at=self.world.clock(),
            key=ask.key,
            seat=ask.panelist.seat,
            request_hash=ask.request_hash,
            response=response,
            reused=True,
        )

    def about_to_ask(self, ask: Ask) -> Asked:
        """The record of a request before it is sent."""
        return Asked(
            at=self.world.clock(),
            key=ask.key,
            seat=ask.panelist.seat,
            round_number=ask.round_number,
            role=ask.role,
            prompt=ask.prompt,
            request_hash=ask.request_hash,
            labels=ask.labels,
        )

    def cuts(self, wanted: Sequence[Composed]) -> list[Event]:
        """Whose answers were too long to be quoted whole; said once."""
        told = {n.seat for n in self.now.notes if n.code == "cut"}
        cut = dict.fromkeys(chain.from_iterable(c.cut for c in wanted))
        return [
            Noted(
                at=self.world.clock(),
                code="cut",
                seat=seat,
                text=f"{seat}'s answer is too long: the others see its beginning",
            )
            for seat in cut
            if seat not in told
        ]

    def remarks(self, response: Response) -> list[Event]:
        """What the user should know about an answer."""
        at, seat = self.world.clock(), response.model_alias
        if not response.usable:
            why = response.error or f"its answer was {response.finish.value}"
            return [Noted(at=at, code="absent", seat=seat, text=f"{seat}: {why}")]
        found: list[Event] = []
        if response.served_by_another:
            text = f"{seat}: asked for {response.model_id}, {response.served_model} answered"
            found.append(Noted(at=at, code="served_by", seat=seat, text=text))
        if response.finish is Finish.TRUNCATED:
            text = f"{seat}: the answer was cut at a length limit"
            found.append(Noted(at=at, code="truncated", seat=seat, text=text))
        return found

    def closing(self, over: _Over) -> Closed:
        """The event that ends this run."""
        return Closed(at=self.world.clock(), status=over.status, reason=over.reason, text=over.text)

    async def record(self, *events: Event) -> None:
        """Number events, store them, fold them in, and only then pass them on."""
        if not events:
            return
        numbered = [e.numbered(self.seq + i) for i, e in enumerate(events, start=1)]
        self.seq += len(numbered)
        if not self.unsaved:
            try:
                await asyncio.shield(self.world.journal.append(numbered))
            except NotSaved as e:
                numbered += self.not_saved(e)
            except StoreError:
                if not self.unsaved:  # else it only misses what could not be written just before
                    raise
        for event in numbered:
            self.now = self.now.apply(event)
            self.outbox.put(event)

    def not_saved(self, error: NotSaved) -> list[Event]:
        """From here on the debate lives in memory alone; said once."""
        if self.unsaved:
            return []
        self.unsaved = True
        self.seq += 1
        return [Noted(at=self.world.clock(), code="not_saved", text=str(error), seq=self.seq)]


def _ending(so_far: Transcript) -> _Over:
    """How a script that ran to its end is closed."""
    if so_far.synthesis is not None:
        return _Over(Status.COMPLETED, "done", "")
    tried = [f"{r.model_alias}: {r.error or r.finish.value}" for r in so_far.failed_syntheses]
    return _Over(Status.ERROR, "synthesis", "not synthesized: " + "; ".join(tried))


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
