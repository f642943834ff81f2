"""Copies of a server hand long debates to workers; who follows them sees no difference."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest

from fakes.cluster import a_home
from fakes.command_line import dissent
from fakes.databases import a_database
from fakes.patience import LONG, not_for_ever
from fakes.serving_process import serving
from fakes.stopping import Gated
from fakes.temporal import a_queue, a_site, an_engine, free_port
from fakes.vendor import FakeVendor
from mutual_dissent.core.errors import Held
from mutual_dissent.core.events import Answered, Closed, Opened, Status
from mutual_dissent.hosting.engine import EngineError
from mutual_dissent.hosting.handover import funds_of_owners
from mutual_dissent.surfaces.http.backend import host
from mutual_dissent.surfaces.http.token_budget import TokenBudget

pytestmark = [pytest.mark.postgres, pytest.mark.temporal]

PANEL = ["ada", "bob"]
CALLS = 5
"""At least so many has a debate of two, with one round of reflection and an answer."""


@asynccontextmanager
async def a_copy(site, calls=CALLS, engine=None):
    """One more copy of the server, on a machine of its own."""
    async with site.machine() as md:
        with md.home.config.open("a") as file:
            file.write(f'engine = "{engine or site.engine_url}"\nhand_over = {calls}\n')
        hosted = host(md)
        try:
            yield hosted.sessions
        finally:
            await hosted.sessions.aclose()


async def begun(sessions, **options):
    return await sessions.start("2 + 2?", panel=PANEL, mode="reflection", **options)


async def until(what):
    while not what():
        await asyncio.sleep(0.02)


def bought(md, name):
    found = [e.key for e in md.store.events(name) if isinstance(e, Answered) and not e.reused]
    assert len(found) == len(set(found))
    return found


async def test_a_long_debate_is_held_by_a_worker_and_followed_at_every_copy(tmp_path):
    async with (
        not_for_ever(),
        a_site(tmp_path / "site", a_database()) as site,
        a_copy(site) as one,
        a_copy(site) as two,
    ):
        worker = await site.worker()
        cast = Gated(worker.md.provider)
        name = await begun(one)
        assert (one.live, one.is_live(name), two.is_live(name)) == ((), True, True)
        followers = [asyncio.create_task(followed(copy, name)) for copy in (one, two)]
        await until(lambda: cast.waiting == 2)
        cast.gate.set()
        for told in await asyncio.gather(*followers):
            assert isinstance(told[0], Opened)
            assert len([e for e in told if isinstance(e, Answered)]) == len(cast.asks) >= CALLS
        assert (await one.wait(name, LONG)).status is Status.COMPLETED
        assert worker.held == 1
        assert len(bought(site.md, name)) == len(cast.asks)
        assert not one.md.provider.asks
        await until(lambda: not two.is_live(name))


async def followed(sessions, name):
    return [event async for batch in sessions.follow(name) for event in batch.events]


async def test_a_short_debate_stays_where_it_was_asked_for(tmp_path):
    async with (
        not_for_ever(),
        a_site(tmp_path / "site", a_database()) as site,
        a_copy(site, 100) as here,
    ):
        worker = await site.worker()
        name = await begun(here)
        assert (await here.wait(name, LONG)).status is Status.COMPLETED
        assert not worker.md.provider.asks
        assert len(here.md.provider.asks) == len(bought(site.md, name))


async def test_an_order_reaches_the_worker_and_the_debate_goes_on_when_it_is_resumed(tmp_path):
    async with (
        not_for_ever(),
        a_site(tmp_path / "site", a_database()) as site,
        a_copy(site) as one,
        a_copy(site) as two,
    ):
        cast = Gated((await site.worker()).md.provider)
        name = await begun(one)
        await until(lambda: cast.waiting == 2)
        await two.pause(name)
        await until(lambda: not site.md.store.debates_with_directives())
        cast.gate.set()
        assert (await one.wait(name, LONG)).status is Status.PAUSED
        await until(lambda: not one.is_live(name))
        await two.resume(name)
        assert (await one.wait(name, LONG)).status is Status.COMPLETED
        assert len(bought(site.md, name)) == len(cast.asks) + len(two.md.provider.asks)


async def test_stopped_before_a_worker_had_it_nobody_is_asked(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site, a_copy(site) as one:
        name = await begun(one)  # there is no worker yet
        assert one.transcript(name).status is Status.CREATED
        await one.stop(name)
        worker = await site.worker()
        await until(lambda: not one.is_live(name))
        assert not worker.md.provider.asks
        await one.resume(name)
        assert (await one.wait(name, LONG)).status is Status.COMPLETED


async def test_a_stop_that_the_engine_did_not_hear_is_not_said_to_be_obeyed(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site, a_copy(site) as one:
        name = await begun(one)  # there is no worker yet
        one._elsewhere.take_back = away
        for order in (one.stop, one.pause):
            with pytest.raises(EngineError, match="does not answer"):
                await order(name)
        assert one.is_live(name)
        with pytest.raises(Held, match="worked on by workers"):
            await one.resume(name)


async def away(name):
    raise EngineError("the engine does not answer; try again in a minute")


@pytest.mark.parametrize("status", [Status.PAUSED, Status.STOPPED])
async def test_what_somebody_has_stopped_meanwhile_no_worker_goes_on_with(tmp_path, status):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site, a_copy(site) as one:
        name = await begun(one)  # there is no worker yet
        with site.md.store.hold(name):
            told = Closed(
                seq=site.md.store.last_seq(name) + 1,
                at=site.md.clock(),
                status=status,
                reason=status.value,
            )
            await site.md.store.journal(name).append([told])
        worker = await site.worker()
        await until(lambda: not one.is_live(name))
        assert not worker.md.provider.asks
        assert site.md.store.transcript(name).status is status


async def test_what_was_taken_back_is_not_held_by_another_when_its_worker_dies(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site, a_copy(site) as one:
        first = await site.worker(grace=0.0)
        cast, engine = Gated(first.md.provider), await site.engine()
        name = await begun(one)
        await until(lambda: cast.waiting == 2)
        await engine.client.get_workflow_handle(name).cancel()
        first.leave()  # before it has come to rest
        second = await site.worker()
        await until(lambda: not one.is_live(name))
        assert not second.md.provider.asks


async def test_what_was_handed_to_who_never_heard_of_it_is_taken_up_long_before_a_lease_ends(
    tmp_path, monkeypatch
):
    monkeypatch.setattr("mutual_dissent.hosting.temporal.debate.SILENCE", timedelta(seconds=1))
    site = a_site(tmp_path / "site", a_database(), lease=3600)
    async with not_for_ever(), site as site, a_copy(site) as one:
        name = await begun(one)
        await lost(await site.engine())
        worker = await site.worker()
        assert (await one.wait(name, LONG)).status is Status.COMPLETED
        assert worker.held == 1


async def lost(engine):
    """Take a debate as a worker does that is gone before the answer comes."""
    from temporalio.api.taskqueue.v1 import TaskQueue
    from temporalio.api.workflowservice.v1 import PollActivityTaskQueueRequest
    from temporalio.worker import UnsandboxedWorkflowRunner, Worker

    from mutual_dissent.hosting.temporal.debate import DebateFlow

    queue, how = engine.options.queue, UnsandboxedWorkflowRunner()
    wanted = PollActivityTaskQueueRequest(
        namespace=engine.client.namespace, task_queue=TaskQueue(name=queue), identity="gone"
    )
    poll = engine.client.workflow_service.poll_activity_task_queue
    async with Worker(engine.client, task_queue=queue, workflows=[DebateFlow], workflow_runner=how):
        while not (await poll(wanted, timeout=timedelta(seconds=LONG))).task_token:
            pass


async def test_a_server_that_ends_leaves_its_long_debates_to_the_workers(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        cast = Gated((await site.worker()).md.provider)
        async with a_copy(site) as one:
            name = await begun(one)
            await until(lambda: cast.waiting == 2)
        cast.gate.set()
        await until(lambda: site.md.store.transcript(name).status is Status.COMPLETED)
        assert len(bought(site.md, name)) == len(cast.asks)


async def test_without_an_engine_that_answers_a_debate_stays_here(tmp_path):
    gone = f"temporal://127.0.0.1:{free_port()}"
    async with (
        not_for_ever(),
        a_site(tmp_path / "site", a_database()) as site,
        a_copy(site, engine=gone) as here,
    ):
        name = await begun(here)
        assert (await here.wait(name, LONG)).status is Status.COMPLETED
        assert len(here.md.provider.asks) == len(bought(site.md, name)) >= CALLS


async def test_many_who_wait_for_a_silent_engine_wait_for_one_attempt(tmp_path, monkeypatch):
    attempts = []

    async def silent(_options):
        attempts.append(asyncio.get_running_loop().time())
        await asyncio.sleep(0.3)
        raise EngineError("no Temporal server answers")

    monkeypatch.setattr("mutual_dissent.hosting.handover.connect_engine", silent)
    async with (
        not_for_ever(),
        a_site(tmp_path / "site", a_database()) as site,
        a_copy(site) as here,
    ):
        names = await asyncio.gather(*(begun(here) for _ in range(8)))
        assert len(attempts) <= 2  # those who came while the first was under way share it
        for name in names:
            assert (await here.wait(name, LONG)).status is Status.COMPLETED


async def test_what_a_worker_spends_is_booked_on_the_token_that_asked(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site, a_copy(site) as one:
        worker = await site.worker()
        purse = TokenBudget(worker.md.tokens, worker.md.clock)
        worker.md.funds_of = funds_of_owners(worker.md, purse.of)
        charging(worker.md.provider, 0.25)
        site.md.tokens.new("laptop", site.md.clock(), budget_usd=1000.0)
        name = await begun(one, owner="laptop")
        found = await one.wait(name, LONG)
        assert (found.status, found.brief.owner) == (Status.COMPLETED, "laptop")
        await purse.aclose()
        (token,) = site.md.tokens.active()
        assert token.spent_usd == pytest.approx(0.25 * len(worker.md.provider.asks))


def charging(cast, dollars):
    """Have every answer of a scripted panel cost so much."""
    free = cast.ask

    async def ask(*given):
        return replace(await free(*given), cost_usd=dollars)

    cast.ask = ask


def test_a_server_whose_record_no_worker_can_read_says_so(tmp_path):
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "config.toml").write_text('[cluster]\nengine = "temporal://h"\nhand_over = 9\n')
    (home / "config.toml").chmod(0o600)
    result = dissent(
        "serve", "--no-open", "--port", str(free_port()), MUTUAL_DISSENT_HOME=str(home)
    )
    assert (result.exit_code, "cannot read a file" in result.stderr) == (2, True)


async def test_served_by_one_process_and_held_by_another_a_client_gets_its_answer(tmp_path):
    async with not_for_ever(), FakeVendor() as vendor:
        vendor.always("ok")
        env = {
            "OPENAI_API_KEY": "sk-test",
            "OPENAI_BASE_URL": vendor.base_url(),
            "MUTUAL_DISSENT_DB": a_database(),
            "MUTUAL_DISSENT_ENGINE": an_engine(),
        }
        home = a_home(tmp_path / "home", more=f"{a_queue()}hand_over = 1\n")
        words = [sys.executable, "-m", "mutual_dissent", "worker"]
        worker = await asyncio.create_subprocess_exec(
            *words,
            env={**os.environ, **env, "MUTUAL_DISSENT_HOME": str(home)},
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            assert b"takes debates" in await worker.stderr.readline()
            async with (
                serving(home, 21_500, **env) as server,
                httpx.AsyncClient(base_url=server.url, timeout=LONG) as client,
            ):
                models = ["openai:m0", "openai:m1"]
                body = {"message": "Why?", "panel": models, "mode": "reflection", "seed": 1}
                answer = await client.post("/api/chat", json=body, headers={"Prefer": "wait=60"})
                assert answer.json().get("status") == "completed", answer.text
        finally:
            worker.terminate()
            _, said = await worker.communicate()
        assert b"1 held" in said
