"""Matching: the number of samples at which a model costs as much as the panel beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import ExperimentMetadata
from mutual_dissent.engine.limits.quote import CostQuote
from mutual_dissent.experiments.design.conditions import MOST_SAMPLES
from mutual_dissent.experiments.design.experiment import (
    PANEL,
    Condition,
    Experiment,
    ExperimentQuery,
)


async def match_samples(
    md: MutualDissent, experiment: Experiment, before: Mapping[str, int] | None = None
) -> Experiment:
    """Return the experiment with the number of samples of every condition decided.

    The quote of the first panel on the first query is divided by that of the model alone. Where a
    price is not known, tokens are compared.

    Args:
        before: condition -> samples, as they were decided when the experiment began: a price that
            changed meanwhile must not change them.

    Raises:
        DissentError: if a debate of it could not be held.
    """
    known = before or {}
    conditions = tuple(
        c if c.samples else replace(c, samples=known.get(c.name, 0)) for c in experiment.conditions
    )
    experiment = replace(experiment, conditions=conditions)
    if all(c.samples for c in conditions):
        return experiment
    query = experiment.queries[0]
    panel = next((c for c in experiment.conditions if c.way == PANEL), None)
    whole = await quote_debate(md, panel, query) if panel else None
    sampled = []
    for condition in experiment.conditions:
        if condition.samples:
            sampled.append(condition)
            continue
        one = await quote_debate(md, condition, query)
        times = _times(whole, one, str(condition.variables.get("matched"))) if whole else 5
        sampled.append(replace(condition, samples=times))
    return replace(experiment, conditions=tuple(sampled))


async def quote_debate(
    md: MutualDissent, condition: Condition, query: ExperimentQuery
) -> CostQuote:
    """Return the quote of one debate of a condition."""
    tags = ExperimentMetadata(experiment_id="quote")  # no quote of an experiment asks anybody
    return md.quote(await md.brief(query.text, **condition.debate_options, experiment=tags))


def _times(whole: CostQuote, one: CostQuote, by: str) -> int:
    if by == "dollars" and whole.cost_usd and one.cost_usd:
        ratio = whole.cost_usd / one.cost_usd
    else:
        tokens = one.input_tokens + one.output_tokens
        ratio = (whole.input_tokens + whole.output_tokens) / max(1, tokens)
    return max(1, min(MOST_SAMPLES, round(ratio)))
