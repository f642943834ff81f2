"""Temporal deals debates out: each is held once, and its record is that of one machine.

`DISSENT_DEBATES=500` and `DISSENT_WORKERS=1,2,4` compare so many debates, `DISSENT_ENGINE_KILLS` is
how often the engine is killed.
"""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import aclosing
from dataclasses import replace
from statistics import mean

import pytest

from fakes.cluster import an_experiment, bought, told
from fakes.databases import a_database
from fakes.patience import LONG, not_for_ever
from fakes.stopping import Gated, answers
from fakes.temporal import Heard, a_server_of_its_own, a_site, calls_in_flight
from mutual_dissent.core.errors import Unreachable
from mutual_dissent.core.events import Status
from mutual_dissent.experiments.run.deal import Dealing
from mutual_dissent.experiments.run.registry import rows, save_experiment, stop
from mutual_dissent.experiments.run.run import Run
from mutual_dissent.hosting.temporal import activities
from mutual_dissent.hosting.temporal import experiment as flow
from mutual_dissent.store.experiments import State

pytestmark = [pytest.mark.postgres, pytest.mark.temporal]


ENGINE_KILLS = int(os.environ.get("DISSENT_ENGINE_KILLS", "1"))
DEBATES = int(os.environ.get("DISSENT_DEBATES", "8"))
WORKERS = [int(n) for n in os.environ.get("DISSENT_WORKERS", "1,2").split(",")]


async def test_a_file_and_any_number_of_workers_give_the_same_transcripts(tmp_path):
    same = an_experiment(repeats=DEBATES // 4)
    async with not_for_ever(900), a_site(tmp_path / "alone", None) as alone:
        await Run(alone.md, same).to_the_end()
        wanted = told(alone.md)
    assert len(wanted) == DEBATES
    assert {status for _, status, *_ in wanted.values()} == {Status.COMPLETED}
    for count in WORKERS:
        async with not_for_ever(900), a_site(tmp_path / f"{count}", a_database()) as site:
            workers = [await site.worker() for _ in range(count)]
            done = await site.held(same)
            assert (done.done, done.failed, done.left) == (len(wanted), 0, 0), done.problems
            assert told(site.md) == wanted
            assert sum(w.held for w in workers) == len(wanted)
            assert not site.md.provider.asks  # whoever begins it asks nobody


async def test_run_again_it_adds_nothing(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        worker = await site.worker()
        await site.held(an_experiment())
        asked = len(worker.md.provider.asks)
        again = await site.held(an_experiment())
        assert (again.before, again.done) == (an_experiment().size, 0)
        assert len(worker.md.provider.asks) == asked


async def test_a_debate_that_somebody_else_begins_at_the_same_moment_is_gone_on_with(
    tmp_path, monkeypatch
):
    brief_of, begun = Dealing.brief, []

    async def late(dealing, *given):
        brief = await brief_of(dealing, *given)
        async with site.machine() as other, aclosing(other.run(brief)) as events:
            begun.append(await anext(events))
        return brief

    monkeypatch.setattr(Dealing, "brief", late)
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        await site.worker()
        done = await site.held(an_experiment(repeats=1))
        assert (done.done, done.failed) == (4, 0), done.problems
        assert len(begun) == 4
        assert set(bought(site.md).values()) == {1}


async def test_what_another_lets_go_of_a_moment_later_is_taken_up_soon(tmp_path):
    wanted = an_experiment(repeats=1)
    first = next(iter(wanted.trials())).transcript_id
    async with not_for_ever(), a_site(tmp_path / "site", a_database(), lease=3600) as site:
        worker = await site.worker()
        with site.md.store.hold(first):
            await site.begun(wanted)
            while worker.held < 3:
                await asyncio.sleep(0.01)
        done = await site.ended(wanted)  # long before anything is made of the lease
        assert (done.done, done.failed) == (4, 0), done.problems


class Keyless(Dealing):
    """Deals out debates on a machine where a key is not set."""

    async def brief(self, *given):
        raise Unreachable("'openai:gpt' cannot be reached; set OPENAI_API_KEY")


async def test_a_worker_without_a_key_says_so_and_leaves_its_debates_to_others(tmp_path):
    warnings = []
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        await site.worker(dealing=Keyless, warn=warnings.append)
        await site.begun(an_experiment(repeats=1))
        while not warnings:
            await asyncio.sleep(0.01)
        await site.worker()
        done = await site.ended(an_experiment(repeats=1))
        assert (done.done, done.failed) == (4, 0), done.problems
        assert len(warnings) == 1
        assert "set OPENAI_API_KEY" in warnings[0]
        assert set(bought(site.md).values()) == {1}


async def test_a_debate_for_which_no_worker_has_the_key_fails_and_says_what_to_set(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(activities, "TRIES_WITHOUT_KEY", 2)
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        await site.worker(dealing=Keyless)
        done = await site.held(an_experiment(repeats=1))
        assert (done.done, done.failed) == (0, 4)
        assert "set OPENAI_API_KEY" in str(done.problems)


async def test_what_was_deleted_from_the_record_is_held_anew(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        await site.worker()
        await site.held(an_experiment(repeats=1))
        gone = next(iter(rows(site.md, "sums"))).transcript_id
        site.md.delete(gone)
        again = await site.held(an_experiment(repeats=1))
        assert (again.before, again.done, again.failed) == (3, 1, 0), again.problems
        assert site.md.store.transcript(gone).status is Status.COMPLETED


async def test_the_budget_of_all_workers_together_is_kept(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        brief = await site.md.brief("2 + 2?", panel=["ada", "bob"])
        likely = site.md.quote(brief).cost_usd
        budget = round(3.5 * likely, 2)
        for worker in (await site.worker(), await site.worker()):
            charging(worker.md.provider, likely / 5)
        text = an_experiment().text.replace("repeats =", f"budget = {budget}\nrepeats =")
        done = await site.held(replace(an_experiment(), text=text))
        spent = sum(r.cost_usd or 0 for r in rows(site.md, "sums"))
        assert (done.stopped, done.failed) == ("budget", 0), done.problems
        assert 2 <= done.done < an_experiment().size
        assert done.spent == pytest.approx(spent)
        assert spent <= budget
        assert site.md.experiments.state("sums") is State.BUDGET


def charging(cast, dollars):
    """Have every answer of a scripted panel cost so much."""
    free = cast.ask

    async def ask(*given):
        return replace(await free(*given), cost_usd=dollars)

    cast.ask = ask


async def test_stopped_through_the_record_debates_pause_and_are_resumed(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        worker = await site.worker()
        cast, heard = Gated(worker.md.provider), Heard(worker.md)
        await site.begun(an_experiment())
        await calls_in_flight(cast)
        stop(site.md, "sums", elsewhere=True)
        await heard.by_all(4)
        cast.gate.set()
        done = await site.ended(an_experiment())
        assert (done.stopped, done.failed, done.paused) == ("stopped", 0, 4), done.problems
        assert site.md.experiments.state("sums") is State.STOPPED
        again = await site.held(an_experiment())
        assert (again.failed, again.left) == (0, 0), again.problems
        assert len(cast.asks) == answers(site.md, "sums")


async def test_cancelled_from_temporal_it_begins_nothing_rests_and_can_be_begun_again(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        worker = await site.worker()
        cast, heard = Gated(worker.md.provider), Heard(worker.md)
        await site.begun(an_experiment())
        await calls_in_flight(cast)
        await (await site.engine()).cancel("sums")
        while site.md.experiments.state("sums") is not State.STOPPING:  # what workers look at
            await asyncio.sleep(0.02)
        await heard.by_all(4)
        cast.gate.set()
        done = await site.ended(an_experiment())
        assert (done.stopped, done.failed) == ("stopped", 0), done.problems
        assert len(list(rows(site.md, "sums"))) == 4
        again = await site.held(an_experiment())
        assert (again.failed, again.left) == (0, 0), again.problems
        assert len(cast.asks) == answers(site.md, "sums")


async def test_paused_and_resumed_by_signals_nothing_is_asked_twice(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        worker = await site.worker()
        engine = await site.engine()
        cast, heard = Gated(worker.md.provider), Heard(worker.md)
        await site.begun(an_experiment())
        await calls_in_flight(cast)
        await engine.pause("sums")
        await heard.by_all(4)
        cast.gate.set()
        while (tally := await engine.tally("sums")) is None or tally.running:
            await asyncio.sleep(0.05)
        assert tally.resting
        asked = len(cast.asks)
        assert not tally.stopped
        assert await engine.is_under_way("sums")
        assert len(cast.asks) == asked
        await engine.resume("sums")
        done = await site.ended(an_experiment())
        assert (done.done, done.failed) == (an_experiment().size, 0), done.problems
        assert len(cast.asks) == answers(site.md, "sums")


async def test_a_worker_that_leaves_records_its_calls_and_the_next_goes_on_at_once(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database(), lease=600) as site:
        worker = await site.worker(grace=60)
        cast = Gated(worker.md.provider)
        await site.begun(an_experiment(repeats=1))
        await calls_in_flight(cast)
        worker.leave()
        cast.gate.set()
        other = await site.worker()
        done = await site.ended(an_experiment(repeats=1))  # long before the lease has run out
        assert (done.done, done.failed) == (4, 0), done.problems
        assert other.held == 4
        assert not await missed(site)  # it said so when it left
        assert set(bought(site.md).values()) == {1}
        assert len(cast.asks) + len(other.md.provider.asks) == answers(site.md, "sums")


async def test_a_look_at_the_record_that_takes_longer_than_a_lease_looks_like_no_death(
    tmp_path, monkeypatch
):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        worker, again = await site.worker(), threading.Event()
        cast, look = Gated(worker.md.provider), Dealing.order
        await site.begun(an_experiment(repeats=1))
        await calls_in_flight(cast)
        monkeypatch.setattr(Dealing, "order", lambda *who: again.wait(LONG) and look(*who))
        await asyncio.sleep(2 * site.lease)
        again.set()
        cast.gate.set()
        done = await site.ended(an_experiment(repeats=1))
        assert (done.done, done.failed) == (4, 0), done.problems
        assert not await missed(site)
        assert len(cast.asks) == answers(site.md, "sums")


async def missed(site):
    """The debates whose worker Temporal took for dead."""
    found = [row.transcript_id for row in rows(site.md, "sums")]
    handles = map((await site.engine()).client.get_workflow_handle, found)
    kind = "activity_task_timed_out_event_attributes"
    return [
        h.id for h in handles if any(e.HasField(kind) for e in (await h.fetch_history()).events)
    ]


async def test_no_word_of_a_query_or_an_answer_is_in_temporals_history(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        await site.worker()
        await site.held(an_experiment(repeats=1))
        client = (await site.engine()).client
        ids = [r.transcript_id for r in rows(site.md, "sums")]
        names = [*ids, f"{site.engine_options.queue}/experiment/sums"]
        kept = [(await client.get_workflow_handle(n).fetch_history()).to_json() for n in names]
        assert all(i in "".join(kept) for i in ids)
        for history in kept:
            assert "2 + 2" not in history
            assert "says 4" not in history
            assert len(history) < 60_000


async def test_debates_are_found_by_experiment_mode_and_status(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        await site.worker()
        await site.held(an_experiment(repeats=1))
        client = (await site.engine()).client
        wanted = (
            f'TaskQueue="{site.engine_options.queue}" AND DissentExperiment="sums" '
            'AND DissentMode="consensus" AND DissentStatus="completed" AND DissentCost>=0'
        )
        while (await client.count_workflows(wanted)).count != 2:
            await asyncio.sleep(0.05)


async def test_whoever_asks_learns_who_works_and_on_what(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        engine = await site.engine()
        assert not (await engine.roster()).workers
        worker = await site.worker()
        cast = Gated(worker.md.provider)
        await site.begun(an_experiment(repeats=1))
        await calls_in_flight(cast)
        while "sums" not in (known := await engine.roster()).experiments or known.running != 4:
            await asyncio.sleep(0.05)
        assert [w.name for w in known.workers] == [worker.name]
        cast.gate.set()
        await site.ended(an_experiment(repeats=1))


async def test_a_server_that_is_killed_and_started_again_loses_nothing(tmp_path):
    server = await asyncio.to_thread(a_server_of_its_own)
    try:
        async with not_for_ever(600), a_site(tmp_path / "site", a_database()) as site:
            site.engine_url = f"temporal://127.0.0.1:{server.port}"
            workers = [await site.worker(), await site.worker()]
            for worker in workers:
                worker.md.provider._delay = 0.2
            wanted = an_experiment(repeats=4 * ENGINE_KILLS)
            await site.begun(wanted)
            for kills in range(ENGINE_KILLS):
                before = site.md.store.count(experiment="sums", status=Status.COMPLETED)
                while sum(len(w.md.provider.asks) for w in workers) < 12 + 60 * kills:
                    await asyncio.sleep(0.01)
                await asyncio.to_thread(server.kill)
                while site.md.store.count(experiment="sums", status=Status.COMPLETED) == before:
                    await asyncio.sleep(0.01)  # they go on, though nobody can be told
                await asyncio.to_thread(server.start)
            while (done := await (await site.engine()).wait_for_end("sums", 5)) is None:
                pass
            assert (done.done, done.failed) == (wanted.size, 0), done.problems
            assert set(bought(site.md).values()) == {1}
            asked, recorded = sum(len(w.md.provider.asks) for w in workers), bought(site.md).total()
            assert recorded <= asked <= recorded + 16 * ENGINE_KILLS
    finally:
        server.stop()


async def test_the_urgent_experiment_goes_before_what_waits(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        worker, engine = await site.worker(capacity=1), await site.engine()
        cast = Gated(worker.md.provider)
        await site.begun(an_experiment(repeats=2))
        await calls_in_flight(cast, 2)
        urgent = an_experiment(repeats=2)
        text = urgent.text.replace('"sums"', '"urgent"')
        save_experiment(site.md, replace(urgent, name="urgent", text=text))
        await engine.begin("urgent", priority=1)
        while (await engine.roster()).waiting != 15:
            await asyncio.sleep(0.05)
        cast.gate.set()
        for name in ("urgent", "sums"):
            assert (await engine.wait_for_end(name, 60)).done == 8
        begun = sorted(
            (site.md.store.transcript(r.transcript_id).created_at, name)
            for name in ("urgent", "sums")
            for r in rows(site.md, name)
        )
        # Temporal keeps the order of a queue's parts, not that of the whole.
        places = {n: [i for i, (_, name) in enumerate(begun) if name == n] for _, n in begun}
        assert mean(places["urgent"]) < mean(places["sums"][1:])


async def test_a_long_experiment_goes_on_in_a_new_history_and_keeps_count(tmp_path, monkeypatch):
    monkeypatch.setattr(flow, "RENEWAL", 3)
    monkeypatch.setattr(flow, "AT_ONCE", 2)
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        worker, engine = await site.worker(), await site.engine()
        await site.begun(an_experiment(repeats=2))
        first = (await engine._handle("sums").describe()).run_id
        done = await site.ended(an_experiment(repeats=2))
        assert (done.total, done.done, done.failed, done.before) == (8, 8, 0, 0), done.problems
        assert (await engine._handle("sums").describe()).run_id != first
        assert len(worker.md.provider.asks) == answers(site.md, "sums")
