"""Movement: who changed position after reading whom, how sure they are, and signs of groupthink."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mutual_dissent.analysis.rounds.convergence import Convergence, Flip, convergence, flips
from mutual_dissent.analysis.rounds.exposure import previous, seats_read
from mutual_dissent.core.measures import Consensus, Groupthink
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Round, Transcript

WEIGHT = {"yes": 1.0, "detail": 0.5}
"""Credit for a change that a panelist owes to another: of its bottom line, or of a detail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Influence:
    """Share of readings after which readers say that a source moved them; stated, not proved.

    Attributes:
        seats: the panel, in its order: rows and columns.
        matrix: reader -> source -> the share of its readings after which it changed because of
            the source, details counted half; None if it read nothing or did not say.
        most_influential: the source that moved other panelists most, if one did.
    """

    seats: tuple[str, ...]
    matrix: dict[str, dict[str, float | None]]
    most_influential: str | None


def influence(t: Transcript) -> Influence:
    """Influence of each seat on each other one, over all rounds."""
    seats = tuple(p.seat for p in t.panelists)
    moves: dict[tuple[str, str], list[float]] = {}
    for response in t.turns():
        # A first answer cannot have been changed by anybody.
        if not response.usable or previous(t, response) is None:
            continue
        for source in seats_read(t, response):
            if (owed := _credit(response, source)) is not None:
                moves.setdefault((response.model_alias, source), []).append(owed)
    matrix = {r: {s: _mean(moves.get((r, s))) for s in seats if s != r} for r in seats}
    return Influence(seats=seats, matrix=matrix, most_influential=_leader(matrix))


def _credit(response: Response, source: str) -> float | None:
    """Credit that a response gives a source for its change; None if it says nothing of a change."""
    change = response.closing.change if response.closing else None
    if change is None:
        return None
    return WEIGHT.get(change.kind, 0.0) if source in change.because_of else 0.0


def _mean(values: list[float] | None) -> float | None:
    return round(sum(values) / len(values), 4) if values else None


def _leader(matrix: dict[str, dict[str, float | None]]) -> str | None:
    """The source with the greatest sum of changes owed to it; None if several are equal."""
    total: dict[str, float] = {}
    for row in matrix.values():
        for source, moved in row.items():
            total[source] = total.get(source, 0.0) + (moved or 0.0)
    most = max(total.values(), default=0.0)
    first = [s for s in total if total[s] == most]
    return first[0] if most > 0 and len(first) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Movement:
    """Changes of a panel over its rounds; `groupthink` is about the last round."""

    convergence: Convergence
    influence: Influence
    flips: tuple[Flip, ...]
    confidence: tuple[ConfidenceChange, ...]
    groupthink: Groupthink


def movement(t: Transcript, by_round: Mapping[int, Consensus]) -> Movement:
    """Changes so far, given the consensus of each round."""
    moved = convergence(t, by_round)
    changed = flips(t, moved)
    return Movement(
        convergence=moved,
        influence=influence(t),
        flips=changed,
        confidence=tuple(change for r in t.turns() if (change := confidence_change(t, r, changed))),
        groupthink=warning(t, by_round),
    )


def warning(t: Transcript, by_round: Mapping[int, Consensus]) -> Groupthink:
    """The groupthink warning of the last round that has answers."""
    now = t.last_round
    consensus = by_round.get(now.round_number) if now else None
    if now is None or consensus is None:
        return Groupthink(detected=False)
    earlier = [r for r in t.rounds if r.round_number < now.round_number]
    before = by_round.get(earlier[-1].round_number) if earlier else None
    return groupthink(now, consensus, earlier, before)


# Models overstate their confidence, so that only a panel without any doubter is a sign.
HIGH_CONFIDENCE, MEAN_CONFIDENCE = 0.8, 0.85
NEAR_UNANIMOUS = 0.9
ROSE = 0.1  # agreement, from one round to the next
# Any one of the signs is also seen in panels that are simply right.
_ENOUGH = 2
# Characters that are searched for links: an answer may have two megabytes (`Bounds.text`).
_LOOK = 100_000
_LINK = re.compile(r"https?://[^\s<>()\[\]\"']{1,300}")
_ADVICE = (
    "Consider another round with a devil's advocate, or check the main claims against a source "
    "outside the panel."
)


def groupthink(
    now: Round,
    consensus: Consensus,
    earlier: Sequence[Round] = (),
    before: Consensus | None = None,
) -> Groupthink:
    """The signs in a round: two of them make a warning.

    Args:
        now: the round that ended.
        consensus: its consensus.
        earlier: the rounds before it.
        before: the consensus of the last of these.
    """
    if len(now.usable) < 2:
        return Groupthink(detected=False)
    signs = tuple(_signs(now, consensus, earlier, before))
    is_warning = len(signs) >= _ENOUGH
    return Groupthink(
        detected=is_warning, indicators=signs, recommendation=_ADVICE if is_warning else ""
    )


def _signs(
    now: Round, consensus: Consensus, earlier: Sequence[Round], before: Consensus | None
) -> Iterator[str]:
    answers = now.usable
    sure = [c for r in answers if (c := stated_confidence(r)) is not None]
    all_sure = len(sure) == len(answers) and min(sure) >= HIGH_CONFIDENCE
    if all_sure and sum(sure) / len(sure) >= MEAN_CONFIDENCE:
        yield f"everyone is at least {HIGH_CONFIDENCE:.0%} sure"
    stances = [r.stance for r in answers if r.stance]
    if len(stances) > 1 and len(set(stances)) == 1 and stances[0] != "neutral":
        yield f"no dissenting stance: everyone is {stances[0]}"
    level = consensus.agreement_level
    # Answers written apart that agree are evidence; only those written together can be groupthink.
    was = before.agreement_level if before else None
    if was is None or level is None or _is_anything_new(answers, earlier):
        return
    if was < NEAR_UNANIMOUS <= level:
        yield f"nearly unanimous after reading each other (agreement {level:.2f})"
    if before and _rose(before, consensus):
        yield (
            f"agreement rose from {before.agreement_level:.2f} to {level:.2f} "
            "without new evidence or arguments"
        )


def _rose(before: Consensus, after: Consensus) -> bool:
    was, now = before.agreement_level, after.agreement_level
    return was is not None and now is not None and now - was >= ROSE


def _is_anything_new(answers: Sequence[Response], earlier: Sequence[Round]) -> bool:
    """Tell whether a round brought a source, a tool's result, or a reason that an answer names."""
    old = [r for round_ in earlier for r in round_.usable]
    return (
        bool(_sources(answers) - _sources(old))
        or any(r.tool_calls for r in answers)
        or any(_names_a_reason(r) for r in answers)
    )


def _names_a_reason(r: Response) -> bool:
    """Tell whether a panelist that changed something says what moved it."""
    change = r.closing.change if r.closing else None
    return change is not None and change.kind != "nothing" and bool(change.what)


def _sources(responses: Iterable[Response]) -> set[str]:
    return {
        url
        for r in responses
        for url in (*(c.url for c in r.citations), *_LINK.findall(r.text[:_LOOK]))
    }


# Half of a percent point: who differs by less does not mean to have become more or less sure.
_NOTICEABLE = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceChange:
    """Change of a panelist's stated confidence, the round since then, and what came with it."""

    seat: str
    round_number: int
    delta: float
    previous_round: int
    reason: str


def stated_confidence(response: Response) -> float | None:
    """The confidence that an answer states, if it is one."""
    confidence = response.confidence
    return confidence if confidence is not None and 0.0 <= confidence <= 1.0 else None


def confidence_change(
    t: Transcript,
    response: Response,
    flips: Sequence[Flip] = (),
) -> ConfidenceChange | None:
    """The change since its last answer."""
    last = previous(t, response) if response.usable else None
    if last is None:
        return None
    now, then = stated_confidence(response), stated_confidence(last)
    if now is None or then is None:
        return None
    return ConfidenceChange(
        seat=response.model_alias,
        round_number=response.round_number,
        delta=round(now - then, 4),
        previous_round=last.round_number,
        reason=_reason(last, response, flips),
    )


def _reason(last: Response, response: Response, flips: Sequence[Flip]) -> str:
    """Observed difference between two answers; not the cause that moved the panelist."""
    seat, number = response.model_alias, response.round_number
    if any((f.seat, f.round_number) == (seat, number) for f in flips):
        return "its bottom line is another one now"
    return (
        "unchanged"
        if abs((stated_confidence(response) or 0) - (stated_confidence(last) or 0)) < _NOTICEABLE
        else ""
    )
