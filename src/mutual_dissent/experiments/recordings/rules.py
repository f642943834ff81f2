"""Recorded answers, verdicts and reviews, with what is known to be right.

Three shapes are read, one JSON object a line: answers of several models to questions with a known
answer (`question`, `truth`, `answers`), verdicts of several judges on pairs with a known better one
(`label`, `verdicts`), and reviews of changes with known defects (`defects`, `reviews`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from mutual_dissent.analysis.answers.short_answers import normalise_answer
from mutual_dissent.analysis.scores.juries import (
    Case,
    accuracy,
    cross_validate,
    judge_accuracy,
    log_odds,
    one_coin,
    verdict,
)
from mutual_dissent.analysis.scores.weights import standings
from mutual_dissent.core.errors import BadInput, UnknownName, clip
from mutual_dissent.experiments.design.queries import read_bounded

WEIGHTED = "rule weighted, learnt in 5 folds"
SIGN = {"1": 1, "2": -1, "A": 1, "B": -1}
FEW = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAnswers:
    """A question with each model's answer and whether that was right."""

    id: str
    question: str
    truth: str
    answers: Mapping[str, str | None]
    right: Mapping[str, bool]
    solutions: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedVerdicts:
    """Pairs of one kind, under one style of prompt, with the known better one of each."""

    name: str
    cases: tuple[Case, ...]
    truths: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewFinding:
    """A reviewer's finding, and the known defect that it is, if it is one."""

    text: str
    defect: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """A change with its known defects, and each reviewer's findings."""

    id: str
    defects: tuple[str, ...]
    reviews: Mapping[str, tuple[ReviewFinding, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAccuracy:
    """A rule of decision, and how often it is right."""

    name: str
    right: float
    cases: int


Recorded = list[RecordedAnswers] | list[RecordedVerdicts] | list[Reviewed]


def read_recorded(path: Path) -> Recorded:
    """Read the content of a file.

    Raises:
        BadInput: if it has none of the three shapes.
    """
    rows = list(lines_of(path))
    if rows and isinstance(rows[0].get("answers"), dict):
        return _all_answered(rows, path)
    if rows and isinstance(rows[0].get("verdicts"), dict):
        return _verdicts(rows, path)
    if rows and isinstance(rows[0].get("reviews"), dict):
        return [_reviewed(r, f"{path}, line {i}", i) for i, r in enumerate(rows, 1)]
    raise BadInput(
        f"{path} holds no recorded answers: a line has `answers` (model -> answer) and `truth`, "
        "or `verdicts` (style -> judge -> verdicts) and `label`, "
        "or `reviews` (reviewer -> findings) and `defects`"
    )


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a file, one a line.

    Raises:
        BadInput: naming the line that is not one.
    """
    for number, line in enumerate(read_bounded(path).splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            raise BadInput(f"{path}, line {number}: not a JSON object on one line") from None
        if not isinstance(row, dict):
            raise BadInput(f"{path}, line {number}: a JSON object is expected")
        yield row


def _all_answered(rows: Sequence[Mapping[str, Any]], path: Path) -> list[RecordedAnswers]:
    items = [_answered(r, f"{path}, line {i}", i) for i, r in enumerate(rows, 1)]
    if not any(a for item in items for a in item.answers.values()):
        raise BadInput(f"{path} has no short answers that could be compared (`answer`)")
    return items


def _answered(row: Mapping[str, Any], where: str, number: int) -> RecordedAnswers:
    # A line: {"item": 7, "truth": "18", "answers": {"gpt": "18", "claude": {"answer": "20"}}}
    answers_given = row.get("answers")
    truth = row.get("truth", row.get("answer"))
    if not isinstance(answers_given, dict) or truth is None:
        raise BadInput(f"{where}: `answers` and `truth` are expected")
    fields = {m: a if isinstance(a, dict) else {"answer": a} for m, a in answers_given.items()}
    answers = {m: None if a.get("answer") is None else str(a["answer"]) for m, a in fields.items()}
    return RecordedAnswers(
        id=str(row.get("item", row.get("id", number))),
        question=str(row.get("question") or row.get("query") or ""),
        truth=str(truth),
        answers=answers,
        right={m: _is_right(fields[m], answers[m], str(truth)) for m in fields},
        solutions={m: str(a.get("solution") or a.get("answer") or "") for m, a in fields.items()},
    )


def _is_right(said: Mapping[str, Any], answer: str | None, truth: str) -> bool:
    if isinstance(said.get("correct"), bool):
        return bool(said["correct"])
    return answer is not None and normalise_answer(answer) == normalise_answer(truth)


def _reviewed(row: Mapping[str, Any], where: str, number: int) -> Reviewed:
    # A line: {"defects": ["D1"], "reviews": {"gpt": [{"text": "Off by one.", "defect": "D1"}]}}
    defects, reviews = row.get("defects"), row.get("reviews")
    if not isinstance(defects, list) or not isinstance(reviews, dict):
        raise BadInput(f"{where}: `defects` and `reviews` are expected")
    ids = tuple(str(d.get("id") if isinstance(d, dict) else d) for d in defects)
    return Reviewed(
        id=str(row.get("item", row.get("id", number))),
        defects=ids,
        reviews={who: tuple(_findings(said, where, who, ids)) for who, said in reviews.items()},
    )


def _findings(said: Any, where: str, who: str, ids: Sequence[str]) -> Iterator[ReviewFinding]:
    for one in said if isinstance(said, list) else [None]:
        if not isinstance(one, dict):
            raise BadInput(f"{where}: what {clip(who)} found is a list of `text` and `defect`")
        defect = one.get("defect")
        if defect is not None and str(defect) not in ids:
            raise BadInput(f"{where}: {clip(who)} found {clip(str(defect))}, which is no defect")
        yield ReviewFinding(
            text=str(one.get("text") or ""), defect=None if defect is None else str(defect)
        )


def _verdicts(rows: Iterable[Mapping[str, Any]], path: Path) -> list[RecordedVerdicts]:
    cases: dict[str, tuple[list[Case], list[int]]] = {}
    for number, row in enumerate(rows, 1):
        # {"subset": "Adversarial/Manual", "label": 1, "verdicts": {"plain": {"gpt": [1, 2]}}}: each
        # judge has read both orders.
        subset = str(row.get("subset") or "all").partition("/")[0]
        for style, judges in _judged(row, f"{path}, line {number}"):
            found = cases.setdefault(f"{subset}, {style}", ([], []))
            # Anything else than 1 or 2 is a tie.
            case = {j: [SIGN.get(str(v), 0) for v in said] for j, said in judges.items()}
            if found[0] and case.keys() != found[0][0].keys():
                known = ", ".join(found[0][0])
                raise BadInput(
                    f"{path}, line {number}: not the judges of the lines before: {known}"
                )
            found[0].append(case)
            found[1].append(SIGN.get(str(row.get("label")), 0))
    return [
        RecordedVerdicts(name=n, cases=tuple(c), truths=tuple(t)) for n, (c, t) in cases.items()
    ]


def _judged(row: Mapping[str, Any], where: str) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """Yield every style of a line, with each judge's verdicts in it."""
    styles = row.get("verdicts")
    for style, judges in styles.items() if isinstance(styles, dict) else [("", None)]:
        if not isinstance(judges, dict) or not judges:
            raise BadInput(f"{where}: `verdicts` is a table of styles, each of judges")
        for judge, said in judges.items():
            if not isinstance(said, list) or not said:
                raise BadInput(f"{where}: what {clip(judge)} said is a list of verdicts, 1 or 2")
        yield style, judges


def weighted_verdicts(found: RecordedVerdicts) -> list[int]:
    """Return the verdicts by the program's own rule `weighted`, in five folds."""

    def learn(cases: Sequence[Case], truths: Sequence[int]) -> dict[str, float]:
        counts = {j: sum(len(case[j]) for case in cases) for j in (cases[0] if cases else ())}
        tallies = {j: (judge_accuracy(cases, truths, j) * n, n) for j, n in counts.items()}
        return {j: s.weight for j, s in standings(tallies, "yes_no").items()}

    return cross_validate(found.cases, found.truths, learn)


def rules_of_verdicts(found: RecordedVerdicts, some: Sequence[str] = ()) -> list[RuleAccuracy]:
    """Return how often each judge and each rule of combining them is right.

    Args:
        found: the pairs and the verdicts on them.
        some: judges whose majority is shown, too; by default the first three of the file.

    Raises:
        UserError: if one of them did not judge.
    """
    cases, truths, n = found.cases, found.truths, len(found.cases)
    judges = list(cases[0])
    for judge in some:
        if judge not in judges:
            raise UnknownName("judge", judge, judges)
    rules = [
        RuleAccuracy(
            name=f"{j} alone, both orders", right=judge_accuracy(cases, truths, j), cases=n
        )
        for j in judges
    ]
    best = max(rules, key=lambda r: r.right).name.removesuffix(" alone, both orders")

    def majority(orders: int, of: Sequence[str] = judges) -> float:
        return accuracy([verdict({j: c[j][:orders] for j in of}) for c in cases], truths)

    few = list(some) or judges[:FEW]
    clipped = cross_validate(cases, truths, lambda c, t: log_odds(c, t, clip=True))
    combined = {
        "majority, one order": majority(1),
        "majority, both orders": majority(2),
        **({f"majority of {', '.join(few)}": majority(2, few)} if few != judges else {}),
        f"majority without {best}": majority(2, [j for j in judges if j != best]),
        "weights learnt from labels (5 folds)": accuracy(cross_validate(cases, truths), truths),
        "the same, clipped at zero": accuracy(clipped, truths),
        WEIGHTED: accuracy(weighted_verdicts(found), truths),
        "weights without labels (one-coin Dawid-Skene)": accuracy(one_coin(cases), truths),
    }
    return [*rules, *(RuleAccuracy(name=k, right=v, cases=n) for k, v in combined.items())]
