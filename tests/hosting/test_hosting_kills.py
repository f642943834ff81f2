"""Workers are killed at random moments under a vendor's limit: nothing lost, nothing too soon."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import threading
from collections import Counter
from dataclasses import replace

import pytest

from fakes.cluster import a_home, an_experiment
from fakes.command_line import Vendor, started
from fakes.databases import a_database
from fakes.patience import not_for_ever
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Answered, Status
from mutual_dissent.experiments.cluster import ClusterRun
from mutual_dissent.experiments.shelf import rows
from mutual_dissent.store.postgres.server import Server

pytestmark = [pytest.mark.postgres, pytest.mark.slow]

A_SECOND = 20
CAPACITY = 4
LIMIT = f"[limits.openrouter]\nper_minute = {60 * A_SECOND}\n"

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


def test_killed_workers_lose_nothing_buy_nothing_twice_and_keep_to_the_limit(tmp_path):
    kills = int(os.environ.get("DISSENT_KILLS", "6"))
    with Vendor() as vendor:
        vendor.fake.always("ok", delay=0.15)
        url = a_database()
        db = Server(url).connect()
        db.script(DIARY)
        env = {**vendor.env, "MUTUAL_DISSENT_DB": url}
        homes = [a_home(tmp_path / name, more=LIMIT) for name in ("dealer", "workers")]
        violence = Violence(vendor, kills, {**env, "MUTUAL_DISSENT_HOME": str(homes[1])})
        with violence:
            logs = asyncio.run(_dealt_out(homes[0], env, violence))
        assert len(violence.killed) == kills
        recorded = 0
        for events in logs:
            bought = Counter(e.key for e in events if isinstance(e, Answered) and not e.reused)
            assert set(bought.values()) == {1}
            recorded += sum(bought.values())
        # Calls that were in flight when their worker died are the only ones without a record.
        assert recorded <= len(vendor.arrivals) <= recorded + kills * CAPACITY * 2
        (busiest,) = db.execute(BUSIEST).fetchone()
        (turns,) = db.execute("SELECT count(*) FROM turns").fetchone()
        db.close()
        assert busiest <= A_SECOND + 1
        assert len(vendor.arrivals) <= turns


class Violence:
    """Two workers at work; now and then one of them is killed, and another one comes."""

    def __init__(self, vendor, kills, env):
        self.vendor, self.kills, self.env = vendor, kills, env
        self.killed = []
        self._end, self._dice = threading.Event(), random.Random(7)
        self._thread = threading.Thread(target=self._rage)

    @property
    def goes_on(self):
        return len(self.killed) < self.kills

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()

    def _rage(self):
        with contextlib.ExitStack() as stack:
            workers = [self._worker(stack) for _ in range(2)]
            while self.goes_on and self._somebody_works():
                victim = workers.pop(self._dice.randrange(2))
                victim.send_signal(signal.SIGKILL)
                victim.wait()
                workers.append(self._worker(stack))
                self.killed.append(victim.pid)
            self._end.wait()

    def _worker(self, stack):
        words = ("worker", "--concurrency", str(CAPACITY))
        return stack.enter_context(started(*words, env=self.env))

    def _somebody_works(self):
        """Wait until a call has come, and a random moment more; whether there is time left."""
        before = len(self.vendor.arrivals)
        while len(self.vendor.arrivals) == before:
            if self._end.wait(0.01):
                return False
        return not self._end.wait(self._dice.uniform(0, 0.5))


async def _dealt_out(home, env, violence):
    """Deal the experiment out under one seed after the other, as long as workers are killed."""
    wanted, seeds = an_experiment(3, "openrouter:lab/ada", "openrouter:lab/bob"), 0
    async with not_for_ever(600), MutualDissent(home=home, env=env) as md:
        while violence.goes_on:
            done = await ClusterRun(md, replace(wanted, seed=seeds)).to_the_end()
            assert (done.done, done.failed) == (wanted.size, 0), done.problems
            seeds += 1
        found = list(rows(md, "sums"))
        assert len(found) == seeds * wanted.size
        assert {r.status for r in found} == {Status.COMPLETED}
        return [md.store.events(r.transcript_id) for r in found]
