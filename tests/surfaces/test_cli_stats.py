"""`dissent stats`: what deliberation was worth, over the stored debates."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import timedelta

from fakes.command_line import dissent
from fakes.debates import START, debate
from fakes.measured import measured
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Event

YES, NO = "AI is dangerous.", "AI is not dangerous."


def log(final: str = YES, day: int = 0, seats=("claude", "gpt", "grok"), **brief) -> list[Event]:
    said = {s: [YES] for s in seats[:-1]} | {seats[-1]: [NO]}
    opened, *rest = measured(debate(said, synthesis=final, **brief))
    named = replace(opened.brief, transcript_id=str(uuid.uuid4()))
    moved = [replace(opened, brief=named), *rest]
    return [replace(e, at=e.at + timedelta(days=day)) for e in moved]


def store(*logs: list[Event]) -> None:
    md = MutualDissent()
    md.store.save_all(logs)
    md.close()


def stats(*words: str) -> dict:
    result = dissent("stats", *words, "--output", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_nothing_stored_is_said_in_one_line():
    result = dissent("stats")
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "No debate is stored" in result.stderr
    assert stats()["looked_at"] == 0


def test_how_often_deliberation_changed_the_outcome():
    store(log(YES), log(YES), log(NO, mode="delphi"))
    found = stats()
    assert found["looked_at"] == 3
    by_mode = {m["name"]: m for m in found["modes"]}
    assert (by_mode["reflection"]["same"], by_mode["reflection"]["changed"]) == (2, 0)
    assert (by_mode["delphi"]["same"], by_mode["delphi"]["changed"]) == (0, 1)
    assert {m["model_id"] for m in found["models"]} == {"lab/claude-1", "lab/gpt-1", "lab/grok-1"}


def test_the_table_says_how_many_were_looked_at():
    store(log(), log(), log())
    lines = dissent("stats", "--limit", "2").stdout.splitlines()
    assert lines[0] == "2 debates looked at (the newest of 3)"
    assert lines[2].split()[:3] == ["MODE", "DEBATES", "CHANGED"]
    assert lines[3].split()[:4] == ["reflection", "2", "0", "2"]
    assert any(line.startswith("lab/claude-1") for line in lines)
    assert dissent("stats").stdout.startswith("3 debates looked at (all that match)")


def test_debates_can_be_chosen_by_mode_model_and_day():
    store(log(day=0), log(day=5, mode="delphi"), log(day=9, seats=("ada", "bob", "cyd")))
    assert stats("--mode", "delphi")["looked_at"] == 1
    assert stats("--since", f"{START + timedelta(days=3):%Y-%m-%d}")["looked_at"] == 2
    assert stats("--until", f"{START + timedelta(days=3):%Y-%m-%d}")["looked_at"] == 1
    named = stats("--model", "ada")
    assert named["looked_at"] == 1
    assert [m["model_id"] for m in named["models"]] == ["lab/ada-1"]
    assert stats("--mode", "delphi", "--limit", "1", "--model", "gpt")["left_out"] == 0


def test_what_does_not_match_is_said():
    store(log())
    result = dissent("stats", "--mode", "nope")
    assert (result.exit_code, result.stderr) == (0, "No stored debate matches.\n")


def test_a_damaged_debate_is_counted_and_the_others_are_told():
    store(log(), log())
    md = MutualDissent()
    db = md.store._writing()
    db.execute("UPDATE events SET body = '{' WHERE debate = (SELECT min(number) FROM debates)")
    md.close()
    assert stats()["unreadable"] == 1
    assert "1 could not be read: run dissent doctor" in dissent("stats").stdout


def test_a_day_that_is_none_is_a_usage_error():
    result = dissent("stats", "--since", "yesterday")
    assert result.exit_code == 2
    assert "--since is a day such as" in result.stderr
