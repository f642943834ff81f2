"""`make test`: what its exit status promises."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
SCRIPT = SCRIPTS / "run_tests.py"
FINE = "def test_it(): pass"
KILLED = "import os, signal\ndef test_it(): os._exit(-signal.SIGTERM % 256)"
BROKEN = "def test_it(): assert not 'a promise'"
ONCE = """
from pathlib import Path
def test_it():
    marker = Path(__file__).with_name("tried")
    assert marker.exists() or marker.touch() or None, "the machine was busy"
"""


@pytest.mark.parametrize(
    ("rest", "options", "passes"),
    [
        (FINE, (), True),
        (ONCE, (), True),
        (BROKEN, (), False),
        (KILLED, (), False),
        (FINE, ("-k", "nothing_is_called_so"), False),
    ],
    ids=["fine", "fails once", "broken", "breaks off", "no test at all"],
)
def test_tests_pass_only_if_every_one_has_passed(
    tmp_path: Path, rest: str, options: tuple[str, ...], passes: bool
) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "tests" / "surfaces").mkdir(parents=True)
    (tmp_path / "tests" / "surfaces" / "test_one.py").write_text(FINE)
    (tmp_path / "tests" / "test_two.py").write_text(rest)
    script = shutil.copy(SCRIPT, tmp_path / "scripts" / "run_tests.py")
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    done = subprocess.run([sys.executable, script, *options], env=env, capture_output=True)
    assert (done.returncode == 0) is passes, done.stdout.decode()


def test_who_has_no_npm_passes_and_is_told_that_the_pages_are_not_checked(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPTS / "check_pages.py"],
        env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0
    assert "THE JAVASCRIPT OF THE PAGES IS NOT CHECKED: it needs Node and npm" in done.stdout
