"""Take the picture of an experiment in Temporal's own pages: `dissent cluster dev`, and a Chromium.

`make screenshots` runs it. The panel is the benchmark's vendor: nobody's key is used.
"""

from __future__ import annotations

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

from capture import IMAGES, ROOT
from screenshots import ARGUMENTS, BROWSERS, taken

sys.path.insert(0, str(ROOT))

from bench.debates import vendor

DEBATES = 50
SHOWN = 26
"""So many debates have ended when the picture is taken."""

MODEL = "openai:m750x20"
FILE = """
name = "pilot"
repeats = {debates}
[[query]]
text = "Tabs or spaces?"
[defaults]
panel = ["{model}", "{model}"]
allow_unpriced = true
[grid]
mode = ["reflection"]
"""


def program(env: dict[str, str], *words: str, **more: Any) -> subprocess.Popen[str]:
    """The program, begun."""
    command = [sys.executable, "-m", "mutual_dissent", *words]
    return subprocess.Popen(command, env=env, text=True, **more)  # noqa: S603 - our own words


@contextmanager
def cluster(env: dict[str, str], port: int) -> Iterator[str]:
    """Temporal's server, its pages and a worker; the address of the pages."""
    words = ("cluster", "dev", "--port", str(port), "--concurrency", "6")
    with program(env, *words, stderr=subprocess.PIPE) as dev:
        assert dev.stderr
        try:
            pages = next(f[0] for line in dev.stderr if (f := re.search(r"http://\S+", line)))
            next(line for line in dev.stderr if "takes debates" in line)
            yield pages
        finally:
            dev.terminate()


def free_ports() -> int:
    """A port that is free, as is the one a thousand above it."""
    while True:
        with socket.create_server(("127.0.0.1", 0)) as one:
            port = int(one.getsockname()[1])
        with socket.socket() as other:
            if port < 64_000 and other.connect_ex(("127.0.0.1", port + 1000)):
                return port


def main() -> None:
    """Have an experiment held, and take the picture in the midst of it."""
    path = next((p for name in BROWSERS if (p := shutil.which(name))), None)
    if path is None:
        sys.exit("no Chromium is here; as root: scripts/system_parts.sh")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as home, vendor() as url, sync_playwright() as playwright:
        port = free_ports()
        env = {
            **os.environ, "HOME": home, "MUTUAL_DISSENT_HOME": home, "PYTHONUNBUFFERED": "1",
            "OPENAI_API_KEY": "sk-of-nobody", "OPENAI_BASE_URL": url,
            "MUTUAL_DISSENT_ENGINE": f"temporal://127.0.0.1:{port}",
        }  # fmt: skip
        file = Path(home) / "pilot.toml"
        file.write_text(FILE.format(debates=DEBATES, model=MODEL), "utf-8")
        with cluster(env, port) as pages:
            words = ("experiment", "run", str(file), "--cluster", "--yes")
            with program(env, *words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
                browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
                shown(browser, pages)
                browser.close()
                run.wait(120)


def shown(browser: Any, pages: str) -> None:
    """The list of workflows, once enough of them have ended."""
    context = browser.new_context(viewport={"width": 1440, "height": 760}, color_scheme="light")
    tab = context.new_page()
    counted = f"{pages}/api/v1/namespaces/default/workflow-count?query="
    ended = 'WorkflowType="debate" AND ExecutionStatus="Completed"'
    while int(tab.request.get(counted + ended).json().get("count", 0)) < SHOWN:
        tab.wait_for_timeout(200)
    tab.goto(f"{pages}/namespaces/default/workflows")
    tab.get_by_text("experiment", exact=True).or_(
        tab.get_by_text("debate", exact=True)
    ).first.wait_for()
    tab.wait_for_timeout(1500)
    taken(tab, IMAGES / "temporal.png")


if __name__ == "__main__":
    main()
