"""Addresses that settings take: base URLs, a database, the engine that deals debates out.

A key travels over https only. Plain http is accepted with a key where the host is this machine or
one of the user's own network: a loopback or private address, a name without a dot (as containers
have), or a name under `localhost`, `local`, `lan`, `internal` or `home.arpa`.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import SplitResult, urlsplit

from mutual_dissent.config.values import Accepts, NotAccepted
from mutual_dissent.core.errors import BadInput
from mutual_dissent.store.database import checked_url

OLLAMA_PORT = 11434
OWN_NETWORK = (".localhost", ".local", ".lan", ".internal", ".home.arpa")


DATABASE_URL = "the URL of a PostgreSQL database: postgresql://USER:PASSWORD@HOST:5432/NAME"


def database_url() -> Accepts:
    """The address of a PostgreSQL database, which may hold a password."""
    return Accepts(DATABASE_URL, read_database_url)


def read_database_url(value: Any) -> str:
    """The address; raises NotAccepted."""
    try:
        return checked_url(value if isinstance(value, str) else "")
    except BadInput:
        raise NotAccepted from None


def base_url() -> Accepts:
    """An address that a request's path can be added to."""
    return Accepts(
        "an http:// or https:// address without user, password, query or fragment", read_base_url
    )


def read_base_url(value: Any) -> str:
    """The address without a slash at its end; raises NotAccepted."""
    if not isinstance(value, str) or len(value) > 500:
        raise NotAccepted
    bare = value.strip()
    if not bare or any(not "!" <= c <= "~" or c in '\\"<>^`{|}' for c in bare):
        raise NotAccepted
    parts = _split(bare)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NotAccepted
    if "@" in parts.netloc or "?" in bare or "#" in bare:
        raise NotAccepted
    return bare.rstrip("/")


def web_address() -> Accepts:
    """An address that is called as it is."""
    return Accepts("an http:// or https:// address without user or password", read_web_address)


def read_web_address(value: Any) -> str:
    """The address, which may have a query; raises NotAccepted."""
    bare = value.strip() if isinstance(value, str) else ""
    if len(bare) > 2000:
        raise NotAccepted
    where, mark, query = bare.partition("?")
    if "#" in query or any(not "!" <= c <= "~" for c in query):
        raise NotAccepted
    read_base_url(where)
    return f"{where}{mark}{query}"


def read_ollama_host(value: str) -> str:
    """The base URL behind OLLAMA_HOST, which may be `host:port`, `host`, `:port` or an address.

    `0.0.0.0` and `[::]` tell Ollama to listen everywhere; from here they mean this machine.
    """
    bare = value.strip().rstrip("/")
    schemed = bare if "://" in bare else f"http://{bare}"
    parts = _split(schemed.replace("://:", "://127.0.0.1:", 1))
    host = parts.hostname or "127.0.0.1"
    host = "127.0.0.1" if host in ("0.0.0.0", "::") else host  # noqa: S104 - not bound, replaced
    # As Ollama reads it: without a scheme its own port, with one the port of the scheme.
    port = parts.port or (OLLAMA_PORT if "://" not in bare else None)
    shown = f"[{host}]" if ":" in host else host
    # These marks stay, so that `read_base_url` refuses the address; what they mark is not repeated.
    user = "@" if "@" in parts.netloc else ""
    address = f"{parts.scheme}://{user}{shown}" + (f":{port}" if port else "")
    path = parts.path.rstrip("/")
    rest = "?" if parts.query or parts.fragment else ""
    return read_base_url(f"{address}{path if path.endswith('/v1') else path + '/v1'}{rest}")


def may_carry_a_key(url: str) -> bool:
    """Return whether a key may be sent to this base URL."""
    parts = urlsplit(url)
    return parts.scheme == "https" or _is_near(parts.hostname or "")


def _is_near(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        # A bare number is an address in disguise, and may be anyone's.
        return ("." not in host and not host[:1].isdigit()) or host.endswith(OWN_NETWORK)
    return address.is_loopback or address.is_private


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        raise NotAccepted from None
    return parts


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
