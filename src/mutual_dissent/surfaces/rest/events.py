"""`GET /api/sessions/{id}/events`: what happens in a session, as server-sent events.

Events carry their number as id, so that a client that reconnects sends its last one and misses
nothing, even after a restart. Pieces of answers in progress come in between as `tokens`, without a
number. Batches are encoded once for all clients. A slow reader gets fewer and larger pieces, and
delays no other client.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated

from fastapi import APIRouter, Query, Response
from starlette.types import Receive, Scope, Send

from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.core.events import KINDS, Event
from mutual_dissent.hosting.channel import Batch
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest.input.parameters import LastEventId, SessionId

HEARTBEAT = 15.0
"""Seconds without news after which a comment keeps the connection alive."""
PATIENCE = 60.0
"""Seconds after which a client that reads nothing is dropped."""
RETRY = b"retry: 2000\n\n"  # milliseconds until a browser connects again
SSE = "sse"

ONE_EVENT = {
    "type": "object",
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "event": {"type": "string", "enum": [*KINDS, "tokens"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
    "required": ["event", "data"],
}
"""OpenAPI schema of one event of the stream."""

After = Annotated[
    int | None,
    Query(ge=0, le=999_999_999, description="As `Last-Event-ID`, for the first connection."),
]


def add(router: APIRouter, hosted: HostedBackend) -> None:
    """Add the route."""

    @router.get(
        "/sessions/{session_id}/events",
        tags=["sessions"],
        summary="Follow a session live",
        response_class=Response,
        responses={
            200: {
                "description": "Server-sent events: `id` is the event's number, `event` its kind, "
                "`data` its JSON. `event: tokens` has pieces of answers that are being written.",
                "content": {"text/event-stream": {"schema": ONE_EVENT}},
            },
            204: {"description": "Nothing is new, and nobody works on it: do not come back."},
        },
    )
    async def events(
        session_id: SessionId, after: After = None, last_event_id: LastEventId = None
    ) -> Response:
        """Events after the last one that you have, then new ones as they happen, until the end."""
        store, sessions = hosted.md.store, hosted.sessions
        place = int(last_event_id) if last_event_id is not None else after or 0
        name = store.find(session_id)
        if not sessions.is_live(name) and store.last_seq(name) <= place:
            return Response(status_code=204)
        return Stream(sessions.follow(name, place))


class Stream(Response):
    """Batches as server-sent events, sent as fast as the client reads."""

    media_type = "text/event-stream"

    def __init__(self, batches: AsyncGenerator[Batch, None]) -> None:
        # The second is for nginx, which would collect events before it passes them on.
        super().__init__(headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"})
        del self.headers["content-length"]
        self._batches = batches
        self._since: float | None = None
        self._last = 0.0

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Send until the end, or until the client disconnects."""
        async with aclosing(self._batches):
            head = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
            await send(head)
            telling = asyncio.create_task(self._tell(send))
            others = [
                asyncio.create_task(w) for w in (_disconnected(receive), self._keep_alive(send))
            ]
            try:
                await asyncio.wait((telling, *others), return_when=asyncio.FIRST_COMPLETED)
                told = telling.done()
            finally:
                for task in (telling, *others):
                    task.cancel()
                await asyncio.gather(telling, *others, return_exceptions=True)
        if told:  # a client that left or stopped reading gets no closing event
            telling.result()
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _tell(self, send: Send) -> None:
        await self._send(send, RETRY)
        async for batch in self._batches:
            await self._send(send, encode_batch(batch))

    async def _send(self, send: Send, data: bytes) -> None:
        clock = asyncio.get_running_loop().time
        self._since = clock()
        await send({"type": "http.response.body", "body": data, "more_body": True})
        self._since, self._last = None, clock()

    async def _keep_alive(self, send: Send) -> None:
        """Send a comment when idle; return when the client has stopped reading."""
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(HEARTBEAT)
            if self._since is None and clock() - self._last >= HEARTBEAT:
                await self._send(send, b":\n\n")
            elif self._since is not None and clock() - self._since >= PATIENCE:
                return


def encode_batch(batch: Batch) -> bytes:
    """A batch in the wire format, made once for all clients."""
    data = batch.cache.get(SSE)
    if data is None:
        data = b"".join(_event(e) for e in batch.events)
        if batch.pieces:
            data += b"event: tokens\ndata: %b\n\n" % to_bytes(batch.pieces)
        batch.cache[SSE] = data
    return data


def _event(event: Event) -> bytes:
    kind = event.kind.encode()
    # Without its opening brace: `kind` is put before the other fields.
    body = to_bytes(event)[1:]
    return b'id: %d\nevent: %b\ndata: {"kind":"%b",%b\n\n' % (event.seq, kind, kind, body)


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
