"""Stores as this and earlier versions wrote them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

from mutual_dissent.core.events import Event
from mutual_dissent.store.migrations import migrations
from mutual_dissent.store.store import Store


def new_store(path: Path, logs: Iterable[Sequence[Event]]) -> None:
    """A store of the present version."""
    with Store(path) as store:
        store.save_all(logs)


def old_store(path: Path, logs: Iterable[Sequence[Event]]) -> None:
    """A store as version 4 wrote it: without what later versions add."""
    new_store(path, logs)
    later = [s for sql in migrations()[4:] for s in sql.strip().split(";\n\n")]
    made = [s.split("(")[0].split() for s in later if s.startswith("CREATE")]
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for _, kind, name, *_ in made:
            db.execute(f"DROP {kind} IF EXISTS {name}")
        for words in (s.split() for s in later if s.startswith("ALTER")):
            db.execute(f"ALTER TABLE {words[2]} DROP COLUMN {words[5]}")
        db.execute("PRAGMA user_version = 4")
