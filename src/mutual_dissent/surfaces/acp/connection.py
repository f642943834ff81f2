"""A JSON-RPC connection on a pipe: one message a line, every request answered, whatever comes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

import orjson

from mutual_dissent.core.errors import DissentError, NotFound, UserError
from mutual_dissent.surfaces.process.pipe import LineReader, Pipe, Sink
from mutual_dissent.surfaces.terms import COMMAND_LINE

log = logging.getLogger("mutual_dissent.acp")

MAX_LINE = 8 * 2**20
"""Bytes of a message."""
MOST_AT_ONCE = 64
"""Requests that are worked on at once; a client that sends more is answered with an error."""
GRACE = 0.7
"""Seconds for what is under way once the client has closed its end."""
PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD = -32700, -32600, -32601
INVALID_PARAMS, INTERNAL_ERROR, NOT_FOUND = -32602, -32603, -32002

Json = dict[str, Any]
Method = Callable[[Json], Awaitable[Json | None]]
Id = int | str | None


class RpcFault(Exception):
    """An error that the client is answered with."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class Connection:
    """A client on a pipe. Requests run beside each other; notifications in the order they come."""

    def __init__(self, wire: Pipe) -> None:
        self._lines, self._sink = LineReader(wire.incoming, MAX_LINE), Sink(wire.outgoing)
        self._under_way: set[asyncio.Task[None]] = set()

    async def notify(self, method: str, params: Json) -> None:
        """Tell the client something."""
        await self._send({"jsonrpc": "2.0", "method": method, "params": params})

    async def serve(
        self, requests: Mapping[str, Method], notifications: Mapping[str, Method]
    ) -> None:
        """Answer the client until it closes its end; then stop what is still under way."""
        while (line := await self._lines.next()) is not None:
            if line.strip():
                await self._take(line, requests, notifications)
        # What was asked before the end is still answered: `printf '...' | dissent acp`.
        if self._under_way:
            await asyncio.wait(self._under_way, timeout=GRACE)
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def _take(
        self, line: bytes, requests: Mapping[str, Method], notifications: Mapping[str, Method]
    ) -> None:
        try:
            method, params, id_, is_request = read(line)
        except _BadLine as e:
            await self._send(_error(e.id, e))
            return
        if is_request:
            self._begin(self._answer(requests.get(method), params, id_, method))
        elif notified := notifications.get(method):
            with suppress(RpcFault):  # nobody waits for an answer
                await notified(params)

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def _answer(self, work: Method | None, params: Json, id_: Id, method: str) -> None:
        try:
            result = await self._known(work, method)(params)
        except RpcFault as e:
            await self._send(_error(id_, e))
        except DissentError as e:
            await self._send(_error(id_, RpcFault(_code(e), e.in_terms(COMMAND_LINE))))
        except Exception:
            log.exception("the request %s failed", method[:60])
            sentence = "something went wrong in Mutual Dissent; its log has the details"
            await self._send(_error(id_, RpcFault(INTERNAL_ERROR, sentence)))
        else:
            await self._send({"jsonrpc": "2.0", "id": id_, "result": result or {}})

    def _known(self, work: Method | None, method: str) -> Method:
        if work is None:
            raise RpcFault(UNKNOWN_METHOD, f"there is no method {method[:60]!r}")
        if len(self._under_way) > MOST_AT_ONCE:
            raise RpcFault(INTERNAL_ERROR, f"more than {MOST_AT_ONCE} requests are under way")
        return work

    async def _send(self, message: Json) -> None:
        await self._sink.write(orjson.dumps(message) + b"\n")


class _BadLine(RpcFault):
    """An error for a line that is no message."""

    def __init__(self, code: int, sentence: str, id_: Id = None) -> None:
        super().__init__(code, sentence)
        self.id = id_


def read(line: bytes) -> tuple[str, Json, Id, bool]:
    """Method, parameters and id of a message, and whether it is a request.

    Raises:
        _BadLine: if it is none, with the error for the client.
    """
    if len(line) > MAX_LINE:
        raise _BadLine(INVALID_REQUEST, f"a message has at most {MAX_LINE:,} bytes")
    try:
        value = orjson.loads(line)
    except ValueError:
        raise _BadLine(PARSE_ERROR, "this line is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise _BadLine(INVALID_REQUEST, "a message is one object; batches are not accepted")
    id_, method = value.get("id"), value.get("method")
    usable = isinstance(id_, int | str) and not isinstance(id_, bool)
    if method is None and usable and ("result" in value or "error" in value):
        return "", {}, id_, False  # an answer to something; we ask clients nothing
    known = id_ if usable else None
    if value.get("jsonrpc") != "2.0" or not isinstance(method, str):
        raise _BadLine(INVALID_REQUEST, "this is no JSON-RPC message", known)
    if "id" in value and not usable and id_ is not None:
        raise _BadLine(INVALID_REQUEST, "an id is a whole number or a text")
    params = value.get("params", {})
    if not isinstance(params, dict):
        raise _BadLine(INVALID_PARAMS, "params is an object", known)
    return method, params, id_, "id" in value


def _code(error: DissentError) -> int:
    if isinstance(error, NotFound):
        return NOT_FOUND
    return INVALID_PARAMS if isinstance(error, UserError) else INTERNAL_ERROR


def _error(id_: Id, fault: RpcFault) -> Json:
    error = {"code": fault.code, "message": str(fault)}
    return {"jsonrpc": "2.0", "id": id_, "error": error}
