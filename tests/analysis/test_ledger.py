"""Promises of the ledger: who holds what, what is contested, and what became of dissent."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.debates import debate, transcript
from fakes.ledgers import read, reply
from fakes.patience import in_proportion
from mutual_dissent.analysis.answers.verbatim import is_in
from mutual_dissent.analysis.ledger.analyst import has_ledger, schema
from mutual_dissent.analysis.ledger.entries import Ledger, Quote
from mutual_dissent.analysis.ledger.lookup import analyst_ledger, ledger_of, panel_ledger
from mutual_dissent.core.codec.plain import from_plain, to_plain
from mutual_dissent.core.events import Reopened

ANSWERS = {
    "ann": ["Go.", "**Go** is the safer choice, since _hiring_ is easy.\n\n- It builds fast."],
    "bob": ["Java.", "Go. I had doubled the build times; they are 75 seconds, not 150."],
    "cyd": ["Rust.", "Rust pays off in the third year, if one person knows it."],
}
POSITIONS = [
    {"statement": "Write it in Go.", "holders": ["A", "B"]},
    {"statement": "Write it in Rust.", "holders": ["C"]},
]


def held(**fields):
    """A debate whose analyst replied with these fields."""
    return read(debate(ANSWERS), reply(**{"positions": POSITIONS, **fields}))


def said(ann, bob, cyd, **more):
    """A debate in whose last round three panelists closed their answers so."""
    first = {"ann": "BOTTOM LINE: Go.", "bob": "BOTTOM LINE: Java.", "cyd": "BOTTOM LINE: Rust."}
    last = {"ann": ann, "bob": bob, "cyd": cyd}
    return {s: [f"First.\n{first[s]}", f"Last.\n{last[s]}"] for s in first}


SPLIT = said(
    "BOTTOM LINE: Use Go.\nON THE OTHERS: bob agree; cyd disagree: hiring\nCHANGED: nothing",
    "BOTTOM LINE: Go it is.\nON THE OTHERS: ann agree; cyd disagree: hiring\n"
    "CHANGED: yes: from Java to Go, because of ann: had doubled the build times",
    "BOTTOM LINE: Use Rust.\nON THE OTHERS: ann disagree: memory; bob disagree\nCHANGED: nothing",
)


# -- by the panel itself ---------------------------------------------------------------------


def test_without_an_analyst_the_panels_own_lines_make_the_ledger_and_it_says_so():
    found = ledger_of(transcript(SPLIT))
    assert found.source == "panel"
    assert found.analyst is None
    assert [(p.statement, p.holders) for p in found.positions] == [
        ("Use Go.", ("ann", "bob")),
        ("Use Rust.", ("cyd",)),
    ]
    (issue,) = found.contested
    assert issue.question == "hiring; memory"
    assert [s.holders for s in issue.sides] == [("ann", "bob"), ("cyd",)]
    assert not found.minority


def test_a_correction_says_from_what_to_what_why_and_because_of_whom():
    (found,) = ledger_of(transcript(SPLIT)).corrections
    assert (found.seat, found.before, found.after) == ("bob", "Java", "Go")
    assert found.reason == "had doubled the build times"
    assert found.because_of == ("ann",)


def test_a_correction_without_from_and_to_has_the_bottom_lines():
    answers = said(
        "BOTTOM LINE: Use Go.",
        "BOTTOM LINE: Go it is.\nCHANGED: yes: I was wrong about the builds",
        "BOTTOM LINE: Use Rust.",
    )
    (found,) = ledger_of(transcript(answers)).corrections
    assert (found.before, found.after) == ("Java.", "Go it is.")
    assert found.reason == "I was wrong about the builds"


def test_what_everybody_holds_is_one_position_and_nobodys_own_words_are_put_into_all_mouths():
    same = said(
        "BOTTOM LINE: Go.\nON THE OTHERS: bob agree; cyd agree",
        "BOTTOM LINE: Go it is.\nON THE OTHERS: ann agree; cyd agree",
        "BOTTOM LINE: Go, then.\nON THE OTHERS: ann agree; bob agree",
    )
    found = ledger_of(transcript(same))
    assert len(found.positions) == 1
    assert not found.common_ground
    assert not found.contested


def test_of_a_debate_without_any_lines_there_is_nothing_to_say():
    vague = "There is much to be said about this. " * 9
    assert ledger_of(transcript({"ann": [vague], "bob": [vague]})) is None


# -- by the analyst --------------------------------------------------------------------------


def test_a_complete_reply_is_taken_over_with_seats_for_letters():
    found = ledger_of(
        held(
            contested=[
                {
                    "question": "Does Rust pay off?",
                    "sides": [
                        {"statement": "Yes, in the third year.", "holders": ["C"],
                         "quote": {"panelist": "C", "text": "Rust pays off in the third year"}},
                        {"statement": "No.", "holders": ["A"],
                         "quote": {"panelist": "A", "text": "Go is the safer choice"}},
                    ],
                }
            ],
            common_ground=[{"statement": "Somebody must know the language.", "quotes": [
                {"panelist": "C", "text": "if one person knows it"}]}],
            minority=[{"claim": "Rust pays off later.", "holders": ["C"], "fate": "omitted",
                       "quote": {"panelist": "C", "text": "pays off in the third year"}}],
            corrections=[{"panelist": "B", "before": "150 s", "after": "75 s",
                          "reason": "had doubled it", "because_of": ["A"]}],
            missing=["What does your team know?"],
        )
    )  # fmt: skip
    assert (found.source, found.analyst, found.dropped) == ("analyst", "eve", 0)
    assert [p.holders for p in found.positions] == [("ann", "bob"), ("cyd",)]
    sides = found.contested[0].sides
    assert sides[0].quote == Quote(seat="cyd", text="Rust pays off in the third year")
    assert sides[1].quote == Quote(seat="ann", text="Go is the safer choice")
    assert found.common_ground[0].quotes[0].seat == "cyd"
    assert (found.minority[0].fate, found.minority[0].holders) == ("omitted", ("cyd",))
    assert found.corrections[0].because_of == ("ann",)
    assert found.missing == ("What does your team know?",)
    assert from_plain(Ledger, to_plain(found)) == found


@pytest.mark.parametrize(
    "holders",
    [["A", "B"], "A and B", "a, b", ["Panelist A", "panelist b"], ["Panelist A, PRIMARY", "B"],
     ["**A**", "B (80 %)"], ["ann", "bob"], "A/B", ["A", "B", "Z", "Panelist Q", 7, None]],
)  # fmt: skip
def test_holders_are_understood_however_they_are_written(holders):
    found = ledger_of(held(positions=[{"statement": "Go.", "holders": holders}, POSITIONS[1]]))
    assert [p.holders for p in found.positions] == [("ann", "bob"), ("cyd",)]


@pytest.mark.parametrize(
    "around",
    ["{}", "```json\n{}\n```", "Here is the ledger:\n\n{}\n\nI hope that helps.", '{{"a": 1}} {}'],
)
def test_the_object_is_found_amid_prose_and_fences(around):
    text = around.replace("{}", "\0").replace("{{", "{").replace("}}", "}")
    t = read(debate(ANSWERS), text.replace("\0", reply(positions=POSITIONS)))
    assert ledger_of(t).source == "analyst"


def test_a_reply_that_was_cut_off_counts_as_far_as_it_goes():
    whole = reply(positions=POSITIONS, contested=[{"question": "Why?", "sides": [
        {"statement": "x", "holders": ["A"]}, {"statement": "y", "holders": ["C"]}]}],
        common_ground=[{"statement": "Both are fast.", "quotes": []}])  # fmt: skip
    found = ledger_of(read(debate(ANSWERS), whole[: whole.index("Both are")]))
    assert [p.holders for p in found.positions] == [("ann", "bob"), ("cyd",)]
    assert len(found.contested) == 1
    assert not found.common_ground


def test_line_breaks_in_strings_and_commas_too_many_do_no_harm():
    text = '{"positions": [{"statement": "Go,\nof course", "holders": ["A", "B",]},], }'
    found = ledger_of(read(debate(ANSWERS), text))
    assert found.positions[0].statement == "Go, of course"


def test_a_quote_that_nobody_wrote_is_dropped_and_counted_and_the_claim_stays():
    found = ledger_of(
        held(
            minority=[
                {"claim": "Rust is slow.", "holders": ["C"], "fate": "rebutted",
                 "quote": {"panelist": "C", "text": "Rust is slow to compile"}},
                {"claim": "Rust pays.", "holders": ["C"], "fate": "listed",
                 "quote": {"panelist": "A", "text": "Rust pays off in the third year"}},
                {"claim": "Rust pays off.", "holders": ["C"], "fate": "listed",
                 "quote": {"panelist": "", "text": ""}},
            ],
        )
    )  # fmt: skip
    assert [m.claim for m in found.minority] == ["Rust is slow.", "Rust pays.", "Rust pays off."]
    assert [m.quote for m in found.minority] == [None, None, None]
    assert found.dropped == 2, "what was left empty was never said to be a quote"


def test_a_claim_whose_fate_cannot_be_read_is_left_out_not_guessed():
    rows = [
        {"claim": f"c{n}", "holders": ["C"], "fate": fate, "quote": ""}
        for n, fate in enumerate(["Omitted.", "rejected", "who knows", "", None, 3, "ADOPTED"])
    ]
    found = ledger_of(held(minority=rows))
    assert [(m.claim, m.fate) for m in found.minority] == [
        ("c0", "omitted"), ("c1", "rebutted"), ("c6", "adopted"),
    ]  # fmt: skip


def test_nobody_stands_in_two_positions_and_nobody_unknown_in_any():
    rows = [*POSITIONS, {"statement": "Both.", "holders": ["A", "Q"]}]
    found = ledger_of(held(positions=rows))
    assert [p.holders for p in found.positions] == [("ann", "bob"), ("cyd",)]


def test_an_issue_has_two_sides_or_is_none():
    one = {"statement": "Yes.", "holders": ["C"], "quote": None}
    nobody = {"statement": "No.", "holders": ["Q"], "quote": None}
    found = ledger_of(held(contested=[{"question": "Why?", "sides": [one, nobody]}]))
    assert not found.contested


def test_letters_in_statements_become_names():
    rows = [{"statement": "As Panelist C says, and plan B aside.", "holders": ["A"]}, POSITIONS[1]]
    assert ledger_of(held(positions=rows)).positions[0].statement == (
        "As cyd says, and plan B aside."
    )


@pytest.mark.parametrize(
    "text",
    ["", "They agree.", "[]", "{}", '{"agreement_level": 0.5}', '{"positions": []}', "{" * 5000,
     '{"positions": [{"statement": "x", "holders": ["Q"]}]}', '{"positions": 3}', "null"],
)  # fmt: skip
def test_what_cannot_be_read_is_no_ledger_and_the_panels_own_stands(text):
    t = read(debate(SPLIT), text)
    assert analyst_ledger(t) is None
    assert ledger_of(t) == panel_ledger(t)


def test_the_last_analyst_that_can_be_read_counts():
    t = read(debate(ANSWERS), reply(positions=POSITIONS))
    other = read_on(t, reply(positions=[{"statement": "All.", "holders": ["A", "B", "C"]}]), "dan")
    assert ledger_of(other).analyst == "dan"
    assert ledger_of(read_on(other, "I cannot say.", "fay")).analyst == "dan"


def read_on(t, text, seat):
    """The debate, read by one more analyst."""
    more = read(debate(ANSWERS), text, seat)
    key = f"-1/analysis/{seat}"
    asides = (*t.asides, more.answered[key])
    return replace(t, asides=asides, labels={**t.labels, key: more.labels[key]})


def test_a_debate_that_goes_on_has_no_reading_of_its_old_answer():
    t = held()
    reopened = Reopened(seq=t.last_seq + 1, at=t.updated_at, reason="continued")
    assert analyst_ledger(t.apply(reopened)) is None


# -- both ------------------------------------------------------------------------------------


def test_where_panelists_disagree_whom_the_analyst_puts_together_both_is_shown():
    everyone = [{"statement": "It depends.", "holders": ["A", "B", "C"]}]
    found = ledger_of(read(debate(SPLIT), reply(positions=everyone)))
    said = "in one position; they say that they disagree"
    assert found.disputes == (
        f"The analyst puts ann and cyd {said} (hiring; memory).",
        f"The analyst puts bob and cyd {said} (hiring).",
    )


def test_where_panelists_agree_whom_the_analyst_parts_both_is_shown():
    rows = [{"statement": x, "holders": [x]} for x in "ABC"]
    unmoved = SPLIT["bob"][1].partition("CHANGED")[0]
    held_on = {**SPLIT, "bob": [SPLIT["bob"][0], unmoved]}
    found = ledger_of(read(debate(held_on), reply(positions=rows)))
    assert found.disputes == (
        "The analyst puts ann and bob in different positions; they say that they agree.",
    )


def test_where_they_say_the_same_nothing_is_disputed():
    assert ledger_of(read(debate(SPLIT), reply(positions=POSITIONS))).disputes == ()


def test_what_a_panelist_says_of_its_own_change_is_kept_beside_the_analysts_word():
    found = ledger_of(read(debate(SPLIT), reply(positions=POSITIONS)))
    assert [(c.seat, c.before, c.after) for c in found.corrections] == [("bob", "Java", "Go")]
    own = [{"panelist": "B", "before": "150", "after": "75", "reason": "", "because_of": []}]
    found = ledger_of(read(debate(SPLIT), reply(positions=POSITIONS, corrections=own)))
    assert [(c.seat, c.before, c.after) for c in found.corrections] == [("bob", "150", "75")]


def test_a_correction_by_somebody_who_says_that_it_changed_nothing_is_not_told():
    slip = [{"panelist": "A", "before": "Rust", "after": "Go", "reason": "", "because_of": []}]
    found = ledger_of(read(debate(SPLIT), reply(positions=POSITIONS, corrections=slip)))
    assert [c.seat for c in found.corrections] == ["bob"]
    silent = {**SPLIT, "ann": ["Rust, perhaps.", "BOTTOM LINE: Use Go."]}  # says nothing of it
    found = ledger_of(read(debate(silent), reply(positions=POSITIONS, corrections=slip)))
    assert {c.seat for c in found.corrections} == {"ann", "bob"}


# -- quotes ----------------------------------------------------------------------------------

ANSWER = (
    "## Verdict\n\nThe bridge **will hold** for 30 years – that's what the "
    "[1998 survey](https://example.org/s) says.\n\n1. Steel: it's “good” steel.\n2. Wind\n"
    "   is no issue; load is.\n\n| load | 40 t |\n"
)


@pytest.mark.parametrize(
    "quote",
    [
        "The bridge will hold for 30 years",
        "the bridge  will\nhold for 30 years.",
        "The bridge *will hold* for 30 years - that’s what the 1998 survey says",
        'it\'s "good" steel',
        "It's good steel",
        "The bridge will hold ... what the 1998 survey says.",
        "The bridge will hold […] Wind is no issue",
        "Wind is no issue; load is",
        "“The bridge will hold for 30 years…”",
        "load 40 t",
    ],
)
def test_a_quote_is_found_whatever_its_dress(quote):
    assert is_in(quote, [ANSWER])


@pytest.mark.parametrize(
    "quote",
    [
        "The bridge will not hold",
        "The bridge will hold for 3 years",
        "will hold for 30 year",
        "hold for 30 years because of the wind",
        "what the 1998 survey says ... The bridge will hold",
        "the ... is",
        "",
        "...",
        "x" * 5000,
    ],
)
def test_words_that_are_not_there_are_no_quote(quote):
    assert not is_in(quote, [ANSWER])


def test_quotes_are_found_in_languages_without_blanks():
    assert is_in("桥会坚持三十年", ["我认为**桥会坚持三十年**，因为钢材很好。"])
    assert not is_in("桥不会坚持", ["我认为桥会坚持三十年"])


# -- hostile ---------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["positions", "contested", "sides", "holders", "statement", "quote",
                         "minority", "fate", "corrections", "panelist", "text", "A"]),
        inner, max_size=5),
    max_leaves=25,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(JSON)
def test_no_reply_breaks_the_reader(value):
    found = ledger_of(read(debate(ANSWERS), json.dumps(value)))
    seats = set(ANSWERS)
    for position in found.positions if found else ():
        assert set(position.holders) <= seats


@pytest.mark.parametrize("times", [1, 40])
def test_whatever_a_reply_holds_the_ledger_stays_small(times):
    long = "x" * 2000
    row = {"statement": long, "holders": ["A"] * 100, "quote": {"panelist": "A", "text": "Go"}}
    issue = {"question": long, "sides": [row, {**row, "holders": "C"}] * 10}
    claim = {"claim": long, "holders": ["C"], "fate": "listed"}
    found = ledger_of(held(contested=[issue] * times, minority=[claim] * 3 * times,
                           common_ground=[long] * times, missing=[long, "y"] * 9))  # fmt: skip
    assert len(str(found)) < 60_000
    assert max(len(s.statement) for i in found.contested for s in i.sides) <= 400


def test_reading_a_long_reply_takes_time_in_proportion():
    quote = {"panelist": "C", "text": "the bridge will hold ... " * 80}
    claim = {"claim": "c", "holders": ["C"], "fate": "listed", "quote": quote}
    text = reply(positions=POSITIONS, minority=[claim] * 12) + "{" * 100_000
    t = read(debate({**ANSWERS, "cyd": ["Rust.", "the bridge will hold " * 9000]}), text)
    with in_proportion():
        assert ledger_of(t)


# -- the question ----------------------------------------------------------------------------


def test_the_schema_is_closed_and_complete_all_the_way_down():
    def check(part):
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert set(part["required"]) == set(part["properties"])
        for inner in part.get("properties", {}).values():
            check(inner)
        if "items" in part:
            check(part["items"])

    check(schema())


def test_a_reply_in_the_form_of_the_schema_is_in_order():
    t = held()
    said = t.asides[-1]
    assert has_ledger(said, t.panelists[0]) is None
