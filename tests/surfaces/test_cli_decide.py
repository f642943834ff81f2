"""Stored debates are decided again under any rule, offline."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from fakes.command_line import dissent
from fakes.debates import DEBATE_ID, START, debate, panelist, response
from mutual_dissent.analysis.ballots.rules import RULES
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Answered

ID = DEBATE_ID[:8]
UNWEIGHTED = [rule for rule in RULES if rule != "weighted"]
"""Rules that need nothing but the ballots."""
CIRCLE = {
    "ada": (("bob",), ("cyd",)),
    "bob": (("cyd",), ("ada",)),
    "cyd": (("ada",), ("bob",)),
}
FOR_BOB = {
    "ada": (("bob",), ("cyd",), ("dan",)),
    "bob": (("ada", "cyd"), ("dan",)),
    "cyd": (("bob",),),
    "dan": (("bob",), ("cyd",), ("ada",)),
}


def stored(ballots, seats=None) -> None:
    """A debate in the record, with an evaluation by each voter."""
    seats = seats or list(ballots)
    events = debate({s: [f"{s} says so."] for s in seats})
    votes = [
        Answered(
            at=START,
            key=f"1/evaluation/{voter}",
            seat=voter,
            request_hash="0" * 32,
            response=_evaluation(voter, ballot),
        )
        for voter, ballot in ballots.items()
    ]
    whole = [*events[:-1], *votes, events[-1]]
    md = MutualDissent()
    md.store.save([e.with_seq(i) for i, e in enumerate(whole, 1)])
    md.close()


def _evaluation(voter, ballot):
    return replace(response(panelist(voter), "evaluation", 1, "I rank them."), ballot=ballot)


def test_the_default_rule_decides_and_says_why():
    stored(FOR_BOB)
    result = dissent("decide", ID)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("bob wins under borda with 4 voters")
    assert "of electorates drawn from these voters agree" in result.stdout
    assert result.stdout.splitlines()[-4].split()[:2] == ["1", "bob"]


@pytest.mark.parametrize("rule", UNWEIGHTED)
def test_every_rule_can_be_asked_for(rule):
    stored(FOR_BOB)
    result = dissent("decide", ID, "--rule", rule, "--output", "json")
    found = json.loads(result.stdout)
    assert found["transcript_id"] == DEBATE_ID
    assert found["candidates"] == ["ada", "bob", "cyd", "dan"]
    assert found["ballots"]["bob"] == [["ada", "cyd"], ["dan"]]
    (decision,) = found["decisions"]
    assert decision["rule"] == rule
    assert "bob" in decision["winners"]
    assert set(decision) >= {"winners", "scores", "ranking", "stability", "explanation"}


def test_a_debate_that_was_held_without_weights_is_not_decided_by_them():
    stored(FOR_BOB)
    result = dissent("decide", ID, "--rule", "weighted")
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
    assert "weight" in result.stderr


def test_all_rules_are_compared_in_a_table():
    stored(FOR_BOB)
    lines = dissent("decide", ID, "--rule", "all").stdout.splitlines()
    assert [line.split()[0] for line in lines[1 : len(UNWEIGHTED) + 1]] == UNWEIGHTED
    assert lines[-1] == "4 ballots; bob beats every other one in direct comparison."


def test_a_tie_is_shown_as_one():
    stored(CIRCLE)
    assert dissent("decide", ID).stdout.startswith("All 3 tie under borda")
    table = dissent("decide", ID, "--rule", "all").stdout
    assert table.count("ada = bob = cyd") == len(UNWEIGHTED)
    assert "nobody beats every other one" in table


def test_a_debate_without_ballots_gets_one_clear_sentence():
    stored({}, ["ada", "bob"])
    result = dissent("decide", ID)
    assert result.exit_code == 2
    assert result.stderr == (
        f"dissent: debate {ID} has no ballots to count; "
        "a panel votes in --mode ranking and --mode hybrid\n"
    )


@pytest.mark.parametrize(("rule", "hint"), [("shulze", "schulze"), ("al", "all")])
def test_a_misspelt_rule_gets_a_suggestion(rule, hint):
    stored(FOR_BOB)
    result = dissent("decide", ID, "--rule", rule)
    assert result.exit_code == 2
    assert f"did you mean '{hint}'?" in result.stderr


def test_nine_candidates_are_too_many_for_kemeny_alone():
    seats = list("abcdefghi")
    stored({s: (tuple(x for x in seats if x != s),) for s in seats})
    assert "choose schulze" in dissent("decide", ID, "--rule", "kemeny").stderr
    result = dissent("decide", ID, "--rule", "all")
    assert result.exit_code == 0
    assert result.stdout.endswith("kemeny takes up to 8 candidates and was left out.\n")


def test_the_record_stays_as_it_is_and_an_exported_debate_decides_the_same(tmp_path):
    stored(FOR_BOB)
    before = dissent("show", ID, "--output", "json").stdout
    first = dissent("decide", ID, "--rule", "all", "--output", "json").stdout
    assert dissent("show", ID, "--output", "json").stdout == before
    file = tmp_path / "debate.json"
    file.write_text(before, "utf-8")
    home = str(tmp_path / "elsewhere")
    assert dissent("import", str(file), MUTUAL_DISSENT_HOME=home).exit_code == 0
    again = dissent("decide", ID, "--rule", "all", "--output", "json", MUTUAL_DISSENT_HOME=home)
    assert json.loads(again.stdout) == json.loads(first)


def test_a_hostile_seat_name_cannot_reach_the_terminal_raw():
    evil = "ev\x1b[2Jil"
    stored({"ada": ((evil,), ("bob",)), "bob": ((evil,), ("ada",))}, ["ada", "bob", evil])
    for rule in ("borda", "all"):
        assert "\x1b" not in dissent("decide", ID, "--rule", rule).stdout


def test_ballots_that_could_not_be_read_are_not_called_missing():
    events = debate({"ada": ["so"], "bob": ["so"]}, mode="ranking")
    md = MutualDissent()
    md.store.save([e.with_seq(i) for i, e in enumerate(events, 1)])
    md.close()
    assert f"none could be read; see dissent show {ID} --verbose" in dissent("decide", ID).stderr
