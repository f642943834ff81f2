"""The heading says what happened, and nothing that did not."""

from __future__ import annotations

import pytest

from fakes.debates import START, Fault, Said, panelist, transcript
from mutual_dissent.core.events import Closed, Status
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.views.answer import answer, fallback_answer
from mutual_dissent.views.heading import heading, is_one_model

FOUR = {s: ["Canberra is the capital."] for s in ("claude", "gpt", "gemini", "grok")}


def closed(status: Status, reason: str, text: str = "") -> Closed:
    return Closed(at=START, status=status, reason=reason, text=text)


def test_all_went_well():
    t = transcript(FOUR)
    assert heading(t) == "4 of 4 answered; agreement 1.00 (by words); synthesized by claude"


def test_who_failed_is_named_with_its_reason():
    t = transcript({**FOUR, "grok": [Fault(ErrorKind.RATE_LIMIT)]})
    assert heading(t).startswith("3 of 4 answered (grok: rate limit); ")


def test_who_dropped_out_later_did_answer():
    t = transcript({**{s: a * 2 for s, a in FOUR.items()}, "grok": ["yes", Fault(ErrorKind.AUTH)]})
    assert "4 of 4 answered (grok dropped out in round 1: key refused)" in heading(t)


@pytest.mark.parametrize(
    "finish", [Finish.REFUSED, Finish.FILTERED, Finish.EMPTY, Finish.INCOMPLETE]
)
def test_an_answer_that_is_none_is_called_what_it_is(finish):
    t = transcript({**FOUR, "grok": [Fault(None, "it did not answer", finish)]})
    assert f"(grok: {finish.value})" in heading(t)


def test_agreement_is_a_number_with_its_measure_and_no_claim():
    said = heading(transcript(FOUR))
    assert "(by words)" in said
    assert "consensus" not in said


def test_no_agreement_is_named_where_none_was_measured():
    t = transcript({"claude": ["yes"], "gpt": [Fault()]}, synthesis=None)
    assert "agreement" not in heading(t)


def test_a_failed_synthesis_is_never_hidden():
    answers = {"claude": ["red fox"], "gpt": ["red fox jumps"], "grok": ["blue"]}
    t = transcript(answers, synthesis=[Fault(ErrorKind.TIMEOUT), Fault(ErrorKind.OVERLOADED)])
    assert heading(t).endswith(
        "not synthesized: claude: timeout and gpt: overloaded; "
        "shown: the answer nearest to all others, by claude"
    )
    assert fallback_answer(t).model_alias == "claude"
    assert answer(t).content == "red fox"


def test_a_stand_in_is_named_with_the_reason_it_was_needed():
    t = transcript(FOUR, synthesis=[Fault(ErrorKind.TIMEOUT), "Canberra."])
    assert heading(t).endswith("synthesized by gpt (after claude: timeout)")
    assert fallback_answer(t) is None


def test_the_only_answer_is_called_the_only_answer():
    t = transcript({"claude": ["yes"], "gpt": [Fault()]}, synthesis=None)
    said = heading(t)
    assert said.startswith("below quorum; 1 of 2 answered (gpt: rate limit)")
    assert said.endswith("shown: the only answer, by claude")


def test_nobody_answered():
    t = transcript({"claude": [Fault()], "gpt": [Fault()]}, synthesis=None)
    assert heading(t).endswith("not synthesized; there is no answer")
    assert answer(t) is None


def test_a_budget_that_stopped_it_comes_first():
    ending = closed(Status.STOPPED, "budget", "the next calls could exceed the limit of $1")
    t = transcript(FOUR, synthesis=None, closed=ending)
    assert heading(t).startswith("stopped: budget - the next calls could exceed the limit of $1; ")
    assert "not synthesized; shown: the answer nearest to all others" in heading(t)


def test_an_interruption_comes_first():
    t = transcript(FOUR, synthesis=None, closed=closed(Status.INTERRUPTED, "interrupted"))
    assert heading(t).startswith("interrupted; 4 of 4 answered")


def test_a_debate_whose_process_died_is_not_called_finished():
    assert heading(transcript(FOUR, synthesis=None, open_ended=True)).startswith("not finished; ")


def test_one_model_agreeing_with_itself_is_no_evidence():
    twins = [panelist("claude", "lab/x"), panelist("claude#2", "lab/x")]
    t = transcript({"claude": ["yes"], "claude#2": ["yes"]}, panel=twins)
    assert "all answers come from one model, so their agreement is no evidence" in heading(t)


def test_the_embedded_model_is_called_what_it_is():
    seats = [panelist(s, "smollm2", "local") for s in ("local", "local#2", "local#3")]
    t = transcript({p.seat: ["yes"] for p in seats}, panel=seats)
    assert "embedded demo model" in heading(t)
    assert "their agreement is no evidence" in heading(t)


def test_those_that_are_left_may_be_one_model():
    twins = [panelist("claude", "lab/x"), panelist("claude#2", "lab/x")]
    answers = {"claude": ["yes"], "claude#2": ["yes"], "gpt": [Fault()]}
    assert is_one_model(transcript(answers, panel=twins))
    assert not is_one_model(transcript({**answers, "gpt": ["yes"]}, panel=twins))


def test_the_embedded_model_among_others_is_no_reason_for_doubt():
    seats = [panelist("local", "smollm2", "local")]
    t = transcript({"local": ["yes"], "gpt": ["yes"]}, panel=seats)
    assert "no evidence" not in heading(t)


def test_another_model_that_answered_is_said():
    t = transcript({**FOUR, "gpt": [Said("Canberra", {"served_model": "lab/cheap-1"})]})
    assert "gpt was answered by lab/cheap-1 instead of lab/gpt-1" in heading(t)


def test_two_routes_to_one_model_are_one_model():
    seats = [panelist("a", "anthropic/claude-sonnet-5.5"), panelist("b", "claude-sonnet-5-5")]
    assert is_one_model(transcript({"a": ["yes"], "b": ["yes"]}, panel=seats))


def test_a_synthesis_that_was_cut_is_said():
    t = transcript(FOUR, synthesis=Said("Canb", {"finish": Finish.TRUNCATED}))
    assert heading(t).endswith("synthesized by claude, cut at a length limit")
