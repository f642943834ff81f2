"""JSON schemas: what is wrong with a value, by the part of the standard that tools use.

Types, required fields, enumerations, lists, alternatives and references within the schema itself
are looked at. Patterns and formats are not: a stranger's pattern could take forever.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

MOST_DEPTH = 40
MOST_STEPS = 20_000
"""Parts that are looked at: alternatives within alternatives could take forever."""
_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,), "array": (list, tuple), "string": (str,), "boolean": (bool,),
    "integer": (int,), "number": (int, float), "null": (type(None),),
}  # fmt: skip


def misfit(value: Any, schema: Any) -> str:
    """The first thing in which a value does not fit a schema, in a clause; empty if it fits."""
    return next(_Look(schema).misfits(value, schema, "", 0), "")


def schema_fault(schema: Any) -> str:
    """The first thing in a schema that makes it none, in a clause; empty if it can be kept to."""
    left = [("", schema, 0)]
    for _ in range(MOST_STEPS):
        if not left:
            break
        where, part, depth = left.pop()
        if isinstance(part, bool) or depth > MOST_DEPTH:
            continue
        if not isinstance(part, Mapping):
            return f"{where or 'it'} is no schema"
        if wrong := _keyword_fault(part):
            return f"{wrong} at {where}" if where else wrong
        left += [(_path(where, at), inner, depth + 1) for at, inner in _inner(part)]
    return ""


def _keyword_fault(schema: Mapping[str, Any]) -> str:
    """The first fault of the keywords that are read here; empty if there is none."""
    kinds = [] if schema.get("type") is None else schema["type"]
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if not isinstance(kind, str) or kind not in _TYPES:
            return f"there is no type {str(kind)[:40]!r}; there are {', '.join(_TYPES)}"
    for key, form, what in _FORMS:
        if not isinstance(schema.get(key), form | None):
            return f"{key} is {what}"
    required = schema.get("required")
    # An old draft says `true` of one field; it is not read here, and does no harm.
    if not isinstance(required, list | bool | None):
        return "required is a list of names"
    named = required if isinstance(required, list) else []
    return "" if all(isinstance(name, str) for name in named) else "required is a list of names"


_FORMS: tuple[tuple[str, type, str], ...] = (
    ("properties", Mapping, "an object"), ("$defs", Mapping, "an object"),
    ("definitions", Mapping, "an object"),
    ("enum", list, "a list"), ("allOf", list, "a list"), ("anyOf", list, "a list"),
    ("oneOf", list, "a list"), ("$ref", str, "a text"),
)  # fmt: skip


def _inner(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The schemas within a schema, each by its place."""
    for key in ("properties", "$defs", "definitions"):
        for name, part in (schema.get(key) or {}).items():
            yield str(name), part
    for key in ("allOf", "anyOf", "oneOf"):
        yield from ((f"{key}[{i}]", part) for i, part in enumerate(schema.get(key) or ()))
    for key in ("items", "additionalProperties"):
        found = True if schema.get(key) is None else schema[key]
        yield from ((key, part) for part in (found if isinstance(found, list) else [found]))


def is_strict(schema: Any) -> bool:
    """Return whether vendors take a schema as one to be kept exactly: all named, nothing more."""
    if not isinstance(schema, Mapping):
        return not isinstance(schema, list) or all(is_strict(s) for s in schema)
    fields = schema.get("properties")
    if schema.get("type") == "object" or isinstance(fields, Mapping):
        named = set(fields) if isinstance(fields, Mapping) else set()
        required = schema.get("required")
        listed = {r for r in required if isinstance(r, str)} if isinstance(required, list) else ()
        if schema.get("additionalProperties") is not False or named != set(listed):
            return False
    return all(is_strict(s) for s in schema.values() if isinstance(s, Mapping | list))


class _Look:
    """One look at a value, by a schema that may be a stranger's."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._left = MOST_STEPS

    def misfits(self, value: Any, schema: Any, where: str, depth: int) -> Iterator[str]:
        """Yield what does not fit; what is too deep or too much is taken to fit."""
        self._left -= 1
        if schema is False:
            yield f"{where or 'the value'} may not be there"
        if not isinstance(schema, Mapping) or depth > MOST_DEPTH or self._left < 0:
            return
        if isinstance(reference := schema.get("$ref"), str):
            yield from self.misfits(value, _referred(reference, self._root), where, depth + 1)
        yield from _of_type(value, schema, where)
        yield from self._alternatives(value, schema, where, depth)
        if isinstance(value, dict):
            yield from self._fields(value, schema, where, depth)
        if isinstance(value, list | tuple) and isinstance(schema.get("items"), Mapping | bool):
            for i, item in enumerate(value):
                yield from self.misfits(item, schema["items"], f"{where}[{i}]", depth + 1)

    def _alternatives(
        self, value: Any, schema: Mapping[str, Any], where: str, depth: int
    ) -> Iterator[str]:
        for key, every in (("allOf", True), ("anyOf", False), ("oneOf", False)):
            parts = schema.get(key)
            if isinstance(parts, list) and parts:
                found = [next(self.misfits(value, p, where, depth + 1), "") for p in parts]
                if any(found) if every else all(found):
                    yield next(f for f in found if f)

    def _fields(
        self, value: dict[str, Any], schema: Mapping[str, Any], where: str, depth: int
    ) -> Iterator[str]:
        required = schema.get("required")
        for name in required if isinstance(required, list) else ():
            if isinstance(name, str) and name not in value:
                yield f"{_path(where, name)} is missing"
        given, more = schema.get("properties"), schema.get("additionalProperties")
        known: Mapping[str, Any] = given if isinstance(given, Mapping) else {}
        for name, inner in value.items():
            if name in known:
                yield from self.misfits(inner, known[name], _path(where, name), depth + 1)
            elif more is False and "patternProperties" not in schema:
                yield f"{_path(where, name)} is not known"
            elif isinstance(more, Mapping):
                yield from self.misfits(inner, more, _path(where, name), depth + 1)


def _of_type(value: Any, schema: Mapping[str, Any], where: str) -> Iterator[str]:
    named = schema.get("type")
    kinds = [named] if isinstance(named, str) else named if isinstance(named, list) else []
    if kinds and not any(_is(value, kind) for kind in kinds):
        yield f"{where or 'it'} must be {' or '.join(map(str, kinds))}"
    allowed = schema.get("enum")
    if isinstance(allowed, list) and not any(_same(value, one) for one in allowed):
        yield f"{where or 'it'} must be one of {', '.join(repr(a)[:40] for a in allowed[:12])}"
    if "const" in schema and not _same(value, schema["const"]):
        yield f"{where or 'it'} must be {schema['const']!r:.60}"


def _referred(reference: str, root: Any) -> Any:
    """The part of a schema that it refers to; what lies elsewhere is not looked at."""
    if not reference.startswith("#"):
        return True
    found = root
    for step in reference.removeprefix("#").strip("/").split("/") if reference != "#" else ():
        name = step.replace("~1", "/").replace("~0", "~")
        found = found.get(name, True) if isinstance(found, Mapping) else True
    return found


def _path(where: str, name: str) -> str:
    return f"{where}.{name[:60]}" if where else name[:60]


def _is(value: Any, kind: object) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    # 3.0 is an integer to JSON.
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _TYPES.get(str(kind), (object,)))


def _same(a: Any, b: Any) -> bool:
    # True is 1 to Python, and is not to JSON.
    return bool(a == b) and isinstance(a, bool) == isinstance(b, bool)
