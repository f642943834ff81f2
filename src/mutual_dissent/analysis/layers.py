"""The decision layer: what a reader may do with a round's result, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mutual_dissent.analysis.consensus import Consensus
from mutual_dissent.analysis.groupthink import Groupthink
from mutual_dissent.analysis.relations import Relation

HIGH, MEDIUM = 0.7, 0.4
Level = Literal["high", "medium", "low"]
Action = Literal["proceed", "verify", "query_detail"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """Something worth checking, why, and where its details are."""

    field: str
    reason: str
    look_at: Literal["responses", "rounds", "citations"] = "responses"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """How far a result can be trusted and what to do with it."""

    level: Level
    agreement: float
    action: Action
    reason: str
    hints: tuple[Hint, ...] = ()


def decision(found: Consensus, warning: Groupthink | None = None) -> Decision:
    """The recommendation that follows from a round's consensus."""
    level = consensus_level(found.agreement_level)
    return Decision(
        level=level,
        agreement=found.agreement_level or 0.0,
        action=_action(level, has_conflicts=bool(found.conflicts)),
        reason=_reason(found, level),
        hints=_hints(found, warning),
    )


def consensus_level(agreement: float | None) -> Level:
    """The word for an agreement level; what could not be measured is low."""
    if agreement is None or agreement < MEDIUM:
        return "low"
    return "high" if agreement >= HIGH else "medium"


def _action(level: Level, *, has_conflicts: bool) -> Action:
    if level == "low":
        return "query_detail"
    return "verify" if level == "medium" or has_conflicts else "proceed"


def _reason(found: Consensus, level: Level) -> str:
    if found.agreement_level is None:
        return "There are not two answers to compare: read the single answer with care."
    open_points = f" They differ about: {found.conflicts[0].issue}." if found.conflicts else ""
    match level:
        case "high" if not found.conflicts:
            return "The panel agrees and no contradiction was found."
        case "high":
            return f"The panel agrees on the whole, but not everyone does.{open_points}"
        case "medium":
            why = "" if open_points else " Agreement could not be established on every point."
            return (
                f"The panel agrees in part: check the main points before acting.{open_points}{why}"
            )
        case _ if found.conflicts or _against(found):
            return f"The panel does not agree: look at the single answers.{open_points}"
        case _:
            return f"{_apart(found)}: look at the single answers."


def _against(found: Consensus) -> bool:
    """Whether anybody contradicts anybody; an analyst that says only how far they agree may."""
    return not found.pairs or any(p.relation == Relation.DISAGREE for p in found.pairs)


def _apart(found: Consensus) -> str:
    """What is known of answers that neither agree nor contradict each other."""
    if all(p.relation == Relation.UNRELATED for p in found.pairs):
        return "The answers do not contradict each other, they are about different things"
    return "No contradiction was found, and no agreement either"


def _hints(found: Consensus, warning: Groupthink | None) -> tuple[Hint, ...]:
    conflicts = [
        Hint(field=c.issue, reason=f"Panelists contradict each other: {c.reason}.")
        for c in found.conflicts
    ]
    if warning and warning.detected:
        reasons = "; ".join(warning.indicators)
        conflicts.append(
            Hint(field="agreement", reason=f"Possible groupthink: {reasons}.", look_at="rounds")
        )
    if found.pairs and found.decided < 0.5:
        undecided = f"The {found.analyzer} analyzer could not judge most pairs."
        conflicts.append(Hint(field="agreement", reason=undecided))
    return tuple(conflicts)
