"""The accessibility check axe, run on a page in the browser.

It comes from the npm registry, once, into the virtual environment, which git ignores. Where npm is
missing or the registry cannot be reached, the tests that need it are skipped, and say so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

VERSION = "4.14.0"
FOLDER = Path(sys.prefix) / "axe"
SCRIPT = FOLDER / "node_modules" / "axe-core" / "axe.min.js"
GRAVE = ("serious", "critical")


async def faults(tab: Any) -> list[str]:
    """What is seriously wrong with a page: the rule, and where it is broken."""
    await tab.evaluate(_source())
    found = await tab.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{v['id']}: {node['html'][:160]} {node['failureSummary'][:200]}"
        for v in found["violations"]
        if v["impact"] in GRAVE
        for node in v["nodes"]
    ]


@cache
def _source() -> str:
    if not SCRIPT.exists():
        _install()
    return SCRIPT.read_text()


def _install() -> None:
    if not shutil.which("npm"):
        pytest.skip("SKIPPED: the accessibility check needs npm, which is not here")
    FOLDER.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        ["npm", "install", "--prefix", str(FOLDER), "--no-save", "--no-package-lock", "--no-audit",
         "--no-fund", f"axe-core@{VERSION}"],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    if done.returncode or not SCRIPT.exists():
        pytest.skip(f"SKIPPED: npm could not install axe: {done.stderr[-300:]}")
