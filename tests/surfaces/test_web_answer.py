"""The answer page: a sentence, who agrees with what, the answer, what is open, the bill."""

from __future__ import annotations

import json

import httpx
import pytest

from fakes.axe import faults
from fakes.browser import PHONE, WIDE
from fakes.closing import closed
from fakes.pages import DONE, answered, asked

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

OWN = "Applying inline style"
ORDER = """() => ['.heading', '.claims', '.answer .said', '[aria-label="What changed"]',
  '[aria-label="What is open"]', 'h4'].map((s) => {
    const all = [...document.querySelectorAll(s)];
    const e = s === 'h4' ? all.find((h) => h.textContent === 'What it cost') : all[0];
    return e.getBoundingClientRect().top + scrollY;
  })"""


async def sample(site, tabs, **how):
    tab = await tabs.open(site, "/debates/sample", **how)
    await tab.locator(".answer .said[data-read]").wait_for()
    return tab


@pytest.mark.parametrize("size", [PHONE, {"width": 900, "height": 900}])
async def test_on_narrow_screens_agreement_comes_before_the_answer_and_the_bill_last(
    site, tabs, size
):
    tab = await sample(site, tabs, viewport=size)
    places = await tab.evaluate(ORDER)
    assert places == sorted(places)
    wide, seen = await tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= seen


async def test_on_wide_screens_nothing_stays_empty_beside_the_answer(site, tabs):
    tab = await sample(site, tabs, viewport=WIDE)
    gap = await tab.evaluate(
        """() => {
          const text = document.querySelector('.answer .said').getBoundingClientRect();
          const beside = document.querySelector('.beside').getBoundingClientRect();
          return beside.left - text.right;
        }"""
    )
    assert 0 < gap < 80


async def test_claims_stand_against_panelists_and_a_click_shows_the_sentence(site, tabs):
    tab = await sample(site, tabs)
    table = tab.get_by_role("region", name="Claims and panelists")
    said = await table.inner_text()
    assert "How should plants that need sharp drainage" in said
    assert await table.locator("thead .seat").all_inner_texts() == ["ada", "ben", "cleo", "dan"]
    row = table.get_by_role("row").filter(has_text="Do not dig sand into heavy clay")
    await row.get_by_role("button", name="ben: partly").click()
    await tab.locator(".claims .sentence").get_by_text("ben on").wait_for()
    assert (await tab.locator(".claims .sentence").inner_text()).count("ben") == 1
    await table.get_by_role("button", name="claims that nobody contests").click()
    await table.get_by_text("Gypsum is useful only in sodic clay.").wait_for()


async def test_the_answer_page_has_no_serious_flaw(site, tabs):
    tabs.expected.append(OWN)
    for theme, size in (("dark", WIDE), ("light", PHONE)):
        tab = await sample(site, tabs, color_scheme=theme, viewport=size)
        assert await faults(tab) == []


async def test_another_writer_is_one_click_away(site, tabs):
    tab = await answered(site, tabs, "The first text.")
    site.vendor.fake.always(text="The second text.")
    writers = tab.get_by_role("group", name="Write it again by")
    await writers.get_by_role("button", name="gpt").click()
    await tab.locator(".answer").get_by_text("The second text.").wait_for()
    await tab.locator(".answer .by").get_by_text("gpt").wait_for()


async def test_how_it_turned_out_is_said_under_the_answer_and_stands_in_its_heading(site, tabs):
    tab = await answered(site, tabs, "The first text.")
    place = tab.get_by_role("form", name="How it turned out")
    await place.get_by_role("button", name="right").click()
    await tab.get_by_text("It turned out right.").first.wait_for()
    await place.get_by_label("The true value").fill("42")
    await place.get_by_role("button", name="Save").click()
    await tab.get_by_text("It turned out to be 42").first.wait_for()


async def test_what_the_panel_asks_is_answered_on_the_spot(site, tabs):
    text = "It depends.\n\nBOTTOM LINE: It depends.\nNEEDED FROM THE USER: how large the team is"
    tab = await answered(site, tabs, text)
    place = tab.get_by_role("region", name="What is open")
    await place.get_by_text("how large the team is").wait_for()
    notes = await tab.locator(".note").all_text_contents()
    assert [n for n in notes if n.startswith("claude asks you")] == [
        "claude asks you: how large the team is"
    ]  # in both rounds
    await place.get_by_label("Tell the panel").fill("We are four people.")
    site.vendor.fake.always(text="Few.\n\nBOTTOM LINE: Few.")
    await place.get_by_role("button", name="Tell and go on").click()
    await tab.get_by_role("tab", name="Round 2").wait_for()
    await tab.locator(DONE).wait_for()
    assert any("four people" in a.prompt for a in site.vendor.arrivals)
    assert await tab.locator(".note", has_text="asks you").count() == 0, "it is answered"


async def test_how_far_a_debate_is_and_what_it_costs_is_said_while_it_runs(site, tabs):
    site.vendor.fake.always("held", text="One two three.", cut=1)
    tab = await tabs.open(site)
    await tab.locator("#query").fill("Yes?")
    await tab.get_by_text("calls, ").first.wait_for()
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.locator(".progress", has_text="first answers, 0 of ").wait_for()
    said = await tab.locator(".progress").inner_text()
    assert "calls, $0 of about $" in said
    site.vendor.release()
    await tab.locator(DONE).wait_for()
    assert await tab.locator(".progress").count() == 0


async def test_what_was_asked_before_is_beside_the_page_and_found_by_the_palette(site, tabs):
    site.vendor.fake.always(text="One.")
    name = await asked(site, message="Is the heron a wading bird?")
    tab = await tabs.open(site, f"/debates/{name}")
    await tab.locator(DONE).wait_for()
    await tab.goto(site.url)
    await tab.get_by_role("button", name="History").click()
    history = tab.get_by_role("complementary", name="History")
    await history.get_by_label("Search the history").fill("heron")
    found = history.get_by_role("link", name="Is the heron a wading bird?")
    assert "%" not in await found.inner_text()  # a score is no share of people
    await found.click()
    await tab.wait_for_url(f"**/debates/{name}")
    await tab.reload()
    await history.wait_for()
    await tab.goto(site.url)
    await tab.locator("#query").wait_for()
    await tab.keyboard.press("Control+K")
    await tab.get_by_label("Command", exact=True).fill("heron")
    await tab.get_by_role("option", name="Is the heron a wading bird?").wait_for()
    await tab.keyboard.press("Enter")
    await tab.wait_for_url(f"**/debates/{name}")


async def test_a_page_that_outlived_its_server_asks_for_the_new_address(site, tabs):
    tabs.expected.append("401")
    tab = await tabs.open(site)
    await tab.locator("#query").wait_for()
    await tab.context.clear_cookies()
    await tab.get_by_role("link", name="Research").click()
    asks = tab.get_by_role("dialog", name="The server was started anew")
    await asks.get_by_label("Address or token").fill(site.start)
    await asks.get_by_role("button", name="Open").click()
    await tab.get_by_role("heading", name="Research").wait_for(state="attached")
    await tab.get_by_role("tab", name="Figures").wait_for()
    assert await asks.count() == 0


async def test_a_page_that_is_loaded_anew_after_a_restart_has_a_box_for_the_new_token(site, tabs):
    tabs.expected.append("401")
    tab = await tabs.open(site, "/debates", color_scheme="dark")
    await tab.get_by_role("tab", name="Figures").wait_for()
    await tab.context.clear_cookies()
    await tab.reload()
    box = tab.get_by_label("Address or token")
    assert await box.evaluate("e => e === document.activeElement")
    await box.fill("the-old-one")
    await box.press("Enter")
    await tab.get_by_role("alert").get_by_text("not the token of the server").wait_for()
    await box.fill(site.start)
    await tab.get_by_role("button", name="Open").click()
    await tab.get_by_role("tab", name="Figures").wait_for()
    assert tab.url == f"{site.url}/debates"


async def test_the_panel_goes_on_without_who_is_silent_for_long(site, tabs):
    site.vendor.fake.then("held", text="One two three.", cut=1, model="grok-4.7")
    site.vendor.fake.always(text="One.")
    tab = await tabs.open(site, f"/debates/{await asked(site)}")
    await tab.locator("[data-pane='4'] .writing", has_text="One").wait_for()
    await tab.locator("[data-pane='1']").get_by_text("answered").wait_for()
    assert await tab.get_by_text("silent for").count() == 0
    await tab.evaluate("const now = performance.now(); performance.now = () => now + 45_000")
    await tab.get_by_text("grok has been silent for").wait_for()
    await tab.get_by_role("button", name="Go on without it").click()
    await tab.locator(DONE).wait_for()
    site.vendor.release()


async def test_a_debate_is_shared_as_a_file(site, tabs):
    site.vendor.fake.always(text="One.")
    tab = await tabs.open(site, f"/debates/{await asked(site)}")
    await tab.locator(DONE).wait_for()
    await tab.get_by_role("button", name="Share…").click()
    async with tab.expect_download() as begun:
        await tab.get_by_role("link", name="A page that anybody can open").click()
    file = await (await begun.value).path()
    assert "Monolith or services?" in file.read_text()


async def test_what_has_no_known_price_is_not_said_to_cost_nothing(site, tabs):
    seats = ["openai:nobody-knows-1", "openai:nobody-knows-2"]
    tab = await tabs.open(site, f"/debates/{await asked(site, panel=seats, synthesizer=seats[0])}")
    await tab.locator(DONE).wait_for()
    head = await tab.locator("main").inner_text()
    assert "cost unknown" in head
    assert "$0" not in head


async def test_a_review_shows_every_finding_beside_the_lines_that_it_is_about(site, tabs):
    tabs.expected.append(OWN)
    found = {
        "file": "pay.py", "line": 9, "heading": "", "severity": "high", "fix": "",
        "claim": "<b>Customers</b> pay too much.", "quote": "charge(cents * 100)",
    }  # fmt: skip
    site.vendor.fake.always(text=json.dumps({"position": "not yet", "findings": [found]}))
    text = "def pay(cents):\n    charge(cents * 100)\n"
    debate = await asked(
        site, mode="review", analyst=None, context=[{"name": "pay.py", "text": text}]
    )
    tab = await tabs.open(site, f"/debates/{debate}")
    several = tab.get_by_role("region", name="Found by several")
    await several.get_by_text("<b>Customers</b> pay too much.").wait_for()
    assert "pay.py:2" in await several.inner_text()
    assert "charge(cents * 100)" in await several.locator("pre .marked").inner_text()
    beside = several.locator("pre[tabindex='0']")
    seen = await beside.evaluate("e => getComputedStyle(e).backgroundImage")
    assert "gradient" in seen, "a shadow says that there is more at the side"
    told = await tab.get_by_role("region", name="The panel").inner_text()
    assert "What each says of the text" in told
    assert "claude: not yet" in told, "the verdict on the text, not a remark on the checks"
    assert "see each other" not in told
    assert await faults(tab) == []
    async with httpx.AsyncClient(base_url=site.url) as client:
        told = (await client.get(f"/api/sessions/{debate}/account")).json()["review"]
        sarif = await client.get(f"/api/sessions/{debate}/export", params={"format": "sarif"})
    assert [(f["standing"], f["line"]) for f in told["findings"]] == [("several", 2)]
    assert sarif.headers["content-type"].startswith("application/sarif+json")


DIFF = """diff --git a/cart.py b/cart.py
--- a/cart.py
+++ b/cart.py
@@ -10,3 +10,4 @@ def total(items):
     for item in items:
-        total += item.price
+        total += item.price * item.count
+        total = round(total)
     return total
"""


def defect(path: str, claim: str, quote: str) -> dict[str, object]:
    place = {"file": path, "line": 1, "heading": ""}
    return {**place, "severity": "high", "fix": "", "claim": claim, "quote": quote}


@pytest.mark.parametrize(("size", "theme"), [(WIDE, "dark"), (PHONE, "light")])
async def test_the_whole_text_stands_beside_its_findings_and_both_lead_to_each_other(
    site, tabs, size, theme
):
    tabs.expected.append(OWN)
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)> \u202eabc"
    lines = [f"step_{n}()" for n in range(1, 5_001)]
    lines[4_199] = hostile
    found = [
        defect("long.py", "The last step is missing.", "step_4900()"),
        defect("long.py", "<b>Hostile</b> words.", "<img src=x onerror=alert(2)>"),
        defect("cart.py", "One was counted once.", "total += item.price\n"),
    ]
    site.vendor.fake.always(text=json.dumps({"position": "not yet", "findings": found}))
    texts = {"change.diff": DIFF, "long.py": "\n".join(lines)}
    context = [{"name": name, "text": text} for name, text in texts.items()]
    debate = await asked(site, mode="review", analyst=None, context=context)
    tab = await tabs.open(site, f"/debates/{debate}", viewport=size, color_scheme=theme)
    text = tab.get_by_role("region", name="The text under review")
    await tab.get_by_role("link", name="long.py:4900").click()
    mark = text.get_by_role("link", name="The last step is missing.")
    await mark.wait_for()
    assert await text.locator(".text-line").count() >= 4_900
    assert await text.locator("script, img").count() == 0
    said = await text.locator(".text-line.marked code").all_text_contents()
    assert said == [hostile.replace("\u202e", ""), "step_4900()"]
    assert await faults(tab) == []
    await mark.press("Enter")
    await tab.locator(".found:focus").wait_for()
    assert "The last step is missing." in await tab.locator(".found:focus").inner_text()
    await tab.get_by_role("link", name="cart.py:11").click()
    await tab.locator(".at-line:focus").wait_for()
    removed = text.locator(".text-line.removed.marked")
    assert "total += item.price" in await removed.inner_text()
    wide, seen = await tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= seen
    await tab.get_by_role("button", name="Hide the text").click()
    await text.wait_for(state="hidden")


async def test_an_answer_that_nobody_was_asked_to_write_is_said_to_be_whose_it_is(site, tabs):
    site.vendor.fake.always(text=closed("It is 42."))
    tab = await tabs.open(site, f"/debates/{await asked(site, mode='escalate')}")
    await tab.locator(DONE).wait_for()
    said = await tab.locator(".answer .by").inner_text()
    assert said.strip() == "In the words of claude"
