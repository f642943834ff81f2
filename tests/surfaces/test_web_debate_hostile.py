"""What models, users and files say is shown on the page, and does nothing there."""

from __future__ import annotations

import json

import httpx
import pytest

from fakes.browser import PHONE
from fakes.command_line import program
from fakes.hostile_html import PAYLOADS
from fakes.patience import LONG

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

DONE = "[data-status=completed]"
TRAP = "window.runs = []; window.ran = (what) => { window.runs.push(String(what)); };"
FILE = "<img src=x onerror=ran(3)>.txt"

INERT = """() => {
  const kinds = 'script,style,link,meta,base,iframe,object,embed,form,input,textarea,select,' +
    'img,svg,video,audio,picture,template,dialog,portal,fencedframe,marquee,details';
  const floating = ['fixed', 'absolute', 'sticky'];
  const harmless = ['class', 'dir', 'start', 'tabindex'];
  const ours = { a: ['href', 'title', 'target', 'rel'], button: ['type'] };
  const found = [];
  for (const said of document.querySelectorAll('.said')) {
    for (const e of said.querySelectorAll(kinds)) found.push(e.outerHTML.slice(0, 80));
    for (const e of said.querySelectorAll('a')) {
      if (!/^https?:/.test(e.href) || e.target !== '_blank' || !e.rel.includes('noopener'))
        found.push(e.outerHTML);
    }
    for (const e of said.querySelectorAll('button')) {
      if (e.className !== 'copy-code' || e.textContent !== 'Copy') found.push(e.outerHTML);
    }
    for (const e of said.querySelectorAll('*')) {
      if (e.closest('math')) continue;
      const named = [...e.attributes].map((a) => a.name)
        .filter((n) => !harmless.includes(n) && !ours[e.localName]?.includes(n));
      if (named.length) found.push(`${e.tagName} has ${named}`);
      const place = getComputedStyle(e).position;
      if (floating.includes(place)) found.push(`${e.tagName} is ${place}`);
    }
    for (const e of said.querySelectorAll('math, math *')) {
      const named = [...e.attributes].map((a) => a.name);
      const wrong = named.filter((n) => /^on|href|style|id$/.test(n));
      if (wrong.length) found.push(`${e.tagName} has ${wrong}`);
    }
  }
  return {found, runs: window.runs};
}"""

STANDS = """() => {
  const top = document.querySelector('header.top').getBoundingClientRect();
  const box = document.querySelector('#query').getBoundingClientRect();
  return [document.documentElement.scrollWidth <= innerWidth, top.top === 0, top.height < 80,
    box.width > 50, document.querySelectorAll('form:not(.outcome)').length,
    document.querySelectorAll('dialog[open]').length];
}"""


async def opened(site, tabs, path: str = "/", **how):
    tab = await tabs.open(site, "/", **how)
    await tab.context.add_init_script(TRAP)
    await tab.goto(site.url + path)
    return tab


async def nothing_acted(tab) -> None:
    state = await tab.evaluate(INERT)
    assert state["runs"] == []
    assert state["found"] == []


async def stands(tab, forms: int) -> None:
    assert await tab.evaluate(STANDS) == [True, True, True, True, forms, 0]


async def test_each_payload_alone_is_shown_and_does_nothing(site, tabs):
    assert len(PAYLOADS) >= 60
    tab = await opened(site, tabs)
    await tab.locator("#query").wait_for()
    for name, text in PAYLOADS.items():
        await tab.evaluate(
            """async (text) => {
              const {read} = await import('/static/app/text/reader.js');
              const {Place} = await import('/static/app/text/place.js');
              const place = document.createElement('div');
              document.querySelector('main').append(place);
              place.className = 'said';
              const found = await read('read', {text, citations: []});
              if (found) new Place(place).show(found.html); else new Place(place).plain(text);
            }""",
            text,
        )
        state = await tab.evaluate(INERT)
        assert state == {"found": [], "runs": []}, name
    await stands(tab, forms=1)


async def test_hostile_answers_do_nothing_while_they_are_written_nor_after(site, tabs):
    texts = list(PAYLOADS.values())
    parts = ["\n\n".join(texts[n::4]) for n in range(4)]
    models = ("claude-sonnet-5-5", "gpt-6.1-sol", "gemini-4-argon", "grok-4.7")
    for model, part in zip(models, parts, strict=True):
        site.vendor.fake.then("held", text=part, cut=40, model=model)
        site.vendor.fake.then(text=part, model=model, times=3)
    tab = await opened(site, tabs)
    await tab.locator("#query").fill("\n".join(texts)[:90_000])
    await tab.get_by_label("Mode", exact=True).select_option("reflection")
    await tab.keyboard.press("Control+Enter")
    for number in range(1, 5):
        await tab.locator(f"[data-pane='{number}'] .writing .block").first.wait_for()
    await nothing_acted(tab)
    await stands(tab, forms=1)
    site.vendor.release()
    await tab.locator(DONE).wait_for()
    for name in ("Answer", "Round 1", "First answers"):
        await tab.get_by_role("tab", name=name).last.click()
        await nothing_acted(tab)
        await stands(tab, forms=1)
    await tab.keyboard.press("]")
    await tab.locator("[data-tab=r1][aria-selected=true]").wait_for()
    await tab.keyboard.press("d")
    await tab.locator("[data-pane='1'] .said").wait_for()
    await tab.set_viewport_size(PHONE)
    await nothing_acted(tab)
    await stands(tab, forms=1)


async def test_hostile_forms_of_structured_answers_do_nothing(site, tabs):
    texts = list(PAYLOADS.values())[:70]
    form = {"position": texts[0], "reasoning": "\n".join(texts), "key_points": texts,
            "confidence": 0.5, "stance": texts[1]}  # fmt: skip
    site.vendor.fake.always(text=json.dumps(form))
    tab = await opened(site, tabs)
    await tab.locator("#query").fill("Yes?")
    await tab.get_by_label("Mode", exact=True).select_option("collaborative")
    await tab.get_by_label("Rounds", exact=True).select_option("1")
    await tab.keyboard.press("Control+Enter")
    await tab.locator(DONE).wait_for()
    await nothing_acted(tab)
    await tab.get_by_role("tab", name="First answers").click()
    await nothing_acted(tab)
    await stands(tab, forms=1)


async def test_questions_and_names_of_files_are_shown_as_they_are(site, tabs):
    tab = await opened(site, tabs)
    await tab.locator("#files").set_input_files(
        {"name": FILE, "mimeType": "text/plain", "buffer": b"<script>ran(4)</script>"}
    )
    await tab.locator(".file-name").get_by_text(FILE).wait_for()
    await tab.locator("#query").fill("<script>ran(5)</script>")
    await stands(tab, forms=1)
    await tab.keyboard.press("Control+Enter")
    await tab.locator(DONE).wait_for()
    await tab.get_by_role("heading", name="<script>ran(5)</script>").wait_for()
    attached = tab.locator(".attached")
    await attached.get_by_text("1 attached", exact=True).click()
    await attached.get_by_text(FILE).wait_for()
    await nothing_acted(tab)
    await stands(tab, forms=1)


async def test_an_imported_debate_may_say_what_it_likes(site, tabs, tmp_path):
    """Names that the configuration would refuse come with a file that somebody else wrote."""
    for number, name in enumerate((PAYLOADS["onerror, quoted"], PAYLOADS["one long word"])):
        plain = imported(await over(site), name, number)
        file = tmp_path / f"{number}.json"
        file.write_text(json.dumps(plain))
        done = program("import", str(file), MUTUAL_DISSENT_HOME=str(site.home))
        assert done.returncode == 0, done.stderr
        tab = await opened(site, tabs, f"/debates/{plain['transcript_id']}")
        for which in ("Answer", "Round 1"):
            await tab.get_by_role("tab", name=which, exact=which == "Answer").click()
            await nothing_acted(tab)
            await stands(tab, forms=1)
        assert name[:20] in await tab.locator(".pane").first.inner_text()


def imported(plain: dict, name: str, number: int) -> dict:
    """A debate as somebody else might have written it down."""
    plain["transcript_id"] = f"00000000-0000-4000-8000-00000000000{number}"
    plain["brief"]["transcript_id"] = plain["transcript_id"]
    seat = plain["brief"]["panel"][0]
    seat["persona"] = seat["role"] = seat["perspective"] = seat["team"] = name
    seat["route"]["model_id"] = name
    said = [r for round_ in plain["rounds"] for r in round_["responses"]] + [plain["synthesis"]]
    for response in said:
        response["content"] = name
        response["citations"] = [{"url": "javascript:ran(6)", "title": name}]
        response["flags"] = [name]
    plain["notes"].append({"code": name, "text": name, "seat": name, "at": plain["created_at"]})
    plain["query"] = plain["brief"]["query"] = name
    return plain


async def over(site) -> dict:
    """A debate that is over, whole."""
    async with httpx.AsyncClient(base_url=site.url, timeout=LONG) as client:
        wanted = {"message": "Yes?", "mode": "reflection", "analyst": "none"}
        made = await client.post("/api/chat", json=wanted, headers={"Prefer": "wait=120"})
        return (await client.get(f"/api/sessions/{made.json()['sessionId']}")).json()


async def test_the_page_has_the_strict_policy_and_loads_nothing_else(site, tabs):
    tab = await tabs.open(site)
    reply = await tab.goto(site.url)
    policy = dict(
        part.strip().split(" ", 1) for part in reply.headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'self'"
    assert policy["script-src"] == "'self'"
    assert policy["object-src"] == "'none'"
    assert policy["base-uri"] == "'none'"
    assert policy["form-action"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    await tab.locator("#query").wait_for()


async def test_a_page_without_the_start_address_says_where_to_find_it(site, tabs):
    tabs.expected.append("401")
    context = await tabs.person(site)
    tab = await context.new_page()
    reply = await tab.goto(site.url)
    assert reply.status == 401
    assert "dissent serve" in await tab.inner_text("body")
