"""Runs the tests in two parts side by side, and what failed once more, alone and aloud.

    python scripts/run_tests.py [PYTEST-ARGUMENTS]

A busy machine can make a test that races a real vendor or process fail; a broken promise fails
twice. With paths among the arguments there is one part: those paths.
"""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PARTS = {"surfaces": ["tests/surfaces"], "the rest": ["tests", "--ignore=tests/surfaces"]}
FAILED, NOTHING_TO_RUN = 1, 5  # exit statuses of pytest


def main(arguments: list[str]) -> int:
    """The exit status: 0 if every test passed, at the second try at the latest.

    What broke off, by a signal or a file that cannot be read, has not said which tests would fail:
    it is not tried again.
    """
    named = any((ROOT / a.partition("::")[0]).exists() for a in arguments if a[:1] != "-")
    parts = {"tests": []} if named else PARTS
    with ThreadPoolExecutor(len(parts)) as pool:
        done = list(pool.map(lambda name: part(name, [*parts[name], *arguments]), parts))
    ran = {n: s for n, s in zip(parts, done, strict=True) if s != NOTHING_TO_RUN}
    ended = [again(n, [*parts[n], *arguments]) if s == FAILED else s for n, s in ran.items()]
    return next((status for status in ended if status), 0) if ran else NOTHING_TO_RUN


def part(name: str, arguments: list[str]) -> int:
    """Run one part and show its lines under its name."""
    began = time.monotonic()
    process = subprocess.Popen(  # noqa: S603
        _pytest(name, arguments), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
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


def _pytest(name: str, arguments: list[str]) -> list[str]:
    cache = ROOT / ".pytest_cache" / name.replace(" ", "-")
    return [sys.executable, "-m", "pytest", "-q", "-o", f"cache_dir={cache}", *arguments]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
