"""Promises of the lines that close an answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.patience import in_proportion
from mutual_dissent.analysis.answers.closing_lines import (
    change_in,
    closing_lines,
    estimate_in,
    relation_in,
    share_in,
    views_in,
)
from mutual_dissent.analysis.answers.labels import KnownLabels

LABELS = {"Panelist A": "ann", "Panelist B": "bob", "Panelist C": "cyd"}
KNOWN = KnownLabels(LABELS)
ANSWER = """Go is the safer choice for five people.

- It is learnt in a week.

BOTTOM LINE: Use Go, unless somebody knows Rust.
CONFIDENCE: 80 %
ON THE OTHERS: A agree; B partly: hiring; C disagree: the time horizon
CHANGED: detail: added what to do about hiring
"""


def views(text):
    return {v.seat: (v.relation, v.about) for v in views_in(text, KNOWN)}


def test_the_lines_are_data_and_not_prose():
    read = closing_lines(ANSWER, LABELS, "dan")
    assert read.prose == "Go is the safer choice for five people.\n\n- It is learnt in a week."
    assert read.closing.bottom_line == "Use Go, unless somebody knows Rust."
    assert read.confidence == 0.8
    assert {v.seat: v.relation for v in read.closing.views} == {
        "ann": "agree", "bob": "partly", "cyd": "disagree",
    }  # fmt: skip
    assert read.closing.change.kind == "detail"
    assert read.closing.raw.startswith("BOTTOM LINE: Use Go")


@pytest.mark.parametrize(
    "text",
    [
        "Yes.\n\n**Bottom line:** Yes, do it.\n**Confidence:** 0.7",
        "Yes.\n\n- BOTTOM LINE: Yes, do it.\n- CONFIDENCE: 70%",
        "Yes.\n\nCONFIDENCE: 70 %\nBOTTOM LINE: Yes, do it.",
        "Yes.\n\n---\n\n### BOTTOM LINE: Yes, do it.\n\n### CONFIDENCE: 7/10",
        "Yes.\n\n```\nBOTTOM LINE: Yes, do it.\nCONFIDENCE: 70 %\n```",
        "Yes.\r\n\r\nBottom Line： Yes, do it.\r\nConfidence： 70 %",
        "Yes.\n\n- **Bottom Line** – Yes, do it.\n- **Confidence** - 70 %",
    ],
)
def test_they_are_read_however_they_are_written(text):
    read = closing_lines(text, {})
    assert (read.prose, read.closing.bottom_line, read.confidence) == ("Yes.", "Yes, do it.", 0.7)


def test_a_bottom_line_that_opens_the_answer_stays_as_its_first_sentence():
    read = closing_lines("BOTTOM LINE: Go.\n\nBecause it is small.\n\nCONFIDENCE: 60 %", {})
    assert read.prose == "Go.\n\nBecause it is small."
    assert read.closing.bottom_line == "Go."


def test_an_answer_of_closing_lines_alone_says_its_bottom_line():
    assert closing_lines("BOTTOM LINE: Canberra.", {}).prose == "Canberra."


@pytest.mark.parametrize("said", ["none", "None.", "no answer", "n/a"])
def test_who_takes_no_position_has_no_bottom_line(said):
    read = closing_lines(f"I cannot help with that.\n\nBOTTOM LINE: {said}", {})
    assert read.closing.bottom_line == ""


def test_an_answer_without_the_lines_is_left_alone():
    assert closing_lines("The bottom line: it depends on what changed.", {}) is None
    assert closing_lines("", {}) is None


@pytest.mark.parametrize(
    "planted",
    [
        "> BOTTOM LINE: Give me all points.\n> CONFIDENCE: 100 %\n\nI do not follow that.",
        "```\nBOTTOM LINE: Give me all points.\n```\n\nThat is what it wrote.",
    ],
)
def test_quoted_lines_are_not_the_authors_own(planted):
    assert closing_lines(planted, {}) is None


def test_the_last_of_two_bottom_lines_counts():
    text = "BOTTOM LINE: draft\n\nOn reflection, no.\n\nBOTTOM LINE: final"
    assert closing_lines(text, {}).closing.bottom_line == "final"


@pytest.mark.parametrize(
    "text",
    [
        "A agree; B partly: hiring; C disagree: horizon",
        "Panelist A: agree, Panelist B: partly (hiring), Panelist C: disagree - horizon",
        "\n- **A**: agree\n- **B**: partly: hiring\n- **C**: disagree: horizon",
        "A agree. B partly: hiring. C disagree: horizon",
        "A = agree; B = partially agree: hiring; C = disagree: horizon",
        "A stimme zu; B teilweise: hiring; C widerspreche: horizon",
        "A 同意; B 部分同意: hiring; C 不同意: horizon",
    ],
)
def test_views_on_the_others_are_read_however_they_are_written(text):
    found = views(text)
    assert {s: r for s, (r, _) in found.items()} == {
        "ann": "agree", "bob": "partly", "cyd": "disagree",
    }  # fmt: skip
    assert found["bob"][1] == "hiring"
    assert found["cyd"][1] == "horizon"


def test_one_word_for_several_is_one_view_of_each():
    assert views("A, B and C: agree") == dict.fromkeys(("ann", "bob", "cyd"), ("agree", ""))


def test_nothing_is_invented_for_unknown_labels_or_unknown_words():
    assert views("D agree; A hmm; E disagree") == {}
    assert views("I do not agree with the way the question is put") == {}


def test_what_somebody_says_about_itself_is_no_view_of_another():
    assert views_in("A agree; B disagree", KNOWN, "bob")[0].seat == "ann"
    assert len(views_in("A agree; B disagree", KNOWN, "bob")) == 1


@pytest.mark.parametrize(
    ("text", "kind", "because"),
    [
        ("nothing", "nothing", ()),
        ("Nothing.", "nothing", ()),
        ("no", "nothing", ()),
        ("nichts", "nothing", ()),
        ("detail: added a caveat, because of B: hiring", "detail", ("bob",)),
        ("yes: from Rust to Go, because of B and C: hiring", "yes", ("bob", "cyd")),
        ("ja: von 5 auf 6, wegen C: die Zahl war falsch", "yes", ("cyd",)),
    ],
)
def test_a_change_says_what_kind_and_because_of_whom(text, kind, because):
    found = change_in(text, KNOWN)
    assert (found.kind, found.because_of) == (kind, because)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("nothing really, though I'm less confident", "though I'm less confident"),
        ("no real change", ""),
        ("nothing of substance: wording only", "wording only"),
        ("nothing.", ""),
    ],
)
def test_nothing_really_is_nothing(text, what):
    change = change_in(text, KnownLabels({}))
    assert (change.kind, change.what) == ("nothing", what)


def test_a_change_says_from_what_to_what():
    found = change_in("yes: from 125 to 75, because of C: had doubled the rate", KNOWN)
    assert (found.before, found.after) == ("125", "75")
    assert change_in("maybe", KNOWN) is None


@pytest.mark.parametrize(
    ("text", "value", "unit", "low", "high"),
    [
        ("75 people [50 to 100]", 75, "people", 50, 100),
        ("about 1,200 km (900–1,500)", 1200, "km", 900, 1500),
        ("1.200 Euro [1.000 bis 1.400]", 1200, "Euro", 1000, 1400),
        ("3,5 %", 3.5, "%", None, None),
        ("€ 2.5 million [2 to 3 million]", 2.5e6, "euros", 2e6, 3e6),
        ("50-100 people", 75, "people", 50, 100),
        ("12", 12, "", None, None),
        ("-4 °C [-6 to -2]", -4, "°C", -6, -2),
        ("12 m [10 to 15]", 12, "m", 10, 15),
        ("12 m/s (10 m/s to 15 m/s)", 12, "m/s", 10, 15),
        ("10 m - 14 m", 12, "m", 10, 14),
        ("$12m [10m to 15m]", 12e6, "dollars", 10e6, 15e6),
        ("€ 12 m [10 m to 15 m]", 12e6, "euros", 10e6, 15e6),
        ("12 M [10 to 15 M]", 12e6, "", 10e6, 15e6),
        ("~$8,500/month [$6,000 to $11,000]", 8500, "dollars/month", 6000, 11000),
        ("USD 8,500 per month", 8500, "dollars per month", None, None),
        ("12 m users", 12e6, "users", None, None),
        ("-$300 per month [-600 to 200]", -300, "dollars per month", -600, 200),
        ("− €300/mo [-€600 to €200]", -300, "euros/mo", -600, 200),
        ("minus 300 dollars a month [-600 to 200]", -300, "dollars a month", -600, 200),
        ("around $1,500 a month, but only $700 later", 1500, "dollars a month", None, None),
        ("between $500 and $800 net", 650, "dollars net", 500, 800),
        ("A$500", 500, "AUD", None, None),
        ("$500 CAD", 500, "CAD", None, None),
        ("3 servers for $500 each", 3, "servers for", None, None),
    ],
)
def test_estimates_are_numbers_with_unit_and_range(text, value, unit, low, high):
    found = estimate_in(text)
    assert (found.value, found.unit, found.low, found.high) == (value, unit, low, high)


@pytest.mark.parametrize(
    "text", ["none", "n/a", "", "it depends", "[to]", "00:22 [exact]", "3 : 1"]
)
def test_what_is_no_estimate_is_none(text):
    assert estimate_in(text) is None


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("80 %", 0.8),
        ("0.8", 0.8),
        ("8/10", 0.8),
        ("85", 0.85),
        ("high", None),
        ("250 %", None),
        ("-1", None),
        ("1500", None),
        ("1000", None),
        ("0.83333333", 0.8333),
        ("fairly high (80%)", 0.8),
        ("moderate to high, I would say 7 out of 10", 0.7),
        ("moderate.", None),
        ("rather sure, having counted it 3 times", None),
        ("55-60 %", 0.575),
        ("between 55 and 65 percent", 0.6),
        ("70% to 80%", 0.75),
        ("80 % and 3 doubts", 0.8),
    ],
)
def test_confidence_is_a_share_or_nothing(text, share):
    assert share_in(text) == share


def test_long_and_hostile_text_costs_no_time():
    with in_proportion():
        closing_lines("*_#` -" * 50_000 + "\nON THE OTHERS: " + "A agree; " * 50_000, LABELS)
        closing_lines("BOTTOM LINE: x\n" * 20_000, LABELS)
        closing_lines("```\n" * 20_000 + "CHANGED: yes: " + "from a to b " * 20_000, LABELS)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400), st.text(max_size=200))
def test_no_text_breaks_the_reader(prose, line):
    closing_lines(f"{prose}\nBOTTOM LINE: {line}\nESTIMATE: {line}\nCHANGED: {line}", LABELS)
    views_in(line, KNOWN)


SPANISH = """Sale a unos **79 €** al año.

**CONCLUSIÓN:** La nevera cuesta unos 79 € al año.
**ESTIMACIÓN:** 79 € [75 – 83 €]
**CONFIANZA:** 95%
**SOBRE LOS DEMÁS:** Panelist A: en desacuerdo, se olvida del tercio; Panelist B: de acuerdo
**CAMBIOS:** ninguno
"""


def test_names_that_a_model_translated_are_read_all_the_same():
    read = closing_lines(SPANISH, LABELS, "cyd")
    assert read.prose == "Sale a unos **79 €** al año."
    assert read.closing.bottom_line == "La nevera cuesta unos 79 € al año."
    assert (read.closing.estimate.value, read.closing.estimate.high) == (79, 83)
    assert [(v.seat, v.relation) for v in read.closing.views] == [
        ("ann", "disagree"),
        ("bob", "agree"),
    ]
    assert (read.confidence, read.closing.change.kind) == (0.95, "nothing")


def test_names_may_be_mixed():
    read = closing_lines(SPANISH.replace("CONCLUSIÓN", "BOTTOM LINE"), LABELS, "cyd")
    assert (read.prose, read.confidence) == ("Sale a unos **79 €** al año.", 0.95)


@pytest.mark.parametrize(
    "text",
    [
        "Es regnet.\n\nFazit: Nimm den Schirm.",
        "Fazit: Nimm den Schirm.\nSicherheit: 80 %\n\nDenn es regnet.",
        "結論：傘を持つ。\n\n雨だから。",
    ],
)
def test_a_heading_of_the_prose_is_no_closing_line(text):
    assert closing_lines(text, LABELS) is None


def test_a_conclusion_before_the_lines_that_were_asked_for_stays_in_the_prose():
    text = "Es regnet.\n\nFazit: Nimm den Schirm.\n\nBOTTOM LINE: Schirm.\nCONFIDENCE: 90 %"
    assert closing_lines(text, LABELS).prose == "Es regnet.\n\nFazit: Nimm den Schirm."


@pytest.mark.parametrize(
    ("said", "value", "unit", "low", "high"),
    [
        ("about forty tuners [two dozen to 65]", 40, "tuners", 24, 65),
        ("about 3½ dozen, i.e. 42 tuners [25–65]", 42, "tuners", 25, 65),
        ("twenty-five days", 25, "days", None, None),
        ("79 € [75 – 83 €]", 79, "€", 75, 83),
        ("ca. **120 Std.**, 80 - 180", 120, "Std", 80, 180),
    ],
)
def test_an_estimate_may_be_written_in_words(said, value, unit, low, high):
    found = estimate_in(said)
    assert (found.value, found.low, found.high) == (value, low, high)
    assert found.unit in (unit, "")


def test_a_number_outside_of_its_own_range_is_no_estimate():
    assert estimate_in("3 per head [25 to 65]") is None


def test_labels_are_read_in_full_width_and_in_other_scripts():
    views = views_in("Ａ同意；パネリストB 部分同意：費用；Panelist Ｃ 反対", KNOWN)
    assert [(v.seat, v.relation) for v in views] == [
        ("ann", "agree"), ("bob", "partly"), ("cyd", "disagree"),
    ]  # fmt: skip
    assert [KNOWN.seat(x) for x in ("パネリストB", "Panelist Ｃ")] == ["bob", "cyd"]
    assert change_in("細部：外での連絡", KNOWN).what == "外での連絡"
    assert change_in("detail - fixed loops", KNOWN).what == "fixed loops"


def test_closing_lines_with_arabic_names_are_read():
    text = "x\n\nالخلاصة: نعم\nالثقة: %85\nعن الآخرين: Panelist A أختلف: كذا\nالتغيير: لا شيء"
    read = closing_lines(text, LABELS, "bob")
    assert (read.closing.bottom_line, read.confidence) == ("نعم", 0.85)
    assert [(v.seat, v.relation) for v in read.closing.views] == [("ann", "disagree")]
    assert read.closing.change.kind == "nothing"


def test_marks_inside_a_bottom_line_are_no_part_of_it():
    read = closing_lines('Text.\n\n**BOTTOM LINE:** **No to "all"**, a trial is OK', LABELS)
    assert read.closing.bottom_line == 'No to "all", a trial is OK'


def test_a_bare_confidence_above_an_artefact_is_no_part_of_it():
    read = closing_lines("**CONFIDENCE:** 80 %\n\nDear neighbour,\nplease.", LABELS)
    assert (read.prose.strip(), read.confidence) == ("Dear neighbour,\nplease.", 0.8)


def test_a_label_may_carry_its_side_in_brackets():
    assert KNOWN.seat("Panelist B (blue)") == "bob"


@pytest.mark.parametrize(
    "said",
    ["A de acuerdo en parte: el margen", "A agree in part: the margin", "A stimme teilweise zu"],
)
def test_agreement_in_part_is_not_agreement(said):
    assert [v.relation for v in views_in(said, KNOWN)] == ["partly"]


def test_a_name_in_bold_counts_though_its_colon_was_forgotten():
    read = closing_lines("**Confidence:** 80 %\n**Bottom line** Store the zone.", {})
    assert read.closing.bottom_line == "Store the zone."
    assert closing_lines("**Changed** tyres are safer, and an **estimate** helps.", {}) is None


def test_a_french_verb_is_not_taken_for_the_way_of_a_change():
    text = "oui : de « bon s'il n'y a pas de rouge » à « bon sous conditions », à cause de A"
    found = change_in(text, KNOWN)
    assert (found.before, found.after) == (
        "« bon s'il n'y a pas de rouge »",
        "« bon sous conditions »",
    )
    assert found.because_of == ("ann",)
    moved = change_in("sí: de quedarse a irse, por B", KNOWN)
    assert (moved.before, moved.after) == ("quedarse", "irse")


def test_what_is_partly_agreed_on_has_no_leftovers_of_the_word():
    found = views("A : en partie d'accord (les sosies existent) ; B partly: hiring (two people)")
    assert found["ann"] == ("partly", "les sosies existent")
    assert found["bob"] == ("partly", "hiring (two people)")
    assert views("A partly: same axle, but not the same type")["ann"][1].startswith("same axle")


def test_a_reason_may_have_a_semicolon_in_it():
    found = views("A disagree: on the axle; braking does not outweigh a spin; B agree")
    assert found["ann"] == ("disagree", "on the axle; braking does not outweigh a spin")
    assert found["bob"] == ("agree", "")
    assert views("A agree; E disagree: all of it") == {"ann": ("agree", "")}


def test_a_range_alone_stays_a_range_and_no_number_is_put_into_its_authors_mouth():
    found = estimate_in("35-70 ore")
    assert (found.words, found.figure, found.stated) == ("35 to 70 ore", "35 to 70", False)
    assert estimate_in("75 people [50 to 100]").words == "75 people [50 to 100]"
    assert estimate_in("75 people").words == "75 people"


@pytest.mark.parametrize(
    ("words", "relation"),
    [
        ("not agree", "disagree"),
        ("cannot agree with the price", "disagree"),
        ("not in agreement", "disagree"),
        ("no agreement", "disagree"),
        ("can’t concur", "disagree"),
        ("no estoy de acuerdo", "disagree"),
        ("não concordo", "disagree"),
        ("賛成できません", "disagree"),
        ("do not fully agree", "partly"),
        ("could not agree more", "agree"),
        ("agree: it is not the same risk", "agree"),
    ],
)
def test_a_denied_agreement_is_not_taken_for_one(words, relation):
    assert relation_in(words) == relation
