"""The judgements due once there are answers: picks of best-of conditions, pairs of free answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import NotFound
from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.experiments.design.experiment import (
    BEST,
    VOTE,
    Condition,
    Experiment,
    ExperimentQuery,
    Trial,
)
from mutual_dissent.experiments.jury.eligibility import (
    judge_for,
    judges_of,
    maker_of,
    makers_of,
    pairs_of,
)
from mutual_dissent.experiments.jury.judgement import Judgement
from mutual_dissent.views.answer import answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Preference:
    """A judge's preference between two conditions' answers to one query.

    Attributes:
        verdicts: the condition that it preferred in each of the two orders, None if unreadable.
        places: the place that won in each order: `first` or `second`.
        impartial: whether no contestant is by the judge's own vendor.
        own: the condition whose models are all by the judge's vendor, if only one of them is.
    """

    first: str
    second: str
    query: str
    repeat: int
    judge: str
    verdicts: tuple[str | None, str | None]
    places: tuple[str, str] | None
    impartial: bool
    own: str | None = None

    @property
    def score(self) -> float:
        """Return 1 if the first is preferred in both orders, 0 if the second is, else one half."""
        return sum(0.5 if v is None else float(v == self.first) for v in self.verdicts) / 2


def judgements(md: MutualDissent, experiment: Experiment) -> Iterator[Judgement]:
    """Yield every judgement that can be made by now."""
    for repeat in range(experiment.repeats):
        for query in experiment.queries:
            for condition in experiment.conditions:
                if condition.way == BEST:
                    held = debates(md, experiment, condition, query, repeat)
                    yield from picks(md, experiment, condition, query, repeat, held)
            yield from _of_pairs(md, experiment, query, repeat)


def count_judgements(experiment: Experiment) -> int:
    """Return the number of judgements once every debate is complete."""
    best = sum(c.way == BEST for c in experiment.conditions)
    free = sum(q.kind == "free" for q in experiment.queries)
    judging = experiment.judging
    each = len(judging.judges) if judging and judging.all and judging.judges else 1
    pairs = len(pairs_of(experiment)) * each
    return 2 * experiment.repeats * (best * len(experiment.queries) + pairs * free)


def picks(
    md: MutualDissent,
    experiment: Experiment,
    condition: Condition,
    query: ExperimentQuery,
    repeat: int,
    held: Sequence[Transcript],
) -> list[Judgement]:
    """Return both readings of a best-of condition's samples; none while samples are missing."""
    texts = tuple(shown.content if (shown := answer(t)) else "" for t in held)
    if len(texts) < condition.samples:
        return []
    judge = judge_for(md, experiment, [condition])
    return _both(md, experiment, condition.name, query, repeat, judge, texts)


def preferences(md: MutualDissent, experiment: Experiment) -> Iterator[Preference]:
    """Yield the judges' preferences, for every pair that was read in both orders."""
    for repeat in range(experiment.repeats):
        for query in experiment.queries:
            waiting: Judgement | None = None
            for judgement in _of_pairs(md, experiment, query, repeat):
                if judgement.turn == 0:
                    waiting = judgement
                elif waiting is not None:
                    preference = _preference(md, experiment, waiting, judgement)
                    if preference is not None:
                        yield preference


def debates(
    md: MutualDissent,
    experiment: Experiment,
    condition: Condition,
    query: ExperimentQuery,
    repeat: int,
) -> list[Transcript]:
    """Return the complete debates of a condition on a query, by sample."""
    if condition.way == VOTE:
        return []
    trials = (
        Trial(experiment=experiment, condition=condition, query=query, repeat=repeat, sample=n)
        for n in range(condition.samples)
    )
    return [t for trial in trials if (t := complete(md, trial.transcript_id)) is not None]


def complete(md: MutualDissent, name: str) -> Transcript | None:
    """Return the debate of that id, if it was held to its end."""
    try:
        transcript = md.store.transcript(name)
    except NotFound:
        return None
    return transcript if transcript.status is Status.COMPLETED else None


def _of_pairs(
    md: MutualDissent, experiment: Experiment, query: ExperimentQuery, repeat: int
) -> Iterator[Judgement]:
    if query.kind != "free":
        return
    for pair in pairs_of(experiment):
        texts = []
        for condition in pair:
            held = debates(md, experiment, condition, query, repeat)
            shown = answer(held[0]) if held else None
            texts += [shown.content] if shown else []
        if len(texts) < 2:
            continue
        judges = judges_of(md, experiment, pair)
        for judge in judges:
            yield from _both(
                md, experiment, " or ".join(c.name for c in pair), query, repeat, judge,
                tuple(texts), sides=tuple(c.name for c in pair), named=len(judges) > 1,
            )  # fmt: skip


def _both(
    md: MutualDissent,
    experiment: Experiment,
    about: str,
    query: ExperimentQuery,
    repeat: int,
    judge: str,
    texts: tuple[str, ...],
    *,
    sides: tuple[str, ...] = (),
    named: bool = False,
) -> list[Judgement]:
    return [
        Judgement(
            experiment=experiment, about=about, query=query, repeat=repeat, judge=judge,
            answers=texts, turn=turn, library=md.library, sides=sides, named=named,
        )
        for turn in (0, 1)
    ]  # fmt: skip


def _preference(
    md: MutualDissent, experiment: Experiment, one: Judgement, other: Judgement
) -> Preference | None:
    chosen = [verdict(md, j) for j in (one, other)]
    if all(c is None for c in chosen):
        return None
    names = one.sides
    pair = [experiment.condition(n) for n in names]
    mine = maker_of(md, one.judge)
    by_mine = [n for n, c in zip(names, pair, strict=True) if makers_of(md, [c]) == {mine}]
    places = [_place(j, c) for j, c in zip((one, other), chosen, strict=True)]
    return Preference(
        first=names[0],
        second=names[1],
        query=one.query.id,
        repeat=one.repeat,
        judge=one.judge,
        verdicts=(_name(names, chosen[0]), _name(names, chosen[1])),
        places=(places[0], places[1]) if places[0] and places[1] else None,
        impartial=mine not in makers_of(md, pair),
        own=by_mine[0] if len(by_mine) == 1 else None,
    )


def verdict(md: MutualDissent, judgement: Judgement) -> int | None:
    """Return the candidate that a judgement picked, if it was made and can be read."""
    held = complete(md, judgement.transcript_id)
    shown = answer(held) if held else None
    return judgement.read_pick(shown.content) if shown else None


def _place(judgement: Judgement, chosen: int | None) -> str | None:
    if chosen is None:
        return None
    return "first" if judgement.order[0] == chosen else "second"


def _name(names: Sequence[str], chosen: int | None) -> str | None:
    return None if chosen is None else names[chosen]
