"""The connections of the process: one session for each event loop, and the proxies."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import time
from contextvars import ContextVar
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import aiohttp

from mutual_dissent import __version__
from mutual_dissent.core.errors import UserError
from mutual_dissent.providers.http.limits import most_open

if TYPE_CHECKING:
    from aiohttp.connector import Connection
    from aiohttp.tracing import Trace


CONNECTED: ContextVar[list[float] | None] = ContextVar("CONNECTED", default=None)
"""Takes the time when the running call has its connection: getting one is not the model's latency.

A connection keeps the context that it was made in, so that this must not lead to the call itself.
"""


class Pool:
    """One session and connector, made when first needed and shared by all vendors.

    Proxies come from `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, except that nothing on this
    machine is ever reached through one. aiohttp's own `trust_env` is off: it would also send
    loopback calls to the proxy, and read `.netrc` for every request.
    """

    def __init__(self, connect: float) -> None:
        self._connect = connect
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def session(self) -> aiohttp.ClientSession:
        """Return the session of the running loop."""
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.closed or self._loop is not loop:
            self._session, self._loop = self._open(), loop
        return self._session

    async def aclose(self) -> None:
        """Close all connections."""
        session, self._session = self._session, None
        if session is not None and self._loop is asyncio.get_running_loop():
            await session.close()

    def _open(self) -> aiohttp.ClientSession:
        return aiohttp.ClientSession(
            connector=_Connector(limit=most_open() // 2, ttl_dns_cache=300, keepalive_timeout=60),
            timeout=aiohttp.ClientTimeout(total=None, connect=self._connect),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,  # bodies are inflated piece by piece, under our own limit
            headers={
                "User-Agent": f"mutual-dissent/{__version__}",
                "Accept-Encoding": "identity",
            },
        )


class _Connector(aiohttp.TCPConnector):
    """Lets a call know when it has its connection; aiohttp's traces cost several times as much."""

    async def connect(
        self,
        req: aiohttp.ClientRequest,
        traces: list[Trace],
        timeout: aiohttp.ClientTimeout,  # noqa: ASYNC109 - this is how aiohttp calls it
    ) -> Connection:
        connection = await super().connect(req, traces, timeout)
        if (times := CONNECTED.get()) is not None:
            times.append(time.monotonic())
        return connection


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for an address, never one for this machine.

    Raises:
        UserError: if it is not a URL; it is not repeated, for it may hold a password.
    """
    # Looked at first, since urllib.request takes a while to import.
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return None
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(url)
    host = parts.hostname or ""
    if is_loopback(host) or proxy_bypass(host):
        return None
    proxies = getproxies()
    named = (proxies.get(parts.scheme) or proxies.get("all") or "").strip()
    if not named:
        return None
    proxy = named if "://" in named else f"http://{named}"
    if not _is_proxy(proxy):
        variables = f"{parts.scheme.upper()}_PROXY or ALL_PROXY"
        raise UserError(f"the proxy in {variables} must be an http:// or https:// address")
    return proxy


def _is_proxy(address: str) -> bool:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname) and address.isprintable()


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
