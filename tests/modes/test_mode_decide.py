"""In a decision, options are rated in a form, and code makes the table."""

from __future__ import annotations

import json
import re

import pytest

from fakes.structured import filled
from fakes.world import a_brief, run
from mutual_dissent.analysis.decision.table import decision_table
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.views.account import account
from mutual_dissent.views.documents.adr import to_adr
from mutual_dissent.views.documents.html import to_html
from mutual_dissent.views.documents.json import transcript_to_json
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.panel.tables import panel_tables
from mutual_dissent.views.terminal import terminal

OPTIONS = {"ada": ["Build", "Buy"], "bob": ["Buy", "Build"], "cyd": ["Build it", "Buy", "Wait"]}
CRITERIA = {"ada": ["cost", "speed"], "bob": ["costs", "speed"], "cyd": ["price", "speed"]}
WEIGHTS = {"cost": 6, "speed": 2, "price": 0}
SCORES = {
    "ada": {"Build": (2, 2), "Buy": (4, 5), "Wait": (5, 1)},
    "bob": {"Build": (2, 1), "Buy": (4, 4), "Wait": (4, 1)},
    "cyd": {"Build": (5, 2), "Buy": (3, 5), "Wait": (5, 1)},
}


def labels(ask):
    """Name -> its label in the list of an ask."""
    return {name: label for label, name in re.findall(r"^([OC]\d): (.+)$", ask.tail, re.MULTILINE)}


def rated(ask, scores):
    seat, known = ask.panelist.seat, labels(ask)
    rows = [
        {"option": known[option], "criterion": known[name], "score": n, "reason": f"{seat} says so"}
        for option, row in scores[seat].items()
        for name, n in zip(("cost", "speed"), row, strict=False)
    ]  # fmt: skip
    return {
        "scores": rows,
        "weights": [{"criterion": known[c], "weight": w} for c, w in WEIGHTS.items() if c in known],
        "same": [{"label": known["price"], "same_as": known["cost"]}],
    }


def cast(scores=SCORES):
    def says(ask):
        seat = ask.panelist.seat
        if ask.schema is None:
            return filled(ask)
        if ask.round_number:
            return filled(ask, **rated(ask, scores))
        named = [{"name": c, "weight": 5} for c in CRITERIA[seat]]
        return filled(ask, options=OPTIONS[seat], criteria=named)

    return Scripted(dict.fromkeys(("ada", "bob", "cyd"), says))


def decide(**more):
    return a_brief("ada", "bob", "cyd", mode="decide", rounds=0, **more)


async def test_code_makes_medians_spreads_and_weighed_totals_of_the_scores():
    transcript, _, _ = await run(decide(), cast())
    table = decision_table(transcript)
    assert [(c.name, c.weight) for c in table.criteria] == [("cost", 0.75), ("speed", 0.25)]
    assert [(o.option, o.total) for o in table.options] == [
        ("Buy", 4 * 0.75 + 5 * 0.25),
        ("Wait", 5 * 0.75 + 1 * 0.25),
        ("Build", 2 * 0.75 + 2 * 0.25),
    ]
    [buy, wait, _] = table.options
    assert (buy.cells[0].median, buy.cells[0].low, buy.cells[0].high) == (4, 3, 4)
    assert (buy.first_of, wait.first_of) == (("ada", "bob"), ())
    [apart] = table.differences
    assert (apart.option, apart.criterion) == ("Build", "cost")
    assert (apart.low, apart.low_by, apart.high, apart.high_by) == (2, ("ada", "bob"), 5, ("cyd",))
    assert apart.high_reason == "cyd says so"


async def test_every_surface_shows_the_table():
    transcript, _, _ = await run(decide(), cast())
    assert "By their scores: Buy 4.2, Wait 4.0, Build 2.0 of 5." in account(transcript).headline
    row = "| Build | 2 (2–5) | 2 (1–2) | 2.0 |"
    assert row in to_markdown(transcript)
    assert row in to_adr(transcript)
    assert "<td>2 (2–5)</td>" in to_html(transcript)
    shown = terminal(transcript, width=100)
    assert "2 (2–5)" in shown
    assert "Taken for the same by most: price = cost" in shown
    assert "They differ on Build, cost: ada and bob 2 (ada says so); cyd 5 (cyd says so)" in shown
    assert panel_tables(transcript)["decision"]["rows"][-1][1] == "2 (2–5)"
    document = transcript_to_json(transcript)["metadata"]["decision_table"]
    assert document["options"][0]["total"] == pytest.approx(4.25)
    json.dumps(document)


async def test_a_bar_in_the_name_of_an_option_parts_no_cells(monkeypatch):
    monkeypatch.setitem(OPTIONS, "cyd", ["Build", "Buy", "a|b"])
    scores = {s: {"a|b" if o == "Wait" else o: r for o, r in m.items()} for s, m in SCORES.items()}
    transcript, _, _ = await run(decide(), cast(scores))
    assert r"| a\|b | 5 (4–5) | 1 | 4.0 |" in to_markdown(transcript)


async def test_nobody_sees_a_score_of_anybody_and_the_writer_sees_the_table():
    await run(decide(), script := cast())
    for ask in script.asks:
        reads = "Build | 2 (2–5)" in ask.tail
        assert reads is (ask.role == "synthesis")
        assert ("says so" in ask.tail) is (ask.role == "synthesis")


async def test_what_was_not_rated_is_in_no_total():
    less = {seat: {o: r for o, r in rows.items() if o != "Wait"} for seat, rows in SCORES.items()}
    transcript, _, _ = await run(decide(), cast(less))
    assert [o.option for o in decision_table(transcript).options] == ["Buy", "Build"]
    assert "- Named, but not rated: Wait" in to_markdown(transcript)
    part = {**less, "ada": {**less["ada"], "Wait": (5,)}}
    transcript, _, _ = await run(decide(), cast(part))
    wait = decision_table(transcript).options[-1]
    assert (wait.cells[1], wait.total) == (None, None)
    assert "| Wait | 5 | not rated | not all rated |" in to_markdown(transcript)


async def test_scores_outside_the_scale_and_of_unknown_options_count_for_nothing():
    def strange(ask):
        if ask.schema is None or not ask.round_number:
            return filled(ask)
        rows = [
            {"option": "O1", "criterion": "C1", "score": 9, "reason": ""},
            {"option": "O7", "criterion": "C1", "score": 5, "reason": ""},
            {"option": "O1", "criterion": "C2", "score": "4", "reason": ""},
        ]
        return filled(ask, scores=rows, same=[{"label": "O1", "same_as": "C1"}])

    transcript, _, _ = await run(decide(), Scripted(dict.fromkeys(("ada", "bob", "cyd"), strange)))
    table = decision_table(transcript)
    known = [c for o in table.options for c in o.cells if c]
    assert [c.median for c in known] == [4]
