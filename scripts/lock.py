"""Resolve the dependencies anew and write the lock files: hashes, no addresses.

The runtime lock holds what a user needs, the second one what many machines need, the third one what
development adds, the next one what the documentation site needs. Each is resolved under those
before it: `make lock`. The last one holds what is laid beside development for the adapters in
examples/, without what that requires.
"""

from __future__ import annotations

import subprocess
import sys

COMPILE = (
    "uv pip compile --quiet --universal --generate-hashes --no-emit-index-url --no-header "
    "--no-annotate --python-version 3.11 pyproject.toml"
).split()
LOCKS = {
    "requirements.lock": "local documents web research build",
    "requirements-cluster.lock": "cluster",
    "requirements-dev.lock": "all build dev",
    "requirements-site.lock": "site",
}


def main() -> int:
    """Write every lock file; 0 if all went well."""
    before: list[str] = []
    for name, extras in LOCKS.items():
        chosen = [f"--extra={extra}" for extra in extras.split()]
        command = [*COMPILE, *chosen, *before, "-o", name]
        before += ["-c", name]
        if failed := subprocess.run(command, check=False).returncode:  # noqa: S603 - our own words
            return failed
    beside = [*COMPILE[:-1], "--no-deps", "--group=adapters", "-o", "requirements-adapters.lock"]
    return subprocess.run(beside, check=False).returncode  # noqa: S603 - our own words


if __name__ == "__main__":
    sys.exit(main())
