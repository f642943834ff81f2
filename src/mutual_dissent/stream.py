"""Watching a debate to its end: the transcript that its events come to, and the round hook."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from mutual_dissent.core.events import Event, RoundEnded, Token
from mutual_dissent.core.transcript import Round, Transcript, advance

log = logging.getLogger("mutual_dissent")

Update = Event | Token
UpdateStream = AsyncGenerator[Update, None]
"""Close it (`aclosing`) where it is not watched to its end, and the debate is stopped at once."""

OnRound = Callable[[Round], Awaitable[None]]


async def collect_transcript(
    events: UpdateStream, on_round_complete: OnRound | None = None
) -> Transcript:
    """The transcript that a stream of events comes to, calling back after each round."""
    transcript: Transcript | None = None
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Token):
                continue
            transcript = advance(transcript, event)
            if on_round_complete and isinstance(event, RoundEnded):
                await _tell(on_round_complete, transcript, event)
    assert transcript is not None, "every debate begins with Opened"
    return transcript


async def _tell(hook: OnRound, transcript: Transcript, event: RoundEnded) -> None:
    """Call a hook; whatever it raises is logged and does not touch the debate."""
    round_ = transcript.round(event.round_number)
    if event.role == "synthesis" and transcript.synthesis is not None:
        responses = (transcript.synthesis,)
        round_ = Round(round_number=-1, round_type="synthesis", responses=responses)
    if round_ is None or round_.round_type != event.role:
        return
    try:
        await hook(round_)
    except Exception:
        log.exception("on_round_complete failed for round %s", event.round_number)
