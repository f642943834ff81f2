"""Weights of panelists by their record: clipped log-odds of being right.

For each kind of answer a model's record is a Beta distribution: its right and wrong answers, and
`STRENGTH` answers at the pooled rate of its peers, so that few answers move little and a newcomer
counts as its peers do. The weight of a vote is the log-odds of the mean of that, over those of
chance: none at chance or below, and none is infinite. Votes that add up so are the best that
independent voters can do (Nitzan and Paroush).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log

from mutual_dissent.analysis.bottom_lines import kind_of
from mutual_dissent.core.brief import Brief, VoteWeights
from mutual_dissent.core.measures import Consensus
from mutual_dissent.core.transcript import Transcript

STRENGTH = 10.0
"""The pooled rate of its peers counts as so many answers beside a model's own."""

ENOUGH = 30
"""Graded answers of a panel's models from which on their votes can be weighted."""

CHANCE = {"yes_no": 1 / 2}
SOME_CHANCE = 2 / 5
"""Share of right answers that earns no weight, where several wrong ones are possible.

The less it is, the more a weighted vote is like a plain one (`docs/evidence.md` has others).
"""

SUREST = 0.98
"""No record counts for more than this share of right answers."""

ALL = "all"
"""Stands for every kind together: for what is not closed, and kinds without a record."""

FEW = 10
"""A kind with fewer graded answers is weighed by all kinds together."""


RecordTally = tuple[float, int]
"""Right answers, of so many graded ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedAnswer:
    """One model's first answer to a query whose answer is known.

    Attributes:
        kind: that of the answer.
        value: what it says, normalised: equal where two say the same; empty if it is open.
    """

    model: str
    kind: str
    right: bool
    value: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStanding:
    """One model's record with one kind of answer.

    Attributes:
        rate: the mean of its Beta distribution, shrunk to its peers.
        weight: what its vote counts.
    """

    model: str
    right: float
    answers: int
    rate: float
    weight: float


def tally(graded: Iterable[tuple[str, bool]]) -> dict[str, RecordTally]:
    """Model -> how many of its graded answers were right, and how many there are."""
    tallies: dict[str, RecordTally] = {}
    for model, right in graded:
        rights, count = tallies.get(model, (0.0, 0))
        tallies[model] = (rights + right, count + 1)
    return tallies


def standings(
    tallies: Mapping[str, RecordTally],
    kind: str = ALL,
    models: Sequence[str] = (),
    chance: float | None = None,
) -> dict[str, ModelStanding]:
    """Model -> its record with one kind of answer.

    Args:
        tallies: right and graded answers of each model.
        kind: what chance is for such answers, unless `chance` says it.
        models: those that are wanted, also without any graded answer; by default all.
    """
    rights, counts = (sum(t[i] for t in tallies.values()) for i in (0, 1))
    # One right and one wrong answer more (Laplace): without any record, one half.
    pooled = (rights + 1) / (counts + 2)
    none = _log_odds(chance or CHANCE.get(kind, SOME_CHANCE))

    def standing(model: str) -> ModelStanding:
        right, answers = tallies.get(model, (0.0, 0))
        rate = (right + STRENGTH * pooled) / (answers + STRENGTH)
        weight = max(0.0, _log_odds(min(rate, SUREST)) - none)
        return ModelStanding(model=model, right=right, answers=answers, rate=rate, weight=weight)

    return {model: standing(model) for model in (models or tallies)}


def _log_odds(share: float) -> float:
    return log(share / (1 - share))


def panel_weights(graded: Sequence[GradedAnswer], models: Sequence[str]) -> VoteWeights:
    """Weights of a panel's models from their graded answers, as a brief has them."""
    own = [g for g in graded if g.model in models]
    kinds: dict[str, dict[str, float]] = {}
    for kind in (ALL, *sorted({g.kind for g in own})):
        some = [(g.model, g.right) for g in own if kind in (ALL, g.kind)]
        if kind == ALL or len(some) >= FEW:
            found = standings(tally(some), kind, models)
            kinds[kind] = {m: round(s.weight, 4) for m, s in found.items()}
    return VoteWeights(answers=len(own), kinds=kinds)


def weights_of(weights: VoteWeights | None, kind: str | None = None) -> dict[str, float]:
    """Model -> weight for a kind of answer.

    Empty if there are none, or if no model's record is above chance: then all count alike.
    """
    kinds = weights.kinds if weights else {}
    found = kinds.get(kind or ALL) or kinds.get(ALL) or {}
    return found if any(w > 0 for w in found.values()) else {}


def seat_weights(brief: Brief, kind: str | None = None) -> dict[str, float]:
    """Seat -> what its vote counts, for a kind of answer or all of them; empty if all count alike.

    A model that sits several times is one voice, whose weight its seats share.
    """
    by_model = weights_of(brief.weights, kind)
    models = [p.model_id for p in brief.panel]
    return {
        p.seat: by_model.get(p.model_id, 0.0) / models.count(p.model_id)
        for p in brief.panel
        if by_model
    }


def with_support(t: Transcript, found: Consensus) -> Consensus:
    """The consensus with the weight behind each group, if all hold closed answers of one kind."""
    kinds = {kind_of(c.summary, t.query) for c in found.clusters} if t.brief.weights else set()
    if len(kinds) != 1 or None in kinds:
        return found
    weights = seat_weights(t.brief, kinds.pop())
    groups = [c.members for c in found.clusters]
    return replace(found, support=tuple(support(groups, weights))) if weights else found


def support(groups: Iterable[Iterable[str]], weights: Mapping[str, float]) -> list[float]:
    """Weight behind each group of voters; whoever has no weight of its own counts nothing."""
    return [round(sum(weights.get(v, 0.0) for v in group), 9) for group in groups]
