"""The router: whoever is asked, an answer or a reason comes back."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from fakes.calls import a_router, an_ask, an_endpoint
from fakes.vendor import FakeVendor
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.panel import Route
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.providers.router import Router
from mutual_dissent.providers.scripted import Scripted


class Windows:
    """Prices of models that take a hundred tokens."""

    def cost(self, route, input_tokens, output_tokens, cached_tokens=0):
        return None

    def context_window(self, route):
        return 100 if route.model_id == "small" else None


class Failing:
    """A provider with a fault that nobody thought of."""

    def __init__(self, error):
        self.error = error

    async def ask(self, ask, on_text):
        raise self.error

    async def warm_up(self, routes):
        pass


async def test_each_ask_goes_to_the_vendor_of_its_route():
    async with FakeVendor() as one, FakeVendor() as two:
        endpoints = [
            an_endpoint(one.base_url(), vendor="one"),
            an_endpoint(two.base_url("google"), "google", vendor="two"),
        ]
        async with a_router(*endpoints) as router:
            response = await router.ask(an_ask(vendor="two"), print)
    assert (len(one.arrivals), len(two.arrivals)) == (0, 1)
    assert response.provider == "two"


async def test_an_unknown_vendor_is_a_failed_response_with_a_suggestion():
    router = Router({"openai": an_endpoint("http://127.0.0.1:9/v1", vendor="openai")})
    response = await router.ask(an_ask(vendor="opnai"), print)
    assert response.error_kind is ErrorKind.BAD_REQUEST
    assert "'opnai'" in response.error
    assert "'openai'" in response.error


async def test_a_request_that_the_model_cannot_take_in_is_not_sent():
    async with (
        FakeVendor() as vendor,
        a_router(an_endpoint(vendor.base_url()), prices=Windows()) as router,
    ):
        long = await router.ask(an_ask(model="small", head="word " * 2_000), print)
        wide = await router.ask(an_ask(model="small", max_tokens=2_500), print)
        fits = await router.ask(an_ask(model="small"), print)
        unknown = await router.ask(an_ask(model="other", head="word " * 2_000), print)
    assert [r.usable for r in (long, wide, fits, unknown)] == [False, False, True, True]
    assert long.error_kind is ErrorKind.BAD_REQUEST
    assert "takes 100" in long.error
    assert len(vendor.arrivals) == 2


async def test_the_embedded_model_starts_when_it_is_first_asked():
    started = []

    def start():
        started.append(1)
        return Scripted({"ada": ["yes", "no"]})

    router = Router({}, local=start)
    assert not started
    for expected in ("yes", "no"):
        response = await router.ask(an_ask(vendor="local", model="smollm2"), print)
        assert response.content == expected
    assert started == [1]


async def test_other_providers_can_be_added():
    router = Router({}, extra={"oracle": lambda: Scripted({"ada": ["42"]})})
    assert (await router.ask(an_ask(vendor="oracle"), print)).content == "42"


async def test_a_plugin_is_loaded_only_when_it_is_asked():
    loaded = []

    class Plugins(dict):
        def __getitem__(self, name):
            loaded.append(name)
            return super().__getitem__(name)

    plugins = Plugins(oracle=lambda: Scripted({"ada": ["42"]}), other=lambda: None)
    router = Router({}, extra=plugins, local=lambda: Scripted({"ada": ["x"]}))
    await router.warm_up([Route(vendor="local", model_id="m")])
    await router.ask(an_ask(vendor="local"), print)
    assert loaded == []
    assert (await router.ask(an_ask(vendor="oracle"), print)).content == "42"
    assert loaded == ["oracle"]


@pytest.mark.parametrize("error", [RuntimeError("boom"), KeyError("x"), BadInput("say it so")])
async def test_a_provider_that_raises_fails_its_own_ask_only(error):
    router = Router({}, extra={"odd": lambda: Failing(error)})
    response = await router.ask(an_ask(vendor="odd"), print)
    assert not response.usable
    assert str(error).strip("'") in response.error


async def test_being_cancelled_is_passed_on():
    router = Router({}, extra={"odd": lambda: Failing(asyncio.CancelledError())})
    with pytest.raises(asyncio.CancelledError):
        await router.ask(an_ask(vendor="odd"), print)


async def test_warming_up_sends_nothing_and_asks_others_to_warm_up():
    warmed = []

    class Warm(Scripted):
        async def warm_up(self, routes):
            warmed.extend(routes)

    local = Route(vendor="local", model_id="smollm2")
    async with FakeVendor() as vendor:
        endpoint = an_endpoint(vendor.base_url())
        async with a_router(endpoint, local=lambda: Warm({})) as router:
            await router.warm_up([Route(vendor="acme", model_id="m1"), local, local])
            await router.warm_up([Route(vendor="nobody", model_id="m1")])
    assert warmed == [local, local]
    assert not vendor.arrivals


async def test_making_the_first_connection_is_not_the_models_latency(monkeypatch):
    import aiohttp

    async def slowly(self, *args, **more):
        await asyncio.sleep(1.5)
        return await real(self, *args, **more)

    real = aiohttp.TCPConnector._create_connection
    monkeypatch.setattr(aiohttp.TCPConnector, "_create_connection", slowly)
    async with FakeVendor() as vendor, a_router(an_endpoint(vendor.base_url())) as router:
        response = await router.ask(an_ask(), print)
    assert response.latency_ms < 1500


async def test_closing_closes_what_was_started():
    closed = []

    class Closing(Scripted):
        async def aclose(self):
            closed.append(1)

    async with Router({}, local=lambda: Closing({"ada": ["x"]})) as router:
        await router.ask(an_ask(vendor="local"), print)
    assert closed == [1]


def test_one_router_serves_one_event_loop_after_another():
    async def once():
        async with FakeVendor() as vendor:
            router._endpoints["acme"] = an_endpoint(vendor.base_url(), concurrency=1)
            asked = (router.ask(an_ask(), print) for _ in range(3))
            responses = await asyncio.gather(*asked)
            await router.aclose()
        assert all(r.usable for r in responses)

    router = a_router(an_endpoint("http://127.0.0.1:9/v1"))
    asyncio.run(once())
    asyncio.run(once())


def test_no_http_client_is_loaded_before_it_is_needed():
    code = (
        "import sys, mutual_dissent.providers.router, mutual_dissent.providers.routes,"
        "mutual_dissent.providers.scripted, mutual_dissent.providers.recorded;"
        "assert not {'aiohttp', 'urllib.request'} & sys.modules.keys()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
