"""Limits of a vendor's calls, at once and per minute; first come, first served."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import Awaitable, Callable
from types import TracebackType

MINUTE = 60.0

Turn = Callable[[str, int], Awaitable[float]]
"""Takes the next turn of a per-minute limit with a vendor: 0, or seconds to wait for one."""


class Gate:
    """Lets calls through in order of arrival, as many at once as the window has places."""

    def __init__(
        self,
        most: int,
        per_minute: int | None = None,
        minute: float = MINUTE,
        turn: Callable[[int], Awaitable[float]] | None = None,
    ) -> None:
        self.window = CallWindow(most)
        self.in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._per_minute = per_minute
        self._minute = minute
        self._shared = turn
        self._starts: deque[float] = deque()
        self._turn = asyncio.Lock()

    def until(self, deadline: float) -> _Passage:
        """Wait in the queue; give up with TimeoutError at the deadline of the loop's clock."""
        return _Passage(self, deadline)

    async def enter(self, deadline: float) -> None:
        """Wait for a turn; every `enter` needs its `leave`."""
        # The usual case takes no lock and no turn of the loop: there is room.
        if self.is_full or self._per_minute:
            async with asyncio.timeout_at(deadline if deadline < math.inf else None):
                await self._queue()
        else:
            self.in_flight += 1

    def leave(self) -> None:
        """Make room for the next one."""
        self.in_flight -= 1
        self._let_in()

    def note_answer(self, model: str, started: float, now: float, wait: float, lag: float) -> None:
        """Take in that an answer begins, as `CallWindow.note_answer`: there may be more room."""
        self.window.note_answer(model, started, now, wait, lag=lag, full=self.is_full)
        self._let_in()

    def _let_in(self) -> None:
        while self._waiting and self.in_flight < self.window.places:
            place = self._waiting.popleft()
            if not place.done():  # a cancelled one is done
                place.set_result(None)
                self.in_flight += 1

    @property
    def is_full(self) -> bool:
        """Return whether another call would have to wait."""
        return bool(self._waiting) or self.in_flight >= self.window.places

    async def _queue(self) -> None:
        await self._place()
        try:
            await self._pace()
        except BaseException:
            self.leave()
            raise

    async def _place(self) -> None:
        if not self.is_full:
            self.in_flight += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # this task got the place as it left
                self.leave()
            raise

    async def _pace(self) -> None:
        if not self._per_minute:
            return
        async with self._turn:  # a lock is fair: the first to come starts first
            if self._shared:
                await self._among_all(self._shared, self._per_minute)
                return
            loop = asyncio.get_running_loop()
            # Sliding window: the oldest start of the last minute frees the next turn.
            while len(self._starts) >= self._per_minute:
                wait = self._starts[0] + self._minute - loop.time()
                if wait <= 0:
                    self._starts.popleft()
                else:
                    await asyncio.sleep(wait)
            self._starts.append(loop.time())

    @staticmethod
    async def _among_all(turn: Callable[[int], Awaitable[float]], per_minute: int) -> None:
        """Wait for a turn that the database gives to one machine at a time."""
        wait = await turn(per_minute)
        while wait:
            await asyncio.sleep(wait)
            wait = await turn(per_minute)  # another machine may have been faster


class _Passage:
    __slots__ = ("_deadline", "_gate")

    def __init__(self, gate: Gate, deadline: float) -> None:
        self._gate = gate
        self._deadline = deadline

    async def __aenter__(self) -> None:
        await self._gate.enter(self._deadline)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._gate.leave()


FIRST = 64
NEAR = 0.95  # of the refused number: from there on the window grows slowly
SLOWLY = 4  # windows full of answers for one place more
FEWEST = 100  # answers for one place more, however small the window is
RISEN = math.log(2.0)  # of the usual wait: then more calls at once gain nothing
RECENT = 1 / 32  # the weight of one answer in the recent wait
USUAL = 32  # answers that make up the usual wait, which then changes slowly
LASTING = 1 / 1000
IN_VAIN = 3  # halvings after which slowness is not our doing, and becomes the usual wait
# Names come from users: what is kept for each of them must not grow for ever.
MANY_MODELS = 1000
SOON = 0.001  # seconds below which waits do not differ
OURS = 0.1  # of a wait: where a turn of our own loop takes more, the slowness may be all ours


class CallWindow:
    """The places for calls in flight.

    Each answer that begins makes room for one more, so that the places double within the time that
    a model needs to begin, until the vendor refuses. Then they are halved, grow as fast to a little
    below the refused number, and slowly from there. They are also halved when answers begin to take
    twice as long as is usual for their model, but not for ever if that does not help, and not where
    we are too busy ourselves to tell. Calls from before a halving cannot cause another one. After a
    burst of refusals there are at most as many places as calls that were not refused.
    """

    def __init__(self, most: int) -> None:
        """Begin with `FIRST` places; there are never more than `most`."""
        self._most = max(1, most)
        self._places = float(min(FIRST, self._most))
        self._refused_at = math.inf  # places
        self._halved = -math.inf  # when
        self._relieved: list[float] = []  # places before each halving for slowness
        self._waits: dict[str, tuple[int, float]] = {}
        self._strain = 0.0  # the logarithm of how many times as long as usual answers take
        self._lag, self._looked = 0.0, 0.0

    @property
    def places(self) -> int:
        """Return the number of calls that may be in flight."""
        return int(self._places)

    def note_answer(
        self,
        model: str,
        started: float,
        now: float,
        wait: float,
        *,
        full: bool,
        lag: float = 0.0,
    ) -> None:
        """Take in that a call begins to be answered.

        Args:
            model: the model that answered: models differ in how long they take.
            started: when the call began, in seconds.
            now: the time now.
            wait: seconds until the answer began.
            full: whether all places were taken: only then is it worth having more.
            lag: seconds that a turn of our own loop took: a call needs some four of them.
        """
        if self._busy(lag, now) > OURS * wait:
            if full:
                self._grow()
            return
        if started >= self._halved:
            self._strain += RECENT * (self._longer(model, math.log(max(wait, SOON))) - self._strain)
            if self._strain > RISEN:
                self._relieve(now)
                return
        if self._strain < RISEN / 2:
            self._relieved = []
            if full:
                self._grow()

    def note_refusal(self, started: float, now: float, in_flight: int) -> None:
        """Take in a refusal for too many calls, with `in_flight` of them, this one included."""
        if started >= self._halved:
            self._halve(now, min(in_flight, self._places))
        else:  # one of a burst: the vendor takes those that are not refused
            self._places = max(1.0, min(self._places, in_flight - 1))
            self._refused_at = max(self._places, min(self._refused_at, in_flight - 1))

    def _relieve(self, now: float) -> None:
        """Halve the window because answers take long, unless that did not help before."""
        if len(self._relieved) < IN_VAIN:
            self._relieved.append(self._places)
            self._halve(now, self._places)
            return
        self._places, self._refused_at = self._relieved[0], math.inf
        self._relieved, self._strain = [], 0.0
        self._waits.clear()

    def _busy(self, lag: float, now: float) -> float:
        """Return the longest turn of our loop of late; one of a second ago counts half."""
        self._lag = max(lag, self._lag * 0.5 ** (now - self._looked))
        self._looked = now
        return self._lag

    def _grow(self) -> None:
        if self._places > 1.1 * self._refused_at + 1:
            self._refused_at = math.inf  # the vendor takes more than it did
        slow = self._places >= NEAR * self._refused_at
        step = 1 / max(FEWEST, SLOWLY * self._places) if slow else 1.0
        self._places = min(float(self._most), self._places + step)

    def _halve(self, now: float, reached: float) -> None:
        self._refused_at = max(1.0, reached - 1)
        self._places = max(1.0, reached / 2)
        self._halved, self._strain = now, 0.0

    def _longer(self, model: str, wait: float) -> float:
        """Return how many times as long as usual a model took to begin, as a logarithm.

        Waits differ by factors, and a few very long ones are usual.
        """
        if model not in self._waits and len(self._waits) >= MANY_MODELS:
            return 0.0
        known, usual = self._waits.get(model, (0, wait))
        weight = 1 / (known + 1) if known < USUAL else LASTING
        self._waits[model] = known + 1, usual + weight * (wait - usual)
        return wait - usual
