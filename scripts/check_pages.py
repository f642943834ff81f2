"""Check the JavaScript of the pages with programs from npm.

    python scripts/check_pages.py [--fix]

They are installed once, into node_modules, which git ignores. Without npm or its registry the
pages are not checked, and that is said aloud: nobody needs Node to work on the rest.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INSTALLED = ROOT / "node_modules"
LOCK = ROOT / "package-lock.json"
STAMP = INSTALLED / ".installed"  # the lock file that was installed from
PAGES = [
    "src/mutual_dissent/surfaces/web/static/app",
    "src/mutual_dissent/surfaces/desktop/shell/page/keys.js",
]
INSTALL = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
NEWEST_OLD_NODE = (20, 18)


def main(arguments: list[str]) -> int:
    """The exit status: 0 if nothing was found, or nothing could be looked for."""
    if why := _hindrance():
        print(f"*** THE JAVASCRIPT OF THE PAGES IS NOT CHECKED: {why} ***", flush=True)
        return 0
    fix = "--fix" in arguments
    return max(_run([*command, *PAGES]) for command in _commands(fix))


def _commands(fix: bool) -> list[list[str]]:
    """Each check, or what puts right what it would find."""
    return [["prettier", "--log-level=warn", "--write" if fix else "--check"]]


def _hindrance() -> str:
    """Why the checks cannot run; empty where they can. Installs them where they are missing."""
    if not shutil.which("npm") or not shutil.which("node"):
        return "it needs Node and npm, which are not here"
    if (version := _node_version()) <= NEWEST_OLD_NODE:
        return f"it needs Node 20.19 or newer, and this is {'.'.join(map(str, version))}"
    if STAMP.exists() and STAMP.read_text() == LOCK.read_text():
        return ""
    try:
        done = subprocess.run(  # noqa: S603
            INSTALL, cwd=ROOT, check=False, capture_output=True, text=True, timeout=120
        )
    except subprocess.TimeoutExpired:
        return "npm did not install the checks within two minutes"
    if done.returncode:
        return f"npm could not install the checks: {done.stderr.strip()[-300:]}"
    STAMP.write_text(LOCK.read_text())
    return ""


def _node_version() -> tuple[int, ...]:
    said = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)  # noqa: S607
    return tuple(int(part) for part in said.stdout.strip().removeprefix("v").split(".")[:2])


def _run(command: list[str]) -> int:
    program = INSTALLED / ".bin" / command[0]
    return subprocess.run([program, *command[1:]], cwd=ROOT, check=False).returncode  # noqa: S603


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
