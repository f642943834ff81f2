"""The four-layer answer: decision, agents, evidence, where to look further. For programs to act on.

Its names are those of the roundtable protocol: agents for panelists, topic for the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mutual_dissent.analysis.confidence import ConfidenceChange, stated
from mutual_dissent.analysis.conflicts import Conflict
from mutual_dissent.analysis.consensus import Consensus, position
from mutual_dissent.analysis.groupthink import Groupthink
from mutual_dissent.analysis.keypoints import key_points
from mutual_dissent.analysis.layers import Decision, Hint, decision
from mutual_dissent.analysis.ledger import Ledger
from mutual_dissent.analysis.ledger_reading import ledger_of
from mutual_dissent.analysis.movement import Movement, movement
from mutual_dissent.analysis.recorded import consensus_of, exit_of
from mutual_dissent.core.response import Response
from mutual_dissent.core.stopping import Exit
from mutual_dissent.core.transcript import Round, Transcript
from mutual_dissent.views.aliases import letters, named
from mutual_dissent.views.heading import heading
from mutual_dissent.views.lookups import evidence_used
from mutual_dissent.views.measures import findings, opinions
from mutual_dissent.views.safe import plain

Json = dict[str, Any]
_TOOLS = {
    "responses": "get_response_detail",
    "rounds": "get_round_details",
    "citations": "get_citations",
}


NOT_YET = Consensus(agreement_level=None, reasoning="No round has ended yet.")


def recorded_layers(t: Transcript, round_number: int | None = None) -> Json:
    """The four layers of a debate as its record tells them, by default of the last ended round.

    Before a round has ended there is no decision.
    """
    by_round, said, ending = consensus_of(t), opinions(t), exit_of(t)
    last = findings(t, by_round)
    if last:
        by_round[last.round_number] = last.consensus
    number = last.round_number if last and round_number is None else round_number
    shown = four_layers(
        t,
        by_round.get(-1 if number is None else number, NOT_YET),
        movement(said, by_round) if by_round else None,
        ending[1] if ending and ending[0] == number else None,
        round_number=number,
    )
    if number not in by_round:
        shown["decision"], shown["metadata"]["verificationHints"] = None, []
    elif last and number == last.round_number and (ledger := ledger_of(t)):
        shown["evidence"]["conflicts"] = _contested(t, ledger) or shown["evidence"]["conflicts"]
        shown["evidence"]["consensusSummary"] = plain(heading(t))
    return shown


def four_layers(
    t: Transcript,
    found: Consensus,
    moved: Movement | None = None,
    exit_: Exit | None = None,
    *,
    round_number: int | None = None,
) -> Json:
    """The answer of a round in four layers, by default of the last one that has answers."""
    shown = t.last_round if round_number is None else t.round(round_number)
    number = shown.round_number if shown else 0
    is_last = t.last_round is not None and number == t.last_round.round_number
    warning = moved.groupthink if moved and is_last else None
    made = decision(found, warning)
    changes = moved.confidence if moved else ()
    return {
        "sessionId": t.transcript_id,
        "topic": plain(t.query),
        "roundNumber": number,
        "decision": decision_to_json(made),
        "agentResponses": _agents(t, shown, changes),
        "evidence": _evidence(shown, found, warning),
        "metadata": _metadata(t, number, made, exit_, has_more=shown is not None),
    }


def consensus_to_json(found: Consensus) -> Json:
    """A round's consensus under the protocol's names."""
    return {
        "agreementLevel": found.agreement_level,
        "clusters": [
            {"theme": plain(c.theme), "agentIds": list(c.members), "summary": plain(c.summary)}
            for c in found.clusters
        ],
        "commonGround": _lines(found.common_ground),
        "disagreementPoints": _lines(found.disagreement_points),
        "nuances": {
            "partialAgreements": _lines(found.nuances.partial),
            "conditionalPositions": _lines(found.nuances.conditional),
            "uncertainties": _lines(found.nuances.uncertain),
        },
        "reasoning": plain(found.reasoning),
        "analyzer": found.analyzer,
    }


def decision_to_json(made: Decision) -> Json:
    """The decision under the protocol's names."""
    return {
        "consensusLevel": made.level,
        "agreementScore": made.agreement,
        "actionRecommendation": {"type": made.action, "reason": plain(made.reason)},
    }


def _agents(t: Transcript, shown: Round | None, changes: Sequence[ConfidenceChange]) -> list[Json]:
    by_turn = {(c.seat, c.round_number): c for c in changes}
    return [
        _agent(t, r, by_turn.get((r.model_alias, r.round_number)))
        for r in (shown.usable if shown else ())
    ]


def _agent(t: Transcript, r: Response, change: ConfidenceChange | None) -> Json:
    who = letters(t, r)
    return {
        "agentId": r.model_alias,
        "agentName": r.model_id,
        "position": plain(named(position(r, t.query), who)),
        "keyPoints": [plain(named(p, who)) for p in key_points(r)],
        "confidence": stated(r),
        **({"confidenceChange": _change(change)} if change else {}),
        "evidenceUsed": evidence_used(r),
    }


def _change(change: ConfidenceChange) -> Json:
    return {
        "delta": change.delta,
        "previousRound": change.previous_round,
        "reason": plain(change.reason),
    }


def _evidence(shown: Round | None, found: Consensus, warning: Groupthink | None) -> Json:
    usable = shown.usable if shown else ()
    return {
        "totalCitations": sum(evidence_used(r)["citations"] for r in usable),
        "conflicts": [_conflict(c) for c in found.conflicts],
        "consensusSummary": plain(summary(found)),
        **({"groupthinkWarning": _warning(warning)} if warning else {}),
    }


def summary(found: Consensus) -> str:
    """A round's consensus in a sentence or two: what is shared, what is contested."""
    if found.agreement_level is None:
        return found.reasoning
    shared = "No position is held by all."
    if found.common_ground:
        shared = f"Shared: {found.common_ground[0]}"
    elif len(found.clusters) == 1 and not found.silent:
        shared = "All hold the same position."
    contested = "; ".join(c.issue for c in found.conflicts)
    return f"{shared} Contested: {contested}." if contested else shared


def _contested(t: Transcript, ledger: Ledger) -> list[Json]:
    """What the ledger calls contested, every holder with the statement of its side."""
    who = letters(t)
    return [
        {
            "issue": plain(named(issue.question, who)),
            "positions": [
                {"agentId": seat, "stance": plain(named(side.statement, who))}
                for side in issue.sides
                for seat in side.holders
            ],
        }
        for issue in ledger.contested
    ]


def _conflict(c: Conflict) -> Json:
    positions = [{"agentId": p.seat, "stance": plain(p.stance)} for p in c.positions]
    return {"issue": plain(c.issue), "positions": positions}


def _warning(w: Groupthink) -> Json:
    return {
        "detected": w.detected,
        "indicators": _lines(w.indicators),
        "recommendation": w.recommendation,
    }


def _metadata(
    t: Transcript, number: int, made: Decision, exit_: Exit | None, *, has_more: bool
) -> Json:
    return {
        "detailReference": {
            "tool": "get_round_details",
            "params": {"sessionId": t.transcript_id, "roundNumber": number},
        },
        "verificationHints": [_hint(h) for h in made.hints],
        "hasMoreDetails": has_more,
        "exitReason": exit_.reason if exit_ else None,
        "exitDetails": exit_.details if exit_ else None,
    }


def _hint(h: Hint) -> Json:
    return {
        "field": plain(h.field),
        "reason": plain(h.reason),
        "suggestedTool": _TOOLS[h.look_at],
    }


def _lines(texts: Sequence[str]) -> list[str]:
    return [plain(t) for t in texts]
