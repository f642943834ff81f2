"""Doors before an engine: one that ends TLS, and one that lets nobody in.

Temporal's server for development has neither TLS nor keys. The first door is a proxy in front of
the real one, which keeps what clients sent; the second speaks just enough of HTTP/2 to refuse.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

HERE = "127.0.0.1"
HEADERS, SETTINGS, PING = 1, 4, 6
ACK = END_STREAM = 0x1
END_HEADERS = 0x4
PREFACE = len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

# RFC 7541, appendix B: as many letters as a key of these tests has.
_CODES = {
    "a": "00011", "c": "00100", "e": "00101", "i": "00110", "o": "00111", "s": "01000",
    "t": "01001", "0": "00000", "1": "00001", "2": "00010", "r": "101100", " ": "010100",
    "B": "1011101",
}  # fmt: skip


def as_sent(word: str) -> bytes:
    """A value of a header as HTTP/2 packs it; but for a few letters that there is no code for."""
    bits = "".join(_CODES[c] for c in word)
    bits += "1" * (-len(bits) % 8)
    return int(bits, 2).to_bytes(len(bits) // 8, "big")


@dataclass
class Door:
    """A door that is open for connections.

    Attributes:
        port: where it is.
        heard: what clients sent.
    """

    port: int = 0
    heard: bytearray = field(default_factory=bytearray)


@asynccontextmanager
async def tls_before(port: int, context: ssl.SSLContext) -> AsyncIterator[Door]:
    """A door that ends TLS and hands everything to the server behind it."""
    door = Door()

    async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, ahead = await asyncio.open_connection(HERE, port)
        try:
            await asyncio.gather(_pumped(reader, ahead, door.heard), _pumped(behind, writer, None))
        finally:
            ahead.close()

    async with _open(door, passed, context):
        yield door


@asynccontextmanager
async def refusing(status: int) -> AsyncIterator[Door]:
    """A door that answers every call with this status of gRPC."""
    door = Door()

    async def refused(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        door.heard += await reader.readexactly(PREFACE)
        writer.write(_frame(SETTINGS, 0, 0, b""))
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readexactly(9)
                body = await reader.readexactly(int.from_bytes(head[:3], "big"))
                door.heard += body
                await _answered(writer, head[3], head[4], int.from_bytes(head[5:], "big"), status)
        writer.close()

    async with _open(door, refused, None):
        yield door


async def _answered(
    writer: asyncio.StreamWriter, kind: int, flags: int, stream: int, status: int
) -> None:
    if kind == SETTINGS and not flags & ACK:
        writer.write(_frame(SETTINGS, ACK, 0, b""))
    if kind == PING and not flags & ACK:
        writer.write(_frame(PING, ACK, 0, bytes(8)))
    if kind == HEADERS:
        fields = b"\x88" + _literal("content-type", "application/grpc")  # 0x88 is status 200
        fields += _literal("grpc-status", str(status))
        writer.write(_frame(HEADERS, END_STREAM | END_HEADERS, stream, fields))
    await writer.drain()


def _frame(kind: int, flags: int, stream: int, body: bytes) -> bytes:
    head = len(body).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big")
    return head + body


def _literal(name: str, value: str) -> bytes:
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


@asynccontextmanager
async def _open(door: Door, each: object, context: ssl.SSLContext | None) -> AsyncIterator[None]:
    tasks: set[asyncio.Task[None]] = set()

    async def met(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        try:
            with suppress(ConnectionError, asyncio.CancelledError, ssl.SSLError):
                await each(reader, writer)  # type: ignore[operator]
        finally:
            writer.close()

    server = await asyncio.start_server(met, HERE, 0, ssl=context)
    door.port = server.sockets[0].getsockname()[1]
    try:
        yield
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _pumped(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, kept: bytearray | None
) -> None:
    with suppress(ConnectionError, ssl.SSLError):
        while found := await reader.read(65_536):
            if kept is not None:
                kept += found
            writer.write(found)
            await writer.drain()
    writer.close()


@dataclass(frozen=True)
class Papers:
    """An authority of its own, and what it signed: files, as a configuration names them."""

    ca: Path
    cert: Path
    key: Path

    def context(self, *, asks: bool = False) -> ssl.SSLContext:
        """How a server shows them; `asks` for those of its clients, too."""
        found = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        found.load_cert_chain(self.cert, self.key)
        found.set_alpn_protocols(["h2"])
        if asks:
            found.verify_mode = ssl.CERT_REQUIRED
            found.load_verify_locations(self.ca)
        return found


def papers(folder: Path) -> Papers:
    """New papers for this machine, good for a day."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    folder.mkdir()
    now = dt.datetime.now(dt.UTC)

    def signed(name, key, issuer, signer, extension, is_ca):
        called = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        builder = x509.CertificateBuilder().subject_name(called).issuer_name(issuer or called)
        builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - dt.timedelta(hours=1))
        builder = builder.not_valid_after(now + dt.timedelta(days=1))
        builder = builder.add_extension(x509.BasicConstraints(is_ca, None), critical=True)
        for one in extension:
            builder = builder.add_extension(one, critical=False)
        return builder.sign(signer, hashes.SHA256())

    authority, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    names = [x509.DNSName("localhost"), x509.IPAddress(ip_address(HERE))]
    root = signed("authority of a test", authority, None, authority, [], is_ca=True)
    mine = [x509.SubjectAlternativeName(names)]
    leaf = signed("localhost", own, root.subject, authority, mine, is_ca=False)
    made = Papers(folder / "ca.pem", folder / "cert.pem", folder / "key.pem")
    pem = serialization.Encoding.PEM
    made.ca.write_bytes(root.public_bytes(pem))
    made.cert.write_bytes(leaf.public_bytes(pem))
    kind = serialization.PrivateFormat.PKCS8
    made.key.write_bytes(own.private_bytes(pem, kind, serialization.NoEncryption()))
    return made
