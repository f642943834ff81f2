"""The research page over many debates: through a real server and, if there is one, a browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

from bench.report import Table

START = re.compile(r"http://\S+/\?token=\S+")
SEARCHES = ("text=harbour", "text=harbour+river&order=cost", "text=har*", "text=treaty&model=gpt")
TIMES = 3
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def measure(table: Table, home: Path, number: int) -> None:
    """How long a search takes, and how long until the page shows its list and its figures."""
    with _served(home) as start:
        asker = _Asker(start)
        times = {s: asker.get(f"/ui/research/debates?{s}&limit=50") for s in SEARCHES}
        slowest = max(times, key=lambda s: times[s])
        note = f"the slowest of {len(times)}: {slowest}"
        table.add(f"search in {number:,} debates", times[slowest] * 1000, 300, unit="ms", note=note)
        first = asker.get("/ui/research/debates?limit=50") + asker.get("/ui/research/choices")
        figures = asker.post("/ui/research/study", {"find": {}})
        note = f"list and choices {first * 1000:.0f} ms, first figures {figures * 1000:.0f} ms"
        table.add(f"dashboard data of {number:,} debates", first + figures, 2, unit="s", note=note)
        _pages(table, start, number)


def _pages(table: Table, start: str, number: int) -> None:
    """From the address to rows and figures on the screen."""
    path = next((p for name in BROWSERS if (p := shutil.which(name))), None)
    if path is None:
        print("no Chromium is here: the pages are not timed", file=sys.stderr)
        return
    from playwright.sync_api import sync_playwright

    here = start.partition("/?")[0]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.goto(start)
        rows = min(_shown(tab, f"{here}/debates", "tbody tr") for _ in range(TIMES))
        figures = min(
            _shown(tab, f"{here}/debates?view=figures", ".figure svg") for _ in range(TIMES)
        )
        browser.close()
    note = f"list {rows:.2f} s, figures {figures:.2f} s"
    table.add(f"dashboard page with {number:,} debates", max(rows, figures), 2, unit="s", note=note)


def _shown(tab, address: str, what: str) -> float:
    begun = time.perf_counter()
    tab.goto(address)
    tab.locator(what).first.wait_for()
    return time.perf_counter() - begun


class _Asker:
    """One connection of a person that was let in."""

    def __init__(self, start: str) -> None:
        self._line = HTTPConnection(urlsplit(start).netloc)
        self._line.request("GET", start)
        reply = self._line.getresponse()
        reply.read()
        self._cookie = {"Cookie": reply.headers["set-cookie"].partition(";")[0]}

    def get(self, path: str) -> float:
        return min(self._timed("GET", path, None, {}) for _ in range(TIMES))

    def post(self, path: str, body: dict) -> float:
        kind = {"Content-Type": "application/json"}
        return min(self._timed("POST", path, json.dumps(body), kind) for _ in range(TIMES))

    def _timed(self, method: str, path: str, body: str | None, more: dict[str, str]) -> float:
        begun = time.perf_counter()
        self._line.request(method, path, body, {**self._cookie, **more})
        reply = self._line.getresponse()
        reply.read()
        assert reply.status == 200, f"{path}: {reply.status}"
        return time.perf_counter() - begun


@contextmanager
def _served(home: Path) -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    env = {**os.environ, "MUTUAL_DISSENT_HOME": str(home)}
    command = [sys.executable, "-m", "mutual_dissent", "serve", "--no-open", "--port", str(port)]
    process = subprocess.Popen(
        command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        yield next(found[0] for line in process.stdout if (found := START.search(line)))
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
