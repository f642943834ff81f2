"""What the program says of its own record is so: edits, counts, remarks, scores and times."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta

import pytest

from fakes.command_line import dissent

PANEL = ("--panel", "claude,gpt,gemini", "--no-analyst")
JUDGED = "Canberra.\n\naccuracy: 5\ncompleteness: 4\nexplanation: right"


def done(*words: str) -> str:
    """What a command that went well printed."""
    result = dissent(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def told(*words: str) -> dict:
    return json.loads(done(*words, "--output", "json"))


def test_a_scored_debate_that_went_on_is_not_called_edited_and_keeps_its_score(vendor):
    vendor.fake.always("ok", text=JUDGED)
    first = told("ask", "Which city?", *PANEL, "--ground-truth", "Canberra")
    done("continue", "last")
    assert done("doctor") == "Nothing is wrong.\n"
    now = told("show", "last")
    marks = now["synthesis"]["analysis"]["ground_truth_score"]
    assert (marks["accuracy"], marks["completeness"]) == (5, 4)
    assert list(now["metadata"]["scores"]) == list(first["metadata"]["scores"])
    assert "The synthesis scored 4.5 of 5." in done("show", "last")


def test_a_file_that_an_earlier_version_worded_otherwise_is_no_edit(vendor, own_home):
    done("ask", "Which city?", *PANEL)
    (path,) = (own_home / "transcripts").iterdir()
    found = json.loads(path.read_bytes())
    found["heading"] = "As it was said then."
    found["metadata"]["decision"] = {"reason": "As it was said then."}
    for name in ("worked_seconds", "heard"):
        found.pop(name, None)
    path.write_text(json.dumps(found))
    assert _kinds() == []


def _kinds() -> list[str]:
    return [f["kind"] for f in json.loads(dissent("doctor", "--output", "json").stdout)]


def test_only_answers_are_counted_as_answers_on_record(vendor):
    vendor.fake.always("402")
    dissent("ask", "Which city?", *PANEL)
    vendor.fake.always("ok")
    resumed = dissent("resume", "last").stderr
    assert "on record" not in resumed, "nobody had answered"
    assert "resumed: going on" in resumed
    assert "6 answers are on record" in dissent("continue", "last").stderr


@pytest.mark.parametrize("form", ["show", "markdown", "html", "imported"])
def test_what_the_user_told_the_panel_stands_where_the_panel_heard_it(vendor, tmp_path, form):
    vendor.fake.always("402")
    dissent("ask", "Which city?", *PANEL)
    vendor.fake.always("ok")
    done("resume", "last", "--remark", "We are 20 people")
    done("continue", "last", "--remark", "And <b>poor</b>")
    if form == "imported":
        exported = told("show", "last")
        (tmp_path / "debate.json").write_text(json.dumps(exported))
        done("delete", exported["transcript_id"], "--yes")
        done("import", str(tmp_path / "debate.json"))
    if form in ("show", "imported"):
        shown = done("show", "last", "--verbose")
    else:
        shown = done("export", "last", "--output", form)
    places = ["We are 20 people", "nitial answers", "ound 1", "poor", "ound 2"]
    shown = shown.partition("Rounds")[2] or shown
    assert re.search(".*".join(places), shown, re.DOTALL)
    assert shown.casefold().count("you told the panel") == 2
    assert form != "html" or "<b>" not in shown


def test_a_debate_takes_as_long_after_its_import_as_before(vendor, tmp_path):
    vendor.fake.always("402")
    dissent("ask", "Which city?", *PANEL)
    vendor.fake.always("ok")
    done("resume", "last")
    found = told("show", "last")
    assert found["worked_seconds"] < 600
    later = datetime.fromisoformat(found["updated_at"]) + timedelta(minutes=30)
    found |= {"updated_at": later.isoformat(), "worked_seconds": 2.5}  # it lay for half an hour
    path = tmp_path / "debate.json"
    path.write_text(json.dumps(found))
    done("delete", found["transcript_id"], "--yes")
    done("import", str(path))
    assert " in 2.5 s" in done("show", "last")
    assert told("show", "last")["worked_seconds"] == 2.5


def test_nothing_is_wrong_after_the_import_of_a_good_file(vendor, tmp_path, own_home):
    path = tmp_path / "debate.json"
    path.write_text(done("ask", "Which city?", *PANEL, "--output", "json"))
    done("delete", "last", "--yes")
    assert list((own_home / "transcripts").iterdir()) == []
    done("import", str(path))
    assert done("doctor") == "Nothing is wrong.\n"
