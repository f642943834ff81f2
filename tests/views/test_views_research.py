"""Figures for research: of one debate, of many together, and of two side by side."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from datetime import date, timedelta
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from fakes.debates import Fault, debate, transcript
from fakes.library import a_debate
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.events import Asked, Reopened
from mutual_dissent.core.transcript import fold
from mutual_dissent.store.files.parse import reading
from mutual_dissent.views.charts import Moment, Span, timeline
from mutual_dissent.views.documents.json import transcript_to_json
from mutual_dissent.views.documents.parquet import table_to_parquet
from mutual_dissent.views.phrases import response_name
from mutual_dissent.views.research import many, one
from mutual_dissent.views.research.headline import headlines
from mutual_dissent.views.research.many import SpendingChart, Studied
from mutual_dissent.views.research.pair import compare_debates
from mutual_dissent.views.research.study import study
from mutual_dissent.views.track_record import from_text, look, to_text

DAY = date(2026, 11, 1)
OTHERS = "ON THE OTHERS"
EVERY = ["influence", "convergence", "agreement", "value", "flips", "scores", "cost-day",
         "cost-model", "cost-vendor"]  # fmt: skip


def studied(n: int, **changes) -> Studied:
    return Studied(day=DAY + timedelta(days=n), look=replace(look(fold(a_debate(n))), **changes))


def titles(svg: str) -> list[str]:
    """What is told when one points at a part of a chart."""
    name = "{http://www.w3.org/2000/svg}title"
    return [e.text or "" for e in ET.fromstring(svg).iter(name)][1:]


def words(svg: str) -> list[str]:
    return [e.text or "" for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def figure(found, name: str):
    return next(f for f in found if f.name == name)


# -- many debates


def test_two_models_that_sat_under_one_name_are_told_apart_in_charts():
    def sat(n: int, model: str) -> Studied:
        first, *others = studied(n).look.parts
        return studied(n, parts=(replace(first, model_id=model), *others))

    found = many.figures([sat(1, "claude-opus-4"), sat(2, "claude-opus-5")])
    shown = " ".join(words(figure(found, "cost-model").svg))
    assert "claude-opus-4" in shown
    assert "claude-opus-5" in shown
    assert "gpt-6" not in shown


def test_the_headline_figures_leave_out_what_nobody_knows():
    unknown = {"agreement": None, "changed": None, "score": None, "cost_usd": None, "unpriced": 3}
    found = headlines([studied(n, **unknown).look for n in range(3)])
    assert [(h.name, h.value) for h in found] == [("debates", "3"), ("cost", "unknown")]
    assert headlines([]) == []
    known = headlines([studied(1, agreement=0.5, changed=True, cost_usd=0.1).look,
                       studied(2, agreement=1.0, changed=False, cost_usd=0.3).look])  # fmt: skip
    told = {h.name: h.value for h in known}
    assert told["agreement"] == "75 %"
    assert told["changed by debating"] == "50 %"
    assert told["cost"] == "$0.4000"


def test_every_figure_is_there_with_debates_and_without():
    for found in (many.figures([]), many.figures([studied(n) for n in range(8)])):
        assert [f.name for f in found] == EVERY
    assert not any(f.has_data for f in many.figures([]))
    assert all(f.has_data for f in many.figures([studied(n) for n in range(8)]))


def test_influence_is_the_mean_over_all_readings_of_a_model_by_another():
    first = studied(1).look
    part = replace(
        first.parts[0], model_id="a", alias="a", readers=("b", "c"), influence=(0.2, -0.4)
    )
    other = replace(first.parts[0], model_id="b", alias="b", readers=("a",), influence=(0.1,))
    looks = [
        replace(first, parts=(part, other)),
        replace(first, parts=(replace(part, readers=("b",), influence=(0.4,)),)),
    ]
    svg = figure(many.figures([Studied(day=DAY, look=x) for x in looks]), "influence").svg
    assert set(titles(svg)) == {"b → a: 0.3", "a → b: 0.1"}


def test_agreement_and_scores_are_means_by_mode():
    found = [studied(n, mode=("x", "y")[n % 2], agreement=n / 10, score=float(n)) for n in range(4)]
    figures = many.figures(found)
    assert titles(figure(figures, "agreement").svg) == ["x (2): 0.1", "y (2): 0.2"]
    assert titles(figure(figures, "scores").svg) == ["x (2): 1", "y (2): 2"]


def test_convergence_is_the_mean_of_each_round_that_was_held():
    found = [studied(1, mode="x", levels=(0.2, 0.6, 1.0)), studied(2, mode="x", levels=(0.4, 0.8)),
             studied(3, mode="x", levels=(1.0,))]  # fmt: skip
    shown = titles(figure(many.figures(found), "convergence").svg)
    assert shown == ["x (2): 0.3", "x (2): 0.7", "x (2): 1"]


def test_cost_is_told_by_day_model_and_vendor_with_the_days_between():
    spent = SpendingChart(
        day={"2026-01-30": 1.0, "2026-02-02": 3.0}, model={"m": 3.0, "n": 1.0}, vendor={"v": 4.0}
    )
    figures = many.figures([], spent)
    days = figure(figures, "cost-day")
    assert titles(days.svg) == ["cost: 1", "cost: 0", "cost: 0", "cost: 3"]
    assert {"30 Jan", "31 Jan", "1 Feb", "2 Feb"} <= set(words(days.svg))
    assert days.note == "$4.00 in all, as known."
    assert titles(figure(figures, "cost-model").svg) == ["m: 3", "n: 1"]
    assert titles(figure(figures, "cost-vendor").svg) == ["v: 4"]


def test_cost_over_many_days_is_told_by_month():
    days = {(DAY + timedelta(days=n)).isoformat(): 1.0 for n in range(200)}
    shown = figure(many.figures([], SpendingChart(day=days, model={}, vendor={})), "cost-day")
    assert shown.title == "Cost by month"
    assert "2026-12" in words(shown.svg)


def test_what_a_debate_cost_is_summed_from_what_its_models_cost():
    found = [studied(n) for n in range(5)]
    spent = many.spending_chart(found)
    whole = sum(p.cost_usd for s in found for p in s.look.parts)
    assert sum(spent.day.values()) == pytest.approx(whole)
    assert sum(spent.model.values()) == pytest.approx(whole)
    assert set(spent.vendor) <= {"anthropic", "openai", "google", "xai"}


def test_a_look_that_was_kept_is_the_same_look():
    seen = look(fold(a_debate(4)))
    assert seen.levels
    assert any(p.readers for p in seen.parts)
    assert from_text(to_text(seen)) == seen


# -- one debate


def test_a_debate_has_all_its_figures_with_data_or_without():
    events = a_debate(6)
    assert all(f.has_data for f in one.figures(fold(events), events))
    nothing = transcript({"claude": [Fault()]}, synthesis=None)
    assert [f.name for f in one.figures(nothing) if f.has_data] == []


def test_the_timeline_tells_every_call_and_leaves_pauses_out():
    events = debate()
    at = events[-1].at + timedelta(days=3)
    more = [Reopened(at=at, reason="continued"), replace(events[-1], at=at + timedelta(seconds=2))]
    log = [e.with_seq(i) for i, e in enumerate([*events, *more], 1)]
    shown = figure(one.figures(fold(log), log), "timeline").svg
    assert "claude, initial answer (2.1 s)" in titles(shown)
    assert "goes on: continued" in titles(shown)
    last = max(float(w) for w in words(shown) if w.replace(".", "").isdigit())
    assert last < 60


def test_a_timeline_shows_failures_moments_and_nothing_that_is_no_number():
    nan = float("nan")
    shown = timeline(
        [Span(row="a", start=0, end=2, told="went well"),
         Span(row="a", start=2, end=3, told="failed", failed=True),
         Span(row="b", start=nan, end=1, told="never")],
        [Moment(at=1, told="round 1 begins", name="round 1"), Moment(at=nan, told="never")],
        title="t",
    )  # fmt: skip
    assert titles(shown) == ["round 1 begins", "went well", "failed"]
    assert timeline([], title="t") == timeline(
        [Span(row="a", start=nan, end=0, told="")], title="t"
    )


def test_a_study_says_who_changed_and_what_it_was_worth():
    events = a_debate(6)
    said = study(fold(events), events)
    assert said["flips"]
    assert {"seat", "round", "before", "after", "towards", "reason"} <= set(said["flips"][0])
    assert "plain vote" in [w["name"] for w in said["worth"]["ways"]]
    assert said["scores"]["rows"][0]["marks"]["accuracy"] == 4


@pytest.mark.parametrize("seat", ["lab/mini-1", "a/b/c", "/", "x/0/initial"])
def test_an_imported_debate_can_be_studied_whatever_its_seats_are_called(seat):
    """An analyst that is found by itself sits under its model's id, which has a slash."""
    held = fold(debate({seat: ["Canberra."] * 2, "gpt": ["Sydney."] * 2}))
    shown = {"A": "gpt"}
    plain = {**transcript_to_json(held), "labels": dict.fromkeys(held.answered, shown)}
    events, notes = reading(json.dumps(plain, default=str).encode())
    assert not notes
    asked = {e.key: e.seat for e in events if isinstance(e, Asked)}
    assert asked == {key: r.model_alias for key, r in held.answered.items()}
    told = titles(figure(one.figures(fold(events), events), "timeline").svg)
    assert f"{seat}, initial answer (2.1 s)" in told
    assert study(fold(events), events)["query"] == held.query


@pytest.mark.parametrize("key", ["", "x", "0/initial", "one/initial/gpt", "9" * 5000 + "/a/b"])
def test_an_answer_under_any_key_has_a_name(key):
    assert len(response_name(key)) <= 60


def test_how_panelists_see_each_other_is_counted_in_pairs_round_by_round():
    go, no = "Go.\nBOTTOM LINE: Go.", "No.\nBOTTOM LINE: No."
    said = {
        "ann": [go, f"{go}\n{OTHERS}: bob agree; cyd disagree"],
        "bob": [go, f"{go}\n{OTHERS}: ann agree; cyd partly"],
        "cyd": [no, f"{no}\n{OTHERS}: ann disagree; bob partly"],
    }
    found = figure(one.figures(transcript(said, query="Go?")), "relations")
    last = {t.split(":")[0]: t for t in titles(found.svg)}
    assert last["agree"] == "agree: 1"
    assert last["partly"] == "partly: 1"
    assert last["disagree"] == "disagree: 1"
    assert "agreement" not in found.svg


def test_a_debate_that_nobody_measured_has_no_chart_of_relations():
    two = transcript({"ann": ["One thing, at length."], "bob": ["Another thing, at length."]})
    found = figure(one.figures(two), "relations")
    assert set(titles(found.svg)) <= {"not measured: 1"}


def test_a_study_has_the_ledger_and_the_tables_of_every_round():
    events = a_debate(6)
    said = study(fold(events), events)
    assert said["ledger"]["source"] == "panel"
    assert said["tables"]["rounds"][0]["number"] == 0
    assert said["heading"] == said["account"]["headline"]


# -- two debates


def test_two_debates_are_aligned_round_by_round_and_seat_by_seat():
    found = compare_debates(fold(a_debate(0)), fold(a_debate(2)))
    assert [r["name"] for r in found["rounds"]] == ["initial answers", "round 1", "round 2"]
    seats = found["rounds"][0]["seats"]
    assert [s["seat"] for s in seats] == ["claude", "gpt", "gemini", "grok"]
    assert seats[0]["a"]["text"]
    assert seats[0]["b"]["text"]
    assert seats[3]["a"] is None
    names = [m["name"] for m in found["measures"]]
    assert len(set(names)) == len(names)


def test_an_answer_that_is_missing_says_why_in_the_comparison():
    gone = transcript({"claude": ["Yes."], "gpt": [Fault(text="busy")]})
    found = compare_debates(gone, fold(a_debate(1)))
    gpt = next(s for s in found["rounds"][0]["seats"] if s["seat"] == "gpt")
    assert gpt["a"] == {
        "model": "lab/gpt-1", "holds": "", "text": "", "missing": "rate limit: busy",
    }  # fmt: skip


# -- tables


def test_a_parquet_table_has_types():
    rows = [{"n": 1, "x": 0.5, "t": "=SUM(1)", "e": None}, {"n": None, "x": 2, "t": 7, "e": None}]
    frame = pl.read_parquet(io.BytesIO(table_to_parquet(["n", "x", "t", "e"], rows)))
    assert frame["n"].to_list() == [1, None]
    assert frame["x"].to_list() == [0.5, 2.0]
    assert frame["t"].to_list() == ["=SUM(1)", "7"]
    assert frame["e"].to_list() == [None, None]
    assert table_to_parquet(["n"], [])


def test_without_polars_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(BadInput, match=r"pip install 'mutual-dissent\[research\]'"):
        table_to_parquet(["n"], [])
