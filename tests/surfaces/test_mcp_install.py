"""`dissent mcp install`, the registry's file and the bundle: the ways in."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

from fakes.command_line import dissent
from fakes.node_tools import MCPB, command
from mutual_dissent import __version__
from mutual_dissent.surfaces.mcp.install.clients import CLIENTS, place

ROOT = Path(__file__).parents[2]
TWELVE = 12


def read(file):
    text = file.read_text()
    return tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)


@pytest.mark.parametrize("name", CLIENTS)
def test_it_shows_what_to_add_and_changes_nothing(name, tmp_path):
    result = dissent("mcp", "install", "--client", name)
    assert result.exit_code == 0
    client = CLIENTS[name]
    shown = tomllib.loads(result.stdout) if client.form == "toml" else json.loads(result.stdout)
    row = shown[client.table]["mutual-dissent"]
    assert row["args"][-1] == "mcp"
    assert Path(row["command"]).is_absolute()
    assert "--write" in result.stderr
    assert not list((tmp_path / "user").rglob("*"))


@pytest.mark.parametrize("name", CLIENTS)
def test_it_writes_a_file_that_was_not_there(name):
    assert dissent("mcp", "install", "--client", name, "--write").exit_code == 0
    file = place(CLIENTS[name], {}, Path.home(), sys.platform)
    assert "mutual-dissent" in read(file)[CLIENTS[name].table]


@pytest.mark.parametrize("name", CLIENTS)
def test_what_is_there_stays_and_is_backed_up(name, tmp_path):
    client = CLIENTS[name]
    if client.form == "toml":
        before = '# mine\nmodel = "x"\n[mcp_servers.other]\ncommand = "a" # keep\n'
        before += '[mcp_servers.mutual-dissent]\ncommand = "old"\nenv = { A = "b" }\n'
    else:
        rows = {"other": {"command": "a"}, "mutual-dissent": {"command": "old", "env": {"A": "b"}}}
        before = json.dumps({"theme": "dark", client.table: rows, "ünï": [1.5, None]})
    file = tmp_path / f"settings.{client.form}"
    file.write_text(before)
    file.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(file)
    for _ in range(2):
        result = dissent("mcp", "install", "--client", name, "--write", "--file", str(link))
        assert result.exit_code in (0, 2)  # a second backup within a second is refused
    after = read(file)
    assert after[client.table]["other"] == {"command": "a"}
    ours = after[client.table]["mutual-dissent"]
    assert ours["env"] == {"A": "b"}
    assert ours["command"] != "old"
    assert link.is_symlink()
    assert file.stat().st_mode & 0o777 == 0o640
    assert before in [b.read_text() for b in tmp_path.glob("*.bak")]
    if client.form == "toml":
        assert "# mine" in file.read_text()
        assert "# keep" in file.read_text()


@pytest.mark.parametrize(
    "text",
    ['{"a": 1, // a comment\n}', "{", "[]", '{"a": 1, "a": 2}', '{"mcpServers": []}', "\xff"],
)
def test_a_file_that_would_lose_something_is_not_touched(text, tmp_path):
    file = tmp_path / "settings.json"
    file.write_bytes(text.encode("latin-1"))
    result = dissent("mcp", "install", "--client", "cursor", "--write", "--file", str(file))
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert file.read_bytes() == text.encode("latin-1")
    assert not list(tmp_path.glob("*.bak"))


@pytest.mark.parametrize(
    ("name", "platform", "expected"),
    [
        (
            "claude-desktop",
            "darwin",
            "Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("claude-desktop", "win32", "Roaming/Claude/claude_desktop_config.json"),
        ("claude-desktop", "linux", ".config/Claude/claude_desktop_config.json"),
        ("vscode", "darwin", "Library/Application Support/Code/User/mcp.json"),
        ("vscode", "win32", "Roaming/Code/User/mcp.json"),
        ("codex", "linux", ".codex/config.toml"),
        ("gemini", "win32", ".gemini/settings.json"),
    ],
)
def test_every_client_is_found_where_its_platform_has_it(name, platform, expected):
    home = Path("/home/ada")
    env = {"APPDATA": "/home/ada/Roaming"} if platform == "win32" else {}
    assert place(CLIENTS[name], env, home, platform) == home / expected


def test_the_registry_is_told_the_version_and_how_to_start():
    found = json.loads((ROOT / "server.json").read_text())
    assert found["version"] == __version__
    assert len(found["description"]) <= 100
    [package] = found["packages"]
    assert (package["registryType"], package["version"]) == ("pypi", __version__)
    assert package["transport"] == {"type": "stdio"}
    assert [a["value"] for a in package["packageArguments"]] == ["mcp"]
    assert all(v["isSecret"] and not v["isRequired"] for v in package["environmentVariables"])
    assert f"mcp-name: {found['name']}" in (ROOT / "README.md").read_text()


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundle")
    subprocess.run([sys.executable, str(ROOT / "scripts" / "mcpb.py"), str(folder)], check=True)
    [file] = folder.iterdir()
    return file


def test_the_bundle_has_what_it_needs_and_nothing_else(bundle):
    assert bundle.name == f"mutual-dissent-{__version__}.mcpb"
    with zipfile.ZipFile(bundle) as packed:
        names = set(packed.namelist())
        manifest = json.loads(packed.read("manifest.json"))
    assert {"manifest.json", "pyproject.toml", "README.md", "LICENSE"} < names
    assert manifest["server"]["entry_point"] in names
    assert manifest["version"] == __version__
    assert len(manifest["tools"]) == TWELVE
    assert not [n for n in names if "__pycache__" in n or n.startswith(("tests", ".venv"))]
    keys = manifest["server"]["mcp_config"]["env"]
    assert all(value.startswith("${user_config.") for value in keys.values())


def test_the_bundle_is_the_same_each_time(bundle, tmp_path):
    subprocess.run([sys.executable, str(ROOT / "scripts" / "mcpb.py"), str(tmp_path)], check=True)
    assert (tmp_path / bundle.name).read_bytes() == bundle.read_bytes()


@pytest.mark.outside
def test_the_bundles_own_tool_finds_it_valid(bundle, tmp_path):
    with zipfile.ZipFile(bundle) as packed:
        packed.extract("manifest.json", tmp_path)
    done = subprocess.run(
        [*command(MCPB), "validate", str(tmp_path / "manifest.json")],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
