"""JSON objects inside a text, as models write them: alone, in a code fence, or amid prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

MOST_TEXT = 200_000
MOST_OBJECTS = 20
_OBJECT = re.compile(r"\{\s{0,99}\"")
_FENCED = re.compile(r"^```[a-z]{0,10}\s{0,9}|\s{0,9}```$", re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)


def whole_object(text: str) -> dict[str, Any] | None:
    """The text if it is a JSON object and nothing else, a code fence around it aside."""
    bare = _FENCED.sub("", text.strip())
    if not (bare.startswith("{") and bare.endswith("}")):
        return None
    try:
        value = json.loads(bare, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def objects_in(text: str) -> Iterator[dict[str, Any]]:
    """Yield the outermost JSON objects of a text in order; skip everything else. Bounded."""
    text, end = text[:MOST_TEXT], 0
    for start in [m.start() for m in _OBJECT.finditer(text)][:MOST_OBJECTS]:
        if start < end:
            continue  # inside the one before
        try:
            value, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        yield value
