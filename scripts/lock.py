"""Resolve the dependencies anew and write the lock files: hashes, no addresses.

The runtime lock holds what a user needs, the other one what development adds: `make lock`.
"""

from __future__ import annotations

import subprocess
import sys

COMPILE = (
    "uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header "
    "--no-annotate --python-version 3.11 pyproject.toml"
).split()
LOCKS = {
    "requirements.lock": [
        "--extra",
        "local",
        "--extra",
        "documents",
        "--extra",
        "semantic",
        "--extra",
        "web",
        "--extra",
        "research",
        "--extra",
        "build",
    ],
    "requirements-dev.lock": ["--all-extras"],
}


def main() -> int:
    """Write every lock file; 0 if all went well."""
    for name, extras in LOCKS.items():
        constraint = [] if name == "requirements.lock" else ["-c", "requirements.lock"]
        command = [*COMPILE, *extras, *constraint, "-o", name]
        if failed := subprocess.run(command, check=False).returncode:  # noqa: S603 - our own words
            return failed
    return 0


if __name__ == "__main__":
    sys.exit(main())
