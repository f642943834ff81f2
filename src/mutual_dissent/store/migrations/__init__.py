"""The numbered steps from an empty database to the present one, applied in one transaction."""

from __future__ import annotations

import re
import sqlite3
from functools import cache
from importlib.resources import files

from mutual_dissent.core.errors import StoreError

_NAMES = sorted(file.name for file in files(__name__).iterdir() if file.name.endswith(".sql"))
LATEST = len(_NAMES)


@cache
def migrations() -> tuple[str, ...]:
    """The statements of each file in this folder, by their numbers."""
    # What a file says of itself would stand before the first statement, by whose first word
    # `store/postgres/tables.py` knows what is SQLite's alone.
    texts = (files(__name__).joinpath(name).read_text("utf-8") for name in _NAMES)
    return tuple(re.sub(r"^--.*\n", "", text, flags=re.MULTILINE) for text in texts)


def migrate(db: sqlite3.Connection, name: str) -> None:
    """Bring a database to the present version.

    Raises:
        StoreError: if a later version of this program has written it.
    """
    if is_present(db, name):
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        # Another process may have been faster while this one waited for the lock.
        for number in range(_version(db, name), LATEST):
            # One by one: `executescript` would commit the transaction first.
            for statement in migrations()[number].strip().split(";\n\n"):
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {number + 1}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def is_present(db: sqlite3.Connection, name: str) -> bool:
    """Return whether a database has the present version.

    Raises:
        StoreError: if a later version of this program has written it.
    """
    return _version(db, name) == LATEST


def _version(db: sqlite3.Connection, name: str) -> int:
    version = int(db.execute("PRAGMA user_version").fetchone()[0])
    if version > LATEST:
        raise StoreError(
            f"{name} was written by a later version of this program (store version {version}, "
            f"this one knows {LATEST}); upgrade mutual-dissent, or set MUTUAL_DISSENT_HOME"
        )
    return version
