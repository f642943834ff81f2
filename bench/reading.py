"""Long answers on the debate page: 8 of 20 kB with tables, code and formulas, 4 at a time.

What the server takes of a core while they stream, and the longest that the page's own thread is at
work without a pause: frames cannot be shorter than that. Both are CPU time, so that whatever else
runs on the machine does not count.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
import time

from bench.debates import vendor
from bench.page import ARGUMENTS, BROWSERS, PATIENCE, _cpu, _post, server
from bench.report import Table

SIZE = 20_000
PACE = 50
TRACED, TASK = "toplevel", "ThreadControllerImpl::RunTask"
"""What the browser is asked to write down: each task of each thread."""


def measure(table: Table, size: int = SIZE) -> None:
    """Follow one debate of four panelists and two rounds from its first word to its last."""
    path = next((p for name in BROWSERS if (p := shutil.which(name))), None)
    if path is None:
        print("SKIPPED: no Chromium is here, so long answers are not measured", file=sys.stderr)
        return
    with vendor() as url, server(url) as (process, here, start):
        asyncio.run(_measure(table, path, process, here, start, size))


async def _measure(table: Table, path: str, process, here: str, start: str, size: int) -> None:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        tab = await browser.new_page(viewport={"width": 1440, "height": 900})
        tab.set_default_timeout(PATIENCE + 8 * 1000 * size / PACE)
        await tab.goto(start)
        panel = [f"openai:w{PACE}x{size}"] * 4
        wanted = {"message": "Go on?", "mode": "reflection", "panel": panel, "analyst": "none",
                  "synthesize": False, "rounds": 1}  # fmt: skip
        name = (await asyncio.to_thread(_post, f"{here}/api/chat", wanted))["sessionId"]
        await browser.start_tracing(page=tab, categories=[TRACED])
        before, begun = _cpu(process), time.perf_counter()
        await tab.goto(f"{here}/debates/{name}")
        await tab.locator("[data-status=completed]").wait_for()
        spent, passed = _cpu(process) - before, time.perf_counter() - begun
        await tab.get_by_role("tab", name="Round 1").click()
        await tab.locator("[data-pane='4'] .said[data-read]").wait_for()
        trace = json.loads(await browser.stop_tracing())
        sizes = [len(t) for t in await tab.locator(".pane .said").all_inner_texts()]
        await browser.close()
    assert len(sizes) == 4, "the last round is not on the page"
    assert min(sizes) > size / 2, "the answers are not on the page"
    longest, busy = _tasks(trace)
    note = f"{passed:.0f} s, 8 answers of {size:,} characters"
    table.add("server CPU while long answers stream", spent / passed * 100, 10, "%", note)
    note = f"CPU time; the page's thread is busy for {busy / passed * 100:.0f} % of a core"
    table.add("longest task on the page while long answers stream", longest * 1000, 100, "ms", note)


def _tasks(trace: dict) -> tuple[float, float]:
    """Seconds of CPU that the page's own thread took for its longest task, and for all."""
    events = trace["traceEvents"]
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
    took: dict[tuple[int, int], list[float]] = {}
    for e in events:
        place = (e["pid"], e["tid"])
        if names.get(place) == "CrRendererMain" and e["name"] == TASK and "tdur" in e:
            took.setdefault(place, []).append(e["tdur"] / 1e6)
    page = max(took.values(), key=sum)
    return max(page), sum(page)


if __name__ == "__main__":
    found = Table()
    measure(found, int(sys.argv[1]) if len(sys.argv) > 1 else SIZE)
    print(found.text())
