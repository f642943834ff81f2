"""The HTML report of a debate: all of it in one file, and nothing in it acts."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import mutual_dissent
from fakes.debates import Fault, Said, debate, panelist, transcript
from fakes.hostile import PAYLOADS as CONTROLS
from fakes.hostile import raw_in
from fakes.hostile_html import PAYLOADS
from fakes.hostile_words import PAYLOADS as ORDERS
from fakes.library import a_debate
from fakes.patience import in_proportion
from mutual_dissent.core.events import Remarked, event_from_plain, event_to_plain
from mutual_dissent.core.response import Citation
from mutual_dissent.core.transcript import fold
from mutual_dissent.text.markdown_html import to_markup
from mutual_dissent.views.documents.formats import FORMATS
from mutual_dissent.views.documents.html import to_html
from mutual_dissent.views.documents.html_style import DARK, LIGHT

TEXTS = [*PAYLOADS.values(), *CONTROLS.values(), *ORDERS]
SAID = set(
    "p br hr strong em del code pre blockquote ul ol li h3 h4 h5 h6 table thead tbody tr th td span"
    .split()
)  # fmt: skip
PAGE = SAID | set(
    "html head meta title style body main h1 h2 div figure figcaption details summary".split()
)
DRAWN = set("svg g desc text line path rect circle polyline title".split())


class Tags(HTMLParser):
    """Every tag of a document with its attributes."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


def hostile(text: str):
    """A debate in which everything that can be somebody's words is."""
    seats = [panelist(f"{i} {text[:80]}", text[:80] or "m", text[:40] or "v") for i in (1, 2)]
    said = Said(text, {"citations": (Citation(url=text or "x", title=text),), "flags": (text,)})
    return transcript(
        {s.seat: [said, said] for s in seats}, panel=seats, query=text, synthesis=said,
        notices=(text,), mode=text[:40], preset=text[:40],
    )  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_whatever_somebody_wrote_is_only_ever_text(text):
    page = Tags(to_html(hostile(text)))
    for tag, attributes in page.found:
        assert tag in PAGE | DRAWN, tag
        assert not any(a.startswith("on") or a in ("href", "src", "style") for a in attributes)
    assert not raw_in(to_html(hostile(text)))


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_markdown_of_strangers_becomes_a_few_tags_without_attributes(text):
    for tag, attributes in Tags(to_markup(text)).found:
        assert tag in SAID
        assert not attributes


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("plain", "<p>plain</p>"),
        ("**b** *i* ~~g~~ `c*d*`",
         "<p><strong>b</strong> <em>i</em> <del>g</del> <code>c*d*</code></p>"),
        ("# One\n\n## Two", "<h4>One</h4>\n<h5>Two</h5>"),
        ("- a\n- b\n  - c", "<ul><li>a</li><li>b<ul><li>c</li></ul></li></ul>"),
        ("1. a\n2. b", "<ol><li>a</li><li>b</li></ol>"),
        ("> a\n> b", "<blockquote><p>a\nb</p></blockquote>"),
        ("```py\na < b\n```", "<pre><code>a &lt; b</code></pre>"),
        ("```\nnever ends", "<pre><code>never ends</code></pre>"),
        ("---", "<hr>"),
        ("| a | b |\n|---|---|\n| 1 | 2 |",
         ("<table><thead><tr><th>a</th><th>b</th></tr></thead>"
          "<tbody><tr><td>1</td><td>2</td></tr></tbody></table>")),
        ("[words](https://site.example/a?b=c)", "<p>words <span>[site.example]</span></p>"),
        ("![pic](https://site.example/a.png)", "<p>pic <span>[site.example]</span></p>"),
        ("[x](javascript:alert)", "<p>x <span>[javascript:alert]</span></p>"),
        ("[x](http://[broken)", "<p>x <span>[http://[broken]</span></p>"),
        ("2 * 3 * 4 and snake_case_name", "<p>2 * 3 * 4 and snake_case_name</p>"),
        ("a\n\nb", "<p>a</p>\n<p>b</p>"),
        ("&#27;[2J <b>", "<p>&amp;#27;[2J &lt;b&gt;</p>"),
        ("[a](x.y) and [b **c**](http://z.y)",
         "<p>a <span>[x.y]</span> and b <strong>c</strong> <span>[z.y]</span></p>"),
        ("", ""),
    ],
)  # fmt: skip
def test_markdown_is_rendered(text, html):
    assert to_markup(text) == html


@pytest.mark.parametrize(
    "piece",
    ["[x](" + "a" * 1990, "*", "`", "**a", "> ", "- ", "|", "| a |\n|---|\n", "#", "```\n", "[",
     "](", "~~", "1. ", " " * 50 + "\n", "-" * 500 + "\n", "![", "[a](b) ", "a_b_", "<b>", "\\",
     "[x]: y\n", "- a\n\n  "],
)  # fmt: skip
def test_no_text_takes_long(piece):
    with in_proportion():
        to_markup(piece * (300_000 // len(piece)))


def test_the_report_says_all_that_there_is_to_say():
    events = a_debate(6)
    t = fold(events)
    text = Tags(to_html(t)).text
    for part in (t.query, "Answer", "The panel came to this", "Decision", "Movement", "Scores",
                 "Value", "Rounds", "Cost", "Record", t.transcript_id, "claude-opus-5",
                 "I have read the others", "best single answer",
                 "said by the panel itself"):  # fmt: skip
        assert part in text, part
    assert to_html(t).count("<figure>") == 5


def test_failures_remarks_and_sources_are_in_the_report():
    answers = {
        "claude": [Said("Yes.", {"citations": (Citation(url="https://a.example/x", title="A"),)})],
        "gpt": [Fault(text="the vendor was busy")],
    }
    log = debate(answers)
    remark = Remarked(at=log[-1].at, text="Think of winter.", seq=len(log))
    t = fold([*log[:-1], remark, log[-1].with_seq(len(log) + 1)])
    text = Tags(to_html(t)).text
    assert all(x in text for x in ("the vendor was busy", "https://a.example/x", "rate limit"))


def test_a_debate_without_an_answer_has_a_report():
    t = transcript({"claude": [Fault()]}, synthesis=None)
    assert "There is no answer." in Tags(to_html(t)).text
    assert "<h2>Figures</h2>" not in to_html(t)


def test_a_browser_is_told_to_do_nothing_but_show_the_report():
    html = to_html(fold(a_debate(1)))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)[1]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "base-uri 'none'; form-action 'none'" in policy
    # Before it there is nothing but the encoding, so that it holds for all that follows.
    assert html.index("Content-Security-Policy") < html.index("<title>")
    assert "http" not in re.sub(r'xmlns="[^"]*"|http-equiv', "", html)


def test_the_report_has_the_colours_of_the_pages():
    theme = Path(mutual_dissent.__file__).parent / "surfaces/web/static/style/theme.css"
    css = theme.read_text()
    for name, report in (("dark", DARK), ("light", LIGHT)):
        page = css.partition(f'[data-theme="{name}"]')[2].partition("}")[0]
        for variable, value in re.findall(r"(--[\w-]+): (#\w+)", report):
            assert f"{variable}: {value};" in page, (name, variable)


def test_html_is_one_of_the_formats():
    t = fold(a_debate(2))
    assert FORMATS["html"](t) == to_html(t)


def test_a_record_that_was_read_back_has_the_same_report():
    events = a_debate(3)
    again = [event_from_plain(event_to_plain(e)) for e in events]
    assert to_html(fold(again)) == to_html(fold(events))
