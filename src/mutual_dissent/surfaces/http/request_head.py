"""The head of a request, as the guard reads it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from ipaddress import ip_address
from urllib.parse import parse_qs

from starlette.types import Scope

from mutual_dissent.surfaces.http.errors import is_under

API = ("/api", "/v1", "/v1beta", "/mcp", "/metrics", "/healthz")
"""Paths for programs; all others are for people: pages, their sockets and their files."""

MANY = 100
"""Query parameters that a request may have at most."""

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


class Head:
    """Everything of a request but its body."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.fields: list[tuple[bytes, bytes]] = scope["headers"]
        self.path: str = scope["path"]
        self.is_socket = scope["type"] == "websocket"
        self.method: str = "GET" if self.is_socket else scope["method"]

    def all(self, name: bytes) -> list[str]:
        """Every value of a field, in order."""
        return [value.decode("latin-1").strip() for n, value in self.fields if n == name]

    def one(self, name: bytes) -> str | None:
        """Return the value of a field that occurs exactly once."""
        values = self.all(name)
        return values[0] if len(values) == 1 else None

    @property
    def size(self) -> int:
        """Approximate size in bytes."""
        target = len(self.scope.get("raw_path") or b"") + len(self.scope["query_string"])
        # 4: a colon, a blank and the line's end.
        return target + sum(len(n) + len(v) + 4 for n, v in self.fields)

    @property
    def is_safe(self) -> bool:
        """Return whether its method changes nothing; a socket may carry any order."""
        return self.method in SAFE and not self.is_socket

    @cached_property
    def is_api(self) -> bool:
        """Return whether it is a program's request rather than a page's."""
        return any(is_under(self.path, prefix) for prefix in API)

    @property
    def has_body(self) -> bool:
        """Return whether a body follows."""
        return bool(self.length) or bool(self.all(b"transfer-encoding"))

    @property
    def length(self) -> int:
        """Declared length of its body in bytes; 0 if not declared."""
        digits = self.one(b"content-length") or ""
        # `isdigit` alone lets "²" pass, which `int` refuses.
        return int(digits) if digits.isascii() and digits.isdigit() else 0

    @property
    def kind(self) -> str | None:
        """The type of its body without parameters, in lower case."""
        value = self.one(b"content-type")
        return value and value.partition(";")[0].strip().lower()

    @property
    def port(self) -> int:
        """The port at which it arrived."""
        return int((self.scope.get("server") or ("", 0))[1] or 0)

    @property
    def address(self) -> str:
        """The address of this machine at which it arrived, as in a URL."""
        return in_url((self.scope.get("server") or ("", 0))[0])

    @property
    def came_to_loopback(self) -> bool:
        """Return whether it arrived at a loopback address."""
        return is_loopback((self.scope.get("server") or ("", 0))[0])

    def cookie(self, name: str) -> Iterable[str]:
        """The values of a cookie; two of one name may come from two paths."""
        for field in self.all(b"cookie"):
            for part in field.split(";"):
                key, _, value = part.strip().partition("=")
                if key == name:
                    yield value

    def query(self, name: str) -> str | None:
        """Return a query parameter; None if the query has an unreasonable number of them."""
        text = self.scope["query_string"].decode("latin-1")
        if name not in text or text.count("&") > MANY:
            return None
        values = parse_qs(text).get(name)
        return values[0] if values else None


def is_loopback(address: str) -> bool:
    """Return whether only this machine can reach an address."""
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


def in_url(address: str) -> str:
    """Return an address as in a URL."""
    return f"[{address}]" if ":" in address else address
