"""Keyword arguments of the library, checked by their types: an error is one sentence."""

from __future__ import annotations

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mutual_dissent.briefing.options import Options
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import BadInput, UnknownName, clip

_HINTS = {of: get_type_hints(of) for of in (Options, Brief)}


def options_of(given: Mapping[str, Any]) -> Options:
    """The options that were passed by name.

    Raises:
        UnknownName: if there is no option of a name.
        BadInput: if a value is of the wrong kind.
    """
    check_kinds(given, Options)
    return Options(**given)


def check_kinds(given: Mapping[str, Any], of: type[Options | Brief]) -> None:
    """Make sure that every value is one that the field of its name can hold.

    Raises:
        UnknownName: if there is no field of a name.
        BadInput: if a value is of the wrong kind.
    """
    hints, names = _HINTS[of], {f.name: f.type for f in fields(of)}
    for name, value in given.items():
        if name not in names:
            raise UnknownName("option", name, names)
        if value is not None and not _fits(value, hints[name]):
            raise BadInput(f"{name} takes {names[name]}, not {clip(repr(value))}")


def check_whole(name: str, value: object) -> None:
    """Make sure that a value is a whole number.

    Raises:
        BadInput: if it is none.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadInput(f"{name} is a whole number, not {clip(repr(value))}")


def _fits(value: object, hint: Any) -> bool:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, a) for a in arguments)
    if origin is Literal:
        return any(value == a and type(value) is type(a) for a in arguments)
    if origin in (Sequence, tuple):
        return isinstance(value, Sequence) and all(_fits(v, arguments[0]) for v in value)
    if origin is Mapping:
        return isinstance(value, Mapping) and all(_fits(v, arguments[1]) for v in value.values())
    if hint in (int, float):
        return isinstance(value, int if hint is int else int | float) and value is not True
    return isinstance(value, hint)
