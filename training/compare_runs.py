"""Scores trained models on the tuning pairs: python -m training.compare_runs START NLI MODEL.pt..."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from training.train import SHARED, Agreement, predict, read_rows, report

GOLD = {"agree": 0, "disagree": 1, "partial": 2, "unrelated": 2}


@torch.no_grad()
def main(start: Path, nli: Path, models: list[Path]) -> None:
    """One line a model and one for their mean, then the mean's errors by category."""
    tokenizer = Tokenizer.from_file(str(start / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    files = sorted(Path(__file__).parent.glob("tuning*.jsonl"))
    pairs = [{**json.loads(x), "set": f.stem} for f in files for x in f.open(encoding="utf-8")]
    sets = np.array([p["set"] for p in pairs])
    rows = [("", "", p["a"], p["b"]) for p in pairs]
    gold = np.array([GOLD[p["label"]] for p in pairs])
    device = "cuda" if torch.cuda.is_available() else "cpu"
    states = [torch.load(m, map_location="cpu", weights_only=True) for m in models]
    states.append({k: sum(s[k].float() for s in states) / len(states) for k in states[0]})
    scores: dict[str, float] = {}
    for name, state in zip([*map(str, models), "mean"], states, strict=True):
        model = Agreement(tokenizer.get_vocab_size()).to(device).eval()
        model.load_state_dict({k: v.float() for k, v in state.items()})
        found = sum(predict(model, tokenizer, rows, device, t)[:, :3] for t in (False, True)) / 2
        said = found.argmax(1)
        opposite = (said + gold == 1).mean()
        scores[name] = _mean_of_sets(sets, (said == gold) * 1.0 - (said + gold == 1))
        hand = read_rows(nli / "test-hand.tsv")
        seen = sum(predict(model, tokenizer, hand, device, t)[:, :3] for t in (False, True))
        scores[name] += float((seen.argmax(1) == np.array([SHARED[r[0]] for r in hand])).mean())
        print(
            f"{name}: score {scores[name]:.3f}, {(said == gold).mean():.3f} right, {opposite:.3f} opposite",
            flush=True,
        )
        for which in sorted(set(sets)):
            of = sets == which
            wrong_way = (said + gold == 1)[of].mean()
            print(f"    {which}: {(said == gold)[of].mean():.3f} right, {wrong_way:.3f} opposite")
        wrong = Counter(p["category"] for p, s, g in zip(pairs, said, gold, strict=True) if s != g)
        print("   ", dict(wrong), flush=True)
        if name == "mean":
            best = sorted(models, key=lambda m: -scores[str(m)])
            Path("ranking.txt").write_text("\n".join(map(str, best)) + "\n")
            report(model, tokenizer, argparse.Namespace(nli=nli, out=Path("/tmp")), device)


def _mean_of_sets(sets: np.ndarray, score: np.ndarray) -> float:
    """Each set counts the same, however many pairs it has."""
    return float(np.mean([score[sets == s].mean() for s in set(sets)]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(p) for p in sys.argv[3:]])
