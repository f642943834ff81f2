"""What strangers wrote does nothing on the research pages, wherever it stands."""

from __future__ import annotations

import pytest

from fakes.browser import PHONE, serving
from fakes.debates import Said, debate, panelist
from fakes.hostile import PAYLOADS as CONTROLS
from fakes.hostile_html import PAYLOADS
from fakes.hostile_words import PAYLOADS as ORDERS
from fakes.library import an_id, on_its_day
from mutual_dissent.core.brief import ExperimentMetadata
from mutual_dissent.core.closing import Change, Closing, View
from mutual_dissent.store.store import Store

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

ALL = (*PAYLOADS.values(), *list(CONTROLS.values())[::3], *ORDERS[::5])
TEXTS = [t.encode("utf-8", "replace").decode() for t in ALL if t.strip()]
TRAP = "window.runs = []; window.ran = (what) => { window.runs.push(String(what)); };"
ACTED = """() => {
  const found = [...document.querySelectorAll('main script, main img, main iframe, main object,' +
    'main embed, main link, main meta, main base, main style, main video, main audio,' +
    'main foreignObject, main animate, main use, main image, main math, main template')]
    .map((e) => e.outerHTML.slice(0, 80));
  for (const e of document.querySelectorAll('main *')) {
    for (const a of e.attributes) {
      const styled = a.name === 'style' && e.closest('.said, svg');
      if (a.name.startsWith('on') || styled) found.push(a.name);
      if (a.name === 'href' && !a.value.startsWith('/')) found.push(a.value.slice(0, 80));
    }
  }
  const top = document.querySelector('header.top').getBoundingClientRect();
  const fits = document.documentElement.scrollWidth <= innerWidth;
  return {found, runs: window.runs, stands: fits && top.top === 0 && top.height < 80};
}"""


def hostile_debate(n: int, text: str) -> list:
    """A debate in which everything that can be somebody's words is."""
    seats = [panelist(f"{i} {text[:150]}", f"{i} {text[:150]}", text[:60] or "x") for i in (1, 2)]
    one, two = (s.seat for s in seats)
    events = debate(
        {one: _said(text, two), two: _said(text, one)},
        panel=seats,
        query=text,
        synthesis=text,
        transcript_id=an_id(n),
        mode=text[:80],
        preset=text[:80],
        topology=text[:80],
        notices=(text,),
        experiment=ExperimentMetadata(experiment_id=text[:80], condition=text[:80]),
    )
    return list(on_its_day(events, n))


def _said(text: str, other: str) -> list[Said]:
    """What one says in three rounds, in prose, of itself and of another one."""
    closing = Closing(
        bottom_line=text[:300],
        views=(View(seat=other, relation="disagree", about=text[:200]),),
        change=Change(kind="yes", what=text[:200], before=text[:90], after=text[:90],
                      because_of=(other,)),
    )  # fmt: skip
    given = {
        "closing": closing,
        "critique": {other: {"strengths": [text[:200]], "weaknesses": [text[:200]]}},
        "ballot": ((other,),),
    }
    return [Said(text), Said(f"Yes. {text}", given), Said(f"No. {text}", given)]


@pytest.fixture(scope="module")
def trap(tmp_path_factory):
    """A server whose debates are all hostile."""
    home = tmp_path_factory.mktemp("trap") / "home"
    home.mkdir()
    with Store(home / "dissent.db") as store:
        store.save_all(hostile_debate(n, text) for n, text in enumerate(TEXTS))
        for n, text in enumerate(TEXTS):
            store.tag(an_id(n), text[:50].strip() or "x")
    with serving(home, None) as site:
        yield site


async def opened(site, tabs, **how):
    context = await tabs.person(site, **how)
    await context.add_init_script(TRAP)
    return await tabs.another(context, site)


async def nothing_acted(tab, place: str) -> None:
    assert await tab.evaluate(ACTED) == {"found": [], "runs": [], "stands": True}, place


@pytest.mark.parametrize("size", [{}, {"viewport": PHONE}], ids=["wide", "phone"])
async def test_lists_figures_and_filters_of_hostile_debates_do_nothing(trap, tabs, size):
    assert len(TEXTS) >= 60
    tab = await opened(trap, tabs, **size)
    await tab.goto(f"{trap.url}/debates?limit=200")
    await tab.locator("tbody tr").first.wait_for()
    assert await tab.locator("tbody tr").count() == len(TEXTS)
    await nothing_acted(tab, "list")
    await tab.goto(f"{trap.url}/debates?view=figures")
    await tab.locator("#figure-cost-vendor svg").wait_for()
    await nothing_acted(tab, "figures")


async def test_every_hostile_debate_is_studied_and_compared_without_harm(trap, tabs):
    tab = await opened(trap, tabs)
    await tab.goto(f"{trap.url}/debates")
    for n in range(0, len(TEXTS), 40):
        for place in (f"/debates/{an_id(n)}/study", f"/compare?a={an_id(n)}&b={an_id(n + 1)}"):
            await tab.goto(trap.url + place)
            await tab.locator(".chart").first.wait_for()
            await nothing_acted(tab, place)
    # More of them in one page: what is shown of a debate does not depend on how it is reached.
    number = await tab.evaluate(
        """async (ids) => {
          const chart = await import('/static/app/research/chart.js');
          const {render, html} = await import('/static/app/ui.js');
          const said = await import('/static/app/debate/tables.js');
          const {Ledger} = await import('/static/app/debate/ledger.js');
          let number = 0;
          for (const id of ids) {
            const found = await (await fetch(`/ui/research/debates/${id}`)).json();
            const place = document.createElement('div');
            document.querySelector('main').append(place);
            const drawn = found.figures.map((f) => html`<${chart.Figure} figure=${f} />`);
            const state = {brief: {panel: found.panel}, names: found.tables.names};
            const {rounds, ballots, critiques} = found.tables;
            drawn.push(html`<${Ledger} state=${state} said=${{ledger: found.ledger}} />`,
              rounds.map((r) => html`<${said.Relations} state=${state} round=${r} />`),
              rounds.map((r) => html`<${said.Changed} state=${state} round=${r} />`),
              ballots.map((r) => html`<${said.Ballots} state=${state} ballots=${r} />`),
              critiques.map((r) => html`<${said.Critiques} state=${state} critiques=${r} />`));
            render(html`<div>${drawn}</div>`, place);
            number += found.figures.length;
          }
          return number;
        }""",
        [an_id(n) for n in range(0, len(TEXTS), 2)],
    )
    assert number == 6 * -(-len(TEXTS) // 2)
    await nothing_acted(tab, "charts")


async def test_hostile_words_in_a_search_or_an_address_do_nothing(trap, tabs):
    tabs.expected.append("422")
    tab = await opened(trap, tabs)
    await tab.goto(f"{trap.url}/debates")
    await tab.locator("tbody tr").first.wait_for()
    for text in list(PAYLOADS.values())[:12]:
        await tab.locator("#search").fill(text)
        await tab.locator("#search").press("Enter")
        await nothing_acted(tab, text)
    evil = "%22%3E%3Cimg%20src%3Dx%20onerror%3Dran()%3E"
    names = ("text", "model", "mode", "tag", "order", "view", "offset", "minCost")
    await tab.goto(f"{trap.url}/debates?{'&'.join(f'{n}={evil}' for n in names)}")
    await tab.get_by_text("No stored debate matches.").wait_for()
    await nothing_acted(tab, "address")


async def test_the_reports_of_hostile_debates_do_nothing(trap, browser, tmp_path):
    from mutual_dissent.views.documents.html import to_html

    context = await browser.new_context(viewport=PHONE)
    await context.add_init_script(TRAP)
    page, asked = await context.new_page(), []
    page.on("request", lambda r: asked.append(r.url))
    with Store(trap.home / "dissent.db") as store:
        for n in range(0, len(PAYLOADS), 2):  # all are tried without a browser
            path = tmp_path / f"{n}.html"
            path.write_text(to_html(store.transcript(an_id(n))), encoding="utf-8")
            await page.goto(path.as_uri(), wait_until="load")
            state = await page.evaluate(
                "[window.runs, document.querySelectorAll('script, img, iframe, a, form').length,"
                " document.documentElement.scrollWidth <= innerWidth]"
            )
            assert state == [[], 0, True], TEXTS[n]
            assert asked.pop() == path.as_uri()
            assert not asked
    await context.close()
