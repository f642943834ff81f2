"""Hostile input at the command line: ids, transcripts of strangers, models' words (P1 to P9)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from fakes.command_line import PROGRAM, Terminal, dissent, program
from fakes.hostile import PAYLOADS, raw_in
from fakes.patience import in_proportion

# -- ids ------------------------------------------------------------------------------------------

IDS = """
../../etc/passwd|..\\..\\windows|%2e%2e%2f%2e%2e%2f|%2e%2e/%2e%2e/x|..%2f..%2fetc|..%5c..%5cx|
/etc/passwd|/|//etc/passwd|~|~/x|~root/.ssh|.|..|...|./12345678|12345678/..|12345678/../x|
file:///etc/passwd|http://evil.example|\\\\host\\share|C:\\x|C:12345678|con|nul|aux.json|CON12345678|
12345678.json|12345678.db|12345678.lock|dissent.db|ABCDEF12|Abcdef12|1234567|12345678 |12 345678|
12345678;|12345678'|12345678"|12345678`|$(12345678)|${12345678}|`12345678`|12345678&|12345678*|
*2345678|?2345678|[a-z]2345678|12345678%00|12345678_|'; DROP TABLE debates; --|12345678 OR 1=1|
äbcdefgh|１２３４５６７８|１２34567８|ⅻ2345678|\u202e12345678|12345678\u202e|\u200b12345678|
12345678\u2028|12345678\t|12345678\r|\x1b[2J123456|12345678\x7f|
""".replace("\n|", "|").strip("\n").split("|")  # fmt: skip
IDS = [*(i for i in IDS if i), "a" * 41, "a" * 300, "a" * 100_000, "12345678\n", "\n12345678"]
COMMANDS = {
    "show": ["show"],
    "resume": ["resume"],
    "replay": ["replay"],
    "export": ["export"],
    "score": ["score", "--ground-truth", "x"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_no_id_leads_out_of_the_record(vendor, own_home, command):
    assert len(IDS) >= 60
    for name in IDS:
        result = dissent(*COMMANDS[command], "--", name)
        assert result.exit_code == 2, (name[:40], result.stderr)
        assert "is not a debate's id" in result.stderr
        assert len(result.stderr) < 300
        assert raw_in(result.stderr) == set()
    assert vendor.arrivals == []
    assert not own_home.exists(), "refused before any file was looked for"


# -- transcripts of strangers ---------------------------------------------------------------------

TITLE = "\x1b]0;pwned\x07\x1b[2J\x9b31m\u202e"
ID = "aaaaaaaa-0000-4000-8000-00000000000"


def stranger(number: int = 1, evil: str = TITLE, **changes) -> dict:
    """A transcript in which every text of somebody's choice is hostile."""

    def said(alias: str, place: int, role: str, **more) -> dict:
        return {
            "model_id": f"openai/{alias}", "model_alias": alias, "round_number": place,
            "role": role, "content": f"said {evil}", "timestamp": "2026-01-01T00:00:00Z",
            "persona": evil, "provider": f"p{evil}", "served_model": f"s{evil}",
            "citations": [{"url": f"javascript:alert(1){evil}", "title": evil}], **more,
        }  # fmt: skip

    first = [
        said(f"a{evil}", 0, "initial", cost_usd=1e300, input_tokens=2**52, output_tokens=-1),
        said("b", 0, "initial", error=f"bad {evil}", finish="failed", error_kind="auth"),
        said("=cmd|' /C calc'!A0", 0, "initial", token_count=float(2**60)),
    ]
    whole = {
        "schema_version": 1, "transcript_id": f"{ID}{number}", "query": f"=1+1 {evil}",
        "panel": [f"a{evil}", "b", "c"], "synthesizer_id": f"s{evil}", "max_rounds": 1,
        "status": "completed", "created_at": "2026-01-01T00:00:00Z",
        "metadata": {
            "version": evil, "resolved_config": {"x": evil},
            "experiment": {"experiment_id": evil, "condition": evil},
            "stats": {"total_cost_usd": 1e308},
        },
        "rounds": [{"round_number": 0, "round_type": "initial", "responses": first,
                    "measures": {"agreement": 0.4, "measure": evil}}],
        "synthesis": said(f"s{evil}", -1, "synthesis"),
        "notes": [{"code": evil, "text": f"note {evil}", "seat": f"a{evil}"}],
    }  # fmt: skip
    return {**whole, **changes}


def bring(folder: Path, transcript: dict, name: str = "debate.json"):
    (folder / name).write_text(json.dumps(transcript))
    return dissent("import", str(folder / name))


def test_nothing_in_a_strangers_transcript_acts_on_the_terminal(vendor, tmp_path):
    results = [bring(tmp_path, stranger(), f"{TITLE}.json"), dissent("import", str(tmp_path))]
    assert results[0].exit_code == 0, results[0].stderr
    (tmp_path / f"empty{TITLE}.json").write_text("{}")
    looks = (
        ("import", str(tmp_path)), ("list",), ("list", "-o", "json"), ("list", "--costs"),
        ("list", "--costs", "-o", "json"), ("show", ID + "1"), ("show", ID + "1", "--verbose"),
        ("show", ID + "1", "-o", "json"), ("show", ID + "1", "-o", "markdown"),
        ("export", ID + "1"), ("export", ID + "1", "--format", "markdown"), ("doctor",),
        ("doctor", "-o", "json"), ("replay", ID + "1"), ("score", ID + "1", "--ground-truth", "x"),
    )  # fmt: skip
    results += [dissent(*words) for words in looks]
    for result in results:
        assert raw_in(result.stdout) | raw_in(result.stderr) == set()
        assert result.exit_code in (0, 1, 2, 3), result.stderr
        assert "this is a bug" not in result.stderr


def test_nothing_in_a_strangers_transcript_acts_on_a_spreadsheet(vendor, tmp_path):
    import csv
    import io

    bring(tmp_path, stranger())
    text = dissent("export", ID + "1", "--format", "csv").stdout
    rows = list(csv.reader(io.StringIO(text)))
    assert len(rows) == 5
    for cell in (c for row in rows for c in row):
        assert not cell.startswith(("=", "+", "@"))
        assert raw_in(cell) == set()


LIMITS = {
    "rounds": {"rounds": 10**9},
    "panel": {"panel": [{"seat": f"s{n}", "route": {"vendor": "openrouter", "model_id": "m"}}
                        for n in range(17)]},
    "quorum": {"quorum": 0},
    "mode": {"mode": f"nonesuch{TITLE}"},
    "topology": {"topology": f"nonesuch{TITLE}"},
    "cost": {"max_cost": -1},
    "patience": {"call_timeout": -1},
}  # fmt: skip


@pytest.mark.parametrize("what", LIMITS)
def test_a_strangers_transcript_cannot_ask_for_more_than_a_user_may(vendor, tmp_path, what):
    route = {"vendor": "openrouter", "model_id": "m"}
    brief = {
        "transcript_id": "x", "query": "q", "panel": [{"seat": s, "route": route} for s in "abc"],
        "synthesizer": {"seat": "a", "route": route}, "nonce": "n", **LIMITS[what],
    }  # fmt: skip
    bare = {"status": "active", "rounds": [], "synthesis": None, "query": "q"}
    assert bring(tmp_path, stranger(brief=brief, **bare)).exit_code == 0
    for words in (("resume", ID + "1"), ("replay", ID + "1", "--rounds", "1")):
        result = dissent(*words)
        if (what, words[0]) == ("rounds", "replay"):
            assert result.exit_code == 0, "a replay holds the rounds that it is asked for"
            assert len(vendor.arrivals) == 3 + 3 + 1
        else:
            assert result.exit_code == 2, result.stderr
            assert result.stderr.count("\n") == 1
            assert vendor.arrivals == []


BOMBS = {
    "depth": b'{"query": ' + b"[" * 100_000,
    "depth, closed": b'{"query":' + b'{"a":' * 100_000 + b"1" + b"}" * 100_001,
    "keys": b"{" + b",".join(b'"k%d":1' % n for n in range(1_000_001)) + b"}",
    "list": b'{"query":"q","rounds":[' + b"[]," * 1_000_001 + b"[]]}",
    "digits": b'{"query":"q","max_rounds":' + b"9" * 400 + b"}",
    "float": b'{"query":"q","max_rounds":1e400}',
    "NaN": b'{"query":"q","max_rounds":NaN,"metadata":{"stats":{"total_cost_usd":Infinity}}}',
    "twice": b'{"query":"q","query":"r","rounds":[],"rounds":{}}',
    "text": b'{"query":"' + b"x" * 8_000_000,
    "braces": b"{" * 3_000_000,
    "surrogates": b'{"query":"\\ud800\\udfff\\ud800"}',
    "zeros": b"\0" * 2_000_000,
}


@pytest.mark.parametrize("name", BOMBS)
def test_no_bomb_in_an_imported_file_goes_off(vendor, tmp_path, name):
    (tmp_path / "bomb.json").write_bytes(BOMBS[name])
    with in_proportion(60):
        result = dissent("import", str(tmp_path / "bomb.json"))
    assert result.exit_code in (0, 1), result.stderr
    assert "this is a bug" not in result.stderr
    assert dissent("list").exit_code == 0
    assert (tmp_path / "bomb.json").read_bytes() == BOMBS[name]


@pytest.mark.parametrize("kind", ["link", "pipe", "device", "folder of links"])
def test_only_plain_files_are_imported(vendor, tmp_path, kind):
    good, folder = tmp_path / "good.json", tmp_path / "folder"
    good.write_text(json.dumps(stranger()))
    folder.mkdir()
    odd = folder / "odd.json"
    {
        "link": lambda: odd.symlink_to(good),
        "pipe": lambda: os.mkfifo(odd),
        "device": lambda: odd.symlink_to("/dev/zero"),
        "folder of links": lambda: odd.symlink_to(tmp_path),
    }[kind]()
    result = dissent("import", str(odd if kind != "folder of links" else folder))
    assert result.exit_code == 1
    assert "refused" in result.stdout
    assert json.loads(dissent("list", "-o", "json").stdout) == []


# -- models' words and other texts on a terminal --------------------------------------------------

OURS = (b"\x1b[?25l", b"\x1b[?25h", b"\x1b[?2026h", b"\x1b[?2026l")


def test_no_model_acts_on_a_real_terminal(vendor):
    """Everything at once: live view, final view, verbose, and the pipe."""
    vendor.fake.always(text="\n\n".join([*map(storable, PAYLOADS.values()), "END-OF-PAYLOADS"]))
    words = ("ask", "What is it?", "--verbose", "--panel", "gpt,claude")
    terminal = Terminal(*PROGRAM, *words)
    assert terminal.ended() == 0
    drawn = terminal.drawn
    for ours in OURS:
        drawn = drawn.replace(ours, b"")
    for bad in (*b"]P_^Xc", b"[?", b"[6n", b"[c", b"[>"):
        assert b"\x1b" + (bad if isinstance(bad, bytes) else bytes([bad])) not in drawn, bad
    assert not set(drawn) & {0, 7, 8, 14, 15}
    shown = drawn.decode()
    assert not set(shown) & set("\x9b\x9d\x90\x9c\u202e\u2066\u2067\U000e0041\u2028\x85\x7f")
    assert "END-OF-PAYLOADS" in shown
    piped = program(*words)
    assert piped.returncode == 0
    assert raw_in(piped.stdout.decode()) | raw_in(piped.stderr.decode()) == set()


def storable(text: str) -> str:
    """A text as a vendor can send it."""
    return text.encode("utf-8", "replace").decode()


@pytest.mark.parametrize(
    "words",
    [
        ("ask", f"q{TITLE}", "--panel", f"openrouter:a{TITLE},openrouter:b", "--no-save"),
        ("ask", "q", "--panel", f"openrouter:a{TITLE},openrouter:b", "--dry-run"),
        ("ask", "q", "--panel", f"x{TITLE},gpt"),
        ("ask", "q", "--context", f"/nowhere{TITLE}"),
        ("ask", "q", "--file", f"/nowhere{TITLE}/x"),
        ("ask", "q", f"--{TITLE}"),
        ("ask", "q", "--persona", f"{TITLE}=x"),
        ("import", f"/nowhere{TITLE}"),
        ("config", "set", f"x{TITLE}", "1"),
        ("config", "set", "defaults.synthesizer", TITLE),
        ("config", "test", f"openrouter:m{TITLE}"),
        ("models", TITLE),
        ("list", "--since", TITLE),
        ("local", TITLE),
        (TITLE,),
    ],
    ids=lambda words: " ".join(words)[:30].encode("ascii", "replace").decode(),
)
def test_no_argument_comes_back_raw(vendor, words):
    result = dissent(*words)
    assert raw_in(result.stdout) | raw_in(result.stderr) == set()
    assert "this is a bug" not in result.stderr
