"""Short factual answers in free text (SimpleQA): does the table for numbers hold for them?"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evidence_panels import (
    calibration_error,
    of_different_vendors,
    share_right,
    splits,
)

from mutual_dissent.analysis.scores.chance_table import Table
from mutual_dissent.experiments.recordings.rules import RecordedAnswers, lines_of
from mutual_dissent.experiments.statistics.intervals import Interval

FILE = "simpleqa-open.jsonl"
KINDS = {
    "Date": "dates",
    "Number": "numbers",
    "Person": "names",
    "Place": "names",
    "Other": "names",
}
SETUPS = {
    "from memory": {
        "claude-3.5-sonnet": "Anthropic", "gpt-4o": "OpenAI", "gpt-4o-mini": "OpenAI",
        "gemini-v1.5-pro": "Google", "gemini-v1.5-flash": "Google",
        "llama31-405b": "Meta", "llama31-70b": "Meta",
    },
    "with web search": {
        "claude-3.5-sonnet-agent": "Anthropic", "gpt-4o-agent": "OpenAI",
        "gpt-4o-mini-agent": "OpenAI", "gemini-v1.5-pro-agent": "Google",
        "llama31-405b-agent": "Meta", "llama31-70b-agent": "Meta",
    },
}  # fmt: skip
"""The same models, once alone and once as agents that may search."""

PANEL = 3
_BOLD = re.compile(r"\*\*(.{1,80}?)\*\*")
_NUMBER = re.compile(r"\d[\d,]{0,20}(?:\.\d{1,10})?")
_NAME = re.compile(r"\b[A-Z][\w'-]{2,40}")


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Panels of three that answered questions of one kind.

    Attributes:
        all_agree: how often they were right where all three agree; None where they never did.
        two_agree: the same where two do.
        error: how far the table for numbers is off.
    """

    setup: str
    kind: str
    questions: int
    all_agree: Interval | None
    two_agree: Interval | None
    error: Interval


def facts(folder: Path, made: Table) -> list[Facts]:
    """What panels of three were worth on factual questions, by kind and set-up."""
    rows = list(lines_of(folder / FILE))
    return [
        found
        for setup, vendors in SETUPS.items()
        for kind in dict.fromkeys(KINDS.values())
        if (
            found := _facts(
                [r for r in rows if KINDS[r["kind"]] == kind], kind, setup, vendors, made
            )
        )
    ]


def _facts(
    rows: Sequence[Mapping[str, Any]],
    kind: str,
    setup: str,
    vendors: Mapping[str, str],
    made: Table,
) -> Facts | None:
    split = splits(
        [_answered(r, kind, vendors) for r in rows], of_different_vendors(vendors, PANEL)
    )

    def said(panel: int, leading: int) -> float:
        return made.entries["number", panel, leading].share

    found = calibration_error(said, split, PANEL)
    if found is None:
        return None
    return Facts(
        setup=setup,
        kind=kind,
        questions=found[1],
        all_agree=share_right(split, PANEL, 3),
        two_agree=share_right(split, PANEL, 2),
        error=found[0],
    )


def _answered(row: Mapping[str, Any], kind: str, vendors: Mapping[str, str]) -> RecordedAnswers:
    """All right answers are one, wrong ones are told apart by what they add to the question."""
    graded = {m: row["answers"].get(m) or {"grade": "not attempted"} for m in vendors}
    right = {m: a["grade"] == "right" for m, a in graded.items()}
    answers = {m: "right" if right[m] else _value(a, kind, row["question"], m)
               for m, a in graded.items()}  # fmt: skip
    return RecordedAnswers(
        id=row["id"],
        question=row["question"],
        truth=row["truth"],
        answers=answers,
        right=right,
        solutions={},
    )


def _value(graded: Mapping[str, Any], kind: str, question: str, model: str) -> str | None:
    if graded["grade"] != "wrong":
        return None
    known = set(re.findall(r"\w+", question.casefold()))
    shape = _NAME if kind == "names" else _NUMBER
    for text in _places(graded["text"]):
        words = [w.casefold().replace(",", "") for w in shape.findall(text)]
        if new := [w for w in words if w not in known]:
            return " ".join(new[:1] if kind == "numbers" else sorted(set(new[:3])))
    return f"only {model}"


def _places(text: str) -> Iterator[str]:
    """What is set in bold first, then the first sentence, then the rest."""
    yield from _BOLD.findall(text[:2_000])
    yield text.partition(". ")[0][:300]
    yield text[:600]
