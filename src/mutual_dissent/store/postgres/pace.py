"""A rate limit per vendor for all machines together, by the database's clock."""

from __future__ import annotations

from mutual_dissent.store.postgres.connection import SingleConnection
from mutual_dissent.store.postgres.server import PostgresServer

SLACK = 1.05
"""The factor by which turns lie further apart than needed: calls differ in their time of travel."""


class VendorTurns:
    """The turns with all vendors; nothing is opened before it is needed."""

    def __init__(self, server: PostgresServer) -> None:
        self._line = SingleConnection(server)

    def turn(self, name: str, per_minute: int) -> float:
        """Take the next turn with a vendor: 0 if it may be called now, else seconds to wait.

        Turns are 60 / `per_minute` seconds apart by the server's clock (GCRA), and a little more.
        A late turn may be followed by one punctual turn, so that the pace is kept; never by two.
        """
        gap = SLACK * 60.0 / per_minute
        if self._line.run(_TURN, name=name, gap=gap, late=gap / 2):
            return 0.0
        wait = self._line.run(_WAIT, name=name, late=gap / 2)
        return max(0.001, float(wait[0]["seconds"])) if wait else 0.001

    def close(self) -> None:
        """Close the connection."""
        self._line.close()


_TURN = """
INSERT INTO buckets (name, tat) VALUES (:name, clock_timestamp() + make_interval(secs => :gap))
ON CONFLICT (name) DO UPDATE SET
    tat = greatest(buckets.tat, clock_timestamp()) + make_interval(secs => :gap)
WHERE buckets.tat <= clock_timestamp() + make_interval(secs => :late)
RETURNING tat
"""

_WAIT = """
SELECT extract(epoch FROM tat - clock_timestamp())::double precision - :late AS seconds
FROM buckets WHERE name = :name
"""
