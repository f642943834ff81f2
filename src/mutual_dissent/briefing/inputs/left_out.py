"""Parts of an input that are left out, and why: none is left out silently."""

from __future__ import annotations

from collections.abc import Iterable

from mutual_dissent.core.errors import clip
from mutual_dissent.text.secret_shapes import is_secret_name, key_in

MOST_NAMED = 20

LeftOut = tuple[str, str]
"""Name of something that is left out, and the reason."""


def notices(left_out: Iterable[LeftOut], beginning: str, most: int = MOST_NAMED) -> tuple[str, ...]:
    """Names of what was left out, in a sentence for each reason; at most so many in each."""
    reasons: dict[str, list[str]] = {}
    for name, reason in left_out:
        reasons.setdefault(reason, []).append(clip(name, 200))
    return tuple(_notice(beginning, reason, names, most) for reason, names in reasons.items())


def _notice(beginning: str, reason: str, names: list[str], most: int) -> str:
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return f"{beginning} {', '.join(names[:most])}{more} ({reason})"


SECRET_NAME = "its name says that it holds secrets"  # noqa: S105


def secret(name: str, text: str) -> str:
    """Reason why a document must not be shown to anybody; empty if there is none."""
    if is_secret_name(name):
        return SECRET_NAME
    if found := key_in(text, name):
        article = "an" if found[0][0] in "AEIOUx" else "a"
        return f"it holds what looks like {article} {found[0]}"
    return ""
