"""`dissent mcp`: one client on stdio, with sessions that end when it leaves."""

from __future__ import annotations

from mutual_dissent.app import MutualDissent
from mutual_dissent.hosting.sessions import Sessions
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.mcp.server import create_server
from mutual_dissent.surfaces.mcp.transport.stdio import serve_stdio
from mutual_dissent.surfaces.process.pipe import Pipe


async def serve(wire: Pipe) -> None:
    """Serve until the client closes its end; running debates can be resumed."""
    async with MutualDissent(remote=True) as md:  # the client on stdin may be a model
        sessions = Sessions(md)
        try:
            await serve_stdio(create_server(HostedBackend(md=md, sessions=sessions)), wire)
        finally:
            await sessions.aclose()
