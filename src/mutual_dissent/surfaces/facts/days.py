"""Days and moments as users write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from mutual_dissent.core.errors import BadInput


def moment(option: str, word: str | None, *, whole_day: bool = False) -> datetime | None:
    """A day or a moment; `7d` is a week ago.

    Args:
        option: what it is called where it was written.
        word: the user's text.
        whole_day: whether a day stands for its end.

    Raises:
        BadInput: if it is not a date.
    """
    if word is None:
        return None
    if word[:-1].isdecimal() and word[-1:] == "d" and len(word) < 6:
        return datetime.now(UTC) - timedelta(days=int(word[:-1]))
    try:
        found = datetime.fromisoformat(word)
        found = found if found.tzinfo else found.replace(tzinfo=UTC)
        return found + timedelta(days=1) if whole_day and len(word) <= 10 else found
    except (ValueError, OverflowError):
        raise BadInput(f"{option} is a day such as 2026-02-21 or 7d, not {word[:40]!r}") from None
