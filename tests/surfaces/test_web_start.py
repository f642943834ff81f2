"""The first visit: somebody who answers within half a minute, or a sample to look at."""

from __future__ import annotations

import json

import httpx
import pytest

from fakes.browser import serving
from fakes.patience import LONG
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.endpoints import TABLE
from mutual_dissent.views.phrases import money, reason_for

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

KEY = "sk-test-key-pasted-0001"
NOBODY = {"anyKey": False, "ready": False, "running": []}


@pytest.fixture(scope="module")
def newcomer(one_vendor, tmp_path_factory):
    """A server without a key, in front of a vendor that would answer to one."""
    address = one_vendor.fake.base_url("openai-chat")
    more = f'[providers]\nopenai_base_url = "{address}"\n'
    with serving(tmp_path_factory.mktemp("newcomer") / "home", None, more) as site:
        yield site


async def told(tab, **instead) -> None:
    """What the page is told about its first visit, in other words here and there."""

    async def answer(route):
        reply = await route.fetch()
        plain = await reply.json()
        plain["local"] |= instead.pop("local", {})
        await route.fulfill(response=reply, json={**plain, **instead})

    await tab.route("**/ui/start", answer)


async def test_a_key_that_is_refused_is_not_kept_and_one_that_answers_is(
    newcomer, one_vendor, tabs
):
    tabs.expected.append("422")
    one_vendor.reset()
    one_vendor.fake.then("401")
    tab = await tabs.open(newcomer)
    await tab.get_by_label("Key", exact=True).fill(KEY)
    assert await tab.get_by_label("Vendor").input_value() == "openai"
    await tab.get_by_role("button", name="Try it and keep it").click()
    await tab.get_by_role("alert").get_by_text("did not answer with this key").wait_for()
    assert KEY not in (newcomer.home / "config.toml").read_text()
    await tab.get_by_role("button", name="Try it and keep it").click()
    await tab.get_by_text("the key is kept").wait_for()
    assert KEY in (newcomer.home / "config.toml").read_text()
    assert await tab.get_by_text("No key yet").count() == 0
    await tab.locator("#query").fill("Yes?")
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.locator("[data-status=completed]").wait_for()


async def test_whose_key_it_is_follows_from_how_it_begins(keyless, tabs):
    tab = await tabs.open(keyless)
    for vendor in (v for v in TABLE.values() if v.key_prefix):
        await tab.get_by_label("Key", exact=True).fill(f"{vendor.key_prefix}0123456789")
        assert await tab.get_by_label("Vendor").input_value() == vendor.vendor


async def test_where_nobody_can_be_asked_the_page_says_so_before_it_is_asked(keyless, tabs):
    tab = await tabs.open(keyless)
    await told(tab, **NOBODY, local={"here": False, "runtime": "1"})
    await tab.reload()
    await tab.get_by_text("Nobody can be asked yet. There are three ways").wait_for()
    await tab.locator("#query").fill("Yes?")
    assert await tab.get_by_role("button", name="Ask the panel").is_disabled()
    for way in ("Paste a key", "Fetch a model", "Use what runs here"):
        await tab.get_by_role("heading", name=way).wait_for()


async def test_the_small_model_is_fetched_with_its_progress(keyless, tabs):
    tab = await tabs.open(keyless)
    far = {"here": False, "runtime": "1", "running": True, "fetched": 50_000_000}
    await told(tab, **NOBODY, local=far | {"total": 100_000_000})
    await tab.reload()
    bar = tab.get_by_role("progressbar", name="Fetching the model")
    await bar.wait_for()
    assert await bar.get_attribute("aria-valuenow") == "50"


async def test_what_runs_on_this_machine_is_named(keyless, tabs):
    tab = await tabs.open(keyless)
    await told(tab, anyKey=False, ready=True, server="LM Studio", running=["qwen3:8b", "llama4:4b"])
    await tab.reload()
    await tab.get_by_text("The panel is made of what your LM Studio has").wait_for()
    await tab.get_by_text("qwen3:8b", exact=True).wait_for()


async def test_an_example_is_a_click_away(site, tabs):
    tab = await tabs.open(site)
    await tab.get_by_role("group", name="Examples").get_by_role("button").first.click()
    assert "monolith" in await tab.locator("#query").input_value()


async def test_a_sample_debate_can_be_looked_at_without_a_key_and_leaves_no_trace(keyless, tabs):
    tab = await tabs.open(keyless)
    await tab.get_by_role("link", name="Look at a sample debate").click()
    await tab.get_by_text("no model said this").wait_for()
    await tab.locator(".answer .said[data-read]").wait_for()
    await tab.get_by_role("tab", name="First answers").click()
    await tab.locator("[data-pane='4'] .said").wait_for()
    assert await tab.get_by_role("button", name="Continue…").count() == 0
    async with httpx.AsyncClient(base_url=keyless.url, timeout=LONG) as client:
        assert (await client.get("/api/sessions")).json()["items"] == []


async def test_the_page_debates_by_reflection_unless_told_otherwise(site, tabs):
    tab = await tabs.open(site)
    await tab.locator("#query").fill("Yes?")
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.wait_for_url("**/debates/*")
    await tab.locator("[data-status=completed]").wait_for()
    async with httpx.AsyncClient(base_url=site.url, timeout=LONG) as client:
        found = (await client.get(f"/api/sessions/{tab.url.rsplit('/', 1)[1]}")).text
    assert json.loads(found)["brief"]["mode"] == "reflection"


async def test_the_page_says_money_and_failures_as_the_terminal_does(site, tabs):
    tab = await tabs.open(site)
    ui, pane = ("/static/app/ui.js", "/static/app/debate/pane.js")
    sums = [0, 0.00001, 0.0001, 0.0123, 0.5, 0.99996, 1, 12.345, 1234.5]
    said = await tab.evaluate(f"async (sums) => sums.map((await import('{ui}')).money)", sums)
    assert said == [money(s) for s in sums]
    ways = [(finish, kind) for finish in Finish for kind in (None, *ErrorKind)]
    reason = f"async (all) => all.map((await import('{pane}')).reason)"
    said = await tab.evaluate(reason, [{"finish": f, "error_kind": k} for f, k in ways])
    assert said == [reason_for(*way) for way in ways]
