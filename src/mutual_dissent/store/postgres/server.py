"""A PostgreSQL database: its address, its connections, and its name in messages."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from mutual_dissent.core.errors import StoreError
from mutual_dissent.store.database import LEASE, DatabaseError, checked_url

if TYPE_CHECKING:
    from mutual_dissent.store.postgres.adapter import Native, PostgresDatabase

_PATIENCE = 10


class PostgresServer:
    """A PostgreSQL database by its URL. Its password comes out in no message and no `repr`."""

    __slots__ = ("_url", "lease")

    def __init__(self, url: str, lease: float = LEASE) -> None:
        """Name the database at `url`; see `LEASE` for `lease`.

        Raises:
            BadInput: if that is not a URL of a PostgreSQL database.
        """
        self._url = checked_url(url)
        self.lease = lease

    def __str__(self) -> str:
        parts = urlsplit(self._url)
        user = f"{parts.username}@" if parts.username else ""
        port = f":{parts.port}" if parts.port else ""
        return f"postgresql://{user}{parts.hostname or ''}{port}{parts.path}"

    def __repr__(self) -> str:
        return f"Server({self})"

    def exists(self) -> bool:
        """Return True: only the server can say whether there is something to read."""
        return True

    def open(self, *, durable: bool = True) -> PostgresDatabase:
        """Connect to a database of the present version.

        Args:
            durable: whether to wait until what is written is on disk.

        Raises:
            StoreError: if it cannot be reached, or has another version.
        """
        from mutual_dissent.store.postgres.schema import check_version

        db = self.connect(durable=durable)
        try:
            check_version(db, str(self))
        except BaseException:
            db.close()
            raise
        return db

    def connect(self, *, durable: bool = True) -> PostgresDatabase:
        """Connect to a database of any version.

        Raises:
            StoreError: if it cannot be reached.
        """
        try:
            from mutual_dissent.store.postgres.adapter import PostgresDatabase
        except ImportError as e:
            raise StoreError(
                "PostgreSQL needs more than is installed; "
                "run: pip install 'mutual-dissent[cluster]'"
            ) from e
        try:
            return PostgresDatabase(self._native, durable=durable)
        except DatabaseError as e:
            raise StoreError(
                f"{self} cannot be reached: {e}; see that it runs and takes connections, and that "
                "address, user and password are right"
            ) from None

    def _native(self) -> Native:
        import psycopg
        from psycopg.rows import dict_row

        from mutual_dissent.store.postgres.adapter import port_errors

        with port_errors(unquote(urlsplit(self._url).password or "")):
            return psycopg.connect(
                self._url,
                autocommit=True,
                row_factory=dict_row,
                connect_timeout=_PATIENCE,
                # Not before it is known that no pooler stands in between (decision 18).
                prepare_threshold=None,
                application_name="dissent",
                # A line that died without a word is noticed after 30 to 40 s, before LEASE has
                # passed and others take over what this process holds.
                keepalives_idle=_PATIENCE,
                keepalives_interval=_PATIENCE,
                keepalives_count=3,
                tcp_user_timeout=3 * _PATIENCE * 1000,
            )
