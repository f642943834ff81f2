"""The port to a database: the few things that the store needs of SQLite and PostgreSQL alike.

DatabaseError        it did not work; tried again later, it may
├── DiskRefused      the disk is full or failing
└── Rejected         this one statement would fail at every attempt
    └── Violation    a constraint forbids it, mostly since its key is taken
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol
from urllib.parse import urlsplit

from mutual_dissent.core.errors import BadInput, StoreError

Row = dict[str, Any]
"""A row of a result: name of the column -> value."""

LEASE = 45.0
"""Seconds after which the leases of a silent process may be taken over."""

SCHEMES = ("postgresql", "postgres")


class DatabaseError(Exception):
    """A statement failed.

    Attributes:
        hint: what to do about it, if that is known.
    """

    def __init__(self, what: str, *hint: str) -> None:
        super().__init__(what)
        self.hint = hint


class DiskRefused(DatabaseError):
    """The disk is full, over quota or failing."""


class Rejected(DatabaseError):
    """A value cannot be stored, or the statement is wrong."""


class Violation(Rejected):
    """A constraint forbids a row, mostly since its key is taken."""


class Database(Protocol):
    """One connection. Its SQL is SQLite's, with values by their names (`:last_seq`).

    Attributes:
        newest_first: whether its search index has the newest debates first.
        read_only: whether it was opened where nothing can be written.
    """

    newest_first: bool
    read_only: bool

    @abstractmethod
    def execute(self, sql: str, /, **values: object) -> int:
        """Run a statement; return the number of rows that it changed."""

    @abstractmethod
    def executemany(self, sql: str, rows: Iterable[Mapping[str, object]], /) -> None:
        """Run a statement for each row of values."""

    @abstractmethod
    def rows(self, sql: str, /, **values: object) -> list[Row]:
        """Run a statement; return its rows."""

    def row(self, sql: str, /, **values: object) -> Row | None:
        """Run a statement; return its first row, if there is one."""
        return next(iter(self.rows(sql, **values)), None)

    def column(self, sql: str, /, **values: object) -> list[Any]:
        """Run a statement; return the first value of each row."""
        return [next(iter(row.values())) for row in self.rows(sql, **values)]

    @abstractmethod
    def begin(self) -> None:
        """Begin a transaction that writes."""

    @property
    @abstractmethod
    def in_transaction(self) -> bool:
        """Return whether a transaction is open."""

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Do all or nothing, with the lock taken at once so that it never has to be upgraded."""
        self.begin()
        try:
            yield
            self.execute("COMMIT")
        finally:
            if self.in_transaction:
                self.execute("ROLLBACK")

    @abstractmethod
    def wait_for_locks(self, milliseconds: int) -> None:
        """Set how long to wait for another writer."""

    @abstractmethod
    def problems(self) -> list[str]:
        """Return what is wrong with the database itself."""

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""


@contextmanager
def translate_errors(name: object, error: type[StoreError]) -> Iterator[None]:
    """Turn errors of the database of that name into a user's."""
    try:
        yield
    except DatabaseError as e:
        raise user_error(e, name, error) from e


def user_error(problem: DatabaseError, name: object, error: type[StoreError]) -> StoreError:
    """Return the user's error for an error of the database of that name."""
    wish = "could not be used" if error is StoreError else "could not be written"
    return error(f"{name} {wish}: {problem}", *problem.hint)


def checked_url(url: str) -> str:
    """Return the URL, if it is one of a PostgreSQL database; the error repeats nothing of it.

    Raises:
        BadInput: if it cannot.
    """
    try:
        parts = urlsplit(url.strip())
        fine = parts.scheme in SCHEMES and bool(parts.path.strip("/")) and (parts.port or 1) > 0
    except ValueError:
        fine = False
    if not fine or "\0" in url:
        raise BadInput(
            "that is no URL of a PostgreSQL database; write it as "
            "postgresql://USER:PASSWORD@HOST:5432/NAME"
        )
    return url.strip()
