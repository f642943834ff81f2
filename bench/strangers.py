"""What is said about real models' answers without closing lines: python -m bench.strangers.

Reads ../shared/datasets/simpleqa-open.jsonl: short factual questions with the free-text answers of
up to 20 set-ups. Two right answers agree, a right and a wrong one disagree, two wrong ones are not
judged. The rules were tuned on the questions at even places; those at odd places were held out.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from bench.report import Table
from mutual_dissent.analysis.bottom_lines import Judge, Verdict, compare_lines, takes_no_position

ANSWERS = Path(__file__).parents[2] / "shared" / "datasets" / "simpleqa-open.jsonl"
_YEAR = re.compile(r"\b\d{4}\b")
PANELS = 40  # random panels a question
Answers = dict[str, tuple[str, str]]  # seat -> text, grade


@dataclass(frozen=True)
class Question:
    """A question with its true answer and what the set-ups answered."""

    text: str
    truth: str
    answers: Answers

    def is_misgraded(self, who: str) -> bool:
        """Whether an answer was graded wrong though it has every word of the truth."""
        text, grade = self.answers[who]
        truth = set(re.findall(r"\w+", self.truth.casefold()))
        if re.search(r"\b(?:what|which|the) year\b", self.text) and (
            year := _YEAR.search(self.truth)
        ):
            truth = {year.group()}
        return grade == "wrong" and truth <= set(re.findall(r"\w+", text.casefold()))


@dataclass
class Figures:
    """Counts over pairs, answers and panels; shares are read off as properties."""

    pairs: int = 0
    decided: int = 0
    right: int = 0
    opposite: int = 0
    refusals: int = 0
    refusals_seen: int = 0
    attempts: int = 0
    attempts_refused: int = 0
    panels: int = 0
    false_unanimity: int = 0
    misgraded_unanimity: int = 0  # all agree, but the one graded wrong says the truth

    @property
    def shares(self) -> dict[str, float]:
        """The figures that have a goal, as shares."""
        return {
            "decided": self.decided / max(1, self.pairs),
            "right of decided": self.right / max(1, self.decided),
            "the wrong way round": self.opposite / max(1, self.pairs),
            "refusals recognised": self.refusals_seen / max(1, self.refusals),
            "answers taken for refusals": self.attempts_refused / max(1, self.attempts),
        }


def questions(half: int | None = None) -> list[Question]:
    """The questions with their graded answers; of one half of them, 0 for even places."""
    rows = [json.loads(line) for line in ANSWERS.read_text("utf-8").splitlines()]
    kept = [row for place, row in enumerate(rows) if half is None or place % 2 == half]
    return [
        Question(
            row["question"],
            row["truth"],
            {w: (a["text"], a["grade"]) for w, a in row["answers"].items()},
        )
        for row in kept
    ]


def gold(a: str, b: str) -> str | None:
    """What two grades mean for a pair; None where the grades do not tell."""
    if {a, b} == {"right"}:
        return "agree"
    return "disagree" if {a, b} == {"right", "wrong"} else None


def figures(half: int | None = None, judge: Judge | None = None) -> Figures:
    """All figures on one half of the questions, or on all."""
    found = Figures()
    for question in questions(half):
        answers = question.answers
        taken = {who: text for who, (text, _) in answers.items() if not takes_no_position(text)}
        verdicts = compare_lines(taken, question.text, judge)
        count_answers(found, answers, taken)
        count_pairs(found, answers, verdicts)
        for panel in panels(question):
            found.panels += 1
            seats = tuple(who for who in panel if who in taken)
            if falsely_unanimous(seats, question, verdicts):
                misgraded = any(question.is_misgraded(who) for who in seats)
                found.misgraded_unanimity += misgraded
                found.false_unanimity += not misgraded
    return found


def count_answers(found: Figures, answers: Answers, taken: dict[str, str]) -> None:
    for who, (_, grade) in answers.items():
        if grade == "not attempted":
            found.refusals += 1
            found.refusals_seen += who not in taken
        else:
            found.attempts += 1
            found.attempts_refused += who not in taken


def count_pairs(found: Figures, answers: Answers, verdicts: dict[tuple[str, str], Verdict]) -> None:
    for a, b in combinations(sorted(answers), 2):
        truth = gold(answers[a][1], answers[b][1])
        if truth is None:
            continue
        found.pairs += 1
        if said := verdicts.get((a, b)):
            found.decided += 1
            found.right += said.relation == truth
            found.opposite += {said.relation, truth} == {"agree", "disagree"}


def panels(question: Question) -> Iterator[tuple[str, ...]]:
    """The whole panel, and random ones of four or five; the same in every run."""
    seats = sorted(question.answers)
    yield tuple(seats)
    dice = random.Random(question.text)
    for _ in range(PANELS):
        yield tuple(sorted(dice.sample(seats, dice.choice((4, 5)))))


def falsely_unanimous(
    seats: tuple[str, ...], question: Question, verdicts: dict[tuple[str, str], Verdict]
) -> bool:
    """Whether all who take a position are said to agree though some are right and some wrong."""
    if not {"right", "wrong"} <= {question.answers[who][1] for who in seats}:
        return False
    said = [verdicts.get(pair) for pair in combinations(seats, 2)]
    return all(v is not None and v.relation == "agree" for v in said)


def semantic() -> Judge | None:
    """The embedded model, if numpy is here."""
    try:
        from mutual_dissent.semantics import Semantics

        return Semantics.load().compare
    except ImportError:
        return None


def row(name: str, found: Figures) -> str:
    cells = " | ".join(f"{100 * share:.1f} %" for share in found.shares.values())
    return (
        f"| {name} | {found.pairs} | {cells} | {found.false_unanimity} + "
        f"{found.misgraded_unanimity} of {found.panels} |"
    )


def report() -> list[str]:
    head = ["half", "pairs", *Figures().shares, "falsely unanimous panels + misgraded ones"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    judge = semantic()
    for name, half in (("tuned on (even places)", 0), ("held out (odd places)", 1)):
        lines.append(row(f"{name}, by value", figures(half)))
        if judge:
            lines.append(row(f"{name}, with the embedded model", figures(half, judge)))
    return lines


def measure(table: Table) -> None:
    """The goals on strangers' answers, all questions."""
    if not ANSWERS.exists():
        print(f"SKIPPED: no answers in {ANSWERS.parent}", file=sys.stderr)
        return
    found = figures(None, semantic())
    shares = found.shares
    table.add("strangers: undecided pairs", 100 * (1 - shares["decided"]), 55, "%")
    table.add("strangers: wrong when decided", 100 * (1 - shares["right of decided"]), 10, "%")
    table.add("strangers: the wrong way round", 100 * shares["the wrong way round"], 2, "%")
    table.add("strangers: refusals missed", 100 * (1 - shares["refusals recognised"]), 10, "%")
    refused = 100 * shares["answers taken for refusals"]
    table.add("strangers: answers taken for refusals", refused, 3, "%")
    table.add("strangers: falsely unanimous panels", found.false_unanimity, 0, "panels")


def main() -> None:
    if not ANSWERS.exists():
        sys.exit(f"SKIPPED: no answers in {ANSWERS.parent}")
    print("\n".join(report()))


if __name__ == "__main__":
    main()
