"""Panelists may look into a folder: that one alone, its text, no secret, and nothing is run."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from fakes.command_line import dissent
from fakes.world import a_brief, run
from mutual_dissent import MutualDissent
from mutual_dissent.briefing.inputs.workspace import Workspace
from mutual_dissent.config.agents import check_remote
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.errors import BadInput, UserError
from mutual_dissent.core.events import Answered
from mutual_dissent.core.tool import MOST_READING
from mutual_dissent.providers.responses import blank
from mutual_dissent.providers.scripted import Scripted
from mutual_dissent.surfaces.rest.input.requests import Debate
from mutual_dissent.tools.options import SearchOptions
from mutual_dissent.tools.toolbox import ToolBox

QUERY = "Where are retries counted?"
KEY = "sk-ant-api03-" + "aB3dE5fG7h" * 9 + "-xYz12AA"
GIT = (
    "git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false",
)  # fmt: skip


def git(folder: Path, *words: str) -> None:
    subprocess.run([*GIT, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with a secret of each kind, links that lead out, and a picture."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (tmp_path / "outside.txt").write_text("outside")
    (tmp_path / "project-evil").mkdir()
    (tmp_path / "project-evil" / "prefix.txt").write_text("outside")
    (root / "src" / "retry.py").write_text("MOST = 3\n\ndef retries():\n    return MOST\n")
    (root / "README.md").write_text("Retries are counted in src.\n")
    (root / ".env").write_text("PASSWORD=hunter2hunter2\n")
    (root / "notes.txt").write_text(f"key: {KEY}\nretries\n")
    (root / "logo.png").write_bytes(b"\x89PNG\0\0retries")
    (root / "latin.txt").write_bytes(b"retries caf\xe9")
    (root / ".gitignore").write_text("build/\n")
    (root / "build").mkdir()
    (root / "build" / "made.txt").write_text("retries")
    (root / "out").symlink_to(tmp_path / "outside.txt")
    (root / "away").symlink_to(tmp_path)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A", "-f", ":!build")
    git(root, "commit", "-qm", "Count retries")
    (root / "src" / "retry.py").write_text("MOST = 5\n\ndef retries():\n    return MOST\n")
    (root / "fresh.txt").write_text("not yet added\n")
    return root


@pytest.fixture
def workspace(folder: Path, tmp_path: Path) -> Workspace:
    return Workspace(folder, tmp_path / "home")


async def test_files_are_listed_searched_and_read_with_their_lines(workspace):
    listed = (await workspace.use("list_files", {})).splitlines()
    assert {"README.md", "src/retry.py", "fresh.txt"} <= set(listed)
    refused = {".env", "build/made.txt", "out", "away", "notes.txt", "logo.png", "latin.txt"}
    assert not refused & set(listed)
    assert await workspace.use("list_files", {"folder": "src"}) == "src/retry.py"
    assert await workspace.use("search_files", {"words": "RETRIES"}) == (
        "README.md:1: Retries are counted in src.\nsrc/retry.py:3: def retries():"
    )
    read = await workspace.use("read_file", {"path": "src/retry.py", "first_line": 3})
    assert read == "3: def retries():\n4:     return MOST"


async def test_the_past_of_a_file_can_be_read(workspace):
    then = await workspace.use("read_file", {"path": "src/retry.py", "revision": "HEAD"})
    assert then.startswith("1: MOST = 3")
    history = await workspace.use("file_history", {"path": "src/retry.py"})
    assert history.endswith("Count retries")
    never = await workspace.use("read_file", {"path": "src/retry.py", "revision": "nosuch"})
    assert never == "Refused: there is no revision nosuch."


OUTSIDE = [
    "../outside.txt", "/etc/passwd", "out", "away/outside.txt", "src/../../outside.txt", "src/..",
    "../project-evil/prefix.txt", "src", "", ".", "..", "C:\\x", "\\\\host\\x", "~/x", "%2e%2e/x",
    "src/retry.py\0", "./../outside.txt", "build/made.txt", ".git/config", "x" * 5000, "-rf",
]  # fmt: skip


@pytest.mark.parametrize("path", OUTSIDE)
async def test_nothing_outside_the_folder_can_be_named(workspace, path):
    for arguments in ({"path": path}, {"path": path, "revision": "HEAD"}):
        said = await workspace.use("read_file", arguments)
        assert said.startswith("Refused: "), said
        assert "outside\n" not in said
        assert len(said) < 400


@pytest.mark.parametrize(
    ("path", "why"),
    [
        (".env", "its name says that it holds secrets"),
        ("src/id_rsa", "its name says that it holds secrets"),
        ("notes.txt", "it holds what looks like"),
        ("logo.png", "is not shown: no text"),
        ("latin.txt", "is not shown: no text in UTF-8"),
        ("out", "is not shown: a link or no plain file"),
    ],
)
async def test_secrets_and_what_is_no_text_are_refused(workspace, path, why):
    assert why in await workspace.use("read_file", {"path": path})
    assert KEY not in await workspace.use("search_files", {"words": "key"})


async def test_a_link_that_takes_the_place_of_a_file_is_not_followed(workspace, folder, tmp_path):
    await workspace.use("list_files", {})
    (folder / "README.md").unlink()
    (folder / "README.md").symlink_to(tmp_path / "outside.txt")
    (folder / "src").rename(folder / "moved")
    (tmp_path / "retry.py").write_text("outside")
    (folder / "src").symlink_to(tmp_path)
    for path in ("README.md", "src/retry.py"):
        assert "a link or no plain file" in await workspace.use("read_file", {"path": path})
    assert "outside" not in await workspace.use("search_files", {"words": "outside"})


async def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(workspace, folder):
    await workspace.use("list_files", {})
    (folder / "README.md").unlink()
    os.mkfifo(folder / "README.md")
    assert "no plain file" in await workspace.use("read_file", {"path": "README.md"})


@pytest.mark.parametrize(
    "revision", ["--upload-pack=x", "HEAD:x", "HEAD..main", "@{u}", "a b", "$(x)", "x" * 200, 3, []]
)
async def test_only_a_revision_is_taken_for_one(workspace, revision):
    said = await workspace.use("read_file", {"path": "README.md", "revision": revision})
    assert said.startswith("Refused: ")


async def test_nothing_that_the_repository_names_is_run(workspace, folder, tmp_path):
    ran = tmp_path / "ran"
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\n")
    script.chmod(0o700)
    for key in (
        "core.fsmonitor", "core.pager", "core.sshCommand", "diff.external", "filter.x.smudge",
        "filter.x.clean", "diff.x.textconv", "gpg.program", "alias.log", "alias.cat-file",
        "core.alternateRefsCommand",
    ):  # fmt: skip
        git(folder, "config", key, f"!{script}" if key.startswith("alias") else str(script))
    git(folder, "config", "log.showSignature", "true")
    (folder / ".git" / "info" / "attributes").write_text("* filter=x diff=x\n")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        (folder / ".git" / "hooks" / hook).write_text(script.read_text())
        (folder / ".git" / "hooks" / hook).chmod(0o700)
    for name, arguments in (
        ("list_files", {}),
        ("file_history", {}),
        ("file_history", {"path": "README.md"}),
        ("read_file", {"path": "README.md", "revision": "main"}),
    ):
        assert "failed" not in await workspace.use(name, arguments)
    assert not ran.exists()


@pytest.mark.parametrize("arguments", [None, [], {"path": 3}, {"path": None}, {"words": ["x"]}])
@pytest.mark.parametrize("name", ["read_file", "search_files", "file_history", "list_files"])
async def test_odd_arguments_get_a_sentence(workspace, name, arguments):
    said = await workspace.use(name, arguments)
    assert said
    assert "Traceback" not in said


async def test_what_comes_back_is_bounded(workspace, folder):
    (folder / "big.txt").write_text("retries " * 100_000 + "\n" + "retries\n" * 300_000)
    (folder / "many").mkdir()
    for i in range(500):
        (folder / "many" / f"{i}.txt").write_text("x")
    for name, arguments in (
        ("list_files", {}),
        ("search_files", {"words": "retries"}),
        ("read_file", {"path": "big.txt"}),
    ):
        said = await workspace.use(name, arguments)
        assert len(said) < 12_100
    assert "more; name a folder]" in await workspace.use("list_files", {})


async def test_a_folder_without_git_heeds_ignore_files(folder, tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / ".gitignore").write_text("*.log\n")
    (plain / "a.txt").write_text("one")
    (plain / "b.log").write_text("two")
    box = Workspace(plain, tmp_path / "home")
    assert await box.use("list_files", {}) == "a.txt"
    assert "no history" in await box.use("file_history", {})


# --- in a debate ---------------------------------------------------------------------------------


def a_reader(ask):
    if ask.tools and not ask.exchanges:
        call = {"id": "c", "name": "read_file", "arguments": {"path": "README.md"}}
        return replace(blank(ask), content="", tool_calls=(call,))
    return "In src."


async def test_who_may_read_is_offered_it_others_are_not_and_uses_are_on_record(workspace, folder):
    cast = Scripted(dict.fromkeys(("ada", "bob", "cyd"), a_reader))
    brief = a_brief(workspace=str(folder), readers=("ada",))
    box = ToolBox(SearchOptions(), more=workspace)
    transcript, events, _ = await run(brief, cast, tools=box)
    assert {a.panelist.seat for a in cast.asks if a.tools} == {"ada"}
    assert {a.most_uses for a in cast.asks if a.tools} == {MOST_READING}
    [use] = transcript.rounds[0].responses[0].uses
    assert use.result == "1: Retries are counted in src."
    assert any(isinstance(e, Answered) and e.response.role == "tool_use" for e in events)
    assert not any(str(folder.parent) in a.text for a in cast.asks)


async def test_a_tool_that_was_not_offered_is_not_used(workspace, folder):
    def sly(ask):
        if ask.tools and not ask.exchanges:
            call = {"id": "c", "name": "web_search", "arguments": {"query": "x"}}
            return replace(blank(ask), content="", tool_calls=(call,))
        return "In src."

    cast = Scripted({"ada": sly, "bob": "In src."})
    brief = a_brief("ada", "bob", workspace=str(folder), readers=("ada",))
    transcript, *_ = await run(brief, cast, tools=ToolBox(SearchOptions(), more=workspace))
    [use] = transcript.rounds[0].responses[0].uses
    assert use.result == "There is no tool called 'web_search'."


def test_the_quote_and_a_notice_name_the_folder(vendor, folder):
    words = ("ask", QUERY, "--panel", "claude,gpt", "--workspace", str(folder), "--dry-run")
    said = dissent(*words).stderr
    assert "claude, gpt may read 4 of 10 files below project" in said
    assert "not shown to panelists: notes.txt (it holds what looks like" in said
    assert said.count("their vendors see what they read") == 1
    assert str(folder) not in said
    quoted = json.loads(dissent(*words, "-o", "json").stdout)
    assert quoted["reading"].startswith("Looking into project takes up to 9 further calls")
    empty = dissent("ask", QUERY, "--workspace", "", "--dry-run")
    assert empty.exit_code == 2
    assert "the name is empty" in empty.stderr
    assert not vendor.arrivals


def test_models_that_read_a_folder_are_told_what_is_in_it(vendor, folder):
    vendor.fake.then("tool", tool={"name": "read_file", "arguments": {"path": "README.md"}})
    result = dissent(
        "ask", QUERY, "--panel", "claude,gpt", "--workspace", str(folder), "-o", "json"
    )
    assert result.exit_code == 0, result.stderr
    offered = [a.body["tools"] for a in vendor.arrivals if a.body.get("tools")]
    names = [t["function"]["name"] for t in offered[0]]
    assert names == ["list_files", "search_files", "read_file", "file_history"]
    sent = json.dumps([a.body for a in vendor.arrivals])
    assert "Retries are counted in src." in sent
    assert str(folder.parent) not in sent


@pytest.mark.parametrize("given", ["missing", "file.txt", "empty"])
def test_what_is_no_folder_to_read_is_refused_before_anybody_is_asked(vendor, tmp_path, given):
    (tmp_path / "file.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    where = str(tmp_path / given)
    result = dissent("ask", QUERY, "--panel", "claude,gpt", "--workspace", where)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.stderr
    assert not vendor.arrivals


async def test_the_programs_own_folder_is_never_shown(tmp_path, folder, monkeypatch):
    monkeypatch.setenv("MUTUAL_DISSENT_HOME", str(folder))
    with pytest.raises(BadInput, match="own folder"):
        await MutualDissent().brief(QUERY, panel=["ollama:a", "ollama:b"], workspace=folder)


async def test_a_panel_without_tools_is_refused(vendor, folder):
    with pytest.raises(BadInput, match="nobody on this panel takes tools"):
        await MutualDissent().brief(
            QUERY, panel=["local:a", "local:b"], workspace=folder, analyst="none"
        )


def test_no_remote_surface_takes_a_folder_or_goes_on_with_a_debate_that_has_one():
    assert "workspace" not in Debate.model_fields
    brief: Brief = a_brief(workspace="/somewhere", readers=("ada",))
    with pytest.raises(UserError, match="only there can it go on"):
        check_remote(brief, None)  # type: ignore[arg-type]


def test_a_published_debate_does_not_say_where_the_folder_is():
    from mutual_dissent.views.documents.publication import _public_brief

    assert _public_brief(a_brief(workspace="/home/ann/x", readers=("ada",))).workspace is None
