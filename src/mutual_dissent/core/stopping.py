"""Stopping: when a debate has nothing more to gain. It is given what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.values.terms import option

Reason = Literal["conceded", "consensus", "convergence", "confidence", "budget", "max_rounds"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitCriteria:
    """Criteria to stop before the last round; None turns one off.

    Attributes:
        consensus: stop once the agreement level is at least this.
        convergence: stop once nobody has moved for this many transitions between rounds.
        confidence: stop once everyone is at least this sure; models overstate it.
    """

    consensus: float | None = None
    convergence: int | None = None
    confidence: float | None = None

    def __post_init__(self) -> None:
        for name, value in (("consensus", self.consensus), ("confidence", self.confidence)):
            if value is not None and not 0.0 < value <= 1.0:
                raise BadInput(
                    f"{option(f'exit_{name}')} takes a number above 0 and up to 1, not {value}"
                )
        if self.convergence is not None and self.convergence < 1:
            raise BadInput(
                f"{option('exit_convergence')} takes 1 or more rounds, not {self.convergence}"
            )


NEVER_EARLY = ExitCriteria()
"""Every round is held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """Reason why no further round is held."""

    reason: Reason
    details: str


def exit_reason(
    criteria: ExitCriteria,
    *,
    round_number: int,
    max_rounds: int,
    agreement: float | None = None,
    stable_rounds: int = 0,
    confidences: Sequence[float | None] = (),
    over_budget: bool = False,
    conceded: str = "",
) -> Exit | None:
    """The first criterion that is met after a round, or None to go on.

    Args:
        round_number: the round that has ended; 0 is the initial one.
        max_rounds: how many rounds may follow the initial one.
        agreement: its agreement level, None if it could not be measured.
        stable_rounds: how many of the last transitions left everyone unmoved.
        confidences: what each usable answer states, None where it states nothing.
        over_budget: whether another round would exceed the budget.
        conceded: who gave up the side that it was to argue, in words; then nobody is left to
            argue with, whatever the criteria.
    """
    return (
        # Agreement is told before the end of all rounds, and that before whatever else is met.
        (_exit("conceded", conceded) if conceded else None)
        or _agreed(criteria.consensus, agreement)
        or _last(round_number, max_rounds)
        or _settled(criteria.convergence, stable_rounds)
        or _sure(criteria.confidence, confidences)
        or (_exit("budget", "another round would exceed the budget") if over_budget else None)
    )


def _agreed(threshold: float | None, agreement: float | None) -> Exit | None:
    if threshold is None or agreement is None or agreement < threshold:
        return None
    return _exit("consensus", f"agreement {agreement:.2f} has reached {threshold:g}")


def _settled(threshold: int | None, stable_rounds: int) -> Exit | None:
    if threshold is None or stable_rounds < threshold:
        return None
    rounds = "round" if stable_rounds == 1 else "rounds"
    return _exit("convergence", f"nobody has changed position for {stable_rounds} {rounds}")


def _sure(threshold: float | None, confidences: Sequence[float | None]) -> Exit | None:
    known = [c for c in confidences if c is not None]
    # Who says nothing of its confidence may be in doubt.
    if threshold is None or not known or len(known) < len(confidences) or min(known) < threshold:
        return None
    return _exit("confidence", f"everyone is at least {threshold:.0%} sure")


def _last(round_number: int, max_rounds: int) -> Exit | None:
    if round_number < max_rounds:
        return None
    return _exit("max_rounds", f"all rounds were held ({max_rounds} after the initial one)")


def _exit(reason: Reason, details: str) -> Exit:
    return Exit(reason=reason, details=details)
