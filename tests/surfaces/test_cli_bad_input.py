"""Whatever is wrong with a command: one line, the right exit code, nothing written, nobody paid."""

from __future__ import annotations

import os
import tracemalloc
from pathlib import Path

import pytest

from fakes.command_line import dissent, program
from fakes.debates import debate
from fakes.images import a_png
from mutual_dissent.store.store import Store

ASK = ("ask", "What is it?")
UNWRITABLE = "/proc/home-of-nobody"  # where not even root can make a folder
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="there is no /proc here")


def refused(result, code: int, *hints: str) -> None:
    """One line on stderr that has these words, and nothing on stdout."""
    assert result.exit_code == code, result.stderr
    assert result.stdout == ""
    assert result.stderr.startswith("dissent: ")
    assert result.stderr.count("\n") == 1
    for hint in hints:
        assert hint in result.stderr


@pytest.mark.parametrize(
    ("words", "hints"),
    [
        ([*ASK, "--panel", "cluade,gpt"], ["'cluade'", "did you mean 'claude'?"]),
        ([*ASK, "--panel", "opneai:gpt-9,gpt"], ["did you mean 'openai'?"]),
        ([*ASK, "--panel", "claude"], ["at least 2, not 1"]),
        ([*ASK, "--panel", ""], ["at least 2, not 0"]),
        ([*ASK, "--panel", ",".join(["claude"] * 17)], ["at most 16", "not 17"]),
        ([*ASK, "--panel", "anthropic:x,gpt"], ["ANTHROPIC_API_KEY"]),
        ([*ASK, "--synthesizer", "gtp"], ["did you mean 'gpt'?"]),
        ([*ASK, "--ground-truth", "x", "--judge", "gtp"], ["did you mean 'gpt'?"]),
        ([*ASK, "--rounds", "0"], ["1 to 3 rounds or 'auto', not 0"]),
        ([*ASK, "--rounds", "4"], ["1 to 3 rounds or 'auto', not 4"]),
        ([*ASK, "--rounds", "abc"], ["a number or 'auto', not 'abc'"]),
        ([*ASK, "--rounds", "-1"], ["1 to 3 rounds or 'auto', not -1"]),
        ([*ASK, "--quorum", "9"], ["1 to 4", "not 9"]),
        ([*ASK, "--quorum", "0"], ["1 to 4", "not 0"]),
        ([*ASK, "--max-cost", "-1"], ["--max-cost", "above 0"]),
        ([*ASK, "--max-cost", "nan"], ["--max-cost", "above 0"]),
        ([*ASK, "--timeout", "0"], ["--timeout", "above 0"]),
        ([*ASK, "--call-timeout", "-3"], ["--call-timeout", "above 0"]),
        ([*ASK, "--mode", "reflexion"], ["did you mean 'reflection'?"]),
        ([*ASK, "--topology", "rign"], ["did you mean 'ring'?"]),
        ([*ASK, "--output", "jsno"], ["did you mean 'json'?"]),
        ([*ASK, "--ground-truth", "x", "--rubric", "mine"], ["no rubric is called 'mine'"]),
        ([*ASK, "--persona", "claude"], ["SEAT=NAME"]),
        ([*ASK, "--persona", "claude=clown"], ["no persona is called 'clown'"]),
        ([*ASK, "--persona", "cluade=skeptic"], ["no panelist is called 'cluade'"]),
        ([*ASK, "--score", "some"], ["'synthesis', 'all'"]),
        ([*ASK, "--ground-truth", " "], ["ground truth"]),
        ([*ASK, "--ground-truth", "a", "--ground-truth-file", "b"], ["not both"]),
        ([*ASK, "--ground-truth-file", "/nowhere/b"], ["/nowhere/b", "No such file"]),
        ([*ASK, "--context", "/nowhere/c.txt"], ["/nowhere/c.txt", "No such file"]),
        ([*ASK, "--file", "/nowhere/out.md"], ["/nowhere does not exist"]),
        (["ask", ""], ["the query is empty"]),
        (["ask", " \n\t "], ["the query is empty"]),
        (["ask", "x" * 1_000_000], ["1,000,000 characters, 200,000 are accepted"]),
        (["show", "../../etc/passwd"], ["not a debate's id"]),
        (["show", "-1234567x"], ["no option"]),
        (["replay", "12345678", "--rounds", "99"], ["0<=x<=10"]),
        (["list", "--since", "yesterday"], ["--since", "2026-02-21"]),
        (["score", "12345678"], ["--ground-truth"]),
        (["export", "12345678", "--content"], ["--content is for otlp"]),
        (["export", "12345678", "--format", "pdf"], ["no output format is called 'pdf'"]),
        (["export", "12345678", "--file", "x.pdf"], ["known for '.pdf'", "--output"]),
        (["experiment", "report", "x", "-f", "x.pdf"], ["'.pdf'", ".html", ".json or .md"]),
        (["bench", "run", "-f", "x.pdf"], ["'.pdf'", ".html", ".json or .md"]),
        (["bench", "recorded", "x.jsonl", "-f", "x.pdf"], ["'.pdf'", ".htm or .md"]),
        ([*ASK, "--file", "x.DOCX"], ["known for '.docx'", "--output"]),
        (["import", "/nowhere/at/all"], ["/nowhere/at/all does not exist"]),
        (["import"], ["name the files"]),
        (["config", "set", "defaults.runds", "2"], ["defaults.runds", "did you mean"]),
        (["config", "set", "defaults.rounds", "many"], ["must be a whole number"]),
    ],
    ids=lambda x: " ".join(map(str, x))[:50],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_one_line_and_nobody_is_paid(vendor, own_home, words, hints):
    refused(dissent(*words), 2, *hints)
    assert vendor.arrivals == []
    assert not own_home.exists(), "a refused command leaves nothing behind"


@pytest.mark.parametrize(
    ("stdin", "hint"),
    [
        (b"", "the query is empty"),
        (b"\xef\xbb\xbf \r\n", "the query is empty"),
        (b"caf\xe9 au lait?", "not UTF-8 text (byte 4 is 0xe9)"),
        (b"x" * 5_000_000, "longer than 2 MB"),
    ],
)
def test_what_cannot_be_read_from_a_pipe_is_refused(vendor, stdin, hint):
    refused(dissent("ask", "-", stdin=stdin), 2, hint)
    assert vendor.arrivals == []


def test_a_huge_input_is_never_held_in_memory(vendor, monkeypatch):
    class Endless:
        buffer = property(lambda self: self)
        taken = 0

        def read(self, size):
            self.taken += size
            return b"x" * size

    from mutual_dissent.core.errors import BadInput
    from mutual_dissent.surfaces.cli import input as reading

    endless = Endless()
    monkeypatch.setattr("sys.stdin", endless)
    tracemalloc.start()
    with pytest.raises(BadInput, match="2 MB"):
        reading.from_stdin()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert endless.taken < 2_200_000
    assert peak < 5_000_000


def test_marks_and_line_ends_of_other_systems_are_taken_off_a_piped_query(vendor):
    result = dissent("ask", "-", "-o", "json", stdin=b"\xef\xbb\xbfOne\r\nTwo\rThree\x00")
    assert result.exit_code == 0, result.stderr
    assert '"query": "One\\nTwo\\nThree\ufffd"' in result.stdout


def test_bytes_of_an_argument_that_are_no_text_are_made_visible(vendor):
    result = program("ask", b"caf\xe9?", "-o", "json")  # type: ignore[arg-type]
    assert result.returncode == 0, result.stderr
    assert b'"query": "caf?' in result.stdout


def test_a_broken_configuration_is_named_with_its_line(vendor, own_home):
    own_home.mkdir()
    (own_home / "config.toml").write_text('[defaults]\nrounds = "twice"\n')
    for words in (ASK, ("config", "show"), ("models",)):
        refused(dissent(*words), 2, "config.toml, line 2", "defaults.rounds")
    (own_home / "config.toml").write_text("[defaults\n")
    refused(dissent(*ASK), 2, "config.toml, line 1")
    assert vendor.arrivals == []


BROKEN = {
    "a wrong value": '[defaults]\nrounds = "twice"\n',
    "an unknown setting": "[defaults]\nruonds = 2\n",
    "not TOML": "[defaults\n# the store is where it was\n",
    "not UTF-8": b'[defaults]\npanel = ["\xff"]\n',
    "an unknown model": '[aliases]\nmine = "nobody:x"\n',
    "an unknown format": "[defaults]\noutput = 7\n",
    "a record that is named": '[store]\nlease = 9\n[defaults]\nrounds = "twice"\n',
}


@pytest.mark.parametrize("case", BROKEN)
def test_the_record_can_be_looked_at_whatever_is_wrong_with_the_configuration(own_home, case):
    with Store(own_home / "dissent.db") as store:
        store.save(debate(transcript_id="1f0c9a2e-0000-4000-8000-000000000000"))
    text = BROKEN[case]
    (own_home / "config.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    short = "1f0c9a2e"
    for words in (["list"], ["show", short], ["export", short], ["stats"]):
        found = dissent(*words)
        assert found.exit_code == 0, found.output
        assert len(found.stderr.strip().splitlines()) <= 1
        assert found.stdout
    said = dissent("show", short).stderr
    assert "config.toml" in said
    assert "shown without the configuration" in said
    refused(dissent(*ASK), 2, "config.toml")


@pytest.mark.parametrize(
    "text",
    [
        '[store\nurl = "postgresql://db.lan/x"\n',
        "[defaults]\nrounds = 'twice'\n[store]\nurl = 7\n",
        "store = 7\n",
        '[store]\nurl = "postgresql://db.lan/x"\n'.encode("utf-16"),
        "#" * 1_000_000 + '\n[store]\nurl = "postgresql://db.lan/x"\n',
    ],
    ids=["not TOML", "a wrong URL", "no table", "UTF-16", "a huge file"],
)
def test_no_other_record_is_shown_where_the_right_one_cannot_be_known(own_home, text):
    with Store(own_home / "dissent.db") as store:
        store.save(debate())
    (own_home / "config.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(dissent("list"), 2, "config.toml")


def test_a_record_that_the_environment_names_needs_no_file(own_home):
    own_home.mkdir()
    (own_home / "config.toml").write_text('[store\nurl = "postgresql://db.lan/x"\n')
    url = "postgresql://127.0.0.1:1/nowhere"
    found = dissent("list", MUTUAL_DISSENT_DB=url)
    assert "shown without the configuration" in found.stderr
    assert "127.0.0.1" in found.stderr


def test_broken_configuration_does_not_hide_where_it_is(own_home):
    own_home.mkdir()
    (own_home / "config.toml").write_text("[defaults\n")
    assert dissent("config", "path").stdout.strip() == str(own_home / "config.toml")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_home_is_noticed_before_anybody_is_paid(vendor, own_home):
    own_home.mkdir(mode=0o500)
    refused(dissent(*ASK), 1, "--no-save")
    assert vendor.arrivals == []


@needs_proc
def test_a_home_that_cannot_be_made_is_noticed_before_anybody_is_paid(vendor):
    refused(
        dissent(*ASK, MUTUAL_DISSENT_HOME=UNWRITABLE),
        1,
        UNWRITABLE,
        "set MUTUAL_DISSENT_HOME",
        "--no-save",
    )
    assert vendor.arrivals == []


@needs_proc
def test_without_saving_no_home_is_needed(vendor):
    words = (*ASK, "--no-save", "-o", "markdown")
    result = dissent(*words, MUTUAL_DISSENT_HOME=UNWRITABLE)
    assert result.exit_code == 0, result.stderr


def test_no_home_at_all_is_said(vendor):
    refused(dissent(*ASK, MUTUAL_DISSENT_HOME="", HOME="", USERPROFILE=""), 2, "set HOME")


@pytest.mark.parametrize("kind", ["file", "folder", "link", "dangling"])
def test_an_output_that_is_there_already_is_left_alone_and_nobody_is_paid(vendor, tmp_path, kind):
    target, other = tmp_path / "out.md", tmp_path / "other.md"
    other.write_text("mine")
    {
        "file": lambda: target.write_text("mine"),
        "folder": target.mkdir,
        "link": lambda: target.symlink_to(other),
        "dangling": lambda: target.symlink_to(tmp_path / "gone"),
    }[kind]()
    refused(dissent(*ASK, "--file", str(target)), 2, "out.md")
    assert vendor.arrivals == []
    assert other.read_text() == "mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other.md", "out.md", "user"]


def test_a_device_is_no_place_for_an_output(vendor):
    refused(dissent(*ASK, "--file", "/dev/full", "--force"), 2, "/dev/full")
    assert vendor.arrivals == []


def test_a_limit_on_cost_is_refused_where_a_price_is_not_known(vendor):
    panel = ["--panel", "openrouter:nobody/knows-1,gpt"]
    refused(dissent(*ASK, *panel, "--max-cost", "1"), 4, "no price is known", "--allow-unpriced")
    assert vendor.arrivals == []


def test_a_debate_that_is_not_there_is_not_found(vendor):
    for words in (("show",), ("resume",), ("replay",), ("export",)):
        refused(dissent(*words, "0123456789"), 1, "no stored debate begins with 0123456789")


def test_what_nobody_foresaw_is_one_line_and_a_private_log_without_keys(
    vendor, own_home, monkeypatch
):
    key = os.environ["OPENROUTER_API_KEY"]

    def explode(*_args, **_more):
        raise ZeroDivisionError(f"with {key} inside")

    monkeypatch.setattr("mutual_dissent.app.MutualDissent.quote", explode)
    refused(result := dissent(*ASK, "--dry-run"), 1, "this is a bug (ZeroDivisionError)")
    log = Path(result.stderr.partition("its log is ")[2].partition(",")[0])
    assert log.parent == own_home / "logs"
    assert log.stat().st_mode & 0o777 == 0o600
    assert "ZeroDivisionError: with [key] inside" in log.read_text()
    assert key not in log.read_text()


def test_a_database_that_is_none_is_the_options_fault_not_the_environments():
    result = dissent("--db", "foo", "list")
    refused(result, 2, "--db: that is no URL of a PostgreSQL database")
    assert "environment" not in result.stderr


def test_a_picture_in_the_pipe_is_shown_and_one_that_is_too_large_is_refused(vendor):
    shown = dissent("ask", "Which?", "--panel", "claude,gpt", "--dry-run", stdin=a_png(64, 48))
    assert shown.exit_code == 0, shown.output
    assert "stdin (a picture of 64 × 48 pixels" in shown.output
    large = a_png() + bytes(4_000_000)
    refused(dissent("ask", "Which?", "--dry-run", stdin=large), 2, "3.9 MB are the most")
