"""A connection for writes that need not be on disk at once, shared by several threads."""

from __future__ import annotations

import threading

from mutual_dissent.core.errors import StoreError
from mutual_dissent.store.database import Row, translate_errors
from mutual_dissent.store.postgres.adapter import PostgresDatabase
from mutual_dissent.store.postgres.server import PostgresServer


class SingleConnection:
    """One statement at a time; nothing is opened before the first.

    Usually it does not wait for the server's disk: heartbeats and turns that a crash of the
    server takes back are simply done again.
    """

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._db: PostgresDatabase | None = None
        self._turn = threading.Lock()

    def run(self, sql: str, /, *, durable: bool = False, **values: object) -> list[Row]:
        """Run a statement and return its rows.

        Args:
            durable: whether to wait for the server's disk all the same.

        Raises:
            StoreError: if the database cannot be used.
        """
        with translate_errors(self.server, StoreError), self._turn:
            if self._db is None:
                self._db = self.server.open(durable=False)
            self._db.durable = durable
            return self._db.rows(sql, **values)

    def close(self) -> None:
        """Close the connection."""
        with self._turn:
            if self._db is not None:
                self._db.close()
                self._db = None
