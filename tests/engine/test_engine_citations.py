"""Citations are checked: their pages are read, and nobody's word is taken that is not there."""

from __future__ import annotations

import asyncio
import io
import json
import zlib
from dataclasses import replace

import pytest
from aiohttp import web as http
from rich.console import Console

from fakes.calls import an_ask
from fakes.web import FakeWeb
from fakes.world import a_brief, run, seat
from mutual_dissent.analysis.citations.claims import bare_claim, claims_of
from mutual_dissent.analysis.citations.verdicts import checked_citations
from mutual_dissent.core.codec.camel import camel
from mutual_dissent.core.events import CitationsRead
from mutual_dissent.core.response import Citation
from mutual_dissent.core.transcript import fold
from mutual_dissent.core.values.citation import CITATIONS
from mutual_dissent.providers.responses import blank
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.store.files.parse import reading
from mutual_dissent.tools.citation_pages import CitationPages, judge_words
from mutual_dissent.tools.fetch import Pages
from mutual_dissent.views.account import account
from mutual_dissent.views.documents.html import to_html
from mutual_dissent.views.documents.json import transcript_to_bytes, transcript_to_json
from mutual_dissent.views.four_layers import four_layers
from mutual_dissent.views.heading import heading, shape
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.remarks.citation_checks import shown_checks
from mutual_dissent.views.terminal import as_text, full_report, rest

FILLER = "It has been described in many places. " * 20


@pytest.fixture
async def web():
    async with FakeWeb() as pages:
        yield pages


def page(text: str) -> http.Response:
    body = f"<html><body><p>{text}</p><p>{FILLER}</p></body></html>"
    return http.Response(text=body, content_type="text/html")


def pages_of(web: FakeWeb) -> CitationPages:
    return CitationPages(Pages(reach=web.reach, resolve=web.resolve, timeout=5.0))


def answer(web: FakeWeb) -> str:
    return "\n".join(
        [
            f"The dam was finished in 1936 ([dam]({web.at('/dam')})).",
            f"Its wall is 221 metres high, as the survey of 1990 says: {web.at('/wall')}.",
            f"It never leaked in all its years [leak]({web.at('/leak')}).",
            f"It supplies power to two million homes ({web.at('/gone')}).",
            f"Penguins nest on its crest every spring, see {web.at('/dam')}.",
            f"The lake behind it serves farmers ({web.at('/private', 'localhost')}).",
        ]
    )


VERDICTS = {
    "citations": [
        {"number": 1, "verdict": "supports", "quote": "completed in the year 1936"},
        {"number": 2, "verdict": "supports", "quote": "words that are not on the page"},
        {"number": 3, "verdict": "contradicts", "quote": "leaked badly during all its early years"},
        {"number": 9, "verdict": "supports", "quote": "x"},
    ]
}


async def checked(web: FakeWeb, *, analyst=True, cited=None, events=()):
    web.pages = {
        "/dam": page("Work on the dam was completed in the year 1936, it was finished early."),
        "/wall": page("The survey found a wall of great height; metres were measured in 1990."),
        "/leak": page("The dam leaked badly during all its early years, and was mended."),
        "/gone": http.Response(status=404),
    }

    def writes(ask):
        if ask.role == CITATIONS:
            return json.dumps(VERDICTS)
        return answer(web) if ask.role == "synthesis" else "It is a dam."

    cast = Scripted({"ada": writes, "bob": "It is a dam.", "cyd": writes})
    brief = a_brief(
        "ada", "bob", check_citations=True, analyst=seat("cyd") if analyst else None, tools=False
    )
    reader = cited or pages_of(web)
    return (*await run(brief, cast, cited=reader, events=events), cast)


async def test_each_citation_is_fetched_its_passage_found_and_judged(web):
    t, events, _, _ = await checked(web)
    verdicts = [(c.verdict, c.judged_by) for c in checked_citations(t)]
    assert verdicts == [
        ("supports", "cyd"),
        ("not judged", ""),  # its quote is not in the passage
        ("contradicts", "cyd"),
        ("not reachable", ""),
        ("not found", ""),
        ("not reachable", ""),
    ]
    assert (
        "1 of 3 checked citations holds; 1 page contradicts its claim; 2 pages could not be read; "
        "1 citation could not be judged." in heading(t)
    )
    assert [s for s in web.asked if s == "localhost"] == []
    fetched = [path for _, path, *_ in web.seen]
    assert fetched.count("/dam") == 1, "a page is fetched once, whoever cites it"
    assert sum(isinstance(e, CitationsRead) for e in events) == 1


async def test_what_did_not_check_out_is_on_every_surface(web):
    t, *_ = await checked(web)
    lines = account(t).citations
    assert lines
    assert "never leaked" in lines[0]
    assert "the page contradicts it" in lines[0]
    assert any("Penguins" in x and "does not say so" in x for x in lines)
    console = Console(width=400, file=io.StringIO())
    console.print(full_report(t))
    for shown in (to_markdown(t), to_html(t), console.file.getvalue()):
        assert "Citations that did not check out" in shown
        assert "never leaked" in shown
        failed, _, rest = shown.partition("Citations that could not be checked")
        assert "/gone could not be read: it answered with status 404" in rest
        assert "could not be read: it answered" not in failed
    stored = transcript_to_json(t)
    assert stored["metadata"]["citation_checks"][2]["verdict"] == "contradicts"
    evidence = camel(four_layers(t))["evidence"]
    assert evidence["citationChecks"][0].startswith("supports: The dam was finished in 1936")


class Nowhere:
    """No page can be had, as without the internet."""

    async def read(self, url, claims):
        return [("unreached", "", "its host name is not known here")] * len(claims)


class Borne:
    """Every page has what is claimed."""

    async def read(self, url, claims):
        return [("verbatim", claim, "") for claim in claims]


async def test_without_the_internet_no_citation_has_failed(web):
    def writes(ask):
        same = f"Panelist A says that the dam was finished early: {web.at('/dam')}."
        if ask.role == "synthesis":
            return f"{same}\nTwo notes say the same: {web.at('/a')} and {web.at('/b')} alike."
        return f"In other words it was finished in time ({web.at('/dam')}), and {web.at('/c')} too."

    cast = Scripted({"ada": writes, "bob": writes})
    brief = a_brief("ada", "bob", check_citations=True, tools=False)
    t, *_ = await run(brief, cast, cited=Nowhere())
    assert "No citation was checked: none of the 3 cited pages could be read." in heading(t)
    said = account(t)
    assert said.citations is None
    why = "could not be read: its host name is not known here"
    paths = {"/dam": "", "/a": "", "/b": "", "/c": " (ada and bob)"}
    assert said.unchecked == tuple(f"{web.at(p)}{who} {why}" for p, who in paths.items())
    claims = [c.claim for c in shown_checks(t) if c.in_answer]
    assert claims[0] == "bob says that the dam was finished early."
    assert claims[1] == "Two notes say the same: [link] and [link] alike."
    assert "did not check out" not in to_markdown(t)


async def test_the_terminal_says_of_what_was_found_later_where_it_comes_from(web):
    t, *_ = await checked(web, cited=Borne())
    before = shape(t)._replace(citations="")
    shown = as_text(rest(t, said=before))
    assert shown.startswith("6 of 6 citations checked out.\n")
    assert "analyst's reading" not in shown
    moved = as_text(rest(t, said=before._replace(groups=())), 200)
    assert moved.startswith("After the analyst's reading and the check of citations: ")


async def test_where_every_page_was_read_the_heading_counts_them_all(web):
    t, *_ = await checked(web, cited=Borne())
    assert "6 of 6 citations checked out." in heading(t)
    assert (account(t).citations, account(t).unchecked) == (None, None)


async def test_it_is_on_record_and_read_back_from_a_file(web):
    t, events, _, _ = await checked(web)
    assert fold(events).cited == t.cited
    back = fold(reading(transcript_to_bytes(t)).events)
    assert [c.cited for c in back.cited] == [c.cited for c in t.cited]


async def test_a_debate_that_is_resumed_fetches_nothing_again(web):
    _, events, _, _ = await checked(web)
    at = next(i for i, e in enumerate(events) if isinstance(e, CitationsRead)) + 1
    before = len(web.seen)
    t, *_ = await checked(web, events=events[:at])
    assert len(web.seen) == before
    assert checked_citations(t)[0].verdict == "supports"


async def test_without_an_analyst_nothing_is_guessed(web):
    t, *_, cast = await checked(web, analyst=False)
    found = [c.verdict for c in checked_citations(t)]
    assert set(found) == {"not judged", "not found", "not reachable"}
    assert "The one citation that was checked does not hold; 2 pages could not be" in heading(t)
    assert not any(a.role == CITATIONS for a in cast.asks)


async def test_the_analyst_reads_claims_and_passages_between_fences(web):
    *_, cast = await checked(web)
    [ask] = [a for a in cast.asks if a.role == CITATIONS]
    assert "The dam leaked badly" in ask.text
    assert ask.text.count("[claim | ") == 3
    assert ask.schema
    assert ask.tools == ()


class Slow:
    """Pages of which one never comes."""

    async def read(self, url, claims):
        if url.endswith("/wall"):
            await asyncio.Event().wait()
        return [("absent", "", "")] * len(claims)


async def test_what_takes_too_long_is_not_checked(web, monkeypatch):
    monkeypatch.setattr("mutual_dissent.engine.sources.citations.SECONDS", 0.05)
    t, *_ = await checked(web, cited=Slow())
    assert [c.verdict for c in checked_citations(t)].count("not checked") == 1
    assert t.synthesis is not None


async def test_nothing_is_fetched_unless_the_user_wants_it(web):
    cast = Scripted(dict.fromkeys(("ada", "bob"), answer(web)))
    t, *_ = await run(a_brief("ada", "bob", rounds=1), cast, cited=None)
    assert (t.cited, web.seen) == ((), [])


PRIVATE = [
    "http://127.0.0.1/", "http://localhost/", "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://10.0.0.1/", "http://0x7f.1/",
    "http://2130706433/", "http://user@10.0.0.1/", "file:///etc/passwd", "ftp://a.example/x",
    "http://printer.local/", "https://a.example:22/", "x" * 3000,
]  # fmt: skip


@pytest.mark.parametrize("url", PRIVATE)
async def test_no_citation_leads_behind_the_public_web(web, url):
    pages = CitationPages(Pages(resolve=web.resolve, timeout=5.0))
    [(state, passage, reason)] = await pages.read(url, ["The dam was finished in 1936."])
    assert (state, passage) == ("unreached", "")
    assert reason
    assert web.seen == []


async def test_redirects_archives_and_bombs_are_not_read(web):
    zeros = zlib.compress(b"0" * 50_000_000)
    web.pages = {
        "/away": http.Response(status=302, headers={"Location": "http://10.0.0.1/"}),
        "/home": http.Response(status=302, headers={"Location": "http://localhost/"}),
        "/zip": http.Response(body=b"PK\x03\x04", content_type="application/zip"),
        "/bomb": http.Response(
            body=zeros, content_type="text/html", headers={"Content-Encoding": "deflate"}
        ),
        "/empty": http.Response(text="<script>draw()</script>", content_type="text/html"),
    }
    for path in web.pages:
        [(state, _, reason)] = await pages_of(web).read(web.at(path), ["The dam is high."])
        assert (state, bool(reason)) == ("unreached", True), path
    assert len(web.seen) == len(web.pages)


def test_a_claim_that_stands_on_the_page_needs_no_judge():
    text = f"The bridge will hold for another hundred years. {FILLER}"
    denied = f"It is not true that the bridge will hold for another hundred years. {FILLER}"
    claim = 'One critic wrote "the bridge will hold for another hundred years".'
    assert judge_words(claim, text)[0] == "verbatim"
    assert judge_words("The bridge will hold for another hundred years.", text)[0] == "verbatim"
    assert judge_words("The bridge will not hold for a hundred years.", text)[0] == "read"
    assert judge_words("The bridge will hold for another hundred years.", denied)[0] == "read"


def test_a_page_in_another_language_is_not_judged():
    german = "Der Damm wurde im Jahr 1936 fertig, und er ist sehr hoch. " * 10
    claim = "The reservoir is used by the farmers of the valley to water their fields."
    assert judge_words(claim, german)[0] == "foreign"


FELL = "Rome fell in the year 476."
TEXTS = [
    ("Rome fell in the year 476.[1][2] It was sacked long before.[2]",
     [FELL, FELL, "It was sacked long before."]),
    ("See also: https://a.example/x", []),
    ("See https://a.example/x and https://a.example/y too.", []),
    ("Rome fell in the year 476 ([site](https://a.example/x)).", [FELL]),
    ("- **Rome** fell in the year 476 (https://a.example/x).", [FELL]),
    ("Rome fell in the year 476 [1].\n\nSources:\n[1] https://a.example/x", [FELL]),
    ("`x[1]` is an index of the first list", []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "claims"), TEXTS)
def test_a_citation_belongs_to_its_sentence(text, claims):
    own = (Citation(url="https://a.example/1"), Citation(url="https://a.example/2"))
    sources = () if "Sources" in text else own
    response = replace(blank(an_ask()), content=text, citations=sources)
    found = [c for _, c in claims_of(response)]
    assert found == claims


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "x" * 200_000, "https://a.b/" * 20_000, "[1]" * 60_000, ". " * 90_000]
)
def test_a_hostile_text_takes_no_time(text):
    list(claims_of(replace(blank(an_ask()), content=text)))
    bare_claim(text)
