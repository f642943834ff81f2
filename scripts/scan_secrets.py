"""Look for keys in the files that git tracks. Exit code 1 names every place, never the key."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from mutual_dissent.text.secret_shapes import SHAPES

PATTERN = re.compile("|".join(f"(?P<k{i}>{shape})" for i, shape in enumerate(SHAPES.values())))
ALLOWED = "canary"  # made-up keys in tests carry this word


def findings(root: Path, names: list[str]) -> Iterator[str]:
    """One line for each place that looks like a secret."""
    kinds = list(SHAPES)
    for name in names:
        file = root / name
        if not file.is_file() or file.is_symlink():
            continue
        text = file.read_text("utf-8", "replace")
        for number, line in enumerate(text.splitlines(), start=1):
            for match in PATTERN.finditer(line):
                if ALLOWED not in match[0].lower() and match.lastgroup:
                    yield f"{name}:{number}: looks like a {kinds[int(match.lastgroup[1:])]}"


def main(root: Path) -> int:
    """Scan a checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    found = list(findings(root, listed.stdout.split("\0")))
    print("\n".join(found) or "no secrets found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1] if len(sys.argv) > 1 else ".")))
