"""Invisible characters: a model reads them and a person does not see them.

Joiners, marks of direction and soft hyphens are not among them: whole scripts and emojis need them.
"""

from __future__ import annotations

import re

_INVISIBLE = re.compile(
    "[\u180e\u200b\u2060-\u2064\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def invisible(text: str) -> int:
    """Number of invisible characters in a text."""
    return 0 if text.isascii() else len(_INVISIBLE.findall(text))


def invisible_words(text: str) -> str:
    """Note on the invisible characters of a text; empty if it has none."""
    number = invisible(text)
    return f"with {number:,} invisible character{'s' * (number != 1)}" if number else ""
