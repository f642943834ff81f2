"""Sessions: debates run here for clients that may come, go, and come back.

A session is a debate in the store that may be under way. Starting one returns its id once it is on
record; any client that has the id may watch it, wait for it, and give it orders, from anywhere.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine, Sequence
from contextlib import aclosing, nullcontext, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import DissentError, Held
from mutual_dissent.core.events import Event, Noted, Opened, Reopened, Status, Token
from mutual_dissent.core.ports import Funds
from mutual_dissent.core.transcript import NOT_SAVED, SAVED, Transcript, opening
from mutual_dissent.core.values.directive import Action
from mutual_dissent.hosting.channel import AnswerPiece, Batch, Channel
from mutual_dissent.hosting.desk import UserDesk
from mutual_dissent.hosting.engine import EngineError
from mutual_dissent.hosting.handover import Charge, Elsewhere, FundsOf
from mutual_dissent.proposer import proposal_cost
from mutual_dissent.stream import UpdateStream, Veil
from mutual_dissent.views.readiness import only_read

log = logging.getLogger("mutual_dissent")

LOOK = 0.25
"""Seconds between two looks at a debate that another process runs."""

RUNNING, WAITING = 64, 1000
"""Debates that run at once, and those that may wait for their turn."""

PARTING = 10.0
"""Seconds that a server waits, when it ends, for what could not be written yet."""


class Busy(DissentError):
    """The waiting list is full: one more debate would wait too long."""

    def __init__(self, running: int, waiting: int) -> None:
        super().__init__(
            f"{running} debates are under way here and {waiting} wait for their turn; "
            "try again in a minute"
        )


MOST_HANDED = 1000
"""Debates that wait for workers or are with them, of one server."""


@dataclass(slots=True)
class _Live:
    """A debate that this process runs, or will when its turn comes."""

    owner: str
    begins_with: type[Event]
    past: int = 0  # the number of the last event on record, which is told again first
    channel: Channel = field(default_factory=Channel)
    veil: Veil = field(default_factory=Veil)
    transcript: Transcript | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    on_record: bool = False
    waiting: bool = False
    has_turn: bool = False
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    failure: BaseException | None = None
    task: asyncio.Task[None] | None = None

    def is_beginning(self, happening: Event | Token) -> bool:
        """Return whether this is the event that the debate begins, or goes on, with."""
        if not isinstance(happening, self.begins_with) or self.begun.is_set():
            return False
        # Events on record are told again first; they begin nothing.
        return happening.seq > self.past

    def apply(self, event: Event) -> None:
        """Apply an event to the transcript."""
        if isinstance(event, Opened):
            self.transcript = opening(event)
        elif self.transcript is not None:
            self.transcript = self.transcript.apply(event)


class Sessions:
    """The debates of this process, and through the store those of all others."""

    def __init__(
        self,
        md: MutualDissent,
        *,
        running: int = RUNNING,
        waiting: int = WAITING,
        funds: FundsOf = lambda _owner, _debate: None,
        charge: Charge = lambda _owner, _dollars: None,
        elsewhere: Elsewhere | None = None,
    ) -> None:
        """Run debates of `md`, `running` at a time; they spend what `funds` allows.

        Those that `elsewhere` wants are held there.
        """
        self.md = md
        self._running, self._most_waiting = running, waiting
        self._turns = asyncio.Semaphore(running)
        self._funds, self._charge = funds, charge
        self._live: dict[str, _Live] = {}
        self._elsewhere = elsewhere
        self._handed: dict[str, str] = {}  # the ids of debates that are held elsewhere -> owners
        self._watches: set[asyncio.Task[None]] = set()
        md.funds_of = self._funds_of
        self.desk = md.human = UserDesk()

    # -- starting and going on -------------------------------------------------------------------

    async def start(self, query: str, *, owner: str = "", **options: Any) -> str:
        """Open a debate and return its id; it is on record, and runs when its turn comes.

        Raises:
            Busy: if too many wait already.
            DissentError: if the request is invalid.
        """
        self.check_room()
        # There was room before the brief, which may take a paid call (preset auto); `begin` looks
        # again.
        return await self.begin(await self.brief(query, owner=owner, **options), owner=owner)

    async def brief(self, query: str, *, owner: str = "", **options: Any) -> Brief:
        """Return the brief of a debate; the call that preset auto takes is charged to its owner.

        Raises:
            DissentError: if the request is invalid.
        """
        brief = await self.md.brief(query, owner=owner, **options)
        # It is paid for even if the debate never begins.
        self._charge(owner, proposal_cost(brief))
        return brief

    async def begin(self, brief: Brief, *, owner: str = "") -> str:
        """Open the debate of a brief."""
        self.check_room()
        brief = replace(brief, owner=owner)
        elsewhere = self._elsewhere if brief.me is None else None  # the user is asked here
        if elsewhere and elsewhere.wants(self.md.quote(brief).calls):
            return await self._hand_over(brief, elsewhere)
        return await self._launch(brief.transcript_id, _Live(owner, Opened), self.md.run(brief))

    async def resume(self, name: str, *, owner: str = "", **changes: Any) -> str:
        """Go on with a debate that was paused, stopped or interrupted."""
        return await self._again(name, owner, lambda full: self.md.resume(full, **changes))

    async def go_on(
        self,
        name: str,
        *,
        rounds: int = 1,
        remark: str | None = None,
        owner: str = "",
        **changes: Any,
    ) -> str:
        """Hold further rounds of a finished debate."""
        return await self._again(
            name,
            owner,
            lambda full: self.md.go_on(full, rounds=rounds, remark=remark, **changes),
        )

    async def synthesize(
        self, name: str, *, synthesizer: str | None = None, owner: str = "", **changes: Any
    ) -> str:
        """Have the answer of a debate written, or rewritten by another model."""
        return await self._again(
            name, owner, lambda full: self.md.synthesize(full, synthesizer=synthesizer, **changes)
        )

    async def analyze(
        self, name: str, *, analyst: str | None = None, owner: str = "", **changes: Any
    ) -> str:
        """Have a finished debate read by an analyst, again or for the first time."""
        return await self._again(
            name, owner, lambda full: self.md.analyze(full, analyst=analyst, **changes)
        )

    async def ask_again(self, name: str, key: str, *, owner: str = "", **changes: Any) -> str:
        """Have a panelist take its turn again, and go on from there."""
        return await self._again(name, owner, lambda full: self.md.ask_again(full, key, **changes))

    async def _again(self, name: str, owner: str, work: Callable[[str], UpdateStream]) -> str:
        self.check_room()
        full = await self.wait_for_readers(name)
        if full in self._handed:
            raise Held(full, "workers")
        past = self.md.store.transcript(full).last_seq
        return await self._launch(full, _Live(owner, Reopened, past), work(full))

    async def wait_for_readers(self, name: str) -> str:
        """Return the full id of a debate, once the readers that follow its answer have ended.

        A client that has the answer may give orders at once, and is not refused because of them.
        """
        full = self.md.store.find(name)
        live = self._live.get(full)
        if live and live.transcript and live.begun.is_set() and only_read(live.transcript):
            await live.ended.wait()
        return full

    def check_room(self) -> None:
        """Make sure that one more debate can at least wait.

        Raises:
            Busy: if it cannot.
        """
        if len(self._live) >= self._running + self._most_waiting:
            raise Busy(self._running, self._most_waiting)
        if len(self._handed) >= MOST_HANDED:
            raise Busy(len(self._handed), 0)

    # -- orders ----------------------------------------------------------------------------------

    async def pause(self, name: str) -> str:
        """Let the calls in flight end, then hold; resumable. A waiting debate is not begun."""
        full = self.md.store.find(name, to_change=True)
        if self._held_back(full) or await self._taken_back(full):
            return full
        return self.md.direct(full, Action.PAUSE)

    async def stop(self, name: str) -> str:
        """End the spending at once; what was answered is kept, and it can be resumed."""
        full = self.md.store.find(name, to_change=True)
        if live := self._held_back(full):
            await live.ended.wait()
            return full
        if await self._taken_back(full):
            return full
        return self.md.direct(full, Action.STOP)

    def _held_back(self, full: str) -> _Live | None:
        """Cancel a debate of ours that no panelist was asked in yet, and so reads no orders."""
        live = self._live.get(full)
        if live is None or live.task is None:
            return None
        if not live.waiting and self.md.store.holder(full) is not None:
            return None
        live.task.cancel()
        return live

    async def _taken_back(self, full: str) -> bool:
        """Cancel a debate that waits for a worker, and so reads no orders.

        Raises:
            EngineError: if the engine does not answer: then it may still be begun.
        """
        if self._elsewhere is None or full not in self._handed:
            return False
        if self.md.store.holder(full) is not None:
            return False
        await self._elsewhere.take_back(full)
        return True

    def hurry(self, name: str) -> str:
        """Go on without the panelists that have not answered, once there are enough answers."""
        return self.md.direct(name, Action.HURRY)

    def tell(self, name: str, text: str) -> str:
        """Say something to the panel, which it hears with the next requests."""
        return self.md.direct(name, Action.REMARK, text)

    # -- looking ---------------------------------------------------------------------------------

    def transcript(self, name: str) -> Transcript:
        """A debate as it stands now."""
        full = self.md.store.find(name)
        live = self._live.get(full)
        if live is None or live.transcript is None or not live.begun.is_set():
            return self.md.store.transcript(full)
        if live.waiting:
            return replace(live.transcript, status=Status.CREATED)
        return live.transcript

    def partial(self, name: str) -> tuple[AnswerPiece, ...]:
        """The answers of a debate of this process that are being written right now."""
        live = self._live.get(self.md.store.find(name))
        return live.channel.partial if live else ()

    def is_live(self, name: str) -> bool:
        """Return whether any process, this one included, works on a debate."""
        full = self.md.store.find(name)
        here = full in self._live or full in self._handed
        return here or self.md.store.holder(full) is not None or self.md.store.is_queued(full)

    def is_here(self, full: str) -> bool:
        """Return whether this process runs a debate on record, or has handed it to workers."""
        return full in self.live or full in self._handed

    def whose(self, full: str) -> str:
        """Name the holder of a debate that is here."""
        return "workers" if full in self._handed else "this very process"

    @property
    def live(self) -> tuple[str, ...]:
        """The ids of the debates on record that this process runs or will run."""
        return tuple(name for name, live in self._live.items() if live.begun.is_set())

    @property
    def waiting(self) -> int:
        """Number of debates that wait for their turn."""
        return sum(live.waiting for live in self._live.values())

    async def wait(
        self,
        name: str,
        seconds: float,
        until: Callable[[Transcript], bool] = lambda _: False,
    ) -> Transcript:
        """Return a debate as it stands when it is over, `until` holds, or the time is up."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), aclosing(self.follow(name)) as batches:
                async for _ in batches:
                    if until(self.transcript(name)):
                        break
        return self.transcript(name)

    async def follow(self, name: str, after: int = 0) -> AsyncGenerator[Batch, None]:
        """Yield the events after that number, then new batches, until no process works on it.

        Raises:
            DissentError: if there is no such debate.
        """
        full = self.md.store.find(name)
        if live := self._live.get(full):
            async with aclosing(live.channel.follow(after)) as batches:
                async for batch in batches:
                    yield batch
            return
        while True:
            # Looked up before the events: what a holder wrote last is then still read.
            held = self.md.store.holder(full) is not None or self.md.store.is_queued(full)
            if self.md.store.last_seq(full) > after:
                events = tuple(e for e in self.md.store.events(full) if e.seq > after)
                after = events[-1].seq
                yield Batch(events)
            if not held:
                return
            await asyncio.sleep(LOOK)

    async def aclose(self) -> None:
        """End what is under way; all of it can be resumed."""
        tasks = [live.task for live in self._live.values() if live.task]
        tasks += self._watches  # what is held elsewhere goes on there
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self.md.wait_for_record(PARTING)

    # -- held elsewhere --------------------------------------------------------------------------

    async def _hand_over(self, brief: Brief, elsewhere: Elsewhere) -> str:
        """Put a debate on record and have workers hold it; hold it here if the engine fails."""
        full = brief.transcript_id
        self._handed[full] = brief.owner
        try:
            async with aclosing(self.md.run(brief)) as events:
                await anext(events)  # on record, and no panelist was asked
            await elsewhere.hand(full, brief.mode)
        except EngineError as e:
            self._handed.pop(full)
            log.warning("debate %s stays here: %s", full[:8], e)
            return await self._again(full, brief.owner, self.md.resume)
        except BaseException:
            self._handed.pop(full)
            raise
        marked = asyncio.Event()
        self._beside(full, self._until_over(full, elsewhere, marked))
        # A client that looks at once must find it queued, not interrupted.
        await marked.wait()
        return full

    async def _until_over(self, full: str, elsewhere: Elsewhere, marked: asyncio.Event) -> None:
        """Mark a debate as queued for all processes, until no worker holds it or will."""
        try:
            with self.md.store.announce_wait(full):
                marked.set()
                await elsewhere.over(full)
        finally:
            self._handed.pop(full, None)

    def _beside(self, full: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Run a background task that no caller awaits; log its errors."""

        async def done() -> None:
            try:
                await work
            except DissentError as e:
                log.warning("debate %s: %s", full[:8], e)

        task = asyncio.create_task(done())
        self._watches.add(task)
        task.add_done_callback(self._watches.discard)
        return task

    # -- running ---------------------------------------------------------------------------------

    async def _launch(self, full: str, live: _Live, events: UpdateStream) -> str:
        """Run a debate in the background; return when it is on record, or raise why it is not."""
        if full in self._live:
            raise Held(full, "this very process")
        self._live[full] = live
        live.task = asyncio.create_task(self._run(full, live, events))
        # Not at the end of the task itself: one that is cancelled before its first step has none.
        live.task.add_done_callback(lambda _: self._end(full, live))
        try:
            await live.begun.wait()
        except asyncio.CancelledError:  # the caller left without its id
            live.task.cancel()
            raise
        # A failure after that is in the record, and the caller has the id to look there.
        if live.failure is not None and not live.on_record:
            raise live.failure
        return full

    async def _run(self, full: str, live: _Live, events: UpdateStream) -> None:
        """Watch a debate to its end, watched by clients or not. It goes on while it is watched."""
        try:
            async with aclosing(events):
                async for happening in events:
                    self._take(live, happening)
                    _write_down(full, live, happening)
                    if live.is_beginning(happening):
                        await self._turn(full, live)
        except DissentError as e:
            live.failure = e
            log.warning("debate %s: %s", full[:8], e)
        except Exception as e:  # a bug of ours: clients of the debate must not wait for ever
            live.failure = e
            log.exception("debate %s broke off", full[:8])

    def _end(self, full: str, live: _Live) -> None:
        self._show(live, live.veil.rest())
        if live.has_turn:
            self._turns.release()
        self._live.pop(full, None)
        # Also where it never began: whoever waits for its id gets the error, and does not wait for
        # ever.
        live.begun.set()
        live.ended.set()
        live.channel.end()

    async def _turn(self, full: str, live: _Live) -> None:
        """Wait for a free turn.

        The debate waits because its generator is not advanced: it asks no panelist until its next
        event is taken.
        """
        live.on_record = live.waiting = True
        must_wait = self._turns.locked()
        # Nobody holds it meanwhile: without this, other processes would list it as interrupted.
        with self.md.store.announce_wait(full) if must_wait else nullcontext():
            live.begun.set()
            await self._turns.acquire()
        live.waiting, live.has_turn = False, True

    def _take(self, live: _Live, happening: Event | Token) -> None:
        self._show(live, live.veil.take(happening))

    def _show(self, live: _Live, happenings: Sequence[Event | Token]) -> None:
        for happening in happenings:
            live.channel.put(happening)
            if not isinstance(happening, Token):
                live.apply(happening)

    def _funds_of(self, full: str) -> Funds | None:
        """Return what the debate of that id may spend."""
        live = self._live.get(full)
        owner = live.owner if live else self._handed.get(full)
        return None if owner is None else self._funds(owner, full)


def _write_down(full: str, live: _Live, happening: Event | Token) -> None:
    """Log that a debate could not be saved, or is saved again."""
    match happening:
        case Noted(seq=seq, code=code, text=text) if seq > live.past and code in (NOT_SAVED, SAVED):
            log.warning("debate %s: %s: %s", full[:8], code, text)
