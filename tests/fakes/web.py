"""A small web on loopback: pages, redirects, bombs, and the three search services."""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from typing import Any, Self

from aiohttp import web
from aiohttp.test_utils import TestServer

from mutual_dissent.tools.addresses import AddressRules


class FakeWeb:
    """Put pages into `pages`, results into `results`; `seen` has every request.

    Every name leads here, as far as `resolve` is used.
    """

    def __init__(self) -> None:
        self.pages: dict[str, web.Response] = {}
        self.results: list[dict[str, Any]] = []
        self.status = 200
        self.raw: bytes | None = None
        self.headers: dict[str, str] = {}
        self.seen: list[tuple[str, str, dict[str, str], bytes]] = []
        self.asked: list[str] = []
        self.released = asyncio.Event()
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._server = TestServer(app, host="127.0.0.1")

    @property
    def url(self) -> str:
        return str(self._server.make_url("")).rstrip("/")

    @property
    def port(self) -> int:
        assert self._server.port
        return self._server.port

    @property
    def reach(self) -> AddressRules:
        """Whatever is public, and this server."""
        real = AddressRules()
        return AddressRules(
            allows=lambda a: a == "127.0.0.1" or real.allows(a),
            ports=frozenset({80, 443, self.port}),
        )

    def at(self, path: str, host: str = "site.example") -> str:
        return f"http://{host}:{self.port}{path}"

    async def resolve(self, host: str) -> list[str]:
        self.asked.append(host)
        return ["127.0.0.1"]

    def put(self, path: str, body: str | bytes, kind: str = "text/html", **headers: str) -> None:
        raw = body.encode() if isinstance(body, str) else body
        named = {"Content-Type": kind} | {k.replace("_", "-"): v for k, v in headers.items()}
        self.pages[path] = web.Response(body=raw, headers=named)

    def redirect(self, path: str, target: str, status: int = 302) -> None:
        self.pages[path] = web.Response(status=status, headers={"Location": target})

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        headers = {k.lower(): v for k, v in request.headers.items()}
        self.seen.append((request.method, request.path_qs, headers, await request.read()))
        if request.path == "/drip":
            return await self._drip(request)
        if request.path == "/endless":
            return await self._endless(request)
        page = self.pages.get(request.path)
        if page is not None:
            return web.Response(body=page.body, status=page.status, headers=page.headers)
        if request.path in ("/search", "/res/v1/web/search"):
            return self._searched(request.path)
        return web.Response(status=404)

    def _searched(self, path: str) -> web.Response:
        found: dict[str, Any] = {"results": self.results}
        answer = {"web": found} if path.startswith("/res") else found
        body = self.raw if self.raw is not None else json.dumps(answer).encode()
        kind = {"Content-Type": "application/json"}
        return web.Response(body=body, status=self.status, headers=kind | self.headers)

    async def _drip(self, request: web.Request) -> web.StreamResponse:
        """Begin a page, and never end it."""
        response = web.StreamResponse(headers={"Content-Type": "text/html"})
        await response.prepare(request)
        await response.write(b"<p>one")
        await self.released.wait()
        return response

    async def _endless(self, request: web.Request) -> web.StreamResponse:
        """A page without a length that goes on for 40 MB."""
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        try:
            for _ in range(640):
                await response.write(b"x" * 65_536)
        except ConnectionError:
            pass
        return response

    async def __aenter__(self) -> Self:
        await self._server.start_server()
        return self

    async def __aexit__(self, *exc: object) -> None:
        self.released.set()
        await self._server.close()


def bomb(size: int) -> bytes:
    """A gzip body that grows to this size."""
    return gzip.compress(b"\0" * size, 9)


def deflated(text: str) -> bytes:
    return zlib.compress(text.encode())
