"""Debates in which it is known who read whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from fakes.debates import Answer, Said, transcript
from mutual_dissent.core.transcript import Transcript


def debated(
    answers: Mapping[str, Sequence[Answer]],
    read: Mapping[str, Sequence[str]] | None = None,
    **more: Any,
) -> Transcript:
    """A debate in which each panelist read these others before every round after the first.

    Args:
        answers: seat -> what it said in each round.
        read: reader -> whom it read; by default everyone reads everyone else.
        more: what `fakes.debates.debate` takes.
    """
    t = transcript(answers, **more)
    labels = {
        f"{r.round_number}/{r.role}/{r.model_alias}": _labels(answers, read, r.model_alias)
        for r in t.turns()
        if r.round_number > 0
    }
    return replace(t, labels=labels)


def held(position: str, **fields: Any) -> Said:
    """A structured answer."""
    return Said(position, {"position": position, **fields})


def _labels(
    answers: Mapping[str, Sequence[Answer]], read: Mapping[str, Sequence[str]] | None, reader: str
) -> dict[str, str]:
    seen = [s for s in answers if s != reader] if read is None else read.get(reader, ())
    return {f"Panelist {chr(65 + i)}": seat for i, seat in enumerate(seen)}
