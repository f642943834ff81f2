"""The record through PgBouncer, which gives every transaction another connection."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from fakes.command_line import wait_until
from fakes.databases import a_database
from fakes.logs import a_log, an_id
from mutual_dissent.core.errors import Held
from mutual_dissent.store.postgres.pace import VendorTurns
from mutual_dissent.store.postgres.server import PostgresServer
from mutual_dissent.store.store import Store

pytestmark = pytest.mark.postgres

CONFIGURATION = """
[databases]
* = host={host} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 3
max_client_conn = 200
"""


@pytest.fixture
def url(tmp_path):
    """A database behind a pooler that has three connections for everybody."""
    program = shutil.which("pgbouncer")
    if program is None:
        pytest.skip("SKIPPED: there is no pgbouncer on this machine")
    parts = urlsplit(a_database())
    with socket.create_server(("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
    file = tmp_path / "pgbouncer.ini"
    host = Path(parse_qs(parts.query)["host"][0])
    file.write_text(CONFIGURATION.format(host=host, port=port))
    user = ["-u", host.owner()] if os.geteuid() == 0 else []  # it does not run as root
    process = subprocess.Popen([program, *user, str(file)], stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: _answers(port))
        yield f"postgresql://postgres@127.0.0.1:{port}{parts.path}"
    finally:
        process.terminate()
        process.wait()


def _answers(port):
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) == 0


async def test_many_debates_of_many_stores_are_written_held_and_found(url):
    logs = [a_log(n) for n in range(12)]
    stores = [Store(PostgresServer(url)) for _ in range(3)]

    async def held(n):
        store = stores[n % 3]
        with store.hold(an_id(n)):
            for event in logs[n]:
                await store.journal(an_id(n)).append([event])

    await asyncio.gather(*(held(n) for n in range(12)))
    assert [stores[0].events(an_id(n)) for n in range(12)] == logs
    assert stores[1].totals("all")[0].calls == 12 * 7
    for store in stores:
        store.close()
    with Store(PostgresServer(url)) as store:
        assert store.count(text="canberra") == 12


async def test_who_lost_its_lease_cannot_append_through_a_pooler_either(url):
    with (
        Store(PostgresServer(url)) as store,
        Store(PostgresServer(url)) as other,
        store.hold(an_id()),
    ):
        await store.journal(an_id()).append(a_log()[:3])
        other._access.writable().execute("UPDATE leases SET expires = clock_timestamp()")
        with other.hold(an_id()), pytest.raises(Held):
            await store.journal(an_id()).append(a_log()[3:5])


@pytest.mark.parametrize("direct", [True, False], ids=["direct", "pooled"])
def test_statements_are_remembered_by_the_server_unless_a_pooler_stands_before_it(url, direct):
    db = PostgresServer(a_database() if direct else url).connect()
    for n in range(9):
        assert db.column("SELECT 1 + :n::bigint", n=n) == [n + 1]
    remembered = "SELECT count(*) > 0 FROM pg_prepared_statements WHERE statement LIKE '%bigint%'"
    assert db.column(remembered) == [direct]
    db.close()


def test_the_pace_works_and_leaves_no_setting_behind(url):
    pace = VendorTurns(PostgresServer(url))
    assert pace.turn("acme", 60) == 0.0
    assert pace.turn("acme", 60) > 0.0
    pace.close()
    db = PostgresServer(url).connect()
    for _ in range(9):
        assert db.column("SELECT current_setting('synchronous_commit')") == ["on"]
        assert db.column("SELECT current_setting('lock_timeout')") == ["0"]
    db.close()
