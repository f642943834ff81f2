"""Agent programs: who may seat which, what the configuration adds, and that debates do not nest."""

from __future__ import annotations

import dataclasses
import json
import sys

import pytest

from fakes.command_line import dissent
from fakes.program import install, recorded
from mutual_dissent.app import MutualDissent
from mutual_dissent.briefing.options import Options
from mutual_dissent.briefing.seating import maker
from mutual_dissent.core.errors import BadConfig, UnknownName, UserError
from mutual_dissent.core.panel import Route

ECHO = "print('Tabs, says', sys.argv[1], '.', len(sys.stdin.read()) > 0)"


@pytest.fixture
def home(tmp_path):
    """Makes an app from a configuration, with these scripts installed."""

    def make(text="", scripts=(), env=(), **more):
        folder = tmp_path / "md"
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "config.toml").write_text(text)
        (folder / "config.toml").chmod(0o600)
        path = str(tmp_path / "bin")
        for name, body in dict(scripts).items():
            path = install(tmp_path / "bin", name, body)
        found = {"PATH": path, "HOME": str(tmp_path), "OLLAMA_HOST": "http://127.0.0.1:9"}
        return MutualDissent(home=folder, env={**found, **dict(env)}, **more)

    return make


INSTALLED = {"claude": recorded("claude-ok"), "gemini": recorded("gemini-ok")}
TWO = ["cli:claude", "cli:gemini"]


async def test_programs_debate_like_any_other_panelist(home):
    async with home(scripts=INSTALLED) as md:
        transcript = await md.debate("Tabs?", panel=TWO, synthesizer="cli:claude")
    assert transcript.synthesis.content == "OK"
    assert transcript.status == "completed"
    assert {r.provider for _, r in transcript.responses()} == {"cli"}


async def test_a_program_of_the_users_own_can_be_seated(home):
    own = '[programs.echo]\ncommand = ["echoing", "this"]\n'
    async with home(own, {"echoing": ECHO}) as md:
        transcript = await md.debate("Tabs?", panel=["cli:echo", "cli:echo"])
    assert "Tabs, says this . True" in transcript.synthesis.content


def test_a_program_that_is_not_there_is_refused_before_anything_is_asked(home):
    md = home()
    with pytest.raises(UserError, match="npm install -g @openai/codex"):
        md.find_route("cli:codex")
    with pytest.raises(UnknownName, match="did you mean 'codex'"):
        md.find_route("cli:codec")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[programs.claude]\nenv = ["ANTHROPIC_API_KEY"]', "ANTHROPIC_API_KEY holds a key"),
        ('[programs.x]\ncommand = ["x"]\nenv = ["BRAVE_API_KEY"]', "BRAVE_API_KEY holds a key"),
        ('[programs.x]\noutput = "text"', "needs a command"),
        ("[programs.x]\ncommand = []", "a list of a command"),
        ('[programs.x]\ncommand = "rm -rf"', "a list of a command"),
        ('[programs.x]\ncommand = ["x"]\noutput = "xml"', 'one of "claude"'),
        ("[programs]\nremote = 1", "true or false"),
        ('[endpoints.cli]\nbase_url = "https://x.example"', "is the name of a vendor"),
    ],
)
def test_a_wrong_program_is_refused_with_its_place(home, text, words):
    with pytest.raises(BadConfig, match=r"config\.toml, line \d+") as caught:
        home(text).settings  # noqa: B018 - reading them is what is tried
    assert words in str(caught.value)


def test_a_key_of_an_own_endpoint_is_no_programs_business(home):
    text = '[endpoints.acme]\nbase_url = "https://acme.example"\nkey_env = "ACME_KEY"\n'
    with pytest.raises(BadConfig, match="ACME_KEY holds a key"):
        home(f'{text}[programs.claude]\nenv = ["ACME_KEY"]').settings  # noqa: B018


SEATS = {
    "panel": {"panel": ["cli:claude", "claude"]},
    "synthesizer": {"panel": ["claude", "gpt"], "synthesizer": "cli:claude"},
    "judge": {"panel": ["claude", "gpt"], "judge": "cli:claude", "ground_truth": "tabs"},
    "analyst": {"panel": ["claude", "gpt"], "analyst": "cli:claude"},
}
KEYED = {"OPENROUTER_API_KEY": "sk-or-test-key-000001"}


@pytest.mark.parametrize("seat", SEATS)
async def test_strangers_seat_no_program_unless_the_configuration_says_so(home, seat):
    async with home(scripts=INSTALLED, env=KEYED, remote=True) as md:
        with pytest.raises(UserError, match=r"may not be seated.*programs\.remote = true"):
            await md.brief("Tabs?", **SEATS[seat])
    allowed = "[programs]\nremote = true\n"
    async with home(allowed, INSTALLED, KEYED, remote=True) as md:
        assert await md.brief("Tabs?", **SEATS[seat])


async def test_strangers_may_seat_what_has_a_key(home):
    async with home(env=KEYED, remote=True) as md:
        brief = await md.brief("Tabs?", panel=["claude", "openrouter:acme/x"])
        assert [p.route.vendor for p in brief.panel] == ["openrouter", "openrouter"]
        with pytest.raises(UserError, match="GROQ_API_KEY"):
            await md.brief("Tabs?", panel=["claude", "groq:x"])


async def test_strangers_neither_probe_nor_go_on_with_a_program(home):
    async with home(scripts=INSTALLED) as md:
        transcript = await md.debate("Tabs?", panel=TWO)
    async with home(scripts=INSTALLED, remote=True) as md:
        with pytest.raises(UserError, match="may not be seated"):
            await md.reach(["cli:claude"])
        with pytest.raises(UserError, match="may not be seated"):
            async for _ in md.go_on(transcript.transcript_id):
                pass
        with pytest.raises(UserError, match="may not be seated"):
            async for _ in md.replay(transcript.transcript_id):
                pass


async def test_nobody_can_name_an_address_to_send_a_key_to(home):
    assert not [f.name for f in dataclasses.fields(Options) if "url" in f.name]
    async with home(env=KEYED, remote=True) as md:
        known = {e.base_url for e in md.settings.endpoints().values()}
        brief = await md.brief("?", panel=["claude", "openrouter:x@https://evil.example/v1"])
        vendors = [p.route.vendor for p in brief.everyone]
        assert {md.settings.endpoints()[v].base_url for v in vendors} <= known
        with pytest.raises(UserError):
            await md.brief("?", panel=["claude", "https://evil.example/v1:m"])


async def test_a_debate_that_a_program_starts_seats_no_program(home, tmp_path):
    inner = f"""
import subprocess
words = [{sys.executable!r}, "-m", "mutual_dissent", "config", "test", "cli:claude"]
env = {{**os.environ, "MUTUAL_DISSENT_HOME": {str(tmp_path / "inner")!r}}}
done = subprocess.run(words, capture_output=True, text=True, env=env)
print(os.environ["MUTUAL_DISSENT_DEPTH"], done.returncode, done.stderr)
"""
    own = '[programs.nesting]\ncommand = ["nesting"]\n'
    scripts = {"nesting": inner, **INSTALLED}
    async with home(own, scripts) as md:
        (reach,) = await md.reach(["cli:nesting"])
    assert reach.response.content.startswith("1 2 ")
    assert "a debate that a panelist program started itself" in reach.response.content


@pytest.mark.parametrize("depth", ["1", "7", "deep"])
async def test_whoever_is_within_a_program_is_told_so(home, depth):
    md = home(scripts=INSTALLED, env={"MUTUAL_DISSENT_DEPTH": depth})
    with pytest.raises(UserError, match="MUTUAL_DISSENT_DEPTH is set"):
        md.find_route("cli:claude")
    brief = await home(scripts=INSTALLED).brief("Tabs?", panel=TWO)
    async with md:
        events = [e async for e in md.run(brief, save=False)]
    assert events[-1].reason == "quorum"


def test_the_judge_of_a_program_is_by_another_maker():
    assert maker(Route(vendor="cli", model_id="claude/opus")) == "anthropic"
    assert maker(Route(vendor="cli", model_id="codex")) == "openai"
    assert maker(Route(vendor="cli", model_id="mine")) == "mine"


def test_the_commands_know_the_programs(tmp_path, monkeypatch):
    path = install(tmp_path / "bin", "claude", recorded("claude-ok"))
    monkeypatch.setenv("PATH", path)
    listed = dissent("models")
    assert "cli:claude" in listed.stdout
    assert "none: not installed" in listed.stdout
    rows = {r["alias"]: r for r in json.loads(dissent("models", "-o", "json").stdout)}
    assert rows["cli:claude"]["route"]["vendor"] == "cli"
    assert "npm install" in rows["cli:codex"]["unreachable"]
    tested = dissent("config", "test", "cli:claude")
    assert (tested.exit_code, tested.stdout[:16]) == (0, "ok    cli:claude")
    missing = dissent("config", "test", "cli:gemini")
    assert missing.exit_code == 2
    assert "@google/gemini-cli" in missing.stderr


def test_a_command_can_be_set_from_the_command_line(own_home):
    assert dissent("config", "set", "programs.mine.command", "mine --say 'a b'").exit_code == 0
    assert 'command = ["mine", "--say", "a b"]' in (own_home / "config.toml").read_text()
    assert dissent("config", "set", "programs.remote", "true").exit_code == 0
    shown = json.loads(dissent("config", "show", "-o", "json").stdout)
    assert {"name": "programs.remote", "value": True, "source": "config.toml"} in shown
