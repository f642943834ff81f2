"""`dissent analyze`: a stored debate read by an analyst, also an old one, also another time."""

from __future__ import annotations

import json

import pytest

from fakes.command_line import dissent
from fakes.ledgers import reply

QUERY = "Tabs or spaces?"
PANEL = ("--panel", "claude,gpt,grok")
SAID = "Tabs, since **everybody** can set their width.\nBOTTOM LINE: Use tabs."


def asked(*words: str) -> dict:
    result = dissent("ask", QUERY, *PANEL, *words, "--output", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def shown(name: str) -> dict:
    return json.loads(dissent("show", name, "-o", "json").stdout)


def analyzed(name: str, *words: str, code: int = 0) -> dict:
    result = dissent("analyze", name, *words, "--output", "json")
    assert result.exit_code == code, result.stderr
    (row,) = json.loads(result.stdout)
    assert row["transcript_id"].startswith(name)
    return row["ledger"]


LEDGER = {
    "positions": [
        {"statement": "Use tabs.", "holders": ["A", "B"]},
        {"statement": "Use spaces.", "holders": ["C"]},
    ],
    "contested": [
        {"question": "Who sets the width?", "sides": [
            {"statement": "The reader.", "holders": ["A"],
             "quote": {"panelist": "A", "text": "everybody can set their width"}},
            {"statement": "The writer.", "holders": ["C"],
             "quote": {"panelist": "C", "text": "the writer knows best"}}]},
    ],
    "minority": [{"claim": "Spaces look the same everywhere.", "holders": ["C"],
                  "fate": "omitted", "quote": {"panelist": "C", "text": ""}}],
    "missing": ["Who reads the code?"],
}  # fmt: skip


@pytest.fixture
def stored(vendor):
    """The id of a debate that nobody has read."""
    vendor.fake.always(text=SAID)
    name = asked("--no-analyst")["transcript_id"][:8]
    vendor.reset()
    return name


def test_a_debate_that_nobody_read_is_read_later_in_one_call(vendor, stored):
    vendor.fake.always(text=reply(**LEDGER))
    found = analyzed(stored)
    assert len(vendor.arrivals) == 1
    assert found["source"] == "analyst"
    assert [p["statement"] for p in found["positions"]] == ["Use tabs.", "Use spaces."]
    assert sorted(s for p in found["positions"] for s in p["holders"]) == ["claude", "gpt", "grok"]
    assert found["missing"] == ["Who reads the code?"]
    assert shown(stored)["synthesis"]["content"], "the answer stays as it was"


def test_quotes_are_looked_up_and_what_became_of_dissent_is_printed(vendor, stored):
    vendor.fake.always(text=reply(**LEDGER))
    result = dissent("analyze", stored)
    assert result.exit_code == 0, result.stderr
    said = " ".join(result.stdout.split())
    for words in (
        "Who holds what",
        "Who sets the width?",
        '"everybody can set their width"',
        "not in the answer: Spaces look the same everywhere.",
        "Not known to the panel Who reads the code?",
        "1 quote not found and left out",
    ):
        assert words in said
    assert "the writer knows best" not in said


def test_the_same_analyst_is_really_asked_again_and_another_one_too(vendor, stored):
    vendor.fake.always(text=reply(**LEDGER))
    first = analyzed(stored)
    second = analyzed(stored, "--analyst", first["analyst"])
    assert len(vendor.arrivals) == 2
    assert second["analyst"] == first["analyst"]
    other = next(s for s in ("gpt", "grok", "claude") if s != first["analyst"])
    assert analyzed(stored, "--analyst", other)["analyst"] == other
    assert len(vendor.arrivals) == 3
    assert shown(stored)["status"] == "completed"


def test_what_is_asked_holds_neither_names_nor_attachments(vendor, tmp_path):
    secret = tmp_path / "plan.md"
    secret.write_text("the secret plan")
    vendor.fake.always(text=SAID)
    name = asked("--context", str(secret), "--no-analyst")["transcript_id"][:8]
    vendor.reset()
    analyzed(name)
    (arrival,) = vendor.arrivals
    assert "everybody" in arrival.prompt
    for hidden in ("the secret plan", "plan.md", "grok"):
        assert hidden not in arrival.prompt


def test_an_old_debate_without_closing_lines_gets_the_only_judgement_there_is(vendor, tmp_path):
    vendor.fake.always(text="It all depends on what one is used to, and on many things. " * 5)
    told = asked("--no-analyst")
    for field in ("account", "ledger", "labels"):
        told.pop(field, None)
    told["brief"] = {**told["brief"], "analyzer": "rules"}
    file = tmp_path / "old.json"
    file.write_text(json.dumps(told))
    elsewhere = {"MUTUAL_DISSENT_HOME": str(tmp_path / "elsewhere")}
    assert dissent("import", str(file), **elsewhere).exit_code == 0
    vendor.reset()
    name = told["transcript_id"][:8]
    result = dissent("analyze", name, "-o", "json", **elsewhere)
    assert result.exit_code == 0, result.stderr
    (row,) = json.loads(result.stdout)
    assert row["ledger"]["source"] == "analyst"
    assert len(row["ledger"]["positions"][0]["holders"]) == 3


def test_an_analyst_that_cannot_be_read_is_said_and_the_earlier_reading_stands(vendor, stored):
    vendor.fake.always(text=reply(**LEDGER))
    before = analyzed(stored)
    vendor.reset()
    vendor.fake.always("500")
    result = dissent("analyze", stored, "-o", "json", "--call-timeout", "1")
    assert result.exit_code == 1
    assert "not read by the analyst" in result.stderr
    assert json.loads(result.stdout)[0]["ledger"] == before


def test_several_debates_are_read_one_after_the_other(vendor):
    names = [asked("--no-analyst")["transcript_id"][:8] for _ in range(2)]
    vendor.reset()
    result = dissent("analyze", *names, "-o", "json")
    assert result.exit_code == 0, result.stderr
    assert [r["transcript_id"][:8] for r in json.loads(result.stdout)] == names
    assert len(vendor.arrivals) == 2


def test_what_cannot_be_read_is_refused_with_what_to_do(vendor):
    alone = json.loads(
        dissent("ask", QUERY, "--mode", "single", "--panel", "claude", "-o", "json").stdout
    )["transcript_id"][:8]
    vendor.reset()
    for words, says in (
        (("analyze", alone), "fewer than two answers"),
        (("analyze", "ffffffff"), "ffffffff"),
        (("analyze", alone, "--analyst", "cloude"), ""),
    ):
        result = dissent(*words)
        assert result.exit_code != 0
        assert says in result.stderr
    assert vendor.arrivals == []


def test_a_debate_is_read_by_default_and_not_where_that_is_said(vendor):
    vendor.fake.always(text=SAID)
    told = asked("--rounds", "1")
    assert len(vendor.arrivals) == 3 + 3 + 1 + 1
    assert told["brief"]["analyst"]["seat"] in {"claude", "gpt", "grok"}
    vendor.arrivals.clear()
    assert asked("--rounds", "1", "--no-analyst")["brief"]["analyst"] is None
    assert len(vendor.arrivals) == 7
    vendor.arrivals.clear()
    both = dissent("ask", QUERY, *PANEL, "--analyst", "gpt", "--no-analyst")
    assert both.exit_code == 2
    assert "not both" in both.stderr
    assert vendor.arrivals == []


def test_a_dry_run_counts_the_analyst(vendor):
    def calls(*words):
        result = dissent("ask", QUERY, *PANEL, "--dry-run", *words, "-o", "json")
        return json.loads(result.stdout)["calls"]

    assert (calls(), calls("--no-analyst")) == (8, 7)


def test_the_option_that_is_gone_is_not_known(vendor):
    result = dissent("ask", QUERY, "--analyzer", "rules")
    assert result.exit_code == 2
    assert "--analyzer" in result.stderr
