"""The debate page for everyone: readable, labelled, in both themes, at every width."""

from __future__ import annotations

import httpx
import pytest

from fakes.axe import faults
from fakes.browser import PHONE, WIDE
from fakes.patience import LONG

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

OWN = "Applying inline style"  # what the check itself tries
DONE = "[data-status=completed]"
LOOKS = [("dark", WIDE), ("light", PHONE)]


async def begun(site, **more) -> str:
    body = {"message": "Should a small team start with a monolith?", "mode": "reflection", **more}
    async with httpx.AsyncClient(base_url=site.url, timeout=LONG) as client:
        return (await client.post("/api/chat", json=body)).json()["sessionId"]


@pytest.mark.parametrize(("theme", "size"), LOOKS)
async def test_a_new_question_has_no_serious_flaw(site, tabs, theme, size):
    tabs.expected.append(OWN)
    tab = await tabs.open(site, color_scheme=theme, viewport=size)
    await tab.locator(".quote").get_by_text("calls,").wait_for()
    assert await faults(tab) == []
    await tab.get_by_text("Known answer and judge").click()
    assert await faults(tab) == []


@pytest.mark.parametrize(("theme", "size"), LOOKS)
async def test_a_debate_has_no_serious_flaw_while_it_runs_nor_after(site, tabs, theme, size):
    tabs.expected.append(OWN)
    site.vendor.fake.then("refusal", model="gpt-6.1-sol")
    site.vendor.fake.then("held", text="The bridge is safe.", model="claude-sonnet-5-5")
    site.vendor.fake.always("held", text="The bridge is **not** safe, see `x`.", cut=3)
    path = f"/debates/{await begun(site)}"
    tab = await tabs.open(site, path, color_scheme=theme, viewport=size)
    await tab.locator(".writing .block").first.wait_for()
    assert await faults(tab) == []
    site.vendor.release()
    await tab.locator(DONE).wait_for()
    for name in ("First answers", "Round 1", "Answer"):
        await tab.get_by_role("tab", name=name, exact=name == "Answer").click()
        assert await faults(tab) == []
    await tab.get_by_role("button", name="Continue…").click()
    await tab.get_by_role("dialog").wait_for()
    assert await faults(tab) == []


async def test_motion_stops_for_those_who_ask_for_it(site, tabs):
    site.vendor.fake.always("held", text="One two three.", cut=1)
    path = f"/debates/{await begun(site)}"
    tab = await tabs.open(site, path, reduced_motion="reduce")
    await tab.locator(".writing .block").first.wait_for()
    moving = await tab.evaluate("document.getAnimations().length")
    assert moving == 0


@pytest.mark.parametrize(("theme", "size"), LOOKS)
async def test_a_first_visit_has_no_serious_flaw(keyless, tabs, theme, size):
    tabs.expected.append(OWN)
    tab = await tabs.open(keyless, color_scheme=theme, viewport=size)
    await tab.get_by_text("No key yet").wait_for()
    assert await faults(tab) == []
    wide, seen = await tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= seen
