"""JSON objects inside a text, as models write them: alone, in a code fence, or amid prose."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Any

MOST_TEXT = 200_000
MOST_OBJECTS = 20
# An object that begins with a name; "{x}" in prose or code is passed over.
_OBJECT = re.compile(r"\{\s{0,99}\"")
_FENCED = re.compile(r"^```[a-z]{0,10}\s{0,9}|\s{0,9}```$", re.IGNORECASE)
# Not strict: models put raw line breaks into strings.
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


_CLOSED_BY = {"{": "}", "[": "]"}
_START = re.compile(r"\{\s{0,99}\"")
_DEEPEST = 40
_MOST_TRIES = 3  # a repair goes through the text character by character


def object_with(text: str, names: Collection[str]) -> dict[str, Any] | None:
    """The object of a text with most of these fields, the last of equals; None if none has any.

    Invalid JSON is repaired as far as that adds nothing: raw line breaks in strings,
    commas before a closing bracket, and the end that a cut-off reply lacks.
    """
    fullest = _fullest(list(objects_in(text)), names)
    if fullest is not None:
        return fullest
    starts = [m.start() for m in islice(_START.finditer(text), _MOST_TRIES)]
    mended = (_repair(text[at : at + MOST_TEXT]) for at in starts)
    return next((m for m in mended if m and _fullest([m], names)), None)


def _fullest(objects: list[dict[str, Any]], names: Collection[str]) -> dict[str, Any] | None:
    best, most = None, 1
    for value in objects:
        count = sum(name in names for name in map(_flat, value))
        # The last of equals: who writes an object twice has corrected the first.
        if count >= most:
            best, most = value, count
    return best


def _flat(name: str) -> str:
    return "_".join(name.casefold().replace("_", " ").replace("-", " ").split())


def _repair(text: str) -> dict[str, Any] | None:
    kept: list[str] = []
    open_: list[str] = []
    whole = (0, "")  # end of the complete values, and the brackets that would close them
    quoted = escaped = False
    for c in text:
        if quoted:
            kept.append(c)
            quoted = escaped or c != '"'
            escaped = c == "\\" and not escaped
            continue
        if c in "}]":
            if not open_ or _CLOSED_BY[open_.pop()] != c:
                return None
            _drop_comma(kept)
        kept.append(c)
        quoted = c == '"'
        if c in _CLOSED_BY:
            open_.append(c)
        # The object is complete, or so deep that no reply of ours has that shape.
        if not open_ or len(open_) > _DEEPEST:
            break
        if c in "}]":
            whole = (len(kept), _closing(open_))
    # Of a reply that was cut off, what is complete is kept; half a value is dropped, not guessed.
    end = "" if not open_ else whole[1]
    size = len(kept) if not open_ else whole[0]
    return _load("".join(kept[:size]) + end)


def _closing(open_: list[str]) -> str:
    return "".join(_CLOSED_BY[b] for b in reversed(open_))


def _drop_comma(kept: list[str]) -> None:
    """Take back a comma with nothing after it."""
    at = len(kept) - 1
    while at >= 0 and kept[at].isspace():
        at -= 1
    if at >= 0 and kept[at] == ",":
        del kept[at]


def _load(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
