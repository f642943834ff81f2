"""A connection to PostgreSQL with the interface of SQLite's, as far as the store uses it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.adapt import Buffer, Loader
from psycopg.pq import TransactionStatus

from mutual_dissent.store.postgres.dialect import WORDS, in_postgres

if TYPE_CHECKING:
    Native = psycopg.Connection[tuple[Any, ...]]


PATIENCE = 10_000
"""Milliseconds to wait for a lock."""

OFTEN = 5
"""Times that a statement is sent before the server prepares it."""

_TIMEOUT = "PRAGMA busy_timeout = "


class Connection:
    """Speaks the store's SQL; a broken connection is made again with the next statement.

    Nothing is left behind on the server between transactions: settings go with each of them, and
    statements are prepared only where no pooler stands in between. So PgBouncer may give each
    transaction another connection.
    """

    def __init__(self, connect: Callable[[], Native], *, durable: bool = True) -> None:
        """See `Server.open` for `durable`."""
        self._connect = connect
        self._patience = PATIENCE
        self.durable = durable
        with translate_errors():
            self._db = _ready(connect())

    def execute(self, sql: str, values: Sequence[object] = ()) -> psycopg.Cursor[tuple[Any, ...]]:
        """Run one statement."""
        with translate_errors():
            only_reads = sql.startswith("SELECT") and not self.in_transaction
            try:
                return self._run(sql, values)
            except psycopg.OperationalError:
                if not self._db.closed or not only_reads:
                    raise
                return self._run(sql, values)  # the server was restarted since the last statement

    def _run(self, sql: str, values: Sequence[object]) -> psycopg.Cursor[tuple[Any, ...]]:
        db = self._live()
        if sql.startswith(_TIMEOUT):
            self._patience = int(sql.removeprefix(_TIMEOUT))
            return db.cursor()
        text = in_postgres(sql)
        settings = (str(self._patience), "on" if self.durable else "off")
        if text == "BEGIN":
            return db.execute(_BEGIN.format(*settings))
        if self.in_transaction or text.lstrip().startswith("SELECT"):
            return _send(db, text, values)
        with db.pipeline():  # both are sent at once, and are one transaction
            db.execute(_SETTINGS, settings)
            # psycopg takes a statement for prepared also if the pipeline failed before that.
            return _send(db, text, values, prepare=False)

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run one statement for each row of values."""
        with translate_errors(), self._live().cursor() as cursor:
            cursor.executemany(in_postgres(sql), [_clean(r) for r in rows])

    def script(self, sql: str) -> None:
        """Run statements that are PostgreSQL's own, as they stand."""
        with translate_errors():
            self._live().execute(sql)

    @property
    def in_transaction(self) -> bool:
        """Return whether a transaction is open."""
        status = self._db.info.transaction_status
        return status in (TransactionStatus.INTRANS, TransactionStatus.INERROR)

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


@contextmanager
def translate_errors(secret: str = "") -> Iterator[None]:
    """Turn psycopg's errors into those of SQLite, which the store knows."""
    try:
        yield
    except psycopg.IntegrityError as e:
        raise sqlite3.IntegrityError(_first_line(e, secret)) from e
    except psycopg.DataError as e:  # one value that cannot be stored; other values can
        raise OverflowError(_first_line(e, secret)) from e
    except psycopg.Error as e:
        raise sqlite3.OperationalError(_first_line(e, secret)) from (None if secret else e)


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


def _send(
    db: Native, text: str, values: Sequence[object], *, prepare: bool | None = None
) -> psycopg.Cursor[tuple[Any, ...]]:
    if not values:
        return db.execute(_bare(text))
    # The best plan for a search depends on its words: such a plan is not to be kept.
    return db.execute(text, _clean(values), prepare=False if WORDS in text else prepare)


def _bare(text: str) -> str:
    """Return a statement without values, in which psycopg looks for no placeholders."""
    return text.replace("%%", "%")


def _clean(values: Sequence[object]) -> list[object]:
    """Return the values without NUL, which PostgreSQL cannot store."""
    return [v.replace("\0", " ") if isinstance(v, str) and "\0" in v else v for v in values]


class _Number(Loader):
    """Sums come as `numeric`: whole ones are whole numbers, others are floats."""

    def load(self, data: Buffer) -> int | float:
        text = bytes(data).decode()
        return int(text) if text.lstrip("-").isdecimal() else float(text)


def _ready(db: Native) -> Native:
    db.adapters.register_loader("numeric", _Number)
    # A pooler numbers processes itself, since it has to find out whose call to cancel.
    if db.execute("SELECT pg_backend_pid()").fetchone() == (db.info.backend_pid,):
        db.prepare_threshold = OFTEN
    return db
