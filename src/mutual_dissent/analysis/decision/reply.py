"""Parse what a panelist says of options and criteria. Nothing is invented."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from mutual_dissent.core.form import Form
from mutual_dissent.core.values.matrix import BEST, WORST, Criterion, Matrix, OptionScore

MOST_NAME, MOST_REASON, MOST_ROWS = 80, 200, 200
MOST_WEIGHT = 10.0


def matrix_in(reply: Mapping[str, Any], form: Form) -> Matrix | None:
    """The options, criteria and scores of a reply; None if it has none that can be read."""
    weights = reply.get("criteria" if form.options else "weights")
    scores = tuple(_scores(reply.get("scores"))) if form.scores else ()
    found = Matrix(
        options=tuple(_names(reply.get("options"))) if form.options else (),
        criteria=tuple(_criteria(weights)),
        scores=scores,
        same=tuple(_same(reply.get("same"))) if form.scores else (),
    )
    return found if found.options or found.criteria or found.scores else None


def _names(value: object) -> Iterator[str]:
    """Names of a list, each once; an object among them has its name in a field."""
    listed = value[:MOST_ROWS] if isinstance(value, list) else []
    names = (_name(v.get("name") or v.get("option") if isinstance(v, dict) else v) for v in listed)
    yield from dict.fromkeys(filter(None, names))


def _criteria(value: object) -> Iterator[Criterion]:
    """Criteria with a weight that can be read; a bare name counts as much as the middle one."""
    listed = value[:MOST_ROWS] if isinstance(value, list) else []
    bare = ({"name": v, "weight": MOST_WEIGHT / 2} if isinstance(v, str) else v for v in listed)
    for row in (v for v in bare if isinstance(v, dict)):
        name = _name(row.get("name") or row.get("criterion"))
        weight = _number(row.get("weight"))
        if name and weight is not None and 0 <= weight <= 100:
            yield Criterion(name=name, weight=weight)


def _scores(value: object) -> Iterator[OptionScore]:
    for row in value[:MOST_ROWS] if isinstance(value, list) else []:
        if not isinstance(row, dict):
            continue
        option, criterion = _name(row.get("option")), _name(row.get("criterion"))
        score = _number(row.get("score"))
        if option and criterion and score is not None and WORST <= score <= BEST:
            reason = " ".join(str(row.get("reason") or "").split())[:MOST_REASON]
            yield OptionScore(option=option, criterion=criterion, score=round(score), reason=reason)


def _same(value: object) -> Iterator[tuple[str, str]]:
    for row in value[:MOST_ROWS] if isinstance(value, list) else []:
        if isinstance(row, dict):
            one, other = _name(row.get("label")), _name(row.get("same_as"))
            if one and other and one != other:
                yield one, other


def _name(value: object) -> str:
    return " ".join(value.split())[:MOST_NAME].strip(" .") if isinstance(value, str) else ""


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None
