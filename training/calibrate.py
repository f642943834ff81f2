"""Fits the calibration on the tuning pairs: `python -m training.calibrate --check HELD.jsonl`.

A logistic regression over what the model saw and what the rules say, drawn towards the model's own
scores. Sets by authors who wrote no training pair count most. Where confidence begins is chosen on
them too, each judged by weights that were fitted without it.
"""

# ruff: noqa: T201 - a script for the terminal

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mutual_dissent.semantics import Semantics
from mutual_dissent.semantics.cues.rules import plain
from mutual_dissent.semantics.judgement import features, word_cue
from mutual_dissent.semantics.readings import of_answers

HERE = Path(__file__).parent
OUT = HERE.parent / "src/mutual_dissent/semantics/weights/calibration.json"
OWN = tuple(HERE / f"tuning{n}.jsonl" for n in ("", "-2", "-3", "-4"))
OTHERS = tuple(HERE / f"tuning{n}.jsonl" for n in ("-5", "-6"))  # by authors of no training pair
TUNING = OWN + OTHERS
GOLD = {"agree": 0, "disagree": 1, "partial": 2, "unrelated": 2}
PRIOR, STRENGTH = 0.8, 10.0  # the model's own scores count that much; how hard it is to leave that
COUNTS = 3.0  # a pair by the other authors, against one of ours
WANTED, SHARE = 0.9, 0.1  # right where confidence begins; how many pairs are to be there at least
STEPS, RATE = 2_000, 0.05
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measured:
    """The features and labels of a set, and how much each of its pairs counts."""

    name: str
    x: Floats
    y: NDArray[np.int64]
    counts: float


def measured(model: Semantics, path: Path) -> Measured:
    """The features and labels of the pairs that are not settled without the model."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    rows = [r for r in rows if plain(r["a"], r["b"]) is None]
    readings = [x for i, r in enumerate(rows) for x in of_answers(i, r["a"], r["b"])]
    seen = model.score_pairs(readings)
    found = [
        features(r["a"], r["b"], seen[i], word_cue(r["a"], r["b"], seen[i].agreement))
        for i, r in enumerate(rows)
    ]
    labels = np.array([GOLD[r["label"]] for r in rows])
    return Measured(path.stem, np.array(found), labels, COUNTS if path in OTHERS else 1.0)


def fitted(sets: Sequence[Measured]) -> Floats:
    """Two rows of weights, for agreement and disagreement; neither is the zero point."""
    x, y = np.concatenate([s.x for s in sets]), np.concatenate([s.y for s in sets])
    counts = np.concatenate([np.full(len(s.y), s.counts) for s in sets])[:, None]
    prior = np.zeros((2, x.shape[1]))
    prior[0, 1] = prior[1, 2] = PRIOR
    w, m, v = prior.copy(), np.zeros_like(prior), np.zeros_like(prior)
    gold = np.eye(3)[y]
    for t in range(1, STEPS + 1):
        slope = ((chances(w, x) - gold) * counts)[:, :2].T @ x + STRENGTH * (w - prior)
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


def threshold(found: Floats, y: NDArray[np.int64]) -> float:
    """The lowest chance from which on enough verdicts are right."""
    best, right = found.max(1), found.argmax(1) == y
    for cut in np.arange(0.6, 0.99, 0.005):
        sure = best >= cut
        if sure.mean() < SHARE:
            break
        if right[sure].mean() >= WANTED:
            return float(round(cut, 3))
    raise SystemExit("nowhere are enough verdicts right; more pairs, or a better model")


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
    unseen = {s.name: chances(fitted([o for o in sets if o is not s]), s.x) for s in sets}
    others = [s for s in sets if s.counts != 1]
    cut = threshold(
        np.concatenate([unseen[s.name] for s in others]), np.concatenate([s.y for s in others])
    )
    for s in sets:
        print(line(s.name, unseen[s.name], s.y, cut))
    w = fitted(sets)
    for path in options.check:
        other = measured(model, path)
        print(line(other.name, chances(w, other.x), other.y, cut))
    agree, disagree = ([round(float(n), 4) for n in row] for row in w)
    text = json.dumps({"agree": agree, "disagree": disagree, "confident": cut}, indent=1)
    OUT.write_text(text + "\n", "utf-8")
    print("confidence begins at", cut)


if __name__ == "__main__":
    main()
