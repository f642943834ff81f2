"""Modes, presets, personas and prompts from the command line, as a new user tries them."""

from __future__ import annotations

import json
import sys

import pytest

from fakes.command_line import dissent
from mutual_dissent.analysis.ballots.rules import RULES
from mutual_dissent.briefing.presets import DEFAULT_PRESETS
from mutual_dissent.modes import modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.prompts.library import Library

QUERY = "Shall we ship it now?"
MODES = modes(TOPOLOGIES)
ANSWER = json.dumps(
    {
        "position": "Yes, ship it.",
        "reasoning": "It works.",
        "key_points": ["It works.", "It is late."],
        "confidence": 0.8,
        "stance": "neutral",
        "ranking": ["Answer A", "Answer B", "Answer C"],
        "citations": [],
    }
)


def asked(*words: str) -> dict:
    """A debate, as its JSON tells it."""
    result = dissent("ask", QUERY, *words, "--output", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def refused(*words: str) -> str:
    """What is said to a command that cannot be; nobody is asked."""
    result = dissent("ask", QUERY, *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.count("\n") == 1
    return result.stderr


def parts(told: dict, part: str) -> list:
    return [p[part] for p in told["brief"]["panel"]]


# -- what ask takes


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_runs_from_the_command_line(vendor, mode):
    vendor.fake.always(text=ANSWER)
    told = asked("--mode", mode)
    assert told["brief"]["mode"] == mode
    assert told["synthesis"]["content"]


def test_perspectives_are_dealt_out_or_given_by_name(vendor):
    words = ("--mode", "expert-panel", "--rounds", "1")
    usual = asked(*words)
    assert parts(usual, "perspective") == ["technical", "economic", "ethical", "social"]
    own = asked(*words, "--perspectives", "legal, user experience", "--perspectives", "gpt=ethical")
    assert parts(own, "perspective") == ["legal", "ethical", "user experience", "legal"]
    order = ("--perspective-order", "random", "--seed", "3")
    drawn = [parts(asked(*words, *order), "perspective") for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert sorted(drawn[0]) == sorted(parts(usual, "perspective"))


def test_roles_and_teams_are_given_by_seat(vendor):
    words = ("--rounds", "1", "--panel", "claude,gpt,grok")
    told = asked("--mode", "devils-advocate", "--role", "grok=primary", *words)
    assert parts(told, "role") == ["OPPOSITION", "EVALUATOR", "PRIMARY"]
    told = asked("--mode", "red-team-blue-team", "--team", "claude=blue", *words)
    assert parts(told, "team")[0] == "blue"


def test_exits_and_rule_reach_the_brief(vendor):
    vendor.fake.always(text=ANSWER)
    told = asked(
        "--mode", "delphi", "--rounds", "3", "--exit-consensus", "0.8",
        "--exit-convergence", "off", "--exit-confidence", "0.95",
    )["brief"]  # fmt: skip
    assert told["exits"] == {"consensus": 0.8, "convergence": None, "confidence": 0.95}
    assert (told["rounds"], told["tools"]) == (3, False)
    told = asked("--mode", "ranking", "--rule", "ranked-pairs", "--no-tools")["brief"]
    assert (told["rule"], told["tools"]) == ("ranked-pairs", False)


def test_an_analyst_is_who_one_names(vendor):
    told = asked("--mode", "delphi", "--rounds", "1", "--analyst", "gemini")["brief"]
    assert told["analyst"]["seat"] == "gemini"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--mode", "delphi", "--role", "claude=PRIMARY"], "delphi has no roles"),
        (["--perspectives", "legal"], "try --mode expert-panel"),
        (["--mode", "expert-panel", "--team", "claude=red"], "try --mode red-team-blue-team"),
        (["--mode", "devils-advocate", "--role", "claude"], "--role is SEAT=ROLE"),
        (["--mode", "devils-advocate", "--role", "claude=JUDGE"], "no role is called 'JUDGE'"),
        (["--mode", "devils-advocate", "--role", "cloude=PRIMARY"], "did you mean 'claude'?"),
        (["--mode", "red-team-blue-team", "--team", "claude=green"], "no team is called 'green'"),
        (["--mode", "ranking", "--rounds", "2"], "fixed stages; leave out --rounds"),
        (["--mode", "ranking", "--rule", "shulze"], "did you mean 'schulze'?"),
        (["--mode", "ranking", "--panel", "claude,gpt"], "at least 3"),
        (["--mode", "delphi", "--rounds", "auto"], "a number of rounds"),
        (["--mode", "delphi", "--exit-consensus", "2"], "above 0 and up to 1"),
        (["--mode", "delphi", "--exit-consensus", "soon"], "a number or 'off', not 'soon'"),
        (["--preset", "counsil"], "did you mean 'council'?"),
        (["--persona", "claude=clown"], "no persona is called 'clown'"),
    ],
)
def test_what_a_mode_has_no_use_for_is_refused(vendor, words, says):
    assert says in refused(*words)
    assert vendor.arrivals == []


def test_help_names_every_rule_and_says_what_rounds_are():
    told = " ".join(dissent("ask", "--help").stdout.split())
    assert all(rule in told for rule in RULES)
    assert "In reflection, rounds after the first answers (1); elsewhere, all rounds (3)" in told


def test_a_dry_run_says_the_least_and_the_most_that_asking_two_first_takes(vendor):
    words = ("ask", QUERY, "--mode", "escalate", "--no-analyst", "--dry-run")
    told = dissent(*words).stderr
    assert told.startswith("2 to 9 calls, $")
    assert "it takes less where the panel agrees early" in told
    quoted = json.loads(dissent(*words, "-o", "json").stdout)
    assert (quoted["least_calls"], quoted["calls"]) == (2, 9)
    assert 0 < quoted["least_cost_usd"] < quoted["cost_usd"]
    poor = dissent("ask", QUERY, "--mode", "escalate", "--max-cost", "0.000001")
    assert (poor.exit_code, vendor.arrivals) == (4, [])
    assert "takes at least $" in poor.stderr


@pytest.mark.parametrize(
    ("mode", "less"),
    [
        ("reflection", "less where no passage of a cited page has to be judged."),
        ("escalate", "less where the panel agrees early or no passage of a cited page has to be"),
    ],
)
def test_a_dry_run_says_why_a_debate_with_checked_citations_may_take_less(vendor, mode, less):
    told = dissent("ask", QUERY, "--mode", mode, "--check-citations", "--no-tools", "--dry-run")
    assert f"it takes {less}" in told.stderr


def test_beside_a_bare_answer_it_is_said_that_a_cited_page_could_not_be_read(vendor):
    vendor.fake.always(
        text="The map names seven hills in all (https://nowhere.invalid/map).\nBOTTOM LINE: 7"
    )
    told = dissent("ask", QUERY, "--check-citations", "--no-tools", "-o", "answer", "-q", "-y")
    assert "could not be read" not in told.stdout
    assert "No citation was checked: the cited page could not be read." in told.stderr


def test_an_answer_is_taken_word_for_word_and_shown_as_whose_it_is(vendor):
    vendor.fake.always(text="Seven, by the map.\nBOTTOM LINE: 7")
    told = asked("--answer", "select", "--no-analyst")
    assert told["synthesis"]["chosen"]["reason"] == "4 of 4 hold it"
    assert told["synthesis"]["content"] == "Seven, by the map."
    assert len(vendor.arrivals) == 8
    assert dissent("show", "last", "-o", "answer").stdout == "Seven, by the map.\n"
    assert "word for word: 4 of 4 hold it" in " ".join(dissent("show", "last").stdout.split())
    assert "leave out --answer" in refused("--mode", "single", "--answer", "select")


# -- presets and personas


def test_a_preset_from_the_configuration_with_a_persona_of_ones_own(vendor, own_home):
    for name, value in {
        "presets.desk.panel": "claude,gpt,gemini",
        "presets.desk.mode": "ranking",
        "presets.desk.rule": "schulze",
        "presets.desk.personas": "gpt=auditor,skeptic",
        "personas.auditor.instructions": "You are an auditor; ask for receipts.",
    }.items():
        assert dissent("config", "set", name, value).exit_code == 0
    told = asked("--preset", "desk")
    brief = told["brief"]
    assert (brief["preset"], brief["mode"], brief["rule"]) == ("desk", "ranking", "schulze")
    assert parts(told, "persona") == ["skeptic", "auditor", None]
    assert any("ask for receipts" in a.prompt for a in vendor.arrivals)
    over = asked("--preset", "desk", "--mode", "consensus", "--panel", "claude,grok")["brief"]
    assert (over["mode"], [p["seat"] for p in over["panel"]]) == ("consensus", ["claude", "grok"])


def test_a_default_preset_must_be_one(vendor):
    result = dissent("config", "set", "defaults.preset", "counsil")
    assert result.exit_code == 2
    assert "did you mean 'council'?" in result.stderr
    assert dissent("config", "set", "defaults.preset", "council").exit_code == 0
    assert asked()["brief"]["mode"] == "ranking"


# -- a proposed preset


PROPOSAL = json.dumps(
    {"preset": "decide", "mode": "own", "perspectives": [], "panel": [], "reason": "It is one."}
)


def test_a_proposed_preset_is_shown_and_taken_where_that_is_said(vendor):
    vendor.fake.always(text=PROPOSAL)
    result = dissent("ask", QUERY, "--preset", "auto", "--yes", "--output", "json")
    brief = json.loads(result.stdout)["brief"]
    assert (brief["preset"], brief["proposal"]["reason"]) == ("decide", "It is one.")
    assert "proposes the preset decide in mode decide" in " ".join(result.stderr.split())


@pytest.mark.parametrize("says", [True, False])
def test_a_proposal_is_confirmed_before_the_panel_is_asked(vendor, says, monkeypatch):
    vendor.fake.always(text=PROPOSAL)
    monkeypatch.setattr("mutual_dissent.surfaces.cli.commands.ask.can_ask_user", lambda: True)
    asked = []
    monkeypatch.setattr("click.confirm", lambda text, **_: asked.append(text) or says)
    result = dissent("ask", QUERY, "--preset", "auto")
    assert "proposes the preset decide" in " ".join(result.stderr.split())
    assert asked[0].startswith("Hold it (")
    assert (len(vendor.arrivals) == 1) is not says
    assert ("Nobody else was asked." in result.stderr) is not says


def test_where_nobody_can_confirm_a_proposal_none_is_paid_for(vendor):
    assert "add --yes where nobody can be asked" in refused("--preset", "auto")
    assert vendor.arrivals == []


def test_a_dry_run_shows_the_proposal_with_its_quote(vendor):
    vendor.fake.always(text=PROPOSAL)
    result = dissent("ask", QUERY, "--preset", "auto", "--dry-run", "--output", "json")
    assert "proposes the preset decide" in " ".join(result.stderr.split())
    assert json.loads(result.stdout)["calls"]
    assert len(vendor.arrivals) == 1


# -- modes


def test_modes_are_explained_with_topologies_and_presets():
    told = json.loads(dissent("modes", "--output", "json").stdout)
    by_name = {m["name"]: m for m in told["modes"]}
    assert list(by_name) == list(MODES)
    assert [t["name"] for t in told["topologies"]] == list(TOPOLOGIES)
    assert {p["name"] for p in told["presets"]} == set(DEFAULT_PRESETS)
    assert {"analyst", "skeptic"} < {p["name"] for p in told["personas"]}
    assert by_name["devils-advocate"]["order"] == "in turn"
    assert by_name["red-team-blue-team"]["order"] == "team by team"
    assert by_name["delphi"]["order"] == "together"
    assert by_name["delphi"]["first_counts"] is True
    assert (by_name["hybrid"]["rounds"], by_name["hybrid"]["min_panel"]) == (None, 3)
    shown = dissent("modes").stdout
    for name in (*MODES, *TOPOLOGIES, *DEFAULT_PRESETS):
        assert name in shown


def test_presets_are_listed_with_what_each_is_for_and_tells_the_panel():
    told = json.loads(dissent("presets", "--output", "json").stdout)
    assert {p["name"] for p in told["presets"]} == set(DEFAULT_PRESETS)
    shown = dissent("presets").stdout
    assert all(p.summary.split(":")[0] in " ".join(shown.split()) for p in DEFAULT_PRESETS.values())
    assert "Take the claims of fact" in dissent("modes", "fact-check").stdout


@pytest.mark.parametrize(
    ("mode", "has", "has_not"),
    [
        ("reflection", {"--topology", "--rounds"}, {"--rule", "--role"}),
        ("expert-panel", {"--perspectives", "--perspective-order"}, {"--team", "--topology"}),
        ("devils-advocate", {"--role"}, {"--team", "--perspectives"}),
        ("red-team-blue-team", {"--team"}, {"--role"}),
        ("ranking", {"--rule"}, {"--rounds", "--exit-consensus"}),
        ("hybrid", {"--rule"}, {"--topology"}),
        ("consensus", set(), {"--rule", "--rounds"}),
        ("delphi", {"--exit-consensus", "--exit-convergence"}, {"--role"}),
    ],
)
def test_a_mode_says_what_it_can_be_told(mode, has, has_not):
    options = set(json.loads(dissent("modes", mode, "-o", "json").stdout)["options"])
    assert has <= options
    assert not has_not & options


def test_a_mode_names_the_prompts_that_it_asks_with(vendor):
    vendor.fake.always(text=ANSWER)
    for mode in MODES:
        told = json.loads(dissent("modes", mode, "-o", "json").stdout)
        assert set(told["prompts"]) <= set(Library().names)
        shown = dissent("modes", mode).stdout
        assert all(f"  {name}\n" in shown for name in told["prompts"])
    asked("--mode", "consensus")
    told = json.loads(dissent("modes", "consensus", "-o", "json").stdout)["prompts"]
    assert {"common/answer", "consensus/critique", "consensus/report", "common/dissent"} < set(told)
    told = json.loads(dissent("modes", "reflection", "-o", "json").stdout)["prompts"]
    assert {"reflection/digest", "reflection/challenge"} < set(told), "of every topology"


def test_a_misspelt_mode_gets_a_suggestion():
    result = dissent("modes", "delfi")
    assert result.exit_code == 2
    assert "did you mean 'delphi'?" in result.stderr


# -- prompts


@pytest.fixture
def editor(tmp_path, monkeypatch):
    """An editor that does what a line of Python says."""

    def use(code: str) -> None:
        script = tmp_path / "editor.py"
        script.write_text(f"import sys, pathlib\nfile = pathlib.Path(sys.argv[1])\n{code}\n")
        monkeypatch.setenv("EDITOR", f'"{sys.executable}" "{script}"')

    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    return use


def listed() -> dict[str, dict]:
    return {p["name"]: p for p in json.loads(dissent("prompts", "list", "-o", "json").stdout)}


def test_prompts_are_listed_with_where_they_come_from(own_home):
    assert dissent("prompts", "list").exit_code == 0
    assert {p["origin"] for p in listed().values()} == {"ours"}
    own_home.mkdir(exist_ok=True)
    (own_home / "system-prompts.yaml").write_text("perspectives/social: Who is left out?\n")
    (own_home / "prompts" / "perspectives").mkdir(parents=True)
    (own_home / "prompts" / "perspectives" / "ethical.md").write_text("What is right?")
    found = listed()
    assert found["perspectives/social"]["origin"] == "system-prompts.yaml"
    assert found["perspectives/ethical"]["origin"] == "your folder"
    assert found["perspectives/technical"]["origin"] == "ours"
    assert found["consensus/critique"]["blanks"] == sorted(
        ["other_responses", "own_response", "query", "structure", "verification"]
    )
    shown = dissent("prompts", "show", "perspectives/social")
    assert shown.stdout == "Who is left out?\n"
    ours = dissent("prompts", "show", "perspectives/social", "--ours").stdout
    assert ours.strip() == Library().text("perspectives/social")


def test_the_hashes_are_those_of_the_transcript(vendor):
    asked()
    told = listed()
    [debate] = json.loads(dissent("list", "-o", "json").stdout)
    exported = json.loads(dissent("show", debate["transcript_id"], "-o", "json").stdout)
    assert exported["prompts"] == {n: p["hash"] for n, p in told.items()}


def test_what_is_in_system_prompts_is_what_the_panel_reads(vendor, own_home):
    own_home.mkdir()
    (own_home / "system-prompts.yaml").write_text(
        "critique_prompt: |\n  Weigh these like a jeweller: {other_responses}\n"
        "  {structure}\n  {verification}\n  {query}\n"
    )
    asked("--mode", "consensus")
    assert any("like a jeweller" in a.prompt for a in vendor.arrivals)


def test_a_missing_blank_is_said_before_anybody_is_asked(vendor, own_home):
    own_home.mkdir()
    (own_home / "system-prompts.yaml").write_text("critique_prompt: Weigh {other_responses}.\n")
    told = refused("--mode", "consensus")
    assert "system-prompts.yaml, line 1" in told
    assert "lacks the blank {query}, {structure}, {verification}" in told
    assert vendor.arrivals == []
    result = dissent("prompts", "list")
    assert result.exit_code == 1
    assert "CANNOT BE USED" in result.stdout
    assert "lacks the blank" in result.stderr


def test_without_an_editor_the_path_is_printed_and_the_copy_is_private(editor, own_home):
    result = dissent("prompts", "edit", "reflection/reflect")
    file = own_home / "prompts" / "reflection" / "reflect.md"
    assert (result.exit_code, result.stdout) == (0, f"{file}\n")
    assert file.read_text().strip() == Library().text("reflection/reflect")
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_text("My own {other_responses} {own_response} {query}")
    assert dissent("prompts", "edit", "reflection/reflect").stdout == f"{file}\n"
    assert file.read_text().startswith("My own"), "what is there already stays"


def test_what_was_edited_is_in_force(editor, own_home):
    editor("file.write_text(file.read_text() + 'Be brief.')")
    result = dissent("prompts", "edit", "reflection/reflect")
    assert result.exit_code == 0, result.stderr
    assert listed()["reflection/reflect"]["hash"] in result.stderr
    assert dissent("prompts", "show", "reflection/reflect").stdout.endswith("Be brief.\n")


def test_what_was_edited_is_checked(editor, own_home):
    editor("file.write_text('Just reflect on {query}.')")
    result = dissent("prompts", "edit", "reflection/reflect")
    assert result.exit_code == 2
    assert "lacks the blank {other_responses}, {own_response}" in result.stderr
    assert (own_home / "prompts/reflection/reflect.md").read_text().startswith("Just reflect")


def test_an_unchanged_copy_is_not_left_behind(editor, own_home):
    editor("pass")
    result = dissent("prompts", "edit", "reflection/reflect")
    assert (result.exit_code, result.stdout) == (0, "")
    assert not (own_home / "prompts/reflection/reflect.md").exists()


@pytest.mark.parametrize(
    ("name", "editing", "says"),
    [
        ("reflection/reflekt", "pass", "did you mean 'reflection/reflect'?"),
        ("../../escape", "pass", "no prompt is called"),
        ("reflection/reflect", "sys.exit(3)", "ended with 3"),
    ],
)
def test_editing_that_cannot_be_is_refused(editor, own_home, name, editing, says):
    editor(editing)
    result = dissent("prompts", "edit", name)
    assert result.exit_code == 2
    assert says in result.stderr
    assert not (own_home.parent / "escape.md").exists()


def test_an_editor_that_is_not_there_is_named(monkeypatch, editor):
    monkeypatch.setenv("EDITOR", "no-such-editor-anywhere")
    result = dissent("prompts", "edit", "reflection/reflect")
    assert result.exit_code == 2
    assert "no-such-editor-anywhere" in result.stderr


@pytest.mark.parametrize("name", ["quick", "star"])
def test_a_preset_and_a_topology_are_explained_by_name(name):
    shown = dissent("modes", name)
    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout.startswith(f"{name} (a ")
    assert json.loads(dissent("modes", name, "-o", "json").stdout)["name"] == name
    assert "did you mean 'quick'?" in dissent("modes", "quik").stderr
