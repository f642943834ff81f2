"""A roundtable at hand: a hosted app with a scripted panel, and MCP clients of both eras."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from mcp import Client

from fakes.structured import form_fillers
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.mcp.server import create_server

ERAS = ("legacy", "2026-07-28")
PANEL = ["ada", "bob", "cyd"]


def differently(ask: Any) -> str:
    """Nobody agrees with anybody; one cites something."""
    said = {"ada": "Tabs are better.", "bob": "Spaces are better.", "cyd": "It depends."}
    source = " See https://example.org/style?utm_source=x." if ask.panelist.seat == "bob" else ""
    return said.get(ask.panelist.seat, "Nobody knows.") + source


class Panel:
    """Panelists that fill in any form, in rounds from `holds_from` on once they are let."""

    def __init__(self, *, holds_from: int = -1, **says: Any) -> None:
        self._cast: Scripted = form_fillers(*PANEL, "eve", **says)
        self._holds_from = holds_from
        self.open = asyncio.Event()
        self.open.set()
        self.begun = asyncio.Event()
        self.given_up = 0

    @property
    def asks(self) -> list[Any]:
        return self._cast.asks

    async def ask(self, ask: Any, on_text: Any) -> Any:
        if ask.round_number < self._holds_from:
            return await self._cast.ask(ask, on_text)
        self.begun.set()
        try:
            await self.open.wait()
        except asyncio.CancelledError:
            self.given_up += 1
            raise
        return await self._cast.ask(ask, on_text)

    async def warm_up(self, routes: Any) -> None:
        pass


class Roundtable:
    """The server with what is behind it."""

    def __init__(self, hosted: HostedBackend, panel: Panel) -> None:
        self.hosted, self.panel = hosted, panel
        self.server = create_server(hosted)

    @asynccontextmanager
    async def client(self, era: str = ERAS[0], **more: Any) -> AsyncIterator[Table]:
        async with Client(self.server, mode=era, **more) as client:
            yield Table(client)


class Table:
    """A client that insists on the promises that hold for every result."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self._schemas: dict[str, Any] = {}

    async def __call__(self, name: str, **arguments: Any) -> Any:
        """The structured content of a result."""
        result = await self.client.call_tool(name, arguments)
        assert not result.is_error, result.content[0].text
        [block] = result.content
        assert json.loads(block.text) == result.structured_content
        assert len(block.text) <= 20_000
        assert ": " not in block.text[:20]
        Draft202012Validator((await self.schemas())[name]).validate(result.structured_content)
        return result.structured_content

    async def refused(self, name: str, **arguments: Any) -> str:
        """The sentence of a result that is an error."""
        result = await self.client.call_tool(name, arguments)
        assert result.is_error
        [block] = result.content
        assert "\n" not in block.text
        assert "Traceback" not in block.text
        return str(block.text)

    async def start(self, **more: Any) -> Any:
        given = {"topic": "Tabs or spaces?", "agents": PANEL, "mode": "collaborative", **more}
        return await self("start_roundtable", **given)

    async def schemas(self) -> dict[str, Any]:
        if not self._schemas:
            listed = await self.client.list_tools()
            self._schemas = {t.name: t.output_schema for t in listed.tools}
        return self._schemas


@asynccontextmanager
async def roundtable(home: Path, panel: Panel | None = None) -> AsyncIterator[Roundtable]:
    """A server on a home of its own."""
    panel = panel or Panel()
    home.joinpath("config.toml").write_text('[defaults]\nanalyst = "none"\n')
    async with MutualDissent(home=home, env={}, provider=panel, prices=Tariff()) as md:
        sessions = Sessions(md)
        try:
            yield Roundtable(HostedBackend(md=md, sessions=sessions), panel)
        finally:
            await sessions.aclose()
