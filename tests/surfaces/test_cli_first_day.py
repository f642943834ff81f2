"""What somebody meets who uses the program for the first time, and not everything goes well."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from fakes.command_line import PROGRAM, Terminal, dissent, program

CORPUS = Path(__file__).parents[1] / "fixtures" / "transcripts"


def brought_in(
    tmp_path, name: str = "004-mutual-dissent-0.1.0.json", error: str = "HTTP 500"
) -> str:
    """An old debate in which gpt failed, imported; its short id."""
    plain = json.loads((CORPUS / name).read_text())
    plain["rounds"][0]["responses"][1] |= {"error": error, "content": ""}
    path = tmp_path / name
    path.write_text(json.dumps(plain))
    assert dissent("import", str(path)).exit_code == 0
    return plain["transcript_id"][:8]


def listed() -> dict:
    """The only stored debate, as a list tells it."""
    (row,) = json.loads(dissent("list", "--output", "json").stdout)
    return row


def test_a_list_has_the_heading_of_each_debate(vendor):
    heading = json.loads(dissent("ask", "Yes?", "--output", "json").stdout)["heading"]
    assert heading
    assert listed()["heading"] == heading


def test_a_list_names_an_amount_as_its_readers_do_and_no_third_time(vendor):
    dissent("ask", "Yes?")
    row = listed()
    (spent, *_) = json.loads(dissent("list", "--costs", "--output", "json").stdout)
    for line in (row, spent):
        assert line["cost"] == line["total_cost_usd"] > 0
        assert "cost_usd" not in line


def test_a_debate_that_asked_nobody_cost_nothing(vendor):
    assert dissent("ask", "Yes?", "--max-cost", "0.00001").exit_code == 4
    assert listed()["cost"] == 0
    (line,) = dissent("list").stdout.splitlines()[1:]
    assert " $0 " in line
    assert "?" not in line.partition("Yes")[0]


def test_an_imported_failure_is_shown_as_one(tmp_path):
    shown = dissent("show", brought_in(tmp_path)).stdout
    assert "One answer, by claude. gpt did not answer: overloaded." in " ".join(shown.split())


def test_an_imported_debate_goes_on_with_whoever_failed_last(vendor, tmp_path):
    result = dissent("resume", brought_in(tmp_path), "--output", "json")
    assert result.exit_code == 0, result.stderr
    assert "asking claude" not in result.stderr.partition("round 1")[0], "its answer is on record"
    assert "gpt answered" in result.stderr
    told = json.loads(result.stdout)
    assert (told["status"], told["synthesis"]["model_alias"]) == ("completed", "claude")
    assert vendor.arrivals[0].body["model"] == "openai/gpt-4.1"
    assert len(vendor.arrivals) == 4, "gpt again, then a round of two, then the synthesis"


ASK_REFUSES = [
    ("defaults.rounds", "9", ("--rounds", "9"), "reflection takes 1 to 3 rounds or 'auto', not 9"),
    ("defaults.panel", "claude,gtp", ("--panel", "claude,gtp"), "did you mean 'gpt'?"),
    ("defaults.panel", "claude", ("--panel", "claude"), "needs a panel of at least 2, not 1"),
    ("defaults.mode", "reflexion", ("--mode", "reflexion"), "did you mean 'reflection'?"),
    ("defaults.topology", "rign", ("--topology", "rign"), "did you mean 'ring'?"),
    ("defaults.synthesizer", "clod", ("--synthesizer", "clod"), "did you mean 'claude'?"),
    ("defaults.output", "jsn", ("--output", "jsn"), "did you mean 'json'?"),
]


@pytest.mark.parametrize(("key", "value", "option", "sentence"), ASK_REFUSES)
def test_what_asking_refuses_cannot_become_a_default(own_home, key, value, option, sentence):
    result = dissent("config", "set", key, value)
    assert result.exit_code == 2
    assert f"{key}: " in result.stderr
    assert sentence in result.stderr
    assert sentence in dissent("ask", "Yes?", *option, OPENROUTER_API_KEY="sk-1").stderr
    assert not (own_home / "config.toml").exists(), "nothing was written"


@pytest.mark.parametrize(("key", "value", "option", "sentence"), ASK_REFUSES)
def test_an_error_that_a_default_causes_names_the_file_and_the_key(
    own_home, vendor, key, value, option, sentence
):
    own_home.mkdir(mode=0o700)
    config = own_home / "config.toml"
    words = value.split(",") if key == "defaults.panel" else value
    written = int(words) if value.isdecimal() else words
    config.write_text(f"[defaults]\n{key.partition('.')[2]} = {json.dumps(written)}\n")
    config.chmod(0o600)
    result = dissent("ask", "Yes?")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"dissent: {config}: {key}: ")
    assert sentence in result.stderr
    assert not vendor.arrivals
    named = dissent("ask", "Yes?", *option)
    assert str(config) not in named.stderr, "that one was asked for now"


def test_a_default_may_name_a_model_whose_key_is_not_set_yet(own_home):
    assert dissent("config", "set", "defaults.panel", "claude,groq:llama-x,gpt").exit_code == 0
    assert dissent("config", "set", "defaults.judge", "grok").exit_code == 0
    assert dissent("config", "set", "defaults.output", "markdown").exit_code == 0


def test_one_wrong_default_does_not_keep_another_from_being_changed(own_home):
    own_home.mkdir(mode=0o700)
    config = own_home / "config.toml"
    config.write_text('[defaults]\npanel = ["claude", "gtp"]\nrounds = 9\n')
    config.chmod(0o600)
    for key, value in (("rounds", "2"), ("panel", "claude,gpt"), ("topology", "ring")):
        assert dissent("config", "set", f"defaults.{key}", value).exit_code == 0


@pytest.mark.parametrize("seed", [str(10**23), "-1", str(2**53)])
def test_a_seed_beyond_what_can_be_kept_is_refused_with_its_range(vendor, seed):
    result = dissent("ask", "Yes?", "--seed", seed)
    assert result.exit_code == 2
    assert result.stderr == (
        f"dissent: --seed is a whole number from 0 to 9007199254740991, not {seed}\n"
    )
    assert dissent("ask", "Yes?", "--seed", str(2**53 - 1), "--no-save").exit_code == 0


def test_numbers_that_are_refused_are_repeated_as_people_write_them(vendor):
    said = dissent("ask", "Yes?", "--max-cost", "-1").stderr
    assert said.endswith("not -1\n")
    assert "up to 1,000,000," in said


@pytest.mark.parametrize("kind", ["pdf", "docx"])
def test_a_file_that_cannot_be_read_is_one_line_in_plain_words(vendor, tmp_path, kind):
    path = tmp_path / f"broken.{kind}"
    path.write_bytes(b"%PDF-1.7\nhalf a file")
    result = program("ask", "Yes?", "--context", str(path))
    assert result.returncode == 2
    (line,) = result.stderr.decode().splitlines()
    assert line.startswith(f"dissent: {path} is not a readable {kind.upper()}; ")
    assert "Error" not in line
    assert "Zip" not in line
    assert not vendor.arrivals


def test_a_vendor_that_is_down_comes_with_the_variable_to_check(monkeypatch, unused_tcp_port):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-000001")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{unused_tcp_port}/v1")
    said = dissent("config", "test", "gpt", "ollama:x").stdout
    assert "connection refused; check OPENAI_BASE_URL or the network\n" in said
    assert "connection refused; check OLLAMA_HOST or the network\n" in said
    assert "Connect call" not in said


def test_a_debate_that_ran_out_of_time_blames_its_own_limit(vendor):
    vendor.fake.always("hang")
    result = dissent("ask", "Yes?", "--timeout", "2")
    assert result.exit_code == 3
    assert "the debate's time limit was reached before it had answered" in flat(result.stdout)
    for said in (result.stdout, result.stderr):
        assert "--call-timeout" not in flat(said)


def test_a_call_that_ran_out_of_time_blames_the_call(vendor):
    vendor.fake.always("hang")
    result = dissent("ask", "Yes?", "--call-timeout", "0.3", "--timeout", "60")
    assert "did not finish in 0.3 s; give it more with a longer call timeout" in flat(result.stdout)
    assert "the debate's time limit" not in flat(result.stdout)


def test_a_small_limit_is_written_as_people_do(vendor):
    said = dissent("ask", "Yes?", "--max-cost", "0.00001").stderr
    assert "the next calls could exceed the limit of $0.00001;" in said


def flat(text: str) -> str:
    """A text without the line ends that a terminal wants."""
    return " ".join(text.split())


def test_nobody_is_said_to_be_asked_whose_answer_is_reused(vendor):
    star = ("--topology", "star", "--panel", "claude,gpt,gemini", "--synthesizer", "claude")
    short = json.loads(dissent("ask", "Yes?", *star, "-o", "json").stdout)["transcript_id"][:8]
    vendor.fake.arrivals.clear()
    said = dissent("replay", short, "--synthesizer", "gemini", "-o", "json").stderr
    lines = [line for line in said.splitlines() if "asking" in line]
    assert lines[0] == "synthesis: asking gemini"
    assert [line.partition(":")[0] for line in lines] == ["synthesis", "analysis"]
    assert "claude: summary of the earlier debate reused" in said
    assert len(vendor.arrivals) == 2


def test_one_answer_on_record_is_one(vendor, tmp_path):
    said = dissent("resume", brought_in(tmp_path)).stderr
    assert "1 answer is on record" in said  # the other one is a failure
    path = tmp_path / "short.json"
    plain = json.loads((CORPUS / "004-mutual-dissent-0.1.0.json").read_text())
    del plain["rounds"][0]["responses"][1]
    path.write_text(json.dumps({**plain, "transcript_id": plain["transcript_id"][::-1]}))
    dissent("import", str(path))
    said = dissent("resume", plain["transcript_id"][::-1]).stderr
    assert "1 answer is on record" in said


def test_a_file_that_is_no_transcript_is_called_so(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("Dear diary, today we debated.\n")
    result = dissent("import", str(path))
    assert result.exit_code == 1
    assert result.stdout.strip().endswith(f"{path}: it is not a transcript (not JSON)")


def test_a_folder_without_transcripts_has_nothing_to_import(tmp_path):
    (tmp_path / "empty").mkdir()
    result = dissent("import", str(tmp_path / "empty"))
    assert result.exit_code == 1
    assert "there is nothing to import there" in result.stdout


def test_reaching_a_model_is_timed_as_everything_else(vendor):
    (line,) = dissent("config", "test", "claude").stdout.splitlines()
    assert re.search(r", \d+\.\d s$", line)


def test_a_quote_for_the_embedded_model_keeps_to_its_short_answers(own_home):
    quoted = json.loads(dissent("ask", "Yes?", "--dry-run", "--output", "json").stdout)
    assert {line["vendor"] for line in quoted["lines"]} == {"local"}
    assert quoted["output_tokens"] == 80 * quoted["calls"]
    dissent("config", "set", "local.max_tokens", "30")
    quoted = json.loads(dissent("ask", "Yes?", "--dry-run", "--output", "json").stdout)
    assert quoted["output_tokens"] == 30 * quoted["calls"]


@pytest.mark.parametrize("words", [["modes"], ["modes", "delphi"]])
def test_a_narrow_terminal_breaks_no_word(words):
    (screen := Terminal(*PROGRAM, *words, env={"COLUMNS": "50", "LINES": "24"})).ended()
    drawn = screen.drawn.decode()
    assert max(map(len, drawn.replace("\r", "").splitlines())) <= 50
    told = json.loads(dissent(*words, "--output", "json").stdout)
    shown = [*told["modes"], *told["topologies"]] if len(words) == 1 else [told]
    for entry in shown:
        assert set(entry["summary"].split()) <= set(drawn.split())
