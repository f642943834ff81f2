"""Dataclasses to JSON and back, tolerant of fields that other versions know.

Writing is orjson's own. Reading builds one converter for each class from its type hints, keeps
defaults for what is missing, ignores what it does not know, and raises `Malformed` with the path of
the first value that has the wrong shape.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import orjson

T = TypeVar("T")
Read = Callable[[Any], Any]


class Malformed(ValueError):
    """A stored value does not have the shape that its place asks for.

    Attributes:
        path: the fields that lead to it, the outermost first.
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
    """An instance of a dataclass from what `to_plain` gave, now or in an earlier version."""
    hint: Any = cls
    return typing.cast("T", _reader(hint)(plain))


@cache
def _reader(hint: Any) -> Read:
    if is_dataclass(hint):
        return _dataclass_reader(hint)
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _union_reader(get_args(hint))
    if origin is Literal:
        return _literal_reader(get_args(hint))
    if origin is tuple:
        return _tuple_reader(_reader(get_args(hint)[0]))
    if origin in (dict, Mapping):
        return _mapping_reader(_reader(get_args(hint)[1]))
    if hint is datetime:
        return _time
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _enum_reader(hint)
    return _plain_reader(hint)


def _dataclass_reader(cls: Any) -> Read:
    hints = get_type_hints(cls)
    known = {f.name: _reader(hints[f.name]) for f in fields(cls) if f.init}
    required = {
        f.name
        for f in fields(cls)
        if f.init and f.default is MISSING and f.default_factory is MISSING
    }

    def read(plain: Any) -> Any:
        if not isinstance(plain, dict):
            raise Malformed(f"{cls.__name__} is not an object")
        if missing := required - plain.keys():
            raise Malformed(f"{cls.__name__} has no {', '.join(sorted(missing))}")
        values = {}
        for name, value in plain.items():
            if convert := known.get(name):
                try:
                    values[name] = convert(value)
                except Malformed as e:
                    raise Malformed(f"{cls.__name__}.{name}: {e}", name, *e.path) from None
        return cls(**values)

    return read


def _union_reader(options: tuple[Any, ...]) -> Read:
    readers = [_reader(o) for o in options if o is not type(None)]
    nullable = type(None) in options

    def read(plain: Any) -> Any:
        if plain is None and nullable:
            return None
        problem: Malformed | None = None
        for reader in readers:
            try:
                return reader(plain)
            except Malformed as e:
                problem = e
        raise problem or Malformed("null is not accepted here")

    return read


def _literal_reader(options: tuple[Any, ...]) -> Read:
    def read(plain: Any) -> Any:
        if plain not in options:
            raise Malformed(f"{plain!r:.40} is none of {options}")
        return plain

    return read


def _tuple_reader(item: Read) -> Read:
    def read(plain: Any) -> Any:
        if not isinstance(plain, list | tuple):
            raise Malformed("not a list")
        return tuple(item(p) for p in plain)

    return read


def _mapping_reader(item: Read) -> Read:
    def read(plain: Any) -> Any:
        if not isinstance(plain, dict):
            raise Malformed("not an object")
        return {str(k): item(v) for k, v in plain.items()}

    return read


def _enum_reader(enum: type[StrEnum]) -> Read:
    def read(plain: Any) -> Any:
        try:
            return enum(plain)
        except ValueError:
            raise Malformed(f"{plain!r:.40} is not a {enum.__name__}") from None

    return read


def _plain_reader(hint: Any) -> Read:
    accepted = {int: (int,), float: (int, float), str: (str,), bool: (bool,)}.get(hint)

    def read(plain: Any) -> Any:
        if accepted and (not isinstance(plain, accepted) or (hint is not bool and plain is True)):
            raise Malformed(f"{plain!r:.40} is not {hint.__name__}")
        return plain

    return read


def _time(plain: Any) -> datetime:
    if isinstance(plain, datetime):
        return plain
    try:
        read = datetime.fromisoformat(plain)
    except (TypeError, ValueError):
        raise Malformed(f"{plain!r:.40} is not a time") from None
    return read if read.tzinfo else read.replace(tzinfo=UTC)
