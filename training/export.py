"""Packs trained weights: 8 bits with a scale a row, float16 for what is small.

    python -m training.export MODEL... OUT-FOLDER [--parts N]

A model is a .pt from training.train or weights that were packed here. Several are averaged first. `--parts 2` writes two files, for a machine that only lets small
files out; give those parts back to the same command (`--join`) to make the one file that ships.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

NAME = "agreement"


def packed(state: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Matrices as int8 rows with scales, the rest as float16."""
    out: dict[str, np.ndarray] = {}
    for name, value in state.items():
        if value.ndim == 2 and value.shape[0] > 16 and name != "sides.weight":
            scale = np.maximum(np.abs(value).max(1, keepdims=True), 1e-8) / 127
            out[name] = np.round(value / scale).astype(np.int8)
            out[f"{name}.scale"] = scale.astype(np.float32)
        else:
            out[name] = value.astype(np.float16 if name.startswith("layers") else np.float32)
    return out


def unpacked(path: Path) -> dict[str, np.ndarray]:
    """The weights of a trained model, packed or not."""
    if path.suffix != ".npz":
        import torch

        state = torch.load(path, map_location="cpu", weights_only=True)
        return {k: v.float().numpy() for k, v in state.items()}
    arrays = dict(np.load(path))
    return {
        k: v.astype(np.float32) * arrays.get(f"{k}.scale", np.float32(1))
        for k, v in arrays.items()
        if not k.endswith(".scale")
    }


def averaged(paths: list[Path]) -> dict[str, np.ndarray]:
    """The mean of several trained models."""
    states = [unpacked(p) for p in paths]
    return {k: np.mean([s[k] for s in states], axis=0) for k in states[0]}


def main() -> None:
    """Writes agreement.npz, or its parts, or joins parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path, nargs="+")
    parser.add_argument("out", type=Path)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--join", action="store_true")
    options = parser.parse_args()
    if options.join:
        arrays = {k: v for p in options.source for k, v in np.load(p).items()}
    else:
        arrays = packed(averaged(options.source))
    options.out.mkdir(parents=True, exist_ok=True)
    names = sorted(arrays)
    for part in range(options.parts):
        name = NAME if options.parts == 1 else f"{NAME}-{part}"
        chosen = {n: arrays[n] for n in names[part :: options.parts]}
        np.savez_compressed(options.out / f"{name}.npz", **chosen)


if __name__ == "__main__":
    main()
