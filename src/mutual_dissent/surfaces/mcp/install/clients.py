"""Programs that can start our server: the file of each, and its format."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

NAME = "mutual-dissent"
Platform = Literal["darwin", "win32", "linux"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """A program with a file of servers.

    Attributes:
        title: its name.
        files: platform -> its file, below the user's folder for configuration there.
        table: the table in that file that has a row for each server.
        form: the file's format.
        extra: further fields of its rows besides command and arguments.
        after: what to do once the file is written.
    """

    title: str
    files: Mapping[Platform, str]
    table: str = "mcpServers"
    form: Literal["json", "toml"] = "json"
    extra: Mapping[str, Any] = field(default_factory=dict)
    after: str = "restart it"

    def row(self, command: list[str]) -> dict[str, Any]:
        """Return our server's entry for the client's file."""
        return {"command": command[0], "args": command[1:], **self.extra}


def _everywhere(file: str) -> dict[Platform, str]:
    return {"darwin": f"~/{file}", "win32": f"~/{file}", "linux": f"~/{file}"}


def _application(file: str) -> dict[Platform, str]:
    return {
        "darwin": f"~/Library/Application Support/{file}",
        "win32": f"%APPDATA%/{file}",
        "linux": f"$XDG_CONFIG_HOME/{file}",
    }


CLIENTS: dict[str, Client] = {
    "claude-desktop": Client(
        title="Claude Desktop", files=_application("Claude/claude_desktop_config.json")
    ),
    "claude-code": Client(
        title="Claude Code", files=_everywhere(".claude.json"), extra={"type": "stdio"}
    ),
    "cursor": Client(title="Cursor", files=_everywhere(".cursor/mcp.json")),
    "vscode": Client(
        title="VS Code",
        files=_application("Code/User/mcp.json"),
        table="servers",
        extra={"type": "stdio"},
        after="start it with the command `MCP: List Servers`",
    ),
    "codex": Client(
        title="Codex",
        files=_everywhere(".codex/config.toml"),
        table="mcp_servers",
        form="toml",
        # Above the 300 s that a call may wait for a debate; Gemini counts in milliseconds.
        extra={"startup_timeout_sec": 20, "tool_timeout_sec": 330},
    ),
    "gemini": Client(
        title="Gemini CLI", files=_everywhere(".gemini/settings.json"), extra={"timeout": 330_000}
    ),
}
"""By the name that `--client` takes."""


def place(client: Client, env: Mapping[str, str], home: Path, platform: str) -> Path:
    """Return the file in which a client keeps its servers on this platform."""
    known: Platform = (
        "darwin" if platform == "darwin" else "win32" if platform == "win32" else "linux"
    )
    return below(client.files[known], env, home)


def below(path: str, env: Mapping[str, str], home: Path) -> Path:
    """Return a path with its first part replaced by the folder that it stands for."""
    start, _, rest = path.partition("/")
    roots = {
        "~": home,
        "%APPDATA%": Path(env.get("APPDATA") or home / "AppData" / "Roaming"),
        "$XDG_CONFIG_HOME": Path(env.get("XDG_CONFIG_HOME") or home / ".config"),
    }
    return roots[start] / rest


def our_command(argv0: str) -> list[str]:
    """Return the command that starts our server, independent of the client's PATH."""
    program = Path(argv0)
    if program.stem in ("dissent", "mutual-dissent", "questionable-ai") and program.is_file():
        return [str(program.absolute()), "mcp"]
    return [sys.executable, "-m", "mutual_dissent", "mcp"]
