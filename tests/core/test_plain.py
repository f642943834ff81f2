"""Stored values are read by many threads at once, as servers and workers do."""

from __future__ import annotations

import subprocess
import sys

FIRST_MOMENT = """
import sys, threading
from mutual_dissent.core.codec.plain import Malformed, from_plain
from mutual_dissent.core.events import Answered, Asked, Closed, Opened, RoundEnded

sys.setswitchinterval(1e-6)
together = threading.Barrier(8)

def read():
    together.wait()
    for kind in (Opened, Asked, Answered, RoundEnded, Closed):
        try:
            from_plain(kind, {"seq": 1})
        except Malformed:
            pass

threads = [threading.Thread(target=read) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print("all were read")
"""


def test_a_process_whose_threads_read_their_first_events_at_once_does_not_crash():
    done = subprocess.run(
        [sys.executable, "-c", FIRST_MOMENT], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "all were read\n"), done.stderr
