"""Makes the start weights small enough to carry: matrices in 8 bits with a scale a row.

python -m training.shrink MINILM-FOLDER OUT-FOLDER
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

SCALE = ".scale"


def main(source: Path, out: Path) -> None:
    """Writes start.npz and copies tokenizer.json."""
    out.mkdir(parents=True, exist_ok=True)
    small: dict[str, np.ndarray] = {}
    for name, value in load_file(source / "model.safetensors").items():
        if value.dtype != np.float32:
            continue
        if value.ndim < 2:
            small[name] = value
            continue
        scale = np.maximum(np.abs(value).max(1, keepdims=True), 1e-8) / 127
        small[name], small[name + SCALE] = np.round(value / scale).astype(np.int8), scale
    np.savez_compressed(out / "start.npz", **small)
    shutil.copy(source / "tokenizer.json", out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
