"""Debates whose rounds were measured as the engine measures them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from fakes.debates import START, debate, panelist, response
from mutual_dissent.core.events import Answered, RoundEnded
from mutual_dissent.core.measures import Measures
from mutual_dissent.core.transcript import Transcript, fold
from mutual_dissent.engine import measures as weigh


def deliberated(*args: Any, **kwargs: Any) -> Transcript:
    """The transcript of a measured debate."""
    return fold(debate(*args, **kwargs))


def voted(ballots: dict[str, Any], **kwargs: Any) -> Transcript:
    """A debate whose panel ranked the initial answers, counted as the engine counts them."""
    *events, closed = debate({s: [f"{s} says so."] for s in ballots}, **kwargs)
    votes = [_vote(seat, ballot) for seat, ballot in ballots.items()]
    so_far = fold([*events, *votes])
    round_ = so_far.round(1)
    tally = weigh.tally(so_far, round_) if round_ else None
    measures = Measures(tally=tally)
    ended = RoundEnded(at=START, round_number=1, role="evaluation", measures=measures)
    return fold([*events, *votes, ended, closed])


def _vote(seat: str, ballot: Any) -> Answered:
    said = replace(response(panelist(seat), "evaluation", 1, "I rank them."), ballot=ballot)
    key = f"1/evaluation/{seat}"
    return Answered(at=START, key=key, seat=seat, request_hash="0" * 32, response=said)
