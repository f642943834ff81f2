"""Other processes that look at the record while a debate is being written to it."""

from __future__ import annotations

import subprocess
import sys

from fakes.logs import a_log
from mutual_dissent.store.store import Store

LOOK = """
import sys
from mutual_dissent.store.store import Store
with Store(sys.argv[1]) as store:
    print(len(store.events(sys.argv[2])))
"""


def look(path, name) -> int:
    command = [sys.executable, "-c", LOOK, str(path), name]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


async def test_a_reader_that_comes_and_goes_takes_nothing_from_the_writer(tmp_path):
    """SQLite's locks belong to the process: one descriptor too many once lost every later event."""
    path = tmp_path / "dissent.db"
    events = a_log()
    name = events[0].brief.transcript_id
    with Store(path) as store:
        store.check_writable()
        await store.journal(name).append(events[:1])
        assert look(path, name) == 1
        await store.journal(name).append(events[1:])
        assert look(path, name) == len(events)
