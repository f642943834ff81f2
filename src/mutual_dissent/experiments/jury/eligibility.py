"""Eligible judges, and the answers that are compared with each other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.seating import maker
from mutual_dissent.core.errors import BadInput, UserError
from mutual_dissent.experiments.design.experiment import PANEL, SINGLE, Condition, Experiment


def judge_for(md: MutualDissent, experiment: Experiment, contestants: Iterable[Condition]) -> str:
    """Return the judge of these conditions: of another vendor than the contestants, if possible.

    Raises:
        BadInput: if no model can judge.
    """
    makers = makers_of(md, contestants)
    known = [name for name in candidates(md, experiment) if maker_of(md, name) is not None]
    if not known:
        raise BadInput("nobody can judge; name one with: judge = MODEL")
    foreign = [name for name in known if maker_of(md, name) not in makers]
    return (foreign or known)[0]


def judge_options(experiment: Experiment, judge: str) -> dict[str, Any]:
    """Return the options of a judge's reading: alone, and under what the conditions allow."""
    unpriced = any(c.options.get("allow_unpriced") for c in experiment.conditions)
    return {"mode": "single", "panel": [judge], "allow_unpriced": unpriced}


def candidates(md: MutualDissent, experiment: Experiment) -> list[str]:
    """Return all possible judges, the preferred one first: those named, then all panelists."""
    named = [*(experiment.judging.judges if experiment.judging else ())]
    named += [n for n in (experiment.judge, md.settings.defaults.judge) if n]
    seated = [m for c in experiment.conditions for m in members(c)]
    return list(dict.fromkeys([*named, *seated]))


def members(condition: Condition) -> list[str]:
    """Return the models of a condition, its synthesizer among them."""
    written = condition.options.get("synthesizer")
    return [*condition.options.get("panel", ()), *([written] if written else [])]


def makers_of(md: MutualDissent, conditions: Iterable[Condition]) -> set[str | None]:
    """Return the makers of the models of some conditions."""
    return {maker_of(md, name) for c in conditions for name in members(c)}


def maker_of(md: MutualDissent, name: str) -> str | None:
    """Return the maker of a model; None if it cannot be reached here."""
    try:
        return maker(md.find_route(name))
    except UserError:
        return None


def pairs_of(experiment: Experiment) -> list[tuple[Condition, Condition]]:
    """Return the conditions whose free answers are compared: as named, else panels with models."""
    if experiment.judging is None:
        return []
    if experiment.judging.pairs:
        return [(experiment.condition(a), experiment.condition(b)) for a, b in
                experiment.judging.pairs]  # fmt: skip
    panels = [c for c in experiment.conditions if c.way == PANEL]
    alone = [c for c in experiment.conditions if c.way == SINGLE]
    return [(p, s) for p in panels for s in alone]


def judges_of(
    md: MutualDissent, experiment: Experiment, contestants: tuple[Condition, Condition]
) -> list[str]:
    """Return the judges of a pair: the one impartial judge, or every judge if `all` is set."""
    judging = experiment.judging
    if judging and judging.all and judging.judges:
        return list(judging.judges)
    return [judge_for(md, experiment, contestants)]
