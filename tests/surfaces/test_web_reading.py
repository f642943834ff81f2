"""What a panel writes can be read on the page: while it comes, whatever it is, in any script."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from fakes.browser import PHONE, Line
from fakes.pages import DONE, answered, asked
from mutual_dissent.surfaces.web.site import STATIC

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

FENCE = "```"
TABLE = (
    "| Criterion | Monolith | Services |\n|---|---|---:|\n"
    "| Deployment complexity | one artefact | many artefacts |\n| Latency | low | 12 ms |\n"
)


# -- reading


async def test_an_answer_is_formatted_while_it_is_written(site, tabs):
    text = f"A **clear** case.\n\n{TABLE}\n- one\n- two\n\nThe end is not yet **wri"
    site.vendor.fake.always("held", text=text + " ten** by far.", cut=len(text.split()))
    tab = await tabs.open(site, f"/debates/{await asked(site)}")
    writing = tab.locator("[data-pane='1'] .writing")
    await writing.locator("strong", has_text="clear").wait_for()
    assert "**" not in await writing.inner_text()
    site.vendor.release()
    await tab.locator(DONE).wait_for()


async def test_text_that_grows_is_drawn_as_the_whole_of_it_would_be(site, tabs):
    text = (
        f"# Title\n\nOne *two* [three](https://example.org/a).\n\n1. a\n\n   b\n2. c\n\n{TABLE}\n"
        f"> quote\n> more\n\n{FENCE}python\nx = 1\n\ny = 2\n{FENCE}\n\nLast $x^2$ line."
    )
    tab = await tabs.open(site)
    await tab.locator("#query").wait_for()
    grown, whole = await tab.evaluate(
        """async (text) => {
          const { read } = await import('/static/app/text/reader.js');
          const { Place } = await import('/static/app/text/place.js');
          const place = new Place(document.createElement('div'));
          for (let n = 1; n <= text.length; n += 3) {
            const found = await read('grow', { id: 'test', text: text.slice(0, n) });
            place.show(found.html, found.from);
          }
          const last = await read('grow', { id: 'test', text });
          place.show(last.html, last.from);
          const found = await read('read', { text, citations: [] });
          return [place.wanted, found.html];
        }""",
        text,
    )
    assert grown == whole


async def test_a_table_in_a_narrow_pane_keeps_its_words_whole(site, tabs):
    tab = await answered(site, tabs, TABLE)
    await tab.get_by_role("tab", name="Round 1").click()
    cell = tab.locator("[data-pane='1'] td", has_text="Deployment complexity")
    await cell.wait_for()
    height, line = await cell.evaluate(
        "e => [e.getBoundingClientRect().height, parseFloat(getComputedStyle(e).lineHeight)]"
    )
    assert height < 3.5 * line, "two words take two lines at most"
    await tab.set_viewport_size(PHONE)
    wide, seen = await tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= seen


@pytest.mark.parametrize(
    "text",
    [
        r"So \(\frac{a}{b}\) it is.",
        r"So $\frac{a}{b}$ it is.",
        "So\n\n$$\n\\frac{a}{b}\n$$\n\nit is.",
        "So\n\n\\[\n\\frac{a}{b}\n\\]\n\nit is.",
    ],
)
async def test_formulas_are_formulas(site, tabs, text):
    tab = await answered(site, tabs, text)
    await tab.locator(".answer math mfrac").wait_for()
    assert "frac" not in await tab.locator(".answer .said").inner_text()


async def test_prices_are_no_formulas(site, tabs):
    tab = await answered(site, tabs, "It costs $5 today and $10 tomorrow; C:\\temp stays.")
    said = await tab.locator(".answer .said").inner_text()
    assert said.strip() == "It costs $5 today and $10 tomorrow; C:\\temp stays."


async def test_links_are_numbered_sources_that_open_in_a_tab_of_their_own(site, tabs):
    text = "See [the report](https://example.org/report?x=1) and https://example.net/b."
    tab = await answered(site, tabs, text)
    answer = tab.locator(".answer")
    await answer.get_by_text("2 sources").wait_for()
    links = answer.locator(".sources a")
    assert await links.evaluate_all("all => all.map(a => a.href)") == [
        "https://example.org/report?x=1",
        "https://example.net/b",
    ]
    assert await links.first.get_attribute("target") == "_blank"
    assert "noopener" in await links.first.get_attribute("rel")
    assert "example.org" in await links.first.inner_text()
    inline = answer.locator(".said a")
    assert await inline.all_inner_texts() == ["1", "2"]


async def test_a_number_in_the_answer_opens_the_source_that_the_record_has_under_it(site, tabs):
    """Two addresses of one page are one source, on the page as in every report."""
    pages = ["https://example.org/a", "https://example.org/a#part", "https://example.net/b"]
    tab = await answered(site, tabs, f"As said.[2] See {pages[0]}, {pages[1]} and {pages[2]} .")
    answer = tab.locator(".answer")
    await answer.get_by_text("2 sources").wait_for()
    inline = answer.locator(".said a")
    assert await inline.all_inner_texts() == ["2", "1", "1", "2"]
    assert await inline.first.get_attribute("href") == pages[2]
    places = "all => all.map(a => [a.closest('li').value, a.href])"
    listed = await answer.locator(".sources a").evaluate_all(places)
    assert listed == [[1, pages[0]], [2, pages[2]]]


async def test_code_has_colours_and_is_copied_by_a_click(site, tabs):
    code = "def one():\n    return 1\n"
    allowed = ["clipboard-read", "clipboard-write"]
    tab = await answered(site, tabs, f"So:\n\n{FENCE}python\n{code}{FENCE}\n", permissions=allowed)
    assert await tab.locator(".answer .hljs-keyword").first.inner_text() == "def"
    await tab.locator(".answer .copy-code").click()
    await tab.get_by_text("The code is copied.").wait_for()
    assert await tab.evaluate("navigator.clipboard.readText()") == code


async def test_what_is_written_from_right_to_left_is_shown_so(site, tabs):
    tab = await answered(site, tabs, "نعم، ابدأ بخدمة واحدة.\n\nYes, start with one.")
    paragraphs = tab.locator(".answer .said p")
    sides = await paragraphs.evaluate_all("all => all.map(p => getComputedStyle(p).direction)")
    assert sides == ["rtl", "ltr"]


# -- whatever it is

HOSTILE = {
    "deep quotation": ">" * 5000,
    "deep lists": "- " * 5000,
    "one word": "w" * 20_000,
    "brackets": "[" * 11_000,
    "links that never end": "[](" * 5000,
    "pictures that never end": "![[]()" * 5000,
    "emphasis": "*a " * 20_000,
    "emphasis, mixed": "**a *b _c " * 5000,
    "ticks": "`" + "a``" * 10_000,
    "wide table": "|a" * 3000 + "\n" + "|-" * 3000 + "\n" + ("|" * 3000 + "\n") * 40,
    "long table": "|a|b|\n|-|-|\n" + "|x|y|\n" * 20_000,
    "many items": "- a\n" * 40_000,
    "deep formula": "$" + "{" * 3000 + "}" * 3000 + "$",
    "formula that grows": r"$\def\a{xx}\def\b{\a\a}\def\c{\b\b}\def\d{\c\c\c\c\c\c\c\c}"
    + r"\d\d\d\d\d\d\d\d$ " * 200,
    "fractions": "$" + r"\frac{1}{" * 600 + "x" + "}" * 600 + "$",
    "many formulas": "$x_1^2$ " * 4000,
    "dollars": "$a " * 20_000,
    "code in brackets": f"{FENCE}\n" + "{" * 10_000 + "}" * 10_000 + f"\n{FENCE}",
    "brackets in brackets": "{" * 4000 + "}" * 4000,
    "brackets in a table": "|a|\n|-|\n|" + "(" * 3000 + ")" * 3000 + "|",
    "brackets in a list": ("- " + "(" * 150 + ")" * 150 + "\n") * 60,
    "code": f"{FENCE}javascript\n" + "/*" * 20_000 + f"\n{FENCE}",
    "code of nobody's language": f"{FENCE}regex\n" + "(" * 20_000,
    "addresses": "https://example.org/" + "a(" * 10_000,
    "comments": "<!--" * 10_000,
    "references": "[a]: b\n" * 20_000,
    "colours of writing": "\u202e" * 5000 + "a\u0301" * 5000,
}

LONG_TASKS = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
  }).observe({ entryTypes: ['longtask'] });
}"""


async def test_no_text_holds_up_the_page_nor_loses_a_letter(site, tabs):
    tab = await tabs.open(site)
    await tab.locator("#query").wait_for()
    slow = {}
    for name, text in HOSTILE.items():
        took, shown = await tab.evaluate(SHOWN, text)
        if took > 500:
            slow[name] = took
        assert shown > 0, name
    assert slow == {}


SHOWN = """async (text) => {
  const { read } = await import('/static/app/text/reader.js');
  const { Place } = await import('/static/app/text/place.js');
  let longest = 0;
  const watch = new PerformanceObserver((list) => {
    for (const task of list.getEntries()) longest = Math.max(longest, task.duration);
  });
  watch.observe({ entryTypes: ['longtask'] });
  const element = Object.assign(document.createElement('div'), { className: 'said' });
  document.querySelector('main').append(element);
  const place = new Place(element);
  const found = await read('read', { text, citations: [] });
  if (found) place.show(found.html); else place.plain(text);
  while (place.due) await new Promise((done) => setTimeout(done, 20));
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 120)));
  for (const entry of watch.takeRecords()) longest = Math.max(longest, entry.duration);
  watch.disconnect();
  const shown = element.innerHTML.length;
  element.remove();
  return [longest, shown];
}"""


async def test_five_thousand_quotation_marks_leave_the_page_as_it_is(site, tabs):
    tab = await answered(site, tabs, ">" * 5000)
    await tab.evaluate(LONG_TASKS)
    for name in ("First answers", "Round 1", "Answer"):
        await tab.get_by_role("tab", name=name, exact=name == "Answer").click()
    await tab.keyboard.press("d")
    # Its lines are drawn when they come into view, which may take the browser a frame.
    await tab.wait_for_function(
        "document.querySelector('.answer .said[data-read]')?.innerText.includes('>>>>')"
    )
    assert await tab.evaluate("longest") < 500


async def test_two_equal_long_texts_are_said_to_be_equal(site, tabs):
    text = "".join(f"Sentence number {n} costs 3.5 dollars a day. " for n in range(3000))
    tab = await answered(site, tabs, text)
    await tab.get_by_role("tab", name="Round 1").click()
    await tab.keyboard.press("d")
    pane = tab.locator("[data-pane='1']")
    await pane.get_by_text("Word for word the same").wait_for()
    assert await pane.locator("del").count() == 0


async def test_long_texts_that_differ_in_a_word_are_marked_in_that_word(site, tabs):
    tab = await tabs.open(site)
    await tab.locator("#query").wait_for()
    parts = await tab.evaluate(
        """async (n) => {
          const { read } = await import('/static/app/text/reader.js');
          const text = (word) => Array.from({ length: n }, (_, i) =>
            `Sentence ${i} is about ${i === 1500 ? word : 'tea'} at 3.5 dollars.`).join(' ');
          return read('diff', { before: text('coffee'), after: text('milk') });
        }""",
        3000,
    )
    marked = [(p["kind"], p["text"].strip()) for p in parts if p["kind"] != "same"]
    assert marked == [("gone", "coffee"), ("new", "milk")]


async def test_a_part_that_cannot_be_shown_leaves_the_rest_of_the_page(site, tabs):
    tabs.expected.append("TypeError")
    site.vendor.fake.always(text="A monolith.\n\nBOTTOM LINE: A monolith.")
    name = await asked(site)
    tab = await tabs.open(site)

    async def spoiled(route):
        reply = await route.fetch()
        account = await reply.json()
        account["ledger"] = {"positions": 7}
        await route.fulfill(response=reply, json=account)

    await tab.route("**/account", spoiled)
    await tab.goto(f"{site.url}/debates/{name}")
    await tab.locator(DONE).wait_for()
    await tab.get_by_role("alert").get_by_text("could not be shown").wait_for()
    await tab.locator(".answer .said").get_by_text("A monolith.").wait_for()
    await tab.get_by_role("tab", name="Round 1").click()
    await tab.locator("[data-pane='1']").get_by_text("answered").wait_for()


# -- small truths


@pytest.mark.parametrize("budget", ["0", "-1", "five"])
async def test_a_budget_that_is_none_is_refused_and_never_no_limit(site, tabs, budget):
    tabs.expected.append("422")
    tab = await tabs.open(site)
    await tab.locator("#query").fill("Yes?")
    await tab.get_by_label("Budget in dollars").fill(budget)
    await tab.locator(".quote[role=alert]").wait_for()
    await tab.get_by_role("button", name="Ask the panel").click()
    await tab.locator(".toast.wrong").wait_for()
    assert not site.vendor.arrivals


async def test_a_debate_is_copied_where_the_browser_wants_to_be_told_at_once(site, tabs):
    """WebKit refuses what is written after a wait; it takes a promise while the button is down."""
    tab = await answered(site, tabs, "One.")
    await tab.evaluate(
        """() => {
          window.copied = '';
          const clipboard = {
            write: async ([item]) => {
              window.copied = await (await item.getType('text/plain')).text();
            },
            writeText: () => Promise.reject(new DOMException('not now', 'NotAllowedError')),
          };
          Object.defineProperty(navigator, 'clipboard', { value: clipboard });
        }"""
    )
    await tab.get_by_role("button", name="Copy as Markdown").click()
    await tab.get_by_text("copied as Markdown").wait_for()
    assert "Monolith or services?" in await tab.evaluate("copied")


async def test_durations_are_in_words_that_people_use(site, tabs):
    tab = await tabs.open(site)
    said = await tab.evaluate(
        """async () => {
          const { seconds } = await import('/static/app/ui.js');
          return [null, undefined, NaN, 840, 1_211_800, 7_260_000].map(seconds);
        }"""
    )
    assert said == ["–", "–", "–", "0.8 s", "20 min 12 s", "2 h 1 min"]


async def test_a_server_that_is_gone_is_not_said_to_go_on(site, tabs):
    tabs.expected += ["ERR_"]
    site.vendor.fake.always("held", text="One two three.", cut=1)
    name = await asked(site)
    async with Line(site) as line:
        tab = await tabs.open(line.site, f"/debates/{name}")
        await tab.locator("[data-pane='1'] .writing", has_text="One").wait_for()
        await line.cut()
        banner = tab.locator(".banner")
        await banner.get_by_text("The line is cut").wait_for()
        await tab.evaluate("const now = Date.now(); Date.now = () => now + 3_600_000")
        await banner.get_by_text("the server does not answer").wait_for()
        assert "The debate goes on" not in await banner.inner_text()
        await line.mend()
        site.vendor.release()
        await tab.locator(DONE).wait_for()
        assert await tab.get_by_text("The line is cut").count() == 0


@pytest.mark.asyncio(loop_scope="function")
async def test_every_foreign_file_is_the_one_that_is_written_down():
    vendor = STATIC / "vendor"
    rows = [line.split("|") for line in (vendor / "README.md").read_text().splitlines()[4:]]
    known = {row[1].strip(): row[4].strip() for row in rows}
    for name, digest in known.items():
        assert hashlib.sha256((vendor / name).read_bytes()).hexdigest() == digest, name
    files = {p.name for p in vendor.iterdir() if p.is_file()} - {"README.md"}
    fonts = {f"../fonts/{p.name}" for p in (STATIC / "fonts").iterdir()}
    assert set(known) == files | fonts
    assert all(Path(vendor / "licences" / f"{n}.txt").is_file() for n in ("markdown-it", "temml"))
