"""The doctor and the server's figures tell how an engine is, and what to do about it."""

from __future__ import annotations

import asyncio
import json

import pytest

from fakes.cluster import a_home, an_experiment
from fakes.command_line import dissent
from fakes.databases import a_database
from fakes.patience import not_for_ever
from fakes.raw_http import request, send
from fakes.served import served
from fakes.small_surface import Small
from fakes.stopping import Gated
from fakes.temporal import a_queue, a_site, an_engine, free_port
from mutual_dissent.experiments.run.registry import rows
from mutual_dissent.hosting.engine_checkup import with_engine
from mutual_dissent.hosting.temporal.versions import adopt_version
from mutual_dissent.store.diagnosis import Finding
from mutual_dissent.surfaces.http.backend import host

pytestmark = pytest.mark.temporal


def findings(tmp_path, **env):
    result = dissent("doctor", "--output", "json", MUTUAL_DISSENT_HOME=str(tmp_path), **env)
    return [(f["kind"], f["text"]) for f in json.loads(result.stdout)]


@pytest.fixture
def home(tmp_path):
    found = a_home(tmp_path / "home", more=a_queue())
    found.chmod(0o700)
    return found


def test_an_engine_that_is_well_is_nothing_wrong(home):
    assert findings(home, MUTUAL_DISSENT_ENGINE=an_engine()) == []


def test_no_engine_is_nothing_wrong(home):
    assert findings(home) == []


def test_an_engine_that_is_away_is_said_with_what_to_do(home):
    ((kind, text),) = findings(home, MUTUAL_DISSENT_ENGINE=f"temporal://127.0.0.1:{free_port()}")
    assert kind == "engine"
    assert "no Temporal server answers" in text


def test_a_namespace_that_is_missing_is_said_with_how_to_make_it(home):
    ((_, text),) = findings(home, MUTUAL_DISSENT_ENGINE=f"{an_engine()}/nowhere")
    assert "make it with: temporal operator namespace create" in text


def test_search_attributes_that_are_missing_are_said_with_how_to_make_them(home):
    from fakes.temporal import a_server_of_its_own
    from mutual_dissent.hosting.temporal import dev_server

    known = dict(dev_server.ATTRIBUTES)
    dev_server.ATTRIBUTES.clear()
    try:
        server = a_server_of_its_own()
    finally:
        dev_server.ATTRIBUTES.update(known)
    try:
        ((_, text),) = findings(home, MUTUAL_DISSENT_ENGINE=f"temporal://127.0.0.1:{server.port}")
        assert "make them once with: temporal operator search-attribute create" in text
    finally:
        server.stop()


def test_an_address_that_is_none_is_a_finding_and_not_repeated(home):
    ((_, text),) = findings(home, MUTUAL_DISSENT_ENGINE="temporal://me:secret-1@h")
    assert "MUTUAL_DISSENT_ENGINE" in text
    assert "secret-1" not in text


def test_a_record_that_no_other_machine_can_read_is_a_finding(home):
    ((_, text),) = findings(home, MUTUAL_DISSENT_ENGINE="temporal://temporal.example")
    assert "cannot read a file" in text


def configured(site, address):
    """Name the engine in the configuration of the machine that asks."""
    with site.md.home.config.open("a") as file:
        file.write(f'engine = "{address}"\n')


@pytest.mark.postgres
async def test_work_that_nobody_takes_is_said_with_who_could(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        configured(site, site.engine_url)
        await site.begun(an_experiment(repeats=1))
        while not (found := await with_engine(site.md, [])):
            await asyncio.sleep(0.1)
        assert "no worker takes from the queue" in found[0].text
        assert "dissent worker --engine" in found[0].text
        await site.worker()
        await site.ended(an_experiment(repeats=1))
        assert await with_engine(site.md, []) == []


@pytest.mark.postgres
async def test_debates_that_the_engine_has_in_hand_are_not_called_lost(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        configured(site, site.engine_url)
        cast = Gated((await site.worker()).md.provider)
        await site.begun(an_experiment(repeats=1))
        while cast.waiting < 8:
            await asyncio.sleep(0.01)
        ids = [row.transcript_id for row in rows(site.md, "sums")]
        assert len(ids) == 4
        unknown = [f"unknown-{n}" for n in range(300)]
        lost = [Finding(kind="abandoned", subject=i, text="x") for i in (*unknown, *ids)]
        assert [f.subject for f in await with_engine(site.md, lost)] == unknown
        cast.gate.set()
        await site.ended(an_experiment(repeats=1))


@pytest.mark.postgres
async def test_a_current_build_that_no_worker_has_is_said(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        configured(site, site.engine_url)
        from temporalio.common import WorkerDeploymentVersion

        engine = await site.engine()
        gone = WorkerDeploymentVersion(site.engine_options.queue, "gone")
        await adopt_version(engine.client, engine.address, gone)
        await site.worker()
        while not (found := await with_engine(site.md, [])):
            await asyncio.sleep(0.1)
        assert "debates go to the build gone" in found[0].text
        assert "--unversioned" in found[0].text


@pytest.mark.postgres
async def test_the_servers_figures_have_those_of_the_engine(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", a_database()) as site:
        configured(site, site.engine_url)
        worker = await site.worker(capacity=2)
        cast = Gated(worker.md.provider)
        await site.begun(an_experiment(repeats=3))
        wanted = {
            "up": "1",
            "workers": "1",
            "debates_waiting": "10",
            "debates_under_way": "12",
            "experiments_under_way": "1",
            "debates_failed": "0",
        }
        async with served(host(site.md), [Small().surface]) as url:
            while await figures(url) != wanted:  # Temporal counts anew every five seconds
                await asyncio.sleep(0.1)
            cast.gate.set()
            await site.ended(an_experiment(repeats=3))


async def test_an_engine_that_is_away_is_a_figure_too(tmp_path):
    async with not_for_ever(), a_site(tmp_path / "site", None) as site:
        async with served(host(site.md), [Small().surface]) as url:
            assert await figures(url) == {}
        configured(site, f"temporal://127.0.0.1:{free_port()}")
        async with served(host(site.md), [Small().surface]) as url:
            assert await figures(url) == {"up": "0"}


async def figures(url):
    """The engine's figures at a server."""
    text = (await send(url, request(url, "/metrics"))).body.decode()
    start = "dissent_engine_"
    found = [line.split() for line in text.splitlines() if line.startswith(start)]
    return {name.removeprefix(start): value for name, value in found}
