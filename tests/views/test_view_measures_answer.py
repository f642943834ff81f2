"""What stands under an answer: who holds what, what was corrected, what is open, what it cost."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

import mutual_dissent.library  # noqa: F401 - gives transcripts what only higher layers know
from fakes.closing import a_split, closed
from fakes.debates import Said, panelist, transcript
from mutual_dissent.analysis.ledger.entries import Issue, Ledger, Minority, Position, Side
from mutual_dissent.core.measures import measures_from_plain
from mutual_dissent.core.response import Citation
from mutual_dissent.views import account as account_module
from mutual_dissent.views.account import account
from mutual_dissent.views.documents.formats import FORMATS
from mutual_dissent.views.heading import heading
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.panel import positions as standing_module
from mutual_dissent.views.terminal import terminal

YES, NO = closed("Yes, it is."), closed("No, it is not.")
HARM = "\x1b]0;owned\x07\x1b[31m"
QUERY = "Is it dangerous?"


def panel(*said, rounds: int = 1):
    seats = ("claude", "gpt", "gemini", "grok")
    return {s: [words] * rounds for s, words in zip(seats, said, strict=False)}


def deliberated(said, **more):
    return transcript(said, **{"query": QUERY, **more})


def flat(text: str) -> str:
    return " ".join(text.split())


def shown(t) -> dict[str, str]:
    """The answer in each view, on one line."""
    return {
        "terminal": flat(terminal(t, width=200)),
        "markdown": flat(to_markdown(t, full=False)),
        "html": flat(FORMATS["html"](t)),
    }


LONG = "Go.\n\nIt is what most of the team can learn in weeks."


# -- who holds what


def test_every_position_is_listed_with_its_holders():
    told = account(a_split())
    assert told.holds == ("claude, gpt and grok: Go.", "p4: Rust, if one person knows it.")
    for text in shown(a_split(synthesis=LONG)).values():
        assert "claude, gpt and grok: Go." in text
        assert "p4: Rust, if one person knows it." in text


def test_where_all_hold_the_same_the_heading_has_said_it():
    t = deliberated(panel(YES, YES, YES))
    assert account(t).holds == ()
    assert "who holds what" not in terminal(t)


def test_answers_that_nobody_compared_are_listed_each_with_its_bottom_line():
    lines = ("Buy bonds and wait.", "Think of your time.")
    t = deliberated(panel(*map(closed, lines)), query="What shall I do?")
    assert account(t).holds == tuple(
        f"{s}: {x}" for s, x in zip(("claude", "gpt"), lines, strict=True)
    )


def test_who_had_to_oppose_is_told_from_who_dissents():
    seats = [replace(panelist("gpt"), role="OPPOSITION")]
    t = deliberated({"claude": [YES], "grok": [YES], "gpt": [NO]}, panel=seats)
    assert "gpt (opposition): No, it is not." in account(t).holds


def test_no_view_adds_a_section_of_dissent_of_its_own():
    own = "Go.\n\n## Dissent\n- p4 would take Rust."
    for text in (terminal(a_split(synthesis=own)), to_markdown(a_split(synthesis=own))):
        assert text.count("Dissent") == 1
    for text in (terminal(a_split(synthesis=LONG)), to_markdown(a_split(synthesis=LONG))):
        assert "issent" not in text.replace("dissent show", "").replace("dissent export", "")


# -- what was corrected


def test_what_was_corrected_is_told_with_the_reason_and_because_of_whom():
    said = {
        "p2": [
            closed("125"),
            closed("75", "p3 agree", "yes: from 125 to 75, because of p3: had doubled the rate"),
        ],
        "p3": [closed("75"), closed("75", "p2 disagree: the rate", "nothing")],
    }
    t = transcript(said, query="How many tuners are there?", synthesis=LONG)
    assert account(t).corrected == ("p2: 125 -> 75: had doubled the rate (because of p3)",)
    for text in shown(t).values():
        assert "125 -&gt; 75" in text or "125 -> 75" in text


# -- what stays open


def test_what_is_contested_is_told_with_its_sides():
    assert account(a_split("the horizon")).open == (
        "the horizon (claude, gpt and grok against p4)",
    )


@pytest.fixture
def read(monkeypatch):
    """Have a debate read by an analyst who says this."""

    def by_the_analyst(ledger: Ledger) -> None:
        for module in (account_module, standing_module):
            monkeypatch.setattr(module, "ledger_of", lambda _: ledger)
        monkeypatch.setattr("mutual_dissent.views.heading.ledger_of", lambda _: ledger)

    return by_the_analyst


def test_a_claim_that_the_answer_left_out_is_said(read):
    fates = ("omitted", "adopted", "rebutted", "listed")
    claims = tuple(
        Minority(claim=f"Claim that is {f}.", holders=("p4",), fate=f, quote=None) for f in fates
    )
    read(Ledger(source="analyst", analyst="gpt", minority=claims))
    told = account(a_split(synthesis=LONG)).open
    assert told == ("not taken up in the answer: Claim that is omitted (p4)",)


def test_an_issue_of_the_analyst_has_the_words_of_its_sides(read):
    sides = (
        Side(statement="It starts sooner.", holders=("claude", "gpt"), quote=None),
        Side(statement="It lasts longer.", holders=("p4",), quote=None),
    )
    read(
        Ledger(
            source="analyst",
            analyst="gpt",
            contested=(Issue(question="Which pays off?", sides=sides),),
        )
    )
    assert account(a_split()).open == (
        "Which pays off? claude and gpt: It starts sooner; p4: It lasts longer",
    )


def test_an_analyst_is_the_source_only_where_the_panel_is_none(read):
    held = (
        Position(statement="Wait.", holders=("claude", "gpt")),
        Position(statement="Sell.", holders=("grok",)),
    )
    read(Ledger(source="analyst", analyst="gpt", positions=held))
    said = (
        "Waiting has served most people well who had the time for it.",
        "Whoever waits sees more of what is to come, and pays for that.",
        "There is more than one way to look at it, and none is wrong.",
        "Selling now spares the trouble of thinking about it again.",
    )
    t = deliberated(panel(*said), query="What shall I do?")
    assert heading(t).startswith("2 of 4: Wait. grok: Sell.")
    assert "(as the analyst gpt reads it)" in heading(t)
    assert "(said by the panel itself)" in heading(a_split())


def test_an_analyst_who_contradicts_the_panel_is_told_as_such(read):
    read(Ledger(source="analyst", analyst="gpt", disputes=("p4 agrees with claude on Go.",)))
    assert "The analyst gpt groups them otherwise." in heading(a_split())


# -- what it cost


def test_the_cost_line_has_price_calls_time_and_writer():
    assert account(a_split()).cost == "$0.0279 for 9 calls in 25.0 s, written by claude"


# -- what is for those who want to know more


def test_decision_agreement_and_movement_are_for_verbose():
    t = a_split(synthesis=LONG)
    brief, full = flat(terminal(t)), flat(terminal(t, verbose=True))
    for said in (
        "trust: medium - verify: ",
        " medium, said by the panel itself",
        "what each changed",
    ):
        assert said not in brief
        assert said in full
    assert (
        "**trust: medium - verify**: p4 contradicts the majority: read its reasons."
        in to_markdown(t)
    )


@pytest.mark.parametrize(
    ("said", "level", "action"),
    [
        ((YES, YES, YES, YES), "high", "proceed"),
        ((YES, YES, YES, NO), "medium", "verify"),
        ((YES, NO), "low", "verify"),
    ],
)
def test_the_decision_says_what_to_do_and_why(said, level, action):
    t = deliberated(panel(*said))
    assert f"trust: {level} - {action}: " in flat(terminal(t, verbose=True))
    assert f"**trust: {level} - {action}**: " in to_markdown(t)
    made = json.loads(FORMATS["json"](t))["metadata"]["decision"]
    assert (made["level"], made["action"], made["analyzer"]) == (level, action, "values")


def test_the_json_has_the_account_and_the_ledger():
    t = a_split()
    metadata = json.loads(FORMATS["json"](t))["metadata"]
    assert metadata["account"]["headline"] == heading(t)
    assert metadata["account"]["holds"] == list(account(t).holds)
    assert metadata["ledger"]["source"] == "panel"
    assert metadata["ledger"]["positions"][0]["holders"] == ["claude", "gpt", "grok"]


def test_on_the_embedded_model_every_measure_is_called_a_demo():
    seats = [panelist(s, "smollm2", "local") for s in ("claude", "gpt", "grok")]
    said = {"claude": [YES, YES], "gpt": [NO, YES], "grok": [NO, NO]}
    t = deliberated(said, panel=seats, synthesis=LONG)
    text = flat(terminal(t, verbose=True))
    for part in ("who holds what", "trust", "agreement", "what each changed"):
        assert f"{part} (a demo, no evidence here)" in text
    assert to_markdown(t).count("*embedded demo model") >= 3


def test_a_groupthink_warning_comes_with_its_reasons():
    sure = Said(f"{YES}\nCONFIDENCE: 95 %", {"stance": "for"})
    t = deliberated(panel(sure, sure, sure))
    assert "groupthink" not in heading(t)
    for text in (flat(terminal(t, verbose=True)), flat(to_markdown(t))):
        assert "ossible groupthink: " in text


def test_movement_is_told_for_each_panelist():
    moved = closed(
        "Yes, it is.", "claude agree", "yes: from no to yes, because of claude: a reason"
    )
    t = deliberated({"claude": [YES, YES], "gpt": [NO, moved], "grok": [NO, NO]})
    assert "changed from no to yes, because of claude" in flat(terminal(t, verbose=True))
    assert "| grok | gives the same bottom line as before |" in to_markdown(t)  # it did not say so
    found = json.loads(FORMATS["json"](t))["metadata"]["movement"]
    assert [(f["seat"], f["kind"]) for f in found["flips"]] == [("gpt", "said")]


# -- sources, structured answers, tables


def test_sources_are_numbered_where_the_answer_names_them():
    cited = Citation(url="https://b.example/y", title="B")
    said = {"claude": [Said(YES, {"citations": (cited,)})], "gpt": [YES]}
    t = deliberated(said, synthesis="See [A](https://a.example/x) and https://b.example/y.")
    report, text = to_markdown(t), terminal(t)
    assert "See A [1] and [2]." in report
    assert "1. A https://a.example/x\n2. B https://b.example/y" in report
    assert "[1] A: https://a.example/x" in text
    assert "[2] B: https://b.example/y" in text or "[2] https://b.example/y" in text


STRUCTURED = {
    "position": "Canberra.",
    "reasoning": "It is where parliament sits.",
    "key_points": ("Parliament sits there.",),
    "confidence": 0.8,
    "stance": "for",
    "critique": {"gpt": {"strengths": ["short"], "weaknesses": ["=no sources"]}},
    "ballot": (("gpt",), ("grok", "claude")),
    "questions": ("Since when?",),
    "flags": ("citations: not readable",),
    "perspective": "legal",
    "team": "red",
}
RAW = '{"position": "Canberra."}'


def test_structured_answers_are_shown_in_words():
    t = deliberated({"claude": [Said(RAW, STRUCTURED)], "gpt": ["Sydney."]})
    for text in (flat(terminal(t, verbose=True)), flat(to_markdown(t))):
        assert RAW not in text
        for said in (
            "It is where parliament sits.",
            "weaknesses of gpt: =no sources",
            "Ranking: gpt > grok = claude",
            "Since when?",
            "confidence 0.80",
            "perspective legal",
            "team red",
            "stance for",
            "flagged: citations: not readable",
        ):
            assert said in text


def test_the_table_has_the_structured_fields_and_the_closing_lines():
    said = closed("42 days.", "gpt agree", "detail: the wording", estimate="42 days [40 to 44]")
    t = deliberated({"claude": [Said(RAW, STRUCTURED)], "gpt": [said]})
    first, second, *_ = csv.DictReader(io.StringIO(FORMATS["csv"](t), newline=""))
    assert (first["position"], first["confidence"], first["stance"]) == ("Canberra.", "0.8", "for")
    assert first["flags"] == "citations: not readable"
    assert first["ballot"] == "gpt > grok = claude"
    assert first["content"] == RAW
    assert (second["bottom_line"], second["estimate"], second["unit"], second["change"]) == (
        "42 days.", "42.0", "days", "detail",
    )  # fmt: skip


def test_what_was_not_measured_is_an_empty_cell():
    t = deliberated(panel("Bonds, then.", "It depends on your time."), query="What shall I do?")
    for row in csv.DictReader(io.StringIO(FORMATS["csv"](t), newline="")):
        assert (row["agreement"], row["estimate"], row["change"]) == ("", "", "")


def test_the_figures_of_the_json_come_from_the_measures():
    t = deliberated({"claude": [YES, YES], "gpt": [NO, YES], "grok": [NO, NO]})
    figures = json.loads(FORMATS["json"](t))["metadata"]["stats"]
    assert set(figures["convergence"]) == {"0", "1"}
    assert figures["disagreement_count"] == 2
    assert figures["rounds_to_convergence"] is None
    agreed = deliberated({"claude": [YES, YES], "gpt": [NO, YES]})
    assert agreed.metadata["stats"]["rounds_to_convergence"] == 1
    assert agreed.metadata["stats"]["disagreement_count"] == 0


def test_measures_of_a_hostile_file_break_no_view():
    t = deliberated(panel(YES, NO, rounds=2))
    odd = {"agreement": 1e308, "measure": HARM, "consensus": [], "exit": 3, "tally": {"rule": 1}}
    measures = measures_from_plain(odd)
    broken = replace(t, rounds=tuple(replace(r, measures=measures) for r in t.rounds))
    for name in {*FORMATS} - {"sarif"}:  # which is of reviews alone
        assert FORMATS[name](broken)
    assert heading(broken) == "2 answers; whether they agree was not measured."
    assert "\x1b" not in terminal(broken)


def test_no_view_passes_on_what_a_terminal_would_act_on():
    said = {
        "claude": [closed(f"Yes {HARM}, it is.")],
        "gpt": [Said(closed(f"No {HARM}, it is not."), {"flags": ("stance" + HARM,)})],
    }
    t = deliberated(said, synthesis=f"see https://a.example/{HARM}x {HARM}")
    for text in (
        heading(t),
        *account(t).holds,
        terminal(t, verbose=True),
        to_markdown(t),
        FORMATS["csv"](t),
    ):
        assert "\x1b" not in text
        assert "\x07" not in text
    assert "<script>" not in to_markdown(
        deliberated({"a": [closed("Yes <script>")], "b": [closed("No <script>")]})
    )


def test_a_position_in_the_analysts_words_is_said_to_be_so(read):
    worded = "Choose Go for the service, since it is the language that can be hired for."
    held = (Position(statement=worded, holders=("claude", "gpt", "grok")),)
    read(Ledger(source="analyst", analyst="gpt", positions=held))
    found = heading(a_split(synthesis=LONG))
    assert f"3 of 4: {worded[:-1]}" in found
    assert "(said by the panel itself and worded by the analyst)" in found


def test_how_an_analyst_reads_it_otherwise_is_said(read):
    held = (
        Position(statement="Go.", holders=("claude", "p4")),
        Position(statement="Rust.", holders=("gpt",)),
    )
    read(Ledger(source="analyst", analyst="gpt", positions=held, disputes=("They differ.",)))
    assert "The analyst gpt groups them otherwise: claude and p4; gpt." in heading(a_split())
