"""The package itself: what it brings, and that importing it does nothing."""

from __future__ import annotations

import configparser
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOCKS = [f"requirements{part}.lock" for part in ("", "-cluster", "-dev", "-site")]

WATCH = """
import sys
seen = []
sys.addaudithook(lambda name, args: seen.append((name, args)) if name in WATCHED else None)
WATCHED = {"socket.connect", "socket.bind", "socket.__new__", "subprocess.Popen", "os.system"}
import mutual_dissent, mutual_dissent.app, mutual_dissent.shortcuts
import mutual_dissent.surfaces.cli
written = [a for n, a in seen]
print(written)
"""

WRITES = """
import sys
writes = []
def hook(name, args):
    if name == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        writes.append(args[0])
sys.addaudithook(hook)
import mutual_dissent.app, mutual_dissent.surfaces.cli
print(writes)
"""


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.mark.parametrize("code", [WATCH, WRITES], ids=["sockets", "files"])
def test_importing_the_package_opens_no_socket_and_writes_no_file(code):
    assert run(code) == "[]"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation",
         "--wheel-dir", str(folder), str(ROOT)],
        check=True, capture_output=True,
    )  # fmt: skip
    [built] = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def test_the_wheel_holds_the_prompts_and_nothing_that_runs_by_itself(wheel):
    names = wheel.namelist()
    assert not [n for n in names if n.endswith((".pth", ".d.ts"))]
    assert not [n for n in names if n.startswith(("tests/", "bench/", "scripts/"))]
    shipped = {p.relative_to(ROOT / "src").as_posix() for p in (ROOT / "src").rglob("*.md")}
    assert shipped
    assert shipped <= set(names)
    assert "mutual_dissent/py.typed" in names


def test_the_wheel_brings_the_licence_of_everything_that_others_made(wheel):
    [metadata] = [n for n in wheel.namelist() if n.endswith("METADATA")]
    files = re.findall(r"^License-File: (.*)$", wheel.read(metadata).decode(), re.MULTILINE)
    others = "dompurify highlight htm inter jetbrains-mono markdown-it preact temml".split()
    assert {Path(f).stem for f in files} == {"LICENSE", *others}
    assert {f"{metadata.removesuffix('METADATA')}licenses/{f}" for f in files} <= set(
        wheel.namelist()
    )


def test_all_three_commands_are_the_same_program(wheel):
    [entry] = [n for n in wheel.namelist() if n.endswith("entry_points.txt")]
    points = configparser.ConfigParser()
    points.read_string(wheel.read(entry).decode())
    commands = dict(points["console_scripts"])
    assert set(commands) == {"dissent", "mutual-dissent", "questionable-ai"}
    assert len(set(commands.values())) == 1


@pytest.mark.parametrize("name", LOCKS)
def test_the_lock_files_carry_hashes_and_no_addresses(name):
    text = (ROOT / name).read_text()
    assert "://" not in text
    pinned = re.findall(r"^[a-z0-9][\w.\-]*==", text, re.MULTILINE)
    blocks = re.split(r"\n(?=[a-z0-9])", text.strip())
    assert len(pinned) == len([b for b in blocks if "--hash=sha256:" in b])


def test_the_programs_that_check_the_pages_are_locked_by_hash_and_without_addresses():
    packages = json.loads((ROOT / "package-lock.json").read_text())["packages"]
    ours = packages.pop("")
    assert all(p["integrity"] and p["dev"] and "resolved" not in p for p in packages.values())
    assert {packages[f"node_modules/{n}"]["version"] for n in ours["devDependencies"]} == set(
        ours["devDependencies"].values()
    )


@pytest.mark.parametrize("name", LOCKS[1:])
def test_what_is_locked_twice_is_locked_to_the_same_version(name):
    first, other = pins("requirements.lock"), pins(name)
    shared = first.keys() & other.keys()
    assert shared
    assert {n: other[n] for n in shared} == {n: first[n] for n in shared}


def test_the_image_of_many_machines_adds_its_packages_by_their_hashes():
    assert {"psycopg", "psycopg-binary", "temporalio"} <= pins("requirements-cluster.lock").keys()
    installs = [
        line
        for line in (ROOT / "deploy/cluster/Dockerfile").read_text().splitlines()
        if "pip install" in line
    ]
    assert len(installs) == 1
    assert "--require-hashes -r /venv/requirements-cluster.lock" in installs[0]


def pins(name):
    """Package -> version, of a lock file."""
    found = re.findall(r"^([a-z0-9][\w.\-]*)==(\S+)", (ROOT / name).read_text(), re.MULTILINE)
    return dict(found)


def test_a_planted_key_is_found_and_never_printed(tmp_path):
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    planted = "sk-ant-" + "a1B2" * 10
    (tmp_path / "notes.txt").write_text(f"key = {planted}\n")
    script = ROOT / "scripts" / "scan_secrets.py"
    found = subprocess.run(
        [sys.executable, str(script), str(tmp_path)], capture_output=True, text=True
    )
    assert found.returncode == 1
    assert "notes.txt:1" in found.stdout
    assert planted not in found.stdout


@pytest.mark.parametrize("name", ["stream", "research", "experiment"])
def test_the_examples_run(name):
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / f"{name}.py")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) > 4


@pytest.fixture(scope="module")
def plugged(tmp_path_factory):
    """A folder with the sample plugin installed in it."""
    folder = tmp_path_factory.mktemp("plugin")
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation",
         "--target", str(folder), str(ROOT / "examples" / "plugin")],
        check=True, capture_output=True,
    )  # fmt: skip
    return folder


def dissent(plugged, *args):
    import os

    return subprocess.run(
        [sys.executable, "-m", "mutual_dissent", *args],
        capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(plugged)},
    )  # fmt: skip


def test_the_sample_plugin_adds_a_provider_a_topology_and_a_format(plugged):
    panel = "parrot:1,parrot:2,parrot:3,parrot:1"
    done = dissent(plugged, "ask", "Polly?", "--panel", panel, "--synthesizer", "parrot:1",
                   "--topology", "half", "--output", "oneline")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "Polly? -> Polly?"
    shown = dissent(plugged, "list", "--output", "json")
    [row] = json.loads(shown.stdout)
    transcript = json.loads(
        dissent(plugged, "show", row["transcript_id"], "--output", "json").stdout
    )
    assert [len(r["responses"]) for r in transcript["rounds"]] == [4, 2]


def test_the_sample_plugin_adds_a_mode(plugged):
    done = dissent(plugged, "ask", "Polly?", "--panel", "parrot:1,parrot:2", "--synthesizer",
                   "parrot:1", "--mode", "show-of-hands", "--output", "json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    transcript = json.loads(done.stdout)
    assert [r["round_number"] for r in transcript["rounds"]] == [0]


def test_the_sample_plugin_adds_a_payload_source(plugged, tmp_path):
    file = tmp_path / "whispers.toml"
    file.write_text(
        'name = "whispers"\n[source]\nname = "whisper"\nto = "parrot:2"\n'
        '[defaults]\npanel = ["parrot:1", "parrot:2"]\nallow_unpriced = true\n'
    )
    checked = dissent(plugged, "experiment", "check", str(file), "--output", "json")
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout)["queries"] == 1


def test_plugins_are_listed_beside_what_ships(plugged):
    listed = dissent(plugged, "modes")
    assert "show-of-hands" in listed.stdout
    assert "half" in listed.stdout
