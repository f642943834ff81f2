"""The answer says how far the panel agreed, who did not, and claims no more than was found."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest

from fakes.debates import Fault, Said, panelist
from fakes.measured import by, deliberated, voted
from mutual_dissent.core.response import Citation, ErrorKind
from mutual_dissent.core.stopping import ExitCriteria
from mutual_dissent.views.answer import answer
from mutual_dissent.views.formats import FORMATS
from mutual_dissent.views.heading import heading
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.terminal import terminal

YES, NO = "AI is dangerous.", "AI is not dangerous."
HARM = "\x1b]0;owned\x07\x1b[31m"


def panel(*said, rounds: int = 1):
    seats = ("claude", "gpt", "gemini", "grok")
    return {s: [words] * rounds for s, words in zip(seats, said, strict=False)}


def flat(text: str) -> str:
    return " ".join(text.split())


def shown(t) -> dict[str, str]:
    """The answer in each view, on one line."""
    return {"terminal": flat(terminal(t)), "markdown": flat(to_markdown(t, full=False))}


@pytest.mark.parametrize("analyzer", ["semantic", "model"])
def test_consensus_is_claimed_where_the_analyzer_can_tell(analyzer):
    assert "; consensus; " in heading(deliberated(panel(YES, YES, YES), judge=by(analyzer)))


def test_rules_name_a_number_and_claim_nothing():
    said = heading(deliberated(panel(YES, YES, YES)))
    assert "agreement 1.00 (by rules)" in said
    assert "consensus" not in said


@pytest.mark.parametrize(
    ("said", "split"),
    [
        ((YES, YES, YES, NO), "split 3:1 (grok dissents)"),
        ((YES, YES, NO, NO), "split 2:2;"),
        ((YES, NO), "split 1:1;"),
    ],
)
@pytest.mark.parametrize("analyzer", ["rules", "semantic"])
def test_a_split_is_told_by_its_sizes(analyzer, said, split):
    found = heading(deliberated(panel(*said), judge=by(analyzer)))
    assert split in found
    assert "consensus" not in found


def test_answers_that_could_not_be_compared_are_no_split():
    t = deliberated({"a": ["Buy bonds and wait."], "b": ["Buy shares and sell bonds."]})
    assert "most pairs undecided" in heading(t)
    assert "split" not in heading(t)


def test_high_agreement_of_one_model_is_never_consensus():
    twins = [panelist(s, "lab/x") for s in ("claude", "gpt")]
    t = deliberated(panel(YES, YES), panel=twins, judge=by("semantic"))
    assert "consensus" not in heading(t)
    assert "no evidence" in heading(t)


def test_on_the_embedded_model_every_measure_is_called_a_demo():
    seats = [panelist(s, "smollm2", "local") for s in ("claude", "gpt", "grok")]
    said = {"claude": [YES, YES], "gpt": [NO, YES], "grok": [NO, NO]}
    t = deliberated(said, panel=seats)
    text = flat(terminal(t, verbose=True))
    assert "split" not in heading(t)
    for part in ("dissent", "decision", "agreement by rules", "kept to its own words", "worth"):
        assert f"{part} (a demo, no evidence here)" in text
    assert to_markdown(t).count("*embedded demo model") >= 4


def test_every_minority_position_is_listed_with_its_members():
    t = deliberated(panel(YES, YES, YES, NO))
    for text in shown(t).values():
        assert f"grok (contradicted): {NO}" in text
        assert f"gpt (contradicted): {YES}" not in text


def test_where_nobody_leads_every_position_is_listed():
    for text in shown(deliberated(panel(YES, YES, NO, NO))).values():
        assert f"claude and gpt (contradicted): {YES}" in text
        assert f"gemini and grok (contradicted): {NO}" in text


def test_who_had_to_oppose_is_told_from_who_dissents():
    seats = [replace(panelist("gpt"), role="OPPOSITION")]
    t = deliberated({"claude": [YES], "grok": [YES], "gpt": [NO]}, panel=seats)
    for text in shown(t).values():
        assert f"gpt as OPPOSITION (contradicted): {NO}" in text


def test_who_is_missing_and_who_was_made_to_hold_a_stance_is_said():
    flagged = {"stance": "for", "flags": ("stance: assigned for, said against",)}
    said = {**panel(YES, YES), "gemini": [Said(YES, flagged)], "grok": [Fault(ErrorKind.TIMEOUT)]}
    for text in shown(deliberated(said)).values():
        assert "gemini (initial answers): stance: assigned for, said against" in text
        assert "grok was not heard in initial" in text


@pytest.mark.parametrize(
    ("said", "level", "action"),
    [
        ((YES, YES, YES, YES), "high", "proceed"),
        ((YES, YES, YES, NO), "medium", "verify"),
        ((YES, NO), "low", "query_detail"),
    ],
)
def test_the_decision_says_what_to_do_and_why(said, level, action):
    t = deliberated(panel(*said))
    assert f"decision: {level}, {action}. The panel" in flat(terminal(t))
    assert f"**{level}, {action}**: The panel" in to_markdown(t)
    made = json.loads(FORMATS["json"](t))["metadata"]["decision"]
    assert (made["level"], made["action"], made["analyzer"]) == (level, action, "rules")


def test_contested_points_and_common_ground_are_shown():
    for text in shown(deliberated(panel(YES, YES, NO))).values():
        assert "ontested" in text
    for text in shown(deliberated(panel(YES, YES, YES))).values():
        assert "ommon ground" in text
        assert "ontested" not in text.replace("not contradicted", "")


def test_a_groupthink_warning_comes_with_its_reasons():
    sure = Said(YES, {"confidence": 0.95, "stance": "for"})
    t = deliberated(panel(sure, sure, sure), judge=by("semantic"))
    assert "possible groupthink" in heading(t)
    for text in shown(t).values():
        assert "ossible groupthink: everyone is at least" in text
        assert "no dissenting stance: everyone is for" in text


def test_why_no_further_round_was_held_is_said():
    for text in shown(deliberated(panel(YES, NO, rounds=2))).values():
        assert "o round after round 1" in text
        assert "all rounds were held" in text


def test_an_early_end_is_in_the_heading():
    t = deliberated(panel(YES, YES), rounds=3, exits=ExitCriteria())
    assert "ended after initial answers: agreement 1.00 has reached 0.9" in heading(t)


def test_movement_is_told_for_each_panelist():
    t = deliberated({"claude": [YES, YES], "gpt": [NO, YES], "grok": [NO, NO]})
    assert "gpt    ━" in terminal(t)
    assert "changed its position" in terminal(t)
    assert "| grok | 1.00 | unmoved |" in to_markdown(t)
    moved = json.loads(FORMATS["json"](t))["metadata"]["movement"]
    assert [(f["seat"], f["kind"]) for f in moved["flips"]] == [("gpt", "position")]


def test_the_winner_of_a_vote_is_named_with_the_votes():
    t = voted({"ada": (("bob",), ("cyd",)), "bob": (("cyd",),), "cyd": (("bob",), ("ada",))})
    assert "bob ranked first (borda" in heading(t)
    assert "3 votes)" in heading(t)


def test_a_tie_is_an_outcome():
    t = voted({"ada": (("bob",),), "bob": (("ada",),)})
    assert "ada and bob tied (borda, 2 votes)" in heading(t)


@pytest.mark.parametrize(("mode", "said"), [("ranking", True), ("consensus", False)])
def test_votes_that_could_not_be_read_are_said(mode, said):
    t = voted({"ada": None, "bob": None}, mode=mode)
    assert ("no ballot could be read" in heading(t)) is said


def test_without_a_synthesis_the_best_ranked_answer_is_shown_and_no_ballot():
    ballots = {"ada": (("bob",), ("cyd",)), "bob": (("cyd",),), "cyd": (("bob",), ("ada",))}
    t = voted(ballots, synthesis=Fault())
    assert answer(t).content == "bob says so."
    assert heading(t).endswith("shown: the best-ranked answer, by bob")


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


def test_the_table_has_the_structured_fields():
    t = deliberated({"claude": [Said(RAW, STRUCTURED)], "gpt": ["Sydney."]})
    row = next(csv.DictReader(io.StringIO(FORMATS["csv"](t), newline="")))
    assert (row["position"], row["confidence"], row["stance"]) == ("Canberra.", "0.8", "for")
    assert row["flags"] == "citations: not readable"
    assert row["ballot"] == "gpt > grok = claude"
    assert row["content"] == RAW


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
    broken = replace(t, rounds=tuple(replace(r, measures=odd) for r in t.rounds))
    for name in FORMATS:
        assert FORMATS[name](broken)
    assert "agreement 1.00" in heading(broken)
    assert "\x1b" not in terminal(broken)


def test_no_view_passes_on_what_a_terminal_would_act_on():
    said = {"claude": [Said(YES + HARM)], "gpt": [Said(NO + HARM, {"flags": ("stance" + HARM,)})]}
    t = deliberated(said, synthesis=f"see https://a.example/{HARM}x {HARM}")
    for text in (terminal(t, verbose=True), to_markdown(t), FORMATS["csv"](t)):
        assert "\x1b" not in text
        assert "\x07" not in text
    assert "<script>" not in to_markdown(
        deliberated({"a": [YES + " <script>"], "b": [NO + " <script>"]})
    )
