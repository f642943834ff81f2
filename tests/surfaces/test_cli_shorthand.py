"""What a habit of `llm` and of pipes expects: few words, and the answer alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from fakes.command_line import PROGRAM, Terminal, dissent, program, started
from fakes.patience import LONG
from mutual_dissent.surfaces.cli import GROUPS, TABLE

QUERY = "What is the capital of Australia?"
PANEL = ("--panel", "claude,gpt")
ANSWER = "Canberra is the **capital**.\n\n- It was a compromise."


@pytest.fixture
def canberra(vendor):
    vendor.fake.always(text=ANSWER)
    return vendor


def test_a_question_needs_no_command_before_it(canberra):
    assert dissent(QUERY, *PANEL, "-o", "answer").stdout.strip() == ANSWER
    assert dissent(*PANEL, "-o", "answer", QUERY).stdout.strip() == ANSWER, "options may go first"


def test_a_misspelt_command_is_not_asked(canberra):
    result = dissent("lsit")
    assert (result.exit_code, "did you mean 'list'?" in result.stderr) == (2, True)
    assert not canberra.arrivals


@pytest.mark.parametrize("form", ["answer", "terminal", "json"])
def test_quiet_says_nothing_but_the_result(canberra, form):
    assert dissent("ask", QUERY, *PANEL, "-q", "-o", form).stderr == ""


def test_the_answer_alone_is_what_was_written_and_nothing_else(canberra):
    assert dissent("ask", QUERY, *PANEL, "-o", "answer").stdout == f"{ANSWER}\n"
    assert dissent("show", "last", "-o", "answer").stdout == f"{ANSWER}\n"
    assert dissent("export", "last", "-o", "answer").stdout == f"{ANSWER}\n"


def test_where_there_is_no_answer_stdout_is_empty(vendor):
    vendor.fake.always("401")
    result = dissent("ask", QUERY, *PANEL, "-o", "answer")
    assert (result.exit_code, result.stdout.strip()) == (3, "")


def test_what_is_piped_in_beside_a_query_is_read_by_the_panel(canberra):
    done = program("ask", "Summarise this", *PANEL, "-o", "json", stdin=b"The notes say: beware.")
    told = json.loads(done.stdout)
    assert told["query"] == "Summarise this"
    assert [a["name"] for a in told["brief"]["context"]] == ["stdin"]
    assert all("The notes say: beware." in str(a.body) for a in canberra.arrivals[:2])


def test_a_pipe_that_says_nothing_changes_nothing(canberra):
    assert json.loads(program("ask", QUERY, *PANEL, "-o", "json").stdout)["brief"]["context"] == []


def test_whoever_keeps_a_pipe_open_is_told_what_is_waited_for(canberra):
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    with started("ask", QUERY, *PANEL, "-q", "-o", "answer", **pipes, stdout=-1) as process:
        line = process.stderr.readline()
        assert b"waiting for the end of stdin" in line
        out, _ = process.communicate(b"", LONG)
    assert ANSWER.encode() in out


@pytest.mark.parametrize(
    "words",
    [
        ("show",), ("export",), ("tag",), ("replay",), ("resume",), ("rate", "5"),
        ("delete", "--yes"), ("ask", "And then?", "--conversation"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_last_stands_for_the_newest_debate(canberra, words):
    dissent("ask", "An older question?", *PANEL)
    name = json.loads(dissent("ask", QUERY, *PANEL, "-o", "json").stdout)["transcript_id"]
    command, *rest = words
    ending = ["last"] if words[-1].startswith("--c") else []
    result = dissent(command, *([] if ending else ["last"]), *rest, *ending)
    assert result.exit_code == 0, result.stderr
    again = dissent("show", name).stdout if command != "delete" else QUERY
    assert QUERY in again
    if command == "delete":
        assert dissent("show", name).exit_code == 1


def test_last_of_nothing_is_one_sentence():
    result = dissent("show", "last")
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert "none is stored" in result.stderr


@pytest.mark.parametrize("spelling", ["-o", "--output", "--format"])
def test_a_form_of_output_goes_by_one_name_everywhere(canberra, spelling):
    dissent("ask", QUERY, *PANEL)
    assert dissent("export", "last", spelling, "csv").stdout.startswith("transcript_id,")


def test_lists_are_tables_in_markdown_too(canberra):
    dissent("ask", "Is a|b `c`?", *PANEL)
    lines = dissent("list", "-o", "markdown").stdout.splitlines()
    assert lines[0].startswith("| Id | Created (utc) | Status |")
    assert lines[1].startswith("| --- |")
    assert lines[2].replace("\\|", "").count("|") == lines[0].count("|"), "no cell breaks out"
    assert dissent("models", "-o", "markdown").stdout.startswith("| Alias |")


def test_commands_and_options_are_listed_by_what_they_are_for():
    told = dissent("--help").stdout
    assert all(f"\n{title}:\n" in told for title in GROUPS)
    assert sum(len(group) for group in GROUPS.values()) == len(TABLE)
    for title in ("Panel", "What they are told", "Output", "Limits", "Scoring", "Other"):
        assert f"\n{title}:\n" in dissent("ask", "--help").stdout


def test_verbose_in_a_pipe_tells_every_answer_as_it_arrives(canberra):
    result = dissent("ask", QUERY, *PANEL, "--verbose", "-o", "answer")
    assert result.stderr.count("It was a compromise.") >= 4


def test_the_demo_needs_no_key_no_model_and_no_network(own_home):
    result = dissent("demo")
    assert result.exit_code == 0, result.stderr
    assert "heavy clay" in result.stdout.splitlines()[0]
    for part in ("who holds what", "corrected in the debate", "open", "dissent models"):
        assert part in result.stdout
    assert not own_home.exists(), "nothing is stored"


def test_the_demo_is_played_like_a_debate_and_shows_which_and_how_far():
    terminal = Terminal(*PROGRAM, "demo")
    terminal.until(b"5a3b1e00")
    terminal.until(b"heavy clay. Should we")
    terminal.until(b"round 1 of 1, call ")
    terminal.until(b"of 10")
    assert terminal.ended() == 0
    assert b"\x1b[?2026h" in terminal.drawn


@pytest.mark.skipif(sys.platform == "win32", reason="signals are different there")
def test_ctrl_c_while_the_program_is_loaded_leaves_no_traceback(tmp_path):
    """The moment is found without a clock: when the first module of ours is imported."""
    stop = tmp_path / "sitecustomize.py"
    stop.write_text(
        "import os, signal, sys\n"
        "class Stop:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == os.environ['STOP_AT']:\n"
        "            os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Stop())\n"
    )
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    for module in ("click", "mutual_dissent.app", "mutual_dissent.core.events"):
        done = program("ask", QUERY, PYTHONPATH=paths, STOP_AT=module)
        assert done.stderr == b"", module
        assert done.returncode in (-signal.SIGINT, 130), module
