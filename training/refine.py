"""Goes on training from packed weights, on a processor alone, with a fixed seed and order.

    python -m training.refine START.npz OUT.npz --nli FOLDER --steps 620 --rate 8e-5

The word table and the lowest layers stay as they are.
"""

from __future__ import annotations

import argparse
import gzip
import time
from pathlib import Path
from random import Random

import numpy as np
import torch
from torch import nn

from mutual_dissent.semantics.tokenizer import Tokenizer
from training.build import Row
from training.build import rows as built
from training.export import packed
from training.fresh import near, whole
from training.train import Agreement, loss_of

VOCABULARY = Path(__file__).parents[1] / "src/mutual_dissent/semantics/weights/vocab.txt"
HAND = {
    "quad": 2500,
    "essay": 700,
    "reasons": 400,
    "aspects": 500,
    "triple": 1000,
    "position": 1500,
}
MADE = {"long": 500, "mixed": 400, "claim": 700, "headed": 500, "hidden": 800}
OTHER = {"refusal": 150, "stranger": 400}
TEMPLATES = 1400
PUBLIC = {"mnli": 1500, "persp_para": 800, "cb": 150, "paws": 200, "syn_neg": 300}
LONGEST = 126  # pieces a side, as in use
FROZEN = 2  # of six layers stay as they are: quicker, and nothing is lost


def mixture(nli: Path, seed: int) -> list[Row]:
    """What is read: all new pairs, and a sample of everything that the start was trained on."""
    rng = Random(seed)
    found = [*whole(rng), *near(rng), *near(rng)]
    by_source: dict[str, list[Row]] = {}
    for row in sorted(set(built(7, nli))):
        by_source.setdefault(row[1], []).append(row)
    wanted = HAND | MADE | OTHER
    templates = sorted(set(by_source) - set(wanted))
    wanted |= {name: TEMPLATES // len(templates) for name in templates}
    for name, count in wanted.items():
        found += rng.sample(by_source.get(name, []), min(count, len(by_source.get(name, []))))
    found += public(nli, rng)
    rng.shuffle(found)
    return found


def public(nli: Path, rng: Random) -> list[Row]:
    """A sample of the public pairs."""
    by_source: dict[str, list[Row]] = {name: [] for name in PUBLIC}
    for file in ("train.tsv.gz", "train-synthetic.tsv.gz"):
        with gzip.open(nli / file, "rt", encoding="utf-8") as lines:
            for line in lines:
                label, source, a, b = line.rstrip("\n").split("\t")
                if source in by_source and label in "ENC":
                    by_source[source].append((label, source, a, b))
    return [
        row
        for name, n in PUBLIC.items()
        for row in rng.sample(by_source[name], min(n, len(by_source[name])))
    ]


def unpacked(path: Path) -> dict[str, torch.Tensor]:
    """Packed weights as a model's state."""
    arrays = dict(np.load(path))
    found = {}
    for name, value in arrays.items():
        if not name.endswith(".scale"):
            scale = arrays.get(f"{name}.scale", np.float32(1))
            found[name] = torch.from_numpy(np.asarray(value, np.float32) * scale)
    return found


class Encoded:
    """Rows in pieces, and batches of them."""

    def __init__(self, rows: list[Row]) -> None:
        tokenizer = Tokenizer(VOCABULARY.read_text("utf-8").splitlines())
        known = {t: tokenizer.ids(t)[:LONGEST] for r in rows for t in r[2:4]}
        self.rows = rows
        self.sides = [(known[r[2]], known[r[3]]) for r in rows]
        self.lengths = [len(a) + len(b) for a, b in self.sides]

    def batches(self, tokens: int, rng: Random) -> list[list[int]]:
        """Rows of similar length together, about as many pieces in each batch, in random order."""
        order = sorted(range(len(self.rows)), key=lambda i: (self.lengths[i] // 6, rng.random()))
        found: list[list[int]] = [[]]
        for i in order:
            if (len(found[-1]) + 1) * (self.lengths[i] + 3) > tokens:
                found.append([])
            found[-1].append(i)
        rng.shuffle(found)
        return found

    def batch(self, chosen: list[int], turned: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """Padded pieces and sides."""
        width = max(self.lengths[i] for i in chosen) + 3
        ids = np.zeros((len(chosen), width), np.int64)
        sides = np.zeros_like(ids)
        for row, (i, turn) in enumerate(zip(chosen, turned, strict=True)):
            a, b = self.sides[i][::-1] if turn else self.sides[i]
            full = [101, *a, 102, *b, 102]
            ids[row, : len(full)] = full
            sides[row, len(a) + 2 : len(full)] = 1
        return torch.from_numpy(ids), torch.from_numpy(sides)


def refine(options: argparse.Namespace) -> None:
    """Trains and writes the packed mean of the last part's weights."""
    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    torch.use_deterministic_algorithms(True)
    rng, turns = Random(options.seed), np.random.default_rng(options.seed)
    start = unpacked(options.start)
    model = Agreement(start["words.weight"].shape[0], 0.1)
    model.load_state_dict(start)
    for part in (model.words, *model.layers[:FROZEN]):
        part.requires_grad_(False)
    data = Encoded(mixture(options.nli, options.seed))
    optimizer = torch.optim.AdamW(
        [p for p in model.parameters() if p.requires_grad], lr=options.rate, weight_decay=0.01
    )
    model.train()
    order = [b for _ in range(9) for b in data.batches(options.tokens, rng)][: options.steps]
    print(f"{len(data.rows)} rows, {len(order)} steps", flush=True)
    began, total, tail, tails = time.time(), 0.0, None, 0
    for step, chosen in enumerate(order):
        done = step / len(order)
        for group in optimizer.param_groups:
            group["lr"] = options.rate * min(1, step / 40) * (0.03 + 0.97 * (1 - done))
        turned = turns.random(len(chosen)) < 0.5
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(*data.batch(chosen, turned))
        loss = loss_of(logits.float(), [data.rows[i][:2] for i in chosen], turned, options.smooth)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += float(loss.detach())
        if step % 50 == 49:
            print(f"step {step + 1} loss {total / 50:.3f} {time.time() - began:.0f} s", flush=True)
            total = 0.0
        if done >= 0.7 and step % 20 == 0:
            state = {k: v.detach().clone() for k, v in model.state_dict().items()}
            tail = state if tail is None else {k: tail[k] + state[k] for k in state}
            tails += 1
    write(options.start, options.out, {k: (v / tails).numpy() for k, v in (tail or {}).items()})


def write(start: Path, out: Path, state: dict[str, np.ndarray]) -> None:
    """A state, packed; the word table as it was."""
    arrays = packed(state)
    for name in ("words.weight", "words.weight.scale"):
        arrays[name] = np.load(start)[name]
    np.savez_compressed(out, **{k: arrays[k] for k in sorted(arrays)})


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("start", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--nli", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=10_000)
    parser.add_argument("--tokens", type=int, default=1536, help="pieces a batch")
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--smooth", type=float, default=0.1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seed", type=int, default=3)
    return parser.parse_args()


if __name__ == "__main__":
    refine(arguments())
