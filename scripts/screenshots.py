"""Take the pictures of the web pages: the real server in a real Chromium.

`make screenshots` takes those of the README into docs/images. With a folder as argument, every page
is taken in both themes and at three widths, to be looked at. The panel is the scripted vendor of
capture.py: nobody's key is used, and no real model's words are made up.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from capture import IMAGES, SCRIPT, SETTINGS, vendor

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
SIZES = ((1440, 900), (900, 900), (390, 844))
PANEL = {"panel": ["ada", "bob", "cyd"], "mode": "reflection", "seed": 3}
START = re.compile(r"(http://\S+/)\?token=\S+")
DONE = "[data-status=completed]"


@contextmanager
def served(home: Path, url: str) -> Iterator[tuple[str, str]]:
    """The server; its address, and the one that lets a person in."""
    (home / "config.toml").write_text(SETTINGS.format(url=url), "utf-8")
    (home / "config.toml").chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "MUTUAL_DISSENT_HOME": str(home)}
    words = [sys.executable, "-m", "mutual_dissent", "serve", "--no-open", "--port", str(port)]
    with subprocess.Popen(  # noqa: S603
        words, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout
        try:
            start = next(f for line in process.stdout if (f := START.search(line)))
            yield start[1].rstrip("/"), start[0]
        finally:
            process.terminate()


def begun(here: str) -> str:
    """The id of a debate that was begun."""
    body = json.dumps({"message": SCRIPT["query"], **PANEL}).encode()
    request = Request(f"{here}/api/chat", body, {"Content-Type": "application/json"})  # noqa: S310
    with urlopen(request) as reply:  # noqa: S310
        return str(json.load(reply)["sessionId"])


def opened(browser: Any, start: str, theme: str, size: tuple[int, int]) -> Any:
    """A tab of somebody who was let in."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=theme, device_scale_factor=1
    )
    tab = context.new_page()
    tab.goto(start)
    return tab


def for_the_readme(browser: Any, here: str, start: str) -> None:
    """A debate under way, and its answer."""
    tab = opened(browser, start, "dark", (1280, 760))
    tab.goto(f"{here}/debates/{begun(here)}")
    tab.locator("[data-pane='2'] .state", has_text="answered").wait_for()
    tab.locator("[data-tab=r1]").wait_for()
    tab.locator("[data-pane='3'] .state", has_text="answered").wait_for()
    taken(tab, IMAGES / "page-live.png")
    tab.locator(DONE).wait_for()
    tab.locator(".heading").wait_for()
    taken(tab, IMAGES / "page-answer.png")


def for_a_look(browser: Any, here: str, start: str, folder: Path) -> None:
    """Every page in both themes and at three widths."""
    name = begun(here)
    first = opened(browser, start, "dark", SIZES[0])
    first.goto(f"{here}/debates/{name}")
    first.locator(DONE).wait_for()
    for theme in ("dark", "light"):
        for size in SIZES:
            tab = opened(browser, start, theme, size)
            for page, path, ready in pages(name):
                tab.goto(here + path)
                tab.locator(ready).first.wait_for()
                tab.wait_for_timeout(600)
                taken(tab, folder / f"{page}-{theme}-{size[0]}.png", whole=True)


def pages(name: str) -> list[tuple[str, str, str]]:
    """What each page is called, where it is, and what is there once it is."""
    return [
        ("new", "/", ".seat-card"),
        ("first-answers", f"/debates/{name}#0/initial/ada", ".pane"),
        ("round", f"/debates/{name}#1/reflection/ada", ".pane"),
        ("answer", f"/debates/{name}", ".heading"),
        ("research", "/debates", "main"),
        ("settings", "/settings", "main"),
    ]


def taken(tab: Any, path: Path, *, whole: bool = False) -> None:
    """A picture of what a tab shows."""
    tab.evaluate("document.fonts.ready")
    tab.screenshot(path=path, full_page=whole, animations="disabled")
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Hold a debate, and take the pictures."""
    path = next((p for name in BROWSERS if (p := shutil.which(name))), None)
    if path is None:
        sys.exit("no Chromium is here; as root: scripts/system_parts.sh")
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as home,
        vendor() as url,
        served(Path(home), url) as (here, start),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        if len(sys.argv) > 1:
            folder = Path(sys.argv[1])
            folder.mkdir(parents=True, exist_ok=True)
            for_a_look(browser, here, start, folder)
        else:
            for_the_readme(browser, here, start)
        browser.close()


if __name__ == "__main__":
    main()
