"""Plain cosine of MiniLM embeddings, the baseline that the agreement model has to beat."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np

from mutual_dissent.semantics.model import LONGEST_SIDE, _layer, _normal
from mutual_dissent.semantics.tokenizer import Tokenizer

_LAYERS = 6


class Embedding:
    """Mean-pooled sentence embeddings from the published weights."""

    def __init__(self, folder: Path) -> None:
        from safetensors.numpy import load_file

        self._w = load_file(folder / "model.safetensors")
        self._tokenizer = Tokenizer((folder / "vocab.txt").read_text("utf-8").splitlines())
        self._layers = [self._of_layer(i) for i in range(_LAYERS)]

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """The cosine of each pair."""
        return [float(self._vector(a) @ self._vector(b)) for a, b in pairs]

    def thresholds(self, rows: Sequence[tuple[str, str, str]]) -> tuple[float, float]:
        """The two cuts that sort the most rows right: neither, then disagree, then agree."""
        found = self.cosines([(a, b) for a, b, _ in rows])
        steps = [x / 50 for x in range(51)]

        def right(low: float, high: float) -> int:
            said = ["agree" if c >= high else "disagree" if c >= low else "neither" for c in found]
            return sum(s == gold for s, (_, _, gold) in zip(said, rows, strict=True))

        return max(
            ((low, high) for low, high in product(steps, steps) if low <= high),
            key=lambda cut: right(*cut),
        )

    def _vector(self, text: str) -> np.ndarray:
        t, w = self._tokenizer, self._w
        ids = np.array([t.cls, *t.ids(text)[: 2 * LONGEST_SIDE], t.sep])
        x = w["embeddings.word_embeddings.weight"][ids]
        x = x + w["embeddings.position_embeddings.weight"][: len(ids)]
        x = x + w["embeddings.token_type_embeddings.weight"][0]
        x = _normal(x, w["embeddings.LayerNorm.weight"], w["embeddings.LayerNorm.bias"])
        for layer in self._layers:
            x = _layer(x, layer, [slice(0, len(ids))])
        mean = x.mean(0)
        return mean / np.linalg.norm(mean)

    def _of_layer(self, i: int) -> dict[str, np.ndarray]:
        w, old = self._w, f"encoder.layer.{i}."
        names = {
            "out": "attention.output.dense",
            "norm1": "attention.output.LayerNorm",
            "up": "intermediate.dense",
            "down": "output.dense",
            "norm2": "output.LayerNorm",
        }
        found = {
            f"{new}.{p}": w[f"{old}{name}.{p}"].T
            for new, name in names.items()
            for p in ("weight", "bias")
        }
        parts = ("query", "key", "value")
        for p in ("weight", "bias"):
            joined = np.concatenate([w[f"{old}attention.self.{n}.{p}"] for n in parts])
            found[f"qkv.{p}"] = joined.T
        return {k: np.ascontiguousarray(v) for k, v in found.items()}
