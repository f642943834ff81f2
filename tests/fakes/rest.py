"""The REST API on a real port, with a panel that answers when it is let."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from fakes.ledgers import unread
from fakes.patience import LONG
from fakes.served import served
from fakes.structured import Speech, form_fillers, plainly
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.rest import api

PANEL = ["ada", "bob", "cyd"]
CHAT = {"message": "Tabs or spaces?", "panel": PANEL, "seed": 1}
WAIT = {"Prefer": "wait=300"}


class HeldCast:
    """Panelists that begin to speak at once, and end when they are let."""

    def __init__(self, seats: Sequence[str], says: Speech) -> None:
        self._cast = form_fillers(*seats, "eve", says=says)
        self.open = asyncio.Event()
        self.open.set()

    @property
    def asks(self) -> list[Any]:
        return self._cast.asks

    async def ask(self, ask: Any, on_text: Any) -> Any:
        if not self.open.is_set():
            on_text("Well, ")
            await self.open.wait()
        return await self._cast.ask(ask, on_text)

    async def warm_up(self, routes: Any) -> None:
        pass


@dataclass
class Rest:
    """A client of the API, and what is behind it."""

    client: httpx.AsyncClient
    hosted: HostedBackend
    cast: HeldCast
    url: str

    async def chat(self, **more: Any) -> dict[str, Any]:
        """A debate that is over."""
        answer = await self.client.post("/api/chat", json={**CHAT, **more}, headers=WAIT)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def begun(self, **more: Any) -> str:
        """The id of a debate that waits for its panel."""
        self.cast.open.clear()
        answer = await self.client.post("/api/chat", json={**CHAT, **more})
        assert answer.status_code == 202, answer.text
        name: str = answer.json()["sessionId"]
        while not self.hosted.sessions.partial(name):
            await asyncio.sleep(0.001)
        return name

    async def ordered(self) -> None:
        """Wait until whoever works on debates has taken the orders that were given."""
        while self.hosted.md.store._access.rows("SELECT 1 FROM directives"):
            await asyncio.sleep(0.001)

    async def get(self, path: str, status: int = 200, **more: Any) -> Any:
        answer = await self.client.get(path, **more)
        assert answer.status_code == status, answer.text
        return answer.json()

    async def post(self, path: str, body: Any = None, status: int = 200, **headers: str) -> Any:
        named = {k.replace("_", "-"): v for k, v in headers.items()}
        answer = await self.client.post(path, json=body, headers=named)
        assert answer.status_code == status, answer.text
        return answer.json()


@asynccontextmanager
async def rest(
    home: Path, *, seats: Sequence[str] = PANEL, says: Speech = plainly, **more: Any
) -> AsyncIterator[Rest]:
    """Serve the API alone; `more` is for the sessions."""
    cast = HeldCast(seats, says)
    async with MutualDissent(home=unread(home), env={}, provider=cast, prices=Tariff()) as md:
        hosted = HostedBackend(md=md, sessions=Sessions(md, **more))
        async with (
            served(hosted, [api]) as url,
            httpx.AsyncClient(base_url=url, timeout=LONG) as client,
        ):
            yield Rest(client, hosted, cast, url)


@dataclass(frozen=True)
class Sent:
    """A server-sent event."""

    id: str | None
    event: str
    data: Any


async def sent(lines: AsyncIterator[str]) -> AsyncIterator[Sent]:
    """The events in the lines of a stream, read as the standard says."""
    fields: dict[str, str] = {}
    async for line in lines:
        if not line and "data" in fields:
            yield Sent(fields.get("id"), fields.get("event", ""), json.loads(fields["data"]))
        if not line:
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")


def numbers(events: Sequence[Sent]) -> list[int]:
    """The numbers of those that have one."""
    return [int(e.id) for e in events if e.id]
