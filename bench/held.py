"""What grows with time: a server that has held many debates, a tab that was open all the while.

`HELD=10000 python -m bench held` holds more of them; `make bench` holds a few hundred.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import psutil

from bench.debates import QUICK, vendor
from bench.page import ARGUMENTS, BROWSERS, _person, _post, server
from bench.report import Table

HELD = int(os.environ.get("HELD", "400"))
AT_ONCE = 8
VISITS, FIRST = 60, 15
"""Debates that a tab shows one after the other, and how many of them count as warming up."""

_WANTED = {
    "message": "Tabs or spaces?",
    "panel": [f"openai:{m}" for m in QUICK],
    "analyst": "none",
}


def measure(table: Table) -> None:
    """Memory of a server and of a tab, early and late."""
    with vendor() as url, server(url) as (process, here, start):
        early = HELD // 4
        ids = _hold(here, early)
        before = _resident(process)
        begun = time.perf_counter()
        ids += _hold(here, HELD - early)
        pace = (HELD - early) / (time.perf_counter() - begun)
        after = _resident(process)
        note = (
            f"{before:.0f} MB after {early:,}, {after:.0f} MB after {HELD:,}; {pace:.0f} a second"
        )
        table.add("memory that a server keeps of 1,000 debates", (after - before) * 1000
                  / (HELD - early), 10, unit="MB", note=note)  # fmt: skip
        path = next((p for name in BROWSERS if (p := shutil.which(name))), None)
        if path is None:
            print("SKIPPED: no Chromium is here, so no tab is measured", file=sys.stderr)
            return
        asyncio.run(_visit(table, path, here, start, ids[-VISITS:]))


def _hold(here: str, number: int) -> list[str]:
    """Hold so many debates, some at a time, and wait for the last."""

    def one(_: int) -> str:
        name = _post(f"{here}/api/chat", _WANTED)["sessionId"]
        while _get(here, name) not in ("completed", "error", "stopped"):
            time.sleep(0.05)
        return name

    with ThreadPoolExecutor(AT_ONCE) as people:
        return list(people.map(one, range(number)))


def _get(here: str, name: str) -> str:
    import json
    from urllib.request import urlopen

    with urlopen(f"{here}/api/sessions/{name}") as reply:
        return str(json.load(reply)["status"])


def _resident(process: psutil.Process) -> float:
    return process.memory_info().rss / 2**20


async def _visit(table: Table, path: str, here: str, start: str, ids: list[str]) -> None:
    """One tab that goes from debate to debate by the history beside them, as people do."""
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        tab = await _person(browser, start)
        heap = await tab.context.new_cdp_session(tab)
        sizes = []
        for name in ids:
            # As a link of the page does: it stays, and so would whatever it forgot to drop.
            async with tab.expect_response(lambda reply, name=name: name in reply.url):
                await tab.evaluate(_GO, f"/debates/{name}")
            await tab.locator("[data-status=completed]").wait_for()
            sizes.append(await _heap(heap))
        await tab.clock.install()
        await tab.reload()
        await tab.locator("[data-status=completed]").wait_for()
        morning = await _heap(heap)
        await tab.clock.run_for("24:00:00")  # every timer of a day, one after the other
        evening = await _heap(heap)
        await browser.close()
    first, last = sizes[FIRST], sizes[-1]
    note = f"{first:.1f} MB after {FIRST}, {last:.1f} MB after {len(ids)}"
    table.add(f"a tab's memory after {len(ids)} debates over that after {FIRST}", last / first, 1.2,
              note=note)  # fmt: skip
    note = f"{morning:.1f} MB, then {evening:.1f} MB"
    table.add("a tab's memory after a day over that before", evening / morning, 1.2, note=note)


_GO = """(path) => {
  history.pushState({}, "", path);
  dispatchEvent(new PopStateEvent("popstate"));
}"""


async def _heap(session) -> float:
    """Megabytes that scripts and nodes of the page hold, after the garbage is gone."""
    await session.send("HeapProfiler.collectGarbage")
    used = await session.send("Runtime.getHeapUsage")
    return used["usedSize"] / 2**20


if __name__ == "__main__":
    found = Table()
    measure(found)
    print(found.text())
