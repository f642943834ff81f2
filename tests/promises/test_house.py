"""Promises of the source tree: the house rules hold, and each of them sees an offender."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "house.py"


@pytest.fixture(scope="module")
def house():
    spec = importlib.util.spec_from_file_location("house", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_names_folders_imports_and_docstrings_keep_the_house_rules(house):
    assert house.offenders() == []


@pytest.mark.parametrize("rule", ["folder", "module", "class", "function", "docstring", "cycle"])
def test_each_rule_sees_an_offender(house, monkeypatch, tmp_path, rule):
    package = tmp_path / "mutual_dissent"
    package.mkdir()
    files = {"folder": {f"m{i}.py": "" for i in range(16)}, "module": {"telling.py": ""},
             "class": {"a.py": "class A: ...", "b.py": "class A: ..."},
             "function": {"a.py": "class A:\n    def told(self): ..."},
             "docstring": {"a.py": '"""What is wrong."""'},
             "cycle": {"a.py": "def f():\n    import mutual_dissent.b",
                       "b.py": "import mutual_dissent.a"},
             }[rule]  # fmt: skip
    for name, text in {"__init__.py": "", **files}.items():
        (package / name).write_text(text)
    monkeypatch.setattr(house, "SOURCE", package)
    assert [line for line in house.offenders() if line.startswith(f"{rule} ")]
