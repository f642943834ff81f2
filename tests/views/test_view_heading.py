"""The heading says in words what the panel holds and what a reader must know, and nothing else."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fakes.closing import a_split, closed, related
from fakes.debates import START, Fault, Said, panelist, transcript
from fakes.measured import voted
from mutual_dissent.core.events import Closed, Status
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.core.stopping import ExitCriteria
from mutual_dissent.views.account import account
from mutual_dissent.views.answer import answer, fallback_answer
from mutual_dissent.views.heading import heading, is_one_model

FOUR = {s: ["Canberra is the capital."] for s in ("claude", "gpt", "gemini", "grok")}
QUERY = "Rust or Go?"
JARGON = (
    "query_detail", "apart", "own words", "directive", "lexical", "semantic", "synthesized",
    "cluster", "agreement 0", "agreement 1", "by rules", "proceed", "consensus",
)  # fmt: skip


def ended(status: Status, reason: str, text: str = "") -> Closed:
    return Closed(at=START, status=status, reason=reason, text=text)


# -- who holds what


def test_a_majority_and_who_holds_what_against_it():
    assert heading(a_split()) == (
        "3 of 4: Go. p4: Rust, if one person knows it. (said by the panel itself)"
    )


def test_all_agree():
    assert heading(transcript(FOUR)) == "All 4: Canberra is the capital. (compared by value)"


def test_a_tie_is_a_split_with_its_sizes():
    said = related({"a": "Go.", "b": "Go.", "c": "Rust.", "d": "Rust."}, ["ab", "cd"])
    assert heading(transcript(said, query=QUERY)) == (
        "Split 2:2: a and b: Go; c and d: Rust. (said by the panel itself)"
    )


def test_an_answer_that_leaves_the_majority_is_said_to():
    against = "claude disagree; gpt disagree; grok disagree; p4 agree"
    found = heading(a_split(synthesis=closed("Rust after all.", against)))
    assert found.endswith("The answer does not follow them: Rust after all.")
    assert "The answer" not in heading(a_split(synthesis=closed("Go.", "claude agree; p4 partly")))


def test_of_a_split_panel_the_answer_is_told_even_if_nobody_says_whose_side_it_takes():
    said = related({"a": "Go.", "b": "Rust."}, ["a", "b"])
    found = heading(transcript(said, query=QUERY, synthesis=closed("Go, on the whole.")))
    assert found.endswith("The answer, by a: Go, on the whole.")


def test_at_most_three_positions_are_told_and_the_rest_is_counted():
    lines = {s: f"{s.upper()}-Lang is the best one." for s in "abcdef"}
    said = related(lines, ["ab", *"cdef"])
    found = heading(transcript(said, query="Which language?"))
    assert found.startswith("2 of 6: A-Lang is the best one. c: C-Lang is the best one. d: D-Lang")
    assert "And 2 more positions." in found
    assert "E-Lang" not in found


def with_a_reservation(*agreeing: str):
    """All for Go, but gpt, who minds something."""
    told = "; ".join(f"{s} partly: hiring" for s in agreeing)
    said = {"gpt": [closed("Go."), closed("Go, but mind hiring.", told, "nothing")]}
    for seat in agreeing:
        views = "; ".join(["gpt partly: hiring", *(f"{s} agree" for s in agreeing if s != seat)])
        said[seat] = [closed("Go."), closed("Go.", views, "nothing")]
    return transcript(said, query=QUERY)


def test_who_agrees_in_part_is_told_with_its_own_words():
    t = with_a_reservation("claude", "grok")
    assert (
        heading(t)
        == "2 of 3: Go. gpt agrees in part: Go, but mind hiring. (said by the panel itself)"
    )
    assert "gpt in part: Go, but mind hiring." in account(t).holds


def test_two_who_agree_in_part_are_no_split():
    assert heading(with_a_reservation("claude")) == (
        "Agreed only in part: gpt: Go, but mind hiring; claude: Go. (said by the panel itself)"
    )


def test_who_took_no_position_is_counted_among_the_answers():
    said = {s: [closed("Yes.")] for s in "abc"} | {"d": [closed("none", prose="I cannot say.")]}
    found = heading(transcript(said, query="Is it safe?"))
    assert found == "3 of 4: Yes. d took no position. (compared by value)"


def test_nobody_took_a_position():
    said = {s: [closed("none", prose="I cannot help with that.")] for s in "abcd"}
    assert heading(transcript(said)) == "Nobody took a position (4 declined)."


def test_what_nobody_could_tell_is_not_claimed():
    said = {"a": ["Buy bonds and wait a while."], "b": ["Think of the time you have."]}
    assert heading(transcript(said, query="What shall I do?")) == (
        "2 answers; whether they agree was not measured."
    )


def test_a_long_position_is_cut_at_a_word():
    long = "Write the service in Go because the team knows it and " + "very " * 60 + "well."
    said = related({"a": long, "b": "Rust."}, ["a", "b"])
    found = heading(transcript(said, query=QUERY))
    shown = re.search(r"a: (.*?…); b: Rust", found)[1]
    assert len(shown) <= 181
    assert shown.endswith("very…")


def test_the_statement_is_that_of_whom_most_agree_with():
    said = related({"a": "Go, I would say, all in all.", "b": "Go.", "c": "Take Go."}, ["abc"])
    assert heading(transcript(said, query=QUERY)).startswith("All 3: Go. (")


def test_what_only_the_user_can_tell_is_missing():
    wanted = "what your team knows. I assumed Python."
    t = transcript(
        {s: [closed("Go.")] for s in "ab"},
        query=QUERY,
        synthesis=Said("Go.", {"requests": (wanted,)}),
    )
    assert "Go. (compared by value) Missing: what your team knows." in heading(t)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            ("your current monthly Lambda bill", "monthly Lambda bill and traffic pattern"),
            "your current monthly Lambda bill; traffic pattern",
        ),
        (
            ("monthly Lambda bill and traffic pattern", "your current monthly Lambda bill"),
            "monthly Lambda bill and traffic pattern",
        ),
        (("the budget", "research and development staff"), None),
        (("who owns it", "who runs it"), None),
    ],
)
def test_what_is_missing_is_said_once(asked, told):
    synthesis = Said("Go.", {"requests": asked})
    t = transcript({s: [closed("Go.")] for s in "ab"}, query=QUERY, synthesis=synthesis)
    assert f"Missing: {told or '; '.join(asked)}." in heading(t)


def test_several_sources_are_named():
    said = {
        "a": [closed("Canberra."), closed("Canberra.", "b agree; c agree", "nothing")],
        "b": [closed("Canberra."), closed("Canberra.", "a agree", "nothing")],
        "c": [closed("Canberra."), closed("Canberra.", "a agree", "nothing")],
    }
    assert heading(transcript(said)).endswith("(said by the panel itself and compared by value)")


# -- a number only where it means something


def test_most_estimates_make_a_median_with_its_range():
    said = {
        s: [closed(f"About {n}.", estimate=f"{n} people [{n - 20} to {n + 20}]")]
        for s, n in zip("abcd", (70, 75, 80, 80), strict=True)
    }
    found = heading(transcript(said, query="How many piano tuners are there in Chicago?"))
    assert found == "All 4: median 77.5 people [57.5 to 97.5]. (compared by their figures)"


def test_of_exact_figures_that_differ_there_is_no_median():
    said = {"a": [closed("540 meters", estimate="540 meters")],
            "b": [closed("180 meters", estimate="180 meters [180 to 180]")]}  # fmt: skip
    found = heading(transcript(said, query="How many meters does he run?"))
    assert found == "Split 1:1: a: 540 meters; b: 180 meters. (compared by their figures)"


def test_two_of_five_estimates_are_no_median():
    said = {s: [closed("Yes.", estimate="5 days")] for s in "ab"} | {
        s: [closed("Yes.")] for s in "cde"
    }
    assert "edian" not in heading(transcript(said, query="Will it be done in a week?"))


NUMBERS = {s: [closed("42")] for s in "abcd"}


def test_a_chance_is_told_for_numbers_of_different_models():
    found = heading(transcript(NUMBERS, query="What is 6 times 7?"))
    assert re.search(r"Such agreement was right in \d\d % of recorded cases \(numbers\)\.", found)


@pytest.mark.parametrize(
    ("said", "more"),
    [
        (NUMBERS, {"panel": [panelist(s, "lab/x") for s in "abcd"]}),
        (NUMBERS, {"panel": [panelist("a", "lab/x"), panelist("b", "lab/x")]}),
        ({s: [closed("Go slowly.")] for s in "abcd"}, {"query": "What shall I do?"}),
        (NUMBERS | {"d": [closed("The product of both of them.")]}, {}),
        ({s: [*NUMBERS[s], closed("43", changed="yes: from 42 to 43")] for s in "abcd"}, {}),
    ],
    ids=["one model", "a model twice", "an open answer", "one not measured", "all changed"],
)
def test_no_chance_is_told_where_none_was_checked(said, more):
    t = transcript(said, **{"query": "What is 6 times 7?", **more})
    assert "Such agreement" not in heading(t)


# -- who is missing, who stood in


def test_who_failed_is_named_with_its_reason():
    t = transcript({**FOUR, "grok": [Fault(ErrorKind.RATE_LIMIT)]})
    assert heading(t) == (
        "All 3: Canberra is the capital. (compared by value) grok did not answer: rate limit."
    )


def test_who_dropped_out_later_did_answer():
    t = transcript({**{s: a * 2 for s, a in FOUR.items()}, "grok": ["yes", Fault(ErrorKind.AUTH)]})
    assert "grok dropped out in round 1: key refused." in heading(t)


@pytest.mark.parametrize("finish", [Finish.REFUSED, Finish.FILTERED, Finish.EMPTY])
def test_an_answer_that_is_none_is_called_what_it_is(finish):
    t = transcript({**FOUR, "grok": [Fault(None, "it did not answer", finish)]})
    assert f"grok did not answer: {finish.value}." in heading(t)


def test_a_failed_synthesis_is_never_hidden():
    t = transcript(FOUR, synthesis=[Fault(ErrorKind.TIMEOUT), Fault(ErrorKind.OVERLOADED)])
    assert heading(t).endswith(
        "No answer was written (claude: timeout and gpt: overloaded); "
        "shown is one that speaks for the largest group, by claude."
    )
    assert fallback_answer(t).model_alias == "claude"


def test_answers_that_nobody_compared_are_not_said_to_speak_for_anybody():
    answers = {"claude": ["red fox runs"], "gpt": ["a fox jumps far"], "grok": ["blue birds sing"]}
    t = transcript(answers, synthesis=Fault(), query="What do you see?")
    assert heading(t).endswith("shown is the first one of the panel, by claude.")
    assert answer(t).content == "red fox runs"


def test_a_stand_in_is_named_with_the_reason_it_was_needed():
    t = transcript(FOUR, synthesis=[Fault(ErrorKind.TIMEOUT), "Canberra."])
    assert heading(t).endswith("gpt wrote the answer in place of claude (timeout).")
    assert fallback_answer(t) is None


def test_the_only_answer_is_called_the_only_answer():
    t = transcript({"claude": [closed("Yes.")], "gpt": [Fault()]}, synthesis=None)
    found = heading(t)
    assert found.startswith("One answer, by claude: Yes. gpt did not answer: rate limit.")
    assert "Too few answered" in found
    assert found.endswith("shown is the only one, by claude.")


def test_nobody_answered():
    t = transcript({"claude": [Fault()], "gpt": [Fault()]}, synthesis=None)
    assert heading(t).startswith("Nobody answered. claude and gpt did not answer: rate limit.")
    assert heading(t).endswith("there is no answer.")
    assert answer(t) is None


def test_another_model_that_answered_is_said():
    t = transcript({**FOUR, "gpt": [Said("Canberra", {"served_model": "lab/cheap-1"})]})
    assert "gpt was answered by lab/cheap-1 instead of lab/gpt-1." in heading(t)


def test_a_synthesis_that_was_cut_is_said():
    t = transcript(FOUR, synthesis=Said("Canb", {"finish": Finish.TRUNCATED}))
    assert heading(t).endswith("The answer was cut at a length limit.")


# -- how it ended


def test_a_budget_that_stopped_it_is_said():
    stop = ended(Status.STOPPED, "budget", "the next calls could exceed the limit of $1")
    found = heading(transcript(FOUR, synthesis=None, closed=stop))
    assert "Stopped: budget - the next calls could exceed the limit of $1." in found
    assert "No answer was written; shown is one that speaks for the largest group" in found


def test_what_the_user_did_is_not_explained_to_the_user():
    stop = ended(Status.STOPPED, "stopped", "stopped by directive")
    assert "Stopped. " in heading(transcript(FOUR, synthesis=None, closed=stop))


def test_an_interruption_is_said():
    t = transcript(FOUR, synthesis=None, closed=ended(Status.INTERRUPTED, "interrupted"))
    assert "Interrupted. " in heading(t)


def test_a_debate_whose_process_died_is_not_called_finished():
    assert "Not finished." in heading(transcript(FOUR, synthesis=None, open_ended=True))


def test_a_debate_whose_answer_stands_is_not_called_unfinished():
    assert "inished" not in heading(transcript(FOUR, open_ended=True))


def test_an_early_end_is_said():
    t = transcript(FOUR, rounds=3, exits=ExitCriteria(consensus=0.9))
    assert "Ended after initial answers: the panel agreed." in heading(t)


# -- one model


def test_one_model_agreeing_with_itself_is_no_evidence():
    twins = [panelist("claude", "lab/x"), panelist("claude#2", "lab/x")]
    t = transcript({"claude": ["yes"], "claude#2": ["yes"]}, panel=twins)
    assert "One model on every chair, so their agreement is no evidence." in heading(t)


def test_the_embedded_model_is_called_what_it_is():
    seats = [panelist(s, "smollm2", "local") for s in ("local", "local#2", "local#3")]
    t = transcript({p.seat: ["yes"] for p in seats}, panel=seats)
    assert "Embedded demo model" in heading(t)
    assert "their agreement is no evidence" in heading(t)


@pytest.mark.parametrize("answers", [0, 1])
def test_no_agreement_is_doubted_where_nobody_could_agree(answers):
    seats = [panelist(s, "smollm2", "local") for s in ("local", "local#2", "local#3")]
    said = {p.seat: ["yes" if i < answers else Fault()] for i, p in enumerate(seats)}
    assert "their agreement" not in heading(transcript(said, panel=seats))


def test_a_larger_embedded_model_is_no_demo_and_still_no_evidence():
    seats = [panelist(s, "qwen", "local") for s in ("local", "local#2", "local#3")]
    t = transcript({p.seat: ["yes"] for p in seats}, panel=seats)
    assert "demo" not in heading(t).lower()
    assert "One model on every chair, so their agreement is no evidence." in heading(t)


def test_those_that_are_left_may_be_one_model():
    twins = [panelist("claude", "lab/x"), panelist("claude#2", "lab/x")]
    answers = {"claude": ["yes"], "claude#2": ["yes"], "gpt": [Fault()]}
    assert is_one_model(transcript(answers, panel=twins))
    assert not is_one_model(transcript({**answers, "gpt": ["yes"]}, panel=twins))


def test_the_embedded_model_among_others_is_no_reason_for_doubt():
    seats = [panelist("local", "smollm2", "local")]
    t = transcript({"local": ["yes"], "gpt": ["yes"]}, panel=seats)
    assert "no evidence" not in heading(t)


def test_two_routes_to_one_model_are_one_model():
    seats = [panelist("a", "anthropic/claude-sonnet-5.5"), panelist("b", "claude-sonnet-5-5")]
    assert is_one_model(transcript({"a": ["yes"], "b": ["yes"]}, panel=seats))


# -- votes


def test_the_winner_of_a_vote_is_named_with_its_points():
    t = voted({"ada": (("bob",), ("cyd",)), "bob": (("cyd",),), "cyd": (("bob",), ("ada",))})
    assert "bob ranked first: 2 of 2 points, borda." in heading(t)


def test_a_tie_is_an_outcome():
    t = voted({"ada": (("bob",),), "bob": (("ada",),)})
    assert "ada and bob tied for the first place: 2 votes, borda." in heading(t)


@pytest.mark.parametrize(("mode", "said"), [("ranking", True), ("consensus", False)])
def test_votes_that_could_not_be_read_are_said(mode, said):
    t = voted({"ada": None, "bob": None}, mode=mode)
    assert ("No ballot could be read." in heading(t)) is said


def test_without_a_synthesis_the_best_ranked_answer_is_shown_and_no_ballot():
    ballots = {"ada": (("bob",), ("cyd",)), "bob": (("cyd",),), "cyd": (("bob",), ("ada",))}
    t = voted(ballots, synthesis=Fault())
    assert answer(t).content == "bob says so."
    assert heading(t).endswith("shown is the best-ranked one, by bob.")


# -- names and words


def test_a_vendor_before_a_name_is_left_out_where_nobody_else_is_meant():
    seats = [panelist("openrouter:p1"), panelist("openrouter:p2"), panelist("openrouter:p3")]
    lines = {"openrouter:p1": "Go.", "openrouter:p2": "Go.", "openrouter:p3": "Rust."}
    said = related(lines, [tuple(lines)[:2], tuple(lines)[2:]])
    t = transcript(said, panel=seats, query=QUERY)
    assert heading(t).startswith("2 of 3: Go. p3: Rust.")
    assert account(t).holds[0] == "p1 and p2: Go."


def test_a_name_that_two_have_keeps_its_vendor():
    seats = [panelist("openrouter:p1"), panelist("p1", vendor="openai")]
    said = related({"openrouter:p1": "Go.", "p1": "Rust."}, [("openrouter:p1",), ("p1",)])
    assert "openrouter:p1: Go; p1: Rust." in heading(transcript(said, panel=seats, query=QUERY))


@pytest.mark.parametrize(
    "t",
    [
        transcript(FOUR),
        a_split(),
        transcript(FOUR, synthesis=None,
                   closed=ended(Status.STOPPED, "stopped", "stopped by directive")),
        transcript({"a": ["Buy bonds."], "b": ["Buy none of that at all."]}, query="What now?"),
        replace(a_split(), synthesis=None),
    ],
    ids=["all", "split", "stopped", "not measured", "not written"],
)  # fmt: skip
def test_no_jargon(t):
    found = heading(t)
    assert not [word for word in JARGON if word in found.replace("shown is", "")]


def test_a_korean_sentence_ends_with_a_full_stop_and_a_japanese_one_with_a_ring():
    for line, end in (("월세가 낫다", "월세가 낫다. "), ("持たせるべきだ", "持たせるべきだ。 ")):
        said = related({"a": line, "b": line, "c": "X."}, ["ab", "c"])
        assert end in heading(transcript(said, query=QUERY))


def test_words_of_one_member_are_given_to_that_one_and_the_others_agree():
    long = "Refuse it as it stands, since the gain is small and costs thirty hours each month."
    lines = {"a": long, "b": "Refuse it, for the risk of the trial period is what decides it.",
             "c": "Take it."}  # fmt: skip
    t = transcript(related(lines, ["ab", "c"]), query="Shall I take it?")
    [first, _] = account(t).holds
    assert first in (f"a (b agrees): {long}", f"b (a agrees): {lines['b']}")


def test_who_agrees_with_the_words_that_are_shown_is_not_said_to_agree_in_part():
    rule = "Pay it off where the loan costs more than the deposit brings, and keep it otherwise."
    lines = dict.fromkeys("abc", rule) | {"d": "Above the threshold pay it off, below it wait."}
    said = {
        "a": [closed(rule), closed(rule, "b partly: the margin; c agree; d agree", "nothing")],
        "b": [closed(rule), closed(rule, "a partly: the margin; c agree; d partly: it", "nothing")],
        "c": [closed(rule), closed(rule, "a agree; b agree; d agree", "nothing")],
        "d": [closed(lines["d"]),
              closed(lines["d"], "a partly: the end; b partly: it; c agree", "nothing")],
    }  # fmt: skip
    t = transcript(said, query="Shall I pay off my loan?")
    assert heading(t).startswith("All 4 in the main")
    assert "agrees in part" not in heading(t)


def test_a_figure_beside_a_decision_is_a_second_fact():
    query = "Should we move to Hetzner, and what would it save us?"
    lines = {"a": "Move; it saves 8,550 dollars a month.", "b": "Go, about 9,000 dollars a month.",
             "c": "Stay on AWS."}  # fmt: skip
    views = {"a": "b agree; c disagree", "b": "a agree; c disagree", "c": "a disagree; b disagree"}
    figures = {"a": "8,550 dollars/month [6,000 to 11,000]",
               "b": "9,000 dollars a month [7,000 to 12,000]",
               "c": "8,550 dollars [6,000 to 10,000]"}  # fmt: skip

    def words(exact):
        given = {s: f.split(" [")[0] if exact else f for s, f in figures.items()}
        said = {
            s: [closed("x"), closed(lines[s], views[s], "nothing", estimate=given[s])]
            for s in "abc"
        }
        return heading(transcript(said, query=query))

    assert words(exact=False).startswith("2 of 3: ")
    held, _, rest = words(exact=False).partition("Stay on AWS")
    assert "8,550" not in held
    assert "Median 8,550 dollars a month [6,000 to 11,000]." in rest
    assert "Estimates: a 8,550, b 9,000, c 8,550 dollars a month." in words(exact=True)
