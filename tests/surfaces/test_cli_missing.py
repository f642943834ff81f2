"""Whoever is missing from a finished debate, and what the user is told to do about it."""

from __future__ import annotations

import json

from fakes.command_line import dissent

PANEL = ("--panel", "openrouter:a,openrouter:b,openrouter:c", "--no-analyst")


def stored() -> dict:
    """The only stored debate."""
    return json.loads(dissent("show", "last", "--output", "json").stdout)


def test_a_panelist_without_credits_is_taken_in_once_it_has_some(vendor):
    vendor.fake.then("402", model="b")
    first = dissent("ask", "Yes?", *PANEL)
    name = stored()["transcript_id"][:8]
    assert first.exit_code == 0
    assert "then resume" not in first.stdout
    assert f"dissent resume {name} --late" in first.stdout
    asked = len(vendor.arrivals)
    again = dissent("resume", name, "--late")
    assert again.exit_code == 0, again.stderr
    assert [a.model for a in vendor.arrivals[asked:]] == ["b", "b", "a"]
    assert not [r for r in stored()["rounds"][0]["responses"] if r["error"]]
    assert "--late" not in again.stdout


def test_resuming_a_finished_debate_says_that_it_is_finished_and_what_can_be_done(vendor):
    vendor.fake.then("402", model="b")
    dissent("ask", "Yes?", *PANEL)
    name, asked = stored()["transcript_id"][:8], len(vendor.arrivals)
    result = dissent("resume", name)
    assert (result.exit_code, len(vendor.arrivals)) == (0, asked)
    (line,) = (x for x in result.stderr.splitlines() if "finished" in x)
    assert f"dissent continue {name}" in line
    assert f"ask b again with: dissent resume {name} --late" in line
    dissent("resume", name, "--late")
    assert "--late" not in dissent("resume", name).stderr
    assert "finished" not in dissent("resume", name, "--quiet").stderr


def test_where_money_ended_a_debate_every_advice_names_the_limit_to_raise(vendor):
    result = dissent("ask", "Yes?", "--max-cost", "0.000001")
    assert result.exit_code == 4
    name = stored()["transcript_id"][:8]
    assert f"dissent resume {name} --max-cost USD" in " ".join(result.stdout.split())
    assert "$0.000001 are left" in result.stderr


def test_a_first_panelist_that_hangs_costs_no_answer(vendor):
    vendor.fake.then("hang", model="a", times=9)
    result = dissent("ask", "Yes?", *PANEL, "--timeout", "3")
    assert result.exit_code == 0, result.stderr
    assert stored()["synthesis"]["model_id"] == "b"
    name = stored()["transcript_id"][:8]
    assert f"dissent resume {name} --late" in result.stdout
