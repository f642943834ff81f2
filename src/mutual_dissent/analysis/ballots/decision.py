"""Decisions: the outcome of a panel's ballots under a chosen rule. A tie is an outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mutual_dissent.analysis.ballots.profile import Profile, profile
from mutual_dissent.analysis.ballots.rules import BY_RECORD, DEFAULT, RULES
from mutual_dissent.analysis.ballots.rules.approval import APPROVAL, with_cut
from mutual_dissent.analysis.ballots.rules.rule import Rule, RuleTally
from mutual_dissent.analysis.ballots.stability import stability
from mutual_dissent.core.errors import BadInput, UnknownName
from mutual_dissent.core.measures import VoteResult

PARTS = 1000
"""Parts into which a weight is split, so that ballots stay countable."""


def decide(
    ballots: Mapping[str, Iterable[Iterable[str]] | None],
    candidates: Iterable[str],
    rule: str = DEFAULT,
    *,
    cut: int | None = None,
    seed: int = 0,
    resample: bool = True,
    weights: Mapping[str, float] | None = None,
) -> VoteResult:
    """Decide between candidates by the voters' ballots.

    `profile` defines how own answers, unranked candidates and abstentions count.

    Args:
        ballots: voter -> its candidates in levels, best first; None for a missing ballot.
        cut: number of places that `approval` counts, if not the upper half.
        seed: seed for resampling a large electorate, for the stability.
        resample: whether to measure the stability at all.
        weights: voter -> what its ballot counts under `weighted`; without any, all count alike.

    Raises:
        UnknownName: there is no such rule.
        BadInput: too many candidates for the rule, or an invalid cut.
    """
    chosen = _rule(rule, cut)
    votes = profile(ballots, candidates)
    if weights and chosen.name == BY_RECORD:
        counted = votes.with_weights(
            [round(PARTS * weights.get(v.voter, 0.0)) for v in votes.votes]
        )
        votes = counted if counted.votes else votes  # nobody's record says anything: all alike
    # Exact rules take time that grows exponentially with the candidates.
    if chosen.most is not None and len(votes.candidates) > chosen.most:
        raise BadInput(
            f"{chosen.name} takes up to {chosen.most} candidates, not {len(votes.candidates)}; "
            "choose schulze or ranked-pairs"
        )
    if not votes.votes:
        return _undecided(chosen, votes)
    tally = chosen.tally(votes)
    return VoteResult(
        rule=chosen.name,
        winners=tally.winners,
        scores=tally.scores,
        ranking=tally.ranking,
        stability=stability(votes, lambda p: chosen.tally(p).winners, seed) if resample else None,
        explanation=_explanation(chosen, votes, tally),
        condorcet=votes.condorcet,
        voters=len(votes.votes),
    )


def _rule(name: str, cut: int | None) -> Rule:
    if name not in RULES:
        raise UnknownName("rule", name, RULES)
    if cut is None or name != APPROVAL.name:
        return RULES[name]
    if cut < 1:
        raise BadInput(f"approval counts at least the first place, not {cut}")
    return with_cut(cut)


def _undecided(rule: Rule, votes: Profile) -> VoteResult:
    return VoteResult(
        rule=rule.name,
        winners=(),
        scores=dict.fromkeys(votes.candidates, 0.0),
        ranking=(),
        explanation="Nobody voted, so nothing was decided.",
    )


def _explanation(rule: Rule, votes: Profile, tally: RuleTally) -> str:
    """Reason why the winners won, in a sentence or two."""
    count = len(votes.votes)
    electorate = f"{count} voter{'s' if count != 1 else ''}"
    best = max(tally.scores[w] for w in tally.winners)
    head = join_names(tally.winners)
    if len(tally.winners) == len(votes.candidates) > 1:
        text = f"All {len(votes.candidates)} tie under {rule.name} with {electorate}."
    elif len(tally.winners) > 1:
        text = f"{head} tie under {rule.name} with {electorate} ({rule.unit}: {best:.4g})."
    else:
        text = f"{head} wins under {rule.name} with {electorate} ({rule.unit}: {best:.4g}"
        text += f", next {_next(tally):.4g})." if len(tally.ranking) > 1 else ")."
    if (favourite := votes.condorcet) and len(votes.candidates) > 1:
        text += f" {_favoured(favourite, tally.winners)}"
    return f"{text} Note: {tally.remark}." if tally.remark else text


def _next(tally: RuleTally) -> float:
    return max(tally.scores[c] for c in tally.ranking[1])


def _favoured(favourite: str, winners: tuple[str, ...]) -> str:
    if winners == (favourite,):
        return "It beats every other one in direct comparison."
    return f"{favourite} beats every other one in direct comparison."


def join_names(names: Iterable[str]) -> str:
    """Names as a sentence has them: a, b and c."""
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last
