"""The user's own seat on the page: asked blind, in a form with a clock, and told how it fared."""

from __future__ import annotations

import pytest

from fakes.patience import LONG

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

DONE = "[data-status=completed]"
CLOSED = (
    "A monolith, for one team.\n\nBOTTOM LINE: A monolith.\nCONFIDENCE: 80 %\n"
    "ON THE OTHERS: A agree; B agree; C agree\nCHANGED: nothing"
)


async def test_on_the_page_i_sit_on_the_panel_and_see_how_my_answer_fared(site, tabs):
    site.vendor.fake.always(text=CLOSED)
    tab = await tabs.open(site)
    await tab.locator("#query").fill("Should a small team start with a monolith?")
    await tab.get_by_label("Mode", exact=True).select_option("reflection")
    for model in ("grok", "gemini"):
        await tab.get_by_role("button", name=f"Remove {model}").click()
    await tab.get_by_role("button", name="+ me").click()
    await tab.get_by_text("you, asked like any panelist").wait_for()
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.wait_for_url("**/debates/*")
    seat = tab.get_by_role("region", name="Your turn")
    await seat.get_by_text("left").wait_for()
    await seat.get_by_label("Your answer, with your reasons").fill("Services, since we are three.")
    await tab.reload()
    await seat.get_by_label("How sure are you that it is right").fill("70")
    assert "A monolith" not in await tab.locator("body").inner_text()
    await seat.get_by_role("button", name="Hand in").click()
    await seat.get_by_role("heading", name="Your last answer").wait_for(timeout=LONG * 1000)
    await seat.get_by_text("A monolith, for one team.").nth(1).wait_for()
    shown = await seat.inner_text()
    assert "Services, since we are three." in shown
    assert "claude" not in shown
    assert await tab.locator(".pane", has_text="A monolith").count() == 0
    for box in await seat.get_by_label("Your answer and that of Panelist").all():
        if await box.evaluate("b => b.tagName") == "SELECT":
            await box.select_option("disagree")
    await seat.get_by_label("What did you change").first.select_option("nothing")
    await seat.get_by_role("button", name="Hand in").click()
    await tab.locator(DONE).wait_for(timeout=LONG * 1000)
    fared = tab.get_by_role("region", name="Your answer")
    await fared.get_by_text("How your answer fared").wait_for()
    await fared.get_by_text("claude and gpt agree with you in part.").wait_for()
    assert await seat.count() == 0
