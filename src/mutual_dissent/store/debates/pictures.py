"""Pictures on record: the bytes once, by their hash, for as long as a debate needs them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mutual_dissent.store.database import Database

# Changed, not left as it is: whoever is about to forget it must wait, and then finds it in use.
_KEEP = """
INSERT INTO pictures (sha256, media_type, body) VALUES (:hash, :media_type, :body)
ON CONFLICT (sha256) DO UPDATE SET media_type = excluded.media_type
"""
_USE = """
INSERT INTO picture_uses (transcript_id, sha256) VALUES (:name, :hash) ON CONFLICT DO NOTHING
"""
_OF_DEBATE = "SELECT sha256 FROM picture_uses WHERE transcript_id = :name"
_LOCK = f"SELECT sha256 FROM pictures WHERE sha256 IN ({_OF_DEBATE}) /* FOR UPDATE */"  # noqa: S608 - constants
_UNUSED = f"""
DELETE FROM pictures WHERE sha256 IN ({_OF_DEBATE}) AND NOT EXISTS (
    SELECT 1 FROM picture_uses u WHERE u.sha256 = pictures.sha256 AND u.transcript_id <> :name
)
"""  # noqa: S608 - constants

_ORPHANS = """
SELECT DISTINCT u.transcript_id FROM picture_uses u
WHERE NOT EXISTS (SELECT 1 FROM debates d WHERE d.transcript_id = u.transcript_id)
ORDER BY u.transcript_id
"""


def keep(db: Database, name: str, new: Mapping[str, tuple[str, bytes]]) -> None:
    """Keep pictures for a debate: hash -> media type and bytes."""
    for sha256, (media_type, body) in sorted(new.items()):
        db.execute(_KEEP, hash=sha256, media_type=media_type, body=body)
    use(db, name, new)


def use(db: Database, name: str, hashes: Iterable[str]) -> None:
    """Note that a debate needs pictures that are on record."""
    for sha256 in hashes:
        db.execute(_USE, name=name, hash=sha256)


def forget(db: Database, name: str) -> None:
    """Forget what a debate needs, and the pictures that no other debate does."""
    db.rows(_LOCK, name=name)
    db.execute(_UNUSED, name=name)
    db.execute("DELETE FROM picture_uses WHERE transcript_id = :name", name=name)


def find(db: Database, sha256: str) -> tuple[str, bytes] | None:
    """Return the media type and the bytes of a picture, if it is on record."""
    row = db.row("SELECT media_type, body FROM pictures WHERE sha256 = :hash", hash=sha256)
    return (str(row["media_type"]), bytes(row["body"])) if row else None


def orphans(db: Database) -> list[str]:
    """Return the ids under which pictures are kept although no debate has them."""
    return [str(row["transcript_id"]) for row in db.rows(_ORPHANS)]
