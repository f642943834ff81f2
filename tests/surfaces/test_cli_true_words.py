"""What the command line says is so, and what it accepts has an effect."""

from __future__ import annotations

import json

import pytest

from fakes.command_line import dissent, program
from mutual_dissent import MutualDissent
from mutual_dissent.analysis.answers.citations import collect_citations, number_citations
from mutual_dissent.core.events import Status
from mutual_dissent.surfaces.cli.tables import dollars
from mutual_dissent.text.sanitize import as_json, plain

QUERY = "What is the capital of Australia?"
PANEL = ("--panel", "claude,gpt")


def asked(*words: str) -> str:
    result = dissent("ask", QUERY, *words, "--output", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["transcript_id"]


def refused(*words: str) -> str:
    """The sentence with which a command was refused, before anybody was asked."""
    result = dissent(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.stderr
    assert result.stderr.count("\n") == 1
    return result.stderr


async def test_an_alias_for_a_model_on_this_machine_never_leads_elsewhere(vendor):
    assert dissent("config", "set", "model_aliases.home", "ollama:qwen3").exit_code == 0
    assert dissent("config", "set", "model_aliases.tiny", "local:smollm2").exit_code == 0
    brief = await MutualDissent().brief(QUERY, panel=["home", "tiny"], analyst="none")
    assert [(p.route.vendor, p.model_id) for p in brief.panel] == [
        ("ollama", "qwen3"),
        ("local", "smollm2"),
    ]


@pytest.mark.parametrize(
    ("name", "value", "says"),
    [
        ("model_aliases.home", "olama:qwen3", "did you mean 'ollama'?"),
        ("model_aliases.home", "ollama:", "names no model"),
        ("model_aliases.home.openrouter", "ollama:qwen3", 'write home = "ollama:qwen3"'),
    ],
)
def test_an_alias_that_could_leave_the_machine_by_mistake_is_refused(name, value, says):
    assert says in refused("config", "set", name, value)


def test_ids_of_openrouter_may_have_a_colon(vendor):
    assert dissent("config", "set", "model_aliases.free", "meta/llama-4:free").exit_code == 0
    assert "meta/llama-4:free" in dissent("models").stdout


def test_tools_without_a_search_are_refused(vendor):
    said = refused("ask", QUERY, "--panel", "ollama:a,ollama:b", "--tools")
    assert "nobody on this panel can search" in said
    for way in ("OPENROUTER_API_KEY", "search.searxng_url", "search.tavily_api_key"):
        assert way in said
    assert not vendor.arrivals


def test_tools_of_the_configuration_without_a_search_are_noted(vendor):
    dissent("config", "set", "defaults.tools", "true")
    dissent("config", "set", "search.native", "false")
    assert "it answers without tools" in dissent("ask", QUERY, *PANEL).stderr


def test_what_a_single_answer_or_fixed_stages_cannot_heed_is_refused(vendor):
    alone = ("--mode", "single", "--panel", "claude")
    assert "leave out --analyst" in refused("ask", QUERY, *alone, "--analyst", "gpt")
    asked(*alone)
    assert "nobody else writes" in refused("replay", "last", "-s", "gpt")
    asked(*PANEL, "--panel", "claude,gpt,grok", "--mode", "ranking")
    assert "fixed stages; leave out --rounds" in refused("replay", "last", "--rounds", "1")


def test_how_many_rounds_can_be_added_is_said_in_plain_numbers(vendor):
    asked(*PANEL, "--rounds", "2")
    said = refused("continue", "last", "--rounds", "5")
    assert said.endswith("so add 1\n")


@pytest.mark.parametrize("runtime", [True, False])
def test_what_is_missing_for_the_embedded_model_is_said_as_it_is(monkeypatch, runtime):
    from mutual_dissent.providers.local import weights

    monkeypatch.setattr(weights, "find", lambda *_: None)
    monkeypatch.setattr(weights, "_runtime_version", lambda: "1" if runtime else None)
    monkeypatch.setenv("GROQ_API_KEY", "gsk-test-000001")
    said = dissent("ask", QUERY, "-p", "local:smollm2,groq:x").stderr
    assert "no API key is set" not in said
    assert ("dissent local pull" in said) is runtime
    assert ("mutual-dissent[local]" in said) is not runtime
    assert "name other models with --panel" in said


def test_a_name_that_is_not_known_is_told_each_known_one_once():
    said = dissent("modes", "zzzzzz").stderr
    names = said.partition("choose from ")[2].strip().split(", ")
    assert len(names) == len(set(names)) > 10


def test_a_debate_that_was_paused_without_an_answer_is_no_success(vendor):
    from mutual_dissent.core.events import Closed, Opened
    from mutual_dissent.core.transcript import opening
    from mutual_dissent.surfaces.cli.output import exit_code
    from mutual_dissent.surfaces.facts.sample import sample

    opened = sample()[0]
    assert isinstance(opened, Opened)
    paused = opening(opened).apply(Closed(at=opened.at, status=Status.PAUSED, reason="paused"))
    assert exit_code(paused) == 3


def test_an_address_between_angle_brackets_gives_way_to_its_number():
    from mutual_dissent.core.response import Citation

    source = Citation(url="https://a.example/x", title="")
    assert number_citations("See <https://a.example/x>, or https://a.example/x.", [source]) == (
        "See [1], or [1]."
    )
    assert collect_citations([]) == ()


@pytest.mark.parametrize(
    ("amount", "unpriced", "shown"),
    [(0.0008, 13, "$0.0008 + ?"), (None, 13, "?"), (0.0, 2, "?"), (0.5, 0, "$0.5000")],
)
def test_a_sum_without_calls_of_unknown_price_says_so(amount, unpriced, shown):
    assert dollars(amount, unpriced) == shown


def test_lists_say_how_many_more_there_are_and_what_their_sums_leave_out(vendor):
    for _ in range(3):
        asked("--panel", "claude,openrouter:no/price")
    result = dissent("list", "--limit", "2")
    assert "2 of 3 debates; see more with --limit" in result.stderr
    assert " + ?" in result.stdout
    assert "not in the sum" in result.stderr
    assert "see more" not in dissent("list").stderr
    assert " + ?" in dissent("stats").stdout


def test_a_quote_of_auto_says_that_it_is_an_upper_bound(vendor):
    told = dissent("ask", QUERY, *PANEL, "--rounds", "auto", "--dry-run")
    assert "at most" in told.stdout
    assert "at most" not in dissent("ask", QUERY, *PANEL, "--rounds", "2", "--dry-run").stdout


@pytest.mark.parametrize("mark", ["\u200e", "\u200f", "\u061c"])
def test_marks_that_turn_the_direction_of_text_reach_no_screen(mark):
    assert plain(f"a{mark}b") == "ab"
    assert mark not in as_json(f'"a{mark}b"')


@pytest.mark.parametrize("path", ["/dev/zero"])
def test_a_file_without_an_end_is_refused(path):
    done = program("experiment", "run", path)
    assert done.returncode == 2
    assert b"must not be larger" in done.stderr
    assert program("bench", "recorded", path).returncode == 2


def test_code_in_a_pipe_is_as_it_was_written(vendor):
    line = "print(" + " + ".join(f'"{n} words"' for n in range(20)) + ")"
    vendor.fake.always(text=f"Like this:\n\n```python\nif True:\n    {line}\n```\n\nThat is all.")
    shown = dissent("ask", QUERY, *PANEL).stdout
    assert f"\nif True:\n    {line}\n" in shown
    assert "\nThat is all.\n" in shown


def test_what_the_judge_says_is_shown_with_its_marks(vendor):
    vendor.fake.always(text="ACCURACY: 4\nCOMPLETENESS: 5\nEXPLANATION: Close to the reference.")
    shown = dissent("ask", QUERY, *PANEL, "--ground-truth", "Canberra").stdout
    assert "synthesis: Close to the reference." in shown


async def test_a_debate_of_an_experiment_says_which(own_home):
    from mutual_dissent import ExperimentMetadata
    from mutual_dissent.providers.scripted import Scripted

    of = ExperimentMetadata(experiment_id="pilot-1", condition="mesh", variables={"n": 3})
    cast = Scripted(dict.fromkeys("ab", lambda _: "Yes.\n\nIt is long enough."))
    async with MutualDissent(provider=cast, home=own_home) as md:
        await md.debate(QUERY, panel=["a", "b"], experiment=of)
    assert "experiment pilot-1 · mesh · n=3" in dissent("show", "last").stdout


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("http://127.0.0.1/x", "http://127.0.0.1/x was not fetched: "),
        ("/nowhere/at/all", "/nowhere/at/all cannot be read: No such file"),
    ],
)
def test_what_cannot_be_attached_is_named_as_it_was_given(vendor, path, says):
    assert says in refused("ask", QUERY, "--context", path)
