"""Cuts results to the size that clients are willing to read."""

from __future__ import annotations

from typing import Any

import orjson

from mutual_dissent.core.codec.camel import Json, Shape, camel

MOST = 20_000
"""Maximum characters of a result's text."""
ROOM = 14_000
"""Characters of one long text within a result: the rest is for what stands beside it, and for what
JSON escapes."""


def compact(result: Json) -> str:
    """Return the result as JSON without blanks."""
    return orjson.dumps(result).decode()


def piece(text: str, offset: int, room: int = ROOM) -> Json:
    """Return the fields of a `TextPiece` from an offset on, with the next offset."""
    part = text[offset : offset + room]
    # Escapes make JSON longer than the text: one control character becomes six.
    while part and len(compact({"": part})) > room + 1000:
        part = part[: len(part) * 3 // 4]
    end = offset + len(part)
    shown: Json = {"content": part, "offset": offset, "total_characters": len(text)}
    if end < len(text):
        shown["next_offset"] = end
        shown["hint"] = f"this is a piece; ask again with offset {end} for the next"
    return shown


def fit_answer(answer: Shape, hint: str) -> Json:
    """Cut an answer's longest texts and lists until it fits; `hint` says where the rest is."""
    result: Json = camel(answer)
    if len(compact(result)) <= MOST:
        return result
    for longest in (2_000, 1_000, 500, 240, 120, 60):
        cut = {**_cut(result, longest), "hint": hint}
        if len(compact(cut)) <= MOST:
            return cut
    return {**_cut(result, 60, items=8), "hint": hint}


def _cut(value: Any, longest: int, items: int = 60) -> Any:
    match value:
        case str() if len(value) > longest:
            return value[: longest - 1] + "…"
        case list():
            return [_cut(v, longest, items) for v in value[:items]]
        case dict():
            return {k: _cut(v, longest, items) for k, v in value.items()}
    return value
