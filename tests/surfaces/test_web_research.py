"""The research pages in a real browser: find, choose, add up, mark, compare, take away."""

from __future__ import annotations

import csv
import io
import json

import httpx
import pytest

from fakes.axe import faults
from fakes.browser import PHONE, WIDE, serving, until, vendor_env
from fakes.command_line import program
from fakes.debates import debate
from fakes.ledgers import reading, reply
from fakes.library import an_id, stocked
from fakes.patience import LONG
from fakes.structured import filled
from fakes.world import Tariff
from mutual_dissent.app import MutualDissent
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.store.store import Store

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

MANY = 70
EVERY_FIGURE = {
    "influence", "convergence", "agreement", "value", "flips", "scores", "cost-day", "cost-model",
    "cost-vendor",
}  # fmt: skip
EMPTY = "nothing to show yet"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A server with many debates."""
    home = tmp_path_factory.mktemp("library") / "home"
    home.mkdir()
    stocked(home, MANY)
    with Store(home / "dissent.db") as store:
        store.tag(an_id(3), "keep")
        store.rate(an_id(3), 5)
    with serving(home, None) as site:
        yield site


@pytest.fixture
def store(library):
    with Store(library.home / "dissent.db") as store:
        yield store


async def shown(tab, number: int) -> None:
    """Wait until the list says that so many were found."""
    await tab.get_by_role("tab", name=f"Debates {number}", exact=True).wait_for()


async def column(tab, label: str) -> list[str]:
    return await tab.locator(f"tbody td[data-label='{label}']").all_inner_texts()


# -- finding


async def test_a_search_finds_words_of_questions_and_answers_and_stays_in_the_address(
    library, tabs, store
):
    tab = await tabs.open(library, "/debates")
    await shown(tab, MANY)
    await tab.locator("#search").fill("heat pump")
    await shown(tab, store.count(text="heat pump"))
    questions = await tab.locator("td.what a").all_inner_texts()
    assert questions
    assert all("heat pump" in q for q in questions)
    await tab.reload()
    await shown(tab, store.count(text="heat pump"))
    assert await tab.locator("#search").input_value() == "heat pump"
    await tab.locator("#search").fill("zzz nothing")
    await tab.get_by_text("No stored debate matches.").wait_for()
    await tab.get_by_role("button", name="Show all").click()
    await shown(tab, MANY)


FILTERS = [
    ("Model", "grok-6", {"model": "grok-6"}),
    ("Mode", "delphi", {"mode": "delphi"}),
    ("Preset", "deep", {"preset": "deep"}),
    ("Experiment", "exp-a", {"experiment": "exp-a"}),
    ("Status", "error", {"status": "error"}),
    ("Tag", "keep", {"tag": "keep"}),
    ("Agreement, at least", "0.5", {"min_agreement": 0.5}),
    ("Cost, $, at most", "0.02", {"max_cost": 0.02}),
    ("Rating", "5", {"min_rating": 5}),
]


async def test_every_filter_narrows_the_list(library, tabs, store):
    tab = await tabs.open(library, "/debates")
    await shown(tab, MANY)
    for label, value, wanted in FILTERS:
        control = tab.locator("#filters").get_by_label(label, exact=True)
        if await control.evaluate("e => e.tagName") == "SELECT":
            await control.select_option(value)
        else:
            await control.fill(value)
            await control.press("Enter")
        number = store.count(**wanted)
        assert number < MANY, label
        await shown(tab, number)
        await tab.get_by_role("button", name="Clear").click()
        await shown(tab, MANY)


async def test_days_narrow_the_list(library, tabs, store):
    newest = store.list(limit=1)[0].created_at.date().isoformat()
    tab = await tabs.open(library, "/debates")
    await tab.get_by_label("From", exact=True).fill(newest)
    await until(tab, "() => location.search.includes('since')")
    since = store.list(limit=1)[0].created_at.replace(hour=0, minute=0, second=0, microsecond=0)
    await shown(tab, store.count(since=since))


async def test_columns_sort_the_list_both_ways(library, tabs, store):
    tab = await tabs.open(library, "/debates")
    for name in ("Cost", "Tokens", "Agreement"):
        head = tab.get_by_role("columnheader", name=name)
        await head.get_by_role("button").click()
        await until(tab, "([n]) => location.search.includes('order=' + n)", name.lower())
        most = store.list(order=name.lower(), limit=1)[0]
        await tab.locator(f"tbody tr:first-child[data-id='{most.transcript_id}']").wait_for()
        assert await head.get_attribute("aria-sort") == "descending"
        await head.get_by_role("button").click()
        least = store.list(order=name.lower(), limit=1, reverse=True)[0]
        await tab.locator(f"tbody tr:first-child[data-id='{least.transcript_id}']").wait_for()
        assert await head.get_attribute("aria-sort") == "ascending"


async def test_the_list_comes_in_pages(library, tabs):
    tab = await tabs.open(library, "/debates")
    await shown(tab, MANY)
    assert await tab.locator("tbody tr").count() == 50
    await tab.get_by_role("button", name="Next").click()
    await tab.get_by_text(f"51–{MANY} of {MANY}").wait_for()
    assert await tab.locator("tbody tr").count() == MANY - 50
    await tab.go_back()
    await tab.get_by_text(f"1–50 of {MANY}").wait_for()
    await tab.get_by_label("Rows").select_option("100")
    await tab.get_by_text(f"1–{MANY} of {MANY}").wait_for()


async def test_keys_alone_find_choose_and_open(library, tabs):
    tab = await tabs.open(library, "/debates")
    await shown(tab, MANY)
    await tab.keyboard.press("/")
    await until(tab, "() => document.activeElement.id === 'search'")
    await tab.keyboard.type("append-only log")
    await tab.keyboard.press("Escape")
    await until(tab, "() => document.querySelectorAll('tbody tr').length === 14")
    await tab.keyboard.press("j")
    await tab.keyboard.press("j")
    await tab.keyboard.press("x")
    await tab.locator(".actions").get_by_text("1 selected").wait_for()
    await tab.keyboard.press("f")
    await tab.locator(".lead").get_by_text("1 selected debates").wait_for()
    await tab.keyboard.press("f")
    await tab.locator("tbody tr").first.wait_for()
    await tab.keyboard.press("j")
    await tab.keyboard.press("s")
    await tab.wait_for_url("**/study")
    await tab.get_by_role("heading", name="Which database suits").wait_for()


# -- figures


async def test_fifty_debates_are_selected_and_show_who_moves_whom(library, tabs):
    tab = await tabs.open(library, "/debates")
    await shown(tab, MANY)
    await tab.get_by_label("Select all on this page").check()
    await tab.locator(".actions").get_by_text("50 selected").wait_for()
    await tab.get_by_role("tab", name="Figures").click()
    await tab.locator(".lead").get_by_text("50 selected debates").wait_for()
    heatmap = tab.locator("#figure-influence svg")
    names = await heatmap.locator("text").all_text_contents()
    panelists = {"claude", "gpt", "gemini", "grok"}
    assert panelists <= set(names)
    assert not {"claude-opus-5", "gpt-6", "gemini-4-pro", "grok-6"} & set(names), "ids, not names"
    assert await heatmap.locator("rect").count() == len(panelists) ** 2


async def test_the_figures_begin_with_what_one_takes_in_at_a_glance(library, tabs):
    tab = await tabs.open(library, "/debates?view=figures")
    await tab.get_by_text(f"{MANY} matching debates").wait_for()
    glance = tab.locator(".headlines")
    tiles = await glance.locator(".card").all_inner_texts()
    found = {tile.split("\n")[0].lower(): tile.split("\n")[1:] for tile in tiles}
    assert [*found] == ["debates", "agreement", "changed by debating", "judge's mark", "cost"]
    assert found["debates"][0] == str(MANY)
    assert found["agreement"][0].endswith(" %")
    assert found["cost"][1].endswith("a debate")
    above = await tab.evaluate(
        "document.querySelector('.headlines').getBoundingClientRect().bottom"
        " <= document.querySelector('.figures').getBoundingClientRect().top"
    )
    assert above


async def test_the_list_says_what_came_of_each_debate(library, tabs):
    tab = await tabs.open(library, "/debates?text=heat+pump")
    rows = tab.locator("tbody tr")
    await until(tab, "() => document.querySelectorAll('tr').length - 1 === "
                     "document.querySelectorAll('tr .came').length")  # fmt: skip
    assert await rows.count() > 1
    said = await rows.locator(".came").all_inner_texts()
    assert any(s.startswith(("All ", "2 of ", "3 of ", "Split ")) for s in said)


@pytest.fixture
def tried(one_vendor, tmp_path):
    """A server with an experiment on record."""
    one_vendor.reset()
    one_vendor.fake.always(text="I think so.\n\nAnswer: 4")
    home, file = tmp_path / "home", tmp_path / "sums.toml"
    home.mkdir()
    file.write_text(SUMS)
    env = vendor_env(one_vendor) | {"MUTUAL_DISSENT_HOME": str(home), "HOME": str(home)}
    done = program("experiment", "run", str(file), "--yes", **env)
    assert done.returncode == 0, done.stderr
    with serving(home, one_vendor) as site:
        yield site


SUMS = """
name = "two sums"
[[query]]
text = "What is 2 + 2?"
answer = "4"
[[query]]
text = "What is 3 + 3?"
answer = "6"
[defaults]
panel = ["claude", "gpt"]
[[condition]]
name = "panel"
[baselines]
"""


async def test_every_experiment_is_listed_with_what_came_of_it(tried, tabs):
    tabs.expected.append("Applying inline style")  # what the check itself tries
    tab = await tabs.open(tried, "/debates")
    await tab.get_by_role("tab", name="Experiments").click()
    row = tab.locator("[data-experiment='two sums']")
    await row.locator(".came").get_by_text("Deliberating is not shown to pay here").wait_for()
    await row.get_by_text("more", exact=True).click()
    await row.get_by_text("answers 50.0%").wait_for()
    assert "complete" in await row.inner_text()
    assert not await faults(tab)
    await row.get_by_role("button", name="two sums").click()
    await tab.wait_for_url("**/debates?experiment=*")
    await tab.locator("td.what .mark").get_by_text("two sums").first.wait_for()


async def test_where_no_experiment_was_held_the_list_says_how_to_begin(library, tabs):
    tab = await tabs.open(library, "/debates?view=experiments")
    await tab.get_by_text("dissent experiment new NAME").wait_for()


async def test_every_figure_has_data_where_there_is_some_and_says_so_where_there_is_none(
    library, tabs
):
    tab = await tabs.open(library, "/debates?view=figures")
    await tab.get_by_text(f"{MANY} matching debates").wait_for()
    found = {i.removeprefix("figure-") for i in await tab.eval_on_selector_all(
        ".figure", "all => all.map((e) => e.id)")}  # fmt: skip
    assert found == EVERY_FIGURE
    assert EMPTY not in await tab.locator(".figures").inner_text()
    await tab.goto(f"{library.url}/debates?view=figures&text=zzzz")
    await tab.get_by_text("0 matching debates").wait_for()
    assert await tab.locator("svg > text", has_text=EMPTY).count() == len(EVERY_FIGURE)


async def test_all_that_match_are_meant_also_those_on_other_pages(library, tabs, store):
    tab = await tabs.open(library, "/debates")
    await tab.get_by_label("Select all on this page").check()
    await tab.get_by_role("button", name=f"Select all {MANY} that match").click()
    chosen = tab.get_by_role("group", name="What to do with the selection")
    await chosen.get_by_text(f"All {MANY} that match", exact=True).wait_for()
    assert await chosen.get_by_role("button", name="Delete", exact=True).is_disabled()
    await chosen.get_by_role("button", name="Tag", exact=True).click()
    tagging = tab.get_by_role("dialog", name="Tag the selection")
    await tagging.get_by_label("Tag", exact=True).fill("seen")
    await tagging.get_by_role("button", name=f"Put on {MANY}").click()
    await tab.get_by_text(f"Tagged {MANY} debates.").wait_for()
    assert store.count(tag="seen") == MANY
    # Another search is another set: it is not meant before somebody says so.
    await tab.locator("#search").fill("tabs")
    await shown(tab, store.count(text="tabs"))
    assert await tab.get_by_role("group", name="What to do with the selection").count() == 0


# -- one debate


async def test_a_debate_is_studied(library, tabs):
    tab = await tabs.open(library, f"/debates/{an_id(6)}/study")
    await tab.locator("#figure-timeline svg").wait_for()
    assert "synthesis" in await tab.locator("#figure-timeline").inner_text()
    for name in ("relations", "influence", "scores", "value", "cost"):
        assert EMPTY not in await tab.locator(f"#figure-{name}").inner_text(), name
    await tab.locator("#figure-flips del").first.wait_for()
    await tab.get_by_role("region", name="Who holds what").get_by_text("claude").first.wait_for()
    await tab.get_by_role("region", name="Agreement table").get_by_role("button").first.click()
    await tab.locator("#figure-worth").get_by_text("plain vote", exact=True).wait_for()
    await tab.locator("#figure-marks").get_by_text("close").wait_for()


async def test_a_debate_that_came_to_nothing_says_so_in_every_figure(library, tabs, tmp_path):
    from fakes.debates import Fault

    name = "0" * 8 + an_id(1)[8:]
    with Store(library.home / "dissent.db") as store:
        store.save(debate({"claude": [Fault()]}, synthesis=None, transcript_id=name))
    tab = await tabs.open(library, f"/debates/{name}/study")
    await tab.locator("#figure-relations").wait_for()
    for figure in ("relations", "influence", "scores", "value"):
        assert EMPTY in await tab.locator(f"#figure-{figure}").inner_text(), figure
    await tab.get_by_text("Nobody changed its position.").wait_for()
    await tab.get_by_text("It was not scored.").wait_for()
    await tab.get_by_role("button", name="Delete").click()
    await tab.get_by_role("button", name="Delete it").click()
    await tab.wait_for_url("**/debates")


async def test_who_dissents_is_named_where_only_an_analyst_could_tell(library, tabs):
    seats = ("ada", "bob", "cleo")
    said = {s: [f"Much can be said about gardens of all sorts, {s} thinks."] for s in seats}
    name = "1" * 8 + an_id(1)[8:]
    events = debate(said, query="How is a garden dug?", synthesis="Mulch.", transcript_id=name)
    held = [{"statement": "Do not dig.", "holders": ["A", "B"]},
            {"statement": "Dig it twice.", "holders": ["C"]}]  # fmt: skip
    with Store(library.home / "dissent.db") as store:
        store.save([*events, *reading(events, reply(positions=held))])
    tab = await tabs.open(library, f"/debates/{name}")
    heading = tab.locator(".heading")
    await heading.get_by_text("2 of 3: Do not dig. cleo: Dig it twice.").wait_for()
    shown = program("show", name, MUTUAL_DISSENT_HOME=str(library.home))
    assert "cleo: Dig it twice." in " ".join(shown.stdout.decode().split())
    with Store(library.home / "dissent.db") as store:
        store.delete(name)


async def test_a_debate_that_is_not_there_is_said_in_a_sentence(library, tabs):
    tabs.expected.append("404")
    tab = await tabs.open(library, f"/debates/{'f' * 12}/study")
    await tab.get_by_text("no stored debate begins with").wait_for()


async def test_ratings_and_tags_are_set_shown_and_filtered_by(library, tabs, store):
    tab = await tabs.open(library, f"/debates/{an_id(9)}/study")
    async with tab.expect_response("**/rating"):
        await tab.get_by_label("Rating", exact=True).select_option("4")
    await tab.get_by_label("New tag").fill("  to   read ")
    await tab.get_by_role("button", name="Add").click()
    await tab.get_by_role("button", name="Remove the tag to read").wait_for()
    await tab.goto(f"{library.url}/debates?tag=to+read")
    await shown(tab, 1)
    row = tab.locator(f"tr[data-id='{an_id(9)}']")
    assert await row.get_by_label("Rating").input_value() == "4"
    async with tab.expect_response("**/rating"):
        await row.get_by_label("Rating").select_option("2")
    assert store.list(tag="to read")[0].rating == 2
    await tab.goto(f"{library.url}/debates/{an_id(9)}/study")
    await tab.get_by_role("button", name="Remove the tag to read").click()
    await until(tab, "() => !document.body.innerText.includes('to read')")
    assert store.count(tag="to read") == 0


async def test_only_a_confirmed_deletion_deletes(library, tabs, store):
    with Store(library.home / "dissent.db") as other:
        from fakes.library import a_debate

        other.save(a_debate(900, query="Shall this one be deleted?"))
    tab = await tabs.open(library, "/debates?text=deleted")
    await shown(tab, 1)
    await tab.locator("tbody input[type=checkbox]").check()
    await tab.get_by_role("button", name="Delete", exact=True).click()
    await tab.get_by_role("button", name="Keep").click()
    assert store.count(text="deleted") == 1
    await tab.get_by_role("button", name="Delete", exact=True).click()
    await tab.get_by_role("button", name="Delete this debate").click()
    await tab.get_by_text("No stored debate matches.").wait_for()
    assert store.count(text="deleted") == 0


# -- two debates


async def test_two_debates_are_compared_side_by_side(library, tabs):
    tab = await tabs.open(library, "/debates?text=tabs")
    boxes = tab.locator("tbody input[type=checkbox]")
    await boxes.first.check()
    await boxes.nth(1).check()
    await tab.get_by_role("link", name="Compare").click()
    await tab.wait_for_url("**/compare?a=*&b=*")
    await tab.locator("#figure-relations-first svg").wait_for()
    await tab.locator("#figure-relations-second svg").wait_for()
    measures = await tab.locator(".measures").inner_text()
    assert all(m in measures for m in ("Agreement at last", "Cost", "Tokens", "Time at work"))
    await tab.get_by_text("The panel came to this").nth(1).wait_for()
    await tab.get_by_label("Mark what differs").check()
    await tab.get_by_label("What differs").locator(".said").wait_for()
    assert await tab.locator("details").count() == 3
    await tab.get_by_role("button", name="Choose another").first.click()
    await tab.get_by_label("Search for the first debate").fill("heat pump")
    await tab.get_by_role("button", name="heat pump").first.click()
    await tab.get_by_role("heading", name="Is a heat pump worth it").wait_for()


# -- taking away


async def exported(tab, form: str, row: str | None = None) -> tuple[str, bytes]:
    """What is downloaded as a format: the name and the bytes."""
    await tab.get_by_role("button", name="Export").first.click()
    await tab.get_by_role("radio", name=form).check()
    if row:
        await tab.get_by_role("radio", name=row, exact=True).check()
    async with tab.expect_download() as waiting:
        await tab.get_by_role("button", name="Export").last.click()
    download = await waiting.value
    path = await download.path()
    return download.suggested_filename, path.read_bytes()


async def test_the_selection_is_exported_as_csv_json_and_parquet(library, tabs, store):
    import polars as pl

    tab = await tabs.open(library, "/debates?mode=ranking")
    await tab.get_by_label("Select all on this page").check()
    number = store.count(mode="ranking")
    ids = {r.transcript_id for r in store.list(mode="ranking")}
    name, data = await exported(tab, "CSV")
    rows = list(csv.DictReader(io.StringIO(data.decode())))
    assert name.startswith("answers-")
    assert name.endswith(".csv")
    assert {r["transcript_id"] for r in rows} == ids
    assert len(rows) > number
    name, data = await exported(tab, "CSV", "debate")
    assert len(list(csv.DictReader(io.StringIO(data.decode())))) == number
    assert name.startswith("debates-")
    _, data = await exported(tab, "JSON")
    assert {t["transcript_id"] for t in json.loads(data)} == ids
    name, data = await exported(tab, "Parquet", "answer")
    frame = pl.read_parquet(io.BytesIO(data))
    assert name.endswith(".parquet")
    assert set(frame["transcript_id"]) == ids
    assert frame["cost_usd"].dtype.is_float()


async def test_the_report_of_a_debate_is_read_from_disk_without_script_or_request(
    library, tabs, browser, tmp_path
):
    tab = await tabs.open(library, f"/debates/{an_id(6)}/study")
    async with tab.expect_download() as waiting:
        await tab.get_by_role("link", name="Report").click()
    path = tmp_path / "report.html"
    await (await waiting.value).save_as(path)
    grounds = []
    for scheme in ("light", "dark"):
        context = await browser.new_context(color_scheme=scheme, viewport=PHONE)
        page, asked, wrong = await context.new_page(), [], []
        page.on("request", lambda r, asked=asked: asked.append(r.url))
        page.on("console", lambda m, wrong=wrong: wrong.append(m.text))
        await page.goto(path.as_uri())
        assert asked == [path.as_uri()]
        assert not wrong
        assert await page.locator("script, link, img, iframe, form").count() == 0
        assert "The panel came to this" in await page.inner_text(".answer")
        assert await page.locator("figure svg").count() >= 5
        await page.locator("summary").first.click()
        await page.get_by_text("the benefits are greater").first.wait_for()
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert not await faults(page)
        grounds.append(await page.evaluate("getComputedStyle(document.body).backgroundColor"))
        await context.close()
    assert len(set(grounds)) == 2


async def test_the_report_is_also_had_from_the_command_line_and_over_rest(library, tmp_path):
    path = tmp_path / "debate.html"
    done = program("export", an_id(6), "--file", str(path), MUTUAL_DISSENT_HOME=str(library.home))
    assert done.returncode == 0, done.stderr
    async with httpx.AsyncClient(timeout=LONG) as client:
        reply = await client.get(f"{library.url}/api/sessions/{an_id(6)}/export?format=html")
    assert reply.headers["content-type"].startswith("text/html")
    assert reply.headers["content-disposition"].startswith("attachment")
    assert reply.text == path.read_text()


# -- for everybody, everywhere


PLACES = ["/debates", "/debates?view=figures", f"/debates/{an_id(6)}/study",
          f"/compare?a={an_id(6)}&b={an_id(7)}"]  # fmt: skip


@pytest.mark.parametrize(("scheme", "size"), [("dark", WIDE), ("light", PHONE)])
async def test_the_pages_fit_and_have_no_serious_fault_for_those_who_see_or_hear_otherwise(
    library, tabs, scheme, size
):
    tabs.expected.append("Applying inline style")  # what the check itself tries
    tab = await tabs.open(library, color_scheme=scheme, viewport=size)
    for place in PLACES:
        await tab.goto(library.url + place)
        await tab.locator(".debates, .chart").first.wait_for()
        assert await tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), place
        assert not await faults(tab), place


# -- for nobody else


async def test_strangers_get_nothing_from_the_research_routes(library):
    here = f"{library.url}/ui/research"
    find = {"find": {}}
    async with httpx.AsyncClient(timeout=LONG) as client:
        for path in ("/debates", "/choices", f"/debates/{an_id(1)}", "/compare?a=x&b=y"):
            assert (await client.get(here + path)).status_code == 401, path
        for path in ("/study", "/export", "/tags", "/forget"):
            assert (await client.post(here + path, json=find)).status_code == 401, path
        await client.get(library.start)
        listed = await client.get(f"{here}/debates")
        assert (listed.status_code, listed.headers["cache-control"]) == (200, "no-store")
        foreign = {"Origin": "http://evil.example"}
        assert (await client.get(f"{here}/debates", headers=foreign)).status_code == 403
        form = await client.post(f"{here}/forget", data={"ids": an_id(1)})
        assert form.status_code == 415
        text = await client.post(f"{here}/study", content='{"find": {}}')
        assert text.status_code == 415


BAD = [
    ("/debates?limit=201", None, "limit"),
    ("/debates?order=beauty", None, "order"),
    ("/debates?since=yesterday", None, "since is a day"),
    ("/debates?colour=red", None, "colour"),
    (f"/debates/{'f' * 12}", None, "no stored debate"),
    ("/compare?a=no", None, "a:"),
    ("/study", {}, "nothing is selected"),
    ("/study", {"find": {"minAgreement": 7}}, "minAgreement"),
    ("/study", {"ids": ["../../etc/passwd"]}, "ids.0"),
    ("/study", {"ids": []}, "ids"),
    ("/tags", {"ids": [an_id(1)], "add": ["x" * 90]}, "a tag has 1 to 60"),
    ("/tags", {"ids": [an_id(1)], "add": [" "]}, "a tag has 1 to 60"),
    ("/export", {"find": {}, "format": "exe"}, "format"),
    ("/forget", {"find": {}}, "ids"),
]


async def test_a_bad_request_is_answered_with_a_sentence(library):
    async with httpx.AsyncClient(timeout=LONG) as client:
        await client.get(library.start)
        for path, sent, said in BAD:
            here = f"{library.url}/ui/research{path}"
            reply = await (client.get(here) if sent is None else client.post(here, json=sent))
            assert 400 <= reply.status_code < 500, path
            assert said in reply.json()["error"]["message"], path


# -- forecasts


async def test_forecasts_are_listed_due_first_charted_and_resolved_with_yes_or_no(tmp_path, tabs):
    figures = {"ada": "10 % [5 to 20]", "bob": "30 % [10 to 50]"}
    cast = Scripted({s: lambda ask, f=f: filled(ask, estimate=f) for s, f in figures.items()})
    async with MutualDissent(home=tmp_path, env={}, provider=cast, prices=Tariff()) as md:
        same = {"panel": list(figures), "mode": "forecast", "rounds": 2, "analyst": "none"}
        for day in ("2999-01-31", "2026-01-31", "2026-01-01"):
            t = await md.debate(f"Will it rain on {day}?", due=day, **same)
        await md.resolve(t.transcript_id, "no")
    with serving(tmp_path, None) as site:
        tab = await tabs.open(site, "/debates?view=forecasts")
        rows = tab.get_by_role("table", name="Forecasts that wait").locator("tbody tr")
        await rows.first.wait_for()
        first, second = await rows.all_inner_texts()
        assert "2026-01-31 due" in " ".join(first.split())
        assert "18 %, geometric mean of the odds of 2 forecasts" in first
        assert "2999-01-31" in second
        fared = tab.get_by_role("region", name="How resolved forecasts fared")
        assert "the panel, geometric mean of odds" in await fared.inner_text()
        await tab.locator("#figure-calibration-panel circle").wait_for()
        await rows.first.get_by_role("link").click()
        outcome = tab.get_by_role("form", name="How it turned out")
        assert await outcome.get_by_role("button", name="right").count() == 0
        await outcome.get_by_role("button", name="yes").click()
        await tab.get_by_text("It turned out to be yes: Brier score").first.wait_for()
        await tab.get_by_role("region", name="Estimates").get_by_text("18 %").first.wait_for()
        await tab.goto(f"{tab.url.split('?')[0]}/study")
        await tab.locator("#figure-forecasts circle").first.wait_for()
