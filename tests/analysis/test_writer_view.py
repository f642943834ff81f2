"""Whoever wrote the answer has read everybody's last word, and is heard where one stands alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.debates import transcript
from mutual_dissent.analysis.rounds.consensus import dissenters
from mutual_dissent.core.closing import Closing, View
from mutual_dissent.views.findings import findings
from mutual_dissent.views.heading import heading

NO = "No, do not eat it before an expert has seen it.\n\nBOTTOM LINE: Do not eat it."
FIRST = "Yes.\n\nBOTTOM LINE: Eat it if there is no red."
LAST = (
    "Most likely edible.\n\nBOTTOM LINE: It may be eaten under three conditions.\n"
    "ON THE OTHERS: ann partly: the look-alikes; cyd partly: the look-alikes\n"
    "CHANGED: yes: from eat it if there is no red to eat it under three conditions"
)
STILL = "\nON THE OTHERS: bob disagree: it may be toxic; {} agree\nCHANGED: nothing"


def debate(of_bob: str):
    said = {
        "ann": [NO, NO + STILL.format("cyd")],
        "bob": [FIRST, LAST],
        "cyd": [NO, NO + STILL.format("ann")],
    }
    t = transcript(said, query="May I eat it?", synthesis="Do not eat it.")
    views = (("ann", "agree"), ("bob", of_bob), ("cyd", "agree"))
    closing = Closing(
        bottom_line="Do not eat it.", views=tuple(View(seat=s, relation=r) for s, r in views)
    )
    return replace(t, synthesis=replace(t.synthesis, closing=closing))


@pytest.mark.parametrize(("of_bob", "dissents"), [("disagree", True), ("partly", False)])
def test_a_word_that_stands_alone_is_weighed_with_the_writers(of_bob, dissents):
    t = debate(of_bob)
    found = findings(t)
    assert dissenters(found.consensus) == (("bob",) if dissents else ())
    assert found.decision.action == ("verify" if dissents else "proceed")
    assert ("bob agrees in part" in heading(t)) is not dissents
    assert ("bob contradicts" in found.decision.reason) is dissents
