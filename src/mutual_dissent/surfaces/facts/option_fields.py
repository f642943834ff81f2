"""The options of a debate as pydantic fields, for every body that a client sends."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Annotated, Any, Literal

from pydantic import Field

from mutual_dissent.briefing import kinds
from mutual_dissent.briefing.options import MAX_QUERY, Option
from mutual_dissent.core.brief import MAX_PANEL
from mutual_dissent.surfaces.facts.faults import NO_NUL

Name = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[list[Name], Field(max_length=MAX_PANEL)]
Parts = Annotated[dict[Name, Name], Field(max_length=MAX_PANEL)]
MAX_URL = 2_000
Text = Annotated[str, Field(min_length=1, max_length=MAX_QUERY, pattern=NO_NUL)]

OwnType = Callable[[kinds.ValueKind], Any]
"""Returns a surface's own type for a kind of value; None for the common one."""


def option_fields(
    options: Iterable[Option],
    name: Callable[[Option], str],
    words: Callable[[Option], str],
    own: OwnType,
) -> dict[str, Any]:
    """Return the fields of a model, as `create_model` takes them.

    Args:
        name: returns the Python name of an option's field.
        words: returns the description of an option.
        own: returns the surface's own types.
    """
    return {name(o): _field(o, words(o), own) for o in options}


def _field(option: Option, words: str, own: OwnType) -> tuple[Any, Any]:
    kind = value_type(option.kind, own)
    taken = kind | None if option.default is None else kind
    default = [] if option.default == () else option.default
    return Annotated[taken, Field(description=words)], default


def value_type(kind: kinds.ValueKind, own: OwnType) -> Any:
    """The type of a field that takes values of a kind."""
    if (known := own(kind)) is not None:
        return known
    match kind:
        case kinds.WholeNumber(low, high):
            return Annotated[int, Field(ge=low, le=high)]
        case kinds.RealNumber(low, high, above=True):
            return Annotated[float, Field(gt=low, le=high)]
        case kinds.RealNumber(low, high):
            return Annotated[float, Field(ge=low, le=high)]
        case kinds.OrWord(number, word):
            return value_type(number, own) | Literal[word]
        case kinds.OneOf(words):
            return Literal[words]
        case kinds.SeatWords(mapping):
            return Parts | Names if mapping else Names
        case _:
            return TYPES[type(kind)]


TYPES: dict[type, Any] = {
    kinds.YesNo: bool,
    kinds.NameOf: Name,
    kinds.ModelName: Name,
    kinds.ModelNames: Names,
    kinds.SeatParts: Parts,
    kinds.SeatTexts: Annotated[dict[Name, str], Field(max_length=MAX_PANEL)],
    kinds.LongText: Text,
    kinds.Addresses: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=MAX_URL)]], Field(max_length=10)
    ],
}
"""Kinds without bounds of their own -> the type of a field."""
