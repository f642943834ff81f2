"""Programs that read skills, and the place of ours in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mutual_dissent.surfaces.mcp.install.clients import NAME, below


@dataclass(frozen=True, slots=True)
class Host:
    """A program that reads skills: its folders for them, in a project and for the user."""

    title: str
    project: str
    user: str


HOSTS = {
    "claude": Host("Claude Code", ".claude/skills", "~/.claude/skills"),
    "codex": Host("Codex", ".agents/skills", "~/.agents/skills"),
    "cursor": Host("Cursor", ".cursor/skills", "~/.cursor/skills"),
    "gemini": Host("Gemini CLI", ".gemini/skills", "~/.gemini/skills"),
    "opencode": Host("OpenCode", ".opencode/skills", "$XDG_CONFIG_HOME/opencode/skills"),
}
"""By the name that `--host` takes."""


def place_in(host: Host, *, in_project: bool, env: Mapping[str, str]) -> Path:
    """Return the file that our skill is, in the current folder or for the user."""
    folder = Path.cwd() / host.project if in_project else below(host.user, env, Path.home())
    return folder / NAME / "SKILL.md"
