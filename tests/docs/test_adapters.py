"""The adapters for other frameworks are run as they stand, against a vendor on this machine.

`make test` lays what they import beside this environment, without the rest of what the frameworks
want (see `adapters` in pyproject.toml). Where that cannot be had, the tests are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADAPTERS = {
    "langchain_chat": "langchain-core",
    "dspy_lm": "dspy",
    "inspect_model": "inspect-ai",
}
LAID_BESIDE = Path(sys.prefix) / "adapters"
SAYS = "Canberra it is."
MARKED = f"[[ ## answer ## ]]\n{SAYS}\n\n[[ ## completed ## ]]"
"""The same in the form that DSPy reads."""


def test_every_adapter_is_known_here():
    assert {p.stem for p in (ROOT / "examples/adapters").glob("*.py")} == ADAPTERS.keys()
    lock = (ROOT / "requirements-adapters.lock").read_text("utf-8")
    assert all(f"\n{framework}==" in f"\n{lock}" for framework in ADAPTERS.values())


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_asks_the_panel_and_gives_its_answer(name, vendor, tmp_path):
    if not any(LAID_BESIDE.glob(f"{ADAPTERS[name].replace('-', '_')}-*.dist-info")):
        pytest.skip(f"SKIPPED: {ADAPTERS[name]} is not there; make test installs it, if it can")
    vendor.fake.always(text=MARKED if name == "dspy_lm" else SAYS)
    words = ["Which city?", "Canberra", str(tmp_path)] if name == "inspect_model" else ["Which?"]
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "adapters" / f"{name}.py", *words],
        env={**os.environ, "PYTHONPATH": str(LAID_BESIDE), "LANGSMITH_TRACING": "false"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert ("success 1.0" if name == "inspect_model" else SAYS) in done.stdout
    assert len(vendor.arrivals) > 2
