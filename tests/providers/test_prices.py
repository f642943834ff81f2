"""What calls cost: unknown is None, cached tokens are cheaper, OpenRouter's list is fresh."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace

import pytest
from aiohttp import web

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.panel import Route
from mutual_dissent.providers.endpoints import TABLE, Endpoint
from mutual_dissent.providers.prices.table import PriceTable

GPT = Route(vendor="openai", model_id="gpt-6.1-sol")
LISTED = Route(vendor="openrouter", model_id="acme/one", via_openrouter=True)
LIST = {
    "data": [
        {
            "id": "acme/one",
            "context_length": 12345,
            "pricing": {
                "prompt": "0.000001", "completion": "0.000002", "input_cache_read": "0.0000001",
            },
        },
        {"id": "acme/auto", "pricing": {"prompt": "-1", "completion": "-1"}},
        {"id": "acme/odd", "pricing": {"prompt": "NaN", "completion": []}},
        {"id": 7}, None, {"id": "groq/llama-x", "context_length": 777, "pricing":
         {"prompt": "0", "completion": "0"}},
    ]
}  # fmt: skip


@pytest.fixture
def cache(tmp_path):
    path = tmp_path / "list.json"
    path.write_text(json.dumps(LIST))
    return path


@pytest.fixture
async def serving():
    """Serves one body on loopback; gives its address and the requests that came."""
    runners = []

    async def start(body, *, path, status=200):
        heard = []

        async def answer(request):
            heard.append(request)
            return web.Response(body=body, status=status, content_type="application/json")

        app = web.Application()
        app.router.add_get(path, answer)
        runner = web.AppRunner(app)
        runners.append(runner)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        return f"http://127.0.0.1:{port}", heard

    yield start
    for runner in runners:
        await runner.cleanup()


def endpoints(base_url):
    return {**TABLE, "openrouter": replace(TABLE["openrouter"], base_url=base_url)}


def test_what_is_not_known_has_no_price_rather_than_none_to_pay():
    prices = PriceTable(
        {**TABLE, "lab": Endpoint(vendor="lab", dialect="openai-chat", base_url="")}
    )
    assert prices.cost(Route(vendor="openai", model_id="no-such-model"), 10, 10) is None
    assert prices.cost(Route(vendor="lab", model_id="gpt-6.1-sol"), 10, 10) is None
    assert prices.cost(Route(vendor="nobody", model_id="gpt-6.1-sol"), 10, 10) is None
    assert prices.context_window(Route(vendor="lab", model_id="x")) is None


@pytest.mark.parametrize("vendor", ["ollama", "local"])
def test_a_model_on_ones_own_machine_costs_nothing(vendor):
    assert PriceTable().cost(Route(vendor=vendor, model_id="any"), 10**6, 10**6) == 0.0


def test_cached_tokens_are_cheaper_and_never_more_than_the_input():
    prices = PriceTable()
    full, half = prices.cost(GPT, 1000, 10), prices.cost(GPT, 1000, 10, 500)
    assert half < full
    assert prices.cost(GPT, 1000, 10, 5000) == prices.cost(GPT, 1000, 10, 1000)
    assert prices.cost(GPT, -5, -5) == 0.0


def test_openrouters_own_list_goes_before_the_table(cache):
    prices = PriceTable(cache=cache)
    assert prices.cost(LISTED, 1000, 1000) == pytest.approx(0.003)
    assert prices.cost(LISTED, 1000, 0, 1000) == pytest.approx(0.0001)
    assert prices.context_window(LISTED) == 12345
    assert prices.cost(replace(LISTED, model_id="acme/auto"), 1, 1) is None
    assert prices.cost(replace(LISTED, vendor="openai"), 1, 1) is None


def test_a_size_missing_in_the_table_is_taken_from_the_list(cache):
    route = Route(vendor="groq", model_id="llama-x")
    assert PriceTable(cache=cache).context_window(route) == 777


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"data": 5}', b"\xff\xfe", b"null"])
def test_a_damaged_list_is_as_good_as_none(cache, content):
    cache.write_bytes(content)
    prices = PriceTable(cache=cache)
    assert prices.cost(LISTED, 1, 1) is None
    assert prices.cost(GPT, 1, 1) > 0


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
async def test_a_list_behind_a_link_is_not_read_and_is_replaced(serving, cache, tmp_path):
    theirs = cache.rename(tmp_path / "theirs.json")
    before = theirs.read_bytes()
    cache.symlink_to(theirs)
    base_url, heard = await serving(json.dumps(LIST).encode(), path="/models")
    prices = PriceTable(endpoints(base_url), cache=cache)
    assert prices.cost(LISTED, 1, 1) is None
    assert await prices.freshen()
    assert len(heard) == 1
    assert not cache.is_symlink()
    assert theirs.read_bytes() == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders")
def test_a_pipe_in_place_of_the_list_holds_nobody_up(cache):
    cache.unlink()
    os.mkfifo(cache)
    assert PriceTable(cache=cache).cost(LISTED, 1, 1) is None


def test_models_are_named_for_suggestions_and_listed_cheapest_first(cache):
    prices = PriceTable(cache=cache)
    assert "openai:gpt-6.1-sol" in prices.known_models()
    assert "openrouter:acme/one" in prices.known_models("openrouter")
    listed = prices.cheapest_first("openai")
    assert listed[0].input_usd <= listed[-1].input_usd
    gpt = next(p for p in listed if p.name == "openai:gpt-6.1-sol")
    assert (gpt.input_usd, gpt.output_usd) == (2.0, 10.0)


async def test_a_list_older_than_a_day_is_fetched_without_any_key_and_used(serving, tmp_path):
    base_url, heard = await serving(json.dumps(LIST).encode(), path="/models")
    prices = PriceTable(endpoints(base_url), cache=tmp_path / "md" / "list.json")
    assert prices.cost(LISTED, 1, 1) is None
    assert await prices.freshen()
    assert prices.cost(LISTED, 1000, 1000) == pytest.approx(0.003)
    assert "Authorization" not in heard[0].headers
    assert not await prices.freshen()
    assert len(heard) == 1


async def test_the_list_is_fetched_again_only_after_a_day(serving, cache):
    base_url, heard = await serving(json.dumps(LIST).encode(), path="/models")
    hours = 3600
    for age, fetched in ((23 * hours, 0), (25 * hours, 1), (-2 * hours, 2)):
        os.utime(cache, (time.time() - age,) * 2)
        await PriceTable(endpoints(base_url), cache=cache).freshen()
        assert len(heard) == fetched


@pytest.mark.parametrize(
    ("body", "status"), [(b"{}", 200), (b"<html>", 200), (b'{"data": []}', 200), (b"{}", 500)]
)
async def test_a_failed_fetch_is_quiet_and_keeps_the_old_list(serving, cache, body, status):
    base_url, _ = await serving(body, path="/models", status=status)
    os.utime(cache, (0, 0))
    prices = PriceTable(endpoints(base_url), cache=cache)
    assert not await prices.freshen()
    assert prices.cost(LISTED, 1000, 1000) == pytest.approx(0.003)


async def test_nobody_there_or_not_wanted_is_quiet_too(serving, tmp_path):
    assert not await PriceTable(endpoints("http://127.0.0.1:9"), cache=tmp_path / "x").freshen()
    base_url, heard = await serving(json.dumps(LIST).encode(), path="/models")
    await PriceTable(endpoints(base_url), cache=tmp_path / "x", refresh=False).freshen()
    assert not heard


def test_the_table_is_not_loaded_before_a_price_is_asked():
    code = (
        "import sys; from mutual_dissent.providers.prices.table import PriceTable;"
        "from mutual_dissent.core.panel import Route; p = PriceTable();"
        "p.cost(Route(vendor='local', model_id='smollm2'), 1, 1);"
        "print(sorted({'genai_prices', 'pydantic', 'aiohttp'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


async def test_the_table_loads_beside_the_event_loop():
    prices = PriceTable()
    await prices.load([GPT])
    assert prices.cost(GPT, 1, 1) > 0


async def test_prices_that_a_home_remembers_are_those_of_the_table(tmp_path):
    bare = PriceTable()
    names = [n for v in ("openai", "anthropic", "google", "xai") for n in bare.known_models(v)]
    pairs = (name.split(":", 1) for name in names[::3])
    routes = [Route(vendor=vendor, model_id=model) for vendor, model in pairs]
    first = PriceTable(cache=tmp_path / "list.json")
    await first.load(routes)
    first.keep()
    again = PriceTable(cache=tmp_path / "list.json")
    await again.load(routes)
    for route in routes:
        assert again.context_window(route) == bare.context_window(route), route
        for call in ((0, 0), (7, 3), (1_234, 567, 300), (250_000, 9_000, 1), (3_000_000, 5)):
            assert again.cost(route, *call) == pytest.approx(bare.cost(route, *call)), route


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"table": 1}', b"null"])
async def test_remembered_prices_that_are_damaged_are_looked_up_again(tmp_path, damage):
    for _ in range(2):
        prices = PriceTable(cache=tmp_path / "list.json")
        await prices.load([GPT])
        assert prices.cost(GPT, 1_000, 0) == pytest.approx(0.002)
        prices.keep()
        (tmp_path / "model-prices.json").write_bytes(damage)


def test_whoever_asks_the_same_models_again_does_not_import_the_table(tmp_path):
    code = (
        "import asyncio, sys; from pathlib import Path;"
        "from mutual_dissent.providers.prices.table import PriceTable;"
        "from mutual_dissent.core.panel import Route;"
        "routes = [Route(vendor='openai', model_id=m) for m in ('gpt-6.1-sol', 'none-such')];"
        f"p = PriceTable(cache=Path({str(tmp_path / 'list.json')!r}));"
        "asyncio.run(p.load(routes)); p.keep(); print([p.cost(r, 1000, 0) for r in routes],"
        "sorted({'genai_prices', 'pydantic'} & set(sys.modules)))"
    )
    for imported in ("['genai_prices', 'pydantic']", "[]"):
        ran = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert ran.stdout.strip() == f"[0.002, None] {imported}"


async def test_processes_that_start_together_all_have_the_prices_that_one_of_them_fetched(
    serving, tmp_path
):
    base_url, heard = await serving(json.dumps(LIST).encode(), path="/models")
    tables = [PriceTable(endpoints(base_url), cache=tmp_path / "list.json") for _ in range(3)]
    assert [t.cost(LISTED, 1, 1) for t in tables] == [None, None, None]
    for table in tables:
        await table.prepare([LISTED])
        await table._fetching
    assert len(heard) == 1
    assert None not in [t.cost(LISTED, 1, 1) for t in tables]


async def test_a_process_that_goes_on_for_days_takes_note_of_new_prices(serving, cache):
    base_url, heard = await serving(json.dumps(LIST).encode(), path="/models")
    table = PriceTable(endpoints(base_url), cache=cache)
    for days, fetched in ((0, 0), (1.1, 1), (0, 1)):
        if days:
            os.utime(cache, (time.time() - days * 86_400,) * 2)
        table._tried = float("-inf")
        await table.prepare([LISTED])
        await table._fetching
        assert len(heard) == fetched


async def test_a_limit_in_a_fresh_home_is_kept_with_the_prices_that_the_vendor_publishes(
    serving, tmp_path
):
    base_url, heard = await serving(json.dumps(LIST).encode(), path="/models")
    env = {"OPENROUTER_API_KEY": "sk-test", "OPENROUTER_BASE_URL": base_url}
    async with MutualDissent(home=tmp_path / "fresh", env=env) as md:
        panel = ["openrouter:acme/one", "openrouter:acme/one"]
        brief = await md.brief("Why?", panel=panel, max_cost=1.0)
        assert md.quote(brief).cost_usd is not None
    assert len(heard) == 1
