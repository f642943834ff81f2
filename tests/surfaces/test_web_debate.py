"""The debate page in a real browser: from typing to the answer, whatever happens to the line."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode

import httpx
import pytest

from fakes.axe import faults
from fakes.browser import PHONE, WIDE, Line, until
from fakes.documents import a_docx, a_pdf
from fakes.images import SCRIPT, a_png
from fakes.patience import LONG
from mutual_dissent.analysis.ballots.rules import RULES

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

QUESTION = "Should a small team start with a monolith?"
DONE = "[data-status=completed]"
READ = ".said[data-read]"  # a text is read beside the page, and stands there when it has been
CLIPBOARD = ["clipboard-read", "clipboard-write"]
REFLECTION = {
    "message": QUESTION,
    "mode": "reflection",
    "panel": ["claude", "gpt", "gemini", "grok"],
    "analyst": "none",
}


async def asked(site, **more) -> str:
    """The id of a debate that was begun."""
    async with httpx.AsyncClient(timeout=LONG) as client:
        reply = await client.post(f"{site.url}/api/chat", json={**REFLECTION, **more})
        assert reply.status_code == 202, reply.text
        return reply.json()["sessionId"]


async def finished(site, name: str) -> dict:
    """A debate once it is over, as the server has it."""
    async with httpx.AsyncClient(timeout=LONG) as client:
        events = f"{site.url}/api/sessions/{name}/events"
        async with client.stream("GET", events) as stream:
            async for _ in stream.aiter_lines():
                pass
        return (await client.get(f"{site.url}/api/sessions/{name}")).json()


async def over(site, **more) -> str:
    """The id of a debate that is over."""
    name = await asked(site, **more)
    assert (await finished(site, name))["status"] == "completed"
    return name


async def choose_mode(tab, name: str) -> None:
    await tab.get_by_label("Mode", exact=True).select_option(name)


# -- from typing to the answer


async def test_a_proposal_is_in_the_form_before_the_panel_is_asked(site, tabs):
    wanted = {"preset": "council", "mode": "own", "perspectives": [], "reason": "Pick one."}
    site.vendor.fake.always(text=json.dumps({**wanted, "panel": ["claude", "gpt", "gemini"]}))
    tab = await tabs.open(site)
    await tab.locator("#query").fill(QUESTION)
    await tab.get_by_role("button", name="Propose how").click()
    await tab.get_by_text("proposes council: Pick one.").wait_for()
    assert await tab.get_by_label("Preset", exact=True).input_value() == "council"
    assert await tab.locator(".seat-card:not(.add)").count() == 3


async def test_an_earlier_debate_on_the_matter_is_named_under_the_question(site, tabs):
    name = await over(site, message="Which harbour crane lifts steel coils fastest?")
    tab = await tabs.open(site)
    await tab.locator("#query").fill("Fastest harbour crane for steel coils?")
    earlier = tab.get_by_label("Asked before").get_by_role("link")
    await earlier.wait_for()
    assert (await earlier.get_attribute("href")) == f"/debates/{name}"
    await tab.locator("#query").fill("Who baked the first croissant?")
    await earlier.wait_for(state="detached")
    again = await over(site, message="Fastest harbour crane for steel coils?")
    await tab.goto(f"{site.url}/debates/{again}")
    said = tab.get_by_label("Earlier debates")
    await said.get_by_text(f"An earlier debate on this: {name[:8]} of ").wait_for()
    assert await said.get_by_role("link").get_attribute("href") == f"/debates/{name}"


async def test_the_table_of_a_decision_is_on_the_page(site, tabs):
    scores = [
        {"option": option, "criterion": "C1", "score": score, "reason": "so"}
        for option, score in (("O1", 2), ("O2", 4))
    ]
    said = {
        "position": "Buy.", "reasoning": "Cheaper.", "key_points": ["Cheap."], "estimate": "",
        "confidence": 0.8, "options": ["Build", "Buy"], "criteria": [{"name": "cost", "weight": 5}],
        "weights": [{"criterion": "C1", "weight": 5}], "scores": scores, "same": [],
    }  # fmt: skip
    site.vendor.fake.always(text=json.dumps(said))
    name = await over(site, message="Shall we build or buy the lathe?", mode="decide")
    tab = await tabs.open(site, f"/debates/{name}")
    table = tab.get_by_role("region", name="Options rated")
    await table.wait_for()
    rows = [
        await r.locator("th, td").all_inner_texts() for r in await table.get_by_role("row").all()
    ]
    assert rows == [["option", "cost (100%)", "total"], ["Buy", "4", "4.0"], ["Build", "2", "2.0"]]


async def test_how_the_samples_of_a_seat_are_spread_is_on_the_page(site, tabs):
    site.vendor.fake.always(text="Bottom line: 42\n")
    name = await over(site, message="What is 6 times 7?", panel=["claude*3", "gpt", "gemini"])
    tab = await tabs.open(site, f"/debates/{name}")
    await tab.locator(DONE).wait_for()
    await tab.get_by_text("claude: 3 of 3 say 42").first.wait_for(state="attached")


async def test_a_question_is_typed_watched_and_answered(site, tabs):
    text = "A monolith first, because one team can hold it."
    site.vendor.fake.always("held", text=text, cut=3)
    tab = await tabs.open(site)
    await tab.locator("#query").fill(QUESTION)
    await choose_mode(tab, "reflection")
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.wait_for_url("**/debates/*")
    for number in range(1, 5):
        pane = tab.locator(f"[data-pane='{number}']")
        await pane.locator(".writing", has_text="A monolith first,").wait_for()
        assert "one team" not in await pane.locator(".writing").inner_text()
        await pane.get_by_text("writing", exact=True).wait_for()
    site.vendor.release()
    await tab.locator(DONE).wait_for()
    answer = tab.locator(".answer")
    await answer.locator(".said").get_by_text("because one team can hold it.").wait_for()
    await tab.locator(".heading").get_by_text("All 4: ").wait_for()
    await answer.get_by_text("Written by claude").wait_for()
    assert QUESTION in await tab.title()


CLOSED = (
    "A monolith first, for one team.\n\nBOTTOM LINE: A monolith.\nCONFIDENCE: 80 %\n"
    "ON THE OTHERS: A agree; B agree; C agree; D agree\nCHANGED: detail: says for how long"
)


async def test_every_pane_has_its_figures_and_every_round_who_holds_what(site, tabs):
    site.vendor.fake.always(token_delay=0.005, text=CLOSED)
    tab = await tabs.open(site, f"/debates/{await over(site)}")
    await tab.get_by_role("tab", name="Round 1").click()
    pane = tab.locator("[data-pane='1']")
    await pane.get_by_text("tok/s").wait_for()
    said = await pane.locator(".pane-foot").inner_text()
    assert " s" in said
    assert "$" in said
    await pane.get_by_text("A monolith.", exact=True).wait_for()
    assert "BOTTOM LINE" not in await pane.inner_text()
    found = tab.get_by_label("What the round came to")
    await found.get_by_role("button", name="claude on gpt: agree").click()
    await found.get_by_role("status").get_by_text("claude on gpt: agree").wait_for()
    await found.get_by_text("What they changed").wait_for()
    await found.get_by_text("says for how long").first.wait_for()


async def test_what_was_not_measured_is_no_number_and_no_agreement(site, tabs):
    vendor = site.vendor.fake
    for n, model in enumerate(("claude-sonnet-5-5", "gpt-6.1-sol")):
        text = f"There are {n} sides to that, and much to be said on each of them, as ever."
        vendor.then(text=text, model=model, times=2)
    vendor.always(text="Much depends on much else, which nobody can know in advance of it.")
    tab = await tabs.open(site, f"/debates/{await over(site)}")
    await tab.get_by_role("tab", name="Round 1").click()
    found = tab.get_by_label("What the round came to")
    await found.get_by_role("region", name="Agreement table").wait_for()
    assert await found.get_by_role("meter").count() == 0
    assert "0." not in await found.inner_text()


async def test_what_the_panel_contradicts_itself_about_is_shown_with_who_says_what(site, tabs):
    vendor = site.vendor.fake
    safe = "The bridge is safe for heavy trucks.\n\nBOTTOM LINE: Yes, it is safe."
    unsafe = "The bridge is not safe for heavy trucks.\n\nBOTTOM LINE: No, it is not safe."
    for model in ("claude-sonnet-5-5", "gpt-6.1-sol"):
        vendor.then(text=safe, model=model, times=2)
    vendor.always(text=unsafe)
    name = await over(site, message="Is the bridge safe for heavy trucks?")
    tab = await tabs.open(site, f"/debates/{name}")
    ledger = tab.get_by_role("region", name="What is open")
    open_ = ledger.locator(".issue")
    await open_.first.wait_for()
    said = await open_.first.inner_text()
    assert "Yes, it is safe." in said
    assert "No, it is not safe." in said
    assert "claude" in said
    assert "grok" in said
    await tab.locator(".heading").get_by_text("Split 2:2").wait_for()


async def test_the_answer_is_shown_while_the_analyst_still_reads(site, tabs):
    vendor = site.vendor.fake
    vendor.then(text=CLOSED, times=9)
    vendor.always("held", text="{}", cut=1)
    tab = await tabs.open(site, f"/debates/{await asked(site, analyst='claude')}")
    await tab.locator(".heading").get_by_text("All 4: A monolith.").wait_for()
    await tab.get_by_text("The analyst is still reading the debate").wait_for()
    assert await tab.locator("[data-status=active]").count() == 1
    site.vendor.release()
    await tab.locator(DONE).wait_for()


async def test_estimates_stand_by_round_with_the_median(site, tabs):
    form = {
        "position": "About 80 people.", "reasoning": "by the hall", "key_points": ["the hall"],
        "estimate": "80 people [60 to 100]", "confidence": 0.7, "on_the_others": [],
        "changed": "nothing", "stance": "NEUTRAL", "questions": [], "citations": [],
    }  # fmt: skip
    site.vendor.fake.always(text=json.dumps(form))
    name = await over(site, mode="delphi", message="How many people fit in?")
    tab = await tabs.open(site, f"/debates/{name}")
    table = tab.get_by_role("region", name="Estimates")
    await table.wait_for()
    said = await table.inner_text()
    assert "80 people [60 to 100]" in said
    assert "median" in said


async def test_changes_between_rounds_are_marked_word_by_word(site, tabs):
    vendor = site.vendor.fake
    first = "Start with one service. Split it when teams grow. Measure first."
    later = "Start with one service. Split it only when releases collide. Measure first."
    vendor.then(text=first, times=4)
    vendor.always(text=later)
    tab = await tabs.open(site, f"/debates/{await over(site)}")
    await tab.get_by_role("tab", name="Round 1").click()
    await tab.keyboard.press("d")
    changes = tab.locator("[data-pane='1'] .changes")
    await changes.wait_for()
    gone = await changes.locator("del").all_inner_texts()
    new = await changes.locator("ins").all_inner_texts()
    assert "".join(gone).split() == ["teams", "grow."]
    assert "".join(new).split() == ["only", "releases", "collide."]


async def test_a_form_is_shown_in_words_while_it_is_written(site, tabs):
    form = '{"position": "Yes, a \\"monolith\\".", "key_points": ["one team", "one release"]}'
    site.vendor.fake.always("held", text=form, cut=8)
    name = await asked(site, mode="collaborative")
    tab = await tabs.open(site, f"/debates/{name}")
    writing = tab.locator("[data-pane='1'] .writing")
    await writing.get_by_text("position: Yes, a").wait_for()
    said = await writing.inner_text()
    assert "{" not in said
    assert 'a "monolith"' in said


async def test_an_attached_file_reaches_every_panelist(site, tabs):
    tab = await tabs.open(site)
    await tab.locator("#files").set_input_files(
        {"name": "numbers.txt", "mimeType": "text/plain", "buffer": b"The secret number is 4711."}
    )
    await tab.locator("#query").fill("Which number is it?")
    await tab.locator(".file-name").get_by_text("numbers.txt").wait_for()
    await tab.keyboard.press("Control+Enter")
    await tab.locator(DONE).wait_for()
    first = [a for a in site.vendor.arrivals if "4711" in a.prompt]
    assert len(first) >= 4


async def test_pdf_and_docx_files_are_attached_as_their_text(site, tabs):
    pytest.importorskip("pypdf")
    pytest.importorskip("docx")
    tabs.expected.append("422")
    tab = await tabs.open(site)
    files = {
        "plan.pdf": a_pdf(b"The bridge costs 4711 crowns."),
        "Notes.DOCX": a_docx("The ferry costs 815 crowns."),
        "broken.pdf": b"%PDF-1.7 nothing of it",
    }
    await tab.locator("#files").set_input_files(
        [{"name": n, "mimeType": "application/pdf", "buffer": b} for n, b in files.items()]
    )
    await tab.locator(".toast").get_by_text("broken.pdf is not a readable PDF").wait_for()
    await tab.locator(".file-name").nth(1).wait_for()
    assert await tab.locator(".file-name").all_inner_texts() == ["plan.pdf", "Notes.DOCX"]
    await tab.locator("#query").fill("What is cheaper?")
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.locator(DONE).wait_for()
    first = [a for a in site.vendor.arrivals if "4711 crowns" in a.prompt]
    assert len(first) >= 4
    assert all("815 crowns" in a.prompt for a in first)


async def test_nothing_is_asked_while_a_file_is_still_being_read(site, tabs):
    tab, go_on = await tabs.open(site), asyncio.Event()

    async def held(route):
        await go_on.wait()
        await route.continue_()

    await tab.route("**/ui/files/text*", held)
    page = {"name": "a.html", "mimeType": "text/html", "buffer": b"<p>It is 4711.</p>"}
    await tab.locator("#query").fill("Which number is it?")
    await tab.locator("#files").set_input_files(page)
    await tab.get_by_role("status").get_by_text("Reading a.html").wait_for()
    await tab.keyboard.press("Control+Enter")
    assert await tab.get_by_role("button", name="Ask the panel").is_disabled()
    go_on.set()
    await tab.locator(".file-name").get_by_text("a.html").wait_for()
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.locator(DONE).wait_for()
    assert all("It is 4711." in a.prompt for a in site.vendor.arrivals[:4])


PASTE = """async ({ bytes, name, kind, words }) => {
    const carried = new DataTransfer();
    carried.items.add(new File([new Uint8Array(bytes)], name, { type: kind }));
    if (words) carried.setData("text/plain", words);
    const at = document.querySelector("#query");
    at.dispatchEvent(new ClipboardEvent("paste", {
        clipboardData: carried, bubbles: true, cancelable: true,
    }));
}"""
DROP = """async ({ bytes, name, kind }) => {
    const carried = new DataTransfer();
    carried.items.add(new File([new Uint8Array(bytes)], name, { type: kind }));
    const at = document.querySelector("form.setup");
    const how = { dataTransfer: carried, bubbles: true, cancelable: true };
    at.dispatchEvent(new DragEvent("drop", how));
}"""


async def test_pictures_are_dropped_and_pasted_shown_and_sent_to_the_panel(site, tabs):
    tabs.expected += ["422", "Applying inline style"]  # the latter is what axe itself tries
    tab = await tabs.open(site)
    await tab.locator("#query").fill("Which quarter was the worst?")
    name = 'q<img src=x onerror="alert(1)">.png'
    png = {"bytes": [*a_png(320, 200, told=True)], "name": name, "kind": "image/png"}
    await tab.evaluate(DROP, png)
    await tab.locator(".file-name").get_by_text(name).wait_for()
    other = {**png, "bytes": [*a_png(40, 30)], "name": "image.png", "words": ""}
    await tab.evaluate(PASTE, {**other, "words": "A table"})  # its text is meant
    await tab.evaluate(PASTE, other)
    await tab.locator(".files .thumb").nth(1).wait_for()
    assert await tab.locator(".files .thumb").count() == 2
    alts = [await tab.locator(".files .thumb").nth(n).get_attribute("alt") for n in (0, 1)]
    assert alts == [f"Picture {name}", "Picture image.png"]
    drawn = "images => images.every(i => i.complete && i.naturalWidth > 0)"
    assert await tab.locator(".files .thumb").evaluate_all(drawn)
    await tab.locator(".viewers").get_by_text("Shown to claude, gpt, gemini, grok.").wait_for()
    assert not await faults(tab)
    svg = {"bytes": [*SCRIPT], "name": "evil.svg", "kind": "image/svg+xml"}
    await tab.evaluate(DROP, svg)
    await tab.locator(".toast").get_by_text("is an SVG, which no model is shown").wait_for()
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.locator(DONE).wait_for()
    first = [a for a in site.vendor.arrivals if "Which quarter" in a.prompt]
    assert first
    assert all(json.dumps(a.body).count("iVBORw0KGgo") == 2 for a in first[:4])
    shown = tab.locator(".attached img.shown")
    assert await tab.get_by_text("attached").all_inner_texts() == ["2 attached"]  # said once
    for size in (WIDE, PHONE):
        await tab.set_viewport_size(size)
        row = await tab.locator(".attached").bounding_box()
        facts = await tab.locator(".facts").bounding_box()
        question = await tab.locator(".question").bounding_box()
        assert question["y"] + question["height"] <= row["y"]
        assert row["y"] + row["height"] <= facts["y"]  # in a row of their own
        assert row["x"] + row["width"] <= size["width"]
    for n in (0, 1):
        await shown.nth(n).scroll_into_view_if_needed()
        await shown.nth(n).evaluate("image => image.decode()")  # fails if it cannot be shown
    assert await shown.first.get_attribute("alt") == f"Picture {name}"
    assert not await faults(tab)


async def test_what_is_too_large_is_said_with_its_size_and_the_limit_before_it_is_sent(site, tabs):
    tab = await tabs.open(site)
    await tab.locator("#query").wait_for()
    sent = []
    tab.on("request", lambda r: sent.append(r.url) if "/ui/files/" in r.url else None)
    refused = {
        "huge.png": (31_500_000, "has 31.5 MB, and a picture may have 3.9 MB"),
        "long.pdf": (20_100_000, "has 20.1 MB, and a file may have 20.0 MB here"),
        "long.txt": (9_200_000, "has 9.2 MB, and all text of a question may have 2,000,000 char"),
    }
    for name, (size, said) in refused.items():
        give = """([name, size]) => {
            const carried = new DataTransfer();
            carried.items.add(new File([new Uint8Array(size)], name));
            const picker = document.querySelector("#files");
            picker.files = carried.files;
            picker.dispatchEvent(new Event("change", { bubbles: true }));
        }"""
        await tab.evaluate(give, [name, size])
        await tab.locator(".toast").get_by_text(f"{name} {said}").wait_for()
    assert not sent
    large = a_png(2_000, 1_700, level=0)
    for name in ("p1.png", "p2.png", "p3.png", "p4.png"):
        await tab.locator("#files").set_input_files(
            {"name": name, "mimeType": "image/png", "buffer": large}
        )
    said = "p4.png has 3.4 MB, and all pictures of a question may have 12.0 MB together: 1.8 MB are"
    await tab.locator(".toast").get_by_text(said).wait_for()
    assert await tab.locator(".file-name").all_inner_texts() == ["p1.png", "p2.png", "p3.png"]


async def test_a_picture_pasted_into_a_follow_up_is_said_to_go_with_a_new_question(site, tabs):
    tab = await tabs.open(site, f"/debates/{await over(site)}")
    await tab.locator(DONE).wait_for()
    png = {"bytes": [*a_png(4, 4)], "name": "image.png", "kind": "image/png", "words": ""}
    await tab.evaluate(PASTE, png)
    await tab.locator(".toast").get_by_text("go with a new question").wait_for()


async def test_what_those_were_told_who_see_no_pictures_is_shown(site, tabs):
    tabs.expected += ["Applying inline style"]  # which is what axe itself tries
    told = "A bar chart <img src=x onerror=alert(1)> of *four* quarters."
    site.vendor.fake.then(text=told, model="claude-sonnet-5-5")
    chart = {"name": "chart.png", "data": b64encode(a_png(40, 30)).decode()}
    name = await over(site, panel=["claude", "openai:gpt-3.5-turbo"], context=[chart])
    blind = [a for a in site.vendor.arrivals if a.model == "gpt-3.5-turbo"]
    assert all("of *four* quarters" in a.prompt and "iVBOR" not in str(a.body) for a in blind)
    tab = await tabs.open(site, f"/debates/{name}")
    described = tab.locator(".described")
    await described.get_by_text("claude described it for gpt-3.5-turbo").click()
    await described.get_by_text("<img src=x onerror=alert(1)>").wait_for()
    assert not await described.locator("img").count()
    assert not await faults(tab)


async def test_files_are_read_for_the_page_alone(site):
    here = f"{site.url}/ui/files/text?name=a.html"
    async with httpx.AsyncClient(timeout=LONG) as client:
        kind = {"Content-Type": "application/octet-stream"}
        assert (await client.post(here, content=b"x", headers=kind)).status_code == 401
        await client.get(site.start)
        assert (await client.post(here, data={"a": "b"})).status_code == 415
        read = await client.post(here, content=b"<p>Hello</p>", headers=kind)
        assert read.json() == {"name": "a.html", "text": "Hello"}


async def test_the_page_of_an_address_in_the_question_is_offered_and_fetched_if_wanted(site, tabs):
    tabs.expected += ["422", "Applying inline style"]  # the latter is what axe itself tries
    here, tab = f"{site.url}/ui/files/page", await tabs.open(site)
    async with httpx.AsyncClient(timeout=LONG) as client:
        body = {"address": "http://127.0.0.1/"}
        assert (await client.post(here, json=body)).status_code == 401
        await client.get(site.start)
        refused = await client.post(here, json=body)
        assert "is not on the public web" in refused.json()["error"]["message"]
    await tab.locator("#query").fill(
        "Is http://169.254.169.254/x, or https://b.example/?<i>, sound?"
    )
    offered = tab.locator(".linked button")
    assert await offered.all_inner_texts() == [
        "Attach the page http://169.254.169.254/x", "Attach the page https://b.example/",
    ]  # fmt: skip
    assert not await faults(tab)
    await offered.first.click()
    await tab.locator(".toast").get_by_text("is not on the public web").wait_for()

    async def answered(route):
        await route.fulfill(json={"name": "https://b.example/", "text": "<b>It is 4711.</b>"})

    await tab.route("**/ui/files/page", answered)
    await offered.nth(1).click()
    await tab.locator(".file-name").get_by_text("https://b.example/").wait_for()
    assert await offered.count() == 1
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.locator(DONE).wait_for()
    assert all("<b>It is 4711.</b>" in a.prompt for a in site.vendor.arrivals[:4])


async def test_panel_persona_and_budget_are_what_was_chosen(site, tabs):
    tab = await tabs.open(site)
    await tab.locator("#query").fill(QUESTION)
    await tab.get_by_label("Remove grok").click()
    await tab.get_by_label("Remove gemini").click()
    await tab.get_by_label("Persona of gpt").select_option("skeptic")
    await choose_mode(tab, "reflection")
    await tab.get_by_label("Rounds", exact=True).select_option("2")
    await tab.get_by_label("Budget in dollars").fill("0.5")
    await tab.locator(".quote").get_by_text("8 calls").wait_for()
    await tab.keyboard.press("Control+Enter")
    await tab.wait_for_url("**/debates/*")
    brief = (await finished(site, tab.url.rsplit("/", 1)[1]))["brief"]
    assert [p["seat"] for p in brief["panel"]] == ["claude", "gpt"]
    assert brief["panel"][1]["persona"] == "skeptic"
    assert (brief["rounds"], brief["max_cost"]) == (2, 0.5)


async def test_what_cannot_be_is_said_beside_the_question_before_it_is_asked(site, tabs):
    tabs.expected.append("422")
    tab = await tabs.open(site)
    await tab.locator("#query").fill(QUESTION)
    await tab.get_by_label("Answer written by").select_option("another model…")
    await tab.get_by_label("Answer written by", exact=True).fill("nobody-knows-it")
    await tab.get_by_role("alert").get_by_text("nobody-knows-it").wait_for()
    assert not site.vendor.arrivals


# -- whatever happens to the line


async def test_a_reload_in_the_middle_misses_nothing(site, tabs):
    site.vendor.fake.always("held", text="One two three four five six.", cut=2)
    name = await asked(site)
    tab = await tabs.open(site, f"/debates/{name}")
    await tab.locator("[data-pane='4'] .writing", has_text="One two").wait_for()
    await tab.reload()
    await tab.locator("[data-pane='4'] .writing", has_text="One two").wait_for()
    site.vendor.release()
    await tab.locator(DONE).wait_for()
    await tab.get_by_role("tab", name="First answers").click()
    for number in range(1, 5):
        said = await tab.locator(f"[data-pane='{number}'] {READ}").inner_text()
        assert said.strip() == "One two three four five six."
    assert len(site.vendor.arrivals) == 9


async def test_a_line_that_is_cut_for_five_seconds_costs_nothing_but_the_time(site, tabs):
    tabs.expected += [
        "ERR_CONNECTION",
        "ERR_EMPTY_RESPONSE",
        "ERR_INCOMPLETE",
        "ERR_CONTENT_LENGTH",
    ]
    site.vendor.fake.always("held", text="One two three four five six.", cut=2)
    name = await asked(site)
    async with Line(site) as line:
        tab = await tabs.open(line.site, f"/debates/{name}")
        await tab.locator("[data-pane='2'] .writing", has_text="One two").wait_for()
        await line.cut()
        site.vendor.release()
        await tab.locator(".banner").get_by_text("The line is cut").wait_for()
        assert (await finished(site, name))["status"] == "completed"
        await tab.wait_for_timeout(5000)  # the cut itself
        assert await tab.locator(DONE).count() == 0
        await line.mend()
        await tab.locator(DONE).wait_for()
        await tab.locator(".answer .said").get_by_text("One two three four five six.").wait_for()
        assert await tab.get_by_text("The line is cut").count() == 0


async def test_two_tabs_show_the_same_and_hear_of_each_others_orders(site, tabs):
    site.vendor.fake.always("held", text="One two three.", cut=1)
    name = await asked(site)
    first = await tabs.open(site, f"/debates/{name}")
    second = await tabs.another(first.context, site, f"/debates/{name}")
    for tab in (first, second):
        await tab.locator("[data-pane='1'] .writing", has_text="One").wait_for()
    site.vendor.release()
    for tab in (first, second):
        await tab.locator(DONE).wait_for()
    await first.get_by_role("button", name="Continue…").click()
    await first.get_by_role("button", name="Continue", exact=True).click()
    for tab in (first, second):
        await tab.get_by_role("tab", name="Round 2").wait_for()
        await tab.locator(DONE).wait_for()


async def test_a_tab_that_dies_does_not_stop_a_debate(site, tabs):
    site.vendor.fake.always("held", text="One two three.", cut=1)
    name = await asked(site)
    tab = await tabs.open(site, f"/debates/{name}")
    await tab.locator("[data-pane='1'] .writing", has_text="One").wait_for()
    await tab.close()
    site.vendor.release()
    assert (await finished(site, name))["status"] == "completed"


async def test_four_panelists_at_fifty_tokens_a_second_lose_no_word(site, tabs):
    words = " ".join(f"word{n}" for n in range(150))
    site.vendor.fake.always(text=words, token_delay=0.02)
    tab = await tabs.open(site)
    await tab.locator("#query").wait_for()
    await tab.evaluate(WATCH)
    name = await asked(site, synthesize=False, rounds=1)
    await tab.evaluate("name => { history.pushState(null, '', `/debates/${name}`);"
                       " dispatchEvent(new PopStateEvent('popstate')); }", name)  # fmt: skip
    await tab.locator(DONE).wait_for()
    grown = await tab.evaluate("window.grown")
    assert len(grown) == 8
    for steps in grown.values():
        assert all(words.startswith(step.rstrip("▍")) for step in steps)
        assert len(set(steps)) > 2, "it did not come in pieces"
    await tab.get_by_role("tab", name="Round 1").click()
    for number in range(1, 5):
        said = await tab.locator(f"[data-pane='{number}'] {READ}").inner_text()
        assert said.strip() == words


WATCH = """() => {
  window.grown = {};
  const look = () => document.querySelectorAll('[data-writing]').forEach((e) => {
    const steps = (window.grown[e.dataset.writing] ||= []);
    if (e.textContent && e.textContent !== steps.at(-1)) steps.push(e.textContent);
  });
  const all = {childList: true, subtree: true, characterData: true};
  new MutationObserver(look).observe(document, all);
}"""


# -- orders


async def test_a_debate_is_paused_told_something_and_resumed(site, tabs):
    site.vendor.fake.always("held", text="One two three.", cut=1)
    tab = await tabs.open(site, f"/debates/{await asked(site, rounds=3)}")
    await tab.locator("[data-pane='1'] .writing", has_text="One").wait_for()
    await tab.locator("#query").fill("The budget is five dollars.")
    await tab.keyboard.press("Control+Enter")
    await tab.get_by_text("The panel hears it").wait_for()
    await tab.get_by_role("button", name="Pause").click()
    await tab.get_by_text("It holds after the calls in flight.").wait_for()
    site.vendor.fake.always(delay=1.0)  # rounds that are long enough for the order to be seen
    site.vendor.release()
    await tab.locator("[data-status=paused]").wait_for()
    before = len(site.vendor.arrivals)
    await tab.get_by_role("button", name="Resume").click()
    await tab.locator(DONE).wait_for()
    assert any("five dollars" in a.prompt for a in site.vendor.arrivals[before:])
    await tab.get_by_label("What you said").get_by_text("five dollars").wait_for()


async def test_a_stopped_debate_keeps_what_was_said_and_can_be_resumed(site, tabs):
    site.vendor.fake.then(text="Done early.", model="claude-sonnet-5-5")
    site.vendor.fake.always("held", text="One two three.", cut=1)
    tab = await tabs.open(site, f"/debates/{await asked(site)}")
    await tab.locator("[data-pane='1']").get_by_text("Done early.").wait_for()
    await tab.locator("[data-pane='2'] .writing", has_text="One").wait_for()
    await tab.get_by_role("button", name="Stop").click()
    await tab.locator("[data-status=stopped]").wait_for()
    site.vendor.release()
    await tab.get_by_role("button", name="Resume").click()
    await tab.locator(DONE).wait_for()
    asked_first = [a for a in site.vendor.arrivals if a.model == "claude-sonnet-5-5"]
    assert len(asked_first) == 3, "what was answered is not bought twice"


async def test_a_follow_up_goes_on_in_the_same_conversation(site, tabs):
    tab = await tabs.open(site, f"/debates/{await over(site)}")
    await tab.locator("#query").fill("And for a large team?")
    await tab.keyboard.press("Control+Enter")
    await tab.get_by_role("heading", name="And for a large team?").wait_for()
    await tab.locator(DONE).wait_for()
    assert any(QUESTION in a.prompt for a in site.vendor.arrivals if "large team" in a.prompt)
    thread = tab.get_by_label("Conversation")
    await thread.locator("summary", has_text=QUESTION[:30]).click()
    await thread.locator(".said[data-read]").wait_for()
    await thread.get_by_role("link", name="The whole debate").click()
    await tab.get_by_role("heading", name=QUESTION).wait_for()


async def test_the_answer_is_written_again_beside_the_old_text(site, tabs):
    vendor = site.vendor.fake
    vendor.always(text="The first text.")
    tab = await tabs.open(site, f"/debates/{await over(site)}")
    vendor.always(text="The second text.")
    await tab.get_by_role("button", name="Write it again…").click()
    await tab.get_by_label("By whom").fill("gpt")
    await tab.get_by_role("button", name="Write", exact=True).click()
    await tab.locator(".answer").get_by_text("The second text.").wait_for()
    await tab.locator(DONE).wait_for()
    await tab.get_by_label("by claude").check()
    await tab.locator(f".answer {READ}").nth(1).wait_for()
    texts = await tab.locator(f".answer {READ}").all_inner_texts()
    assert [t.strip() for t in texts] == ["The first text.", "The second text."]


async def test_one_panelist_is_asked_again_and_the_debate_goes_on_from_there(site, tabs):
    vendor = site.vendor.fake
    vendor.always(text="The first text.")
    tab = await tabs.open(site, f"/debates/{await over(site)}")
    vendor.always(text="The second text.")
    await tab.get_by_role("tab", name="First answers").click()
    await tab.get_by_label("Ask gpt again").click()
    await tab.locator("[data-pane='2']").get_by_text("The second text.").wait_for()
    await tab.locator(DONE).wait_for()
    said = [await tab.locator(f"[data-pane='{n}'] {READ}").inner_text() for n in (1, 2, 3, 4)]
    assert [s.split()[1] for s in said] == ["first", "second", "first", "first"]
    await tab.get_by_role("tab", name="Round 1").click()
    await tab.locator("[data-pane='1']").get_by_text("The second text.").wait_for()
    assert len(site.vendor.arrivals) == 9 + 1 + 4 + 1


async def test_ballots_are_counted_by_every_rule_in_one_table(site, tabs):
    ballot = {"ranking": ["Response A", "Response B", "Response C"], "reasoning": "so"}
    site.vendor.fake.then(text="An answer.", times=4)
    site.vendor.fake.always(text=json.dumps(ballot))
    tab = await tabs.open(site, f"/debates/{await over(site, mode='ranking')}")
    before = len(site.vendor.arrivals)
    await tab.get_by_role("button", name="Count by other rules").click()
    table = tab.get_by_role("region", name="Rules and winners")
    await table.wait_for()
    rules = await table.locator("tbody th").all_inner_texts()
    assert [r.split()[0] for r in rules] == [
        r for r in RULES if r != "weighted"
    ]  # it had no weights
    assert rules[0].endswith("in force")
    seats = {"claude", "gpt", "gemini", "grok"}
    for row in await table.locator("tbody tr").all():
        winners = set((await row.locator("td").first.inner_text()).split())
        assert winners
        assert winners <= seats
    assert len(site.vendor.arrivals) == before, "no model is asked"


async def test_a_link_leads_to_the_very_answer(site, tabs):
    name = await over(site)
    tab = await tabs.open(site, f"/debates/{name}#0/initial/gemini")
    target = tab.locator(".pane.target")
    await target.wait_for()
    assert await target.get_attribute("data-pane") == "3"
    await until(tab, "() => document.querySelector('[data-tab=r0]').ariaSelected === 'true'")


async def test_an_address_of_no_debate_says_so(site, tabs):
    tabs.expected.append("404")
    tab = await tabs.open(site, "/debates/00000000-0000-4000-8000-0000000000ff")
    await tab.get_by_role("link", name="See all debates").wait_for()
    assert "00000000" in await tab.locator(".empty").inner_text()


async def test_a_debate_is_copied_as_markdown(site, tabs):
    tab = await tabs.open(site, f"/debates/{await over(site)}", permissions=CLIPBOARD)
    await tab.get_by_role("button", name="Copy as Markdown").click()
    await tab.get_by_text("copied as Markdown").wait_for()
    assert QUESTION in await tab.evaluate("navigator.clipboard.readText()")


async def test_a_panelist_that_fails_says_why_and_the_rest_go_on(site, tabs):
    site.vendor.fake.then("refusal", model="gpt-6.1-sol")
    tab = await tabs.open(site, f"/debates/{await over(site)}")
    await tab.get_by_role("tab", name="First answers").click()
    await tab.locator("[data-pane='2'] .failed").get_by_text("refused", exact=True).wait_for()
    await tab.get_by_role("tab", name="Answer", exact=True).click()
    await tab.locator(".heading").get_by_text("did not answer").wait_for()


# -- keys, widths


async def test_all_of_it_goes_by_keyboard(site, tabs):
    tab = await tabs.open(site)
    await tab.locator("#query").wait_for()
    press, typed = tab.keyboard.press, tab.keyboard.type
    await press("/")
    await until(tab, "() => document.activeElement.id === 'query'")
    await typed(QUESTION)
    await press("Control+Enter")
    await tab.locator(DONE).wait_for()
    await press("Escape")
    await tab.locator("[data-tab=answer][aria-selected=true]").wait_for()
    await press("[")
    await tab.locator("[data-pane='2']").wait_for()
    await press("2")
    await until(tab, "() => document.activeElement.dataset.pane === '2'")
    await press("?")
    await tab.get_by_role("dialog", name="Keys").get_by_text("Go to a panelist").wait_for()
    await press("Escape")
    await press("Control+K")
    await until(tab, "() => document.activeElement.ariaLabel === 'Command'")
    await typed("go to the answer")
    await press("Enter")
    await until(tab, "() => document.querySelector('[data-tab=answer]').ariaSelected === 'true'")
    await tab.get_by_role("dialog").wait_for(state="hidden")
    await press("/")
    await until(tab, "() => document.activeElement.id === 'query'")
    await press("Escape")
    await press("Alt+h")
    await tab.get_by_role("complementary", name="History").wait_for()
    await press("Alt+h")
    await tab.get_by_role("complementary", name="History").wait_for(state="hidden")
    theme = "document.documentElement.dataset.theme"
    before = await tab.evaluate(theme)
    await press("Alt+t")
    assert await tab.evaluate(theme) in {"light", "dark"} - {before}
    await press("n")
    await tab.wait_for_url(f"{site.url}/")


async def test_tab_reaches_every_control_and_shows_where_it_is(site, tabs):
    tab = await tabs.open(site)
    await tab.locator(".quote").get_by_text("calls,").wait_for()
    await tab.locator("body").press("Tab")
    reached = set()
    for _ in range(80):
        reached.add(await tab.evaluate(WHERE))
        await tab.keyboard.press("Tab")
    controls = await tab.evaluate(
        "[...document.querySelectorAll('main button, main input, main select, main textarea')]"
        ".filter(e => e.tabIndex >= 0 && !e.disabled && e.checkVisibility()).length"
    )
    assert sum(1 for place in reached if place.startswith("main")) >= controls
    assert all(place.endswith("seen") for place in reached if place.startswith("main"))


WHERE = """() => {
  const e = document.activeElement, style = getComputedStyle(e), box = e.closest('.ask, .saybox');
  const ring = style.outlineStyle !== 'none' || (box && getComputedStyle(box).boxShadow !== 'none');
  const all = [...document.querySelectorAll('*')];
  return `${e.closest('main') ? 'main' : 'frame'} ${all.indexOf(e)} ${ring ? 'seen' : 'hidden'}`;
}"""


async def test_on_a_phone_there_is_one_pane_and_nothing_sticks_out(site, tabs):
    tab = await tabs.open(site, f"/debates/{await over(site)}", viewport=PHONE)
    await tab.get_by_role("tab", name="Round 1").click()
    assert await tab.locator(".pane:visible").count() == 1
    await tab.get_by_role("tab", name="gemini").click()
    assert await tab.locator(".pane:visible").get_attribute("data-pane") == "3"
    for path in ("/", f"/debates/{tab.url.rsplit('/', 1)[1]}"):
        await tab.goto(site.url + path)
        await tab.locator("#query").wait_for()
        wide, seen = await tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= seen


async def test_writer_analyst_and_judge_are_picked_from_who_can_be_had(site, tabs):
    tab = await tabs.open(site)
    await tab.locator("#query").fill(QUESTION)
    writer = tab.get_by_label("Answer written by", exact=True)
    offered = await writer.locator("option").all_inner_texts()
    assert {"claude", "gpt", "gemini", "grok"} <= set(offered)
    assert offered[0].startswith("automatic")
    assert "sonar" not in offered, "there is no key for it"
    await tab.get_by_text("When to stop, who reads it").click()
    await tab.get_by_text("Known answer and judge").click()
    assert await tab.get_by_label("Judge", exact=True).count() == 0
    await tab.get_by_label("The known answer").fill("Yes.")
    await writer.select_option("gemini")
    await tab.get_by_label("Analyst", exact=True).select_option("gpt")
    await tab.get_by_label("Judge", exact=True).select_option("grok")
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.wait_for_url("**/debates/*")
    brief = (await finished(site, tab.url.rsplit("/", 1)[1]))["brief"]
    found = [brief[part]["seat"] for part in ("synthesizer", "analyst", "judge")]
    assert found == ["gemini", "gpt", "grok"]


async def test_where_one_model_answers_alone_nobody_is_offered_to_write_or_read(site, tabs):
    tab = await tabs.open(site)
    await tab.get_by_label("Answer written by", exact=True).wait_for()
    await choose_mode(tab, "single")
    await tab.get_by_label("Answer written by", exact=True).wait_for(state="detached")
    await tab.get_by_text("When to stop, who reads it").click()
    assert await tab.get_by_label("Analyst", exact=True).count() == 0


@pytest.mark.parametrize("size", [PHONE, {"width": 900, "height": 900}])
async def test_on_narrow_screens_each_tab_says_what_its_panelist_is_at(site, tabs, size):
    vendor = site.vendor.fake
    vendor.then(text="Done early.", model="claude-sonnet-5-5")
    vendor.then("refusal", model="gpt-6.1-sol")
    vendor.always("held", text="One two three.", cut=1)
    name = await asked(site, panel=["claude", "gpt", "gemini"])
    tab = await tabs.open(site, f"/debates/{name}", viewport=size)
    of = tab.get_by_role("tablist", name="Panelists")
    for seat, word in (("claude", "done"), ("gpt", "failed"), ("gemini", "writing")):
        await of.get_by_role("tab", name=f"{seat} {word}", exact=True).wait_for()
    assert await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    site.vendor.release()
    await tab.locator(DONE).wait_for()


async def test_who_was_not_asked_yet_is_said_to_wait(site, tabs):
    site.vendor.fake.always("held", text='{"position": "Yes."}', cut=1)
    name = await asked(site, mode="socratic", panel=["claude", "gpt"])
    tab = await tabs.open(site, f"/debates/{name}", viewport=PHONE)
    of = tab.get_by_role("tablist", name="Panelists")
    await of.get_by_role("tab", name="gpt waiting", exact=True).wait_for()
    site.vendor.release()


async def test_a_debate_that_was_read_can_be_studied(site, tabs):
    name = await over(site)
    tab = await tabs.open(site, f"/debates/{name}")
    await tab.get_by_role("link", name="Study").click()
    await tab.wait_for_url(f"**/debates/{name}/study")
    await tab.get_by_role("heading", name="Timeline").wait_for()


async def test_the_form_offers_what_the_mode_takes_and_sends_nothing_else(site, tabs):
    async with httpx.AsyncClient(base_url=site.url, timeout=LONG) as client:
        modes = (await client.get("/api/modes")).json()["modes"]
        options = (await client.get("/api/options")).json()["options"]
    rule = next(o for o in options if o["name"] == "rule")
    tab = await tabs.open(site)
    await tab.locator("#query").fill(QUESTION)
    await choose_mode(tab, "ranking")
    await tab.get_by_label(rule["label"], exact=True).select_option("schulze")
    for mode in modes:
        await choose_mode(tab, mode["name"])
        shown = await tab.locator(".options label").all_inner_texts()
        names = {text.split("\n")[0].strip() for text in shown}
        for option in (
            o for o in options if o["inForm"] and not o["folded"] and not o.get("beside")
        ):
            if option.get("needs"):
                fits = mode["only"].get(option["name"]) != []
                assert (option["label"] in names) == fits, (mode["name"], option["name"])
    await choose_mode(tab, "reflection")
    choices = await tab.get_by_label(rule["label"], exact=True).locator("option").all_inner_texts()
    assert choices == ["as usual", "weighted"]
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.wait_for_url("**/debates/*")


async def test_when_to_stop_and_who_reads_it_can_be_chosen(site, tabs):
    tab = await tabs.open(site)
    await tab.locator("#query").fill(QUESTION)
    await choose_mode(tab, "delphi")
    await tab.get_by_text("When to stop, who reads it").click()
    await tab.get_by_label("Stop at agreement").fill("0.8")
    await tab.get_by_label("Analyst", exact=True).select_option("nobody")
    await tab.get_by_label("Answers a round needs").fill("3")
    await tab.get_by_label("Seed", exact=True).fill("7")
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.wait_for_url("**/debates/*")
    name = tab.url.rpartition("/")[2]
    await finished(site, name)
    async with httpx.AsyncClient(timeout=LONG) as client:
        events = await client.get(f"{site.url}/api/sessions/{name}/events")
    brief = json.loads(events.text.split("data: ", 1)[1].split("\n", 1)[0])["brief"]
    assert (brief["analyst"], brief["quorum"], brief["seed"]) == (None, 3, 7)
    assert brief["exits"]["consensus"] == 0.8
