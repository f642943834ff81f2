"""Convergence: changes from round to round, as panelists state them, and flips among them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from mutual_dissent.analysis.bottom_lines import compare_lines
from mutual_dissent.analysis.rounds.clusters import opinions
from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.analysis.rounds.exposure import previous, seats_read
from mutual_dissent.core.figures.stats import SETTLED
from mutual_dissent.core.measures import DISAGREE, Consensus
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript

NOTHING, DETAIL, YES, UNKNOWN = "nothing", "detail", "yes", "unknown"
STABLE_AFTER = 2  # transitions from one round to the next


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """One panelist's way from its last answer to this one.

    Attributes:
        change: `nothing`, a `detail`, its bottom line (`yes`), or `unknown`.
        source: `said` by the panelist, or found by `value`; empty if unknown.
        stable: whether its bottom line has stood over the last two transitions.
    """

    seat: str
    round_number: int
    change: str
    source: str = ""
    stable: bool = False

    @property
    def unmoved(self) -> bool:
        """Return whether the bottom line is the same as before."""
        return self.change in (NOTHING, DETAIL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Convergence:
    """The panel's way through the rounds.

    Attributes:
        shifts: one for each panelist and round after its first.
        stable_rounds: how many of the last transitions left everyone unmoved.
        stable: the seats that are stable after the last round.
        rounds_to_convergence: the first round that agreed or left everyone unmoved, if any did.
        disagreement_count: how many pairs contradicted each other in the last round; None where
            nothing was measured.
    """

    shifts: tuple[Shift, ...]
    stable_rounds: int
    stable: tuple[str, ...]
    rounds_to_convergence: int | None
    disagreement_count: int | None


def convergence(t: Transcript, by_round: Mapping[int, Consensus]) -> Convergence:
    """Movement of the panel, given the consensus of each round."""
    shifts: list[Shift] = []
    for round_ in t.rounds:
        for response in opinions(round_.responses).values():
            if shift := _shift(t, response, shifts):
                shifts.append(shift)
    last = t.last_round.round_number if t.last_round else None
    return Convergence(
        shifts=tuple(shifts),
        stable_rounds=_stable_rounds(shifts),
        stable=tuple(s.seat for s in shifts if s.stable and s.round_number == last),
        rounds_to_convergence=_settling_round(by_round, shifts),
        disagreement_count=_contradictions(by_round.get(last) if last is not None else None),
    )


def _shift(t: Transcript, response: Response, so_far: Sequence[Shift]) -> Shift | None:
    before = previous(t, response)
    if before is None:
        return None
    seat = response.model_alias
    change, source = classify_change(before, response, t.query)
    shift = Shift(seat=seat, round_number=response.round_number, change=change, source=source)
    own = [*(s for s in so_far if s.seat == seat), shift][-STABLE_AFTER:]
    is_stable = len(own) == STABLE_AFTER and all(s.unmoved for s in own)
    return replace(shift, stable=is_stable)


def classify_change(before: Response, after: Response, query: str = "") -> tuple[str, str]:
    """Kind of change between two answers of one panelist, and the source of that."""
    # The author knows best what it changed; two texts are compared only where it does not say.
    if after.closing and after.closing.change:
        return after.closing.change.kind, "said"
    then, now = position(before, query), position(after, query)
    if then and then == now:
        return NOTHING, "value"
    verdict = compare_lines({"a": then, "b": now}, query).get(("a", "b")) if then and now else None
    # Partly another line may be a detail or a change of mind: not told.
    if verdict is None or verdict.relation == "partly":
        return UNKNOWN, ""
    return (NOTHING if verdict.relation == "agree" else YES), "value"


def _stable_rounds(shifts: Sequence[Shift]) -> int:
    count = 0
    for number in sorted({s.round_number for s in shifts}, reverse=True):
        if not all(s.unmoved for s in shifts if s.round_number == number):
            break
        count += 1
    return count


def _settling_round(by_round: Mapping[int, Consensus], shifts: Sequence[Shift]) -> int | None:
    """The first round that agreed, or in which no panelist moved."""
    for number in sorted({*by_round, *(s.round_number for s in shifts)}):
        consensus = by_round.get(number)
        level = consensus.agreement_level if consensus else None
        own = [s for s in shifts if s.round_number == number]
        if (level is not None and level >= SETTLED) or (own and all(s.unmoved for s in own)):
            return number
    return None


def _contradictions(consensus: Consensus | None) -> int | None:
    if consensus is None or not any(p.measured for p in consensus.pairs):
        return None
    return sum(p.relation == DISAGREE for p in consensus.pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """A change of mind.

    Attributes:
        kind: how it is known: `said` by the panelist, or by `value` of its two bottom lines.
        read: the seats whose answers it had read.
        towards: those of them that it says moved it.
        reason: the reason, in its own words.
    """

    seat: str
    round_number: int
    kind: str
    before: str
    after: str
    read: tuple[str, ...]
    towards: tuple[str, ...]
    reason: str


def flips(t: Transcript, moved: Convergence) -> tuple[Flip, ...]:
    """Every change of a bottom line, round by round."""
    left = {(s.seat, s.round_number): s.source for s in moved.shifts if s.change == YES}
    found = []
    for response in t.turns():
        source = left.get((response.model_alias, response.round_number))
        before = previous(t, response) if source and response.usable else None
        if source and before:
            found.append(_flip(t, before, response, source))
    return tuple(found)


def _flip(t: Transcript, before: Response, after: Response, source: str) -> Flip:
    change = after.closing.change if after.closing else None
    return Flip(
        seat=after.model_alias,
        round_number=after.round_number,
        kind=source,
        before=(change.before if change else "") or position(before, t.query),
        after=(change.after if change else "") or position(after, t.query),
        read=seats_read(t, after),
        towards=change.because_of if change else (),
        reason=change.what if change else "",
    )
