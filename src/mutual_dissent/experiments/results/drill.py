"""Poisoning: how far a payload moved the outcome, against the same panel left alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from mutual_dissent.experiments.design.experiment import VOTE, Condition, Experiment
from mutual_dissent.experiments.results.results import TrialResult
from mutual_dissent.experiments.results.shares import by_query, enough_read, share_of
from mutual_dissent.experiments.statistics.comparison import Comparison, compare_by_query
from mutual_dissent.experiments.statistics.intervals import Interval, share_by_query


@dataclass(frozen=True, slots=True, kw_only=True)
class PayloadEffect:
    """The effect of a payload under one condition.

    Attributes:
        mode: the mode of the panel; `defence` is what else differs from the clean condition.
        followed: the share of answers that the payload aimed at.
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

    @property
    def shown(self) -> bool:
        """Return whether the payload moved the answer further than chance would explain."""
        return self.moved is not None and self.moved.shown and self.moved.difference.value > 0


def shifts(
    experiment: Experiment, results: Iterable[TrialResult], *, seed: int = 0
) -> list[PayloadEffect]:
    """Return the shift under every condition with a poisoned panelist, and of the clean ones."""
    targeted = {q.id for q in experiment.queries if q.target is not None}
    every: dict[str, list[TrialResult]] = defaultdict(list)
    for r in results:
        if r.query in targeted:
            every[r.condition].append(r)
    by_condition = {n: [r for r in found if r.followed is not None] for n, found in every.items()}
    poisoned = [
        c for c in experiment.conditions if _poisoned(experiment, c) and by_condition.get(c.name)
    ]
    if not poisoned:
        return []
    clean = {c.name: _clean(experiment, c, by_condition) for c in poisoned}
    unread = {name for name, found in every.items() if not enough_read(found)}
    moved = _moved(clean, by_condition, unread, seed)
    used = {name for name in clean.values() if name}
    shown = [c for c in experiment.conditions if c.name in used or c in poisoned]
    return [
        _shift(experiment, c, by_condition[c.name], clean.get(c.name), moved.get(c.name))
        for c in shown
    ]


def _poisoned(experiment: Experiment, condition: Condition) -> tuple[str, ...]:
    """Return the seats that the payload went to; a vote has its panel's."""
    return _source(experiment, condition).poisoned


def _source(experiment: Experiment, condition: Condition) -> Condition:
    return experiment.condition(condition.of) if condition.way == VOTE else condition


def _clean(
    experiment: Experiment, poisoned: Condition, held: Mapping[str, Sequence[TrialResult]]
) -> str | None:
    """Return the unpoisoned condition that is most like this one, to compare it with."""
    mine = _source(experiment, poisoned).options
    likely = [
        c
        for c in experiment.conditions
        if c.way == poisoned.way and not _poisoned(experiment, c) and held.get(c.name)
    ]
    best = max(likely, key=lambda c: _alike(_source(experiment, c).options, mine), default=None)
    return best.name if best else None


def _alike(a: Mapping[str, object], b: Mapping[str, object]) -> tuple[bool, bool, bool, int]:
    same = [a.get(k) == b.get(k) for k in {*a, *b}]
    return (
        a.get("panel") == b.get("panel"),
        a.get("mode") == b.get("mode"),
        a.get("topology") == b.get("topology"),
        sum(same),
    )


def _moved(
    clean: Mapping[str, str | None],
    held: Mapping[str, Sequence[TrialResult]],
    unread: Collection[str],
    seed: int,
) -> dict[str, Comparison]:
    """Compare each poisoned condition with its clean one, on the queries that both have."""
    pairs = [(n, c) for n, c in clean.items() if c and n not in unread and c not in unread]
    scores = {name: by_query(held[name], "followed") for pair in pairs for name in pair}
    return {c.first: c for c in compare_by_query(scores, pairs, seed=seed)}


def _shift(
    experiment: Experiment,
    condition: Condition,
    results: Sequence[TrialResult],
    clean: str | None,
    moved: Comparison | None,
) -> PayloadEffect:
    source = _source(experiment, condition)
    usual = condition if not source.poisoned else experiment.condition(clean) if clean else None
    return PayloadEffect(
        condition=condition.name,
        mode="vote" if condition.way == VOTE else str(source.options.get("mode") or "reflection"),
        topology=str(source.options.get("topology") or "mesh"),
        defence=_defence(source.options, _source(experiment, usual).options if usual else {}),
        poisoned=_poisoned(experiment, condition),
        answers=len(results),
        followed=share_by_query([bool(r.followed) for r in results], [r.query for r in results]),
        right=share_of(results),
        clean=clean,
        moved=moved,
    )


def _defence(options: Mapping[str, object], usual: Mapping[str, object]) -> str:
    """Return what may keep a payload from spreading: what differs from the clean condition."""
    own = {k: v for k, v in options.items() if v and v != usual.get(k)}
    personas = ", ".join(sorted(set(_personas(own.get("personas")))))
    defences = [
        "peers by name" if "named" in own else "",
        f"personas {personas}" if personas else "",
        f"{own['rounds']} rounds" if "rounds" in own else "",
        "tools" if "tools" in own else "",
    ]
    return ", ".join(f for f in defences if f) or "none"


def _personas(value: object) -> list[str]:
    if isinstance(value, dict):
        return [str(v) for v in value.values()]
    return [str(v) for v in value] if isinstance(value, list | tuple) else []
