"""Programs from the npm registry that check us from outside, with a Node of their own.

They are installed once into the virtual environment, which git ignores. Where npm is missing or
the registry cannot be reached, the tests that need them are skipped, and say so.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

FOLDER = Path(sys.prefix) / "node"
NODE = "22.23.3"
PACKAGES = {
    "node": NODE,
    "@modelcontextprotocol/conformance": "0.2.0-alpha.12",
    "@modelcontextprotocol/inspector": "2.12.0",
    "@anthropic-ai/mcpb": "2.1.2",
    "ajv": "8.20.0",
    "ai": "7.0.169",
    "@ai-sdk/openai-compatible": "3.0.90",
}
CONFORMANCE = "@modelcontextprotocol/conformance/dist/index.js"
MCPB = "@anthropic-ai/mcpb/dist/cli/cli.js"
INSPECTOR = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"


def command(script: str) -> list[str]:
    """What runs a script of an installed package."""
    _install()
    return [str(_node()), str(FOLDER / "node_modules" / script)]


def run_script(script: str, text: str, **env: str) -> subprocess.CompletedProcess[str]:
    """What becomes of a script that may import the installed packages; it reads the text."""
    _install()
    return subprocess.run(
        [str(_node()), "--input-type=module", "-e", script],
        cwd=FOLDER, env={**os.environ, **env}, input=text, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Keep other processes of the tests from installing anything meanwhile."""
    with Path(sys.prefix, ".npm.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _install() -> None:
    if not shutil.which("npm"):
        pytest.skip("SKIPPED: the outside checks need npm, which is not here")
    with one_at_a_time():
        _install_what_is_missing()


def _install_what_is_missing() -> None:
    if all(_version(name) == version for name, version in PACKAGES.items()) and _node().exists():
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
    done = subprocess.run(
        ["npm", "install", "--prefix", str(FOLDER), "--no-save", "--no-package-lock",
         "--no-audit", "--no-fund", *wanted],
        capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    if done.returncode or not _node().exists():
        pytest.skip(f"SKIPPED: npm could not install the outside checks: {done.stderr[-300:]}")


def _node() -> Path:
    return FOLDER / "node_modules" / "node" / "bin" / "node"


def _version(name: str) -> str:
    manifest = FOLDER / "node_modules" / name / "package.json"
    return json.loads(manifest.read_text())["version"] if manifest.exists() else ""
