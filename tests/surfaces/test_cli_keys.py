"""No key is ever shown or stored, wherever it came from and whatever fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fakes.command_line import dissent, program

CANARIES = {
    "OPENROUTER_API_KEY": "canary-openrouter-a1b2c3d4e5",
    "OPENAI_API_KEY": "canary-openai-f6g7h8i9j0",
    "ANTHROPIC_API_KEY": "canary-anthropic-k1l2m3n4",
}
IN_FILE = {"groq": "canary-groq-in-the-file-77", "endpoints": "canary-own-endpoint-88"}


@pytest.fixture
def canaries(vendor, own_home, monkeypatch):
    """Distinctive keys in the environment and in the configuration."""
    for name, key in CANARIES.items():
        monkeypatch.setenv(name, key)
    monkeypatch.setenv("OPENAI_BASE_URL", vendor.url)
    monkeypatch.setenv("ANTHROPIC_BASE_URL", vendor.fake.base_url("anthropic"))
    own_home.mkdir(mode=0o700)
    config = own_home / "config.toml"
    config.write_text(
        f'[providers]\ngroq_api_key = "{IN_FILE["groq"]}"\n'
        f'[endpoints.mine]\nbase_url = "{vendor.url}"\napi_key = "{IN_FILE["endpoints"]}"\n'
    )
    config.chmod(0o600)
    return [*CANARIES.values(), *IN_FILE.values()]


def leaks(canaries: list[str], *texts: bytes | str) -> list[str]:
    """The keys that stand in any of these texts."""
    raw = [t.encode() if isinstance(t, str) else t for t in texts]
    return [c for c in canaries if any(c.encode() in t for t in raw)]


def stored(home: Path) -> list[bytes]:
    """Every file of the user's folder but the configuration, where the keys are meant to be."""
    return [p.read_bytes() for p in home.rglob("*") if p.is_file() and p.name != "config.toml"]


COMMANDS = [
    ("ask", "What is it?", "--verbose"),
    ("ask", "What is it?", "--output", "json", "--panel", "claude,gpt,grok,mine:some-model"),
    ("ask", "What is it?", "--output", "markdown"),
    ("ask", "What is it?", "--dry-run"),
    ("ask", "What is it?", "--panel", "cluade,gpt"),
    ("config", "show"),
    ("config", "show", "--output", "json"),
    ("config", "test"),
    ("models",),
    ("models", "--output", "json"),
    ("list", "--output", "json"),
    ("doctor",),
]


@pytest.mark.parametrize("fault", ["ok", "echo_key", "401", "html"])
def test_no_key_reaches_the_screen_or_the_disk(canaries, vendor, own_home, fault):
    vendor.fake.always(fault)
    for words in COMMANDS:
        result = dissent(*words)
        assert leaks(canaries, result.stdout, result.stderr) == [], words
    assert leaks(canaries, *stored(own_home)) == []
    sent = {k for a in vendor.arrivals for k in canaries if k in str(a.headers)}
    assert len(sent) >= 3, "the keys were in use"


def test_a_key_that_is_no_key_is_not_repeated(own_home, vendor, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "canary with blanks and ü")
    result = dissent("config", "show")
    assert result.exit_code == 2
    assert "canary" not in result.stderr
    result = dissent("config", "set", "providers.xai_api_key", "canary with blanks")
    assert result.exit_code == 2
    assert "canary" not in result.output


def test_a_crash_shows_no_key(canaries, own_home):
    code = (
        "import mutual_dissent.app as app, os, sys\n"
        "def explode(self, brief): raise RuntimeError(str(dict(os.environ)) + repr(vars(self)))\n"
        "app.MutualDissent.quote = explode\n"
        "sys.argv = ['dissent', 'ask', 'What?', '--dry-run']\n"
        "from mutual_dissent.surfaces.cli import main\n"
        "main()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"Traceback" not in done.stderr
    (log,) = (own_home / "logs").iterdir()
    assert b"RuntimeError" in log.read_bytes()
    assert leaks(canaries, done.stdout, done.stderr, *stored(own_home)) == []


def test_every_file_is_its_owners_alone(canaries, own_home):
    before = os.umask(0)
    try:
        assert program("ask", "What is it?").returncode == 0
    finally:
        os.umask(before)
    for path in [own_home, *own_home.rglob("*")]:
        wanted = 0o700 if path.is_dir() else 0o600
        assert path.stat().st_mode & 0o777 == wanted, path
