"""Tags and ratings that users give their debates. They are no part of the record."""

from __future__ import annotations

from collections.abc import Iterable

from mutual_dissent.core.errors import BadInput
from mutual_dissent.store.database import Database

LONGEST, MOST = 60, 50
BEST = 5


def add_tags(db: Database, number: int, tags: Iterable[str]) -> None:
    """Put tags on a debate; one that it has already is ignored.

    Raises:
        BadInput: if one cannot be a tag, or there would be too many.
    """
    rows = [{"tag": clean_tag(t), "number": number} for t in tags]
    db.executemany(
        "INSERT INTO tags (tag, debate) VALUES (:tag, :number) ON CONFLICT DO NOTHING", rows
    )
    if len(tags_of(db, number)) > MOST:
        raise BadInput(f"a debate has {MOST} tags at most; remove some first")


def remove_tags(db: Database, number: int, tags: Iterable[str]) -> None:
    """Take tags off a debate; one that it does not have is ignored."""
    rows = [{"tag": clean_tag(t), "number": number} for t in tags]
    db.executemany("DELETE FROM tags WHERE tag = :tag AND debate = :number", rows)


def tags_of(db: Database, number: int) -> tuple[str, ...]:
    """Return the tags of a debate, in order."""
    query = "SELECT tag FROM tags WHERE debate = :number ORDER BY tag"
    return tuple(db.column(query, number=number))


def all_tags(db: Database) -> dict[str, int]:
    """Return every tag with the number of debates that have it."""
    rows = db.rows("SELECT tag, count(*) AS n FROM tags GROUP BY tag ORDER BY tag")
    return {row["tag"]: row["n"] for row in rows}


def rate(db: Database, number: int, rating: int | None) -> None:
    """Set the user's rating of a debate, or take it back.

    Raises:
        BadInput: if the rating is invalid.
    """
    if rating is not None and (isinstance(rating, bool) or rating not in range(1, BEST + 1)):
        raise BadInput(f"a rating is 1 to {BEST}, not {rating!r:.20}")
    query = "UPDATE debates SET rating = :rating WHERE number = :number"
    db.execute(query, rating=rating, number=number)


def clean_tag(tag: str) -> str:
    """Return a tag as it is stored: one line, without blanks at its ends.

    Raises:
        BadInput: if nothing or too much is left.
    """
    clean = " ".join(tag.encode("utf-8", "replace").decode().replace("\0", " ").split())
    if not clean or len(clean) > LONGEST:
        raise BadInput(f"a tag has 1 to {LONGEST} characters, not {tag[:80]!r}")
    return clean
