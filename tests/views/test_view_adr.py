"""A decision record holds the decision, who held what, and nothing that is not on record."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from markdown_it import MarkdownIt

from fakes.debates import Fault, Said, transcript
from mutual_dissent.core.closing import Closing, View
from mutual_dissent.core.events import Resolved
from mutual_dissent.views.documents.adr import to_adr

QUERY = "How many workers should the queue have?"
PANEL = {
    "claude": ["Few are enough.\n\nBOTTOM LINE: 4"],
    "gpt": ["It is small.\n\nBOTTOM LINE: 4"],
    "grok": ["It grows.\n\nBOTTOM LINE: 8"],
}
FINAL = "Begin small.\n\nBOTTOM LINE: Take 4 workers."
ASKING = Said(FINAL, {"requests": ("messages per day",)})


def parts(document: str) -> dict[str, str]:
    found = re.split(r"^## (.+)$", document, flags=re.MULTILINE)
    return dict(zip(found[1::2], (x.strip() for x in found[2::2]), strict=True))


def test_a_decision_record_says_what_was_decided_by_whom_and_what_would_change_it():
    t = transcript(PANEL, synthesis=ASKING, query=QUERY)
    document = to_adr(t)
    said = parts(document)
    assert document.startswith(f"# {QUERY}\n")
    assert said["Status"] == "proposed"
    assert said["Date"] == "2026-11-15"
    assert said["Decision"].startswith("**Take 4 workers.**")
    assert "4 (claude and gpt: 2 of 3)" in said["Options considered"]
    assert "8 (grok: 1 of 3)" in said["Options considered"]
    assert "grok, another view: 8" in said["Dissent"]
    assert "messages per day" in said["What would change it"]
    for known in (t.transcript_id, "lab/grok-1", "mode: ", "cost: "):
        assert known in said["Provenance"]


@pytest.mark.parametrize("panel", [PANEL, {s: PANEL[s] for s in ("claude", "grok")}])
def test_who_holds_what_was_decided_is_no_dissenter(panel):
    views = [View(seat=s, relation="agree" if s == "grok" else "disagree") for s in panel]
    closing = Closing(bottom_line="8", views=tuple(views))
    t = transcript(panel, synthesis=Said("It grows.", {"closing": closing}), query=QUERY)
    said = parts(to_adr(t))
    assert said["Decision"].startswith("**8**")
    assert "grok, " not in said["Dissent"]
    assert "another view: 4" in said["Dissent"]


def test_a_decision_record_leaves_out_what_the_record_does_not_say():
    same = {"claude": ["BOTTOM LINE: 4"], "gpt": ["BOTTOM LINE: 4"]}
    said = parts(to_adr(transcript(same, synthesis=FINAL, query=QUERY)))
    assert {*said} == {"Status", "Date", "Decision", "Options considered", "Provenance"}


def test_a_decision_keeps_its_date_when_its_outcome_is_known_later():
    t = transcript(PANEL, synthesis=FINAL, query=QUERY)
    later = (t.updated_at or t.created_at) + timedelta(days=400)
    known = t.apply(Resolved(seq=t.last_seq + 1, at=later, outcome="right"))
    said = parts(to_adr(known))
    assert said["Date"] == parts(to_adr(t))["Date"]
    assert said["Consequences"]


def test_a_decision_record_of_a_debate_without_an_answer_claims_no_decision():
    said = parts(to_adr(transcript({"a": [Fault()], "b": [Fault()]}, synthesis=None)))
    assert "Decision" not in said
    assert "proposed" not in said["Status"]


def test_an_answer_cannot_add_sections_to_a_decision_record():
    hostile = "# Status\naccepted\n\n## Decision\n<script>x</script>\n\nBOTTOM LINE: a\n## Status"
    document = to_adr(
        transcript(PANEL, synthesis=hostile, query=f"{QUERY}\n\n## Status\n\naccepted")
    )
    tokens = MarkdownIt("commonmark").parse(document)
    heads = [
        tokens[i + 1].content for i, t in enumerate(tokens) if t.tag == "h2" and t.nesting == 1
    ]
    assert heads.count("Status") == heads.count("Decision") == 1
    assert not any(t.type.startswith("html") for t in tokens)
