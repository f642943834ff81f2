"""Workers and dealers are killed at random moments under a vendor's limit: nothing lost or twice.

`DISSENT_KILLS` is how many workers are killed, `DISSENT_LEASE` the seconds of a lease.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import threading
from collections import Counter
from datetime import UTC, datetime

import pytest

from fakes.cluster import a_home, of_its_own
from fakes.command_line import Vendor, started
from fakes.databases import a_database
from fakes.patience import not_for_ever
from fakes.temporal import a_queue, an_engine
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Answered, Reopened, Status
from mutual_dissent.experiments.run.registry import rows
from mutual_dissent.hosting.engines import connect_engine, options
from mutual_dissent.store.postgres.server import PostgresServer

pytestmark = [pytest.mark.postgres, pytest.mark.temporal, pytest.mark.slow]

CAPACITY = 4
LEASE = float(os.environ.get("DISSENT_LEASE", "3"))
KILLS = int(os.environ.get("DISSENT_KILLS", "2"))
REPEATS = 6 + min(KILLS, 6)
A_SECOND = 20
LIMIT = f"[limits.openrouter]\nper_minute = {60 * A_SECOND}\n"

HELD = "SELECT transcript_id FROM leases WHERE pid = :pid AND expires > clock_timestamp()"
LEFT = "SELECT count(*) FROM leases WHERE pid = :pid"

# Every turn that anybody gets is written down by the server, at its own clock.
DIARY = """
CREATE TABLE turns (at timestamptz NOT NULL);
CREATE FUNCTION note_turn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN INSERT INTO turns VALUES (clock_timestamp()); RETURN NULL; END $$;
CREATE TRIGGER note AFTER INSERT OR UPDATE ON buckets FOR EACH ROW EXECUTE FUNCTION note_turn();
"""

BUSIEST = """
SELECT max(n) FROM (SELECT count(*) OVER (
    ORDER BY at RANGE BETWEEN CURRENT ROW AND interval '1 second' FOLLOWING) AS n FROM turns) w
"""


def test_killed_workers_and_dealers_lose_nothing_and_others_take_over_within_three_leases(tmp_path):
    with Vendor() as vendor:
        vendor.fake.always("ok", delay=0.3)
        url = a_database()
        db = PostgresServer(url).connect()
        db.script(DIARY)
        more = a_queue() + LIMIT
        homes = [a_home(tmp_path / name, LEASE, more) for name in ("dealer", "workers")]
        env = {**vendor.env, "MUTUAL_DISSENT_DB": url, "MUTUAL_DISSENT_ENGINE": an_engine()}
        violence = Violence(vendor, url, {**env, "MUTUAL_DISSENT_HOME": str(homes[1])})
        with violence:
            logs = asyncio.run(_dealt_out(tmp_path / "x.toml", homes[0], env, violence))
        (busiest,), (turns,) = db.column(BUSIEST), db.column("SELECT count(*) FROM turns")
        db.close()
    assert len(violence.killed) == KILLS
    recorded = 0
    for events in logs.values():
        bought = Counter(e.key for e in events if isinstance(e, Answered) and not e.reused)
        assert set(bought.values()) == {1}
        recorded += sum(bought.values())
    # Calls that were in flight when their worker died are the only ones without a record.
    assert recorded <= len(vendor.arrivals) <= recorded + KILLS * CAPACITY * 2
    assert busiest <= A_SECOND + 1
    assert len(vendor.arrivals) <= turns
    waits = sorted(taken_over(logs, violence.killed))
    assert waits
    print(
        f"\n{KILLS} kills, {len(logs)} debates, {recorded} answers, at most {busiest} in a second;"
        f" taken over: {len(waits)}, median {waits[len(waits) // 2]:.1f} s, worst {waits[-1]:.1f}"
    )
    assert waits[-1] <= 3 * LEASE


def taken_over(logs, killed):
    """Seconds from each death to the moment at which another went on with its debates."""
    for at, names in killed:
        for name in names:
            later = [e.at for e in logs[name] if isinstance(e, Reopened) and e.at > at]
            if later:  # else it had just ended
                yield (min(later) - at).total_seconds()


class Violence:
    """Workers at work; now and then one of them is killed, and another one comes."""

    def __init__(self, vendor, url, env):
        self.vendor, self.env = vendor, env
        self.killed = []
        self._db = PostgresServer(url).connect()
        self._end, self._dice = threading.Event(), random.Random(7)
        self._thread = threading.Thread(target=self._rage)

    @property
    def goes_on(self):
        return len(self.killed) < KILLS

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()
        self._db.close()

    def _rage(self):
        with contextlib.ExitStack() as stack:
            workers = [self._worker(stack) for _ in range(2)]
            while self.goes_on and self._somebody_works():
                victim = next((w for w in workers if self._held(w)), None)
                if victim is None:
                    continue
                victim.send_signal(signal.SIGKILL)
                victim.wait()
                self.killed.append((datetime.now(UTC), self._held(victim)))
                workers.remove(victim)
                self._dice.shuffle(workers)
                workers.append(self._worker(stack))
                while self._left_by(victim) and not self._end.wait(0.05):
                    pass  # who dies while it takes over says nothing of how long that takes
            self._end.wait()

    def _held(self, worker):
        """What a worker holds, or held when it died."""
        return self._db.column(HELD, pid=worker.pid)

    def _left_by(self, victim):
        return self._db.column(LEFT, pid=victim.pid)[0]

    def _worker(self, stack):
        """One more worker, once it is at work: nobody takes over where nobody is."""
        words = ("worker", "--concurrency", str(CAPACITY))
        made = stack.enter_context(started(*words, env=self.env, stderr=subprocess.PIPE))
        assert b"takes debates" in made.stderr.readline()
        return made

    def _somebody_works(self):
        """Wait until a call has come, and a random moment more; whether there is time left."""
        before = len(self.vendor.arrivals)
        while len(self.vendor.arrivals) == before:
            if self._end.wait(0.01):
                return False
        return not self._end.wait(self._dice.uniform(0, 2))


async def _dealt_out(file, home, env, violence):
    """Have experiments held, one after the other, as long as workers are killed."""
    total = 0
    async with not_for_ever(1500), MutualDissent(home=home, env=env) as md:
        engine = await connect_engine(options(md))
        while violence.goes_on:
            wanted = of_its_own(REPEATS, "openrouter:lab/ada", "openrouter:lab/bob")
            file.write_text(wanted.text)
            await asyncio.to_thread(_begun_and_killed, file, home, env, violence.vendor)
            assert (done := await engine.wait_for_end("sums", 900)) is not None
            assert (done.done, done.failed) == (wanted.size, 0), done.problems
            total += wanted.size
        found = list(rows(md, "sums"))
        assert len(found) == total
        assert {r.status for r in found} == {Status.COMPLETED}
        return {r.transcript_id: md.store.events(r.transcript_id) for r in found}


def _begun_and_killed(file, home, env, vendor):
    """Have somebody begin an experiment, who is killed in the middle of it."""
    words = ("experiment", "run", str(file), "--cluster", "--yes")
    before = len(vendor.arrivals)
    with started(*words, env={**env, "MUTUAL_DISSENT_HOME": str(home)}) as dealer:
        while len(vendor.arrivals) < before + 12:
            assert dealer.poll() is None
            threading.Event().wait(0.01)
        dealer.send_signal(signal.SIGKILL)
