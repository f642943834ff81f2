"""A real Chromium in front of a real `dissent serve`, behind which fake vendors answer.

    async def test_something(site, tabs):
        tab = await tabs.open(site)            # by the start address, as a person would
        await tab.locator("#query").fill("Tabs or spaces?")

Whatever a tab asks of another host is refused and written down, and fails the test at its end; so
does an error on the page that nobody expected. Browser and server end with the session.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import pytest

from fakes.command_line import PROGRAM, Vendor
from fakes.patience import LONG
from mutual_dissent.providers import endpoints

CHROMIUM = (
    "chromium-headless-shell",
    "/usr/bin/chromium",
    "chromium",
    "chromium-browser",
    "google-chrome",
)
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip
WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
KEYS = tuple(vendor.upper() for vendor in endpoints.TABLE)
SERVERS = tuple(endpoints.TABLE[vendor].base_url_env for vendor in endpoints.SERVERS)
START = re.compile(r"(http://\S+/)\?token=\S+")


def chromium() -> str:
    """Where a Chromium is; without one the test is skipped, and says so."""
    for name in CHROMIUM:
        if found := shutil.which(name):
            return found
    pytest.skip("SKIPPED: no Chromium is here; as root: scripts/system_parts.sh")


@dataclass
class Site:
    """A running server: its address, and the address that lets a person in."""

    url: str
    start: str
    vendor: Vendor | None
    process: subprocess.Popen[str]
    home: Path
    line: int


@contextmanager
def serving(home: Path, vendor: Vendor | None, more: str = "") -> Iterator[Site]:
    """A server with a home of its own; `more` is its configuration. Without a vendor: no key."""
    home.mkdir(parents=True, exist_ok=True)
    line = _free_port()
    config = home / "config.toml"
    config.write_text(f'{more}\n[server]\nnames = ["127.0.0.1:{line}"]\n')
    config.chmod(0o600)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(tuple(f"{n}_" for n in KEYS))}
    kept |= {
        "MUTUAL_DISSENT_HOME": str(home),
        "HOME": str(home),
        **dict.fromkeys(SERVERS, "http://127.0.0.1:9"),
    }
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            [*PROGRAM, "serve", "--no-open", "--port", str(_free_port())],
            env={**kept, **(vendor_env(vendor) if vendor else {})},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log, text=True,
        )  # fmt: skip
        try:
            start = next((f for line in process.stdout if (f := START.search(line))), None)
            assert start, f"the server did not start: {(home / 'log').read_text()}"
            yield Site(start[1].rstrip("/"), start[0], vendor, process, home, line)
        finally:
            process.terminate()
            process.wait(LONG)
            process.stdout.close()


def vendor_env(vendor: Vendor) -> dict[str, str]:
    """One fake vendor in the place of all, each in its own dialect."""
    dialects = {"OPENAI": "openai-chat", "ANTHROPIC": "anthropic", "GOOGLE": "google"}
    found: dict[str, str] = {}
    for name, dialect in {**dialects, "XAI": "openai-chat"}.items():
        found[f"{name}_API_KEY"] = f"sk-test-key-{name.lower()}-0001"
        found[f"{name}_BASE_URL"] = vendor.fake.base_url(dialect)
    # A key for it is pasted in some tests, and tried: that may reach nobody else.
    found["OPENROUTER_BASE_URL"] = vendor.fake.base_url("openai-chat")
    return found


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        return int(sock.getsockname()[1])


class Line:
    """A line to a server that can be cut: whoever was on it is off, and nobody gets through."""

    def __init__(self, site: Site) -> None:
        here, there = urlsplit(site.url).netloc, f"127.0.0.1:{site.line}"
        url, start = (u.replace(here, there) for u in (site.url, site.start))
        self.site = replace(site, url=url, start=start)
        self._to = int(here.rpartition(":")[2])
        self._server: asyncio.Server | None = None
        self._open: set[asyncio.StreamWriter] = set()

    async def mend(self) -> None:
        self._server = await asyncio.start_server(self._joined, "127.0.0.1", self.site.line)

    async def cut(self) -> None:
        if self._server:
            self._server.close()
        for writer in self._open:
            writer.transport.abort()

    async def __aenter__(self) -> Self:
        await self.mend()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.cut()

    async def _joined(self, here: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        there, out = await asyncio.open_connection("127.0.0.1", self._to)
        both = {back, out}
        self._open |= both
        await asyncio.gather(_passed_on(here, out), _passed_on(there, back))
        self._open -= both


async def _passed_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()


@dataclass
class Tabs:
    """The tabs of one test, and what they did that they should not have."""

    browser: Any
    foreign: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    contexts: list[Any] = field(default_factory=list)

    async def open(self, site: Site, path: str = "/", **how: Any) -> Any:
        """A tab of a person of its own, let in by the start address, at some path."""
        context = await self.person(site, **how)
        return await self.another(context, site, path)

    async def person(self, site: Site, **how: Any) -> Any:
        """A browser profile that only reaches this server."""
        context = await self.browser.new_context(**{"viewport": WIDE, **how})
        context.set_default_timeout(LONG * 1000)
        self.contexts.append(context)
        # A pattern, so that the driver lets our own requests pass: to hear of each costs a third.
        here = re.escape(urlsplit(site.url).netloc)
        await context.route(re.compile(rf"^(?!http://{here}/)"), self._refuse)
        context.on("page", self._watch)
        return context

    async def another(self, context: Any, site: Site, path: str = "/") -> Any:
        """One more tab of the same person."""
        tab = await context.new_page()
        await tab.goto(site.start)
        if path != "/":
            await tab.goto(site.url + path)
        return tab

    async def _refuse(self, route: Any) -> None:
        self.foreign.append(route.request.url)
        await route.abort()

    def _watch(self, page: Any) -> None:
        page.on("pageerror", lambda e: self.errors.append(str(e)))
        page.on("dialog", lambda d: self.errors.append(f"a dialog: {d.message}"))
        page.on("console", lambda m: m.type == "error" and self.errors.append(m.text))

    async def close(self) -> None:
        """Close all; then nothing foreign was asked for, and nothing broke on a page."""
        for context in self.contexts:
            await context.close()
        broken = [e for e in self.errors if not any(x in e for x in self.expected)]
        assert not self.foreign, f"foreign requests: {self.foreign}"
        assert not broken, f"errors on the page: {broken}"


@asynccontextmanager
async def launched() -> AsyncIterator[Any]:
    """A Chromium without a window."""
    path = chromium()
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS])
        try:
            yield browser
        finally:
            await browser.close()


async def until(tab: Any, script: str, *given: Any) -> None:
    """Wait until something holds on the page."""
    await tab.wait_for_function(script, arg=list(given), timeout=LONG * 1000)
