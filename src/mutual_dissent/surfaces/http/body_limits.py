"""Strict JSON parsing with limits that are checked before any value is built.

A body of 10 MB can hold so many values, or nest so deep, that parsing it would cost gigabytes or
overflow the stack. Its brackets are counted first, in one pass that stops at the limit.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NoReturn

import orjson

from mutual_dissent.core.errors import clip
from mutual_dissent.surfaces.http.errors import ApiError

if TYPE_CHECKING:
    from starlette.requests import Request

MAX_DEPTH = 64
MAX_PARTS = 200_000
"""Brackets, commas, colons and strings: they bound the number of values."""
# Reading a number takes time with the square of its digits; nothing that is asked for needs 40.
MAX_DIGITS = 40

PARSED = "json"
"""Key of the parsed body in a request's state, set by the guard."""

# An unterminated string matches to the end of the body, so that no byte is scanned twice.
_PART = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{},:]', re.DOTALL)


async def read_json(request: Request, *, optional: bool = False) -> Any:
    """Return the JSON value of a request's body; an empty object for an optional, missing body.

    Raises:
        Refused: with status 400, if it is invalid or too large JSON.
    """
    state = request.scope.get("state", {})
    if PARSED in state:
        return state[PARSED]
    body = await request.body()
    return {} if optional and not body.strip() else parse_json(body)


def parse_json(body: bytes) -> Any:
    """Parse a body.

    Raises:
        Refused: with status 400, if it is invalid or too large JSON.
    """
    if not body.strip():
        _refuse("the body is empty; send a JSON object")
    _check_size(body)
    try:
        # Read twice: orjson is strict about bytes, and json shows names that come twice and long
        # numbers.
        orjson.loads(body)  # no NaN, no half characters, no other encodings
        return json.loads(body, object_pairs_hook=_object, parse_int=_int, parse_float=_float)
    except (orjson.JSONDecodeError, RecursionError) as e:
        _refuse(f"the body is not JSON ({clip(str(e), 80)}); check how it was written")


def _check_size(body: bytes) -> None:
    depth = 0
    for number, part in enumerate(_PART.finditer(body)):
        first = body[part.start()]
        if first in b"[{":
            depth += 1
        elif first in b"]}":
            depth -= 1
        if depth > MAX_DEPTH:
            _refuse(f"the JSON is nested deeper than {MAX_DEPTH} levels; send a flatter one")
        if number >= MAX_PARTS:
            _refuse("the JSON has too many values; send fewer")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        _refuse(f"the JSON names {clip(twice)!r} twice in one object; leave one out")
    return values


def _int(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        _refuse(f"the JSON has a number of more than {MAX_DIGITS} digits; send a smaller one")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if len(digits) > MAX_DIGITS or not math.isfinite(number):
        _refuse("the JSON has a number that is too long or too large; send a smaller one")
    return number


def _refuse(sentence: str) -> NoReturn:
    raise ApiError(400, "bad_json", sentence)
