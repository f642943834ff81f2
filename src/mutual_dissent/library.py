"""Attributes of a transcript beyond its record: the same words and figures as in its JSON.

The transcript itself is at the bottom of all layers and knows none of them; here it is told.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mutual_dissent.core.codec.plain import to_bytes
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.transcript import FACES, Transcript, fold
from mutual_dissent.views.answer import fallback_answer
from mutual_dissent.views.documents.json import metadata_to_json, transcript_to_json
from mutual_dissent.views.heading import heading

__all__ = ["Transcript"]


def to_dict(transcript: Transcript) -> dict[str, Any]:
    """The transcript as plain values, as in its file."""
    return transcript_to_json(transcript, fallback_answer(transcript))


def from_dict(plain: Mapping[str, Any]) -> Transcript:
    """The transcript of such plain values, ours or of an earlier program.

    Raises:
        BadInput: if there is no debate in them.
    """
    from mutual_dissent.store.files.parse import reading

    try:
        found = reading(to_bytes(dict(plain)))
    except (TypeError, ValueError) as e:
        raise BadInput(f"this is no transcript: {e}") from None
    if not found.events:
        raise BadInput(f"this is no transcript: {'; '.join(found.notes)}")
    return fold(found.events)


def html(transcript: Transcript) -> str:
    """Summary of a debate as HTML, for a notebook."""
    from mutual_dissent.views.documents.html import to_fragment

    return to_fragment(transcript)


FACES.update(
    heading=heading,
    fallback_answer=fallback_answer,
    metadata=metadata_to_json,
    to_dict=to_dict,
    from_dict=from_dict,
    html=html,
)
