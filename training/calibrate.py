"""Fits the calibration on the tuning pairs: `python -m training.calibrate --check HELD.jsonl`.

A logistic regression over what the model saw and what the rules say, drawn towards the model's own
scores. Where confidence begins is chosen on verdicts that were not fitted on (cross-validation).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mutual_dissent.semantics import Semantics
from mutual_dissent.semantics.judgement import corrected, features
from mutual_dissent.semantics.readings import of_answers
from mutual_dissent.semantics.rules import plain

HERE = Path(__file__).parent
OUT = HERE.parent / "src/mutual_dissent/semantics/weights/calibration.json"
TUNING = tuple(HERE / f"tuning{n}.jsonl" for n in ("", "-2", "-3", "-4"))
GOLD = {"agree": 0, "disagree": 1, "partial": 2, "unrelated": 2}
PRIOR, STRENGTH = 0.8, 10.0  # the model's own scores count that much; how hard it is to leave that
WANTED = 0.99  # right above the threshold here, so that other pairs reach 0.96, other authors 0.9
FOLDS, STEPS, RATE = 10, 2_000, 0.05
Floats = NDArray[np.float64]


def measured(model: Semantics, path: Path) -> tuple[Floats, NDArray[np.int64]]:
    """The features and labels of the pairs that are not settled without the model."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = [r for r in rows if plain(r["a"], r["b"]) is None]
    readings = [x for i, r in enumerate(rows) for x in of_answers(i, r["a"], r["b"])]
    seen = model.seen(readings)
    found = [
        features(r["a"], r["b"], corrected(r["a"], r["b"], seen[i].agreement)[0], seen[i])
        for i, r in enumerate(rows)
    ]
    return np.array(found), np.array([GOLD[r["label"]] for r in rows])


def fitted(x: Floats, y: NDArray[np.int64]) -> Floats:
    """Two rows of weights, for agreement and disagreement; neither is the zero point."""
    prior = np.zeros((2, x.shape[1]))
    prior[0, 1] = prior[1, 2] = PRIOR
    w, m, v = prior.copy(), np.zeros_like(prior), np.zeros_like(prior)
    gold = np.eye(3)[y]
    for t in range(1, STEPS + 1):
        slope = (chances(w, x) - gold)[:, :2].T @ x + STRENGTH * (w - prior)
        m, v = 0.9 * m + 0.1 * slope, 0.999 * v + 0.001 * slope**2
        step = RATE * (1 - t / STEPS)
        w -= step * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
    return w


def chances(w: Floats, x: Floats) -> Floats:
    """Agree, disagree, neither for each row."""
    sums = np.concatenate([x @ w.T, np.zeros((len(x), 1))], 1)
    shares = np.exp(sums - sums.max(1, keepdims=True))
    found: Floats = shares / shares.sum(1, keepdims=True)
    return found


def unseen(x: Floats, y: NDArray[np.int64]) -> Floats:
    """The chances of each row from weights that were fitted without it."""
    fold = np.random.default_rng(0).integers(0, FOLDS, len(y))
    found = np.zeros((len(y), 3))
    for k in range(FOLDS):
        found[fold == k] = chances(fitted(x[fold != k], y[fold != k]), x[fold == k])
    return found


def threshold(found: list[Floats], labels: list[NDArray[np.int64]]) -> float:
    """The chance from which on enough verdicts are right in each set, however high one goes."""
    cuts = [float(round(c, 3)) for c in np.arange(0.985, 0.6, -0.005)]
    best = cuts[0]
    for cut in cuts:
        shares = [_right(f, y, cut) for f, y in zip(found, labels, strict=True)]
        if min(shares) < WANTED:
            break
        best = cut
    return best


def _right(found: Floats, y: NDArray[np.int64], cut: float) -> float:
    sure = found.max(1) >= cut
    return float((found.argmax(1) == y)[sure].mean()) if sure.any() else 1.0


def line(name: str, found: Floats, y: NDArray[np.int64], cut: float) -> str:
    """One line of figures."""
    said, sure = found.argmax(1), found.max(1) >= cut
    opposite = (said + y == 1).mean()
    return (
        f"{name}: {len(y)} pairs, {(said == y).mean():.3f} right, {opposite:.3f} opposite, "
        f"{sure.mean():.2f} confident, of those {(said == y)[sure].mean():.3f} right"
    )


def main() -> None:
    """Fits, prints the figures and writes the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", type=Path, nargs="*", default=[], help="pairs not fitted on")
    options = parser.parse_args()
    model = Semantics.load()
    sets = [measured(model, path) for path in TUNING]
    x, y = np.concatenate([s[0] for s in sets]), np.concatenate([s[1] for s in sets])
    labels = [s[1] for s in sets]
    found = np.split(unseen(x, y), np.cumsum([len(y) for y in labels])[:-1])
    cut = threshold(found, labels)
    for path, chance, gold in zip(TUNING, found, labels, strict=True):
        print(line(path.stem, chance, gold, cut))
    w = fitted(x, y)
    for path in options.check:
        other, gold = measured(model, path)
        print(line(path.stem, chances(w, other), gold, cut))
    agree, disagree = ([round(float(n), 4) for n in row] for row in w)
    text = json.dumps({"agree": agree, "disagree": disagree, "confident": cut}, indent=1)
    OUT.write_text(text + "\n", "utf-8")
    print("confidence begins at", cut)


if __name__ == "__main__":
    main()
