"""The adapters for other frameworks are run as they stand, against a vendor on this machine.

The frameworks are large (95 to 350 MB) and slow to install, so each has an environment of its own
below this one, which is made where ADAPTERS=1 is set. Without it the tests are skipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ADAPTERS = {
    "langchain_chat": "langchain-core>=1,<2",
    "dspy_lm": "dspy>=3.4,<4",
    "inspect_model": "inspect_ai>=0.3.285,<0.4",
}
SAYS = "Canberra it is."
MARKED = f"[[ ## answer ## ]]\n{SAYS}\n\n[[ ## completed ## ]]"
"""The same in the form that DSPy reads."""


def test_every_adapter_is_known_here():
    assert {p.stem for p in (ROOT / "examples/adapters").glob("*.py")} == ADAPTERS.keys()


def environment(name: str) -> Path:
    """The interpreter that has the framework; made once, if that is wanted."""
    folder = Path(sys.prefix) / "adapters" / name
    python = folder / "bin" / "python"
    if (folder / ".done").exists():
        return python
    if not os.environ.get("ADAPTERS"):
        pytest.skip(f"SKIPPED: ADAPTERS=1 installs {ADAPTERS[name]} and runs the adapter {name}")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=300)
    install = "-m pip --disable-pip-version-check --quiet install".split()
    subprocess.run(
        [python, *install, "-e", ROOT, ADAPTERS[name]], check=True, timeout=1200, cwd=ROOT
    )
    (folder / ".done").touch()
    return python


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_adapter_asks_the_panel_and_gives_its_answer(name, vendor, tmp_path):
    python = environment(name)
    vendor.fake.always(text=MARKED if name == "dspy_lm" else SAYS)
    words = ["Which city?", "Canberra", str(tmp_path)] if name == "inspect_model" else ["Which?"]
    done = subprocess.run(
        [python, ROOT / "examples" / "adapters" / f"{name}.py", *words],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert ("success 1.0" if name == "inspect_model" else SAYS) in done.stdout
    assert len(vendor.arrivals) > 2
