"""Debates whose rounds were measured as the engine measures them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from fakes.debates import START, debate, panelist, response
from mutual_dissent.analysis.consensus import Consensus, consensus
from mutual_dissent.core.events import Answered, Event, RoundEnded
from mutual_dissent.core.step import Step
from mutual_dissent.core.transcript import OPINION_ROLES, Transcript, fold
from mutual_dissent.engine import weigh

Judge = Callable[[Consensus], Consensus]


def measured(events: Sequence[Event], judge: Judge = lambda found: found) -> list[Event]:
    """The same debate with the measures of today; `judge` may change what was found."""
    done: list[Event] = []
    for event in events:
        if isinstance(event, RoundEnded) and event.role in OPINION_ROLES:
            so_far = fold(done)
            round_ = so_far.round(event.round_number)
            found = judge(consensus(round_.responses)) if round_ else None
            step = Step(round_number=event.round_number, role=event.role, turns=())
            done.append(replace(event, measures=_measures(so_far, step, found)))
        else:
            done.append(event)
    return done


def _measures(so_far: Transcript, step: Step, found: Consensus | None) -> dict[str, Any]:
    return weigh.measures(so_far, step, found, last=so_far.max_rounds)


def by(analyzer: str) -> Judge:
    """As if another analyzer had found the same."""
    return lambda found: replace(found, analyzer=analyzer)


def deliberated(*args: Any, judge: Judge = lambda found: found, **kwargs: Any) -> Transcript:
    """The transcript of a measured debate."""
    return fold(measured(debate(*args, **kwargs), judge))


def voted(ballots: dict[str, Any], **kwargs: Any) -> Transcript:
    """A debate whose panel ranked the initial answers, counted as the engine counts them."""
    *events, closed = measured(debate({s: [f"{s} says so."] for s in ballots}, **kwargs))
    votes = [_vote(seat, ballot) for seat, ballot in ballots.items()]
    so_far = fold([*events, *votes])
    round_ = so_far.round(1)
    tally = weigh.tally(so_far, round_) if round_ else {}
    ended = RoundEnded(at=START, round_number=1, role="evaluation", measures=tally)
    return fold([*events, *votes, ended, closed])


def _vote(seat: str, ballot: Any) -> Answered:
    said = replace(response(panelist(seat), "evaluation", 1, "I rank them."), ballot=ballot)
    key = f"1/evaluation/{seat}"
    return Answered(at=START, key=key, seat=seat, request_hash="0" * 32, response=said)
