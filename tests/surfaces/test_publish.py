"""`dissent publish`: debates as pages for everyone, played without a server."""

from __future__ import annotations

import re
import stat
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.axe import faults
from fakes.browser import PHONE, until
from fakes.command_line import dissent
from fakes.debates import Said, debate, panelist
from fakes.hostile_html import PAYLOADS
from fakes.library import a_debate, an_id, stocked
from mutual_dissent.core.brief import Attachment, Earlier, ExperimentMetadata
from mutual_dissent.core.events import Answered, Asked, Opened
from mutual_dissent.core.tool import Use
from mutual_dissent.core.transcript import fold
from mutual_dissent.core.values.picture import Picture
from mutual_dissent.store.store import Store
from mutual_dissent.surfaces.cli.publish import folder as published
from mutual_dissent.surfaces.cli.publish.pages import pages
from mutual_dissent.surfaces.facts.sample import sample
from mutual_dissent.views.documents.html import to_html
from mutual_dissent.views.documents.publication import public_events

KEY = "sk-ant-api03-" + "a1B2" * 8
A_PICTURE = Picture(media_type="image/png", sha256="0" * 64, width=8, height=8, size=90)
TRAP = "window.runs = []; window.ran = (what) => { window.runs.push(String(what)); };"
BROKEN = """() => {
  const found = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const node = walk.currentNode;
    if (!node.parentElement.closest("th, td")) continue;
    for (const word of node.data.matchAll(/[^\\s\\/-]+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map((r) => r.top)).size > 1) found.push(word[0]);
    }
  }
  return found;
}"""
SHOWN = "[...document.querySelectorAll('.pane')].map((p) => p.innerText).join('|')"


@pytest.fixture
def home(tmp_path, monkeypatch):
    found = tmp_path / "home"
    monkeypatch.setenv("MUTUAL_DISSENT_HOME", str(found))
    found.mkdir(mode=0o700)
    return found


def publish(folder, *names, answer=None):
    yes = () if answer else ("--yes",)
    return dissent("publish", str(folder), *names, *yes, stdin=answer)


def test_debates_become_pages_and_a_list_that_everyone_may_read(home, tmp_path):
    one, two = stocked(home, 2)
    done = publish(tmp_path / "site", one, two, one)
    assert done.exit_code == 0, done.output
    assert f"2 debates written to {tmp_path / 'site' / 'index.html'}" in done.stderr
    found = {p.name: p for p in (tmp_path / "site").iterdir() if not p.name.startswith(".")}
    assert found.keys() == {"index.html", f"{one}.html", f"{two}.html"}
    assert {stat.S_IMODE(p.stat().st_mode) for p in found.values()} == {0o644}
    listed = found["index.html"].read_text()
    assert re.findall(r'href="([^"]+)"', listed) == [f"{one}.html", f"{two}.html"]
    assert "<script" not in listed


def test_the_folder_has_what_was_published_last_and_foreign_files_stay(home, tmp_path):
    one, two = stocked(home, 2)
    site = tmp_path / "site"
    publish(site, one, two)
    (site / "CNAME").write_text("mine")
    again = publish(site, two)
    assert "1 page of earlier ones removed" in again.stderr
    assert {p.name for p in site.glob("[!.]*")} == {"CNAME", f"{two}.html", "index.html"}


def test_a_folder_with_other_things_in_it_is_left_alone_unless_forced(home, tmp_path):
    (one,) = stocked(home, 1)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "index.html").write_text("mine")
    for place, why in (
        ("docs", "has other files in it"),
        ("docs/index.html", "is not a folder"),
        ("no/where", "make it first"),
        ("x" * 300, "cannot be used"),
    ):
        refused = publish(tmp_path / place, one)
        assert refused.exit_code == 2, refused.output
        assert why in " ".join(refused.stderr.split())
        assert "Everyone" not in refused.stderr
    assert (tmp_path / "docs" / "index.html").read_text() == "mine"
    assert dissent("publish", str(tmp_path / "docs"), one, "--yes", "--force").exit_code == 0
    assert "Debates" in (tmp_path / "docs" / "index.html").read_text()


def test_nothing_is_written_before_it_is_said_what_everyone_will_read(home, tmp_path):
    (one,) = stocked(home, 1, context=(Attachment(name="plan.md", text="x"),))
    for answer, code in (("n\n", 1), ("", 2)):
        refused = dissent("publish", str(tmp_path / "site"), one, stdin=answer)
        assert refused.exit_code == code
        said = " ".join(refused.stderr.split())
        assert "Everyone will be able to read 1 debate" in said
        assert "the names of what was attached (plan.md)" in said
        assert "nothing was written" in said
        assert not (tmp_path / "site").exists()
    assert publish(tmp_path / "site", one, answer="y\n").exit_code == 0


def test_what_is_only_the_owners_stays_out():
    mine = "canary-7731"
    seats = [
        replace(panelist(s), context=f"private {mine}", instructions=f"persona {mine}")
        for s in ("ada", "bob")
    ]
    said = Said(f"Use it. My key is {KEY}, and postgres://me:hunter22@db/x.")
    events = debate(
        {s.seat: [said, said] for s in seats}, panel=seats, query="Which one?", synthesis=said,
        context=(Attachment(name=f"/home/{mine}/plan.md", text=f"secret {mine}"),),
        earlier=(Earlier(speaker="user", text=f"before: {mine}"),),
        owner=mine, workspace=f"/home/{mine}", ground_truth=mine, conversation=mine, replay_of=mine,
        experiment=ExperimentMetadata(experiment_id=mine, variables={mine: mine}),
    )  # fmt: skip
    events[0] = replace(events[0], settings={"home": mine})
    assert isinstance(events[0], Opened)
    for text in pages([events]).values():
        assert mine not in text.decode()
        assert KEY not in text.decode()
        assert "hunter22" not in text.decode()
    whole = "".join(text.decode() for text in pages([events]).values())
    assert "plan.md" in whole
    assert "My key is ***, and postgres://me:***@db/x." in whole


def test_what_was_only_read_by_the_panel_stays_out_and_it_is_said_so(home, tmp_path):
    mine = "canary-7731"
    seats = [panelist(s) for s in ("ada", "bob")]
    events = debate(
        {s.seat: [Said("Use it."), Said("Use it.")] for s in seats}, panel=seats, query="Which?",
        synthesis=Said("Use it."), tools=True, workspace=f"/home/{mine}", readers=("ada",),
        blind=("bob",),
        context=(Attachment(name="chart.png", text="", picture=A_PICTURE),),
        notices=(f"not attached: {mine}/.env (its name says that it holds secrets)",
                 f"attached from {mine}: 1 of 2 files", f"not reviewed: {mine}.py (a link)"),
    )  # fmt: skip
    at = next(n for n, e in enumerate(events) if isinstance(e, Answered))
    said = events[at].response
    read = tuple(
        Use(id=mine, name=tool, arguments={"path": f"{mine}.py"}, result=found, failed=failed)
        for tool in ("read_file", "list_files", "search_files", "file_history", "another")
        for failed, found in ((False, f"1: {mine}"), (True, f"Refused: {mine}.py holds a key"))
    )
    web = Use(id="1", name="web_search", arguments={"query": "tabs"}, result="https://tabs.test")
    told = replace(said, role="description", content=f"A chart of {mine}.", round_number=0)
    events[at] = replace(
        events[at],
        response=replace(said, uses=(*read, web), tool_calls=({"name": "x", "q": mine},)),
    )
    described = replace(events[at], key="0/description/ada", response=told)
    events = [replace(e, seq=n) for n, e in enumerate([*events[:at], described, *events[at:]], 1)]
    assert mine in to_html(fold(events))
    with Store(home / "dissent.db") as store:
        store.save_all([events])
    done = publish(tmp_path / "site", events[0].brief.transcript_id)
    assert done.exit_code == 0, done.output
    whole = "".join(p.read_text() for p in (tmp_path / "site").iterdir())
    assert mine not in whole
    assert mine not in repr(public_events(events))
    # That it was read, described and left out is no secret, and readers need to know.
    for kept in (
        "looked up (read_file), found: not shown", "looked up (read_file), refused: not shown",
        "https://tabs.test", "not attached: some files",
        "not reviewed: some files", "The picture was described by ada for bob.",
    ):  # fmt: skip
        assert kept in whole, kept
    said_first = " ".join(done.stderr.split())
    assert "what was searched for on the web, with the addresses" in said_first
    assert "what answers quote from the folder" in said_first
    for out in ("descriptions of pictures", "looked up in a folder", "what was not attached"):
        assert out in said_first.partition("Left out:")[2]


def test_a_debate_that_waited_for_days_is_watched_in_minutes():
    events = sample()
    late = [replace(e, at=e.at.replace(year=e.at.year + (n > 9))) for n, e in enumerate(events)]
    text = pages([late])[f"{late[0].brief.transcript_id}.html"].decode()
    assert float(re.search(r'max="([\d.]+)"', text)[1]) < 120


@pytest.mark.parametrize("cut", [1, 3, 8])
def test_a_debate_that_is_not_over_has_a_page_too(cut):
    events = a_debate(1)[:cut]
    assert f"{an_id(1)}.html" in pages([events])


def test_a_debate_under_way_is_not_published_and_one_that_was_cut_off_is_called_so(home, tmp_path):
    with Store(home / "dissent.db") as store:
        store.save_all([a_debate(1)[:8]])
        with store.hold(an_id(1)):
            refused = publish(tmp_path / "site", an_id(1))
    assert refused.exit_code == 2
    said = " ".join(refused.stderr.split())
    assert f"{an_id(1)[:8]} is under way; publish it once it is over" in said
    assert f"dissent stop {an_id(1)[:8]}" in said
    assert not (tmp_path / "site").exists()
    done = publish(tmp_path / "site", an_id(1))
    assert done.exit_code == 0, done.output
    assert "(not finished)" in done.stderr


@pytest.fixture
def a_tab(browser):
    """Open a page from its folder, in a browser that notes what it should not have done."""
    opened = []

    async def open_(path: Path, **how):
        context = await browser.new_context(**how)
        opened.append(context)
        await context.add_init_script(TRAP)
        tab = await context.new_page()
        tab.faults = []
        tab.on("pageerror", lambda e: tab.faults.append(str(e)))
        tab.on("console", lambda m: m.type == "error" and tab.faults.append(m.text))
        tab.on("request", lambda r: r.url != path.as_uri() and tab.faults.append(r.url))
        await tab.goto(path.as_uri())
        return tab

    return open_


def page_of(tmp_path, events) -> Path:
    published.write(tmp_path / "site", pages([events]))
    return tmp_path / "site" / f"{events[0].brief.transcript_id}.html"


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_a_page_opened_from_its_folder_plays_the_debate(a_tab, tmp_path):
    events = sample()
    tab = await a_tab(page_of(tmp_path, events))
    await tab.select_option(".speed", "32")
    await tab.locator(".stage").scroll_into_view_if_needed()
    await until(tab, "() => document.querySelector('.play').textContent === 'Again'")
    last = [e.response for e in events if isinstance(e, Answered)]
    shown = await tab.evaluate(SHOWN)
    answer = next(r for r in last if r.role == "synthesis")
    assert answer.content.split("\n")[0] in shown
    assert shown.count(": done") == 4
    said = "[...document.querySelectorAll('.pane > .said')]"
    assert await tab.evaluate(f"{said}.some((s) => s.scrollHeight > s.clientHeight)")
    assert await tab.evaluate(f"{said}.every((s) => s.scrollTop === 0)")
    # Back to the beginning: nobody has said anything, and then one step after the other.
    await tab.locator(".place").fill("0")
    assert answer.content.split("\n")[0] not in await tab.evaluate(SHOWN)
    steps = 0
    while await tab.locator(".next").is_enabled():
        await tab.click(".next")
        steps += 1
    assert steps >= len({e.at for e in events if isinstance(e, Asked | Answered)}) - 1
    assert await tab.evaluate(SHOWN) == shown
    assert not tab.faults
    assert not await faults(tab)


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_what_models_wrote_does_nothing_on_a_page_that_plays_it(a_tab, tmp_path):
    text = "\n\n".join(PAYLOADS.values())
    seats = [panelist(f"{n} <img src=x onerror=ran(4)>", "m", "v") for n in (1, 2)]
    said = Said(text)
    events = debate(
        {s.seat: [said, said] for s in seats}, panel=seats, query=text, synthesis=said
    )  # fmt: skip
    for how in ({}, {"viewport": PHONE, "reduced_motion": "reduce"}):
        tab = await a_tab(page_of(tmp_path, events), **how)
        while await tab.locator(".next").is_enabled():
            await tab.click(".next")
        assert "ran()" in await tab.evaluate(SHOWN)
        assert await tab.evaluate("window.runs") == []
        assert await tab.evaluate("document.scripts.length") == 1
        assert await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert not tab.faults


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_on_a_phone_charts_keep_their_size_and_scroll(a_tab, tmp_path):
    tab = await a_tab(page_of(tmp_path, sample()), viewport=PHONE)
    scales = "all => all.map(c => c.getBoundingClientRect().width / c.viewBox.baseVal.width)"
    drawn = await tab.locator("svg.chart").evaluate_all(scales)
    assert drawn
    assert min(drawn) > 0.95, "letters of 11 px are small enough"
    assert await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert await faults(tab) == []


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_on_a_phone_the_answer_comes_first_and_tables_break_no_words(a_tab, tmp_path):
    events = sample()
    tab = await a_tab(page_of(tmp_path, events), viewport=PHONE)
    answer, replay = tab.locator("h2", has_text="Answer").first, tab.locator(".replay")
    assert (await answer.bounding_box())["y"] < (await replay.bounding_box())["y"]
    assert (await answer.bounding_box())["y"] < PHONE["height"]
    assert await tab.locator("td").count() > 20
    assert await tab.evaluate(BROKEN) == []
    assert await tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="session")
async def test_without_scripts_a_page_is_the_whole_report(a_tab, tmp_path):
    events = sample()
    tab = await a_tab(page_of(tmp_path, events), java_script_enabled=False)
    assert not await tab.locator(".replay").is_visible()
    for heading in ("Answer", "Who holds what", "Agreement, round 1", "Cost", "Course"):
        assert await tab.locator("h2", has_text=heading).first.is_visible()
    assert not tab.faults


def test_a_page_is_found_in_the_record_by_the_beginning_of_its_id(home, tmp_path):
    with Store(home / "dissent.db") as store:
        store.save_all([a_debate(3)])
    assert publish(tmp_path / "site", an_id(3)[:8]).exit_code == 0
    assert "no stored debate" in publish(tmp_path / "site", "ffffffff").stderr
