"""The stdio transport: a JSON-RPC message a line, whatever a client may send.

The SDK's own transport drops unreadable lines silently, and reads lines of any length.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import anyio
import orjson
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from mutual_dissent.surfaces.process.pipe import LineReader, Pipe, Sink

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.mcpserver import MCPServer

MAX_LINE = 8 * 2**20
"""Maximum bytes of a message; the longest tool arguments are far below."""

GRACE = 0.7
"""Seconds for pending answers after the client has closed its end."""

Message = SessionMessage | Exception


async def serve_stdio(server: MCPServer[Any], wire: Pipe) -> None:
    """Serve one client until it closes its end."""
    to_server, from_client = anyio.create_memory_object_stream[Message](0)
    from_server, to_client = anyio.create_memory_object_stream[SessionMessage](0)
    # A sender of its own for answers to unreadable lines, of which the server never hears.
    post = _Post(wire, to_server, from_server.clone())
    low = server._lowlevel_server  # noqa: SLF001 - the only way to give it a transport
    async with anyio.create_task_group() as group:
        group.start_soon(post.collect)
        group.start_soon(post.deliver, to_client)
        await low.run(from_client, from_server, low.create_initialization_options())
        with anyio.move_on_after(GRACE):
            await post.delivered.wait()
        group.cancel_scope.cancel()


class _Post:
    """Carries messages between the pipe and the server, and answers invalid lines."""

    def __init__(
        self,
        wire: Pipe,
        to_server: MemoryObjectSendStream[Message],
        back: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        self._lines, self._sink = LineReader(wire.incoming, MAX_LINE), Sink(wire.outgoing)
        self._to_server, self._back = to_server, back
        self._unanswered: set[int | str | None] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self.delivered = asyncio.Event()

    async def collect(self) -> None:
        """Read lines to the end of the stream; then tell the server that the client has left."""
        async with self._to_server, self._back:
            while (line := await self._lines.next()) is not None:
                await self._take(line)
            # What was asked before the end is still answered: `printf '...' | dissent mcp`.
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await self._idle.wait()

    async def deliver(self, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Write the server's messages."""
        async with messages:
            async for message in messages:
                text = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await self._sink.write(text.encode() + b"\n")
                self._mark_answered(getattr(message.message, "id", None))
        self.delivered.set()

    async def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            message = read(line)
        except _Unreadable as e:
            error = ErrorData(code=e.code, message=str(e))
            await self._back.send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=e.id, error=error)))
            return
        match message:
            case JSONRPCRequest(id=number):
                self._unanswered.add(number)
                self._idle.clear()
            case JSONRPCNotification(method="notifications/cancelled", params={"requestId": id_}):
                self._mark_answered(id_)
        await self._to_server.send(SessionMessage(message))

    def _mark_answered(self, request: Any) -> None:
        """Mark a request as answered or cancelled."""
        if isinstance(request, int | str):
            self._unanswered.discard(request)
        if not self._unanswered:
            self._idle.set()


class _Unreadable(Exception):
    """An invalid line."""

    def __init__(self, code: int, sentence: str, id_: int | str | None = None) -> None:
        super().__init__(sentence)
        self.code, self.id = code, id_


def read(line: bytes) -> Any:
    """The message of a line.

    Raises:
        _Unreadable: if it is invalid, with the error for the client.
    """
    if len(line) > MAX_LINE:
        raise _Unreadable(INVALID_REQUEST, f"a message has at most {MAX_LINE:,} bytes")
    try:
        value = orjson.loads(line)
    except ValueError:
        raise _Unreadable(PARSE_ERROR, "this line is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise _Unreadable(INVALID_REQUEST, "a message is one object; batches are not accepted")
    try:
        message = jsonrpc_message_adapter.validate_python(value, by_name=False)
    except (ValidationError, RecursionError):
        raise _Unreadable(INVALID_REQUEST, "this is no JSON-RPC message", _id(value)) from None
    if isinstance(message, JSONRPCNotification) and "id" in value:
        raise _Unreadable(INVALID_REQUEST, "an id is a whole number or a text")
    return message


def _id(message: Mapping[str, Any]) -> int | str | None:
    value = message.get("id")
    usable = isinstance(value, int | str) and not isinstance(value, bool)
    return value if usable else None
