"""Answers for programs: dataclasses that are written in camel case, and described by their fields.

A field whose default is None is left out where it is None. JSON schemas are derived from the same
classes with pydantic, which reads `__pydantic_config__` and is imported only where it is asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, ClassVar, overload

Json = dict[str, Any]


def camel_case(name: str) -> str:
    """The name of a field as JSON has it: `round_number` is roundNumber."""
    first, *more = name.split("_")
    return first + "".join(word.capitalize() for word in more)


def without_null(schema: Json) -> Json:
    """The schema of a value that is left out rather than null."""
    kinds = [s for s in schema.get("anyOf", ()) if s != {"type": "null"}]
    if len(kinds) != 1:
        return schema
    return {**kinds[0], **{k: v for k, v in schema.items() if k != "anyOf"}}


def _describe(schema: Json, cls: Any) -> None:
    """Correct a schema: all fields are always there, except those that are left out."""
    if not issubclass(cls, Shape):  # stored under its own names, within an answer
        return
    known = schema.get("properties", {})
    for _, alias, optional in _names(cls):
        known[alias].pop("default", None)
        known[alias] = without_null(known[alias]) if optional else known[alias]
    schema["required"] = [alias for _, alias, optional in _names(cls) if not optional]


class Shape:
    """Base of the dataclasses that programs are answered with."""

    __slots__ = ()
    __pydantic_config__: ClassVar[Json] = {
        "alias_generator": camel_case,
        "json_schema_extra": _describe,
    }


def about(description: str, **more: Any) -> Json:
    """The metadata of a field whose name does not say it all; `alias` is another name in JSON."""
    return {"description": description, **more}


@overload
def camel(value: Shape) -> Json: ...
@overload
def camel(value: object) -> Any: ...
def camel(value: object) -> Any:
    """JSON values of an answer. Other values, and the keys of mappings, stay as they are."""
    return _written(value, alias=True)


def snake(value: Shape) -> Json:
    """The same under the names that the fields have in Python."""
    written: Json = _written(value, alias=False)
    return written


def _written(value: object, *, alias: bool) -> Any:
    match value:
        case Shape():
            kind: Any = type(value)
            known = ((a if alias else n, getattr(value, n), o) for n, a, o in _names(kind))
            return {n: _written(v, alias=alias) for n, v, o in known if not (o and v is None)}
        case Mapping():
            return {k: _written(v, alias=alias) for k, v in value.items()}
        case list() | tuple():
            return [_written(v, alias=alias) for v in value]
    return value


@cache
def _names(cls: Any) -> tuple[tuple[str, str, bool], ...]:
    """Every field: its name, its name in JSON, and whether it may be left out."""
    return tuple(
        (f.name, f.metadata.get("alias") or camel_case(f.name), f.default is None)
        for f in fields(cls)
    )
