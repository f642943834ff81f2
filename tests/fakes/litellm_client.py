"""LiteLLM, as people have it: in an environment of its own, made once beside ours.

It lies in the virtual environment, which git ignores. Where the registry cannot be reached, the
tests that need it are skipped, and say so.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

VERSION = "1.106.2"
FOLDER = Path(sys.prefix) / "litellm"
DONE = FOLDER / f"litellm-{VERSION}"


def run_script(script: str, **env: str) -> subprocess.CompletedProcess[str]:
    """What becomes of a script that may import litellm, which asks nobody but us."""
    _install()
    quiet = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_TELEMETRY": "False"}
    return subprocess.run(
        [_python(), "-c", script],
        env={**os.environ, **quiet, **env}, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def _install() -> None:
    if DONE.exists():
        return
    venv.create(FOLDER, clear=True, with_pip=True)
    done = subprocess.run(
        [_python(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         f"litellm=={VERSION}"],
        capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"SKIPPED: pip could not install litellm: {done.stderr[-300:]}")
    DONE.touch()


def _python() -> str:
    return str(FOLDER / ("Scripts" if os.name == "nt" else "bin") / "python")
