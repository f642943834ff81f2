"""A connection to PostgreSQL, which takes the store's SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg.adapt import Buffer, Loader
from psycopg.pq import TransactionStatus

from mutual_dissent.store.database import Database, DatabaseError, Rejected, Row, Violation
from mutual_dissent.store.postgres.dialect import WORDS, in_postgres

if TYPE_CHECKING:
    Native = psycopg.Connection[Row]
    Values = Mapping[str, object]


PATIENCE = 10_000
"""Milliseconds to wait for a lock."""

OFTEN = 5
"""Times that a statement is sent before the server prepares it."""


class PostgresDatabase(Database):
    """Speaks the store's SQL; a broken connection is made again with the next statement.

    Nothing is left behind on the server between transactions: settings go with each of them, and
    statements are prepared only where no pooler stands in between. So PgBouncer may give each
    transaction another connection.
    """

    newest_first = False
    read_only = False

    def __init__(self, connect: Callable[[], Native], *, durable: bool = True) -> None:
        """See `PostgresServer.open` for `durable`."""
        self._connect = connect
        self._patience = PATIENCE
        self.durable = durable
        with port_errors():
            self._db = _ready(connect())

    def execute(self, sql: str, /, **values: object) -> int:
        """Run a statement; return the number of rows that it changed."""
        return self._run(sql, values).rowcount

    def rows(self, sql: str, /, **values: object) -> list[Row]:
        """Run a statement; return its rows."""
        cursor = self._run(sql, values)
        return cursor.fetchall() if cursor.description else []

    def _run(self, sql: str, values: Values) -> psycopg.Cursor[Row]:
        with port_errors():
            only_reads = sql.lstrip().startswith("SELECT") and not self.in_transaction
            try:
                return self._send(sql, values)
            except psycopg.OperationalError:
                if not self._db.closed or not only_reads:
                    raise
                return self._send(sql, values)  # the server was restarted since the last statement

    def _send(self, sql: str, values: Values) -> psycopg.Cursor[Row]:
        db, text = self._live(), in_postgres(sql)
        # The best plan for a search depends on its words: such a plan is not to be kept.
        prepare = False if WORDS in text else None
        if self.in_transaction or text.lstrip().startswith("SELECT"):
            return db.execute(text, _clean(values), prepare=prepare)
        with db.pipeline():  # both are sent at once, and are one transaction
            db.execute(_SETTINGS, self._settings())
            # psycopg takes a statement for prepared also if the pipeline failed before that.
            return db.execute(text, _clean(values), prepare=False)

    def executemany(self, sql: str, rows: Iterable[Values], /) -> None:
        """Run a statement for each row of values."""
        with port_errors(), self._live().cursor() as cursor:
            cursor.executemany(in_postgres(sql), [_clean(r) for r in rows])

    def script(self, sql: str) -> None:
        """Run statements that are PostgreSQL's own, as they stand."""
        with port_errors():
            self._live().execute(sql)

    def begin(self) -> None:
        """Begin a transaction that writes."""
        self.script(_BEGIN.format(*self._settings()))

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction is open."""
        status = self._db.info.transaction_status
        return status in (TransactionStatus.INTRANS, TransactionStatus.INERROR)

    def wait_for_locks(self, milliseconds: int) -> None:
        """Set how long to wait for another writer."""
        self._patience = milliseconds

    def problems(self) -> list[str]:
        """Return nothing: the server looks after its files, `checkup` after the rest."""
        self.rows("SELECT 1")
        return []

    @property
    def closed(self) -> bool:
        """Return whether the connection broke, or was closed."""
        return bool(self._db.closed)

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    def _live(self) -> Native:
        if self._db.closed:
            self._db = _ready(self._connect())
        return self._db

    def _settings(self) -> tuple[str, str]:
        return str(self._patience), "on" if self.durable else "off"


@contextmanager
def port_errors(secret: str = "") -> Iterator[None]:
    """Turn psycopg's errors into those of the port."""
    try:
        yield
    except psycopg.IntegrityError as e:
        raise Violation(_first_line(e, secret)) from e
    except psycopg.DataError as e:  # one value that cannot be stored; other values can
        raise Rejected(_first_line(e, secret)) from e
    except psycopg.Error as e:
        raise DatabaseError(_first_line(e, secret)) from (None if secret else e)


def _first_line(error: Exception, secret: str) -> str:
    """Return the first line of an error, without the password."""
    line = " ".join((str(error).strip().splitlines() or [type(error).__name__])[:1])
    return line.replace(secret, "[password]") if secret else line


_SETTINGS = """
SELECT set_config('lock_timeout', %s, true), set_config('synchronous_commit', %s, true)
"""

# A process that stops in the middle of a transaction must not keep others from writing.
_BEGIN = """
BEGIN; SET LOCAL lock_timeout = {}; SET LOCAL synchronous_commit = {};
SET LOCAL idle_in_transaction_session_timeout = 10000
"""


def _clean(values: Values) -> Values:
    """Return the values without NUL, which PostgreSQL cannot store."""
    return {
        name: v.replace("\0", " ") if isinstance(v, str) and "\0" in v else v
        for name, v in values.items()
    }


class _Number(Loader):
    """Sums come as `numeric`: whole ones are whole numbers, others are floats."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdecimal() else float(text)


def _ready(db: Native) -> Native:
    db.adapters.register_loader("numeric", _Number)
    # A pooler numbers processes itself, since it has to find out whose call to cancel.
    if db.execute("SELECT pg_backend_pid() AS pid").fetchone() == {"pid": db.info.backend_pid}:
        db.prepare_threshold = OFTEN
    return db
