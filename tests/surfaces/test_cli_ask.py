"""Asking, and everything that can be done with what was answered."""

from __future__ import annotations

import csv
import json
import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
import threading
from importlib.metadata import EntryPoint
from io import StringIO

import pytest

from fakes.command_line import PROGRAM, Terminal, dissent, program, started, wait_until
from fakes.outages import impatient
from fakes.patience import LONG
from mutual_dissent.app import MutualDissent

QUERY = "What is the capital of Australia?"
SCORE = "ACCURACY: 4\nCOMPLETENESS: 5\nEXPLANATION: Close to the reference."


def asked(*words: str, query: str = QUERY) -> dict:
    """A debate, as its JSON tells it."""
    result = dissent("ask", query, *words, "--output", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def test_a_debate_ends_with_an_answer_and_what_it_is_worth(vendor):
    result = dissent("ask", QUERY)
    assert result.exit_code == 0
    assert QUERY in result.stdout
    assert "written by claude" in " ".join(result.stdout.split())
    assert len(vendor.arrivals) == 9 + 1, "whoever reads it afterwards included"
    assert "claude answered" in result.stderr, "progress is not part of the answer"
    assert "claude answered" not in result.stdout


def test_json_is_the_transcript_and_nothing_else(vendor):
    told = asked("--rounds", "3", "--topology", "ring")
    assert told["query"] == QUERY
    assert [r["round_number"] for r in told["rounds"]] == [0, 1, 2, 3]
    assert told["synthesis"]["content"]
    assert told["metadata"]["stats"]["total_tokens"] > 0


def test_rounds_go_on_only_while_it_is_worth_it(vendor):
    vendor.fake.always(text="The capital of Australia is Canberra.")
    assert [r["round_number"] for r in asked("--rounds", "auto")["rounds"]] == [0]


def test_markdown_is_a_report(vendor):
    result = dissent("ask", QUERY, "--output", "markdown")
    assert result.stdout.startswith(f"# {QUERY}\n")


def test_verbose_shows_every_response(vendor):
    short = dissent("ask", QUERY, "--no-save").stdout
    full = dissent("ask", QUERY, "--no-save", "--verbose").stdout
    assert "x-ai/grok-4.7 · via" not in short
    assert full.count("x-ai/grok-4.7 · via") == 2
    assert full.count("x-ai/grok-4.7 has thought") >= short.count("x-ai/grok-4.7 has thought") + 2


@pytest.mark.parametrize(
    ("name", "start"),
    [("a.md", f"# {QUERY}"), ("a.json", "{"), ("a.csv", "transcript_id,"), ("a", QUERY)],
)
def test_a_file_is_written_in_the_form_that_its_name_says(vendor, tmp_path, name, start):
    target = tmp_path / name
    result = dissent("ask", QUERY, "--file", str(target))
    assert (result.exit_code, result.stdout) == (0, "")
    assert target.read_text().startswith(start)


def test_a_file_is_replaced_only_by_force(vendor, tmp_path):
    target = tmp_path / "answer.md"
    target.write_text("earlier")
    assert dissent("ask", QUERY, "--file", str(target)).exit_code == 2
    assert target.read_text() == "earlier"
    assert dissent("ask", QUERY, "--file", str(target), "--force").exit_code == 0
    assert target.read_text().startswith("# ")


def test_a_known_answer_is_scored_by_somebody_else_than_its_writer(vendor):
    vendor.fake.always(text=SCORE)
    told = asked("--ground-truth", "Canberra", "--score", "all")
    score = told["synthesis"]["analysis"]["ground_truth_score"]
    assert (score["accuracy"], score["completeness"]) == (4, 5)
    assert score["judge"] != "claude"
    assert len(vendor.arrivals) == 9 + 9 + 1


def test_a_quote_asks_nobody(vendor):
    words = ("ask", QUERY, "--rounds", "2", "--dry-run")
    shown, told = dissent(*words), json.loads(dissent(*words, "--output", "json").stdout)
    assert vendor.arrivals == []
    assert told["calls"] == 13 + 1
    assert told["cost_usd"] == pytest.approx(sum(line["cost_usd"] for line in told["lines"]))
    assert "gemini" in shown.stdout
    assert json.loads(dissent("list", "-o", "json").stdout) == []


def test_the_options_reach_the_brief(vendor):
    told = asked(
        "--panel", "claude,claude,gpt", "--synthesizer", "gpt", "--named", "--seed", "7",
        "--quorum", "1", "--timeout", "60", "--call-timeout", "30", "--max-cost", "5",
        "--persona", "claude#2=skeptic", "--strict-model",
    )  # fmt: skip
    brief = told["brief"]
    assert [p["seat"] for p in brief["panel"]] == ["claude", "claude#2", "gpt"]
    assert brief["panel"][1]["persona"] == "skeptic"
    assert brief["synthesizer"]["seat"] == "gpt"
    assert (brief["named"], brief["seed"], brief["quorum"]) == (True, 7, 1)
    assert (brief["timeout"], brief["call_timeout"], brief["max_cost"]) == (60, 30, 5)
    assert brief["strict_model"] is True


def test_attached_files_are_read_by_every_panelist(vendor, tmp_path):
    (tmp_path / "a.md").write_text("The first secret word is quince.")
    (tmp_path / "b.html").write_text("<style>p {}</style><p>The second is <b>medlar</b>.</p>")
    asked("--context", str(tmp_path / "a.md"), "--context", str(tmp_path / "b.html"))
    *panel, analyst = vendor.arrivals
    assert all("quince" in a.prompt and "medlar" in a.prompt for a in panel)
    assert "quince" not in analyst.prompt


def test_nothing_is_kept_that_is_not_to_be_saved(vendor, own_home):
    assert dissent("ask", QUERY, "--no-save").exit_code == 0
    assert not own_home.exists()


def test_saving_can_be_off_by_configuration(vendor, own_home):
    assert dissent("config", "set", "defaults.save", "false").exit_code == 0
    assert dissent("ask", QUERY).exit_code == 0
    assert [p.name for p in own_home.iterdir()] == ["config.toml"]


def test_the_configured_output_is_the_default(vendor):
    dissent("config", "set", "defaults.output", "markdown")
    assert dissent("ask", QUERY).stdout.startswith("# ")
    result = dissent("config", "set", "defaults.output", "papyrus")
    assert result.exit_code == 2
    assert "no output format is called 'papyrus'" in result.stderr


def test_a_smaller_panel_is_said_in_one_line(vendor, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai-0001-test")
    monkeypatch.setenv("OPENAI_BASE_URL", vendor.url)
    monkeypatch.delenv("OPENROUTER_API_KEY")
    result = dissent("ask", QUERY)
    assert result.exit_code == 0, result.stderr
    notes = [line for line in result.stderr.splitlines() if line.startswith("note: ")]
    assert len(notes) == 1
    assert "only gpt can be reached" in notes[0]


def test_a_quote_says_how_to_name_a_model_whose_key_no_alias_uses(monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "gsk-of-no-use-0001")
    result = dissent("ask", QUERY, "--dry-run")
    assert result.exit_code == 0, result.stderr
    assert "no alias uses the key for groq (name models as groq:MODEL)" in result.stderr
    assert dissent("ask", QUERY, "--dry-run", "--quiet").stderr == ""


def test_without_any_model_the_next_step_is_said(own_home, monkeypatch):
    monkeypatch.setattr("mutual_dissent.providers.local.weights.find", lambda *_: None)
    result = dissent("ask", QUERY)
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "dissent local pull" in result.stderr.splitlines()[-1]
    assert not (own_home / "dissent.db").exists()


# -- endings


def test_an_absent_panelist_is_named_and_the_rest_goes_on(vendor):
    vendor.fake.then("400", model="x-ai/grok-4.7")
    result = dissent("ask", QUERY)
    assert result.exit_code == 0
    assert "grok did not answer: request not accepted." in " ".join(result.stdout.split())


def test_below_quorum_the_exit_code_is_3_and_resume_needs_only_what_is_missing(vendor):
    vendor.fake.always("503", retry_after=0)
    result = dissent("ask", QUERY, "--panel", "claude,gpt")
    assert result.exit_code == 3
    last = result.stderr.splitlines()[-1]
    assert last.startswith("dissent: 0 of 2 panelists answered")
    vendor.reset()
    again = dissent("resume", last.rpartition(" ")[2])
    assert again.exit_code == 0, again.stderr
    assert len(vendor.arrivals) == 5 + 1


def test_without_a_synthesis_the_exit_code_is_3(vendor):
    for model in ("anthropic/claude-sonnet-5.5", "openai/gpt-6.1-sol"):
        vendor.fake.then(model=model, times=2).then("400", model=model, times=9)
    result = dissent("ask", QUERY, "--panel", "claude,gpt")
    assert result.exit_code == 3
    assert "No answer was written" in " ".join(result.stdout.split())
    assert "dissent resume" in result.stderr.splitlines()[-1]


def test_a_budget_that_is_too_small_stops_it_with_exit_code_4(vendor):
    result = dissent("ask", QUERY, "--max-cost", "0.0001", "-o", "json")
    assert result.exit_code == 4
    assert json.loads(result.stdout)["synthesis"] is None
    last = result.stderr.splitlines()[-1]
    assert "$0.0001" in last
    name = last.partition("dissent resume ")[2].split()[0]
    more = dissent("resume", name, "--max-cost", "3")
    assert more.exit_code == 0, more.stderr


def test_answered_but_not_saved_has_exit_code_5(vendor, monkeypatch):
    from mutual_dissent.core.errors import NotSaved

    def full(*_: object) -> None:
        raise NotSaved("the disk is full")

    monkeypatch.setattr("mutual_dissent.app.write_transcript", full)
    result = dissent("ask", QUERY, "-o", "json")
    assert result.exit_code == 5
    assert json.loads(result.stdout)["synthesis"]["content"]
    assert result.stderr.splitlines()[-1] == ("dissent: answered, but not saved: the disk is full")


@pytest.mark.parametrize("patience", [90.0, 0.1])
def test_a_locked_record_costs_no_answer_and_is_waited_for(vendor, own_home, monkeypatch, patience):
    impatient(monkeypatch)
    monkeypatch.setattr("mutual_dissent.surfaces.cli.output.PATIENCE", patience)
    vendor.fake.always("ok", delay=0.05)
    told = threading.Event()

    def lock():
        wait_until(lambda: vendor.arrivals)
        db = sqlite3.connect(own_home / "dissent.db", isolation_level=None)
        db.execute("BEGIN IMMEDIATE")
        told.wait(LONG)
        db.close()

    locking = threading.Thread(target=lock)
    locking.start()

    def settled(md, seconds, wait=MutualDissent.wait_for_record):
        if patience > 1:
            told.set()  # somebody is told that it waits; now it may go on
        return wait(md, seconds)

    monkeypatch.setattr(MutualDissent, "wait_for_record", settled)
    result = dissent("ask", QUERY, "--analyst", "none", "-o", "json")
    told.set()
    locking.join()
    assert json.loads(result.stdout)["synthesis"]["content"]
    assert "not saved yet: " in result.stderr
    if patience > 1:
        assert result.exit_code == 0
        name = json.loads(result.stdout)["transcript_id"]
        kept = json.loads(dissent("show", name, "-o", "json").stdout)
        assert kept["synthesis"]["content"]
    else:
        assert result.exit_code == 5
        assert "answered, but not saved" in result.stderr


# -- afterwards


def test_what_was_asked_is_listed_shown_and_exported(vendor, tmp_path):
    first, second = asked(), asked(query="Is tea better than coffee?")
    rows = json.loads(dissent("list", "--output", "json").stdout)
    assert [r["transcript_id"] for r in rows] == [second["transcript_id"], first["transcript_id"]]
    assert {"query", "status", "created_at", "cost", "total_cost_usd"} <= rows[0].keys()
    assert rows[0]["status"] == "completed"
    found = json.loads(dissent("list", "--text", "coffee", "-o", "json").stdout)
    assert [r["query"] for r in found] == ["Is tea better than coffee?"]
    assert "coffee" in dissent("list").stdout
    assert "openai/gpt-6.1-sol" in dissent("list", "--costs").stdout

    name = first["transcript_id"][:8]
    shown = json.loads(dissent("show", name, "--output", "json").stdout)
    assert shown["rounds"] == first["rounds"]
    assert QUERY in dissent("show", name).stdout
    spans = json.loads(dissent("export", name, second["transcript_id"], "-o", "otlp").stdout)
    assert len(spans["resourceSpans"]) == 2
    both = dissent("export", name, second["transcript_id"], "--format", "csv").stdout
    assert len(list(csv.DictReader(StringIO(both)))) == 20
    target = tmp_path / "both.json"
    dissent("export", name, second["transcript_id"], "--file", str(target))
    assert [t["query"] for t in json.loads(target.read_text())] == [QUERY, second["query"]]


def test_dates_filter_the_list(vendor):
    asked()
    for words, count in (
        (["--since", "1d"], 1), (["--since", "2999-01-01"], 0), (["--until", "2000-01-01"], 0),
        (["--until", "2999-01-01"], 1), (["--model", "grok"], 1), (["--model", "llama"], 0),
        (["--status", "error"], 0), (["--offset", "1"], 0),
    ):  # fmt: skip
        assert len(json.loads(dissent("list", *words, "-o", "json").stdout)) == count, words


def test_a_replay_is_a_new_debate_that_buys_only_what_is_new(vendor):
    first = asked()
    vendor.reset()
    name = first["transcript_id"][:8]
    result = dissent("replay", name, "--synthesizer", "gpt", "--rounds", "1", "-o", "json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["transcript_id"] != first["transcript_id"]
    assert told["synthesis"]["model_alias"] == "gpt"
    assert len(vendor.arrivals) == 4 + 1 + 1
    assert dissent("replay", name, "--rounds", "9").exit_code == 2


def test_limits_are_checked_when_a_debate_goes_on(vendor):
    name = asked()["transcript_id"][:8]
    vendor.reset()
    for words in (("replay", name), ("resume", name)):
        result = dissent(*words, "--max-cost", "-1")
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert "--max-cost is a number above 0" in result.stderr
    assert vendor.arrivals == []


def test_stored_debates_are_scored_later(vendor):
    name = asked()["transcript_id"][:8]
    vendor.reset()
    vendor.fake.always(text=SCORE)
    result = dissent("score", name, "--ground-truth", "Canberra", "--output", "json")
    assert result.exit_code == 0, result.stderr
    (row,) = json.loads(result.stdout)
    assert row["marks"] == {"accuracy": 4, "completeness": 5}
    assert len(vendor.arrivals) == 1
    assert "accuracy 4" in dissent("score", name, "--ground-truth", "Canberra").stdout


def test_a_file_of_another_machine_can_be_imported(vendor, tmp_path):
    told = asked()
    target = tmp_path / "debate.json"
    target.write_text(json.dumps(told))
    elsewhere = str(tmp_path / "elsewhere")
    result = dissent("import", str(target), MUTUAL_DISSENT_HOME=elsewhere)
    assert result.exit_code == 0, result.output
    listed = dissent("list", "-o", "json", MUTUAL_DISSENT_HOME=elsewhere).stdout
    assert [r["transcript_id"] for r in json.loads(listed)] == [told["transcript_id"]]
    again = json.loads(dissent("import", str(target), "-o", "json").stdout)
    assert again[0]["verdict"] == "skipped"


def test_the_doctor_finds_and_mends_a_missing_file(vendor, own_home):
    asked()
    (transcript,) = (own_home / "transcripts").glob("*.json")
    transcript.unlink()
    assert dissent("doctor").exit_code == 1
    assert json.loads(dissent("doctor", "-o", "json").stdout)[0]["kind"] == "missing"
    assert dissent("doctor", "--fix").exit_code == 0
    assert transcript.exists()


# -- settings


def test_config_test_asks_each_model_and_classifies_what_fails(vendor):
    vendor.fake.then("404", model="x-ai/grok-4.7")
    result = dissent("config", "test")
    assert result.exit_code == 1
    lines = {line.split()[1].rstrip(":"): line for line in result.stdout.splitlines()}
    assert lines["claude"].startswith("ok")
    assert lines["grok"].startswith("FAIL")
    assert "unknown model" in lines["grok"]
    assert all(a.body["max_tokens"] <= 64 for a in vendor.arrivals)
    told = json.loads(dissent("config", "test", "claude", "gpt", "--output", "json").stdout)
    assert [(t["name"], t["ok"]) for t in told] == [("claude", True), ("gpt", True)]


def test_config_test_with_a_bad_key_fails_and_names_the_variable(vendor):
    vendor.fake.always("401")
    result = dissent("config", "test", "claude")
    assert result.exit_code == 1
    assert "key refused" in result.stdout
    assert "OPENROUTER_API_KEY" in result.stdout


def test_config_test_names_keys_that_no_alias_uses(vendor, monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "gsk-of-no-use-0001")
    monkeypatch.setenv("GROQ_BASE_URL", vendor.url)
    result = dissent("config", "test")
    assert result.exit_code == 0
    assert "--    groq: no alias uses its key" in result.stdout
    assert dissent("config", "test", "groq:some-model").exit_code == 0
    assert vendor.arrivals[-1].model == "some-model"


def test_config_test_without_any_key_says_what_to_set():
    result = dissent("config", "test")
    assert result.exit_code == 1
    assert "OPENROUTER_API_KEY" in result.stderr


def test_config_show_says_where_each_setting_came_from(vendor, own_home):
    dissent("config", "set", "defaults.panel", "claude,gpt")
    dissent("config", "set", "providers.groq_api_key", "-", stdin="gsk-secret-of-groq-42\n")
    told = {s["name"]: s for s in json.loads(dissent("config", "show", "-o", "json").stdout)}
    assert told["defaults.panel"] == {
        "name": "defaults.panel", "value": ["claude", "gpt"], "source": "config.toml",
    }  # fmt: skip
    assert told["providers.openrouter_api_key"]["source"] == "OPENROUTER_API_KEY"
    assert told["providers.openrouter_api_key"]["value"] == "…0001"
    assert told["providers.groq_api_key"]["value"] == "…q-42"
    assert told["defaults.rounds"]["source"] == "default"
    assert (own_home / "config.toml").stat().st_mode & 0o777 == 0o600
    dissent("config", "set", "defaults.panel", "")
    assert "defaults.panel                 default" in dissent("config", "show").stdout


def test_models_are_listed_with_route_and_price(vendor):
    told = {m["alias"]: m for m in json.loads(dissent("models", "-o", "json").stdout)}
    assert told["claude"]["route"]["vendor"] == "openrouter"
    assert told["claude"]["input_usd"] > 0
    assert told["claude"]["context"] > 100_000
    found = json.loads(dissent("models", "haiku", "-o", "json").stdout)
    assert found
    assert all("haiku" in m["name"] for m in found)
    assert dissent("models", "no-such-model-at-all").exit_code == 1
    assert vendor.arrivals == []


def test_modes_and_topologies_are_listed():
    told = json.loads(dissent("modes", "--output", "json").stdout)
    assert "reflection" in [m["name"] for m in told["modes"]]
    assert {"mesh", "ring", "star"} <= {t["name"] for t in told["topologies"]}
    assert "adversarial" in dissent("modes").stdout


def test_the_program_is_the_same_as_a_process(vendor):
    done = program("ask", "-", "--output", "json", stdin=QUERY.encode())
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["query"] == QUERY


# -- questions that are only put to a person


WITHOUT_WEIGHTS = (
    "from mutual_dissent.providers.local import weights\n"
    "weights.find = lambda *_: None\n"
    "weights.pull = lambda models, progress, name: progress(9, 9) or print('FETCHED') or exit(7)\n"
    "import sys\n"
    "sys.argv = ['dissent', 'ask', 'What is it?']\n"
    "from mutual_dissent.surfaces.cli import main\n"
    "main()\n"
)


@pytest.mark.parametrize(
    ("answer", "code", "words"), [(b"n\n", 1, b"dissent local pull"), (b"y\n", 7, b"FETCHED")]
)
def test_a_person_is_offered_the_embedded_model(answer, code, words):
    terminal = Terminal(sys.executable, "-c", WITHOUT_WEIGHTS)
    terminal.until(b"[y/N]")
    terminal.type(answer)
    assert terminal.ended() == code
    assert words in terminal.drawn


def test_a_person_can_leave_such_a_question_with_ctrl_c():
    terminal = Terminal(sys.executable, "-c", WITHOUT_WEIGHTS)
    terminal.until(b"[y/N]")
    terminal.type(b"\x03")
    assert terminal.ended() == 130
    assert b"interrupted" in terminal.drawn
    assert b"Traceback" not in terminal.drawn


def test_a_person_is_offered_the_transcripts_of_an_earlier_version(vendor, tmp_path):
    earlier = tmp_path / "user" / ".questionable-ai" / "transcripts"
    earlier.mkdir(parents=True)
    (earlier / "one.json").write_text(json.dumps(asked()))
    elsewhere = {"MUTUAL_DISSENT_HOME": str(tmp_path / "elsewhere")}
    assert dissent("import", **elsewhere).exit_code == 2, "in a pipe nobody is asked"
    terminal = Terminal(*PROGRAM, "import", env=elsewhere)
    terminal.until(b"[y/N]")
    terminal.type(b"y\n")
    assert terminal.ended() == 0
    assert len(json.loads(dissent("list", "-o", "json", **elsewhere).stdout)) == 1


def test_a_person_without_a_query_is_told_how_to_ask(vendor):
    terminal = Terminal(*PROGRAM, "ask")
    assert terminal.ended() == 2
    assert b'dissent ask "' in terminal.drawn


def test_a_person_sees_the_panel_and_then_the_answer(vendor):
    terminal = Terminal(*PROGRAM, "ask", QUERY)
    assert terminal.ended() == 0
    assert b"written by claude" in terminal.drawn


def test_a_plugins_format_is_an_output_like_any_other(vendor, monkeypatch):
    entry = EntryPoint("shout", "fakes.shouting:shout", "mutual_dissent.formats")
    monkeypatch.setattr("mutual_dissent.config.plugins.entry_points", lambda group: [entry])
    assert dissent("ask", QUERY, "--output", "shout").stdout == QUERY.upper() + "\n"
    assert "shout" in dissent("ask", QUERY, "--output", "shuot").stderr


IMPATIENT = (
    "from mutual_dissent import parts\n"
    "parts.PATIENCE = 0.2\n"  # instead of a minute and a half, for a disk that stays full
    "from mutual_dissent.surfaces.cli import main\n"
    "main()\n"
)


def test_a_full_disk_is_no_reason_to_lose_an_answer(vendor, own_home):
    """At any limit: refused before anybody is paid, or answered and exit code 5."""
    codes: list[int] = []
    low, high = 64, 2000  # kB a file may have; the database grows with releases
    while high - low > 8 and not {1, 5} <= set(codes):
        limit = (low + high) // 2
        vendor.reset()
        shutil.rmtree(own_home, ignore_errors=True)
        words = shlex.join([sys.executable, "-c", IMPATIENT, "ask", "What is it?", "-o", "json"])
        shell = f"ulimit -f {limit}; exec {words}"
        done = subprocess.run(["bash", "-c", shell], capture_output=True, timeout=LONG, check=False)
        codes.append(done.returncode)
        if done.returncode == 5:
            assert json.loads(done.stdout)["synthesis"]["content"]
            assert b"not saved" in done.stderr.splitlines()[-1]
        elif done.returncode == 1:
            assert (done.stdout, vendor.arrivals) == (b"", [])
        else:
            assert done.returncode == 0
        low, high = (limit, high) if done.returncode == 1 else (low, limit)
    assert {1, 5} <= set(codes), "the limits reach both cases"


# -- the answer waits for nobody who reads it afterwards

ANSWER = "Canberra is the capital of Australia, and has been since 1927."


@pytest.fixture
def slow_analyst(vendor):
    """Everybody answers at once, and who reads the debate afterwards never does."""
    vendor.fake.always(text=ANSWER)
    vendor.fake.then(model="x-ai/grok-4.7", text=ANSWER, times=2)
    vendor.fake.then("hang", model="x-ai/grok-4.7", times=9)
    return vendor


WITH_GROK = ("--panel", "claude,grok", "--analyst", "grok")


def test_the_answer_is_printed_before_the_analyst_has_read_it(slow_analyst):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with started("ask", QUERY, *WITH_GROK, **pipes) as process:
        os.set_blocking(process.stdout.fileno(), False)
        seen = b""

        def printed() -> bool:
            nonlocal seen
            seen += process.stdout.read() or b""
            return ANSWER.encode() in seen

        wait_until(printed)
        assert process.poll() is None, "somebody still reads"
        assert b"written by" not in seen, "what it cost is not known yet"


def test_a_person_reads_the_answer_while_the_analyst_does(slow_analyst):
    terminal = Terminal(*PROGRAM, "ask", QUERY, *WITH_GROK)
    terminal.until(b"analysis: asking grok")
    assert b"All 2: " in terminal.drawn
    terminal.type(b"\x03")
    assert terminal.ended() == 130
    assert b"go on with: dissent resume" in terminal.drawn


def test_what_the_analyst_adds_follows_and_nothing_is_said_twice(vendor):
    vendor.fake.always(text=ANSWER)
    result = dissent("ask", QUERY, *WITH_GROK)
    assert result.exit_code == 0, result.stderr
    shown = " ".join(result.stdout.split())
    assert shown.count(f" {ANSWER}") - shown.count(f": {ANSWER}") == 1
    assert shown.count(QUERY) == 1
    assert shown.index(ANSWER) < shown.index("written by claude")
    assert "grok read the debate in" in result.stderr
