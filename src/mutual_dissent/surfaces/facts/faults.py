"""Validation errors of a client's input in plain words: the field, and what it must be.

The values themselves are never repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from mutual_dissent.core.errors import clip
from mutual_dissent.text.numbers import figure

NO_NUL = r"^[^\x00]*$"
"""Pattern of a text without NUL characters."""

_BRANCH = re.compile(
    r"(?:int|float|str|bool|list|dict|Document|\[key\]|(?:constrained|function|literal|nullable|"
    r"tagged|lax|json|list|dict)[-\[].{0,200})"
)
"""Names that pydantic puts into a location for branches of a union, not for fields."""

_WORDS = {
    "extra_forbidden": "there is no such {field}",
    "missing": "is needed",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be at most {le}",
    "string_too_long": "has more than {max_length} characters",
    "string_too_short": "has fewer than {min_length} characters",
    "too_long": "has more than {max_length} items",
    "too_short": "has fewer than {min_length} items",
    "string_pattern_mismatch": "does not have the form that it needs",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "finite_number": "must be a number",
    "datetime_from_date_parsing": "must be a day or a moment, such as 2026-03-01",
}
_KINDS = {
    "string": "a text", "int": "a whole number", "float": "a number", "bool": "true or false",
    "list": "a list", "tuple": "a list", "dict": "an object", "model": "an object",
    "mapping": "an object", "date": "a day, such as 2026-03-01",
    "datetime": "a moment, such as 2026-03-01T12:00:00Z", "json": "JSON", "none": "null",
    "value": "something else", "decimal": "a number", "uuid": "an id",
}  # fmt: skip


def faults(errors: Iterable[Mapping[str, Any]], field: str = "field") -> list[str]:
    """Return a sentence for each wrong field: `rounds: must be a whole number or 'auto'`.

    Args:
        errors: as pydantic has them.
        field: the client's word for an unexpected field.
    """
    reasons: dict[str, dict[str, None]] = {}
    for error in errors:
        reasons.setdefault(_place(error["loc"]), {})[_reason(error, field)] = None
    return [f"{place}: {_either(list(why))}" for place, why in reasons.items()]


def _place(path: Iterable[int | str]) -> str:
    words = [str(p) for p in path if not _BRANCH.fullmatch(str(p))]
    return clip(".".join(words), 100) or "the request"


def _reason(error: Mapping[str, Any], field: str) -> str:
    kind, known = str(error["type"]), {"field": field}
    for name, value in (error.get("ctx") or {}).items():
        known[name] = figure(value) if isinstance(value, int | float) else str(value)
    if known.get("pattern") == NO_NUL:
        return "has a NUL character, which is no text"
    if words := _WORDS.get(kind):
        try:
            return clip(words.format(**known), 300)
        except (KeyError, IndexError):
            pass
    expected = _KINDS.get(kind.partition("_")[0])
    return f"must be {expected}" if expected else "cannot be used as it is"


def _either(reasons: list[str]) -> str:
    """Join reasons for a union: `must be a whole number or 'auto'`."""
    first, *others = reasons
    return " or ".join([first, *(o.removeprefix("must be ") for o in others)])
