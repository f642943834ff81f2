"""Tells others of debates that ended: spans to a collector, a message to a webhook.

Best effort: no debate waits for it or fails by it. What could not be told is logged, with the name
of the setting and no address, key or text.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import time
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from mutual_dissent import __version__
from mutual_dissent.config.sections import TelemetryOptions, WebhookOptions
from mutual_dissent.config.settings import Settings
from mutual_dissent.config.values import headers_of, signing_key
from mutual_dissent.core.codec.camel import camel
from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.documents.notice import CLOSED, PING, WebhookMessage, closed_debate

if TYPE_CHECKING:  # the HTTP client is loaded with the first message, not before
    import aiohttp

PAUSES = (0.5, 2.0)
"""Seconds before the second try and the third."""
PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Answers after which another try may help."""
UNREAD = 415
"""Answer of who does not read the form of a message."""
AT_ONCE, MOST = 4, 1000
"""Messages that are on their way at once, and that may wait for it."""
PATIENCE = 15.0
"""Seconds that who leaves waits for messages on their way."""

log = logging.getLogger("mutual_dissent.dispatch")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingMessage:
    """A request that tells somebody something; `name` is the table of the settings it is for.

    `is_trace` says that it may be sent as protobuf, too, to whom does not take JSON.
    """

    name: str
    url: str = field(repr=False)
    headers: dict[str, str] = field(repr=False)
    body: bytes = field(repr=False)
    timeout: float
    is_trace: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PostOutcome:
    """Outcome of a message. `problem` is empty if it was taken."""

    name: str
    problem: str
    seconds: float


class Dispatch:
    """Messages on their way."""

    def __init__(self) -> None:
        self._on_their_way: set[asyncio.Task[None]] = set()
        self._turns: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    def tell(self, settings: Settings, t: Transcript, at: datetime, since: int = 0) -> None:
        """Begin to tell of a debate that ended; spans are those since an event of that number."""
        if len(self._on_their_way) >= MOST:
            log.warning("debate %s is not told: %d wait already", t.transcript_id, MOST)
            return
        task = asyncio.create_task(self._tell(settings, t, at, since))
        self._on_their_way.add(task)
        task.add_done_callback(self._on_their_way.discard)

    async def _tell(self, settings: Settings, t: Transcript, at: datetime, since: int) -> None:
        try:
            messages = await asyncio.to_thread(lambda: [*_messages(settings, t, at, since)])
            async with self._turn():
                outcomes = await asyncio.gather(*map(post, messages))
        except Exception:  # whatever it is, no debate fails by it
            log.warning("debate %s is not told", t.transcript_id, exc_info=True)
            return
        for failed in (o for o in outcomes if o.problem):
            log.warning("%s: debate %s: %s", failed.name, t.transcript_id, failed.problem)

    def _turn(self) -> asyncio.Semaphore:
        loop = asyncio.get_running_loop()
        if self._turns is None or self._turns[0] is not loop:
            self._turns = (loop, asyncio.Semaphore(AT_ONCE))
        return self._turns[1]

    async def aclose(self, patience: float = PATIENCE) -> None:
        """Wait for what is on its way, at most so many seconds; give up the rest."""
        loop = asyncio.get_running_loop()
        if not (here := [t for t in self._on_their_way if t.get_loop() is loop]):
            return
        _, late = await asyncio.wait(here, timeout=min(patience, PATIENCE))
        for task in late:
            task.cancel()
        if late:
            log.warning("%d debates were not told in time", len(late))
            await asyncio.wait(late)


async def ping(settings: Settings, at: datetime) -> list[PostOutcome]:
    """Outcomes of a test message to the collector and the webhook, as far as they are set."""
    messages = []
    if settings.telemetry.endpoint:
        messages.append(_spans(settings.telemetry, b'{"resourceSpans":[]}'))
    if settings.webhook.url:
        content = WebhookMessage(type=PING, timestamp=at)
        messages.append(_signed(settings.webhook, f"ping-{at.timestamp():.0f}", content))
    return list(await asyncio.gather(*map(post, messages)))


def _messages(
    settings: Settings, t: Transcript, at: datetime, since: int
) -> Iterator[OutgoingMessage]:
    if settings.telemetry.endpoint:
        from mutual_dissent.views.documents.otlp import to_otlp

        text = to_otlp(t, content=settings.telemetry.content, since=since)
        yield _spans(settings.telemetry, text.encode("utf-8", "replace"))
    if settings.webhook.url:
        content = WebhookMessage(type=CLOSED, timestamp=at, data=closed_debate(t))
        yield _signed(settings.webhook, f"{t.transcript_id}-{t.last_seq}", content)


def _spans(options: TelemetryOptions, body: bytes) -> OutgoingMessage:
    given = headers_of(options.headers.reveal()) if options.headers else {}
    return OutgoingMessage(
        name="telemetry",
        url=f"{options.endpoint}/v1/traces",
        headers=given,
        body=body,
        timeout=options.timeout,
        is_trace=True,
    )


def _as_protobuf(message: OutgoingMessage) -> OutgoingMessage:
    from mutual_dissent.views.documents.otlp_protobuf import to_protobuf

    headers = {**message.headers, "Content-Type": "application/x-protobuf"}
    body = to_protobuf(message.body.decode())
    return replace(message, headers=headers, body=body, is_trace=False)


def _signed(options: WebhookOptions, name: str, content: WebhookMessage) -> OutgoingMessage:
    """A message under the headers of Standard Webhooks; `name` is the same for every try."""
    assert options.url, "a webhook has an address"
    body, moment = to_bytes(camel(content)), f"{content.timestamp.timestamp():.0f}"
    given = {"webhook-id": name, "webhook-timestamp": moment}
    if options.secret:
        signed = f"{name}.{moment}.".encode() + body
        key = signing_key(options.secret.reveal())
        digest = hmac.new(key, signed, hashlib.sha256).digest()
        given["webhook-signature"] = f"v1,{b64encode(digest).decode()}"
    return OutgoingMessage(
        name="webhook", url=options.url.reveal(), headers=given, body=body, timeout=options.timeout
    )


async def post(message: OutgoingMessage) -> PostOutcome:
    """Send a message, up to three times where that may help; never raises for what went wrong."""
    import aiohttp

    began = time.monotonic()
    async with aiohttp.ClientSession(
        timeout=aiohttp.ClientTimeout(total=message.timeout),
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": f"mutual-dissent/{__version__}", "Content-Type": "application/json"},
    ) as session:
        for pause in (*PAUSES, None):
            problem, may_pass = await _try(session, message)
            if message.is_trace and problem == _status(UNREAD):
                message = await asyncio.to_thread(_as_protobuf, message)
                problem, may_pass = await _try(session, message)
            if pause is None or not may_pass:
                break
            await asyncio.sleep(pause)
    return PostOutcome(name=message.name, problem=problem, seconds=time.monotonic() - began)


async def _try(session: aiohttp.ClientSession, message: OutgoingMessage) -> tuple[str, bool]:
    """The problem of one try, empty if there is none; and whether it may pass."""
    import aiohttp

    try:
        async with session.post(
            message.url,
            data=message.body,
            headers=message.headers,
            allow_redirects=False,  # neither headers nor answers are sent elsewhere
        ) as response:
            status = response.status
    except TimeoutError:
        return f"it did not answer within {message.timeout:g} s", True
    except (aiohttp.ClientError, OSError, ValueError) as e:
        # The name alone: the words of such errors may hold the address.
        return f"it cannot be reached ({type(e).__name__})", True
    if 200 <= status < 300:
        return "", False
    if 300 <= status < 400:
        return "it redirects; set the address where it is in fact", False
    return _status(status), status in PASSING


def _status(status: int) -> str:
    return f"it answered with status {status}"
