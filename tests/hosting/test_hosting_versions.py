"""Workers that say which build they are, and what each worker counts."""

from __future__ import annotations

import asyncio
import re
import subprocess
from collections import Counter
from contextlib import asynccontextmanager
from dataclasses import replace
from urllib.request import urlopen

import pytest

from fakes.cluster import an_experiment
from fakes.command_line import dissent
from fakes.databases import a_database
from fakes.patience import not_for_ever
from fakes.stopping import Gated, answers
from fakes.temporal import a_site, free_port
from mutual_dissent import __version__
from mutual_dissent.core.events import Answered
from mutual_dissent.experiments.run.deal import Dealing
from mutual_dissent.experiments.run.registry import rows
from mutual_dissent.hosting.build import own_build
from mutual_dissent.hosting.engine import EngineError
from mutual_dissent.hosting.temporal.adapter import TemporalEngine
from mutual_dissent.hosting.temporal.dev_server import program
from mutual_dissent.hosting.temporal.worker import TemporalWorker

pytestmark = [pytest.mark.postgres, pytest.mark.temporal]


@asynccontextmanager
async def a_worker(site, grace=5.0, **options):
    """A worker with settings of its own, at work meanwhile."""
    async with site.machine() as md:
        engine = await TemporalEngine.connect(replace(site.engine_options, **options))
        worker = TemporalWorker(md, engine, Dealing(md), 4, grace)
        ready = asyncio.Event()
        task = asyncio.create_task(worker.work(ready.set))
        await ready.wait()
        try:
            yield worker
        finally:
            worker.leave()
            await task


async def made_current(site, *build):
    """What an operator does, by Temporal's own program."""
    options = site.engine_options
    words = [program(), "worker", "deployment", "set-current-version", "--yes"]
    words += ["--address", options.engine.target, "--deployment-name", options.queue]
    done = await asyncio.to_thread(
        subprocess.run, [*words, *build], capture_output=True, text=True, check=False
    )
    return done.returncode == 0


async def calls_in_flight(cast, calls):
    while cast.waiting < calls:
        await asyncio.sleep(0.01)


async def test_rolled_to_a_new_build_debates_move_to_it_and_no_answer_is_bought_twice(tmp_path):
    async with not_for_ever(120), a_site(tmp_path / "site", a_database(), lease=600) as site:
        async with a_worker(site, grace=60, build="1.0-old") as old:
            assert (old.note, old.build) == ("", "1.0-old")  # the first of all is the current one
            cast = Gated(old.md.provider)
            await site.begun(an_experiment(repeats=2))
            await calls_in_flight(cast, 8)
            async with a_worker(site, build="1.0-new") as new:
                assert "debates go to the build 1.0-old" in new.note
                assert "set-current-version" in new.note
                while not await made_current(site, "--build-id", "1.0-new"):
                    await asyncio.sleep(0.05)
                old.leave()
                cast.gate.set()
                done = await site.ended(an_experiment(repeats=2))
                assert (done.done, done.failed) == (8, 0), done.problems
                assert new.held == 8
                asked = len(cast.asks) + len(new.md.provider.asks)
        assert asked == answers(site.md, "sums")
        assert set(bought(site.md).values()) == {1}


def bought(md):
    """How often each answer was bought."""
    return Counter(
        (row.transcript_id, event.key)
        for row in rows(md, "sums")
        for event in md.store.events(row.transcript_id)
        if isinstance(event, Answered) and not event.reused
    )


async def test_a_build_that_is_not_the_current_one_is_given_nothing(tmp_path):
    async with (
        not_for_ever(),
        a_site(tmp_path / "site", a_database()) as site,
        a_worker(site, build="a") as current,
        a_worker(site, build="b") as other,
    ):
        done = await site.held(an_experiment(repeats=1))
        assert (done.done, current.held, other.held) == (4, 4, 0)


async def test_who_has_left_builds_is_not_brought_back_to_them_by_a_worker_that_starts(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        async with a_worker(site, build="a"):
            assert await made_current(site, "--unversioned")
        async with a_worker(site, build="a") as again, a_worker(site) as plain:
            assert "debates go to workers that do not say which build they are" in again.note
            done = await site.held(an_experiment(repeats=1))
            assert (done.done, again.held, plain.held) == (4, 0, 4)


async def test_without_the_setting_workers_say_nothing_of_their_build(tmp_path):
    async with (
        not_for_ever(),
        a_site(tmp_path / "site", a_database()) as site,
        a_worker(site) as one,
        a_worker(site, versioning=False, build="x") as two,
    ):
        assert (one.build, two.build, one.note) == ("", "", "")
        done = await site.held(an_experiment(repeats=1))
        assert (done.done, one.held + two.held) == (4, 4)


def test_a_build_is_called_by_its_version_and_what_it_consists_of():
    assert re.fullmatch(re.escape(__version__) + r"-[0-9a-f]{12}", own_build())


def test_a_build_that_nobody_could_name_is_refused():
    result = dissent("worker", "--engine", "temporal://127.0.0.1", "--build-id", "a b")
    assert (result.exit_code, "--build-id must be a name of letters" in result.stderr) == (2, True)


async def test_a_worker_tells_what_it_holds_and_how_debates_ended(tmp_path):
    where = f"127.0.0.1:{free_port()}"
    async with (
        not_for_ever(),
        a_site(tmp_path / "site", a_database()) as site,
        a_worker(site, answers=True, metrics=where) as worker,
    ):
        cast = Gated(worker.md.provider)
        await site.begun(an_experiment(repeats=1))
        await calls_in_flight(cast, 8)
        told = await read(where)
        assert told["dissent_worker_debates"] == 4
        assert told["dissent_worker_capacity"] == 4
        cast.gate.set()
        await site.ended(an_experiment(repeats=1))
        told = await read(where)
        assert told["dissent_worker_debates"] == 0
        assert told["dissent_worker_debates_ended_total"] == 4
        assert told["temporal_workflow_completed_total"] >= 4
        assert told["temporal_request_total"] > 4


async def read(where):
    """The sums of a worker's figures by name."""
    text = await asyncio.to_thread(lambda: urlopen(f"http://{where}/metrics").read().decode())
    found = Counter()
    for line in text.splitlines():
        if not line.startswith("#"):
            name, value = re.match(r"(\w+)(?:{.*})? (\S+)", line).groups()
            found[name] += float(value)
    return found


async def test_a_debate_that_is_taken_over_is_counted(tmp_path):
    where = f"127.0.0.1:{free_port()}"
    async with (
        not_for_ever(),
        a_site(tmp_path / "site", a_database()) as site,
        a_worker(site) as first,
    ):
        cast = Gated(first.md.provider)
        await site.begun(an_experiment(repeats=1))
        await calls_in_flight(cast, 8)
        first.leave()
        cast.gate.set()
        async with a_worker(site, answers=True, metrics=where):
            await site.ended(an_experiment(repeats=1))
            told = await read(where)
            assert told["dissent_worker_debates_taken_over_total"] == 4


async def test_a_place_for_the_figures_that_is_taken_is_said_in_one_sentence(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        where = site.engine_options.engine.target
        with pytest.raises(EngineError, match="choose another by MUTUAL_DISSENT_METRICS"):
            async with a_worker(site, answers=True, metrics=where):
                pass
