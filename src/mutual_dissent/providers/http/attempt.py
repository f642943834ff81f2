"""One attempt: a request goes out, an answer or the reason for its absence comes back."""

from __future__ import annotations

import asyncio
import errno
import io
import math
import os
import random
import re
import ssl
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

import aiohttp

from mutual_dissent.core.ports import OnText
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.core.values.secret import Key
from mutual_dissent.providers.dialects.base import Dialect, PartialAnswer, VendorError, WireRequest
from mutual_dissent.providers.dialects.finish import verdict
from mutual_dissent.providers.dialects.json_values import decode_body
from mutual_dissent.providers.http.body import Silence, Undecodable, decoding
from mutual_dissent.providers.http.limits import Bounds
from mutual_dissent.providers.http.pool import CONNECTED
from mutual_dissent.providers.http.stream import AnswerStream
from mutual_dissent.providers.redaction import Unkeyed, hide_key
from mutual_dissent.text.numbers import figure

ERROR_BODY = 65_536
_PART = 32_768  # bytes that are read without a look at the clock
_BREATH = 0.005  # seconds of reading after which other tasks have their turn
_LARGE = 500_000  # above this aiohttp wants a file, so that sending does not hold up the loop


@dataclass(slots=True, kw_only=True)
class AttemptOutcome:
    """The result of one attempt.

    Attributes:
        answered: whether the vendor took the request and gave an answer, good or bad.
        broke_off: whether an answer had begun to come and did not end as it should.
        headers: the headers of the answer or the refusal.
        received: the characters that came, thoughts and tools' arguments included.
        counted: whether the vendor had come to the end, where it reports the usage.
    """

    reading: PartialAnswer
    text: str
    finish: Finish
    started_at: datetime
    latency_ms: int = 0
    first_text_ms: int | None = None
    error: VendorError | None = None
    answered: bool = False
    broke_off: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)
    received: int = 0
    counted: bool = False


class HttpAttempt:
    """One HTTP request and its answer, read under the bounds."""

    def __init__(
        self,
        session: aiohttp.ClientSession,
        dialect: Dialect,
        bounds: Bounds,
        on_text: OnText,
        proxy: str | None = None,
        *,
        key: Key | None = None,
        tools_wanted: bool = False,
        seconds: float = math.inf,
        begun: Callable[[float], None] = lambda _: None,
    ) -> None:
        self._begun = begun
        self._tools_wanted = tools_wanted
        self._seconds = seconds
        self._session = session
        self._dialect = dialect
        self._bounds = bounds
        self._proxy = proxy
        self._started_at = datetime.now(UTC)
        self._starts = [time.monotonic()]
        self._answering = False
        self._headers: Mapping[str, str] = {}
        self._error: VendorError | None = None
        self._key = key if key and not key.is_placeholder else None
        self._told = Unkeyed(self._key, on_text) if self._key else None
        self._intake = AnswerStream(dialect, bounds, self._told or on_text)

    @property
    def _started(self) -> float:
        """Return when the model's time began: with the connection."""
        return self._starts[-1]

    async def run(self, request: WireRequest, body: bytes, deadline: float) -> AttemptOutcome:
        """Send the request and read what comes; raise nothing but CancelledError."""
        silence = Silence(self._bounds.first_byte or math.inf, deadline)
        try:
            async with silence:
                await self._exchange(request, body, silence)
        # Before TimeoutError, of which the first is a kind: nothing was sent, so nothing is billed.
        except (aiohttp.ConnectionTimeoutError, aiohttp.ClientConnectorError) as e:
            through = " through the proxy" if self._proxy else ""
            self._fail(
                ErrorKind.CONNECTION,
                f"could not be reached{through}: {_reason(e)}",
                unreached="proxy" if self._proxy else "direct",
            )
        except TimeoutError:
            self._fail(ErrorKind.TIMEOUT, self._lateness(silence))
        # Before ClientError, of which the first two are kinds: another attempt would fail alike.
        except (aiohttp.InvalidURL, aiohttp.NonHttpUrlClientError, ValueError) as e:
            self._fail(ErrorKind.BAD_REQUEST, f"cannot be called; check its base URL and key: {e}")
        except (aiohttp.ClientError, OSError) as e:
            self._fail(ErrorKind.CONNECTION, self._cut(e))
        except Undecodable as e:
            self._error = VendorError(kind=ErrorKind.BAD_RESPONSE, message=str(e))
            # It would come no better a second time: not an answer that broke off, so not tried
            # again.
            self._answering = False
        return self._outcome()

    async def _exchange(self, request: WireRequest, body: bytes, silence: Silence) -> None:
        CONNECTED.set(self._starts)
        async with self._session.post(
            request.url,
            data=body if len(body) < _LARGE else io.BytesIO(body),
            headers=request.headers,
            allow_redirects=False,
            proxy=self._proxy,
        ) as response:
            self._headers = response.headers
            if response.status >= 300:
                await self._read_error(response)
                return
            self._answering = True
            self._begun(time.monotonic() - self._started)
            await self._read_answer(response, silence)

    async def _read_answer(self, response: aiohttp.ClientResponse, silence: Silence) -> None:
        intake = self._intake
        read, clock = response.content.readany, silence.clock
        intake.content_type = response.headers.get("Content-Type", "").lower()
        decode = decoding(response.headers.get("Content-Encoding", ""))
        patience: float | None = None
        while chunk := await read():
            silence.last = clock()
            for part in _parts(chunk):
                for piece in decode.pieces(part):
                    if intake.take(piece):
                        response.close()
                        return
                    if clock() - silence.last > _BREATH:
                        await asyncio.sleep(0)  # other tasks have their turn, however much comes
                        silence.last = clock()
            if (now := self._patience()) != patience:
                patience = now
                silence.allow(now)
        if intake.weigh():
            await asyncio.sleep(0)  # weighing took a while, and so will reading
        intake.close()

    def _patience(self) -> float:
        """Return the seconds of silence that are waited for, going by what came."""
        reading, bounds = self._intake.reading, self._bounds
        if reading.finish:
            # Only the usage may follow, and some vendors never hang up.
            return bounds.farewell
        if reading.at_work:
            return bounds.first_byte or math.inf
        return bounds.idle

    async def _read_error(self, response: aiohttp.ClientResponse) -> None:
        status = response.status
        if status < 400:
            target = response.headers.get("Location", "nowhere")
            message = f"redirects, and a key is not sent to another address: {target}"
            self._error = VendorError(kind=ErrorKind.BAD_RESPONSE, message=message, status=status)
            response.close()
            return
        body = await _some_of(response)
        error = self._dialect.read_error(status, body)
        header = asked_wait(response.headers, datetime.now(UTC))
        # Google asks in the body, others in a header; the longer wait is surely not too early.
        waits = [w for w in (header, error.retry_after) if w is not None]
        self._error = replace(error, status=status, retry_after=max(waits, default=None))

    def _fail(
        self, kind: ErrorKind, message: str, unreached: Literal["", "direct", "proxy"] = ""
    ) -> None:
        """Note a failure of the connection, unless the whole answer had come before it."""
        if self._error is None and not self._intake.done:
            self._error = VendorError(kind=kind, message=message, unreached=unreached)

    def _lateness(self, silence: Silence) -> str:
        if silence.at_deadline:
            limit = figure(round(self._seconds, 2))
            return f"did not finish in {limit} s; give it more with a longer call timeout"
        return f"fell silent for {silence.limit:g} s"

    def _cut(self, error: Exception) -> str:
        if self._answering:
            return f"broke off in the middle of its answer: {_reason(error)}"
        return f"closed the connection before answering: {_reason(error)}"

    def _outcome(self) -> AttemptOutcome:
        now = time.monotonic()
        intake, reading = self._intake, self._intake.reading
        text = intake.text
        if self._key and self._told:
            self._told.end()
            text = self._key.mask(text)
            hide_key(reading, self._key)
        error = self._error or intake.broken or reading.error
        first = intake.first_text
        outcome = AttemptOutcome(
            reading=reading,
            text=text,
            finish=Finish.FAILED,
            started_at=self._started_at,
            latency_ms=_ms(now - self._started),
            first_text_ms=None if first is None else _ms(first - self._started),
            error=error,
            answered=bool(text) or reading.finish is not None,
            headers=self._headers,
            received=len(text) + reading.thought + reading.argued,
            counted=error is None and reading.finish is not None and not intake.full,
        )
        if error is not None:
            outcome.broke_off = self._answering and self._unfinished(error)
            kept = text.strip() or (outcome.broke_off and intake.head)
            outcome.finish = Finish.INCOMPLETE if kept else Finish.FAILED
        elif intake.full:
            outcome.finish = Finish.TRUNCATED
        else:
            outcome.finish = verdict(reading, tools_wanted=self._tools_wanted)
            outcome.broke_off = outcome.finish is Finish.INCOMPLETE
        return outcome

    def _unfinished(self, error: VendorError) -> bool:
        """Return whether a real answer broke off: neither junk nor an error of the vendor's."""
        if error is self._error:
            return True
        return error is self._intake.reading.error and (
            error.kind is ErrorKind.BAD_RESPONSE and self._intake.streamed
        )


def _parts(chunk: bytes) -> Iterator[bytes]:
    """Yield what came at once in parts that are quickly read."""
    if len(chunk) <= _PART:
        yield chunk
        return
    for start in range(0, len(chunk), _PART):
        yield chunk[start : start + _PART]


async def _some_of(response: aiohttp.ClientResponse) -> Any:
    """Return the beginning of an error's body: parsed if it is JSON, else text."""
    body = bytearray()
    try:
        decode = decoding(response.headers.get("Content-Encoding", ""))
        while len(body) < ERROR_BODY and (chunk := await response.content.readany()):
            for piece in decode.pieces(chunk):
                body += piece
                if len(body) >= ERROR_BODY:
                    response.close()
                    break
    except (aiohttp.ClientError, OSError, Undecodable):
        pass  # the status says enough
    parsed = decode_body(bytes(body))
    return body.decode("utf-8", "replace") if parsed is None else parsed


def _reason(error: BaseException) -> str:
    """Describe a foreign error in a few words."""
    if isinstance(error, aiohttp.ConnectionTimeoutError):
        return "no connection in time"
    if isinstance(error, aiohttp.ClientConnectorDNSError):
        return "its name is unknown"
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        return "its certificate is not trusted"
    if isinstance(tls := getattr(error, "os_error", error), ssl.SSLError):
        return _tls_reason(tls)
    if isinstance(error, aiohttp.ClientConnectorError):
        return _os_reason(error.os_error) or type(error).__name__
    if isinstance(error, aiohttp.ServerDisconnectedError):
        return "the server hung up"
    if isinstance(error, aiohttp.ClientPayloadError):
        return "the rest never came"
    return str(error) or type(error).__name__


def _tls_reason(error: ssl.SSLError) -> str:
    """Describe a TLS error, in words instead of OpenSSL's names."""
    if error.reason == "WRONG_VERSION_NUMBER":
        return "it does not encrypt, as an https address must"
    words = (error.reason or "").replace("_", " ").lower()
    return f"no encrypted connection: {words}" if words else "no encrypted connection"


def _os_reason(error: OSError) -> str:
    """Return the system's words; asyncio puts an address in their place."""
    if "Connect call failed" not in str(error):
        return error.strerror or str(error)
    refused = error.errno in (None, errno.ECONNREFUSED)
    return "connection refused" if refused else os.strerror(error.errno or 0).lower()


def _ms(seconds: float) -> int:
    return max(0, round(seconds * 1000))


PASSING = frozenset({ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED, ErrorKind.CONNECTION})
"""Failures that another attempt may cure, and that are not billed."""

# Anthropic's status for too much traffic; others answer 429 or 503.
OVERLOADED = 529
_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9})?")
_SKEW = 5.0  # seconds by which clocks may differ before the vendor's own is believed
_GRAIN = 0.01  # a timer may fire a little early


def is_too_many(error: VendorError | None) -> bool:
    """Return whether a vendor refuses for too many calls, and not one model behind a gateway."""
    if error is None or error.upstream:
        return False
    return error.kind is ErrorKind.RATE_LIMIT or error.status == OVERLOADED


def asked_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that the vendor asks to wait, from `Retry-After` or `retry-after-ms`."""
    milliseconds = headers.get("retry-after-ms", "").strip()
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    value = headers.get("Retry-After", "").strip()
    if _NUMBER.fullmatch(value):
        return float(value)
    until = _date(value)
    return max(0.0, (until - _vendor_now(headers, now)).total_seconds()) if until else None


def pause(asked: float | None, attempt: int, base: float) -> float:
    """Return the backoff in seconds: at least what was asked for, else exponential; with jitter.

    Args:
        asked: the wait that the vendor asked for, if any.
        attempt: the number of failed attempts, from 1.
        base: the backoff after the first one.
    """
    if not asked:
        # The jitter keeps calls that failed together from coming back together.
        return float(base * 2 ** (attempt - 1) * random.uniform(1.0, 1.5))
    return asked + _GRAIN + asked * random.uniform(0.0, 0.12)


def _date(value: str) -> datetime | None:
    try:
        read = parsedate_to_datetime(value)
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def _vendor_now(headers: Mapping[str, str], now: datetime) -> datetime:
    """Return our clock, unless the vendor's `Date` shows that one of the two is wrong."""
    theirs = _date(headers.get("Date", ""))
    return theirs if theirs and abs((theirs - now).total_seconds()) > _SKEW else now
