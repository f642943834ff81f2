"""Checks of a request before authentication: its host, origin and content type.

A browser on this machine can be made to call us by any page it shows: under a name that leads here
(DNS rebinding), or from another origin. It cannot be made to lie about either.
"""

from __future__ import annotations

from mutual_dissent.core.errors import clip
from mutual_dissent.surfaces.http.errors import ApiError
from mutual_dissent.surfaces.http.request_head import Head

HERE = ("127.0.0.1", "localhost", "[::1]")
"""Host names that only this machine uses for itself."""

FOREIGN = frozenset({"cross-site", "same-site"})
JSON = "application/json"


def check_size(head: Head, max_fields: int, max_bytes: int) -> None:
    """Refuse a head with too many fields or bytes."""
    if len(head.fields) > max_fields or head.size > max_bytes:
        raise ApiError(
            431,
            "head_too_large",
            f"the head of the request is too large; send at most {max_fields} fields "
            f"and {max_bytes:,} bytes",
        )


def check_host(head: Head, names: tuple[str, ...]) -> str:
    """Return the request's host, if it is one of this server's names."""
    host = (head.one(b"host") or "").lower()
    own = {with_port(name, head.port) for name in (*HERE, head.address)}
    # Browsers leave the usual ports out.
    if head.port in (80, 443):
        own |= {name.rpartition(":")[0] for name in own}
    for name in names:
        own |= {name.lower(), with_port(name.lower(), head.port)}
    if not host or host not in own:
        raise ApiError(
            421,
            "wrong_host",
            f"this server does not go by the name {clip(host)!r}; use 127.0.0.1:{head.port}, "
            "or add the name: dissent config set server.names NAME",
        )
    return host


def is_here(host: str, port: int) -> bool:
    """Return whether a host is one of this machine's names for itself."""
    return host in {with_port(name, port) for name in HERE} or host in HERE


def with_port(name: str, port: int) -> str:
    """Return a name with a port, as in a Host field."""
    has_one = name.rpartition(":")[2].isdigit() and not name.endswith("]")
    return name if has_one else f"{name}:{port}"


def check_origin(head: Head, host: str) -> None:
    """Refuse calls from pages of other sites."""
    origins = head.all(b"origin")
    # https: where a proxy in front of this server ends TLS.
    if origins and origins not in ([f"http://{host}"], [f"https://{host}"]):
        raise ApiError(
            403,
            "foreign_origin",
            f"the page {clip(origins[0])!r} is not of this server, and may not call it",
        )
    site = head.all(b"sec-fetch-site")
    # A link on another site's page may lead here: that page reads nothing of the answer.
    moves = head.is_safe and head.all(b"sec-fetch-mode") == ["navigate"]
    if any(s in FOREIGN for s in site) and not moves:
        raise ApiError(403, "foreign_site", "another site's page may not call this server")


def check_kind(head: Head) -> None:
    """Require JSON of API requests: a form on a foreign page cannot send it."""
    if head.is_safe or head.is_socket or not head.is_api:
        return
    kinds = head.all(b"content-type")
    if not kinds and not head.has_body:
        return
    kind = head.kind or ""
    if kind != JSON and not (kind.startswith("application/") and kind.endswith("+json")):
        sent = clip(kind) if kind else "nothing"
        raise ApiError(
            415,
            "not_json",
            f"the body must be JSON, and its type says {sent}; send Content-Type: {JSON}",
        )
