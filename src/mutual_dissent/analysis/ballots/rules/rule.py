"""A decision rule, and the tally that it returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mutual_dissent.analysis.ballots.profile import Profile, Ranking, by_score


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTally:
    """Result of a rule. The first level of the ranking has won; several in it have tied.

    Attributes:
        scores: the higher, the better; each rule counts in its own unit.
        remark: a caveat about how the result was found, if any.
    """

    ranking: Ranking
    scores: dict[str, float]
    remark: str = ""

    @property
    def winners(self) -> tuple[str, ...]:
        """Candidates that came first."""
        return self.ranking[0] if self.ranking else ()

    @classmethod
    def of(cls, scores: dict[str, float]) -> RuleTally:
        """The tally in which the scores alone decide."""
        return cls(ranking=by_score(scores), scores=scores)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A named way to decide.

    Attributes:
        unit: unit of its scores.
        most: the most candidates it can take, if there is a limit.
    """

    name: str
    summary: str
    unit: str
    tally: Callable[[Profile], RuleTally]
    most: int | None = None
