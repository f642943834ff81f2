"""OTLP traces as protobuf, for receivers that refuse their JSON form.

The table has of the protocol's messages what our traces use; numbers are those of its definition.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Mapping
from typing import Any

VARINT, FIXED_64, BYTES = 0, 1, 2
"""Ways in which protobuf writes a value."""

Field = tuple[int, Callable[[Any], bytes], int]


def to_protobuf(text: str) -> bytes:
    """The request that a trace in JSON stands for."""
    return _message("request", json.loads(text))


def _message(name: str, plain: Mapping[str, Any]) -> bytes:
    written = bytearray()
    for key, value in plain.items():
        number, write, kind = FIELDS[name][key]
        for one in value if isinstance(value, list) else [value]:
            written += _varint(number << 3 | kind)
            data = write(one)
            written += _varint(len(data)) + data if kind == BYTES else data
    return bytes(written)


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1  # a negative number is written as its complement
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    written.append(value)
    return bytes(written)


def _inner(name: str) -> Callable[[Any], bytes]:
    return lambda plain: _message(name, plain)


def _text(value: str) -> bytes:
    return value.encode("utf-8", "replace")


def _whole(value: str | int) -> bytes:
    return _varint(int(value))


def _moment(value: str | int) -> bytes:
    return struct.pack("<Q", int(value))


def _number(value: float) -> bytes:
    return struct.pack("<d", value)


def _fields(lines: Iterable[str]) -> dict[str, Field]:
    """Fields of a message, from `number name kind`."""
    found: dict[str, Field] = {}
    for line in lines:
        number, name, kind = line.split()
        write, way = KINDS.get(kind) or (_inner(kind), BYTES)
        found[name] = (int(number), write, way)
    return found


KINDS: dict[str, tuple[Callable[[Any], bytes], int]] = {
    "text": (_text, BYTES),
    "id": (bytes.fromhex, BYTES),
    "whole": (_whole, VARINT),
    "moment": (_moment, FIXED_64),
    "number": (_number, FIXED_64),
}
FIELDS: dict[str, dict[str, Field]] = {
    "request": _fields(["1 resourceSpans resource_spans"]),
    "resource_spans": _fields(
        ["1 resource resource", "2 scopeSpans scope_spans", "3 schemaUrl text"]
    ),
    "resource": _fields(["1 attributes pair"]),
    "scope_spans": _fields(["1 scope scope", "2 spans span", "3 schemaUrl text"]),
    "scope": _fields(["1 name text", "2 version text"]),
    "span": _fields(
        [
            "1 traceId id", "2 spanId id", "4 parentSpanId id", "5 name text", "6 kind whole",
            "7 startTimeUnixNano moment", "8 endTimeUnixNano moment", "9 attributes pair",
            "11 events event", "13 links link", "15 status status",
        ]
    ),
    "event": _fields(["1 timeUnixNano moment", "2 name text", "3 attributes pair"]),
    "link": _fields(["1 traceId id", "2 spanId id", "4 attributes pair"]),
    "status": _fields(["2 message text", "3 code whole"]),
    "pair": _fields(["1 key text", "2 value value"]),
    "value": _fields(
        [
            "1 stringValue text", "2 boolValue whole", "3 intValue whole", "4 doubleValue number",
            "5 arrayValue list",
        ]
    ),
    "list": _fields(["1 values value"]),
}  # fmt: skip
"""Message -> name of a field in JSON -> its number, how its value is written, and in which way."""
