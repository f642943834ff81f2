"""Write docs/evidence.md and the table of chances from public recordings.

    python scripts/evidence.py FOLDER

FOLDER has the recordings as JSON lines (by default `../shared/datasets`).
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import evidence_table

ROOT = Path(__file__).parents[1]
FOLDER = ROOT.parent / "shared" / "datasets"


def written(folder: Path) -> dict[Path, bytes]:
    """What each file should hold."""
    found = evidence_table.recordings(folder)
    tried = evidence_table.checks(found)
    return {evidence_table.TARGET: evidence_table.as_json(found, tried)}


def main() -> None:
    """Write all files."""
    for path, text in written(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER).items():
        path.write_bytes(text)


if __name__ == "__main__":
    main()
