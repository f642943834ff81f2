"""Sources are collected once each, and numbered where a text names them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.patience import in_proportion
from mutual_dissent.analysis.answers.citations import (
    MOST,
    collect_citations,
    in_text,
    normalise_url,
    number_citations,
)
from mutual_dissent.core.response import Citation, Finish, Response

A = Citation(url="https://a.example/x", title="A")
B = Citation(url="https://b.example/", title="B")
C = Citation(url="https://c.example/y_(z)", title="")


def said(content="", *citations, **more):
    return Response(
        model_id="m", model_alias="m", round_number=0, role="initial", content=content,
        timestamp=datetime(2026, 1, 1, tzinfo=UTC), citations=citations, **more,
    )  # fmt: skip


def test_sources_come_from_the_list_and_from_the_text():
    answers = [said("See https://b.example and (https://c.example/y_(z)).", A), said("x", B)]
    assert collect_citations(answers) == (
        A,
        Citation(url="https://b.example", title="B"),
        C,
    )


def test_a_title_that_comes_later_completes_a_source():
    [one] = collect_citations(
        [said("https://a.example/x/"), said("[Title *here*](http://www.a.example/x)")]
    )
    assert one == Citation(url="https://a.example/x/", title="Title *here*")


@pytest.mark.parametrize(
    "response",
    [said("https://a.example", finish=Finish.INCOMPLETE), said("", A, error="failed")],
)
def test_answers_that_are_not_used_have_no_sources(response):
    assert collect_citations([response]) == ()


def test_structured_answers_are_read_as_they_are_shown():
    structured = said('{"x": "https://hidden.example"}', position="So says https://a.example/x.")
    assert [c.url for c in collect_citations([structured])] == ["https://a.example/x"]


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", "ftp://a.example/", "https://", "//a.example",
     "https://user:pw@a.example/", "https://a.example/ b", "https://a.example/\n", "x",
     "https://[broken/", "https://a.example:x/", "https://a.example/" + "y" * 2000,
     'https://a.example/"><script>'],
)  # fmt: skip
def test_only_safe_web_addresses_count(url):
    assert normalise_url(url) is None
    assert collect_citations([said("", Citation(url=url))]) == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("https://a.example/x", "http://A.Example/x/"),
        ("https://a.example/x", "https://www.a.example:443/x#part"),
        ("https://a.example/?b=1&a=2", "https://a.example?a=2&utm_source=z&b=1&fbclid=q"),
        ("http://a.example:80/", "https://a.example"),
    ],
)
def test_addresses_of_the_same_page_are_the_same(one, other):
    assert normalise_url(one) == normalise_url(other) is not None


@pytest.mark.parametrize(
    "other",
    ["https://a.example/y", "https://a.example/X?", "https://b.example/x",
     "https://a.example:8443/x", "https://a.example/x?id=2"],
)  # fmt: skip
def test_addresses_of_other_pages_are_not(other):
    assert normalise_url("https://a.example/x") != normalise_url(other)


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("(https://a.example/x).", ["https://a.example/x"]),
        ("https://a.example/y_(z), and", ["https://a.example/y_(z)"]),
        ("**https://a.example**", ["https://a.example"]),
        ("<https://a.example/x>", ["https://a.example/x"]),
        ("[t](https://a.example/x)(y)", ["https://a.example/x"]),
        ("[t](https://a.example/y_(z)),", ["https://a.example/y_(z)"]),
        ("no://a.example nor https:// x", []),
        ("HTTPS://A.example!", ["HTTPS://A.example"]),
    ],
)
def test_addresses_are_found_without_what_belongs_to_the_sentence(text, urls):
    assert [c.url for c in in_text(text)] == urls


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("It is so (https://a.example/x).", "It is so [1]."),
        ("As [the study](https://b.example) says.", "As the study [2] says."),
        ("Kept: [1], [2] and [1][2].", "Kept: [1], [2] and [1][2]."),
        ("Unknown https://z.example stays.", "Unknown https://z.example stays."),
        ("`https://a.example/x` and\n```\nhttps://b.example\n```", None),
        ("", ""),
    ],
)
def test_addresses_become_numbers(text, made):
    assert number_citations(text, (A, B, C)) == (text if made is None else made)


def test_an_answers_own_numbers_become_those_of_all():
    text = "One [1], both [1][2], none [7], a list a[1], a link [1](https://z.example)."
    made = number_citations(text, (A, B, C), own=(C, B))
    assert made == "One [3], both [3][2], none, a list a[1], a link [1](https://z.example)."


def test_an_answers_own_list_of_sources_has_the_numbers_of_its_marks():
    steps = "1. Open https://a.example/x first."
    text = (
        f"It fell [1], and rose [2] (https://a.example/x). No source [9].\n{steps}\n\nSources:\n"
        f"[1] {C.url}\n[2] The study, {B.url}\n"
    )
    assert number_citations(text, (A, B, C), own=(A,)) == (
        "It fell [3], and rose [2] [1]. No source [9].\n1. Open [1] first.\n\nSources:\n"
        f"[3] {C.url}\n[2] The study, {B.url}\n"
    )
    assert number_citations(steps, (B, A)) == "1. Open [2] first."


def test_sources_are_bounded():
    many = [said(" ".join(f"https://a.example/{i}" for i in range(1000)))]
    assert len(collect_citations(many)) == MOST


@pytest.mark.parametrize(
    "text",
    ["[" * 300_000, "[a](" * 100_000, "https://" * 60_000, "https://a" + ")" * 400_000,
     "`" * 300_000, "[1]" * 100_000, "```" * 100_001, "https://a.example/" + "(" * 400_000,
     "[x](https://" * 50_000],
    ids=range(9),
)  # fmt: skip
def test_no_text_takes_long(text):
    with in_proportion():
        number_citations(text, (A, B), own=(A,))
        collect_citations([said(text)])


PIECES = ["https://a.example/x", "[t](https://b.example/)", "[1]", "[9]", "`", "(", ")", " ", "."]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_a_number_leads_to_a_source_or_was_there_before(text):
    made = number_citations(text, (A, B))
    assert set(re.findall(r"\[(\d+)\]", made)) <= {"1", "2", *re.findall(r"\[(\d+)\]", text)}
    assert number_citations(text, ()) == text
