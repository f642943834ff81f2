"""Planning an experiment: every brief made and checked, every debate counted and priced."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadConfig, DissentError, OverBudget, UserError
from mutual_dissent.core.panel import SeatName, base_name
from mutual_dissent.core.values.terms import Terms
from mutual_dissent.experiments.design.experiment import (
    BEST,
    VOTE,
    Condition,
    Experiment,
    ExperimentQuery,
    Trial,
)
from mutual_dissent.experiments.design.extraction import add_instruction
from mutual_dissent.experiments.design.places import wrong
from mutual_dissent.experiments.jury.eligibility import judge_for, judge_options, pairs_of

_IN_FILE = {"max_cost": "the budget", "allow_unpriced": "allow_unpriced = true to [defaults]"}
FILE = Terms(lambda name: _IN_FILE.get(name, name))
"""The terms of an experiment's file."""
QUOTED = 5
"""The queries of an experiment that are quoted; the others are taken to be alike."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanPart:
    """The total of one condition, or of its judges.

    Attributes:
        cost_usd: dollars, about; None if the price of a model is not known.
    """

    name: str
    way: str
    debates: int
    calls: int
    tokens: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentPlan:
    """The total of an experiment."""

    experiment: Experiment
    parts: tuple[PlanPart, ...]

    @property
    def debates(self) -> int:
        """Return the number of all debates, the judges' among them."""
        return sum(p.debates for p in self.parts)

    @property
    def calls(self) -> int:
        """Return the number of all calls."""
        return sum(p.calls for p in self.parts)

    @property
    def tokens(self) -> int:
        """Return the tokens sent and received, about."""
        return sum(p.tokens for p in self.parts)

    @property
    def cost_usd(self) -> float | None:
        """Return the dollars, about; None if the price of a model is not known."""
        costs = [p.cost_usd for p in self.parts]
        return None if None in costs else sum(c for c in costs if c is not None)


async def plan_experiment(md: MutualDissent, experiment: Experiment) -> ExperimentPlan:
    """Return the plan of an experiment whose numbers of samples are decided.

    Raises:
        BadConfig: file, line, key and what is wrong, for a debate that could not be held.
    """
    for condition in experiment.asked:
        await _check(md, experiment, condition)
    _check_contexts(experiment)
    _check_payloads(experiment)
    await _check_judges(md, experiment)
    parts = [await _part(md, experiment, c) for c in experiment.conditions]
    parts += [p for c in experiment.conditions if (p := await _picks(md, experiment, c))]
    if (judged := await _pairs(md, experiment)) is not None:
        parts.append(judged)
    return ExperimentPlan(experiment=experiment, parts=tuple(parts))


async def _check(md: MutualDissent, experiment: Experiment, condition: Condition) -> None:
    """Make the briefs of a condition: of one query, and of each with a private context."""
    first, *others = experiment.queries
    for query in (first, *(q for q in others if q.context or q.payload)):
        try:
            await _brief(md, experiment, condition, query)
        except DissentError as e:
            raise await _blame(md, experiment, condition, query, e) from None


async def _brief(
    md: MutualDissent, experiment: Experiment, c: Condition, query: ExperimentQuery
) -> None:
    trial = Trial(experiment=experiment, condition=c, query=query)
    options = dict(trial.options)
    if experiment.budget is not None:
        options["max_cost"] = min(experiment.budget, options.get("max_cost") or experiment.budget)
    try:
        await md.brief(trial.text, **options)
    except (TypeError, ValueError, AttributeError) as e:
        raise UserError(f"an option is of the wrong kind ({e})") from None


async def _blame(
    md: MutualDissent,
    experiment: Experiment,
    condition: Condition,
    query: ExperimentQuery,
    error: DissentError,
) -> BadConfig:
    """Return the error at the key without which there would be none, or at least another one."""
    table, number = condition.place
    sentence = error.in_terms(FILE)
    place: tuple[str, ...] = (table,) if table else ("condition",)
    if isinstance(error, OverBudget) and experiment.budget is not None:
        return wrong(experiment.file, experiment.text, ("budget",), sentence)
    changed: list[str] = []
    for key, other in _without_one(condition):
        try:
            await _brief(md, experiment, other, query)
        except DissentError as e:
            changed += [key] if e.args != error.args else []
        else:
            changed = [key]
            break
    stands = _stands(experiment.text, (*place, *changed[:1]), number)
    own = number if stands == (*place, *changed[:1]) else 0
    return wrong(experiment.file, experiment.text, stands, sentence, number=own)


def _without_one(condition: Condition) -> Iterator[tuple[str, Condition]]:
    """Yield the condition without one of its keys, each in turn."""
    if condition.context:
        yield "context", replace(condition, context={})
    if condition.poisoned:
        yield "poisoned", replace(condition, poisoned=())
    # The panel last: without it another one sits, which the other keys may happen to suit.
    for key in sorted(condition.options, key=lambda k: k == "panel"):
        rest = {k: v for k, v in condition.options.items() if k != key}
        yield key, replace(condition, options=rest)


def _stands(text: str, place: tuple[str, ...], number: int) -> tuple[str, ...]:
    """Return where a key is written: in the condition's own table, or among the defaults."""
    table = tomllib.loads(text)
    own = table.get(place[0], {})
    own = own[number - 1] if isinstance(own, list) and 0 < number <= len(own) else own
    if len(place) > 1 and place[1] not in own and place[1] in table.get("defaults", {}):
        return ("defaults", place[1])
    return place


def _check_contexts(experiment: Experiment) -> None:
    """Check that every panelist with a private context has a seat somewhere."""
    members = {m for c in experiment.conditions for m in c.options.get("panel") or ()}
    seated = {n for m in members for n in (m, SeatName.of(m).once, base_name(m))}
    if not seated:
        return
    for query in experiment.queries:
        for seat in query.context:
            if seat not in seated and base_name(seat) not in seated:
                sentence = f"query {query.id}: no panelist is called {seat!r}"
                raise wrong(experiment.file, experiment.text, ("query", "context"), sentence)


def _check_payloads(experiment: Experiment) -> None:
    """Check that there is a payload for every poisoned panelist."""
    if any(q.payload for q in experiment.queries):
        return
    for condition in experiment.conditions:
        if condition.poisoned and not condition.payload:
            place, number = ("condition", "poisoned"), condition.place[1]
            sentence = "there is no payload; give one to this condition or to the queries"
            raise wrong(experiment.file, experiment.text, place, sentence, number=number)


async def _check_judges(md: MutualDissent, experiment: Experiment) -> None:
    """Check that every judge can be reached, whether or not there is anything to judge."""
    named = [("judge", experiment.judge)] if experiment.judge else []
    if experiment.judging:
        named += [("judging.judges", judge) for judge in experiment.judging.judges]
    for place, judge in named:
        try:
            await md.brief("Which is best?", **judge_options(experiment, judge))
        except UserError as e:
            where = tuple(place.split("."))
            raise wrong(experiment.file, experiment.text, where, e.in_terms(FILE)) from None


def _some(queries: Sequence[ExperimentQuery]) -> list[ExperimentQuery]:
    """Return a few queries, spread over all of them."""
    step = max(1, len(queries) // QUOTED)
    return list(queries[::step])[:QUOTED]


async def _part(md: MutualDissent, experiment: Experiment, condition: Condition) -> PlanPart:
    if condition.way == VOTE:
        return PlanPart(name=condition.name, way=VOTE, debates=0, calls=0, tokens=0, cost_usd=0.0)
    debates = condition.samples * len(experiment.queries) * experiment.repeats
    texts = [add_instruction(q.text, q.kind) for q in _some(experiment.queries)]
    options = condition.debate_options
    graded = experiment.judge and any(q.kind == "free" and q.answer for q in experiment.queries)
    if graded:
        options |= {"ground_truth": "known", "judge": experiment.judge}
    return await _quote(md, condition.name, condition.way, texts, options, debates)


async def _quote(
    md: MutualDissent,
    name: str,
    way: str,
    texts: Iterable[str],
    options: dict[str, Any],
    debates: int,
) -> PlanPart:
    quotes = [md.quote(await md.brief(t, **options)) for t in texts]
    share = debates / len(quotes)
    costs = [q.cost_usd for q in quotes]
    return PlanPart(
        name=name,
        way=way,
        debates=debates,
        calls=round(sum(q.calls for q in quotes) * share),
        tokens=round(sum(q.input_tokens + q.output_tokens for q in quotes) * share),
        cost_usd=None if None in costs else sum(c for c in costs if c is not None) * share,
    )


async def _judging(md: MutualDissent, experiment: Experiment, judge: str) -> dict[str, Any]:
    """Return the options of a judge's reading, if it can be held."""
    options = judge_options(experiment, judge)
    try:
        await md.brief("Which is best?", **options, max_cost=experiment.budget)
    except DissentError as e:
        raise wrong(experiment.file, experiment.text, ("judge",), e.in_terms(FILE)) from None
    return options


async def _picks(
    md: MutualDissent, experiment: Experiment, condition: Condition
) -> PlanPart | None:
    """Return the cost of a best-of condition's judge: it reads all samples, in two orders."""
    if condition.way != BEST:
        return None
    judge = judge_for(md, experiment, [condition])
    # Characters: about 500 tokens of each sample, as long as answers usually are.
    text = experiment.queries[0].text + "x" * 1_800 * condition.samples
    debates = 2 * len(experiment.queries) * experiment.repeats
    options = await _judging(md, experiment, judge)
    return await _quote(md, f"judge of {condition.name}", "judge", [text], options, debates)


async def _pairs(md: MutualDissent, experiment: Experiment) -> PlanPart | None:
    """Return the cost of comparing free answers in both orders."""
    free = sum(q.kind == "free" for q in experiment.queries) * experiment.repeats
    pairs = pairs_of(experiment)
    if not free or not pairs:
        return None
    judging = experiment.judging
    every = len(judging.judges) if judging and judging.all else 1
    judge = judge_for(md, experiment, experiment.conditions)
    # Characters: two answers of about 700 tokens, as long as a synthesis usually is.
    text = experiment.queries[0].text + "x" * 5_000
    options = await _judging(md, experiment, judge)
    debates = 2 * free * len(pairs) * max(1, every)
    return await _quote(md, "judges of pairs", "judge", [text], options, debates)
