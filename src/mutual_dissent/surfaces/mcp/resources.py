"""Sessions as resources: each one's report under `roundtable://sessions/{sessionId}`."""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from mcp_types import Resource

from mutual_dissent.core.errors import BadInput, NotFound
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.mcp.answers.truncate import MOST
from mutual_dissent.surfaces.terms import MCP
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.documents import formats

URI = "roundtable://sessions/"
TYPE = "text/markdown"
SHOWN = 50
"""Sessions listed at most; list_sessions has them all."""


def add_resources(server: MCPServer[Any], hosted: HostedBackend) -> None:
    """Give a server the template of all sessions."""

    @server.resource(
        f"{URI}{{sessionId}}",
        name="session",
        title="A session's report",
        description="The report of a session in Markdown.",
        mime_type=TYPE,
    )
    async def session(sessionId: str) -> str:  # noqa: N803 - as clients read it
        """The report of a session."""
        return report(hosted, sessionId)


def report(hosted: HostedBackend, name: str) -> str:
    """A session's report, cut where it would be too long for a client.

    Raises:
        ResourceNotFoundError: if the session does not exist.
    """
    try:
        text = formats.markdown(hosted.sessions.transcript(name))
    except (NotFound, BadInput) as e:
        raise ResourceNotFoundError(e.in_terms(MCP)) from None
    if len(text) <= MOST:
        return text
    end = f"\n\n[cut; the rest: export_session with sessionId {name} and offset {MOST - 500}]\n"
    return text[: MOST - 500] + end


def newest_resources(hosted: HostedBackend) -> list[Resource]:
    """Return the newest sessions."""
    return [
        Resource(
            uri=f"{URI}{row.transcript_id}",
            name=row.transcript_id,
            title=one_line(row.query, 80),
            description=f"{row.status.value}, {row.mode}, {row.created_at:%Y-%m-%d}",
            mime_type=TYPE,
        )
        for row in hosted.md.store.list(limit=SHOWN)
    ]
