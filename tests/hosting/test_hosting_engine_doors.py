"""The way to an engine: TLS, keys, and one sentence with what to do where it is closed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.cluster import an_experiment
from fakes.databases import a_database
from fakes.engine_door import as_sent, papers, refusing, tls_before
from fakes.patience import not_for_ever
from fakes.temporal import a_server, a_site, free_port
from mutual_dissent.config.addresses import Address
from mutual_dissent.config.file import ConfigFile
from mutual_dissent.config.sections import ClusterOptions, read_cluster
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.values.secret import Key
from mutual_dissent.hosting.engine import EngineError
from mutual_dissent.hosting.temporal.adapter import TemporalEngine

pytestmark = pytest.mark.temporal

KEY = "saccatoe0121"


@pytest.fixture(scope="module")
def ours(tmp_path_factory):
    return papers(tmp_path_factory.mktemp("papers") / "ours")


@pytest.fixture(scope="module")
def foreign(tmp_path_factory):
    return papers(tmp_path_factory.mktemp("papers") / "foreign")


def at(door, **options):
    return ClusterOptions(engine=Address("localhost", door.port), **options)


async def why(options):
    """The sentence of who cannot come in."""
    with pytest.raises(EngineError) as refused:
        await TemporalEngine.connect(options)
    said = str(refused.value)
    assert "\n" not in said
    assert "tonic" not in said
    assert KEY not in said
    return said


@pytest.mark.postgres
async def test_an_experiment_is_held_over_tls_and_the_key_goes_to_the_engine_alone(tmp_path, ours):
    async with (
        not_for_ever(),
        tls_before(a_server().port, ours.context()) as door,
        a_site(tmp_path / "site", a_database()) as site,
    ):
        site.engine_url = f"temporal://localhost:{door.port}"
        with site.md.home.config.open("a") as file:
            file.write(f'tls_ca = "{ours.ca}"\napi_key = "{KEY}"\n')
        site.queue += f'tls_ca = "{ours.ca}"\napi_key = "{KEY}"\n'
        worker = await site.worker()
        done = await site.held(an_experiment(repeats=1))
        assert (done.done, done.failed) == (4, 0), done.problems
        assert as_sent(f"Bearer {KEY}") in door.heard
        assert KEY not in str(worker.md.provider.asks)
        shown = repr(site.engine_options) + repr(worker.engine.options)
        assert KEY not in shown


async def test_both_sides_may_have_to_show_their_papers(ours):
    async with not_for_ever(), tls_before(a_server().port, ours.context(asks=True)) as door:
        known = at(door, ca=str(ours.ca), cert=str(ours.cert), key=str(ours.key))
        assert await TemporalEngine.connect(known)
        said = await why(at(door, ca=str(ours.ca)))
        assert "if it wants a certificate of this machine" in said
        assert "tls_cert and tls_key" in said


async def test_a_certificate_that_nobody_knows_is_said(ours, foreign):
    async with not_for_ever(), tls_before(a_server().port, ours.context()) as door:
        for options in (at(door, ca=str(foreign.ca)), at(door, tls=True)):
            said = await why(options)
            assert "is not one that this machine knows it by" in said
            assert "tls_ca under [cluster]" in said


async def test_who_forgets_tls_is_told_to_look_at_it(ours):
    async with not_for_ever(), tls_before(a_server().port, ours.context()) as door:
        assert "see that it runs and that address and TLS are right" in await why(at(door))


async def test_tls_to_a_server_without_is_said():
    options = ClusterOptions(engine=Address("127.0.0.1", a_server().port), tls=True)
    assert "address and TLS are right" in await why(options)


@pytest.mark.parametrize("status", [16, 7])
async def test_a_wrong_key_is_said_and_not_shown(status):
    async with not_for_ever(), refusing(status) as door:
        said = await why(at(door, tls=False, api_key=Key(KEY, "TEMPORAL_API_KEY")))
        assert "does not let this machine in; set TEMPORAL_API_KEY" in said
        assert as_sent(f"Bearer {KEY}") in door.heard


async def test_a_server_that_is_too_old_is_said_with_what_to_do():
    async with not_for_ever(), refusing(12) as door:
        assert "upgrade it to 1.24 or later" in await why(at(door))


async def test_a_server_that_is_not_there_is_said_with_how_to_get_one():
    options = ClusterOptions(engine=Address("127.0.0.1", free_port()))
    assert "start one for trying with: dissent cluster dev" in await why(options)


async def test_a_namespace_that_is_not_there_is_said_with_how_to_make_it():
    address = Address("127.0.0.1", a_server().port, "nowhere")
    said = await why(ClusterOptions(engine=address))
    assert "temporal operator namespace create --address" in said


async def test_files_that_cannot_be_used_are_named(tmp_path, ours):
    address = Address("temporal.example")
    for options, word in (
        (ClusterOptions(engine=address, ca=str(tmp_path / "no.pem")), "cannot be read"),
        (ClusterOptions(engine=address, cert=str(ours.cert)), "go together"),
    ):
        with pytest.raises(BadInput, match=word):
            await TemporalEngine.connect(options)


def test_what_temporals_own_tools_read_is_read(ours):
    env = {
        "MUTUAL_DISSENT_ENGINE": "temporal://h",
        "TEMPORAL_API_KEY": KEY,
        "TEMPORAL_TLS": "true",
        "TEMPORAL_TLS_SERVER_CA_CERT_PATH": str(ours.ca),
    }
    found = read_cluster(ConfigFile(""), env)
    assert (found.tls, found.ca, found.api_key.reveal()) == (True, str(ours.ca), KEY)
    assert KEY not in repr(replace(found))
