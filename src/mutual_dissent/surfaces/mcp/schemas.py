"""JSON schemas as clients read them: without what only a generator needs."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

Json = dict[str, Any]


def input_schema(model: type[BaseModel]) -> Json:
    """What a tool takes."""
    return _slimmed(model.model_json_schema(by_alias=True))


def output_schema(model: type[BaseModel]) -> Json:
    """What a tool gives back."""
    return _slimmed(model.model_json_schema(by_alias=True, mode="validation"))


def _slimmed(schema: Json) -> Json:
    found = _slim(schema)
    assert isinstance(found, dict)
    return found


def _slim(schema: Any) -> Any:
    """The schema without generated titles, docstrings of models and empty defaults."""
    match schema:
        case {"anyOf": [only, {"type": "null"}], **rest} if rest.get("default", 0) is None:
            # An optional argument is left out, not null: its schema need not say so.
            return _slim({**only, **{k: v for k, v in rest.items() if k != "default"}})
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
    return key == "title" or (key == "description" and "properties" in schema)
