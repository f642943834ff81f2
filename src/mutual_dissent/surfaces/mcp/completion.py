"""Completion of arguments: modes, presets, agents and session ids."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    PromptReference,
    ResourceTemplateReference,
)

from mutual_dissent.surfaces.http.backend import HostedBackend

MOST = 100
"""Maximum values that the protocol allows in one answer."""

Known = Callable[[HostedBackend], Iterable[str]]

KNOWN: dict[str, Known] = {
    "mode": lambda hosted: hosted.md.modes,
    "preset": lambda hosted: hosted.md.settings.presets,
    "agents": lambda hosted: hosted.md.settings.aliases,
    "agentId": lambda hosted: hosted.md.settings.aliases,
    "synthesizer": lambda hosted: hosted.md.settings.aliases,
    "sessionId": lambda hosted: (row.transcript_id for row in hosted.md.store.list(limit=500)),
}
"""Argument -> its possible values."""


def add_completion(server: MCPServer[Any], hosted: HostedBackend) -> None:
    """Let clients complete arguments."""

    @server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
    async def complete(
        _about: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        _context: CompletionContext | None,
    ) -> Completion:
        return complete_name(hosted, argument.name, argument.value)


def complete_name(hosted: HostedBackend, name: str, begun: str) -> Completion:
    """Return the values that begin so; in a list of names, the last one is completed."""
    before, comma, last = begun.rpartition(",") if name == "agents" else ("", "", begun)
    known = KNOWN[name](hosted) if name in KNOWN else ()
    found = [f"{before}{comma}{v}" for v in known if v.startswith(last.strip())]
    return Completion(values=found[:MOST], total=len(found), has_more=len(found) > MOST)
