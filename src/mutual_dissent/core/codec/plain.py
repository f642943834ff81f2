"""Dataclasses to JSON and back, tolerant of fields that other versions know.

Writing is orjson's own, reading msgspec's: what is missing takes its default, what is unknown is
ignored, and a value of the wrong shape raises `Malformed` with its path.
"""

from __future__ import annotations

import threading
from dataclasses import fields
from typing import Any, TypeVar

import orjson

T = TypeVar("T")

# msgspec lays out how a class is read when it first meets it, and shows the half-made layout to
# other threads: two that read their first event at the same moment crash the process.
_LAID_OUT: set[type] = set()
_LAYING_OUT = threading.Lock()


class Malformed(ValueError):
    """A stored value does not have the shape that its place asks for.

    Attributes:
        path: the names that lead to it, outermost first; empty if it is the whole value.
    """

    def __init__(self, sentence: str, *path: str) -> None:
        super().__init__(sentence)
        self.path = path


def to_bytes(value: object, *, indent: bool = False) -> bytes:
    """The JSON of a dataclass or of plain values, times in UTC with a Z."""
    options = orjson.OPT_UTC_Z | orjson.OPT_NON_STR_KEYS
    return orjson.dumps(value, option=options | orjson.OPT_INDENT_2 if indent else options)


def to_plain(value: object) -> Any:
    """The same value as dicts, lists and strings."""
    return orjson.loads(to_bytes(value))


def shallow(value: Any, *without: str) -> dict[str, Any]:
    """The fields of a dataclass by name, their values as they are; `to_bytes` writes both alike."""
    return {f.name: getattr(value, f.name) for f in fields(value) if f.name not in without}


def from_plain(cls: type[T], plain: object) -> T:
    """An instance of a dataclass from what `to_plain` gave, now or in an earlier version.

    Raises:
        Malformed: if a value has the wrong shape.
    """
    from msgspec import ValidationError, convert  # 5 ms that `dissent --help` does not need

    if cls not in _LAID_OUT:
        _lay_out(cls)
    try:
        return convert(plain, cls)
    except ValidationError as e:
        what, _, where = str(e).partition(" - at `")
        path = [name for name in where.rstrip("`").lstrip("$.").split(".") if name]
        raise Malformed(f"{'.'.join((cls.__name__, *path))}: {what}", *path) from None


def _lay_out(cls: type) -> None:
    """Have msgspec learn how a class is read, with all classes in it, one thread at a time."""
    from msgspec.json import Decoder

    with _LAYING_OUT:
        Decoder(cls)
        _LAID_OUT.add(cls)
