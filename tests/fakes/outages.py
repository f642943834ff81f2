"""Times in which a record cannot be written: locked by somebody else, or on a full disk."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from mutual_dissent.store.database import Database
from mutual_dissent.store.postgres.server import PostgresServer
from mutual_dissent.store.store import Store

FULL, LOCKED = "full", "locked"
KINDS = [FULL, LOCKED]


def impatient(monkeypatch: pytest.MonkeyPatch, patience: float = 0.1) -> None:
    """Have nobody wait as long as they usually would, before anything is opened."""
    monkeypatch.setattr("mutual_dissent.store.sqlite.BUSY_SECONDS", patience)
    monkeypatch.setattr("mutual_dissent.store.store.OUTAGE_SECONDS", patience)
    monkeypatch.setattr("mutual_dissent.store.debates.writer.HASTY", 20)
    monkeypatch.setattr("mutual_dissent.store.postgres.adapter.PATIENCE", int(patience * 1000))


def outage(store: Store, kind: str) -> AbstractContextManager[None]:
    """The record cannot be written meanwhile."""
    if kind == FULL:
        return _full(store)
    place = store.path
    return _table_lock(place) if isinstance(place, PostgresServer) else _file_lock(str(place))


@contextmanager
def _full(store: Store) -> Iterator[None]:
    """The database may not grow, which is what a full disk is to it."""
    for db in _connections(store):
        db.execute("PRAGMA max_page_count = 1")  # SQLite takes as few as there are
    try:
        yield
    finally:
        for db in _connections(store):
            db.execute("PRAGMA max_page_count = 1073741823")


def _connections(store: Store) -> list[Database]:
    return [db for db in (store._access._db, store._writer._db) if db is not None]


@contextmanager
def _file_lock(path: str) -> Iterator[None]:
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        db.execute("ROLLBACK")
        db.close()


@contextmanager
def _table_lock(server: PostgresServer) -> Iterator[None]:
    db = server.connect()
    db.script("BEGIN; LOCK TABLE debates IN EXCLUSIVE MODE")
    try:
        yield
    finally:
        db.close()
