"""An answer that says whose it is, where nobody is to know: masked for others, and flagged."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fakes.structured import filled, form_fillers
from fakes.world import a_brief, run, seat
from mutual_dissent.core.panel import Route
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.views.documents.csv import to_csv
from mutual_dissent.views.documents.json import transcript_to_json
from mutual_dissent.views.markdown import to_markdown
from mutual_dissent.views.terminal import terminal

SEATS = ("claude", "gpt", "grok")
MAKERS = {
    "claude": Route(vendor="anthropic", model_id="claude-sonnet-5-5"),
    "gpt": Route(vendor="openrouter", model_id="openai/gpt-6.1-sol"),
    "grok": Route(vendor="xai", model_id="grok-4.7"),
}
UNSIGNED = tuple(
    name
    for name, mode in modes(TOPOLOGIES).items()
    if mode.unsigned and name != "review"  # there, findings are read, and nobody's text
)


def a_panel(mode, **more):
    panel = tuple(replace(seat(s), route=MAKERS[s]) for s in SEATS)
    rounds = 0 if mode in ("ranking", "consensus", "hybrid") else 2
    brief = a_brief(*SEATS, mode=mode, rounds=rounds, **more)
    return replace(brief, panel=panel, synthesizer=panel[1])


def says(text):
    """Claude says this in every round, the others nothing of the kind."""
    return lambda ask: filled(ask, lambda _: text)


async def held(text, mode="ranking", **more):
    script = form_fillers(*SEATS, claude=says(text))
    transcript, _, _ = await run(a_panel(mode, **more), script)
    return transcript, script


def flags(transcript, name="claude"):
    found = [r for r in transcript.turns() if r.model_alias == name]
    return [f for r in found for f in r.flags if f.startswith("own name")]


@pytest.mark.parametrize("mode", [*UNSIGNED, "reflection", "collaborative", "adversarial"])
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("I am Claude, and tabs are better.", "Claude"),
        ("As claude-sonnet-5-5 I prefer tabs.", "claude-sonnet-5-5"),
        ("I was made by Anthropic. Tabs.", "Anthropic"),
    ],
)
async def test_who_names_itself_is_flagged_and_its_name_reaches_no_peer(mode, text, names):
    transcript, script = await held(text, mode)
    assert f"own name in the answer: {names}" in flags(transcript)
    peers = [a for a in script.asks if a.panelist.seat != "claude" and a.role != "synthesis"]
    assert any(a.labels for a in peers)
    for ask in peers:
        assert names not in ask.tail, ask.key


@pytest.mark.parametrize("mode", [*UNSIGNED, "reflection"])
async def test_who_writes_the_answer_reads_everything_as_it_was_written(mode):
    _, script = await held("I am Claude, and tabs are better.", mode)
    assert "I am Claude, and tabs" in script.asks[-1].tail
    assert "withheld" not in script.asks[-1].tail


async def test_odd_letters_hide_no_name():
    transcript, script = await held("I was made by ANTHROP\u0130C. Tabs.")
    assert "own name in the answer: ANTHROP\u0130C" in flags(transcript)
    others = [
        ask.tail for ask in script.asks if ask.panelist.seat != "claude" and ask.role != "synthesis"
    ]
    assert not any("ANTHROP" in tail for tail in others)


@pytest.mark.parametrize("mode", [*UNSIGNED, "reflection"])
async def test_a_maker_named_in_passing_is_no_introduction(mode):
    transcript, script = await held("Anthropic has a paper on tabs.", mode)
    assert flags(transcript) == []
    read = [a for a in script.asks if a.panelist.seat != "claude" and a.labels]
    assert all("Anthropic has a paper" in a.tail for a in read)


async def test_other_names_are_not_its_own():
    transcript, _ = await held("Grok and OpenAI may differ.", "ranking")
    assert flags(transcript) == []


async def test_names_that_the_query_uses_are_no_giveaway():
    transcript, _ = await held("I am Claude.", "ranking", query="Is Claude better than GPT?")
    assert flags(transcript) == []


async def test_where_names_are_shown_nobody_gives_itself_away():
    transcript, _ = await held("I am Claude.", "reflection", named=True)
    assert flags(transcript) == []


@pytest.mark.parametrize(
    ("name", "text"), [("gpt", "I am ChatGPT."), ("grok", "I was built by xAI.")]
)
async def test_names_that_stand_in_no_id_are_known(name, text):
    script = form_fillers(*SEATS, **{name: says(text)})
    transcript, _, _ = await run(a_panel("delphi"), script)
    assert flags(transcript, name)


async def test_every_view_says_so():
    transcript, _ = await held("I am Claude.", "ranking")
    flag = "own name in the answer: Claude"
    assert flag in terminal(transcript, verbose=True, width=200)
    assert flag in to_markdown(transcript)
    assert flag in to_csv(transcript)
    shown = transcript_to_json(transcript)["rounds"][0]["responses"]
    assert [r["flags"] for r in shown if r["model_alias"] == "claude"] == [[flag]]
