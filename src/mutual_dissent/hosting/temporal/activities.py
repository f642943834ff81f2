"""The activities of a worker: hold debates, and tell workflows what the record says."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NoReturn, TypeVar

from temporalio import activity
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import (
    DissentError,
    Held,
    HeldAlready,
    NotFound,
    NotRunning,
    StoreError,
    Unreachable,
)
from mutual_dissent.core.events import Status
from mutual_dissent.core.values.deal import DealtPage, Scope
from mutual_dissent.core.values.directive import Action, Directive
from mutual_dissent.engine.ending import RESTING, DebateEnding
from mutual_dissent.hosting.engine import Dealer
from mutual_dissent.hosting.hold import AtRest, Ending, follow_to_end, on_record
from mutual_dissent.hosting.temporal.payloads import (
    ENDED,
    HALT,
    HOLD,
    PAGE,
    SCOPE,
    SEEN,
    WAITING,
    DebateOutcome,
    Given,
    PageRequest,
    WorkflowState,
)
from mutual_dissent.providers.routes import check_keys
from mutual_dissent.store.postgres.leases import BEATS
from mutual_dissent.stream import UpdateStream

T = TypeVar("T")

LOOK = 1.0
"""Seconds between two looks at whether an experiment was stopped."""

AGAIN = 5.0
"""Seconds after which an order is repeated to a debate that goes on."""

MOST_ATTEMPTS = 1000
"""Attempts at a debate before it is given up: it may be what kills the workers."""

TRIES_WITHOUT_KEY = 120
"""Attempts at a debate that workers have no key for, before it fails: about an hour, for whoever
has the key may be busy with longer debates than this one."""

LONGEST_WAIT = 30.0
"""Seconds between two of these attempts at most."""

ORDERED = ("paused", "stopped", RESTING)
"""The reasons of debates that closed on an order."""

LONGEST_REASON = 300


@dataclass(slots=True)
class Work:
    """The activities of one worker.

    Attributes:
        rest: how debates close that would ask something now; None if they may ask.
        warn: says on this worker's terminal what it lacks.
        held: number of debates that have ended here.
    """

    md: MutualDissent
    dealer: Dealer
    rest: Callable[[], DebateEnding | None]
    warn: Callable[[str], None] = lambda _: None
    held: int = 0
    _lacks: set[str] = field(default_factory=set)
    _orders: dict[str, tuple[float, tuple[bool, Action | None]]] = field(default_factory=dict)

    @property
    def every(self) -> list[Callable[..., Awaitable[object]]]:
        """All activities."""
        return [self.hold, self.scope, self.page, self.look_up, self.halt, self.ended]

    @activity.defn(name=HOLD)
    async def hold(self, given: Given) -> DebateOutcome:
        """Hold a debate to its end, or to its rest; go on where its record ends."""
        try:
            return await self._hold(given)
        except AtRest:
            # A worker that cannot write would take it up again at once, and rest again.
            _again("at rest", LOOK if self.md.store.in_debt else 0.0)
        except (Held, HeldAlready):  # the lease of a dead worker has not run out, or this one's has
            # A worker that leaves may release it a moment later.
            _again("held elsewhere", min(given.lease / BEATS, LOOK * activity.info().attempt))
        except StoreError as e:  # nothing is wrong with the debate
            _again(type(e).__name__, LOOK)
        except Unreachable as e:
            if activity.info().attempt >= TRIES_WITHOUT_KEY:
                return DebateOutcome(status=Status.ERROR.value, reason=str(e)[:LONGEST_REASON])
            await self._lacking(e, given.lease)
        except DissentError as e:
            return DebateOutcome(status=Status.ERROR.value, reason=str(e)[:LONGEST_REASON])
        except Exception as e:  # noqa: BLE001 - its text may hold content, not for Temporal
            return DebateOutcome(status=Status.ERROR.value, reason=type(e).__name__)

    async def _lacking(self, error: Unreachable, lease: float) -> NoReturn:
        """Leave a debate to a worker that has the key, and say once what is missing here."""
        if str(error) not in self._lacks:
            self._lacks.add(str(error))
            self.warn(f"{error}, and start this worker again; its debates are left to others")
        # Without this pause it would always be the one that is free, and take every debate first.
        await asyncio.sleep(min(LOOK, lease / BEATS))
        _again("no key here", min(LONGEST_WAIT, LOOK * activity.info().attempt))

    @activity.defn(name=SCOPE)
    async def scope(self, name: str) -> Scope:
        """Return the size and the budget of an experiment."""
        return await _read(self.dealer.scope(name))

    @activity.defn(name=PAGE)
    async def page(self, request: PageRequest) -> DealtPage:
        """Some debates of an experiment."""
        page = self.dealer.page(request.name, request.stage, request.start, request.most)
        return await _read(page)

    @activity.defn(name=SEEN)
    async def look_up(self, transcript_id: str) -> DebateOutcome:
        """Return how a debate stands on record."""
        return await _read(asyncio.to_thread(self._on_record, transcript_id))

    @activity.defn(name=HALT)
    async def halt(self, name: str) -> bool:
        """Put on record that no more debates of an experiment are to be begun."""
        await _read(self.dealer.halt(name))
        return True

    @activity.defn(name=ENDED)
    async def ended(self, standing: WorkflowState) -> bool:
        """Put on record where an experiment stands now."""
        await _read(self.dealer.save_end(standing.name, standing.stopped, standing.left))
        return True

    def _on_record(self, name: str) -> DebateOutcome:
        try:
            transcript = self.md.store.transcript(name)
        except NotFound:
            return DebateOutcome()
        cost = sum(r.cost_usd or 0.0 for _, r in transcript.responses())
        waits = transcript.status in (Status.PAUSED, Status.INTERRUPTED, Status.STOPPED)
        reason = transcript.closed_reason or transcript.status.value
        return DebateOutcome(
            status=transcript.status.value, reason=reason, cost=cost, ordered=waits
        )

    def _ordered(self, name: str) -> DebateOutcome | None:
        """Return how a debate ended that was paused or stopped before a worker came to it."""
        outcome = self._on_record(name)
        over = (Status.PAUSED.value, Status.STOPPED.value, Status.COMPLETED.value)
        return outcome if outcome.status in over else None

    async def _hold(self, given: Given) -> DebateOutcome:
        name = given.transcript_id
        if self.rest():
            raise AtRest
        begun = bool(await asyncio.to_thread(self.md.store.last_seq, name))
        stopped, action = await self._order(given.experiment)
        if stopped and (action or not begun):
            status = Status.PAUSED.value if begun else WAITING
            return DebateOutcome(status=status, reason="paused", ordered=True, halted=True)
        if (
            begun
            and not given.experiment
            and (outcome := await asyncio.to_thread(self._ordered, name))
        ):
            return outcome
        if activity.info().attempt > MOST_ATTEMPTS:
            reason = f"taken up {MOST_ATTEMPTS:,} times, and nobody came to an end with it"
            return DebateOutcome(status=Status.ERROR.value, reason=reason)
        ending = await self._watched(given, asyncio.create_task(self._ending(given, begun=begun)))
        stopped, _ = await self._order(given.experiment)
        self.held += 1
        return DebateOutcome(
            status=ending.status.value,
            reason=ending.reason,
            cost=ending.cost,
            unpriced=ending.unpriced,
            ordered=ending.reason in ORDERED,
            halted=stopped,
        )

    async def _ending(self, given: Given, *, begun: bool) -> Ending:
        ending = await follow_to_end(await self._happenings(given, begun=begun))
        await on_record(self.md, given.transcript_id)
        return ending

    async def _happenings(self, given: Given, *, begun: bool) -> UpdateStream:
        """Begin a debate, or go on where its record ends."""
        name = given.transcript_id
        if not begun:
            brief = await self.dealer.brief(given.experiment, name, given.new_cost)
            return self.md.run(brief, tokens=False)
        past = await asyncio.to_thread(self.md.store.transcript, name)
        check_keys(past.brief.everyone, self.md.settings.endpoints())
        if given.max_cost is None:
            return self.md.resume(name)
        return self.md.resume(name, max_cost=given.max_cost)

    async def _watched(self, given: Given, work: asyncio.Task[Ending]) -> Ending:
        """Send heartbeats while a debate is held, and pass orders on to it.

        Raises:
            AtRest: if this worker gave it up, or if it is to wait where it is.
        """
        orders = Told(self.md, given.transcript_id)
        beat = min(LOOK, given.lease / BEATS)
        own: Action | None = None
        try:
            while not work.done():
                activity.heartbeat()
                try:
                    await asyncio.wait([work], timeout=beat)
                    _, action = await _alive(self._order(given.experiment), beat)
                    if not work.done():
                        await _alive(orders.say(own or action), beat)
                except asyncio.CancelledError:
                    if not _is_to_rest():
                        raise AtRest from None  # the grace is over, or another worker has it by now
                    own = Action.PAUSE
            ending = work.result()
        finally:
            if not work.done():
                work.cancel()
                await asyncio.wait([work])
                _ = work.cancelled() or work.exception()  # it may have come to rest meanwhile
        if _is_paused() and ending.reason in ORDERED:
            # Only what failed is tried again once Temporal's pause is lifted; a result ends it.
            raise AtRest
        return ending

    async def _order(self, name: str) -> tuple[bool, Action | None]:
        """Return the orders for an experiment, looked up once for all of its debates."""
        if not name:
            return False, None
        at, order = self._orders.get(name, (float("-inf"), (False, None)))
        if order[0] or time.monotonic() - at >= LOOK:  # a stop may have been taken back since
            self._orders[name] = (time.monotonic(), order)  # its other debates need not look, too
            with suppress(StoreError):  # perhaps next time
                order = await asyncio.to_thread(self.dealer.order, name)
                self._orders[name] = (time.monotonic(), order)
        return order


@dataclass(slots=True)
class Told:
    """The orders given to a debate, and when."""

    md: MutualDissent
    transcript_id: str
    _last: tuple[Action | None, float] = (None, 0.0)

    async def say(self, action: Action | None) -> None:
        """Give an order, and repeat it after a while: the debate may not listen yet."""
        last, at = self._last
        if action is None or (last is action and time.monotonic() - at < AGAIN):
            return
        directive = Directive(action=action)
        with suppress(NotRunning, StoreError):  # not begun, or the store is away: later
            await asyncio.to_thread(self.md.store.direct, self.transcript_id, directive)
            self._last = (action, time.monotonic())


async def _alive(work: Coroutine[None, None, T], beat: float) -> T:
    """Wait for work on a record that may be silent, and give signs of life meanwhile."""
    task = asyncio.create_task(work)
    while not task.done():
        activity.heartbeat()
        await asyncio.wait([task], timeout=beat)
    return task.result()


def _is_to_rest() -> bool:
    """Return whether the debate was told to wait, rather than lost by this worker."""
    why = activity.cancellation_details()
    return why is not None and (why.cancel_requested or why.paused)


def _is_paused() -> bool:
    """Return whether Temporal itself has paused the debate."""
    why = activity.cancellation_details()
    return why is not None and why.paused


def _again(why: str, seconds: float) -> NoReturn:
    """Leave it to the next worker, which may be this one."""
    raise ApplicationError(
        why,
        type="NotNow",
        next_retry_delay=timedelta(seconds=max(0.001, seconds)),
        # All in a day's work: Temporal neither logs nor counts it as an error.
        category=ApplicationErrorCategory.BENIGN,
    ) from None


async def _read(work: Awaitable[T]) -> T:
    """Await work on the record: retried while the store is away, else failed with a sentence."""
    try:
        return await work
    except StoreError as e:
        raise ApplicationError(type(e).__name__, category=ApplicationErrorCategory.BENIGN) from None
    except DissentError as e:
        text = str(e)[:LONGEST_REASON]
        raise ApplicationError(text, type=type(e).__name__, non_retryable=True) from None
