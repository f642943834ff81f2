"""A client that sends bytes as they are, for what no decent client would send."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Raw:
    """What came back: a status, the fields of the head in lower case, the rest."""

    status: int
    fields: dict[str, str]
    body: bytes


def place(url: str) -> tuple[str, int]:
    """Host and port of an address."""
    parts = urlsplit(url)
    return str(parts.hostname), int(parts.port or 0)


@asynccontextmanager
async def line(url: str) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to the host of an address, which is gone at the end."""
    reader, writer = await asyncio.open_connection(*place(url))
    try:
        yield reader, writer
    finally:
        writer.transport.abort()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def send(url: str, *parts: bytes, patience: float = 30) -> Raw:
    """Send bytes to the host of an address, and read what comes until the line is closed."""
    async with line(url) as (reader, writer), asyncio.timeout(patience):
        with suppress(ConnectionError):
            for part in parts:
                writer.write(part)
                await writer.drain()
        return read(await whole(reader))


async def whole(reader: asyncio.StreamReader) -> bytes:
    """All that comes, also where the line breaks at its end."""
    found = b""
    with suppress(ConnectionError):
        while part := await reader.read(65536):
            found += part
    return found


def read(data: bytes) -> Raw:
    """An answer, taken apart."""
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    pairs = (line.partition(":") for line in lines)
    fields = {name.lower(): value.strip() for name, _, value in pairs}
    return Raw(int(first.split()[1]) if first else 0, fields, body)


def request(
    url: str, path: str = "/", method: str = "GET", body: bytes = b"", **fields: str | None
) -> bytes:
    """A request in bytes; fields with underscores for hyphens, None to leave one out."""
    host, port = place(url)
    usual: dict[str, str | None] = {"host": f"{host}:{port}", "connection": "close"}
    if body:
        usual["content_length"] = str(len(body))
    chosen = {**usual, **fields}
    lines = [f"{n.replace('_', '-')}: {v}" for n, v in chosen.items() if v is not None]
    return head(method, path, lines) + body


def head(method: str, path: str, lines: Iterable[str]) -> bytes:
    """The head of a request."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", *lines, "", ""]).encode("latin-1")


SOCKET = {
    "connection": "Upgrade",
    "upgrade": "websocket",
    "sec_websocket_version": "13",
    "sec_websocket_key": "dGhlIHNhbXBsZSBub25jZQ==",
}
"""The fields that ask for a WebSocket."""
