"""Changing a setting keeps the rest of the file, or changes nothing."""

import os
import stat
import subprocess
import sys
import tomllib

import pytest

from fakes.patience import LONG
from mutual_dissent.config.editor import set_value
from mutual_dissent.config.paths import Home
from mutual_dissent.config.settings import load_settings
from mutual_dissent.core.errors import BadConfig, DissentError

COMMENTED = """\
# my keys
api_key = "sk-or-1234567890"  # work account

[defaults]
rounds = 1 # cheap
"""


@pytest.fixture
def config(tmp_path):
    path = tmp_path / "md" / "config.toml"
    path.parent.mkdir(mode=0o700)
    path.write_text(COMMENTED)
    path.chmod(0o600)
    return path


def test_comments_and_everything_else_stay(config):
    set_value(config, "defaults.rounds", "2")
    assert config.read_text() == COMMENTED.replace("rounds = 1", "rounds = 2")


@pytest.mark.parametrize(
    ("name", "word", "value"),
    [
        ("defaults.rounds", "auto", "auto"),
        ("defaults.panel", "claude, gpt,gemini", ["claude", "gpt", "gemini"]),
        ("defaults.max_cost", "0.5", 0.5),
        ("defaults.named", "yes", True),
        ("defaults.save", "false", False),
        ("routing.claude", "direct", "direct"),
        ("model_aliases.kimi", "moonshotai/k2", "moonshotai/k2"),
        ("model_aliases.kimi.openrouter", "moonshotai/k2", "moonshotai/k2"),
        ("endpoints.lab.base_url", "http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1"),
        ("providers.openai_api_key", "sk-123", "sk-123"),
        ("personas.pirate.instructions", "Say arr.", "Say arr."),
        ("local.temperature", "1", 1),
    ],
)
def test_a_word_becomes_the_value_it_stands_for(config, name, word, value):
    set_value(config, name, word)
    found = tomllib.loads(config.read_text())
    for step in name.split("."):
        found = found[step]
    assert found == value
    load_settings({}, Home(config.parent))


def test_an_empty_word_takes_the_setting_back(config):
    set_value(config, "defaults.rounds", "")
    set_value(config, "defaults.max_cost", "")
    assert "rounds" not in config.read_text()
    assert "# my keys" in config.read_text()


def test_the_first_setting_makes_file_and_folder_for_their_owner_alone(tmp_path):
    path = tmp_path / "new" / "config.toml"
    set_value(path, "defaults.rounds", "3")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert load_settings({}, Home(path.parent)).defaults.rounds == 3


@pytest.mark.parametrize(
    ("name", "word", "said"),
    [
        ("defaults.ronds", "2", "did you mean 'rounds'"),
        ("defalts.rounds", "2", "did you mean 'defaults'"),
        ("defaults", "2", "is a table"),
        ("", "2", "no such setting"),
        ("defaults.rounds.more", "2", "no such setting"),
        ("defaults.rounds", "99", "1 to 10"),
        ("defaults.panel", ",", "a list"),
        ("defaults.save", "perhaps", "true or false"),
        ("providers.openai_base_url", "https://u:p@x.example", "without user"),
        ("routing.clade", "auto", "did you mean 'claude'"),
        ("endpoints.lab.key_env", "LAB", "base_url"),
        ("model_aliases.a b", "x", "letters"),
    ],
)
def test_what_cannot_be_is_refused_and_the_file_left_alone(config, name, word, said):
    with pytest.raises(BadConfig, match=said):
        set_value(config, name, word)
    assert config.read_text() == COMMENTED
    assert list(config.parent.iterdir()) == [config]


def test_who_sees_pictures_is_an_alias_or_of_a_vendor_and_said_once(config):
    set_value(config, "pictures.seen_by", "gpt,groq:llama-9,openai")
    before = config.read_text()
    for name, said in (
        ("nosuchalias", "no alias or vendor is called 'nosuchalias'"),
        ("nosuch:model", "no alias or vendor is called 'nosuch:model'"),
        ("gpt", "'gpt' is in seen_by, too; leave out one"),
    ):
        with pytest.raises(DissentError, match=said):
            set_value(config, "pictures.unseen_by", name)
        assert config.read_text() == before


def test_a_broken_file_is_not_touched(config):
    config.write_text("[defaults\n")
    with pytest.raises(BadConfig, match="line 1"):
        set_value(config, "defaults.rounds", "2")
    assert config.read_text() == "[defaults\n"


def test_a_failed_write_leaves_the_old_file_and_no_rubbish(config, monkeypatch):
    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DissentError, match="No space left on device"):
        set_value(config, "defaults.rounds", "2")
    assert config.read_text() == COMMENTED
    assert list(config.parent.iterdir()) == [config]


def test_a_link_to_the_file_stays_a_link(config, tmp_path):
    link = tmp_path / "link.toml"
    link.symlink_to(config)
    set_value(link, "defaults.rounds", "2")
    assert link.is_symlink()
    assert "rounds = 2" in config.read_text()


WRITER = """
import sys
from pathlib import Path
from mutual_dissent.config.editor import set_value
sys.stdin.readline()
for i in range(12):
    set_value(Path(sys.argv[1]), f"personas.{sys.argv[2]}{i}.instructions", "Be brief.")
"""


def test_two_processes_that_write_at_once_lose_nothing(tmp_path):
    file = tmp_path / "config.toml"
    command = [sys.executable, "-c", WRITER, str(file)]
    writers = [
        subprocess.Popen([*command, name], stdin=subprocess.PIPE, text=True) for name in "abc"
    ]
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.close()
    assert [w.wait(LONG) for w in writers] == [0, 0, 0]
    assert len(tomllib.loads(file.read_text())["personas"]) == 36
