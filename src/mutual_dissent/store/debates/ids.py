"""The ids of debates: checked before any file or table is touched."""

from __future__ import annotations

import re

from mutual_dissent.core.errors import BadInput, clip
from mutual_dissent.core.values.terms import command

_ID = re.compile(r"[0-9a-z-]{8,40}", re.ASCII)


def is_id(text: object) -> bool:
    """Return whether a text can be a debate's id, or a long enough beginning of one."""
    return isinstance(text, str) and _ID.fullmatch(text) is not None and text[0] != "-"


def check_id(text: str) -> str:
    """Return the id, if it can be one.

    Raises:
        BadInput: if it cannot.
    """
    if not is_id(text):
        raise BadInput(
            f"{clip(str(text))!r} is not a debate's id; "
            f"give at least the first 8 characters, as `{command('list')}` shows them"
        )
    return text
