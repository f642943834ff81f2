"""The debate page in a real browser: how soon it is there, how soon a word is, what both cost.

Vendor, server and browser are processes of their own; the server's CPU time is what is measured.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import psutil

from bench.debates import vendor
from bench.report import Table

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
START = re.compile(r"(http://\S+/)\?token=\S+")
PANEL = ["openai:p50x4000"] * 4
WARM_UP, SECONDS, MANY, PATIENCE = 2.0, 8.0, 10, 120_000

TIMED = """() => {
  window.waits = [];
  const tokens = (node) => [...node.textContent.matchAll(/@(\\d{13}\\.\\d{3})/g)];
  const seen = new Set(tokens(document.body).map(([token]) => token)); // blocks are drawn anew
  const look = (changes) => {
    const now = Date.now();
    for (const node of changes.flatMap((change) => [...change.addedNodes]))
      for (const [token, sent] of tokens(node))
        if (!seen.has(token) && seen.add(token)) waits.push(now - sent);
  };
  new MutationObserver(look).observe(document, {childList: true, subtree: true});
}"""


def measure(table: Table) -> None:
    """One browser that follows four panelists at 50 tokens a second, then ten."""
    path = next((p for name in BROWSERS if (p := shutil.which(name))), None)
    if path is None:
        print("SKIPPED: no Chromium is here, so the debate page is not measured", file=sys.stderr)
        return
    with vendor() as url, server(url) as (process, here, start):
        asyncio.run(_measure(table, path, process, here, start))


@contextmanager
def server(url: str):
    """A server as people start it; yields its process, its address and its start address."""
    with tempfile.TemporaryDirectory() as home:
        config = Path(home) / "config.toml"
        config.write_text("[limits]\nopenai = { concurrency = 2000 }\n")
        config.chmod(0o600)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [
            sys.executable,
            "-m",
            "mutual_dissent",
            "serve",
            "--no-open",
            "--port",
            str(port),
        ]
        env = {**os.environ, "MUTUAL_DISSENT_HOME": home, "HOME": home,
               "OPENAI_API_KEY": "sk-bench", "OPENAI_BASE_URL": url}  # fmt: skip
        process = subprocess.Popen(
            command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            start = next(f for line in process.stdout if (f := START.search(line)))
            yield psutil.Process(process.pid), start[1].rstrip("/"), start[0]
        finally:
            process.terminate()
            process.wait(30)
            process.stdout.close()


async def _measure(table: Table, path: str, process, here: str, start: str) -> None:
    from playwright.async_api import async_playwright

    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        tab = await _person(browser, start)
        ready = min([await _ready(tab, f"{here}/", ".quote") for _ in range(3)])
        cpu, waits = await _followed(process, here, [tab])
        shown = min([await _ready(tab, tab.url, ".pane") for _ in range(3)])
        note = f"a new question {ready:.2f} s, a debate {shown:.2f} s"
        table.add("debate page ready", max(ready, shown), 1.5, unit="s", note=note)
        table.add("server CPU with one browser on 4 x 50 tokens/s", cpu, 10, unit="%")
        late = sorted(waits)[int(len(waits) * 0.95)]
        note = f"median {sorted(waits)[len(waits) // 2]:.0f} ms, {len(waits)} tokens"
        table.add("from a vendor's token to the page, p95", late, 300, unit="ms", note=note)
        tabs = [tab, *[await _person(browser, start) for _ in range(MANY - 1)]]
        cpu, _ = await _followed(process, here, tabs)
        table.add(f"server CPU with {MANY} browsers on 4 x 50 tokens/s", cpu, 40, unit="%")
        await browser.close()


async def _person(browser, start: str):
    context = await browser.new_context()
    context.set_default_timeout(PATIENCE)
    tab = await context.new_page()
    await tab.goto(start)
    return tab


async def _ready(tab, address: str, what: str) -> float:
    begun = time.perf_counter()
    await tab.goto(address)
    await tab.locator(what).first.wait_for()
    return time.perf_counter() - begun


async def _followed(process, here: str, tabs: list) -> tuple[float, list[int]]:
    """Percent of a core that the server takes while tabs follow one debate, and tokens' delays."""
    name = await asyncio.to_thread(_begun, here)
    for tab in tabs:
        await tab.goto(f"{here}/debates/{name}")
        await tab.locator(".writing .block").first.wait_for()
    await asyncio.sleep(WARM_UP)
    await tabs[0].evaluate(TIMED)
    before, begun = _cpu(process), time.perf_counter()
    await asyncio.sleep(SECONDS)
    spent, passed = _cpu(process) - before, time.perf_counter() - begun
    waits = await tabs[0].evaluate("window.waits")
    await asyncio.to_thread(_post, f"{here}/api/sessions/{name}/stop", {})
    return spent / passed * 100, waits


def _begun(here: str) -> str:
    wanted = {"message": "Tabs or spaces?", "mode": "reflection", "panel": PANEL}
    return _post(f"{here}/api/chat", wanted)["sessionId"]


def _post(address: str, body: dict) -> dict:
    kind = {"Content-Type": "application/json"}
    with urlopen(Request(address, json.dumps(body).encode(), kind)) as reply:
        return json.load(reply)


def _cpu(process) -> float:
    times = process.cpu_times()
    return times.user + times.system


if __name__ == "__main__":
    found = Table()
    measure(found)
    print(found.text())
