"""One spelling for what the API says: camel case, by the shapes that it is said in.

Only names of fields are spelled anew. Keys that are somebody's words (a seat, a candidate, a model)
stay as they are, and so does all that is in the format of transcripts, which has its own names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from pydantic.alias_generators import to_camel

from mutual_dissent.surfaces.api.shapes import Json, Said


def spelled(shape: type[Said], plain: Mapping[str, Any]) -> Json:
    """Plain values of a shape under the names that clients know them by."""
    known = shape.model_fields
    return {
        to_camel(name): _within(known[name].annotation, value) if name in known else value
        for name, value in plain.items()
    }


def _within(annotation: Any, value: Any) -> Any:
    shape = _shape_in(annotation)
    if shape is None or value is None:
        return value
    if isinstance(value, list | tuple):
        return [spelled(shape, v) for v in value]
    return spelled(shape, value)


def _shape_in(annotation: Any) -> type[Said] | None:
    """The shape that a field has, alone, in a list, or where it may be missing."""
    if isinstance(annotation, type) and issubclass(annotation, Said):
        return annotation
    return next(filter(None, map(_shape_in, get_args(annotation))), None)
