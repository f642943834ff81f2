"""Security headers of every response."""

from __future__ import annotations

import time
from collections.abc import Callable

from starlette.datastructures import MutableHeaders
from starlette.types import Message, Send

from mutual_dissent.surfaces.http.errors import ApiError
from mutual_dissent.surfaces.http.telemetry.metrics import Metrics

# Pages show what models write: an image at another host would carry data away in its address.
PAGE_POLICY = (
    "default-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'; "
    "img-src 'self' data:; form-action 'none'; frame-ancestors 'none'"
)
API_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
}
STREAM = "text/event-stream"
LOOK = 1.0
"""Seconds between two checks of a streaming client's token."""


class Answer:
    """One response on its way out, with its status and whether it streams."""

    def __init__(self, send: Send, metrics: Metrics, *, is_api: bool, streams: int) -> None:
        self.status = 0
        self.refused: ApiError | None = None
        self._send, self._metrics = send, metrics
        self._is_api, self._streams = is_api, streams
        self._streaming = self._open = False
        self._looked = time.monotonic()
        self.may_stay: Callable[[], bool] = lambda: True

    async def __call__(self, message: Message) -> None:
        """Send a part of it."""
        match message["type"]:
            case "http.response.body" if self._streaming:
                self._check_stays()
            case "http.response.start" | "websocket.http.response.start":
                self._start(message)
            case "websocket.accept":
                self.status, self._open = 101, True
                self._metrics.sockets += 1
            case "websocket.close" if not self.status:
                self.status = 403
        await self._send(message)

    def release(self) -> None:
        """Release its place among streams and sockets."""
        self._metrics.streams -= self._streaming
        self._metrics.sockets -= self._open
        self._streaming = self._open = False

    def _start(self, message: Message) -> None:
        headers = MutableHeaders(raw=list(message.get("headers", ())))
        if headers.get("content-type", "").startswith(STREAM):
            self._follow()
        for name, value in ALWAYS.items():
            headers.setdefault(name, value)
        headers.setdefault("content-security-policy", API_POLICY if self._is_api else PAGE_POLICY)
        if self._is_api or message["status"] >= 400:
            headers["cache-control"] = "no-store"
        message["headers"] = headers.raw
        self.status = message["status"]

    def _check_stays(self) -> None:
        """End a stream once its client's token is revoked; checked with each part sent."""
        if time.monotonic() - self._looked < LOOK:
            return
        self._looked = time.monotonic()
        if not self.may_stay():
            self.refused = ApiError(401, "unauthorized", "the token was revoked")
            raise self.refused

    def _follow(self) -> None:
        """Count a streaming response, or refuse it where too many are open."""
        if self._metrics.streams >= self._streams:
            self.refused = ApiError(
                503,
                "too_many_streams",
                f"{self._streams} clients follow debates here already; poll instead, or try later",
                {"retry-after": "10"},
            )
            raise self.refused
        self._metrics.streams += 1
        self._streaming = True
