"""JSON that a stranger wrote: decoded within bounds, and read without trusting any type."""

from __future__ import annotations

import json
import math
from typing import Any

import orjson

MAX_BODY = 16 * 1024 * 1024
MAX_COUNT = 10**9
MAX_DOLLARS = 10**6
MAX_CONTAINERS = 250_000
MAX_KEYS = 500_000
SMALL = 64 * 1024
FORBIDDEN = (b"NaN", b"Infinity", b"\\ud", b"\\uD")


def decode_body(body: bytes, limit: int = MAX_BODY) -> Any | None:
    """The value of a JSON body; None if it is too large, too deep, a bomb, or no JSON at all."""
    return None if len(body) > limit else _decoded(body)


def decode_event(data: str) -> dict[str, Any] | None:
    """The object in an event's data; None if there is none. `[DONE]` and nothing are empty."""
    if data in ("[DONE]", ""):
        return {}
    value = _decoded(data.encode("utf-8", "replace"))
    if value is None and data.strip() in ("[DONE]", ""):
        return {}
    return value if type(value) is dict else None


def arguments(text: str) -> dict[str, Any] | str:
    """A tool call's arguments; the text itself where it is no JSON object."""
    return value if (value := decode_event(text)) is not None else text


def mapping(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if type(value) is dict else {}


def objects(value: object) -> list[dict[str, Any]]:
    """The objects in a list; none if it is no list."""
    return [item for item in value if type(item) is dict] if type(value) is list else []


def string(value: object) -> str:
    """The value if it is a string, else an empty one."""
    return value if type(value) is str else ""


def count(value: object) -> int | None:
    """A number of tokens that can be believed: whole, not negative, not absurd."""
    return value if type(value) is int and 0 <= value <= MAX_COUNT else None


def dollars(value: object) -> float | None:
    """An amount of money that can be believed."""
    if type(value) not in (int, float):
        return None
    amount = float(value)  # type: ignore[arg-type]  # mypy does not narrow by `type(...) in`
    return amount if 0 <= amount <= MAX_DOLLARS else None


def writable(text: str) -> str:
    """The text with what UTF-8 cannot carry (lone surrogates) replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def _decoded(body: bytes) -> Any | None:
    if len(body) > SMALL and _is_bomb(body):
        return None
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as e:
        odd = any(token in body for token in FORBIDDEN) or "infinity" in str(e)
        return _lenient(body) if odd else None


def _is_bomb(body: bytes) -> bool:
    """Whether so many values are packed into few bytes that they would fill the memory."""
    return body.count(b"{") + body.count(b"[") > MAX_CONTAINERS or body.count(b":") > MAX_KEYS


def _lenient(body: bytes) -> Any | None:
    """What vendors do send although JSON forbids it: NaN, huge numbers, half surrogate pairs."""
    try:
        value = json.loads(
            body, parse_constant=lambda _: None, parse_float=_finite, parse_int=_bounded
        )
        # Written and read once more, so that no half surrogate pair goes on from here.
        return orjson.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _finite(digits: str) -> float | None:
    return number if math.isfinite(number := float(digits)) else None


def _bounded(digits: str) -> int | None:
    return int(digits) if len(digits) <= 19 else None
