"""aimock, a fake of many vendors that nobody here wrote, run as a child process.

It is installed once from the npm registry into a folder that git ignores. Where npm is missing or
the registry cannot be reached, the tests that need it are skipped, and say so.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Self

import pytest

from fakes.node_tools import one_at_a_time

VERSION = "1.43.0"
FOLDER = Path(__file__).resolve().parents[1] / ".node"
PACKAGE = FOLDER / "node_modules" / "@copilotkit" / "aimock"
PATHS = {
    "openai": "/v1",
    "anthropic": "",
    "google": "",
    "openrouter": "/api/v1",
    "groq": "/openai/v1",
    "ollama": "/v1",
}


class Aimock:
    """A running aimock that answers by its fixtures: `{"match": {...}, "response": {...}}`."""

    def __init__(self, fixtures: list[dict[str, Any]], folder: Path) -> None:
        self._file = folder / "aimock.json"
        self._file.write_text(json.dumps({"fixtures": fixtures}))
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def base_url(self, vendor: str) -> str:
        """What an endpoint of that vendor needs as its base URL."""
        return self.url + PATHS[vendor]

    def __enter__(self) -> Self:
        command = ["node", str(installed() / "dist" / "cli.js"), "-p", "0", "-f", str(self._file)]
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for line in self._process.stdout:
            if found := re.search(r"listening on (http://\S+)", line):
                self.url = found[1]
                return self
        raise AssertionError("aimock did not start")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.communicate(timeout=60)


def installed() -> Path:
    """Where aimock is, installed if need be."""
    if not shutil.which("npm") or not shutil.which("node"):
        pytest.skip("SKIPPED: aimock needs node and npm, which are not here")
    with one_at_a_time():
        _install_what_is_missing()
    return PACKAGE


def _install_what_is_missing() -> None:
    if _version() != VERSION:
        FOLDER.mkdir(exist_ok=True)
        command = ["npm", "install", "--prefix", str(FOLDER), "--no-save", "--no-package-lock",
                   "--no-audit", "--no-fund", f"@copilotkit/aimock@{VERSION}"]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if done.returncode:
            pytest.skip(f"SKIPPED: npm could not install aimock: {done.stderr[-300:]}")


def _version() -> str:
    manifest = PACKAGE / "package.json"
    return json.loads(manifest.read_text())["version"] if manifest.exists() else ""
