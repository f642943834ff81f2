"""Figures of a panel are shown as they were given, and what is said about them holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.closing import closed
from fakes.debates import transcript
from mutual_dissent.analysis.answers.structure import parse_structure
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.core.form import Form
from mutual_dissent.views.documents.html import to_html
from mutual_dissent.views.heading import heading
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.panel.tables import panel_tables
from mutual_dissent.views.remarks.readable import closing_words
from mutual_dissent.views.terminal import response_facts

ROADS = "How many kilometres of road does Luxembourg have?"


def stated(figures: dict[str, str], query: str = ROADS, mode: str = "delphi"):
    said = {s: [closed(f"About {f.split(' [')[0]}.", estimate=f)] for s, f in figures.items()}
    return transcript(said, query=query, mode=mode)


@pytest.mark.parametrize(
    ("figures", "shown"),
    [
        (
            {"a": "2,900 km [2,700 to 3,100]", "b": "2,875 km", "c": "5,200 km [4,500 to 6,000]"},
            "Median 2,900 km (figures from 2,875 to 5,200).",
        ),
        (
            {"a": "60 km", "b": "70 km [40 to 80]", "c": "90 km"},
            "Median 70 km (figures from 60 to 90).",
        ),
        (
            {"a": "60 km [50 to 70]", "b": "70 km [40 to 80]", "c": "90 km [60 to 95]"},
            "Median 70 km [50 to 80].",
        ),
    ],
)
def test_the_range_beside_a_median_holds_it(figures, shown):
    assert shown in heading(stated(figures))


def test_a_median_says_how_many_gave_a_figure():
    said = {
        "a": [closed("About 2,900 km.", estimate="2,900 km [2,700 to 3,100]")],
        "b": [closed("About 2,875 km.")],
        "c": [closed("About 5,200 km.", estimate="5,200 km [4,500 to 6,000]")],
    }
    t = transcript(said, query=ROADS, mode="delphi")
    assert "Median 4,050 km [3,600 to 4,550] (2 of 3 gave a figure)." in heading(t)
    table = panel_tables(t)["estimates"][0]
    assert (table["median"], table["given"], table["answers"]) == (4050, 2, 3)


def test_euros_and_dollars_have_no_median_and_are_not_compared():
    t = stated(
        {
            "a": "$500 per month [300 to 800]",
            "b": "€450/month [300 to 600]",
            "c": "USD 480 per month [350 to 700]",
        },
        "What does a pair of dedicated servers cost per month?",
        "collaborative",
    )
    assert panel_tables(t)["estimates"][0]["median"] is None
    pairs = {(p.a, p.b): p.relation for p in consensus_of(t)[0].pairs}
    assert pairs == {
        ("a", "b"): "unmeasured", ("a", "c"): "agree", ("b", "c"): "unmeasured",
    }  # fmt: skip
    assert "edian" not in heading(t)
    words = {s: v["words"] for s, v in panel_tables(t)["estimates"][0]["values"].items()}
    assert words["a"] == "500 dollars per month [300 to 800]"
    assert words["b"] == "450 euros/month [300 to 600]"


def test_dollars_are_one_unit_however_they_are_written():
    t = stated(
        {
            "a": "-$300 per month [-600 to 200]",
            "b": "USD -200/month [-500 to 100]",
            "c": "minus 100 US dollars a month [-400 to 300]",
        },
        "What would it save per month?",
    )
    assert "Median -200 dollars per month" in heading(t).replace("US dollars a", "dollars per")
    assert "[-500 to 200]" in heading(t)


def test_a_panelists_own_estimate_stands_beside_its_answer():
    t = stated({"a": "2,900 km [2,700 to 3,100]", "b": "3,000 km [2,800 to 3,300]"})
    first = t.rounds[0].responses[0]
    assert "estimate 2,900 km [2,700 to 3,100]" in response_facts(first)
    assert "estimate 2,900 km \\[2,700 to 3,100\\]" in to_markdown(t)
    assert "estimate 2,900 km [2,700 to 3,100]" in to_html(t)


def test_a_change_of_nothing_really_is_told_as_one_would_say_it():
    said = {
        "a": [closed("Go."), closed("Go.", "b agree", "nothing really, though I'm less confident")],
        "b": [closed("Go."), closed("Go.", "a agree", "nothing")],
    }
    t = transcript(said, query="Rust or Go?")
    answer = next(r for r in t.rounds[1].responses if r.model_alias == "a")
    assert "changed: nothing, though I'm less confident" in closing_words(t, answer)


@pytest.mark.parametrize(
    "figures", [("", "", ""), ("18 occurrences [17 to 19]", "18 times [18 to 18]", "20 letters")]
)
def test_the_same_figure_in_other_words_is_no_split(figures):
    lines = (
        "The letter e occurs 18 times in the sentence.",
        'The letter "e" appears 18 times.',
        "The letter e occurs 20 times in that sentence.",
    )
    said = {
        s: [closed(line, estimate=figure)]
        for s, line, figure in zip("abc", lines, figures, strict=True)
    }
    query = "How many times does the letter e occur in the sentence: 'Three eager engineers'?"
    assert heading(transcript(said, query=query)).startswith("2 of 3: ")


def test_closing_lines_in_place_of_a_form_are_read_though_their_confidence_looks_like_a_field():
    answer = transcript({"a": ["18."], "b": ["18."]}).rounds[0].responses[0]
    text = "It has 18.\nBOTTOM LINE: 18 times.\nESTIMATE: 18 times [17 to 19]\nCONFIDENCE: 80 %"
    read = parse_structure(replace(answer, content=text, closing=None), Form(name="answer"), {})
    assert (read.position, read.confidence) == ("18 times.", 0.8)
    assert read.closing.estimate.words == "18 times [17 to 19]"
