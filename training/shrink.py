"""Makes the start weights small enough to carry: float16, word embeddings in 8 bits.

python -m training.shrink MINILM-FOLDER OUT-FOLDER
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file


def main(source: Path, out: Path) -> None:
    """Writes start.npz and copies tokenizer.json."""
    out.mkdir(parents=True, exist_ok=True)
    weights = {
        k: v.astype(np.float16)
        for k, v in load_file(source / "model.safetensors").items()
        if v.dtype == np.float32
    }
    name = "embeddings.word_embeddings.weight"
    words = weights[name].astype(np.float32)
    scale = np.abs(words).max(1, keepdims=True) / 127
    weights[name] = np.round(words / scale).astype(np.int8)
    np.savez_compressed(out / "start.npz", **weights, **{"embeddings.word_embeddings.scale": scale})
    shutil.copy(source / "tokenizer.json", out)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
