"""An output format as another package might add it."""

from __future__ import annotations

from mutual_dissent.core.transcript import Transcript


def shout(transcript: Transcript) -> str:
    """The query, loud."""
    return transcript.query.upper()
