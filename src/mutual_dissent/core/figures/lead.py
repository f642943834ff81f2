"""The lead: the panelist's answer that speaks for the panel, found without asking anybody."""

from __future__ import annotations

from mutual_dissent.core.figures.estimates import one_figure
from mutual_dissent.core.measures import (
    AGREE,
    BY_ESTIMATE,
    BY_VALUE,
    Cluster,
    Consensus,
    VoteResult,
)
from mutual_dissent.core.response import UNUSABLE, Selection
from mutual_dissent.core.transcript import OPINION_ROLES, Transcript

NO_JSON = "the user's program wants JSON, which no panelist wrote"


def lead(so_far: Transcript) -> Selection | str:
    """The answer that ballots, weights or the largest group put first, or why there is none."""
    client = so_far.brief.client
    if so_far.brief.reply and client is None:
        return NO_JSON
    # Where there was a vote it decides, even if it is a tie: groups must not overrule ballots.
    found = _winner(votes) if (votes := _votes(so_far)) else _spokesman(so_far)
    if isinstance(found, str):
        return found
    seat, reason = found
    answer = so_far.latest_of(seat)
    if client and not (answer and answer.calls):
        if client.must_call:
            return "the user's program wants a tool to be called"
        if so_far.brief.reply:
            return NO_JSON
        if answer and any(f.startswith(UNUSABLE) for f in answer.flags):
            return "its proposal cannot be used"
    key = next((k for k, r in so_far.answered.items() if r is answer), "")
    return Selection(about=key, reason=reason) if key else f"{seat}'s answer is not there"


def last_consensus(so_far: Transcript) -> Consensus | None:
    """Consensus of the last round in which panelists answered the query."""
    rounds = [r for r in so_far.rounds if r.round_type in OPINION_ROLES]
    return rounds[-1].measures.consensus if rounds else None


def is_closed(so_far: Transcript, seats: tuple[str, ...]) -> bool:
    """Return whether these seats give one closed answer: the same value, whatever the words."""
    found = last_consensus(so_far)
    own = [p for p in found.pairs if {p.a, p.b} <= {*seats}] if found else []
    # Ranges that overlap make no one answer; one figure that is also given as an estimate does.
    sources = {BY_VALUE, BY_ESTIMATE} if _is_one_figure(so_far, seats) else {BY_VALUE}
    return bool(own) and all(p.relation == AGREE and p.source in sources for p in own)


def _is_one_figure(so_far: Transcript, seats: tuple[str, ...]) -> bool:
    """Return whether these seats all estimate the same figure, but for rounding."""
    last = [so_far.latest_of(s) for s in seats]
    given = [r.closing.estimate for r in last if r and r.closing and r.closing.estimate]
    return one_figure(given) is not None


def count_holders(found: Consensus) -> int:
    """Return how many take a position."""
    return sum(len(c.members) for c in found.clusters)


def _votes(so_far: Transcript) -> VoteResult | None:
    return so_far.rounds[-1].measures.tally if so_far.rounds else None


def _winner(votes: VoteResult) -> tuple[str, str] | str:
    if len(votes.winners) != 1:
        return "the ballots have no single winner"
    return votes.winners[0], "the ballots put it first"


def _spokesman(so_far: Transcript) -> tuple[str, str] | str:
    found = last_consensus(so_far)
    if found is None or not any(p.measured for p in found.pairs):
        return "whether the answers agree was not measured"
    if found.support:
        heaviest = found.weightiest
        if heaviest is None:
            return "its groups weigh the same"
        return heaviest.spokesman or heaviest.members[0], "by their record its holders weigh most"
    if weightiest := found.weightiest:
        return weightiest.spokesman, "it has the most weight"
    first = found.clusters[0] if found.clusters else Cluster(theme="", members=(), summary="")
    size = len(first.members)
    # One answer alone leads nobody.
    if size < 2:
        return "no two panelists hold the same"
    if any(len(c.members) == size for c in found.clusters[1:]):
        return "the largest groups are of one size"
    own = [p for p in found.pairs if {p.a, p.b} <= {*first.members}]
    if any(p.source == BY_ESTIMATE for p in own) and not _is_one_figure(so_far, first.members):
        return "its largest group agrees by ranges alone, and no figure is that of all"
    return first.spokesman, _share(size, holders=count_holders(found), all_=len(so_far.standing))


def _share(size: int, *, holders: int, all_: int) -> str:
    """The part of those who take a position that holds the same."""
    if holders == all_:
        return f"{size} of {holders} hold it"
    count = f"all {size}" if size == holders else f"{size} of the {holders}"
    return f"{count} who take a position hold it"
