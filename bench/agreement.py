"""How well `rules`, `semantic` and plain cosine tell agreement: python -m bench.agreement.

Reads the pairs beside the project (../shared/nli), those held out here and the tuning pairs in
training/. Plain cosine is measured too where MINILM names a folder with the published weights
(model.safetensors, vocab.txt).
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

from bench.report import Table
from mutual_dissent.semantics import CONFIDENT, ClaimVerdict, Semantics
from mutual_dissent.semantics.lexical.relations import relation

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "nli"
HELD_OUT = [ROOT / "bench" / f"agreement-held-out{n}.jsonl" for n in ("", "-2", "-3")]
TUNING = [ROOT / "training" / f"tuning{n}.jsonl" for n in ("-6", "-5", "-4", "-3", "-2", "")]
OWN = [*HELD_OUT, *TUNING]
OPEN = SHARED / "agreement-open.jsonl"
DOC = ROOT / "docs" / "agreement.md"
GOLD = {"E": "agree", "C": "disagree", "N": "neither"}
GOLD |= {"agree": "agree", "disagree": "disagree", "partial": "neither", "unrelated": "neither"}
Item = tuple[str, str, str, str]  # category, label, a, b
Judge = Callable[[Sequence[tuple[str, str]]], list[ClaimVerdict]]
LIMIT = 400


def pairs_of(path: Path) -> list[Item]:
    text = path.read_text("utf-8").splitlines()
    if path.suffix == ".jsonl":
        rows = [json.loads(line) for line in text]
        return [(r["category"], GOLD[r["label"]], r["a"], r["b"]) for r in rows]
    cut = [line.split("\t") for line in text[:LIMIT]]
    return [(source, GOLD[label], a, b) for label, source, a, b in cut]


def three_way(relation: str) -> str:
    return relation if relation in ("agree", "disagree") else "neither"


def scores(items: list[Item], verdicts: list[ClaimVerdict]) -> dict[str, float]:
    said = [three_way(v.relation) for v in verdicts]
    right = [s == gold for s, (_, gold, _, _) in zip(said, items, strict=True)]
    opposite = [
        {s, gold} == {"agree", "disagree"} for s, (_, gold, *_) in zip(said, items, strict=True)
    ]
    sure = [
        ok for ok, v in zip(right, verdicts, strict=True)
        if v.confidence >= CONFIDENT and v.relation != "uncertain"
    ]  # fmt: skip
    n = len(items)
    return {
        "pairs": n,
        "right": sum(right) / n,
        "opposite": sum(opposite) / n,
        "right when confident": sum(sure) / len(sure) if sure else float("nan"),
        "confident": len(sure) / n,
    }


def rules(pairs: Sequence[tuple[str, str]]) -> list[ClaimVerdict]:
    """The analyzer `rules`, which needs no model."""
    found = [relation(a, b) for a, b in pairs]
    return [ClaimVerdict(v.relation.value, v.confidence, v.reason) for v in found]


def cosine(folder: Path) -> Judge:
    """Mean-pooled MiniLM embeddings with thresholds chosen on the tuning pairs."""
    from bench.embedding import Embedding

    model = Embedding(folder)
    tuning = [item for path in TUNING for item in pairs_of(path)]
    low, high = model.thresholds([(a, b, gold) for _, gold, a, b in tuning])

    def judged(pairs: Sequence[tuple[str, str]]) -> list[ClaimVerdict]:
        found = model.cosines(pairs)
        return [
            ClaimVerdict(
                "agree" if c >= high else "disagree" if c >= low else "unrelated", c, "cosine"
            )
            for c in found
        ]

    return judged


def row(name: str, judge_name: str, s: dict[str, float]) -> str:
    figures = " | ".join(f"{100 * s[k]:.0f} %" for k in list(s)[1:])
    return f"| {name} | {s['pairs']} | {judge_name} | {figures} |"


def by_category(items: list[Item], verdicts: list[ClaimVerdict]) -> list[str]:
    found: dict[str, list[bool]] = defaultdict(list)
    for (category, gold, _, _), v in zip(items, verdicts, strict=True):
        found[category].append(three_way(v.relation) == gold)
    return [f"| {c} | {sum(ok)} of {len(ok)} |" for c, ok in sorted(found.items())]


def calibration(items: list[Item], verdicts: list[ClaimVerdict]) -> list[str]:
    lines = []
    for low, high in ((0.0, 0.55), (0.55, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.01)):
        inside = [
            three_way(v.relation) == gold
            for (_, gold, _, _), v in zip(items, verdicts, strict=True)
            if low <= v.confidence < high
        ]  # fmt: skip
        share = f"{100 * sum(inside) / len(inside):.0f} %" if inside else "none"
        lines.append(f"| {low:.2f} to {min(high, 1):.2f} | {len(inside)} | {share} |")
    return lines


def report(judges: dict[str, Judge], files: list[Path]) -> list[str]:
    lines = ["| set | pairs | judge | right | opposite | right when confident | confident |"]
    lines.append("|---|---|---|---|---|---|---|")
    detail: list[str] = []
    for path in files:
        items = pairs_of(path)
        for name, compare in judges.items():
            verdicts = compare([(a, b) for _, _, a, b in items])
            lines.append(row(path.stem, name, scores(items, verdicts)))
            if name == "semantic" and path in (OPEN, *HELD_OUT):
                detail += in_detail(path.stem, items, verdicts)
    return lines + detail


def in_detail(name: str, items: list[Item], verdicts: list[ClaimVerdict]) -> list[str]:
    head = ["", f"`semantic` on {name}, by category:", "", "| category | right |", "|---|---|"]
    table = ["", "Calibration there:", "", "| confidence | pairs | right |", "|---|---|---|"]
    return [*head, *by_category(items, verdicts), *table, *calibration(items, verdicts)]


def seconds(model: Semantics) -> dict[str, float]:
    """Processor time of a round's analysis, the model loaded."""
    text = "We should build the new library in the old harbour because land is cheap there. "
    words = [f"Panelist {i} says: {text}" * 40 for i in range(8)]
    rounds = {
        "8 answers of 2,000 characters": [w[:2000] for w in words],
        "4 short positions": [w[:90] for w in words[:4]],
    }
    found = {}
    for name, answers in rounds.items():
        pairs = [(a, b) for i, a in enumerate(answers) for b in answers[:i]]
        began = process_time()
        model.compare_all(pairs)
        found[name] = process_time() - began
    return found


def judges_here(model: Semantics) -> dict[str, Judge]:
    """Those that can be measured here."""
    found: dict[str, Judge] = {"rules": rules, "semantic": model.compare_all}
    if folder := os.environ.get("MINILM"):
        found["cosine"] = cosine(Path(folder))
    else:
        print("SKIPPED: cosine; MINILM names no folder with MiniLM's weights", file=sys.stderr)
    return found


def files_here() -> list[Path]:
    """The sets of pairs that are there, the yardstick first."""
    if SHARED.exists():
        return [OPEN, *OWN, *sorted(SHARED.glob("test-*.tsv"))]
    print(f"SKIPPED: no pairs in {SHARED}; only our own are measured", file=sys.stderr)
    return OWN


def measure(table: Table) -> None:
    """The goals of the agreement model, and all figures as a table of their own."""
    model = Semantics.load()
    files = files_here()
    for path in [f for f in files if f in (OPEN, *HELD_OUT)]:
        items = pairs_of(path)
        found = scores(items, model.compare_all([(a, b) for _, _, a, b in items]))
        name = f"agreement, {path.stem}"
        table.add(f"{name}: wrong", 100 * (1 - found["right"]), 30, "%")
        table.add(f"{name}: opposite", 100 * found["opposite"], 5, "%")
        wrong = 100 * (1 - found["right when confident"])
        note = f"{100 * found['confident']:.0f} % of pairs"
        table.add(f"{name}: wrong when confident", wrong, 10, "%", note)
    for name, taken in seconds(model).items():
        limit = 3.0 if name.startswith("8") else 0.5
        table.add(f"agreement of {name}", taken, limit, "s")
    print("\n".join(report(judges_here(model), files)), "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--write", action="store_true", help="write the figures into docs/agreement.md"
    )
    options = parser.parse_args()
    model = Semantics.load()
    lines = report(judges_here(model), files_here())
    lines += ["", "Speed on one core:", ""]
    lines += [f"- {n}: {1000 * t:.0f} ms of processor time" for n, t in seconds(model).items()]
    print("\n".join(lines))
    if options.write:
        head = DOC.read_text("utf-8").split("<!-- figures -->")[0]
        DOC.write_text(head + "<!-- figures -->\n\n" + "\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
