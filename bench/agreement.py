"""How well `rules`, `semantic` and plain cosine tell agreement: python -m bench.agreement.

Reads the pairs beside the project (../shared/nli) and the tuning pairs in training/. With
`--cosine FOLDER` (the published MiniLM: model.safetensors, vocab.txt) cosine is measured too.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time

from mutual_dissent.analysis.relations import relation
from mutual_dissent.semantics import CONFIDENT, Semantics, Verdict

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "nli"
DOC = ROOT / "docs" / "agreement.md"
GOLD = {"E": "agree", "C": "disagree", "N": "neither"}
GOLD |= {"agree": "agree", "disagree": "disagree", "partial": "neither", "unrelated": "neither"}
Item = tuple[str, str, str, str]  # category, label, a, b
Judge = Callable[[Sequence[tuple[str, str]]], list[Verdict]]
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


def scores(items: list[Item], verdicts: list[Verdict]) -> dict[str, float]:
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


def rules(pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
    """The analyzer `rules`, which needs no model."""
    found = [relation(a, b) for a, b in pairs]
    return [Verdict(v.relation.value, v.confidence, v.reason) for v in found]


def cosine(folder: Path) -> Judge:
    """Mean-pooled MiniLM embeddings with thresholds chosen on the tuning pairs."""
    from bench.embedding import Embedding

    model = Embedding(folder)
    tuning = pairs_of(ROOT / "training" / "tuning.jsonl")
    low, high = model.thresholds([(a, b, gold) for _, gold, a, b in tuning])

    def judged(pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
        found = model.cosines(pairs)
        return [
            Verdict("agree" if c >= high else "disagree" if c >= low else "unrelated", c, "cosine")
            for c in found
        ]

    return judged


def row(name: str, judge_name: str, s: dict[str, float]) -> str:
    figures = " | ".join(f"{100 * s[k]:.0f} %" for k in list(s)[1:])
    return f"| {name} | {s['pairs']} | {judge_name} | {figures} |"


def by_category(items: list[Item], verdicts: list[Verdict]) -> list[str]:
    found: dict[str, list[bool]] = defaultdict(list)
    for (category, gold, _, _), v in zip(items, verdicts, strict=True):
        found[category].append(three_way(v.relation) == gold)
    return [f"| {c} | {sum(ok)} of {len(ok)} |" for c, ok in sorted(found.items())]


def calibration(items: list[Item], verdicts: list[Verdict]) -> list[str]:
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
            if name == "semantic" and path.suffix == ".jsonl" and "open" in path.stem:
                detail += [
                    "",
                    f"`semantic` on {path.stem}, by category:",
                    "",
                    "| category | right |",
                    "|---|---|",
                ]
                detail += by_category(items, verdicts)
                detail += [
                    "",
                    "Calibration there:",
                    "",
                    "| confidence | pairs | right |",
                    "|---|---|---|",
                ]
                detail += calibration(items, verdicts)
    return lines + detail


def speed(model: Semantics) -> list[str]:
    text = "We should build the new library in the old harbour because land is cheap there. "
    words = [f"Panelist {i} says: {text}" * 40 for i in range(8)]
    long = [w[:2000] for w in words]
    rounds = {
        "8 answers of 2,000 characters": long,
        "4 short positions": [w[:90] for w in words[:4]],
    }
    lines = []
    for name, answers in rounds.items():
        pairs = [(a, b) for i, a in enumerate(answers) for b in answers[:i]]
        began = process_time()
        model.compare_all(pairs)
        lines.append(f"- {name}: {1000 * (process_time() - began):.0f} ms of processor time")
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cosine", type=Path)
    parser.add_argument(
        "--write", action="store_true", help="write the figures into docs/agreement.md"
    )
    options = parser.parse_args()
    files = [ROOT / "training" / "tuning.jsonl"]
    if SHARED.exists():
        files = [SHARED / "agreement-open.jsonl", *files, *sorted(SHARED.glob("test-*.tsv"))]
    else:
        print(f"SKIPPED: no pairs in {SHARED}; only the tuning pairs are measured", file=sys.stderr)
    model = Semantics.load()
    judges: dict[str, Judge] = {"rules": rules, "semantic": model.compare_all}
    if options.cosine:
        judges["cosine"] = cosine(options.cosine)
    lines = [*report(judges, files), "", "Speed on one core:", "", *speed(model)]
    print("\n".join(lines))
    if options.write:
        head = DOC.read_text("utf-8").split("<!-- figures -->")[0]
        DOC.write_text(head + "<!-- figures -->\n\n" + "\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
