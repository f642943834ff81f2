"""Presets and personas: a name for a panel with its mode and options; what is said goes first."""

from __future__ import annotations

import pytest

from mutual_dissent import MutualDissent
from mutual_dissent.briefing.presets import DEFAULT_PRESETS
from mutual_dissent.core.errors import BadConfig, UserError
from mutual_dissent.core.stopping import NEVER_EARLY
from mutual_dissent.providers.scripted import Scripted

JURY = """
[presets.jury]
summary = "Three of my models judge a case."
panel = ["claude", "gpt", "grok"]
synthesizer = "gpt"
mode = "devils-advocate"
rounds = 2
roles = ["grok=PRIMARY", "claude=OPPOSITION"]
personas = ["gpt=skeptic", "auditor"]
exit_consensus = "off"
exit_convergence = 3
analyst = "grok"
quorum = 3
max_cost = 0.5
tools = true
named = true

[personas.auditor]
instructions = "You are an auditor."
"""


@pytest.fixture
def written(tmp_path):
    """The app with a configuration of that text; anybody can be seated."""

    def app(text=""):
        home = tmp_path / "md"
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(text)
        (home / "config.toml").chmod(0o600)
        return MutualDissent(home=home, env={}, provider=Scripted({}))

    return app


async def brief(md, **options):
    return await md.brief("q", **options)


async def test_a_preset_decides_what_is_not_said(written):
    made = await brief(written(JURY), preset="jury", allow_unpriced=True)
    assert made.preset == "jury"
    assert [p.seat for p in made.panel] == ["claude", "gpt", "grok"]
    assert [p.role for p in made.panel] == ["OPPOSITION", "EVALUATOR", "PRIMARY"]
    assert [p.persona for p in made.panel] == ["auditor", "skeptic", None]
    assert (made.mode, made.rounds, made.synthesizer.seat) == ("devils-advocate", 2, "gpt")
    assert (made.exits.consensus, made.exits.convergence) == (None, 3)
    assert (made.analyst.seat, made.quorum, made.max_cost) == ("grok", 3, 0.5)
    assert (made.tools, made.named) == (True, True)


async def test_whatever_is_said_goes_before_the_preset(written):
    made = await brief(
        written(JURY), preset="jury", rounds=4, synthesizer="claude", tools=False, named=False,
        max_cost=2.0, quorum=1, exit_consensus=0.8, analyst="none", allow_unpriced=True,
        roles={"gpt": "PRIMARY", "grok": "EVALUATOR"}, personas={"grok": "analyst"},
    )  # fmt: skip
    assert (made.rounds, made.synthesizer.seat, made.tools) == (4, "claude", False)
    assert (made.named, made.max_cost, made.quorum) == (False, 2.0, 1)
    assert (made.exits.consensus, made.exits.convergence) == (0.8, 3)
    assert made.analyst is None
    assert [p.role for p in made.panel] == ["OPPOSITION", "PRIMARY", "EVALUATOR"]
    assert [p.persona for p in made.panel] == ["auditor", "skeptic", "analyst"]


async def test_in_another_mode_the_presets_own_particulars_are_left_out(written):
    made = await brief(written(JURY), preset="jury", mode="ranking", allow_unpriced=True)
    assert (made.mode, made.quorum) == ("ranking", 3)
    assert [p.role for p in made.panel] == [None, None, None]
    assert made.exits == NEVER_EARLY


async def test_on_another_panel_nobody_who_is_absent_has_a_part(written):
    panel = ["ada", "claude", "bob"]
    made = await brief(written(JURY), preset="jury", panel=panel, allow_unpriced=True)
    assert [p.role for p in made.panel] == ["PRIMARY", "OPPOSITION", "EVALUATOR"]
    assert [p.persona for p in made.panel] == ["auditor", None, None]


async def test_whoever_deals_out_personas_deals_out_no_others(written):
    made = await brief(written(JURY), preset="jury", personas=["optimist"], allow_unpriced=True)
    assert [p.persona for p in made.panel] == ["optimist", "skeptic", None]


async def test_a_preset_goes_before_the_defaults_and_may_be_one(written):
    text = '[defaults]\npreset = "delphi"\nmode = "ranking"\nquorum = 1\n'
    made = await brief(written(text), panel=["a", "b"])
    assert (made.preset, made.mode, made.rounds, made.quorum) == ("delphi", "delphi", 4, 1)
    plain = await brief(written(text), panel=["a", "b", "c"], preset="default")
    assert (plain.preset, plain.mode) == ("default", "ranking")


@pytest.mark.parametrize("name", DEFAULT_PRESETS)
async def test_every_preset_that_ships_can_be_used_as_it_is(written, name):
    made = await brief(written(), preset=name, panel=["a", "b", "c", "d"])
    assert made.preset == name
    assert DEFAULT_PRESETS[name].summary
    wanted = DEFAULT_PRESETS[name].values
    assert made.mode == wanted.get("mode", "reflection")
    for option in ("topology", "rounds", "rule"):
        assert getattr(made, option) == wanted.get(option, getattr(made, option))


TASKS = [name for name, preset in DEFAULT_PRESETS.items() if preset.task]


@pytest.mark.parametrize("name", TASKS)
async def test_a_preset_named_by_a_task_tells_everybody_what_the_task_asks(written, name):
    md = written()
    modes = {"mode": "reflection"} if name in md.modes else {}  # such a mode asks for it itself
    made = await brief(md, preset=name, panel=["a", "b", "c", "d"], **modes)
    told = md.library.text(f"tasks/{name}").strip()
    assert [(e.speaker, e.text) for e in made.earlier] == [("instructions", told)]
    assert "The bottom line" in told


def test_the_tasks_that_presets_are_named_by_are_there():
    known = {"decide", "fact-check", "plan-check", "postmortem", "name", "research"}
    assert known <= set(TASKS)


async def test_ones_own_preset_goes_before_ours_of_that_name(written):
    made = await brief(
        written('[presets.council]\nmode = "hybrid"'), preset="council", panel="a,b,c"
    )
    assert (made.mode, made.rule) == ("hybrid", "borda")


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"preset": "counsil"}, "no preset is called 'counsil'; did you mean 'council'?"),
        ({"preset": "odd"}, "preset odd: no mode is called 'delfi'; did you mean 'delphi'?"),
        ({"preset": "long"}, "preset long: reflection takes 1 to 3 rounds"),
        ({"preset": "misfit"}, "preset misfit: ranking has no topology"),
        ({"preset": "quick", "teams": {"a": "red"}}, "^escalate has no teams"),
        ({"personas": ["clown"]}, "no persona is called 'clown'"),
        ({"mode": "expert-panel", "roles": {"a": "PRIMARY"}}, "expert-panel has no roles"),
        ({"mode": "devils-advocate", "teams": {"a": "red"}}, "devils-advocate has no teams"),
        ({"perspectives": ["legal"]}, "reflection has no perspectives; leave out perspectives"),
        ({"perspective_order": "random"}, "leave out perspective_order"),
        ({"mode": "expert-panel", "perspective_order": "x"}, "did you mean|choose from random"),
        ({"mode": "delphi", "topology": "ring"}, "delphi has no topology"),
        ({"rule": "schulze"}, "reflection has no ballots; leave out rule"),
        ({"mode": "ranking", "rule": "bordo"}, "did you mean 'borda'"),
        ({"mode": "ranking", "exit_consensus": 0.9}, "fixed stages; leave out exit_consensus"),
        ({"mode": "delphi", "exit_consensus": 1.5}, "above 0 and up to 1"),
        ({"mode": "delphi", "rounds": 11}, "1 to 10 rounds, not 11"),
    ],
)
async def test_what_cannot_be_is_refused_with_what_to_do(written, options, says):
    text = '[presets.odd]\nmode = "delfi"\n[presets.long]\nrounds = 9\n'
    text += '[presets.misfit]\nmode = "ranking"\ntopology = "ring"\n'
    with pytest.raises(UserError, match=says):
        await brief(written(text), panel=["a", "b", "c"], **options)


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("[presets.p]\nmode = 3", 2, "presets.p.mode: must be the name of a mode"),
        ('[presets.p]\npannel = ["a"]', 2, "did you mean 'panel'?"),
        ('[presets.p]\nroles = ["PRIMARY"]', 2, "presets.p.roles: must be SEAT=PART"),
        ('[presets.p]\nrule = "coin"', 2, 'must be one of "borda"'),
        ("[presets.p]\nexit_consensus = 2", 2, 'above 0 and up to 1, or "off"'),
        ("[presets]\np = 1", 2, "presets.p"),
        ("[defaults]\nexit_convergence = 0", 2, "a whole number from 1 to 10"),
        ("[defaults]\nanalyst = 3", 2, "an alias or vendor:model, or none"),
    ],
)
def test_a_mistake_in_a_preset_is_named_with_its_line(written, text, line, says):
    with pytest.raises(BadConfig) as caught:
        _ = written(text).settings
    assert f"line {line}: " in str(caught.value)
    assert says in str(caught.value)


async def test_the_defaults_of_a_debate_can_be_set(written):
    text = (
        '[defaults]\nexit_consensus = 0.75\nexit_convergence = "off"\nrule = "kemeny"\n'
        'analyst = "cheap"\ntools = true\n'
    )
    made = await brief(written(text), mode="delphi", panel=["a", "b"])
    assert (made.exits.consensus, made.exits.convergence) == (0.75, None)
    assert (made.rule, made.analyst.seat, made.tools) == ("kemeny", "cheap", True)
    usual = await brief(written(text), panel=["a", "b"], tools=False, analyst="none")
    assert usual.exits == NEVER_EARLY, "reflection holds every round that was asked for"
    assert (usual.tools, usual.analyst) == (False, None)


async def test_an_exit_can_be_turned_off_and_on(written):
    off = await brief(written(), mode="delphi", panel=["a", "b"], exit_consensus="off")
    assert (off.exits.consensus, off.exits.convergence) == (None, 2)
    on = await brief(written(), panel=["a", "b"], exit_consensus=0.7)
    assert (on.exits.consensus, on.exits.convergence) == (0.7, None)


async def test_a_single_model_still_plays_three_personas_however_many_there_are(tmp_path):
    env = {"OPENAI_API_KEY": "sk-canary", "OLLAMA_HOST": "http://127.0.0.1:9"}
    made = await MutualDissent(home=tmp_path, env=env).brief("q")
    assert [p.persona for p in made.panel] == ["analyst", "skeptic", "practitioner"]
