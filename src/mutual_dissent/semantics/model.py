"""The agreement model in numpy: six small transformer layers over a pair of claims."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from mutual_dissent.semantics.tokenizer import Tokenizer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LONGEST_SIDE = 126  # pieces a side in training; more is cut
# Heads and epsilon are those of MiniLM-L6, which the weights were started from.
_HEADS = 12
_TOKENS_AT_ONCE = 1024  # larger blocks leave the processor's cache and get slower
_EPSILON = 1e-12
AGREE, DISAGREE, NEITHER = 0, 1, 2


class Model:
    """Weights in memory, and the scores of pairs by them; safe to share between threads."""

    def __init__(self, weights: dict[str, Any], tokenizer: Tokenizer) -> None:
        self._weights = weights
        self._tokenizer = tokenizer

    def pieces(self, text: str) -> tuple[int, ...]:
        """The text's pieces as the model will read them, not yet cut to length."""
        return tuple(self._tokenizer.ids(text))

    def logits(self, pairs: Sequence[tuple[Sequence[int], Sequence[int]]]) -> Floats:
        """One row a pair: agree, disagree, neither; entailed, neutral, contradicted."""
        import numpy as np

        scores = np.zeros((len(pairs), 6), np.float32)
        framed = [self._framed(a, b) for a, b in pairs]
        order = sorted(range(len(pairs)), key=lambda i: len(framed[i][0]))
        block: list[int] = []
        for i in order:
            if block and sum(len(framed[j][0]) for j in (*block, i)) > _TOKENS_AT_ONCE:
                scores[block] = self._block([framed[j] for j in block])
                block = []
            block.append(i)
        if block:
            scores[block] = self._block([framed[j] for j in block])
        return scores

    def _framed(self, a: Sequence[int], b: Sequence[int]) -> tuple[list[int], int]:
        cls, sep = self._tokenizer.cls, self._tokenizer.sep
        first, second = list(a[:LONGEST_SIDE]), list(b[:LONGEST_SIDE])
        return [cls, *first, sep, *second, sep], len(first) + 2

    def _block(self, framed: list[tuple[list[int], int]]) -> Floats:
        """All pairs of a block at once: their pieces lie end to end, so nothing is padded."""
        import numpy as np

        w = self._weights
        lengths = [len(ids) for ids, _ in framed]
        ends = np.cumsum(lengths)
        spans = [slice(int(e) - n, int(e)) for e, n in zip(ends, lengths, strict=True)]
        ids = np.concatenate([np.asarray(ids) for ids, _ in framed])
        places = np.concatenate([np.arange(n) for n in lengths])
        sides = np.concatenate([np.arange(len(ids)) >= second for ids, second in framed])
        x = w["words.weight"][ids].astype(np.float32) * w["words.weight.scale"][ids]
        x += w["places.weight"][places] + w["sides.weight"][sides.astype(np.int64)]
        x = _normal(x, w["norm.weight"], w["norm.bias"])
        for layer in w["layers"]:
            x = _layer(x, layer, spans)
        pooled = np.stack([np.concatenate([x[s.start], x[s].mean(0)]) for s in spans])
        pooled = np.tanh(pooled @ w["pool.weight"].T + w["pool.bias"])
        logits: Floats = (pooled @ w["heads.weight"].T + w["heads.bias"])[:, :6]
        return logits


@cache
def load() -> Model:
    """The model that ships with the package; read once, about 0.5 s."""
    # Several threads gain nothing on matrices this small, and on a busy machine they wait for each
    # other for minutes. The setting is read when numpy loads, so it changes nothing afterwards.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    import numpy as np

    folder = files("mutual_dissent.semantics") / "weights"
    vocabulary = (folder / "vocab.txt").read_text("utf-8").splitlines()
    with (folder / "agreement.npz").open("rb") as source, np.load(source) as packed:
        return Model(_unpack(packed, packed.files), Tokenizer(vocabulary))


def _unpack(packed: Mapping[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Layers as float32 for the matrix products; the large word table stays in 8 bits.

    One matrix at a time: all of them in both forms would take twice the memory, and a process does
    not give back all of what it once had.
    """
    weights: dict[str, Any] = {}
    layers: dict[int, dict[str, Any]] = defaultdict(dict)
    scales = {name for name in names if name.endswith(".scale")}
    for name in (n for n in names if n not in scales):
        scale = packed[f"{name}.scale"] if f"{name}.scale" in scales else None
        if name == "words.weight":
            weights[name], weights[f"{name}.scale"] = packed[name], scale
        elif name.startswith("layers."):
            _, number, own = name.split(".", 2)
            layers[int(number)][own] = _floats(packed[name], scale, turned=True)
        else:
            weights[name] = _floats(packed[name], scale)
    return {**weights, "layers": [layers[i] for i in range(len(layers))]}


def _floats(value: Any, scale: Any, *, turned: bool = False) -> Floats:
    """A matrix as float32; turned, so that rows are multiplied with it as they lie in memory."""
    import numpy as np

    floats = value.astype(np.float32)
    if scale is not None:
        floats *= scale
    return np.ascontiguousarray(floats.T) if turned and floats.ndim == 2 else floats


def _layer(x: Floats, w: dict[str, Floats], spans: list[slice]) -> Floats:
    """Attention within each pair, then the feed-forward part over all pieces together."""
    seen = _attention(x @ w["qkv.weight"] + w["qkv.bias"], spans)
    x = _normal(x + seen @ w["out.weight"] + w["out.bias"], w["norm1.weight"], w["norm1.bias"])
    y = _gelu(x @ w["up.weight"] + w["up.bias"]) @ w["down.weight"]
    return _normal(x + y + w["down.bias"], w["norm2.weight"], w["norm2.bias"])


def _attention(qkv: Floats, spans: list[slice]) -> Floats:
    import numpy as np

    width = qkv.shape[1] // 3
    size = width // _HEADS
    out = np.empty((qkv.shape[0], width), np.float32)
    for span in spans:
        part = qkv[span].reshape(-1, 3, _HEADS, size).transpose(1, 2, 0, 3)
        scores = part[0] @ part[1].transpose(0, 2, 1) * np.float32(size**-0.5)
        scores -= scores.max(-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(-1, keepdims=True)
        out[span] = (scores @ part[2]).transpose(1, 0, 2).reshape(-1, width)
    return out


def _normal(x: Floats, weight: Floats, bias: Floats) -> Floats:
    import numpy as np

    x = x - x.mean(-1, keepdims=True)
    spread = np.einsum("ij,ij->i", x, x) / np.float32(x.shape[1])
    x *= (1 / np.sqrt(spread + np.float32(_EPSILON)))[:, None].astype(np.float32)
    x *= weight
    x += bias
    return x


def _gelu(x: Floats) -> Floats:
    """The tanh form, which the model was trained with."""
    import numpy as np

    inner = x * x
    inner *= np.float32(0.044715)
    inner += np.float32(1)
    inner *= x
    inner *= np.float32(0.7978845608)
    np.tanh(inner, out=inner)
    inner += np.float32(1)
    inner *= x
    inner *= np.float32(0.5)
    return inner
