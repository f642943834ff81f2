"""What somebody meets who uses the program for the first time, and not everything goes well."""

from __future__ import annotations

import json
from pathlib import Path

from fakes.command_line import dissent

CORPUS = Path(__file__).parents[1] / "fixtures" / "transcripts"


def brought_in(
    tmp_path, name: str = "004-mutual-dissent-0.1.0.json", error: str = "HTTP 500"
) -> str:
    """An old debate in which gpt failed, imported; its short id."""
    plain = json.loads((CORPUS / name).read_text())
    plain["rounds"][0]["responses"][1] |= {"error": error, "content": ""}
    path = tmp_path / name
    path.write_text(json.dumps(plain))
    assert dissent("import", str(path)).exit_code == 0
    return plain["transcript_id"][:8]


def listed() -> dict:
    """The only stored debate, as a list tells it."""
    (row,) = json.loads(dissent("list", "--output", "json").stdout)
    return row


def test_a_list_has_the_heading_of_each_debate(vendor):
    heading = json.loads(dissent("ask", "Yes?", "--output", "json").stdout)["heading"]
    assert heading.startswith("4 of 4 answered")
    assert listed()["heading"] == heading


def test_a_list_names_an_amount_as_its_readers_do_and_no_third_time(vendor):
    dissent("ask", "Yes?")
    row = listed()
    (spent, *_) = json.loads(dissent("list", "--costs", "--output", "json").stdout)
    for line in (row, spent):
        assert line["cost"] == line["total_cost_usd"] > 0
        assert "cost_usd" not in line


def test_a_debate_that_asked_nobody_cost_nothing(vendor):
    assert dissent("ask", "Yes?", "--max-cost", "0.00001").exit_code == 4
    assert listed()["cost"] == 0
    (line,) = dissent("list").stdout.splitlines()[1:]
    assert " $0 " in line
    assert "?" not in line.partition("Yes")[0]


def test_an_imported_failure_is_shown_as_one(tmp_path):
    shown = dissent("show", brought_in(tmp_path)).stdout
    assert "below quorum; 1 of 2 answered (gpt: overloaded)" in shown


def test_an_imported_debate_goes_on_with_whoever_failed_last(vendor, tmp_path):
    result = dissent("resume", brought_in(tmp_path), "--output", "json")
    assert result.exit_code == 0, result.stderr
    assert "asking claude" not in result.stderr.partition("round 1")[0], "its answer is on record"
    assert "gpt answered" in result.stderr
    told = json.loads(result.stdout)
    assert (told["status"], told["synthesis"]["model_alias"]) == ("completed", "claude")
    assert vendor.arrivals[0].body["model"] == "openai/gpt-4.1"
    assert len(vendor.arrivals) == 4, "gpt again, then a round of two, then the synthesis"
