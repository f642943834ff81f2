"""A vendor on loopback that answers every request as it was told to, and keeps the request."""

from __future__ import annotations

import json
from typing import Any, Self

from aiohttp import web
from aiohttp.test_utils import TestServer


class CannedVendor:
    """Say what the next answers are; look at `requests` for what was sent."""

    def __init__(self) -> None:
        self.body = b"{}"
        self.content_type = "application/json"
        self.status = 200
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._server = TestServer(app, host="127.0.0.1")

    @property
    def url(self) -> str:
        return str(self._server.make_url("")).rstrip("/")

    def will_answer(self, body: bytes, content_type: str, status: int = 200) -> None:
        self.body, self.content_type, self.status = body, content_type, status

    async def _answer(self, request: web.Request) -> web.Response:
        headers = {k.lower(): v for k, v in request.headers.items()}
        self.requests.append((request.path_qs, headers, json.loads(await request.read() or "null")))
        head = {"content-type": self.content_type}
        return web.Response(body=self.body, status=self.status, headers=head)

    async def __aenter__(self) -> Self:
        await self._server.start_server()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self._server.close()
