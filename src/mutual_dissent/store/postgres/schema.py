"""The schema of a PostgreSQL database, and its upgrade to the present version.

Only `dissent db upgrade` does that: workers that start together must not race to change tables.
"""

from __future__ import annotations

from mutual_dissent.core.errors import StoreError
from mutual_dissent.core.values.terms import at_terminal
from mutual_dissent.store.database import DatabaseError
from mutual_dissent.store.postgres.adapter import PostgresDatabase
from mutual_dissent.store.postgres.tables import STEPS

LATEST = len(STEPS)
COMMAND = at_terminal("db upgrade")
# Any number does, if no other program takes an advisory lock of that number in this database.
_ONE_UPGRADE = 7_355_608


def check_version(db: PostgresDatabase, name: str) -> None:
    """Check that a database has the present version.

    Raises:
        StoreError: if it has not, with the command that helps.
    """
    version = version_of(db)
    if version == 0:
        raise StoreError(f"{name} has no tables of this program yet; make them with: {COMMAND}")
    if version < LATEST:
        raise StoreError(
            f"{name} was made by an earlier version of this program (store version {version}, "
            f"this one needs {LATEST}); bring it up to date with: {COMMAND}"
        )
    check_not_later(version, name)


def check_not_later(version: int, name: str) -> None:
    """Refuse a database of a later version of this program."""
    if version > LATEST:
        raise StoreError(
            f"{name} was made by a later version of this program (store version {version}, "
            f"this one knows {LATEST}); upgrade mutual-dissent"
        )


def upgrade(db: PostgresDatabase, name: str) -> tuple[int, int]:
    """Bring a database to the present version, alone, all or nothing.

    Returns:
        The version before, and the version now.

    Raises:
        StoreError: if that cannot be done.
    """
    try:
        with db.transaction():
            db.script(f"SELECT pg_advisory_xact_lock({_ONE_UPGRADE})")
            before = version_of(db)
            check_not_later(before, name)
            for step in STEPS[before:]:
                db.script(step)
            db.script("CREATE TABLE IF NOT EXISTS dissent_version (version bigint NOT NULL)")
            db.execute("DELETE FROM dissent_version")
            db.execute("INSERT INTO dissent_version VALUES (:latest)", latest=LATEST)
    except DatabaseError as e:
        raise StoreError(f"{name} could not be brought up to date: {e}") from e
    return before, LATEST


def queue_leftovers(db: PostgresDatabase) -> dict[str, int]:
    """Return experiment -> debates in the queue of earlier versions, which is dropped."""
    if not _exists(db, "jobs"):
        return {}
    rows = db.rows("SELECT owner, count(*) AS n FROM jobs WHERE state <> 'done' GROUP BY owner")
    return {str(row["owner"]): int(row["n"]) for row in rows}


def version_of(db: PostgresDatabase) -> int:
    """Return the version of a database; 0 where it has no tables of ours."""
    if not _exists(db, "dissent_version"):
        return 0
    return next(iter(db.column("SELECT version FROM dissent_version")), 0)


def _exists(db: PostgresDatabase, table: str) -> bool:
    return db.column("SELECT to_regclass(:name) IS NOT NULL", name=table) == [True]
