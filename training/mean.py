"""The mean of two packed models: `python -m training.mean A.npz B.npz OUT.npz`.

Halfway between a start and what it was refined to often holds better on other authors' texts.
"""

from __future__ import annotations

import sys
from pathlib import Path

from training.refine import unpacked, write


def main(one: Path, two: Path, out: Path) -> None:
    """Writes the mean."""
    a, b = unpacked(one), unpacked(two)
    write(one, out, {k: (0.5 * a[k] + 0.5 * b[k]).numpy() for k in a})


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:4]))
