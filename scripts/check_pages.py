"""Check the JavaScript of the pages: format, style, and types against docs/openapi.json.

    python scripts/check_pages.py [--fix]

The programs come from npm, once, into node_modules, which git ignores. Without npm or its registry
the pages are not checked, and that is said aloud: nobody needs Node to work on the rest.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INSTALLED = ROOT / "node_modules"
LOCK = ROOT / "package-lock.json"
STAMP = INSTALLED / ".installed"  # the lock file that was installed from
WEB = "src/mutual_dissent/surfaces/web"
SCRIPTS = [
    f"{WEB}/static/app",
    "src/mutual_dissent/surfaces/desktop/shell/page/keys.js",
    "src/mutual_dissent/surfaces/cli/publish/replay.js",
]
TYPED = [f"{WEB}/{name}.d.ts" for name in ("types", "words", "preact-htm")]
FORMATTED = [*SCRIPTS, *TYPED, "eslint.config.js", "tsconfig.json", "package.json"]
TYPES = ["openapi-typescript", "docs/openapi.json", "-o", "node_modules/.pages/openapi.d.ts"]
INSTALL = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries=1"]
NEEDED_NODE = (20, 19)


def main(arguments: list[str]) -> int:
    """The exit status: 0 if nothing was found, or nothing could be looked for."""
    if why := _hindrance():
        print(f"*** THE JAVASCRIPT OF THE PAGES IS NOT CHECKED: {why} ***", flush=True)
        return 0
    with ThreadPoolExecutor() as pool:
        found = [said for said in pool.map(_first_complaint, _checks("--fix" in arguments)) if said]
    print("\n".join(found) or "the pages are well formatted, linted and typed")
    return 1 if found else 0


def _checks(fix: bool) -> list[list[list[str]]]:
    """Each check: the commands that make it up, of which a later one needs the earlier ones."""
    return [
        [["prettier", "--log-level=warn", "--write" if fix else "--check", *FORMATTED]],
        [["eslint", *(["--fix"] if fix else []), *SCRIPTS]],
        [TYPES, ["tsc"]],
    ]


def _first_complaint(commands: list[list[str]]) -> str:
    """What the first command says that fails; empty where all pass."""
    for name, *arguments in commands:
        done = _output([str(INSTALLED / ".bin" / name), *arguments])
        if done.returncode:
            return f"{name}:\n{done.stdout}{done.stderr}"
    return ""


def _hindrance() -> str:
    """Why the checks cannot run; empty where they can. Installs them where they are missing."""
    if not shutil.which("npm") or not shutil.which("node"):
        return "it needs Node and npm, which are not here"
    if (version := _node_version()) < NEEDED_NODE:
        return f"it needs Node 20.19 or newer, and this is {'.'.join(map(str, version))}"
    if STAMP.exists() and STAMP.read_text() == LOCK.read_text():
        return ""
    try:
        done = _output(INSTALL, timeout=120)
    except subprocess.TimeoutExpired:
        return "npm did not install the checks within two minutes"
    if done.returncode:
        why = [line for line in done.stderr.splitlines() if line.startswith("npm error")]
        return f"npm could not install the checks ({', '.join(why[:1]) or 'it did not say why'})"
    STAMP.write_text(LOCK.read_text())
    return ""


def _node_version() -> tuple[int, ...]:
    said = _output(["node", "--version"]).stdout.strip().removeprefix("v")
    return tuple(int(part) for part in said.split(".")[:2])


def _output(command: list[str], timeout: int | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        command, cwd=ROOT, check=False, capture_output=True, text=True, timeout=timeout
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
