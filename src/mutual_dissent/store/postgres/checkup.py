"""Problems of a record that many machines share, and what to do about them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutual_dissent.core.values.terms import at_terminal
from mutual_dissent.store.debates.filters import UNFINISHED
from mutual_dissent.store.diagnosis import Finding
from mutual_dissent.store.postgres.connection import SingleConnection
from mutual_dissent.store.postgres.server import PostgresServer
from mutual_dissent.store.postgres.tables import STEPS

OLDEST = 14
"""The oldest version of PostgreSQL that has all that is used."""

GONE = {name for step in STEPS for name in re.findall(r"DROP TABLE (\w+)", step)}
TABLES = [
    name for step in STEPS for name in re.findall(r"CREATE TABLE (\w+)", step) if name not in GONE
]


def checkup(server: PostgresServer, *, fix: bool = False) -> Iterator[Finding]:
    """Report what is wrong with a database that can be reached and has the present version.

    Raises:
        StoreError: if it cannot be used.
    """
    line = SingleConnection(server)
    try:
        problems = list(_database(line))
        yield from problems
        if not problems:
            yield from _leases(line, fix=fix)
            yield from _abandoned(line)
    finally:
        line.close()


def _database(line: SingleConnection) -> Iterator[Finding]:
    """Report whether answers can be written to the server."""
    server = line.run(_SERVER)[0]
    if (version := server["version"] // 10_000) < OLDEST:
        text = f"it is version {version} of PostgreSQL; have it upgraded to {OLDEST}"
        yield _of(line, text)
    if server["read_only"]:
        yield _of(line, "it can only be read; name the server that takes writes, not its copy")
    gone = [row["name"] for row in line.run(_GONE, tables=TABLES)]
    if gone:
        yield _of(line, f"tables are missing ({', '.join(gone)}); restore it from a backup")
        return
    denied = [row["name"] for row in line.run(_DENIED, tables=TABLES)]
    if denied:
        text = (
            f"this user may not read and write {', '.join(denied)}; as its owner: "
            "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO the user"
        )
        yield _of(line, text)


def _leases(line: SingleConnection, *, fix: bool) -> Iterator[Finding]:
    """Report the leases of processes that were silent for twice as long as a lease."""
    expired = line.run(_EXPIRED, lease=line.server.lease)
    if expired and fix:
        line.run(_FORGET, lease=line.server.lease)
    for row in expired:
        text = (
            f"process {row['pid']} on {row['host']} held it and let its lease run out "
            f"{round(row['silent'])} s ago; anybody may take it over, and the lease can be removed"
        )
        yield Finding(
            kind="lease", subject=row["transcript_id"], text=text, fixable=True, fixed=fix
        )


def _abandoned(line: SingleConnection) -> Iterator[Finding]:
    """Report debates that have begun, and that no process works on or will."""
    for row in line.run(_ABANDONED, unfinished=list(UNFINISHED)):
        name, begun = row["transcript_id"], "nobody was asked yet, and no process works on it"
        if row["status"] != "created":
            begun = "it is not finished, and no process works on it"
        text = f"{begun}; go on with: {at_terminal('resume', name[:8])}"
        yield Finding(kind="abandoned", subject=name, text=text)


def _of(line: SingleConnection, text: str) -> Finding:
    return Finding(kind="database", subject=str(line.server), text=text)


_SERVER = """
SELECT current_setting('server_version_num')::bigint AS version,
    pg_is_in_recovery() OR current_setting('default_transaction_read_only')::boolean AS read_only
"""

_GONE = "SELECT name FROM unnest(:tables::text[]) AS t (name) WHERE to_regclass(name) IS NULL"

_DENIED = """
SELECT DISTINCT name FROM unnest(:tables::text[]) AS t (name),
    unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS p (wish)
WHERE NOT has_table_privilege(name, wish) ORDER BY name
"""

# A lease that ran out a moment ago may still be renewed by its holder.
_LATE = "expires + make_interval(secs => :lease) < clock_timestamp()"

_EXPIRED = f"""
SELECT transcript_id, pid, host,
    extract(epoch FROM clock_timestamp() - expires)::double precision AS silent
FROM leases WHERE {_LATE} ORDER BY expires
"""  # noqa: S608 - constants

_FORGET = f"DELETE FROM leases WHERE {_LATE}"  # noqa: S608 - constants

_ABANDONED = """
SELECT transcript_id, status FROM debates d
WHERE status = ANY(:unfinished)
    AND NOT EXISTS (SELECT 1 FROM leases l
        WHERE l.transcript_id IN (d.transcript_id, 'waiting:' || d.transcript_id)
            AND l.expires > clock_timestamp())
ORDER BY number
"""
