"""Leases on debates among many machines: a living holder renews its lease, a dead one does not.

A lease that ran out may be taken over. A process that lost one cannot append any more; and even if
it tried at the same moment, an append only fits where the log ends.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from mutual_dissent.core.errors import Held, StoreError
from mutual_dissent.store.postgres.connection import SingleConnection
from mutual_dissent.store.postgres.server import PostgresServer

BEATS = 3
"""Renewals of a lease in its own length."""

SOON = 0.25
"""Seconds until the next attempt after a renewal failed."""

BEFORE = "waiting:"
"""Prefix of the lease of a debate that waits for its turn."""


class Leases:
    """The leases of one store; a thread renews those that it holds.

    Attributes:
        waiting: the debates that wait for their turn in a process, on whichever machine.
    """

    def __init__(self, server: PostgresServer) -> None:
        self.owner = uuid4().hex
        self._server = server
        self._host = socket.gethostname()
        self._line = SingleConnection(server)
        self._run = self._line.run
        self._mine: set[str] = set()
        self.waiting = _Waiting(self)
        self._end = threading.Event()
        self._thread: threading.Thread | None = None

    @contextmanager
    def hold(self, transcript_id: str) -> Iterator[None]:
        """Work on a debate alone.

        Raises:
            Held: if another process, or another task of this one, works on it.
            StoreError: if the database cannot be reached.
        """
        self._take(transcript_id)
        try:
            yield
        finally:
            self.given_back(transcript_id)

    def held_ids(self) -> set[str]:
        """Return the ids that a process works on."""
        return {str(row["transcript_id"]) for row in self._run(_HELD)}

    def under_way(self) -> set[str]:
        """Return the ids that a process works on, or will when their turn comes."""
        return {name.removeprefix(BEFORE) for name in self.held_ids()}

    def keep_renewing(self, name: str) -> None:
        """Take a lease of any name, and renew it from now on.

        Raises:
            Held: if another process has it.
            StoreError: if the database cannot be reached.
        """
        self._take(name)

    def given_back(self, name: str) -> None:
        """Release a lease."""
        self._mine.discard(name)
        with suppress(StoreError):  # it runs out by itself
            self._run(_RELEASE, name=name, owner=self.owner)

    def holder(self, transcript_id: str) -> int | None:
        """Return the process that works on a debate, on whichever machine."""
        rows = self._run(_HOLDER, name=transcript_id)
        return int(rows[0]["pid"]) if rows else None

    def stale(self) -> list[Path]:
        """Return nothing: there are no lock files."""
        return []

    def close(self) -> None:
        """Stop the renewals, and close the connection."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self._end.clear()
        self._line.close()

    def _take(self, transcript_id: str) -> None:
        mine = {"owner": self.owner, "pid": os.getpid(), "host": self._host}
        # A lease that a crashed server forgot would let two processes buy what one of them records.
        if not self._run(
            _TAKE, durable=True, name=transcript_id, seconds=self._server.lease, **mine
        ):
            raise Held(transcript_id, self._named(transcript_id))
        self._mine.add(transcript_id)
        if self._thread is None:
            self._thread = threading.Thread(target=self._renew, name="leases", daemon=True)
            self._thread.start()

    def _named(self, transcript_id: str) -> str:
        rows = self._run(_HOLDER, name=transcript_id)
        if not rows:
            return "another process"
        pid, host, owner = (rows[0][name] for name in ("pid", "host", "owner"))
        if owner == self.owner:
            return "this very process"
        return f"process {pid}" + (f" on {host}" if host != self._host else "")

    def _renew(self) -> None:
        rest = beat = self._server.lease / BEATS
        while not self._end.wait(rest):
            rest = beat
            if self._mine:
                try:
                    self._run(_RENEW, seconds=self._server.lease, owner=self.owner)
                except StoreError:  # as soon as the server is there again
                    rest = min(beat, SOON)


class _Waiting:
    """The debates that wait: leases with a prefix before the id."""

    def __init__(self, leases: Leases) -> None:
        self._leases = leases

    def add(self, transcript_id: str) -> None:
        self._leases.keep_renewing(BEFORE + transcript_id)

    def remove(self, transcript_id: str) -> None:
        self._leases.given_back(BEFORE + transcript_id)

    def ids(self) -> set[str]:
        waiting = (i for i in self._leases.held_ids() if i.startswith(BEFORE))
        return {i.removeprefix(BEFORE) for i in waiting}


# By the server's clock, since those of the machines differ. A lease that has not run out is refused
# to its owner as well: two tasks of one process must not work on a debate.
_TAKE = """
INSERT INTO leases (transcript_id, owner, pid, host, expires)
VALUES (:name, :owner, :pid, :host, clock_timestamp() + make_interval(secs => :seconds))
ON CONFLICT (transcript_id) DO UPDATE SET
    owner = excluded.owner, pid = excluded.pid, host = excluded.host, expires = excluded.expires
WHERE leases.expires <= clock_timestamp()
RETURNING owner
"""

_RENEW = """
UPDATE leases SET expires = clock_timestamp() + make_interval(secs => :seconds)
WHERE owner = :owner
"""

_RELEASE = "DELETE FROM leases WHERE transcript_id = :name AND owner = :owner"

_HELD = "SELECT transcript_id FROM leases WHERE expires > clock_timestamp()"

_HOLDER = """
SELECT pid, host, owner FROM leases WHERE transcript_id = :name AND expires > clock_timestamp()
"""
