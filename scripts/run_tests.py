"""Runs the tests in three processes that share the files, and what failed once more, alone.

    python scripts/run_tests.py [PYTEST-ARGUMENTS]

A busy machine can make a test that races a real vendor or process fail; a broken promise fails
twice. With paths among the arguments there is one process: those paths.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FAILED, NOTHING_TO_RUN = 1, 5  # exit statuses of pytest
PARTS = {
    "surfaces": ("tests/surfaces/",),
    "clusters": ("tests/hosting/", "tests/store/"),
    "the rest": ("tests/",),
}
"""Who begins with which files. Two cores are enough: clusters mostly wait for leases to end."""
COUNTED = ("-o", "console_output_style=count")  # of how many it is a share is not known before
FIRST = ("tests/surfaces/test_web", "tests/surfaces/test_desktop", "tests/hosting/")
"""Files that need a browser or a cluster: not what one helps the other with in the end."""


def main(arguments: list[str]) -> int:
    """The exit status: 0 if every test passed, at the second try at the latest.

    What broke off, by a signal or a file that cannot be read, has not said which tests would fail:
    it is not tried again.
    """
    if any((ROOT / a.partition("::")[0]).exists() for a in arguments if a[:1] != "-"):
        parts = {"tests": arguments}
        done = [part("tests", arguments)]
    else:
        parts = {name: ["tests", *arguments] for name in PARTS}
        done = _side_by_side(arguments)
    ran = {n: s for n, s in zip(parts, done, strict=True) if s != NOTHING_TO_RUN}
    ended = [again(n, parts[n]) if s == FAILED else s for n, s in ran.items()]
    return next((status for status in ended if status), 0) if ran else NOTHING_TO_RUN


def _side_by_side(arguments: list[str]) -> list[int]:
    """The statuses of processes, each of which takes the next file when it is done with one.

    Each begins with files of its own kind, so that a browser or a cluster is started in one of
    them only; in the end it helps with what the others have not come to.
    """
    found = sorted(p.relative_to(ROOT).as_posix() for p in ROOT.glob("tests/**/test_*.py"))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(len(PARTS)) as pool:
        for name in PARTS:
            own = [f for f in found if _part_of(f) == name]
            others = [f for f in reversed(found) if _part_of(f) != name]
            order = [
                *sorted(own, key=lambda f: not f.startswith(FIRST)),
                *sorted(others, key=lambda f: f.startswith(FIRST)),
            ]
            Path(folder, name).write_text("\n".join(order))
        queue = ["--cache-clear", *COUNTED, "-p", "scripts.file_queue", *arguments]
        return list(pool.map(lambda n: part(n, [*queue, f"--queue={Path(folder, n)}"]), PARTS))


def _part_of(file: str) -> str:
    return next(name for name, kinds in PARTS.items() if file.startswith(kinds))


def part(name: str, arguments: list[str]) -> int:
    """Run one part and show its lines under its name."""
    began = time.monotonic()
    cache = ROOT / ".pytest_cache" / name.replace(" ", "-")
    # Every process that a test starts would otherwise compile the program anew.
    env = {n: v for n, v in os.environ.items() if n != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(  # noqa: S603
        [sys.executable, "-m", "pytest", "-q", "-o", f"cache_dir={cache}", *arguments],
        cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace",
    )  # fmt: skip
    for line in process.stdout or ():
        print(f"[{name}] {line}", end="", flush=True)
    status = process.wait()
    print(f"[{name}] exit {status} after {time.monotonic() - began:.0f} s", flush=True)
    return status


def again(name: str, arguments: list[str]) -> int:
    """Run what failed once more, with the machine to itself."""
    print(f"*** SOME TESTS OF {name.upper()} FAILED; RUNNING THOSE ONCE MORE ***", flush=True)
    return part(name, ["--last-failed", "--last-failed-no-failures=none", *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
