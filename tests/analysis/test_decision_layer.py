"""Promises of the decision layer."""

from __future__ import annotations

from fakes.debates import transcript
from mutual_dissent.analysis.rounds.recommendation import decision
from mutual_dissent.analysis.rounds.recorded import consensus_of
from mutual_dissent.core.measures import Groupthink

WALKS = (
    "There is much to be said about paths through a valley. In spring the lower one is wet, and "
    "those who know it bring boots. Further up there are stones, and the view is worth the climb.\n"
    "\nWhoever has children with them will think of the river first, and of the bridge after it."
)
TOLLS = (
    "Roads have been paid for in many ways. Some towns took a toll at the gate; others asked every "
    "household for a day of work. Historians disagree about which of the two was thought fairer.\n"
    "\nIn our own time the question comes back with every new tunnel, and is rarely settled."
)


def line(text):
    return f"Because.\n\nBOTTOM LINE: {text}"


def closes(text, **views):
    said = "; ".join(f"{seat} {word}" for seat, word in views.items())
    return f"{line(text)}\nON THE OTHERS: {said}\nCHANGED: nothing"


def made(answers, **more):
    found = consensus_of(transcript(answers, query="Which way?", **more))
    return decision(found[max(found)])


def test_a_majority_that_nobody_contradicts_is_something_to_proceed_on():
    found = made({
        "ann": [line("Go left."), closes("Go left.", bob="agree", cyd="agree")],
        "bob": [line("Left."), closes("Left.", ann="agree", cyd="agree")],
        "cyd": [line("Left, slowly."), closes("Left, slowly.", ann="agree", bob="agree")],
    })  # fmt: skip
    assert (found.level, found.action) == ("high", "proceed")
    assert found.agreement == 1.0


def test_agreement_in_the_main_is_never_high_and_the_reservation_is_named():
    found = made({
        "ann": [line("Left."), closes("Left.", bob="agree", cyd="agree")],
        "bob": [line("Left."), closes("Left.", ann="agree", cyd="partly: the river")],
        "cyd": [line("Left."), closes("Left.", ann="agree", bob="partly: the bridge")],
    })  # fmt: skip
    assert (found.level, found.action) == ("medium", "proceed")
    assert found.reason == "They agree in the main; bob and cyd in part only."


def test_without_a_majority_free_of_reservations_the_answer_is_verified():
    views = {"bob": "agree", "cyd": "partly: the river", "dan": "agree"}
    found = made({
        "ann": [line("Left."), closes("Left.", **views)],
        "bob": [line("Left."), closes("Left.", ann="agree", cyd="agree", dan="partly: boots")],
        "cyd": [line("Left."), closes("Left.", ann="partly: the river", bob="agree", dan="agree")],
        "dan": [line("Left."), closes("Left.", ann="agree", bob="partly: boots", cyd="agree")],
    })  # fmt: skip
    assert (found.level, found.action) == ("medium", "verify")
    assert "in part" in found.reason


def test_a_split_is_to_be_verified_and_the_dissenter_named():
    found = made({
        "ann": [line("Left."), closes("Left.", bob="agree", cyd="disagree")],
        "bob": [line("Left."), closes("Left.", ann="agree", cyd="disagree")],
        "cyd": [line("Right."), closes("Right.", ann="disagree", bob="disagree")],
    })  # fmt: skip
    assert found.action == "verify"
    assert found.reason.startswith("cyd contradicts the majority")


def test_an_even_split_names_no_dissenter():
    found = made({
        "ann": [line("Left."), closes("Left.", bob="disagree")],
        "bob": [line("Right."), closes("Right.", ann="disagree")],
    })  # fmt: skip
    assert (found.level, found.action) == ("low", "verify")
    assert "without a majority" in found.reason


def test_what_was_not_measured_is_never_proceed():
    found = made({"ann": [WALKS], "bob": [TOLLS]})
    assert (found.level, found.agreement, found.action) == ("unknown", None, "query_detail")
    assert "not measured" in found.reason


def test_a_majority_of_which_not_all_is_known_is_verified():
    found = made({
        "ann": [line("Left."), closes("Left.", bob="agree")],
        "bob": [line("Left."), closes("Left.", ann="agree")],
        "cyd": [line("It hinges on your aims."), "It all hinges on your aims. Much is open."],
    })  # fmt: skip
    assert found.action == "verify"


def test_nobody_with_a_position_is_nothing_to_go_by():
    refusal = "I'm sorry, but I can't help with that."
    found = made({"ann": [refusal], "bob": [refusal], "cyd": [refusal]})
    assert (found.level, found.action) == ("unknown", "query_detail")
    assert "nobody took a position" in found.reason


def test_groupthink_and_unmeasured_pairs_are_hints():
    found = consensus_of(transcript({"ann": [WALKS], "bob": [TOLLS]}))[0]
    warning = Groupthink(detected=True, indicators=("everyone is sure",))
    reasons = [h.reason for h in decision(found, warning).hints]
    assert reasons == [
        "Possible groupthink: everyone is sure.",
        "1 of 1 pairs of answers were not measured.",
    ]
