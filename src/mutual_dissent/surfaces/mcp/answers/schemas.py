"""JSON schemas for clients, without what only a code generator needs."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from pydantic import BaseModel, TypeAdapter

from mutual_dissent.core.codec.camel import Json, Shape, camel_case, without_null
from mutual_dissent.views.four_layers import FourLayers

LEDGER = (
    "source (analyst, or panel: closing lines), positions, contested (sides with quotes), "
    "commonGround, minority (with fate), corrections, missing (only the user knows), disputes, "
    "earlier."
)

BRIEF = {"ledger": LEDGER, "review": "Of a review: summary, findings, limits."}
"""Fields that are described in a sentence, not by their schemas."""


def input_schema(model: type[BaseModel]) -> Json:
    """JSON schema of a tool's arguments."""
    schema = model.model_json_schema(by_alias=True)
    slim = _slim_object(schema)
    for name, argument in slim["properties"].items():
        # An enum's description is a docstring; that of an argument is written for its reader.
        if "enum" in argument and "description" in schema["properties"][name]:
            argument["description"] = schema["properties"][name]["description"]
    return slim


def output_schema(answer: type[Shape], *, is_known: bool = False) -> Json:
    """JSON schema of a tool's results.

    Args:
        is_known: whether another tool describes the four layers; clients read all schemas.
    """
    schema = TypeAdapter(answer).json_schema(by_alias=True)
    known, shown = schema.setdefault("$defs", {}), schema["properties"]
    for name in [camel_case(f.name) for f in fields(FourLayers)] if is_known else BRIEF:
        if name in shown:
            shown[name] = _in_short(shown[name], known)
    for name in (n for n in BRIEF if n in shown and not is_known):
        shown[name]["description"] = BRIEF[name]
    while unused := [n for n in known if f'/{n}"' not in json.dumps(schema)]:
        for name in unused:
            del known[name]
    return _slim_object(schema if known else {k: v for k, v in schema.items() if k != "$defs"})


def _in_short(schema: Any, known: Json) -> Any:
    """Return a schema whose objects have no described fields."""
    match schema:
        case {"$ref": str(ref)} if "properties" in known[ref.rpartition("/")[2]]:
            return {"type": "object"}
        case dict():
            return {k: _in_short(v, known) for k, v in schema.items()}
        case list():
            return [_in_short(s, known) for s in schema]
    return schema


def _slim_object(schema: Json) -> Json:
    slim = _slim(schema)
    assert isinstance(slim, dict)
    return slim


def _slim(schema: Any) -> Any:
    """The schema without generated titles, docstrings of models and empty defaults."""
    match schema:
        case {"anyOf": _, "default": None}:
            # An optional argument is left out, not null: its schema need not say so.
            return _slim(without_null({k: v for k, v in schema.items() if k != "default"}))
        case dict():
            return {k: _inner(k, v) for k, v in schema.items() if not _is_noise(k, schema)}
        case list():
            return [_slim(s) for s in schema]
    return schema


def _inner(key: str, value: Any) -> Any:
    if key in ("properties", "$defs"):
        return {name: _slim(below) for name, below in value.items()}
    return value if key in ("enum", "required", "default", "description") else _slim(value)


def _is_noise(key: str, schema: Json) -> bool:
    return key == "title" or (key == "description" and ("properties" in schema or "enum" in schema))
