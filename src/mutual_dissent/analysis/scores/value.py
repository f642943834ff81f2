"""The value meter: the answers of cheaper ways, and whether deliberating changed them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from mutual_dissent.analysis.bottom_lines import compare_lines, value_of
from mutual_dissent.analysis.rounds.clusters import opinions, pair_of, spokesman
from mutual_dissent.analysis.rounds.consensus import consensus, is_split, position
from mutual_dissent.analysis.rounds.convergence import NOTHING, classify_change
from mutual_dissent.analysis.scores.grades import SCORE, mean_mark
from mutual_dissent.core.figures.stats import tally
from mutual_dissent.core.measures import AGREE, BY_ESTIMATE, Consensus
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript

LARGEST = "of the largest group"
UNKNOWN_LEADER = "the first by name"
"""Basis of a single answer where nothing distinguishes the answers."""

BEST_SINGLE, PLAIN_VOTE, STOP_EARLY = "best_single", "plain_vote", "stop_after_round_0"
TWO_FIRST = "two_first"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """Calls, tokens and cost. `cost_usd` is the known part, None if no price is known."""

    calls: int
    tokens: int
    cost_usd: float | None
    unpriced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative:
    """Answer and cost of a cheaper way.

    Attributes:
        name: `best_single`, `plain_vote`, `stop_after_round_0`, or `two_first`: where the first two
            of the panel agree, nobody else is asked.
        basis: the way in which its answer was found.
        seats: authors of the answer; several for a vote that is won, or tied.
        answer: the answer in a line; None without one, as in a tie.
        spent: the calls that it needs.
        relation: its answer to the debate's: agree, partly or disagree; None if not measured.
        changed: whether deliberation ended elsewhere; None if that cannot be told.
        score: its judged score, if there is one.
        gain: the debate's score minus this one.
    """

    name: str
    basis: str
    seats: tuple[str, ...]
    answer: str | None
    spent: Spent
    relation: str | None = None
    reason: str = ""
    changed: bool | None = None
    score: float | None = None
    gain: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """Value of a debate compared with cheaper ways.

    Attributes:
        spent: cost of the whole debate, answers of earlier debates included.
        score: the judged score of its answer, if there is one.
        changed: whether it ended elsewhere than a plain vote of the initial answers.
        improved: with scores, whether it was better than the best single answer.
    """

    alternatives: tuple[Alternative, ...]
    spent: Spent
    score: float | None
    changed: bool | None
    improved: bool | None
    summary: str


def value(
    t: Transcript, *, first: Consensus | None = None, winner: str | None = None
) -> Value | None:
    """Compare a finished debate with cheaper ways; None without initial answers.

    Args:
        t: the debate.
        first: the consensus of the initial answers, if known already.
        winner: the seat that ballots chose, if there were ballots.
    """
    initial = t.round(0)
    answers = opinions(initial.responses) if initial else {}
    if not initial or not answers:
        return None
    initial_consensus = first or consensus(t, initial)
    all_calls = initial.responses
    alternatives = tuple(
        _with_relation(t, a, answer)
        for a, answer in (
            _best_single(answers, initial_consensus, winner),
            _plain_vote(t, answers, initial_consensus, all_calls),
            _stop_early(answers, initial_consensus, all_calls),
            *_two_first(t, answers, initial_consensus),
        )
    )
    return _sum_up(alternatives, sum_spending(r for _, r in t.responses()), t.synthesis)


def relation_to_answer(t: Transcript, first: Response) -> tuple[str, str] | None:
    """Relation of a first answer to the debate's, and its source; None if unknown.

    The writer of the answer says how each panelist's last one relates to it. That holds for the
    first one if its author has changed nothing since. Otherwise bottom lines are compared.
    """
    final = t.synthesis
    if final is None:
        return None
    view = final.closing.view_of(first.model_alias) if final.closing else None
    if view and not _moved_since(t, first):
        return view.relation, f"said by {final.model_alias}, who wrote the answer"
    lines = {"a": position(first, t.query), "b": final.bottom_line}
    verdict = compare_lines(lines, t.query).get(("a", "b")) if all(lines.values()) else None
    return (verdict.relation, verdict.reason) if verdict else None


def _moved_since(t: Transcript, answer: Response) -> bool:
    """Return whether an author changed anything later, or may have: a detail may decide."""
    own = [r for r in t.turns() if r.model_alias == answer.model_alias and r.usable]
    return any(classify_change(a, b, t.query)[0] != NOTHING for a, b in pairwise(own))


def sum_spending(responses: Iterable[Response]) -> Spent:
    """Sum up the calls of some responses."""
    sums = tally(responses)
    return Spent(
        calls=sums.calls, tokens=sums.tokens, cost_usd=sums.cost_usd, unpriced=sums.unpriced
    )


def score_of(response: Response | None) -> float | None:
    """The mean of a judge's marks on a response, over the dimensions that could be read."""
    marks = response.analysis.get(SCORE) if response else None
    return mean_mark(marks) if isinstance(marks, dict) else None


Found = tuple[Alternative, Response | None]


def _best_single(answers: dict[str, Response], agreement: Consensus, winner: str | None) -> Found:
    scored = {s: m for s, r in answers.items() if (m := score_of(r)) is not None}
    if scored:
        seat, basis = min(scored, key=lambda s: (-scored[s], s)), "best by score"
    elif winner in answers:
        seat, basis = str(winner), "best by ballot"
    else:
        seat, basis = _leading(answers, agreement)
    return _alternative(BEST_SINGLE, basis, (seat,), [answers[seat]]), answers[seat]


def _leading(answers: dict[str, Response], agreement: Consensus) -> tuple[str, str]:
    """The answer that speaks for the largest group; the panel's first if there is no such group."""
    largest = agreement.clusters[0].members if agreement.clusters else ()
    tied = len(agreement.clusters) > 1 and len(agreement.clusters[1].members) == len(largest)
    # Ranges that overlap hold no one number that a single panelist could speak for the group.
    if len(largest) > 1 and not tied and not _by_ranges(agreement, largest):
        lines = {s: r.bottom_line for s, r in answers.items()}
        return spokesman(largest, agreement.pairs, lines), LARGEST
    return next(iter(answers)), UNKNOWN_LEADER


def _plain_vote(
    t: Transcript, answers: dict[str, Response], agreement: Consensus, calls: Sequence[Response]
) -> Found:
    groups = [tuple(m for m in c.members if m in answers) for c in agreement.clusters]
    most = max((len(g) for g in groups), default=0)
    leading = [g for g in groups if len(g) == most]
    if not most or (len(leading) > 1 and len(answers) > 1):
        return _no_majority(agreement, leading, calls), None
    seats = leading[0]
    if _by_ranges(agreement, seats):  # no single number is what all of them said
        basis = f"{most} of {len(answers)} by the ranges of their estimates"
        return _alternative(PLAIN_VOTE, basis, seats, calls), None
    basis = f"held by {most} of {len(answers)}"
    lines = {s: position(answers[s], t.query) for s in seats}
    return _alternative(PLAIN_VOTE, basis, seats, calls), answers[
        spokesman(seats, agreement.pairs, lines)
    ]


def _by_ranges(agreement: Consensus, seats: Sequence[str]) -> bool:
    """Return whether only overlapping ranges hold the group together."""
    own = [p for p in agreement.pairs if {p.a, p.b} <= {*seats}]
    return any(p.source == BY_ESTIMATE for p in own)


def _no_majority(
    agreement: Consensus, leading: Sequence[tuple[str, ...]], calls: Sequence[Response]
) -> Alternative:
    """Alternative for a tie of positions, or for answers that could not be compared."""
    tied = tuple(sorted(m for g in leading for m in g))
    # Groups of one size that do not contradict each other may hold the same: no tie is claimed.
    if not is_split(agreement) or not all(p.measured for p in agreement.pairs):
        return _alternative(PLAIN_VOTE, "whether they agree was not measured", tied, calls)
    basis = f"a tie of {len(leading)} positions with {len(leading[0])} each"
    return _alternative(PLAIN_VOTE, basis, tied, calls)


def _stop_early(
    answers: dict[str, Response], agreement: Consensus, calls: Sequence[Response]
) -> Found:
    seat, basis = _leading(answers, agreement)
    return _alternative(STOP_EARLY, basis, (seat,), calls), answers[seat]


def _two_first(t: Transcript, answers: dict[str, Response], agreement: Consensus) -> list[Found]:
    """The answer of the first two where they agree; elsewhere a vote tells what all would say."""
    first = tuple(p.seat for p in t.panelists[:2])
    pair = pair_of(*first, agreement.pairs) if len(first) == 2 else None
    if pair is None or pair.relation != AGREE or len(answers) == len(first):
        return []
    lines = {s: position(answers[s], t.query) for s in first}
    seat = spokesman(first, agreement.pairs, lines)
    calls = [answers[s] for s in first]
    return [(_alternative(TWO_FIRST, "the first two agree", first, calls), answers[seat])]


def _alternative(
    name: str, basis: str, seats: tuple[str, ...], calls: Iterable[Response]
) -> Alternative:
    return Alternative(name=name, basis=basis, seats=seats, answer=None, spent=sum_spending(calls))


def _with_relation(t: Transcript, alternative: Alternative, answer: Response | None) -> Alternative:
    """The alternative with its answer, and how that relates to the debate's.

    With several holders it is stated only if it is the same for each.
    """
    final = t.synthesis
    if answer is None:
        return alternative if final else replace(alternative, changed=None)
    own, other = score_of(answer), score_of(final)
    gain = None if own is None or other is None else round(other - own, 4)
    holders = _answers_of(t, alternative.seats) or [answer]
    known = replace(alternative, answer=_in_one(holders, t.query), score=own, gain=gain)
    judged = relation_to_answer(t, answer)
    others = [relation_to_answer(t, r) for r in holders if r is not answer]
    # Holders of one position may relate to the answer in different ways: then nothing is said.
    if judged is None or any(o is None or o[0] != judged[0] for o in others):
        return known
    changed_ = {"agree": False, "disagree": True}.get(judged[0])
    return replace(known, relation=judged[0], reason=judged[1], changed=changed_)


def _answers_of(t: Transcript, seats: Sequence[str]) -> list[Response]:
    initial = t.round(0)
    return [r for s, r in opinions(initial.responses).items() if s in seats] if initial else []


def _in_one(responses: Sequence[Response], query: str) -> str | None:
    """The line of one holder, or the value that several share; else all lines."""
    lines = list(dict.fromkeys(position(r, query) for r in responses))
    value = value_of(lines[0], query) if len(lines) > 1 else None
    if value and all(value_of(line, query) == value for line in lines):
        return value
    return " / ".join(filter(None, lines)) or None


def _sum_up(alternatives: tuple[Alternative, ...], total: Spent, final: Response | None) -> Value:
    by_name = {a.name: a for a in alternatives}
    best, vote = by_name[BEST_SINGLE], by_name[PLAIN_VOTE]
    return Value(
        alternatives=alternatives,
        spent=total,
        score=score_of(final),
        changed=vote.changed,
        improved=None if best.gain is None else best.gain > 0,
        summary=_summary(vote, best, total, final),
    )


def _summary(vote: Alternative, best: Alternative, total: Spent, final: Response | None) -> str:
    if final is None:
        return "There is no synthesis to compare with cheaper ways."
    tied = "a tie" in vote.basis
    outcome = {
        None: "A plain vote of the initial answers would have been a tie; it would have taken"
        if tied
        else "Whether a plain vote of the initial answers would have returned the same "
        "was not measured; it would have taken",
        True: "Deliberation ended elsewhere than a plain vote of the initial answers",
        False: "A plain vote of the initial answers would have returned the same",
    }[vote.changed]
    scored = ""
    if best.gain is not None:
        scored = f"; scored {best.gain:+.1f} against the best single answer"
    took = " " if vote.changed is None else ", with "
    return f"{outcome}{took}{vote.spent.calls} of {total.calls} calls{scored}."
