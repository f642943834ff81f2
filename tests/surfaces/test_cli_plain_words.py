"""What the command line says to somebody who is new to it: true, and of use."""

from __future__ import annotations

import pytest

from fakes.command_line import dissent

QUERY = "What is the capital of Australia?"
PANEL = ("--panel", "claude,gpt")


def complaint(*words: str) -> str:
    result = dissent(*words)
    assert (result.exit_code, result.stdout) == (2, ""), result.stderr
    assert result.stderr.count("\n") == 1
    return result.stderr


def test_a_mode_for_one_model_says_that_it_takes_one():
    said = dissent("modes", "single").stdout
    assert "panel    1\n" in said
    assert "asked    one model, alone\n" in said


def test_a_word_that_is_no_command_may_be_asked():
    assert complaint("hello").endswith('To ask it: dissent ask "hello"\n')
    assert complaint("zzzzz").endswith('; to ask it: dissent ask "zzzzz"\n')
    assert "to ask it" not in complaint("zzzzz", "last").lower()


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["topologies"], "dissent modes\n"),
        (["config", "get", "defaults.panel"], "did you mean 'show'?\n"),
        (["ask", "q", "--format", "json"], "there is no option --format; try: dissent ask --help"),
        (["ask", "q", "--persona", "skeptik"], "no persona is called 'skeptik'; did you mean 's"),
        (["analyze", "last", "--grace", "2"], "there is no option --grace"),
    ],
)
def test_what_is_meant_is_suggested_and_nothing_else(words, meant):
    assert meant in complaint(*words)


def test_models_on_this_machine_are_among_those_to_choose_from(vendor):
    said = complaint("ask", QUERY, "-p", "zz,claude")
    assert "local:MODEL" in said
    assert "recorded" not in said


def test_a_quote_beyond_its_limit_says_what_the_limit_would_do(vendor):
    quoted = ("ask", QUERY, *PANEL, "--dry-run")
    assert "the limit of $0.0001 (--max-cost)" in dissent(*quoted, "--max-cost", "0.0001").stderr
    assert "limit" not in dissent(*quoted, "--max-cost", "100").stderr
    assert not vendor.arrivals


def test_a_quote_has_no_form_that_it_does_not_come_in(vendor):
    said = complaint("ask", QUERY, *PANEL, "--dry-run", "-o", "csv")
    assert "terminal or json, not as csv" in said


def test_an_alias_may_be_set_as_a_table(vendor):
    table = '{openrouter = "acme/one", direct = "one", vendor = "openai"}'
    assert dissent("config", "set", "model_aliases.mine", table).exit_code == 0
    assert "acme/one" in dissent("models").stdout
    for wrong in ('{openrouter = "acme', "{}", '{openroute = "acme/one"}'):
        assert "model_aliases.mine" in complaint("config", "set", "model_aliases.mine", wrong)


def test_an_alias_is_not_sent_by_a_way_that_it_has_no_id_for(vendor):
    dissent("config", "set", "model_aliases.mine", "acme/one")
    assert "mine has no direct id" in complaint("config", "set", "routing.mine", "direct")
    assert dissent("config", "set", "routing.mine", "openrouter").exit_code == 0


@pytest.mark.parametrize("form", [(), ("--verbose",), ("--no-analyst",)])
def test_quiet_leaves_out_every_note(vendor, form):
    vendor.fake.then("400", model="x-ai/grok-4.7")
    noted = dissent("ask", QUERY, "-p", "claude,gpt,grok", *form).stdout
    assert "\n! grok" in noted
    vendor.fake.then("400", model="x-ai/grok-4.7")
    quiet = dissent("ask", QUERY, "-p", "claude,gpt,grok", *form, "-q")
    assert "grok did not answer" in " ".join(quiet.stdout.split())
    assert "\n!" not in quiet.stdout


def test_who_paused_a_debate_reads_no_word_of_the_record(capsys):
    from mutual_dissent.core.events import Closed, Status
    from mutual_dissent.core.transcript import opening
    from mutual_dissent.surfaces.cli.output import tell_ending
    from mutual_dissent.surfaces.facts.sample import sample

    opened = sample()[0]
    paused = Closed(at=opened.at, status=Status.PAUSED, reason="paused", text="paused by directive")
    tell_ending(opening(opened).apply(paused))
    said = capsys.readouterr().err
    assert said.startswith("dissent: paused, as it was told to; go on with: dissent resume")


@pytest.mark.parametrize(("option", "most"), [("max_cost", "1,000,000"), ("timeout", "2,592,000")])
def test_a_limit_is_the_same_on_the_command_line_and_in_the_configuration(vendor, option, most):
    flag, beyond = f"--{option.replace('_', '-')}", f"{most.replace(',', '')}1"
    for words in (("ask", QUERY, flag, beyond), ("config", "set", f"defaults.{option}", beyond)):
        assert f"a number above 0 and up to {most}" in complaint(*words)
