"""Trains the agreement model: MiniLM-L6 as a cross-encoder with three small heads.

    python -m training.train --start MINILM --nli FOLDER --pairs PAIRS.tsv.gz --out FOLDER

`--start` is a folder with model.safetensors (or start.npz from training.shrink) and tokenizer.json.
Heads: agreement (agree, disagree, neither), inference (E, N, C) and stance (supports, undermines).
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
from tokenizers import Tokenizer
from torch import nn

from training.export import unpacked
from training.shrink import SCALE

WIDTH, LAYERS, HEADS, INNER = 384, 6, 12, 1536
AGREE = {"A": 0, "D": 1, "P": 2}
INFER = {"E": 0, "N": 1, "C": 2}
SHARED = {"E": 0, "C": 1, "N": 2}  # inference labels read as agreement
# How far a source's labels also train the agreement head. SNLI and Wikipedia edits are missing: there
# two different scenes count as a contradiction, which two different answers are not.
TRUSTED = {
    "mnli": 0.6, "persp_para": 1.0, "paws": 0.5, "scitail": 0.4, "cb": 1.0, "semantoneg": 0.3, "sentneg": 0.3,
    "syn_neg": 0.3, "syn_ant": 0.15, "syn_cmp": 0.4, "syn_num": 0.3, "syn_tpl": 0.4, "syn_wrap": 0.3,
    "syn_cond": 0.3, "syn_part": 0.5, "syn_quant": 0.5, "syn_rand": 0.5, "syn_same": 0.5, "conjnli": 0.15,
    "help": 0.1,
}  # fmt: skip


AUTHORS = {"author": 1.0, "author+": 0.4, "whole": 0.6}
"""How often rows by other authors are seen, against each other."""


class Layer(nn.Module):
    """One transformer layer of BERT."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.up = nn.Linear(WIDTH, INNER)
        self.down = nn.Linear(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = dropout

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Attention and feed-forward, each with its residual."""
        b, n, _ = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        drop = self.dropout if self.training else 0.0
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=drop)
        seen = self.out(seen.transpose(1, 2).reshape(b, n, WIDTH))
        x = self.norm1(x + F.dropout(seen, self.dropout, self.training))
        y = self.down(F.gelu(self.up(x), approximate="tanh"))
        return self.norm2(x + F.dropout(y, self.dropout, self.training))


class Agreement(nn.Module):
    """The encoder and its three heads."""

    def __init__(self, vocabulary: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, WIDTH)
        self.places = nn.Embedding(512, WIDTH)
        self.sides = nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.pool = nn.Linear(2 * WIDTH, WIDTH)
        self.heads = nn.Linear(WIDTH, 8)
        self.dropout = dropout

    def forward(self, ids: torch.Tensor, sides: torch.Tensor) -> torch.Tensor:
        """Logits: agreement 0-2, inference 3-5, stance 6-7."""
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.places(places) + self.sides(sides))
        x = F.dropout(x, self.dropout, self.training)
        real = ids != 0
        mask = real[:, None, None, :]
        for layer in self.layers:
            x = layer(x, mask)
        weight = real[:, :, None].to(x.dtype)
        mean = (x * weight).sum(1) / weight.sum(1)
        pooled = torch.tanh(self.pool(torch.cat([x[:, 0], mean], -1)))
        return self.heads(F.dropout(pooled, self.dropout, self.training))


def start_weights(model: Agreement, folder: Path) -> None:
    """Loads the MiniLM weights into the encoder."""
    w = read_start(folder)
    own = model.state_dict()

    def put(name: str, value: np.ndarray) -> None:
        own[name].copy_(torch.from_numpy(np.ascontiguousarray(value, dtype=np.float32)))

    put("words.weight", w["embeddings.word_embeddings.weight"])
    put("places.weight", w["embeddings.position_embeddings.weight"])
    put("sides.weight", w["embeddings.token_type_embeddings.weight"])
    for p in ("weight", "bias"):
        put(f"norm.{p}", w[f"embeddings.LayerNorm.{p}"])
    for i in range(LAYERS):
        old, new = f"encoder.layer.{i}.", f"layers.{i}."
        for p in ("weight", "bias"):
            attention = [w[f"{old}attention.self.{n}.{p}"] for n in ("query", "key", "value")]
            put(f"{new}qkv.{p}", np.concatenate(attention))
            put(f"{new}out.{p}", w[f"{old}attention.output.dense.{p}"])
            put(f"{new}norm1.{p}", w[f"{old}attention.output.LayerNorm.{p}"])
            put(f"{new}up.{p}", w[f"{old}intermediate.dense.{p}"])
            put(f"{new}down.{p}", w[f"{old}output.dense.{p}"])
            put(f"{new}norm2.{p}", w[f"{old}output.LayerNorm.{p}"])


def read_start(folder: Path) -> dict[str, np.ndarray]:
    """The published weights, or our smaller copy in 8 bits."""
    if (folder / "start.npz").exists():
        kept = dict(np.load(folder / "start.npz"))
        plain = {k: v for k, v in kept.items() if not k.endswith(SCALE)}
        return {
            k: v.astype(np.float32) * kept[k + SCALE] if k + SCALE in kept else v
            for k, v in plain.items()
        }
    from safetensors.numpy import load_file

    return load_file(folder / "model.safetensors")


def read_rows(path: Path) -> list[tuple[str, str, str, str]]:
    """Rows of a tab-separated file, plain or gzipped."""
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open()
    with opened as lines:
        return [tuple(line.rstrip("\n").split("\t")) for line in lines]


class Pairs:
    """Tokenised pairs with their labels on the device."""

    def __init__(self, rows: list, tokenizer: Tokenizer, longest: int) -> None:
        texts = sorted({t for r in rows for t in r[2:4]})
        encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
        ids = {t: e.ids for t, e in zip(texts, encoded, strict=True)}
        self.rows, self.half = rows, longest // 2 - 2
        self.first = [ids[r[2]][: self.half] for r in rows]
        self.second = [ids[r[3]][: self.half] for r in rows]
        self.length = np.array(
            [len(a) + len(b) + 3 for a, b in zip(self.first, self.second, strict=True)]
        )

    def batch(self, chosen: np.ndarray, swap: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """Padded ids and sides of the chosen pairs, some turned around."""
        n = int(self.length[chosen].max())
        n += -n % 8
        ids = np.zeros((len(chosen), n), np.int64)
        sides = np.zeros_like(ids)
        for row, (i, turned) in enumerate(zip(chosen, swap, strict=True)):
            a, b = self.first[i], self.second[i]
            if turned:
                a, b = b, a
            full = [101, *a, 102, *b, 102]
            ids[row, : len(full)] = full
            sides[row, len(a) + 2 : len(full)] = 1
        return torch.from_numpy(ids), torch.from_numpy(sides)


def epoch_order(
    pairs: Pairs, rng: np.random.Generator, size: int, keep: np.ndarray
) -> list[np.ndarray]:
    """Batches of similar length, shuffled; each row as often as its rate says."""
    times = np.floor(keep).astype(int) + (rng.random(len(keep)) < keep % 1)
    chosen = np.repeat(np.arange(len(keep)), times)
    rng.shuffle(chosen)
    batches = []
    for start in range(0, len(chosen), size * 64):
        pool = chosen[start : start + size * 64]
        pool = pool[np.argsort(pairs.length[pool], kind="stable")]
        batches += [pool[i : i + size] for i in range(0, len(pool), size)]
    rng.shuffle(batches)
    return batches


def loss_of(
    logits: torch.Tensor, labels: list[tuple[str, str]], swap: np.ndarray, smooth: float
) -> torch.Tensor:
    """The sum of the three heads' losses for the rows that have that label."""
    device = logits.device
    agree, agree_weight, infer, stance, other = [], [], [], [], []
    for (label, source), turned in zip(labels, swap, strict=True):
        agree.append(AGREE.get(label, SHARED.get(label, -100) if source in TRUSTED else -100))
        agree_weight.append(1.0 if label in AGREE else TRUSTED.get(source, 0.0))
        directed = not turned or label == "C"
        infer.append(INFER.get(label, -100) if directed else -100)
        stance.append({"S+": 0, "S-": 1}.get(label, -100))
        other.append(label == "NC" and not turned)

    def part(lo: int, hi: int, target: list[int]) -> torch.Tensor:
        t = torch.tensor(target, device=device)
        return F.cross_entropy(
            logits[:, lo:hi], t, ignore_index=-100, reduction="none", label_smoothing=smooth
        )

    loss = part(0, 3, agree) * torch.tensor(agree_weight, device=device)
    loss = loss + 0.5 * part(3, 6, infer) + 0.3 * part(6, 8, stance)
    not_entailed = -torch.log1p(-logits[:, 3:6].softmax(-1)[:, 0].clamp(max=0.999))
    return (loss + 0.3 * not_entailed * torch.tensor(other, device=device)).mean()


@torch.no_grad()
def teachings(
    teachers: list[Path], pairs: Pairs, vocabulary: int, device: str
) -> torch.Tensor | None:
    """How likely the teachers together find agreement, conflict and neither in each pair."""
    if not teachers:
        return None
    order = np.argsort(pairs.length, kind="stable")
    total = torch.zeros(len(order), 3)
    for path in teachers:
        model = Agreement(vocabulary).to(device).eval()
        state = torch.load(path, map_location=device, weights_only=True)
        model.load_state_dict({k: v.float() for k, v in state.items()})
        for start in range(0, len(order), 1024):
            chosen = order[start : start + 1024]
            for turned in (False, True):
                ids, sides = pairs.batch(chosen, np.full(len(chosen), turned))
                with torch.autocast(device, torch.bfloat16):
                    logits = model(ids.to(device), sides.to(device))[:, :3].float()
                total[chosen] += logits.softmax(-1).cpu()
    return total / (2 * len(teachers))


def lesson(logits: torch.Tensor, taught: torch.Tensor) -> torch.Tensor:
    """How far the agreement head is from what the teachers say."""
    return F.kl_div(logits[:, :3].log_softmax(-1), taught, reduction="batchmean")


def probability(rows: list, options: argparse.Namespace) -> np.ndarray:
    """How often a row is seen in an epoch, by its source."""
    rates = {"A": 1.0, "D": 1.0, "P": 1.0, "S+": 0.6, "S-": 0.6, "NC": 1.0}
    sources = {"snli": 0.4, "wikifactcheck": 0.3, "cad": 0.4, "persp_para": 2.0, "cb": 2.0}

    def rate(label: str, source: str) -> float:
        if source.startswith("syn_"):
            return options.syn
        if source in ("position", "triple", "quad", "reasons", "aspects", "essay"):
            return options.hand
        if source in AUTHORS:
            return options.authors * AUTHORS[source]
        return rates.get(label, options.nli_rate * sources.get(source, 1.0))

    return np.array([rate(*r[:2]) for r in rows])


def train(options: argparse.Namespace) -> None:
    """Trains, averages the weights of the last part, evaluates and writes the model."""
    torch.manual_seed(options.seed)
    rng = np.random.default_rng(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.set_float32_matmul_precision("high")
    tokenizer = Tokenizer.from_file(str(options.start / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    rows = read_rows(options.nli / "train.tsv.gz") + read_rows(
        options.nli / "train-synthetic.tsv.gz"
    )
    for path in options.pairs:
        rows += read_rows(path)
    pairs = Pairs(rows, tokenizer, options.longest)
    keep = probability(rows, options)
    steps = int(keep.sum() / options.batch * options.epochs)
    model = Agreement(tokenizer.get_vocab_size(), options.dropout)
    if options.resume:
        state = unpacked(options.resume)
        model.load_state_dict({k: torch.from_numpy(v) for k, v in state.items()})
    else:
        with torch.no_grad():
            start_weights(model, options.start)
    model.to(device)
    taught = teachings(options.teachers, pairs, tokenizer.get_vocab_size(), device)
    plain = [p for n, p in model.named_parameters() if p.ndim < 2]
    decayed = [p for n, p in model.named_parameters() if p.ndim > 1]
    groups = [{"params": decayed, "weight_decay": 0.01}, {"params": plain, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(
        groups, lr=options.rate, betas=(0.9, 0.98), fused=device == "cuda"
    )
    print(f"{len(rows)} rows, {steps} steps", flush=True)
    average, averaged, step, began, total = None, 0, 0, time.time(), 0.0
    while step < steps:
        for chosen in epoch_order(pairs, rng, options.batch, keep):
            if step >= steps or time.time() - began > options.seconds:
                steps = step
                break
            done = max(step / steps, (time.time() - began) / options.seconds)
            warm = min(1.0, step / (0.06 * steps + 1))
            for group in optimizer.param_groups:
                group["lr"] = options.rate * warm * max(0.02, 0.5 * (1 + math.cos(math.pi * done)))
            swap = rng.random(len(chosen)) < 0.5
            ids, sides = pairs.batch(chosen, swap)
            with torch.autocast(device, torch.bfloat16):
                logits = model(
                    ids.to(device, non_blocking=True), sides.to(device, non_blocking=True)
                )
            loss = loss_of(logits.float(), [rows[i][:2] for i in chosen], swap, options.smooth)
            if taught is not None:
                loss = loss + options.taught * lesson(logits.float(), taught[chosen].to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % 100 == 0:
                total = float(loss.detach())
                print(
                    f"step {step} of {steps} loss {total:.3f} {time.time() - began:.0f} s",
                    flush=True,
                )
            if done > 0.8 and step % 50 == 0:
                state = {k: v.detach().double() for k, v in model.state_dict().items()}
                averaged += 1
                average = state if average is None else {k: average[k] + state[k] for k in state}
    if average is not None:
        model.load_state_dict({k: (v / averaged).float() for k, v in average.items()})
    options.out.mkdir(parents=True, exist_ok=True)
    torch.save({k: v.half().cpu() for k, v in model.state_dict().items()}, options.out / "model.pt")
    report(model, tokenizer, options, device)


@torch.no_grad()
def report(
    model: Agreement, tokenizer: Tokenizer, options: argparse.Namespace, device: str
) -> None:
    """Accuracy of the inference and agreement heads on the test files."""
    model.eval()
    result = {}
    for path in sorted(options.nli.glob("test-*.tsv")):
        rows = read_rows(path)
        both = [predict(model, tokenizer, rows, device, turned) for turned in (False, True)]
        gold = np.array([SHARED.get(r[0], 2) for r in rows])
        inferred = both[0][:, 3:6].argmax(1)[:, None] == np.array([[0, 2, 1]]).repeat(len(rows), 0)
        result[path.stem] = {
            "inference": float((inferred.argmax(1) == gold).mean()),
            "agreement": float(((both[0] + both[1])[:, :3].argmax(1) == gold).mean()),
        }
    for name, scores in result.items():
        print(f"{name:20s} " + " ".join(f"{k} {v:.3f}" for k, v in scores.items()), flush=True)
    (options.out / "report.json").write_text(json.dumps(result, indent=1))


def predict(
    model: Agreement, tokenizer: Tokenizer, rows: list, device: str, turned: bool
) -> np.ndarray:
    """Probabilities of the heads for rows, in order."""
    pairs = Pairs(rows, tokenizer, 256)
    found = np.zeros((len(rows), 6), np.float32)
    for start in range(0, len(rows), 256):
        chosen = np.arange(start, min(start + 256, len(rows)))
        ids, sides = pairs.batch(chosen, np.full(len(chosen), turned))
        logits = model(ids.to(device), sides.to(device)).float()
        found[chosen, :3] = logits[:, :3].softmax(-1).cpu().numpy()
        found[chosen, 3:] = logits[:, 3:6].softmax(-1).cpu().numpy()
    return found


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--start", type=Path, required=True)
    parser.add_argument("--nli", type=Path, required=True)
    parser.add_argument("--pairs", type=Path, nargs="+", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--resume", type=Path, help="go on from this model instead of MiniLM")
    parser.add_argument("--epochs", type=float, default=5)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--smooth", type=float, default=0.05)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--longest", type=int, default=256)
    parser.add_argument("--syn", type=float, default=0.5, help="share of syn_ rows in an epoch")
    parser.add_argument("--nli-rate", type=float, default=1.0, help="share of NLI rows in an epoch")
    parser.add_argument(
        "--hand", type=float, default=2.0, help="how often a hand-written row is seen"
    )
    parser.add_argument(
        "--authors", type=float, default=3.0, help="how often a row by the other authors is seen"
    )
    parser.add_argument("--teachers", type=Path, nargs="*", default=[], help="models to learn from")
    parser.add_argument("--taught", type=float, default=1.0, help="weight of the teachers")
    parser.add_argument("--seconds", type=float, default=1e9, help="stop training after that time")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


if __name__ == "__main__":
    train(arguments())
