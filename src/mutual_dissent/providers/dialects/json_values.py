"""JSON from vendors: decoded within bounds, and read without trusting any type."""

from __future__ import annotations

import json
import math
from typing import Any

import orjson

MAX_BODY = 11_000_000
MAX_WIDE = 4_000_000  # of text that takes four bytes a letter in memory because of one letter
MAX_COUNT = 10**9
MAX_DOLLARS = 10**6
# Bytes. The standard library's parser is slow: it must not hold up the loop for longer texts.
MAX_LENIENT = 400_000
# Objects and lists cost far more memory than their bytes: `[],` a million times is 3 MB of text.
MAX_CONTAINERS = 8_000
MAX_VALUES = 100_000
SMALL = 32 * 1024
# orjson refuses these; `\ud` begins a surrogate, which may lack its other half.
FORBIDDEN = (b"NaN", b"Infinity", b"\\ud", b"\\uD")


def decode_body(body: bytes | bytearray, limit: int = MAX_BODY) -> Any | None:
    """Return the value of a JSON body; None if it is too large, too deep, a bomb, or not JSON."""
    return None if len(body) > limit or is_bomb(body) else decode_json(body)


def decode_event(data: str) -> dict[str, Any] | None:
    """Return the object in an event's data; None if there is none. `[DONE]` and "" are empty."""
    if data in ("[DONE]", ""):
        return {}
    body = data.encode("utf-8", "replace")
    value = None if is_bomb(body) else decode_json(body)
    if value is None and data.strip() in ("[DONE]", ""):
        return {}
    return value if type(value) is dict else None


def arguments(text: str) -> dict[str, Any] | str:
    """Return a tool call's arguments; the text itself where it is not a JSON object."""
    return value if (value := decode_event(text)) is not None else text


def mapping(value: object) -> dict[str, Any]:
    """Return the value if it is an object, else an empty one."""
    return value if type(value) is dict else {}


def objects(value: object) -> list[dict[str, Any]]:
    """Return the objects in a list; none if it is not a list."""
    return [item for item in value if type(item) is dict] if type(value) is list else []


def string(value: object) -> str:
    """Return the value if it is a string, else an empty one."""
    return value if type(value) is str else ""


def count(value: object) -> int | None:
    """Return a plausible number of tokens: whole, not negative, not absurd; else None."""
    return value if type(value) is int and 0 <= value <= MAX_COUNT else None


def dollars(value: object) -> float | None:
    """Return a plausible amount of money; else None."""
    if type(value) not in (int, float):
        return None
    amount = float(value)  # type: ignore[arg-type]  # mypy does not narrow by `type(...) in`
    return amount if 0 <= amount <= MAX_DOLLARS else None


def dollars_of(ticks: object) -> float | None:
    """Return a plausible amount of money in xAI's unit, of which 10,000,000,000 are a dollar."""
    return dollars(ticks / 10**10) if type(ticks) is int else None


def writable(text: str) -> str:
    """Return the text with what UTF-8 cannot carry (lone surrogates) replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def decode_json(body: bytes | bytearray) -> Any | None:
    """Return the value of a JSON text that is not a bomb; None if it is not JSON."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as e:
        if len(body) > MAX_LENIENT:
            return None
        # "infinity" is orjson's word for numbers like 1e999, or of 400 digits.
        odd = any(token in body for token in FORBIDDEN) or "infinity" in str(e)
        return _lenient(body) if odd else None


def is_bomb(body: bytes | bytearray) -> bool:
    """Return whether decoding would take long and fill the memory."""
    if len(body) <= SMALL:
        return False
    if len(body) > MAX_WIDE and (not body.isascii() or b"\\ud" in body or b"\\uD" in body):
        return True
    return body.count(b"{") + body.count(b"[") > MAX_CONTAINERS or body.count(b",") > MAX_VALUES


def _lenient(body: bytes | bytearray) -> Any | None:
    """Decode what vendors send although JSON forbids it: NaN, huge numbers, lone surrogates."""
    try:
        value = json.loads(
            body, parse_constant=lambda _: None, parse_float=_finite, parse_int=_bounded
        )
        # Written and read once more, so that no lone surrogate goes on from here.
        return orjson.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None


def _finite(digits: str) -> float | None:
    return number if math.isfinite(number := float(digits)) else None


def _bounded(digits: str) -> int | None:
    # 19 digits are what 64 bits hold.
    return int(digits) if len(digits) <= 19 else None
