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
