"""Findings from the recorded measures of a debate: the facts that every view shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.analysis.rounds.clusters import BY_CLAIM, SAID
from mutual_dissent.analysis.rounds.consensus import is_split
from mutual_dissent.analysis.rounds.movement import Movement, movement
from mutual_dissent.analysis.rounds.recommendation import Decision, decision
from mutual_dissent.analysis.rounds.recorded import consensus_of, exit_of, groupthink_of, tally_of
from mutual_dissent.analysis.rounds.writer_view import with_writer
from mutual_dissent.analysis.scores.value import Value, value
from mutual_dissent.core.codec.plain import shallow
from mutual_dissent.core.events import Status
from mutual_dissent.core.figures.forecasts import FORECAST
from mutual_dissent.core.measures import BY_ESTIMATE, BY_VALUE, Consensus, Groupthink, Measures
from mutual_dissent.core.measures import VoteResult as Election
from mutual_dissent.core.stopping import Exit
from mutual_dissent.core.transcript import OPINION_ROLES, Round, Transcript, read_once
from mutual_dissent.core.values.defects import REVIEW_MODE

Json = dict[str, Any]
ByRound = Mapping[int, Consensus]
HOW = {
    "panel": "said by the panel itself",
    "values": "compared by value",
    "estimates": "compared by their figures",
    "claims": "by the embedded model on bottom lines",
}
"""Source of a round's agreement, in words."""
PAIRS = {
    SAID: HOW["panel"],
    BY_VALUE: HOW["values"],
    BY_ESTIMATE: HOW["estimates"],
    BY_CLAIM: HOW["claims"],
}
"""The same of pairs, in the order in which it is told."""
NOT_MEASURED = "agreement not measured"
ACTIONS = {"proceed": "proceed", "verify": "verify", "query_detail": "read the answers"}
"""Recommended actions in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFindings:
    """Findings of the last round of opinions, as measured when it ended.

    Attributes:
        round_number: the round that it is about.
        decision: how far the result can be trusted, and what to do with it.
        groupthink: the warning, if there is one.
        ending: the last round and the reason why no further one was held.
    """

    round_number: int
    consensus: Consensus
    decision: Decision
    groupthink: Groupthink | None
    ending: tuple[int, Exit] | None


@read_once
def findings(t: Transcript) -> RoundFindings | None:
    """The findings of the last round that was measured; None if none was.

    A round of reviews counts, too, if it says who agrees with whom.
    """
    by_round = consensus_of(t)
    if not by_round:
        return None
    number = _telling(t, by_round)
    warning = groupthink_of(t)
    ledger = ledger_of(t) if t.synthesis else None
    moved = {c.seat for c in ledger.corrections} if ledger and ledger.source == "analyst" else ()
    found = by_round[number]
    if moved:  # loaded here: in few debates does anybody change its mind
        from mutual_dissent.analysis.rounds.present_views import present_consensus

        found = present_consensus(t, found, t.round(number), moved)
    heard = with_writer(t, found, t.round(number))
    return RoundFindings(
        round_number=number,
        consensus=heard,
        decision=decision(heard, warning),
        groupthink=warning,
        ending=exit_of(t),
    )


def decision_words(made: Decision, note: str = "") -> str:
    """Trust in a result and what to do with it: `trust: low - verify`.

    Args:
        note: on what trust means little here.
    """
    level = "not known" if made.level == "unknown" else made.level
    return f"trust{note}: {level} - {ACTIONS[made.action]}"


def _telling(t: Transcript, by_round: ByRound) -> int:
    """The last round with a measured pair, but not from before the last answers."""
    last = last_opinions(t)
    since = [n for n in by_round if last is None or n >= last.round_number]
    known = [n for n in since if any(p.measured for p in by_round[n].pairs)]
    return max(known or since or by_round)


def last_agreement(t: Transcript) -> tuple[float, str] | None:
    """The agreement of the last measured round, and how that is known."""
    for round_ in reversed(t.rounds):
        if round_.agreement is not None:
            return round_.agreement, agreement_source(round_.measures)
    return None


def agreement_source(measures: Measures) -> str:
    """Source of a round's agreement, in words."""
    return HOW.get(measures.measure, "")


def agreement_basis(t: Transcript, number: int) -> str:
    """The same of a round that was measured, with everything that it rests on."""
    consensus = consensus_of(t).get(number)
    sources = {p.source for p in consensus.pairs if p.measured} if consensus else set()
    return " and ".join(words for source, words in PAIRS.items() if source in sources)


def round_in_words(consensus: Consensus | None) -> str:
    """Agreement of a round: `3 of 4 agree`, `split 2:2`; `not measured` if it cannot be told."""
    if (
        consensus is None
        or consensus.analyzer not in HOW
        or not any(p.measured for p in consensus.pairs)
    ):
        return NOT_MEASURED
    sizes = [len(c.members) for c in consensus.clusters]
    answers = sum(sizes) + len(consensus.silent)
    if len(sizes) > 1 and sizes[0] == sizes[1]:
        contested = is_split(consensus)
        return f"{'split' if contested else 'in groups of'} {':'.join(map(str, sizes))}"
    return f"all {answers} agree" if sizes[0] == answers else f"{sizes[0]} of {answers} agree"


def election(t: Transcript) -> Election | None:
    """Result of the panel's vote, if it voted."""
    return tally_of(t)


def opinions(t: Transcript) -> Transcript:
    """The debate without the rounds in which answers were judged rather than given."""
    return replace(t, rounds=tuple(r for r in t.rounds if r.round_type in OPINION_ROLES))


def last_opinions(t: Transcript) -> Round | None:
    """The latest round in which a panelist answered the query."""
    return opinions(t).last_round


@read_once
def find_movement(t: Transcript) -> Movement | None:
    """Changes over the rounds; None if there is nothing to compare, or no measure."""
    by_round = consensus_of(t)
    return movement(t, by_round) if by_round and len(t.rounds) > 1 else None


@read_once
def worth(t: Transcript) -> Value | None:
    """Value of deliberation, once a debate has ended; a review is no answer to vote on."""
    if t.status is not Status.COMPLETED or t.synthesis is None or t.brief.mode == REVIEW_MODE:
        return None
    votes = election(t)
    winner = votes.winners[0] if votes and len(votes.winners) == 1 else None
    return value(t, first=consensus_of(t).get(0), winner=winner)


def measures_to_json(t: Transcript) -> Json:
    """Decision, movement and value for JSON; unmeasured ones are left out."""
    last, changed, value_ = findings(t), find_movement(t), worth(t)
    return {
        **({"decision": _decision(last)} if last else {}),
        **({"movement": _movement(changed)} if changed else {}),
        **({"value": value_} if value_ else {}),
    }


def _decision(last: RoundFindings) -> Json:
    made = last.decision
    return {
        "round_number": last.round_number,
        "level": made.level,
        "action": made.action,
        "reason": made.reason,
        "analyzer": last.consensus.analyzer,
        "hints": [{"field": h.field, "reason": h.reason} for h in made.hints],
    }


def _movement(changed: Movement) -> Json:
    # Each round's own warning is among its measures.
    return shallow(changed, "groupthink")


def title_of_changes(t: Transcript) -> str:
    """Title over what panelists changed: who forecasts another figure has made no mistake."""
    return "Revised" if t.brief.mode == FORECAST else "Corrected in the debate"
