"""A panel forecasts: code pools the figures, and scores them once the outcome is known."""

from __future__ import annotations

import asyncio
import json
import re

import httpx
import pytest

from fakes.command_line import dissent
from fakes.patience import LONG
from fakes.roundtable import roundtable
from fakes.served import served
from fakes.structured import filled
from fakes.world import Tariff, a_brief, run
from mutual_dissent.analysis.scores.forecasts import score_forecast
from mutual_dissent.app import MutualDissent
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.events import Resolved
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.surfaces.rest import api
from mutual_dissent.views.account import account
from mutual_dissent.views.heading import heading
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.panel.tables import panel_tables
from mutual_dissent.views.research.one import figures
from mutual_dissent.views.terminal import terminal

QUERY = "Will the bridge be open to cars on 1 May?"


def gives(*figures):
    """A forecaster that gives these figures, round by round; whoever sums up writes reasons."""

    def speak(ask):
        figure = figures[min(max(ask.round_number, 0), len(figures) - 1)]
        return filled(ask, lambda _: f"I say {figure}", estimate=figure)

    return speak


async def forecast(*panel, rounds=1) -> Transcript:
    seats = ("ada", "bob", "cyd", "dee")[: len(panel)]
    cast = Scripted(dict(zip(seats, panel, strict=True)))
    brief = a_brief(*seats, mode="forecast", rounds=rounds, query=QUERY)
    transcript, _, _ = await run(brief, cast)
    return transcript


async def test_the_heading_has_the_geometric_mean_of_the_odds_and_the_spread():
    t = await forecast(gives("10 % [5 to 20]"), gives("50% [30% to 70%]"), gives("20 % [9 to 40]"))
    assert heading(t).startswith(
        "Panel: 23 %, geometric mean of the odds of 3 forecasts from 10 to 50 %; "
        "their own ranges: 9 to 40 %."
    )


@pytest.mark.parametrize("bare", ["20 [9 to 40]", "0.2 [0.09 to 0.4]"])
async def test_who_leaves_out_the_percent_sign_forecasts_a_probability_all_the_same(bare):
    t = await forecast(gives("10 % [5 to 20]"), gives("50% [30% to 70%]"), gives(bare))
    assert heading(t).startswith(
        "Panel: 23 %, geometric mean of the odds of 3 forecasts from 10 to 50 %; "
        "their own ranges: 9 to 40 %."
    )
    resolved = t.apply(Resolved(seq=t.last_seq + 1, at=t.created_at, outcome="yes"))
    assert sorted(score_forecast(resolved).claims.values()) == [0.1, 0.2, 0.5]


async def test_a_yes_or_no_question_is_forecast_in_percent_though_nobody_writes_the_sign():
    t = await forecast(gives("30 [20 to 45]"), gives("0.3 [0.2 to 0.45]"))
    assert heading(t).startswith("Panel: 30 %, geometric mean of the odds of 2 forecasts")
    t = await forecast(gives("75 [50 to 120]"), gives("75 [50 to 120]"))
    assert heading(t).startswith("Panel: 75 (50 to 120 in 8 of 10 cases)")


async def test_one_who_is_certain_does_not_decide_alone():
    t = await forecast(gives("0 % [0 to 0]"), gives("50 % [30 to 70]"), gives("50 % [40 to 60]"))
    assert heading(t).startswith(
        "Panel: 9 %, geometric mean of the odds of 3 forecasts from 0 to 50 %"
    )


async def test_of_a_quantity_the_heading_has_the_medians():
    t = await forecast(
        gives("75 people [50 to 120]"),
        gives("60 people [40 to 90]"),
        gives("100 people [70 to 160]"),
    )
    assert heading(t).startswith("Panel: 75 people (50 to 120 in 8 of 10 cases), medians of 3.")


async def test_the_last_forecasts_count():
    t = await forecast(
        gives("10 % [5 to 20]", "40 % [20 to 60]"), gives("90 % [80 to 95]", "60 % [40 to 80]"),
        rounds=2,
    )  # fmt: skip
    assert heading(t).startswith(
        "Panel: 50 %, geometric mean of the odds of 2 forecasts from 40 to 60 %"
    )


async def test_everyone_is_told_the_day_and_the_account_has_first_and_last_figures():
    asked = []

    def hears(ask):
        asked.append(ask)
        return gives("10 % [5 to 20]", "40 % [20 to 60]")(ask)

    t = await forecast(hears, gives("90 % [80 to 95]"), rounds=2)
    assert all("Today is 2026-" in a.tail for a in asked if a.role != "synthesis")
    assert "ada: 40 % [20 to 60] (at first 10)" in account(t).holds


async def test_the_panels_figure_is_shown_from_round_to_round_and_what_moved_is_revised():
    def moves(ask):
        figure = "90 % [80 to 95]" if ask.round_number == 0 else "60 % [40 to 80]"
        changed = (
            "yes: from 90 to 60: the frost (Panelist A)" if ask.round_number > 0 else "nothing"
        )
        says = "Frost decides.\n\nSo it was revised." if ask.role == "synthesis" else "I say so"
        return filled(ask, lambda _: says, estimate=figure, changed=changed)

    t = await forecast(moves, gives("10 % [5 to 20]", "40 % [20 to 60]"), rounds=2)
    shown = terminal(t)
    assert re.search(r"panel +median +trimmed mean +lowest to highest", shown)
    assert re.search(r"initial answers +50 % +50 % +50 % +10 to 90 %", shown)
    assert re.search(r"round 1 +50 % +50 % +50 % +40 to 60 %", shown)
    assert "\nrevised\n" in shown
    assert "corrected" not in shown
    assert "## Revised" in to_markdown(t)
    (chart,) = [f for f in figures(t) if f.name == "forecasts"]
    assert "geometric mean of odds from 50 to 50" in chart.svg
    assert "highest from 90 to 60" in chart.svg
    assert panel_tables(t)["estimates"][0]["pooled"]["median"] == "50 %"


@pytest.mark.parametrize("bad", ["", "23 %", "23 % [40 to 60]", "150 % [90 to 200]"])
async def test_a_figure_without_a_sound_range_is_asked_for_once_more(bad):
    asked = []

    def speaks(ask):
        asked.append(ask)
        return filled(ask, lambda _: "so", estimate=bad if len(asked) == 1 else "23 % [14 to 40]")

    t = await forecast(speaks, gives("50 % [30 to 70]"))
    assert len([a for a in asked if a.role == "initial"]) == 2
    assert "from 23 to 50 %" in heading(t)


# -- as a user has it


async def forecasts(*days):
    """Two forecasters, and a debate for each day on which it can be resolved."""
    cast = {"ada": gives("10 % [5 to 20]"), "bob": gives("30 % [10 to 50]")}
    async with MutualDissent(provider=Scripted(cast), prices=Tariff()) as md:
        same = {"panel": ["ada", "bob"], "mode": "forecast", "rounds": 1}
        return [(await md.debate(QUERY, due=day, **same)).transcript_id for day in days]


def test_a_forecast_that_is_due_is_listed_and_scored_when_it_is_resolved():
    due, later = asyncio.run(forecasts("2026-01-31", "2999-01-31"))
    rows = json.loads(dissent("forecasts", "--due", "--output", "json").stdout)
    assert [r["transcript_id"] for r in rows] == [due]
    assert "2026-01-31 (due)" in dissent("forecasts").stdout
    assert later[:8] in dissent("forecasts").stdout

    assert "Brier score 0.03" in dissent("outcome", due[:8], "no").stdout
    assert due[:8] not in dissent("forecasts").stdout
    scores = json.loads(dissent("forecasts", "--scores", "--output", "json").stdout)
    assert scores["resolved"] == 1
    assert {b["name"]: b["brier"] for b in scores["brier"]}["ada"] == 0.01
    assert scores["calibration"]["the panel"][0]["happened"] == 0
    assert "about 29 more" in dissent("forecasts", "--scores").stderr


async def test_over_rest_and_mcp_forecasts_are_listed_due_first_and_scored(tmp_path):
    async with roundtable(tmp_path) as table, table.client() as ask:
        same = {"topic": QUERY, "mode": "forecast", "rounds": 1}
        later, due, done = [
            (await ask.start(**same, due=day))["sessionId"]
            for day in ("2999-01-31", "2026-01-31", "2026-01-01")
        ]
        told = {"action": "resolve", "outcome": "no", "note": "the mayor said so"}
        said = await ask("control_session", sessionId=done, **told)
        assert "Brier score" in said["next"]
        assert "(the mayor said so)" in said["next"]
        page = await ask("list_sessions", forecasts=True)
        assert [s["sessionId"] for s in page["sessions"]] == [due, later]
        assert page["sessions"][0]["due"] == "2026-01-31"
        assert "geometric mean of the odds of 3 forecasts" in page["sessions"][0]["forecast"]
        record = page["forecastRecord"]
        assert (record["resolved"], record["missing"]) == (1, 29)
        assert "search" in await ask.refused("list_sessions", forecasts=True, search="bridge")
        async with (
            served(table.hosted, [api]) as url,
            httpx.AsyncClient(base_url=url, timeout=LONG) as client,
        ):
            found = (await client.get("/api/forecasts")).json()
            assert [f["sessionId"] for f in found["forecasts"]] == [due, later]
            assert found["record"] == record
            found = (await client.get("/api/forecasts?due=true")).json()
            assert [f["sessionId"] for f in found["forecasts"]] == [due]


@pytest.mark.parametrize("outcome", ["right", "42", "perhaps"])
def test_what_does_not_resolve_a_forecast_is_refused(outcome):
    (name,) = asyncio.run(forecasts(None))
    refused = dissent("outcome", name[:8], outcome)
    assert refused.exit_code == 2
    assert "is a forecast: its outcome is yes or no" in refused.stderr


@pytest.mark.parametrize(
    ("mode", "day", "why"),
    [("delphi", "2027-01-31", "makes no forecast"), ("forecast", "soon", "such as 2027-01-31")],
)
async def test_a_day_is_refused_where_nothing_is_forecast_or_it_is_no_day(mode, day, why):
    async with MutualDissent(provider=Scripted({"ada": "x", "bob": "y"})) as md:
        with pytest.raises(BadInput, match=why):
            await md.brief(QUERY, panel=["ada", "bob"], mode=mode, due=day)
