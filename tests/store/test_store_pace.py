"""All machines together call a vendor as often as it allows, by the clock of their database."""

from __future__ import annotations

import threading
import time

import pytest

from fakes.databases import a_database
from mutual_dissent.store.postgres.pace import SLACK, VendorTurns
from mutual_dissent.store.postgres.server import PostgresServer

pytestmark = pytest.mark.postgres


def test_twenty_a_second_means_at_most_twenty_one_in_any_second_among_all_machines():
    url, turns, stop = a_database(), [], threading.Event()
    clock = "SELECT extract(epoch FROM tat)::double precision AS at FROM buckets"

    def machine():
        pace = VendorTurns(PostgresServer(url))
        while not stop.is_set():
            wait = pace.turn("acme", 1200)
            if wait:
                stop.wait(wait)
            else:
                turns.append(1)
        pace.close()

    pace = VendorTurns(PostgresServer(url))
    pace.turn("acme", 1200)
    first = pace._line.run(clock)[0]["at"]
    machines = [threading.Thread(target=machine) for _ in range(4)]
    for thread in machines:
        thread.start()
    while len(turns) < 40:
        stop.wait(0.01)
    stop.set()
    for thread in machines:
        thread.join()
    # Each turn moves the time of the next one by a twentieth of a second at least.
    assert pace._line.run(clock)[0]["at"] - first >= len(turns) * 0.05 - 1e-4
    # ... and is given half of that too early at most.
    assert pace._line.run(clock)[0]["at"] <= time.time() + 0.05 * SLACK * 1.5 + 0.001
    pace.close()
