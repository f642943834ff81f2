"""One debate in one call, for scripts and notebooks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.stream import OnRound, collect_transcript


async def run_debate(
    query: str,
    *,
    panelist_context: Mapping[str, str] | None = None,
    on_round_complete: OnRound | None = None,
    save: bool = True,
    **options: Any,
) -> Transcript:
    """Put a query to a panel and return the transcript.

    Args:
        query: what to ask.
        panelist_context: alias -> private context that this panelist keeps through every round.
        on_round_complete: awaited with each finished round, the synthesis included; what it raises
            is logged and does not touch the debate.
        save: whether the debate is kept.
        options: the further fields of `Options`, such as `panel`, `synthesizer` and `rounds`.

    Example:
        ```python
        transcript = await run_debate("Is P equal to NP?", panel=["claude", "gpt"], rounds=2)
        ```
    """
    async with MutualDissent() as md:
        return await md.debate(
            query,
            save=save,
            on_round_complete=on_round_complete,
            panelist_context=panelist_context or {},
            **options,
        )


async def run_replay(
    transcript: str | Transcript,
    *,
    synthesizer: str | None = None,
    rounds: int = 0,
    panelist_context: Mapping[str, str] | None = None,
    on_round_complete: OnRound | None = None,
    save: bool = True,
) -> Transcript:
    """A new transcript that reuses the recorded answers of a stored debate.

    Args:
        transcript: the earlier debate, or its id.
        synthesizer: who writes the answer this time; by default the same as before.
        rounds: how many further rounds to hold.
        panelist_context: alias -> private context for the rounds that are added.
        on_round_complete: awaited with each finished round.
        save: whether the new debate is kept.
    """
    async with MutualDissent() as md:
        events = md.replay(
            transcript,
            synthesizer=synthesizer,
            rounds=rounds,
            save=save,
            panelist_context=panelist_context,
        )
        return await collect_transcript(events, on_round_complete)
