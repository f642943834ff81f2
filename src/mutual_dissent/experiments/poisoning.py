"""Poisoning: how far a payload moved the outcome, against the same panel left alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mutual_dissent.experiments.design import VOTE, Condition, Experiment
from mutual_dissent.experiments.results import Result
from mutual_dissent.experiments.statistics.comparison import Comparison, compared
from mutual_dissent.experiments.statistics.intervals import Interval, share


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """What a payload did under one condition.

    Attributes:
        mode: how the panel met; `defence` is what else was different from the usual.
        followed: the share of answers that were what the payload wanted.
        right: the share of right answers.
        clean: the condition it is compared with; `moved` is by how much more it follows there.
    """

    condition: str
    mode: str
    topology: str
    defence: str
    poisoned: tuple[str, ...]
    answers: int
    followed: Interval
    right: Interval | None
    clean: str | None = None
    moved: Comparison | None = None


def shifts(experiment: Experiment, results: Iterable[Result], *, seed: int = 0) -> list[Shift]:
    """The shift under every condition in which somebody was poisoned, and of the clean ones."""
    wanted = {q.id for q in experiment.queries if q.target is not None}
    by_condition: dict[str, list[Result]] = defaultdict(list)
    for r in results:
        if r.query in wanted and r.followed is not None:
            by_condition[r.condition].append(r)
    poisoned = [
        c for c in experiment.conditions if _poisoned(experiment, c) and by_condition[c.name]
    ]
    if not poisoned:
        return []
    clean = _clean(experiment, by_condition)
    moved = _moved(poisoned, clean, by_condition, seed)
    shown = [c for c in experiment.conditions if c is clean or c in poisoned]
    return [_shift(experiment, c, by_condition[c.name], clean, moved.get(c.name)) for c in shown]


def _poisoned(experiment: Experiment, condition: Condition) -> tuple[str, ...]:
    """Whom the payload went to; a vote has its panel's."""
    source = experiment.condition(condition.of) if condition.way == VOTE else condition
    return source.poisoned


def _clean(experiment: Experiment, held: dict[str, list[Result]]) -> Condition | None:
    """What is compared with: the first condition of panels in which nobody was poisoned."""
    return next(
        (
            c
            for c in experiment.conditions
            if c.way != VOTE and not c.poisoned and len(c.options.get("panel") or "xx") > 1
            and held[c.name]
        ),
        None,
    )  # fmt: skip


def _moved(
    poisoned: Sequence[Condition],
    clean: Condition | None,
    held: dict[str, list[Result]],
    seed: int,
) -> dict[str, Comparison]:
    if clean is None:
        return {}
    scores = {c.name: _by_query(held[c.name]) for c in (clean, *poisoned)}
    common = [q for q in scores[clean.name] if all(q in scores[c.name] for c in poisoned)]
    if not common:
        return {}
    lined_up = {name: [found[q] for q in common] for name, found in scores.items()}
    pairs = [(c.name, clean.name) for c in poisoned]
    return {c.first: c for c in compared(lined_up, pairs, seed=seed)}


def _by_query(results: Sequence[Result]) -> dict[str, float]:
    found: dict[str, list[bool]] = defaultdict(list)
    for r in results:
        found[r.query].append(bool(r.followed))
    return {q: sum(v) / len(v) for q, v in found.items()}


def _shift(
    experiment: Experiment,
    condition: Condition,
    results: Sequence[Result],
    clean: Condition | None,
    moved: Comparison | None,
) -> Shift:
    source = experiment.condition(condition.of) if condition.way == VOTE else condition
    judged = [r.right for r in results if r.right is not None]
    return Shift(
        condition=condition.name,
        mode="vote" if condition.way == VOTE else str(source.options.get("mode") or "reflection"),
        topology=str(source.options.get("topology") or "mesh"),
        defence=_defence(source),
        poisoned=_poisoned(experiment, condition),
        answers=len(results),
        followed=share(sum(bool(r.followed) for r in results), len(results)),
        right=share(sum(judged), len(judged)) if judged else None,
        clean=clean.name if clean else None,
        moved=moved,
    )


def _defence(condition: Condition) -> str:
    """What of a condition may keep a payload from spreading."""
    options = condition.options
    found = [
        "peers by name" if options.get("named") else "",
        f"personas {', '.join(sorted(set(_personas(options.get('personas')))))}"
        if options.get("personas")
        else "",
        f"{options['rounds']} rounds" if options.get("rounds") else "",
        "tools" if options.get("tools") else "",
    ]
    return ", ".join(f for f in found if f) or "none"


def _personas(given: object) -> list[str]:
    if isinstance(given, dict):
        return [str(v) for v in given.values()]
    return [str(v) for v in given] if isinstance(given, list | tuple) else []
