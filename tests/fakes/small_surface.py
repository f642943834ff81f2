"""A surface of a few routes: what a guard stands in front of."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request, WebSocket
from starlette.responses import StreamingResponse
from starlette.staticfiles import StaticFiles

from mutual_dissent.surfaces.http.app import AppPart
from mutual_dissent.surfaces.http.backend import HostedBackend, caller_of
from mutual_dissent.surfaces.http.body_limits import read_json


class Small:
    """Routes that echo, stream, listen and fail, and what reached them."""

    def __init__(self, files: Path | None = None) -> None:
        self.reached: list[str] = []
        self.end = asyncio.Event()
        self._files = files

    def surface(self, hosted: HostedBackend) -> AppPart:
        """The surface itself."""
        router = APIRouter()

        @router.get("/api/who/{thing}")
        async def who(request: Request, thing: str) -> dict[str, Any]:
            self.reached.append(request.url.path)
            caller = caller_of(request)
            seen = request.headers.get("range")
            return {"name": caller.name, "max_cost": caller.max_cost, "range": seen}

        @router.post("/api/echo")
        async def echo(request: Request) -> Any:
            self.reached.append(request.url.path)
            return await read_json(request)

        @router.post("/api/loose")
        async def loose(body: dict[str, Any]) -> Any:
            """A route that leaves reading to the framework."""
            self.reached.append("/api/loose")
            return body

        @router.post("/api/debates")
        async def debate(request: Request) -> dict[str, str]:
            caller, body = caller_of(request), await read_json(request)
            name = await hosted.sessions.start(
                body["query"], owner=caller.name, max_cost=caller.limit(None), panel=body["panel"]
            )
            return {"id": name}

        @router.get("/api/bug")
        async def bug() -> None:
            raise RuntimeError("a secret prompt")

        @router.get("/api/events")
        async def events() -> StreamingResponse:
            return StreamingResponse(self._events(), media_type="text/event-stream")

        @router.get("/page")
        async def page() -> str:
            self.reached.append("/page")
            return "hello"

        @router.websocket("/socket")
        async def socket(websocket: WebSocket) -> None:
            self.reached.append("/socket")
            await websocket.accept()
            await websocket.send_text("hello")
            await websocket.close()

        return AppPart(router=router, attach=self._mount)

    async def _events(self) -> AsyncIterator[str]:
        yield "data: hello\n\n"
        await self.end.wait()
        yield "data: bye\n\n"

    def _mount(self, app: FastAPI) -> None:
        if self._files:
            app.mount("/files", StaticFiles(directory=self._files))
