"""All calls to one vendor: its queue, its retries, and its failures."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import orjson

from mutual_dissent.core.ports import RESTART, UNSENT, OnText, Prices
from mutual_dissent.core.response import (
    UNSEARCHED,
    Ask,
    Attempt,
    ErrorKind,
    Finish,
    Response,
    same_model,
)
from mutual_dissent.providers.dialects import DIALECTS
from mutual_dissent.providers.dialects.base import (
    Dialect,
    PartialAnswer,
    VendorError,
    WireRequest,
)
from mutual_dissent.providers.dialects.capabilities import Refusals, is_about_pictures
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.health import KeyHealth
from mutual_dissent.providers.http.allowance import Allowances
from mutual_dissent.providers.http.attempt import (
    PASSING,
    AttemptOutcome,
    HttpAttempt,
    is_too_many,
    pause,
)
from mutual_dissent.providers.http.limits import Bounds, most_open
from mutual_dissent.providers.http.pool import Pool, proxy_for
from mutual_dissent.providers.http.rate_limit import Gate, Turn
from mutual_dissent.providers.responses import Bill, answer, bill, unsent

KINDS = {Finish.REFUSED: ErrorKind.REFUSED, Finish.FILTERED: ErrorKind.FILTERED}
FINISHES = {kind: finish for finish, kind in KINDS.items()}
USABLE = (Finish.COMPLETE, Finish.TRUNCATED)


class Vendor:
    """One endpoint, called by all debates.

    `latency_ms` of a response is that of its last attempt: neither the time in the queue, nor
    earlier attempts, nor making a connection is the model's. Earlier attempts are in `attempts`.
    What was refused a moment ago is not sent again, and its response is marked unsent.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        pool: Pool,
        *,
        bounds: Bounds,
        prices: Prices | None,
        standing: KeyHealth,
        refusals: Refusals,
        known: Callable[[], Iterable[str]],
        turn: Turn | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._dialect = DIALECTS[endpoint.dialect]
        self._pool = pool
        self._bounds = bounds
        self._prices = prices
        self._standing = standing
        self._refusals = refusals
        self._known = known
        # Half of the files that may be open: the store, its locks and clients need the others.
        most = min(endpoint.concurrency or most_open(), most_open() // 2)
        self._gate = Gate(most, endpoint.per_minute, turn=self._own_turn(turn))
        self._allowances = Allowances()
        self._proxy = proxy_for(endpoint.base_url)

    def _own_turn(self, turn: Turn | None) -> Callable[[int], Awaitable[float]] | None:
        return turn and partial(turn, self._endpoint.vendor)

    def warm_up(self) -> None:
        """Open the session, which the first call would otherwise wait for."""
        self._pool.session()

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """Return the answer to one ask, retried as often as it is worth; raise only CancelledError.

        A model that refuses a schema or tools is asked without them, then and from then on.
        """
        if self._endpoint.needs_key and self._endpoint.key is None:
            from mutual_dissent.providers import messages

            sentence = messages.no_key(self._endpoint, ask.panelist.model_id)
            return unsent(ask, ErrorKind.AUTH, sentence)
        listener = _Listener(on_text)
        try:
            return await self._try(ask, listener)
        except _Unsendable as e:
            return unsent(ask, ErrorKind.BAD_REQUEST, f"the request cannot be sent as JSON: {e}")
        except asyncio.CancelledError:
            listener.give_up()
            raise

    async def _try(self, ask: Ask, listener: _Listener) -> Response:
        time = _Time(ask, self._clock())
        attempts: list[Attempt] = []
        tries = broken = 0
        while True:
            sent = self._refusals.shape(ask, self._endpoint)
            outcome = await self._attempt(sent, listener, time)
            if self._refusals.learn(sent, self._endpoint, outcome.error):
                wait: float | None = 0.0  # the next request is another one: no backoff
            else:
                tries += 1
                broken += outcome.broke_off or _is_late(outcome)
                wait = self._wait(outcome, tries, broken)
            left = time.end - self._clock()
            # A wait that a vendor asks for is never cut short: if there is no time for it, the call
            # ends.
            if wait is None or wait >= left:
                billed = self._bill(sent, outcome).after(attempts)
                said = self._response(ask, outcome, tuple(attempts), billed, wait, left)
                refused = ask.own_search and not sent.own_search
                return replace(said, flags=(*said.flags, UNSEARCHED)) if refused else said
            attempts.append(self._ledger(sent, outcome))
            await asyncio.sleep(wait)
            listener.start_over()

    async def _attempt(self, ask: Ask, listener: _Listener, time: _Time) -> AttemptOutcome:
        request, body = self._encode(ask)
        queued = self._clock()
        await self._within_limits(ask, time)
        try:
            # The queue is ours: waiting in it moves the call's own deadline, up to that of its
            # debate.
            async with self._gate.until(time.last):
                started = self._clock()
                time.add_wait(started - queued)
                if refusal := self._refusal(ask):
                    return _unsent(refusal)
                exchange = HttpAttempt(
                    self._pool.session(),
                    self._dialect_for(ask),
                    self._bounds,
                    listener,
                    self._proxy,
                    key=self._endpoint.key,
                    tools_wanted=bool(ask.tools) and not ask.tools_spent,
                    seconds=ask.timeout,
                    begun=partial(self._begun, ask.panelist.model_id, started),
                )
                # From here on the vendor may bill, whatever becomes of the answer.
                listener.is_sent = True
                outcome = await exchange.run(request, body, time.end)
                self._learn(ask, outcome)
                self._measure(ask, outcome, started)
                return outcome
        except TimeoutError:
            message = "had no free place in its queue in the time that is left"
            return _unsent(VendorError(kind=ErrorKind.TIMEOUT, message=message))

    async def _within_limits(self, ask: Ask, time: _Time) -> None:
        """Wait while the vendor's reported limits say that it would refuse."""
        model, tokens, clock = ask.panelist.model_id, ask.input_estimate, self._clock
        while wait := self._allowances.wait(model, tokens, clock()):
            if clock() + wait >= time.end:
                break  # the vendor may know better than its figures
            await asyncio.sleep(wait)
        self._allowances.take(model, tokens, clock())

    def _measure(self, ask: Ask, outcome: AttemptOutcome, started: float) -> None:
        """Note what an outcome says about the vendor's limits."""
        gate, now, model = self._gate, self._clock(), ask.panelist.model_id
        self._allowances.read_headers(model, outcome.headers, now)
        if is_too_many(outcome.error):
            gate.window.note_refusal(started, now, gate.in_flight)

    def _begun(self, model: str, started: float, wait: float) -> None:
        """Note that an answer begins; a turn of the loop later, also how late we were to see it."""
        now = self._clock()

        def note() -> None:
            self._gate.note_answer(model, started, now, wait, self._clock() - now)

        # The time until this runs is how long a turn of the loop takes at the moment.
        asyncio.get_running_loop().call_soon(note)

    @staticmethod
    def _clock() -> float:
        return asyncio.get_running_loop().time()

    def _encode(self, ask: Ask) -> tuple[WireRequest, bytes]:
        """Return where a request goes, and its bytes; what they are made of is not held."""
        request = self._dialect_for(ask).request(ask, self._endpoint)
        try:
            # A copy: orjson's own bytes have room for escapes, ten times what they need.
            body = bytes(memoryview(orjson.dumps(request.body)))
        except TypeError as e:
            raise _Unsendable(str(e)) from e
        return replace(request, body={}), body

    def _dialect_for(self, ask: Ask) -> Dialect:
        """Return the wire of an ask: some vendors search on another one than they answer on."""
        way = ask.own_search
        return DIALECTS[way.wire] if way and way.wire in DIALECTS else self._dialect

    def _wait(self, outcome: AttemptOutcome, attempt: int, broken: int) -> float | None:
        """Return the seconds until the next attempt; None if another one is not worth it."""
        error = outcome.error
        if attempt >= self._bounds.attempts:
            return None
        if outcome.broke_off or _is_late(outcome):
            # What broke off in the middle may be billed: it is asked for once more, not twice.
            return pause(None, attempt, self._bounds.backoff) if broken == 1 else None
        if error is None or error.kind not in PASSING or _is_final(error.status):
            return None
        return pause(error.retry_after, attempt, self._bounds.backoff)

    def _response(
        self,
        ask: Ask,
        outcome: AttemptOutcome,
        attempts: tuple[Attempt, ...],
        billed: Bill,
        wait: float | None,
        left: float,
    ) -> Response:
        kind, sentence = self._problem(ask, outcome)
        finish = outcome.finish
        if sentence and wait is not None and outcome.error and outcome.error.retry_after:
            from mutual_dissent.providers import messages

            sentence = messages.too_long_a_wait(sentence, outcome.error.retry_after, left)
        if outcome.error and outcome.error.kind in FINISHES:
            finish = FINISHES[outcome.error.kind]
        elif sentence and finish in USABLE:  # as where another model has answered
            finish = Finish.FAILED
        return answer(
            ask,
            outcome.reading,
            outcome.text,
            finish,
            latency_ms=outcome.latency_ms,
            first_token_ms=outcome.first_text_ms,
            attempts=attempts,
            billed=billed,
            error=sentence,
            error_kind=kind,
        )

    def _problem(self, ask: Ask, outcome: AttemptOutcome) -> tuple[ErrorKind | None, str | None]:
        """Return what is wrong with an outcome: nothing, or a kind and a sentence."""
        model, reading = ask.panelist.model_id, outcome.reading
        served = reading.served_model if ask.strict_model else None
        other = served if served and not same_model(model, served) else ""
        if outcome.error is None and outcome.finish in USABLE and not other:
            return None, None
        from mutual_dissent.providers import messages

        if outcome.error and ask.pictures and is_about_pictures(outcome.error):
            sentence = messages.unseen_pictures(outcome.error, self._endpoint, model)
            return outcome.error.kind, sentence
        if outcome.error:
            known = self._known() if outcome.error.kind is ErrorKind.UNKNOWN_MODEL else ()
            say = (
                messages.unsent_message
                if outcome.finish is Finish.UNSENT
                else messages.error_message
            )
            return outcome.error.kind, say(outcome.error, self._endpoint, model, known)
        if outcome.finish not in USABLE:
            kind = KINDS.get(outcome.finish, ErrorKind.BAD_RESPONSE)
            return kind, messages.no_answer(outcome.finish, reading, self._endpoint, model)
        return ErrorKind.BAD_RESPONSE, messages.another_model(self._endpoint, model, other)

    def _ledger(self, ask: Ask, outcome: AttemptOutcome) -> Attempt:
        kind, sentence = self._problem(ask, outcome)
        return Attempt(
            started_at=outcome.started_at,
            latency_ms=outcome.latency_ms,
            error_kind=kind or ErrorKind.BAD_RESPONSE,
            error=sentence or "",
            status=outcome.error.status if outcome.error else None,
            partial=outcome.text,
            cost_usd=self._bill(ask, outcome).cost_usd,
        )

    def _bill(self, ask: Ask, outcome: AttemptOutcome) -> Bill:
        # Usage comes at the end: of an answer that broke off, the cost is estimated from what came.
        received = None if outcome.counted else outcome.received
        return bill(ask, outcome.reading, self._prices, received)

    def _refusal(self, ask: Ask) -> VendorError | None:
        """Return why an ask need not be sent, unless it insists."""
        if ask.insists:
            return None
        return self._standing.refusal(self._endpoint.key, ask.panelist.model_id)

    def _learn(self, ask: Ask, outcome: AttemptOutcome) -> None:
        """Note what an outcome says about the key."""
        key, model = self._endpoint.key, ask.panelist.model_id
        if outcome.answered:
            self._standing.note_answer(key, model)
        elif outcome.error and outcome.error.kind is ErrorKind.AUTH:
            outcome.error = self._standing.note_refusal(key, model, outcome.error)


class _Time:
    """The time of a call. What it waits for in our own queue does not count.

    Attributes:
        end: its deadline.
        last: its latest deadline, however long it waited.
    """

    __slots__ = ("end", "last")

    def __init__(self, ask: Ask, now: float) -> None:
        self.last = now + ask.within
        self.end = min(now + ask.timeout, self.last)

    def add_wait(self, seconds: float) -> None:
        self.end = min(self.end + seconds, self.last)


class _Unsendable(Exception):
    """A request that JSON cannot carry."""


class _Listener:
    """Passes text on; passes on a restart when an attempt is repeated after some was heard."""

    __slots__ = ("_heard", "_on_text", "is_sent")

    def __init__(self, on_text: OnText) -> None:
        self._on_text = on_text
        self._heard = False
        self.is_sent = False

    def __call__(self, text: str) -> None:
        self._heard = True
        self._on_text(text)

    def start_over(self) -> None:
        if self._heard:
            self._heard = False
            self._on_text(RESTART)

    def give_up(self) -> None:
        """Report that nothing was sent, where it was not: the vendor will not bill it."""
        if not self.is_sent:
            self._on_text(UNSENT)


def _is_late(outcome: AttemptOutcome) -> bool:
    error = outcome.error
    return error is not None and error.kind is ErrorKind.TIMEOUT and not _is_final(error.status)


def _is_final(status: int | None) -> bool:
    """Return whether a status says that the same request can only fail again."""
    return status is not None and 400 <= status < 500 and status != 429


def _unsent(error: VendorError) -> AttemptOutcome:
    return AttemptOutcome(
        reading=PartialAnswer(),
        text="",
        finish=Finish.UNSENT,
        started_at=datetime.now(UTC),
        error=replace(error, status=None),  # the status was of an earlier request
    )
