"""`dissent stats`: what deliberation was worth, over the stored debates."""

from __future__ import annotations

import json
import uuid
from dataclasses import replace
from datetime import timedelta

import pytest

from fakes.command_line import dissent
from fakes.debates import START, debate
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.events import Event

QUERY = "Is AI dangerous?"
YES = "AI is dangerous.\n\nBOTTOM LINE: Yes."
NO = "AI is not dangerous.\n\nBOTTOM LINE: No."
PERHAPS = "Who knows what AI will be."


def log(final: str = YES, day: int = 0, seats=("claude", "gpt", "grok"), **brief) -> list[Event]:
    said = {s: [YES] for s in seats[:-1]} | {seats[-1]: [NO]}
    opened, *rest = debate(said, synthesis=final, query=QUERY, **brief)
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
    assert lines[0] == (
        "2 debates looked at (the newest of 3); agreement was measured in 2 of them"
    )
    assert lines[2].split()[:3] == ["MODE", "DEBATES", "CHANGED"]
    assert lines[3].split()[:4] == ["reflection", "2", "0", "2"]
    assert any(line.startswith("lab/claude-1") for line in lines)
    assert dissent("stats").stdout.startswith("3 debates looked at (all that match)")


def test_only_what_was_measured_is_counted_and_it_is_said_how_many_were():
    said = {"claude": [PERHAPS], "gpt": ["It has been asked since the first machines."]}
    opened, *rest = debate(said, query=QUERY)
    brief = replace(opened.brief, transcript_id=str(uuid.uuid4()))
    store(log(), [replace(opened, brief=brief), *rest])
    [mode] = stats()["modes"]
    assert (mode["debates"], mode["measured"], mode["unclear"]) == (2, 1, 1)
    assert mode["agreement"] == pytest.approx(1 / 3, abs=0.001)
    assert "agreement was measured in 1 of them" in dissent("stats").stdout


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
    db = md.store._access.writable()
    db.execute("UPDATE events SET body = '{' WHERE debate = (SELECT min(number) FROM debates)")
    md.close()
    assert stats()["unreadable"] == 1
    assert "1 could not be read: run dissent doctor" in dissent("stats").stdout


def test_a_day_that_is_none_is_a_usage_error():
    result = dissent("stats", "--since", "yesterday")
    assert result.exit_code == 2
    assert "--since is a day such as" in result.stderr


# -- never out of date ---------------------------------------------------------------------------


@pytest.fixture
def asked(vendor):
    """The id of a debate that was just finished, with its summary."""
    done = dissent("ask", "Yes?", "--panel", "claude,gpt", "--no-analyst", "-o", "json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)["transcript_id"]


def figures() -> dict:
    """The statistics as they are told, and as they are if every debate is read anew."""
    told = stats()
    md = MutualDissent()
    md.store._access.writable().execute("DELETE FROM summaries")
    md.close()
    assert told == stats(), "out of date"
    return told


def kept() -> int:
    md = MutualDissent()
    (n,) = md.store._access.readable().column("SELECT count(*) FROM summaries")
    md.close()
    return n


def test_a_debate_is_summed_up_when_it_closes(asked):
    assert kept() == 1
    assert figures()["modes"][0]["calls"] == 5


def test_stats_of_older_debates_are_kept_once_they_were_read():
    store(log(), log())
    assert kept() == 0
    figures()
    assert kept() == 2


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        (["continue"], 5 + 3),
        (["score", "--ground-truth", "yes", "--judge", "gpt"], 5 + 1),
        (["decide", "--rule", "borda"], 5),
    ],
    ids=["continue", "score", "decide"],
)
def test_stats_are_never_older_than_what_was_done_last(asked, words, calls):
    figures()
    name, *rest = words
    dissent(name, asked, *rest)
    assert figures()["modes"][0]["calls"] == calls


def test_stats_follow_a_delete_and_an_import(asked, tmp_path):
    path = tmp_path / "it.json"
    path.write_text(dissent("export", asked, "--format", "json").stdout)
    assert figures()["looked_at"] == 1
    assert dissent("delete", asked, "--yes").exit_code == 0
    assert figures()["looked_at"] == 0
    plain = json.loads(path.read_text())
    plain["brief"]["mode"] = "delphi"
    path.write_text(json.dumps(plain))
    assert dissent("import", str(path)).exit_code == 0
    assert [m["name"] for m in figures()["modes"]] == ["delphi"]


def test_stats_are_the_same_after_the_doctor_was_there(asked, own_home):
    before = figures()
    for path in (own_home / "transcripts").iterdir():
        path.unlink()
    assert "missing" in dissent("doctor", "--fix", "-o", "json").stdout
    assert figures() == before


def test_a_summary_that_cannot_be_read_is_made_anew(asked):
    md = MutualDissent()
    md.store._access.writable().execute("UPDATE summaries SET body = '[]'")
    md.close()
    assert figures()["looked_at"] == 1


def test_the_list_has_headings_without_reading_every_debate(asked):
    [row] = json.loads(dissent("list", "-o", "json").stdout)
    md = MutualDissent()
    md.store._access.writable().execute("UPDATE events SET body = '{'")
    md.close()
    [again] = json.loads(dissent("list", "-o", "json").stdout)
    assert again["heading"] == row["heading"] != ""
