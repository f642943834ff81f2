"""The address of an engine that deals debates out, as temporal://HOST:PORT/NAMESPACE."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urlsplit

from mutual_dissent.config.values import Accepts, NotAccepted
from mutual_dissent.core.errors import BadInput

SCHEME, PORT, NAMESPACE = "temporal", 7233, "default"
ENGINE_ADDRESS = "the address of a Temporal server: temporal://HOST:7233 or with /NAMESPACE"
LISTENING = "an address to listen at, as 127.0.0.1:9464"
BUILD = "a name of letters, digits, dots, dashes and plus signs, 100 at most"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")
_BUILD = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,99}")


@dataclass(frozen=True, slots=True)
class Address:
    """Address of a Temporal server, and our namespace on it."""

    host: str
    port: int = PORT
    namespace: str = NAMESPACE

    @classmethod
    def read(cls, text: str) -> Self:
        """The address in a text; nothing of it is repeated if it is none.

        Raises:
            BadInput: if it is none.
        """
        try:
            return cls(*_parts(text))
        except (ValueError, NotAccepted):
            raise BadInput(f"that is not {ENGINE_ADDRESS}; keys go into the environment") from None

    @property
    def target(self) -> str:
        """Host and port, as a connection is opened to."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_here(self) -> bool:
        """Return whether it is on this machine."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def __str__(self) -> str:
        return f"{SCHEME}://{self.target}/{self.namespace}"


def engine_address() -> Accepts:
    """The address of an engine."""

    def read(value: Any) -> str:
        try:
            return str(Address.read(value if isinstance(value, str) else ""))
        except BadInput:
            raise NotAccepted from None

    return Accepts(ENGINE_ADDRESS, read)


def listening() -> Accepts:
    """An address of this machine that others may call; digits, so that nobody has to be asked."""

    def read(value: Any) -> str:
        host, _, port = (value if isinstance(value, str) else "").strip().rpartition(":")
        if not (port.isascii() and port.isdigit() and 0 < int(port[:6]) < 2**16):
            raise NotAccepted
        try:
            found = ipaddress.ip_address(host.removeprefix("[").removesuffix("]"))
        except ValueError:
            raise NotAccepted from None
        return f"[{found}]:{port}" if found.version == 6 else f"{found}:{port}"

    return Accepts(LISTENING, read)


def build_name() -> Accepts:
    """Name of a build of the program."""

    def read(value: Any) -> str:
        if not isinstance(value, str) or not _BUILD.fullmatch(value.strip()):
            raise NotAccepted
        return value.strip()

    return Accepts(BUILD, read)


def _parts(text: str) -> tuple[str, int, str]:
    bare = text.strip()
    parts = urlsplit(bare)
    name = parts.path.strip("/") or NAMESPACE
    host = parts.hostname or ""
    odd = "@" in parts.netloc or "?" in bare or "#" in bare or len(bare) > 500
    if odd or parts.scheme != SCHEME or not _NAME.fullmatch(name):
        raise NotAccepted
    if not host or any(not ("!" <= c <= "~") for c in host):
        raise NotAccepted
    port = PORT if parts.port is None else parts.port
    if not port:
        raise NotAccepted
    return host, port, name
