"""Recorded answers and verdicts: decision rules compared without asking anybody.

Two shapes are read, one JSON object a line: answers of several models to questions with a known
answer (`question`, `truth`, `answers`), and verdicts of several judges on pairs with a known better
one (`label`, `verdicts`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from mutual_dissent.analysis.answers import largest, normalised, plurality
from mutual_dissent.analysis.juries import (
    Case,
    accuracy,
    cross_validated,
    judge_accuracy,
    log_odds,
    one_coin,
    verdict,
)
from mutual_dissent.core.errors import BadInput, UnknownName, clip
from mutual_dissent.experiments.design import SINGLE, VOTE
from mutual_dissent.experiments.queries import MOST_BYTES
from mutual_dissent.experiments.results import Result, Took

SIGN = {"1": 1, "2": -1, "A": 1, "B": -1}
FEW = 3
FREE = Took(cost_usd=0.0, tokens=0, calls=0, seconds=0.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question with what each model answered and whether that was right."""

    id: str
    question: str
    truth: str
    answers: Mapping[str, str | None]
    right: Mapping[str, bool]
    solutions: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """Pairs of one kind, under one style of prompt, with the known better one of each."""

    name: str
    cases: tuple[Case, ...]
    truths: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How often a rule of decision is right."""

    name: str
    right: float
    cases: int


def read_recorded(path: Path) -> list[Answered] | list[Verdicts]:
    """What a file holds.

    Raises:
        BadInput: if it is neither of the two shapes.
    """
    rows = list(lines_of(path))
    if rows and isinstance(rows[0].get("answers"), dict):
        return [_answered(r, f"{path}, line {i}", i) for i, r in enumerate(rows, 1)]
    if rows and isinstance(rows[0].get("verdicts"), dict):
        return _verdicts(rows, path)
    raise BadInput(
        f"{path} holds no recorded answers: a line has `answers` (model -> answer) and `truth`, "
        "or `verdicts` (style -> judge -> verdicts) and `label`"
    )


def lines_of(path: Path) -> Iterator[dict[str, Any]]:
    """The JSON objects of a file, one a line.

    Raises:
        BadInput: naming the line that is none.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadInput(f"{path} is larger than {MOST_BYTES:,} bytes; split it")
        raw = path.read_bytes()
    except OSError as e:
        raise BadInput(f"{path} cannot be read: {e.strerror}") from None
    for number, line in enumerate(raw.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            raise BadInput(f"{path}, line {number}: not a JSON object on one line") from None
        if not isinstance(row, dict):
            raise BadInput(f"{path}, line {number}: a JSON object is expected")
        yield row


def _answered(row: Mapping[str, Any], where: str, number: int) -> Answered:
    given = row.get("answers")
    truth = row.get("truth", row.get("answer"))
    if not isinstance(given, dict) or truth is None:
        raise BadInput(f"{where}: `answers` and `truth` are expected")
    said = {m: a if isinstance(a, dict) else {"answer": a} for m, a in given.items()}
    answers = {m: None if a.get("answer") is None else str(a["answer"]) for m, a in said.items()}
    return Answered(
        id=str(row.get("item", row.get("id", number))),
        question=str(row.get("question") or row.get("query") or ""),
        truth=str(truth),
        answers=answers,
        right={m: _is_right(said[m], answers[m], str(truth)) for m in said},
        solutions={m: str(a.get("solution") or a.get("answer") or "") for m, a in said.items()},
    )


def _is_right(said: Mapping[str, Any], answer: str | None, truth: str) -> bool:
    if isinstance(said.get("correct"), bool):
        return bool(said["correct"])
    return answer is not None and normalised(answer) == normalised(truth)


def _verdicts(rows: Iterable[Mapping[str, Any]], path: Path) -> list[Verdicts]:
    cases: dict[str, tuple[list[Case], list[int]]] = {}
    for number, row in enumerate(rows, 1):
        subset = str(row.get("subset") or "all").partition("/")[0]
        for style, judges in _judged(row, f"{path}, line {number}"):
            found = cases.setdefault(f"{subset}, {style}", ([], []))
            case = {j: [SIGN.get(str(v), 0) for v in said] for j, said in judges.items()}
            if found[0] and case.keys() != found[0][0].keys():
                known = ", ".join(found[0][0])
                raise BadInput(
                    f"{path}, line {number}: not the judges of the lines before: {known}"
                )
            found[0].append(case)
            found[1].append(SIGN.get(str(row.get("label")), 0))
    return [Verdicts(name=n, cases=tuple(c), truths=tuple(t)) for n, (c, t) in cases.items()]


def _judged(row: Mapping[str, Any], where: str) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """Every style of a line, with what each judge said in it."""
    styles = row.get("verdicts")
    for style, judges in styles.items() if isinstance(styles, dict) else [("", None)]:
        if not isinstance(judges, dict) or not judges:
            raise BadInput(f"{where}: `verdicts` is a table of styles, each of judges")
        for judge, said in judges.items():
            if not isinstance(said, list) or not said:
                raise BadInput(f"{where}: what {clip(judge)} said is a list of verdicts, 1 or 2")
        yield style, judges


def by_trust(items: Sequence[Answered]) -> list[str]:
    """The models, the one that is right most often first."""
    models = list(items[0].answers)
    return sorted(models, key=lambda m: -sum(i.right.get(m, False) for i in items))


def _said(item: Answered) -> dict[str, str]:
    """Model -> its answer as it stands; that none was found is an answer of its own."""
    return {m: a or "no answer" for m, a in item.answers.items()}


def _voted(item: Answered, trusted: Sequence[str]) -> str | None:
    """Whose answer wins a vote; ties go to the most trusted."""
    return plurality(_said(item), trusted, str).by


def as_results(items: Sequence[Answered]) -> Iterator[Result]:
    """Recorded answers as results: each model alone, and the vote with ties to the best model."""
    trusted = by_trust(items)
    for item in items:
        for model, answer in item.answers.items():
            yield Result(
                condition=f"single {model}", way=SINGLE, query=item.id, repeat=0, answer=answer,
                right=item.right[model], score=None, took=FREE,
            )  # fmt: skip
        by = _voted(item, trusted)
        yield Result(
            condition="vote of all", way=VOTE, query=item.id, repeat=0,
            answer=item.answers[by] if by else None, right=_won(item, by), score=None,
            took=Took(cost_usd=0.0, tokens=0, calls=len(item.answers), seconds=0.0),
            cluster=largest(_said(item), str) / len(item.answers),
        )  # fmt: skip


def _won(item: Answered, by: str | None) -> bool:
    return by is not None and item.right[by]


def rules_of_answers(items: Sequence[Answered]) -> list[Rule]:
    """How far each model, the vote and an oracle come."""
    n, trusted = len(items), by_trust(items)
    rules = [
        Rule(name=f"{m} alone", right=sum(i.right[m] for i in items) / n, cases=n)
        for m in items[0].answers
    ]
    voted = [_won(i, _voted(i, trusted)) for i in items]
    rules.append(Rule(name="vote, ties to the best model", right=sum(voted) / n, cases=n))
    oracle = sum(any(i.right.values()) for i in items) / n
    rules.append(Rule(name="oracle: right if anybody is", right=oracle, cases=n))
    return rules


def by_cluster(items: Sequence[Answered]) -> dict[int, tuple[int, int]]:
    """Size of the largest cluster -> how many of its votes are right, and how many there are.

    Between clusters of the same size the first model of the file decides, so that a table does not
    profit from knowing the best one; where nobody agrees, the best model's answer is taken.
    """
    best = by_trust(items)[0]
    found: dict[int, tuple[int, int]] = {}
    for item in items:
        size = largest(_said(item), str)
        right = _won(item, plurality(_said(item), same=str).by if size > 1 else best)
        were = found.get(size, (0, 0))
        found[size] = (were[0] + right, were[1] + 1)
    return dict(sorted(found.items(), reverse=True))


def rules_of_verdicts(found: Verdicts, some: Sequence[str] = ()) -> list[Rule]:
    """How far each judge and each rule of combining them comes.

    Args:
        found: the pairs and what was said of them.
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
        Rule(name=f"{j} alone, both orders", right=judge_accuracy(cases, truths, j), cases=n)
        for j in judges
    ]
    best = max(rules, key=lambda r: r.right).name.removesuffix(" alone, both orders")

    def majority(orders: int, of: Sequence[str] = judges) -> float:
        return accuracy([verdict({j: c[j][:orders] for j in of}) for c in cases], truths)

    few = list(some) or judges[:FEW]
    clipped = cross_validated(cases, truths, lambda c, t: log_odds(c, t, clip=True))
    combined = {
        "majority, one order": majority(1),
        "majority, both orders": majority(2),
        **({f"majority of {', '.join(few)}": majority(2, few)} if few != judges else {}),
        f"majority without {best}": majority(2, [j for j in judges if j != best]),
        "weights learnt from labels (5 folds)": accuracy(cross_validated(cases, truths), truths),
        "the same, clipped at zero": accuracy(clipped, truths),
        "weights without labels (one-coin Dawid-Skene)": accuracy(one_coin(cases), truths),
    }
    return [*rules, *(Rule(name=k, right=v, cases=n) for k, v in combined.items())]
