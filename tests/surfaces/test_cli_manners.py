"""Small manners: words that say what to change, tables that fit, nothing done in silence."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.command_line import PROGRAM, Terminal, dissent
from fakes.debates import Fault, debate, transcript
from mutual_dissent.core.errors import NotSaved
from mutual_dissent.core.events import Answered, Reopened
from mutual_dissent.core.response import Finish
from mutual_dissent.core.transcript import fold
from mutual_dissent.surfaces.cli.tables import dollars, table
from mutual_dissent.views.remarks.progress import progress_lines
from mutual_dissent.views.terminal import terminal

QUERY = "What is the capital of Australia?"
SCORE = "ACCURACY: 4\nCOMPLETENESS: 5\nEXPLANATION: Close to the reference."


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["ask", "q", "--panle", "a,b"], "there is no option --panle; did you mean --panel?"),
        (["ask", "q", "--zzz"], "there is no option --zzz; try: dissent ask --help"),
        (["config", "sho"], "no command is called 'sho'; did you mean 'show'?"),
        (["local", "zzz"], "no command is called 'zzz'; choose from pull, status"),
        (["ask", "q", "--file"], "--file needs a value"),
        (["ask", "Why", "so"], "the query is one argument; put it in quotes"),
        (["show", "a", "b"], "got unexpected extra argument (b); try: dissent show --help"),
        (
            ["ask", "q", "--max-cost", "abc"],
            "invalid value for '--max-cost': 'abc' is not a number; try: dissent ask --help",
        ),
        (
            ["list", "--limit", "x"],
            "invalid value for '--limit': 'x' is not a whole number; try: dissent list --help",
        ),
    ],
)
def test_a_wrong_word_is_answered_in_plain_ones(words, sentence):
    assert dissent(*words).stderr == f"dissent: {sentence}\n"


@pytest.mark.parametrize(
    "words", [["--score", "all"], ["--judge", "gpt"], ["--rubric", "standard"]]
)
def test_scores_without_anything_to_score_against_are_refused_before_a_call(vendor, words):
    result = dissent("ask", QUERY, *words)
    assert result.exit_code == 2
    assert "add --ground-truth TEXT" in result.stderr
    assert not vendor.arrivals


def test_a_list_that_is_empty_says_why(vendor):
    assert "Begin with: dissent ask" in dissent("list").stderr
    assert dissent("ask", QUERY).exit_code == 0
    assert dissent("list", "--text", "nowhere").stderr == "No stored debate matches.\n"
    assert json.loads(dissent("list", "--text", "nowhere", "--output", "json").stdout) == []


def test_scores_name_answers_as_people_do_and_say_what_could_not_be_read(vendor):
    vendor.fake.always(text=SCORE)
    found = json.loads(dissent("ask", QUERY, "--output", "json").stdout)["transcript_id"]
    result = dissent("score", found, "--ground-truth", "Canberra", "--score", "all")
    assert "claude, initial answer" in result.stdout
    assert "claude, synthesis" in result.stdout
    assert "gpt judged claude, round 1, in" in result.stderr
    vendor.fake.always(text="no idea")
    result = dissent("score", found, "--ground-truth", "Canberra", "--judge", "grok")
    assert result.exit_code == 1
    assert "dissent: 1 answer could not be scored; try another --judge\n" in result.stderr


def test_a_budget_that_ran_out_says_how_to_go_on_with_more(vendor):
    result = dissent("ask", QUERY, "--max-cost", "0.00001")
    assert result.exit_code == 4
    assert result.stderr.rstrip().endswith("--max-cost USD")


def test_an_answer_whose_file_cannot_be_written_can_be_written_elsewhere(
    vendor, tmp_path, monkeypatch
):
    def full(*_args, **_more):
        raise NotSaved("out.md could not be written: No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("mutual_dissent.store.files.export.write_output", full)
        result = dissent("ask", QUERY, "--file", str(tmp_path / "out.md"))
    assert result.exit_code == 5
    way_on = result.stderr.rpartition("write it elsewhere with: dissent ")[2].split()
    way_on[-1] = str(tmp_path / "other.md")
    assert dissent(*way_on).exit_code == 0
    assert QUERY in (tmp_path / "other.md").read_text()


def test_a_terminal_that_cannot_move_its_cursor_is_told_in_lines(vendor):
    command = ("env", "TERM=dumb", *PROGRAM, "ask", QUERY)
    (screen := Terminal(*command)).ended()
    assert b"claude answered in" in screen.drawn
    assert b"\x1b[" not in screen.drawn


def test_a_person_who_wants_a_file_sees_the_panel_all_the_same(vendor, tmp_path):
    target = tmp_path / "out.md"
    (screen := Terminal(*PROGRAM, "ask", QUERY, "--file", str(target))).ended()
    assert b"\x1b[?2026h" in screen.drawn
    assert b"claude answered" not in screen.drawn
    assert b"written to" in screen.drawn
    assert QUERY in target.read_text()


def test_scoring_what_is_stored_is_said_in_words():
    events = debate()
    again = Reopened(at=events[0].at, reason="scored")
    assert list(progress_lines(again, fold(events))) == ["scoring what is on record"]
    assert any("claude answered in" in line for line in map(told, events))


def told(event) -> str:
    if not isinstance(event, Answered):
        return ""
    return "".join(progress_lines(event, transcript()))


def test_amounts_are_written_alike_everywhere():
    assert [dollars(x) for x in (None, 0, 0.00009, 0.0123, 12.3)] == [
        "?", "$0", "<$0.0001", "$0.0123", "$12.30",
    ]  # fmt: skip


def test_a_table_fits_the_terminal_and_wide_characters_stay_aligned():
    rows = [("日本", "q" * 99), ("ada", "short")]
    lines = table(("WHO", "QUERY"), rows, width=30).splitlines()
    assert lines == ["WHO   QUERY", f"日本  {'q' * 23}…", "ada   short"]
    assert table(("WHO", "N", "QUERY"), [("a", "1", "b")], without={1}) == "WHO  QUERY\na    b"


def offered(*words: str) -> list[str]:
    """What bash would offer for the last word."""
    env = {"_DISSENT_COMPLETE": "bash_complete", "COMP_CWORD": str(len(words))}
    shown = dissent(**env, COMP_WORDS=" ".join(("dissent", *words))).stdout
    return [line.partition(",")[2] for line in shown.splitlines() if line]


def test_a_shell_offers_models_procedures_and_debates(vendor):
    found = json.loads(dissent("ask", QUERY, "--output", "json").stdout)["transcript_id"][:8]
    assert offered("ask", "--topology", "r") == ["ring"]
    assert offered("ask", "--mode", "ref") == ["reflection"]
    assert offered("ask", "--synthesizer", "g") == ["gpt", "gemini", "grok"]
    assert offered("ask", "--panel", "claude,gp") == ["claude,gpt"]
    for command in ("show", "resume", "replay", "export", "score"):
        assert offered(command, found[:3]) == [found]


def test_a_shell_is_offered_nothing_where_the_settings_are_broken(own_home):
    own_home.mkdir(exist_ok=True)
    (own_home / "config.toml").write_text("[defaults")
    assert offered("ask", "--synthesizer", "g") == []


@pytest.mark.skipif(not shutil.which("fish"), reason="fish is not installed")
def test_fish_shows_values_and_help_with_commas(own_home):
    line = "dissent ask --panel claude,gp"
    script = f"{PROGRAM[0]} -m mutual_dissent completion fish | source; complete -C '{line}'"
    env = {**os.environ, "PATH": f"{Path(PROGRAM[0]).parent}:{os.environ['PATH']}"}
    ran = subprocess.run(["fish", "-c", script], capture_output=True, env=env, check=True)
    assert ran.stdout.decode().startswith("claude,gpt\t")


def test_one_reused_answer_is_one():
    t = transcript({"ada": ["Yes."], "bob": ["No."]}, replay_of="0" * 36)
    assert "of which 1 answer was reused" in terminal(replace(t, reused=["0/initial/ada"]))


def test_a_key_that_is_typed_is_not_shown(own_home):
    screen = Terminal(*PROGRAM, "config", "set", "providers.openai_api_key", "-")
    screen.until(b"not shown")
    screen.type(b"sk-typed-by-hand\n")
    assert screen.ended() == 0
    assert b"sk-typed" not in screen.drawn
    assert "sk-typed-by-hand" in (own_home / "config.toml").read_text()


def test_who_changes_what_the_environment_decides_is_told(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    result = dissent("config", "set", "providers.openai_api_key", "sk-other")
    assert "OPENAI_API_KEY is set in the environment and goes before it" in result.stderr
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "note" not in dissent("config", "set", "providers.openai_api_key", "sk-3").stderr


def test_who_is_to_type_the_query_is_told_how_to_end_it(vendor):
    screen = Terminal(*PROGRAM, "ask", "-", "--dry-run")
    screen.until(b"Ctrl-D")
    screen.type(b"Why?\n\x04")
    assert screen.ended() == 0
    assert b"nobody was asked" in screen.drawn


def test_an_error_of_an_earlier_program_is_a_failure():
    failed = Fault(kind=None, text="HTTP 500", finish=Finish.COMPLETE)
    t = transcript({"ada": ["Yes."], "bob": ["No."], "max": [failed]})
    assert "max did not answer: failed." in terminal(t)
