"""`make test`: what its exit status promises."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
FINE = "def test_it(): pass"
KILLED = "import os, signal\ndef test_it(): os._exit(-signal.SIGTERM % 256)"
BROKEN = "def test_it(): assert not 'a promise'"
ONCE = """
from pathlib import Path
def test_it():
    marker = Path(__file__).with_name("tried")
    assert marker.exists() or marker.touch() or None, "the machine was busy"
"""


UNREADABLE = "import nothing_is_called_so"
WITNESS = """
import os
from pathlib import Path
import pytest

LOG = Path(__file__).with_name("log")

def said(words):
    with LOG.open("a") as log:
        log.write(f"{words}\\n")

@pytest.fixture(scope="session", autouse=True)
def server():
    said(f"start {os.getpid()}")
    yield
    said(f"stop {os.getpid()}")

@pytest.fixture(autouse=True)
def witness(request):
    said(request.node.nodeid)
"""


def run(folder: Path, files: dict[str, str], *options: str) -> subprocess.CompletedProcess[str]:
    """Run the tests of a project that consists of these files."""
    (folder / "scripts").mkdir()
    for name in ("run_tests.py", "file_queue.py"):
        shutil.copy(SCRIPTS / name, folder / "scripts" / name)
    for name, text in files.items():
        path = folder / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return subprocess.run(
        [sys.executable, folder / "scripts" / "run_tests.py", *options],
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""},
        capture_output=True, text=True,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("rest", "options", "passes"),
    [
        (FINE, (), True),
        (ONCE, (), True),
        (BROKEN, (), False),
        (KILLED, (), False),
        (UNREADABLE, (), False),
        (FINE, ("-k", "nothing_is_called_so"), False),
    ],
    ids=["fine", "fails once", "broken", "breaks off", "unreadable", "no test at all"],
)
def test_tests_pass_only_if_every_one_has_passed(
    tmp_path: Path, rest: str, options: tuple[str, ...], passes: bool
) -> None:
    done = run(tmp_path, {"surfaces/test_one.py": FINE, "test_two.py": rest}, *options)
    assert (done.returncode == 0) is passes, done.stdout


def test_every_file_is_run_once_and_what_files_share_is_started_once_in_a_process(
    tmp_path: Path,
) -> None:
    folders = ("surfaces", "store", "core")
    names = [f"{folder}/test_{folder}_{n}.py" for folder in folders for n in range(4)]
    two = f"{FINE}\ndef test_more(): pass"
    done = run(tmp_path, {"conftest.py": WITNESS, **dict.fromkeys(names, two)})
    assert done.returncode == 0, done.stdout
    log = (tmp_path / "tests" / "log").read_text().splitlines()
    ran = [line for line in log if "::" in line]
    assert sorted(ran) == sorted(f"tests/{n}::{t}" for n in names for t in ("test_it", "test_more"))
    started = [line.removeprefix("start ") for line in log if line.startswith("start")]
    assert len(set(started)) == len(started) <= 3
    assert sorted(started) == sorted(w.removeprefix("stop ") for w in log if w.startswith("stop"))
    assert sum(int(n) for n in re.findall(r"(\d+) passed", done.stdout)) == len(ran)


def test_who_has_no_npm_passes_and_is_told_that_the_pages_are_not_checked(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, SCRIPTS / "check_pages.py"],
        env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0
    assert "THE JAVASCRIPT OF THE PAGES IS NOT CHECKED: it needs Node and npm" in done.stdout
