"""`/mcp`: the same server over streamable HTTP, as a part of the server's app."""

from __future__ import annotations

from mcp.server.transport_security import TransportSecuritySettings

from mutual_dissent.surfaces.mcp.server import create_server
from mutual_dissent.surfaces.mcp.stdio import MAX_LINE
from mutual_dissent.surfaces.server.app import Part
from mutual_dissent.surfaces.server.hosted import Hosted

PATH = "/mcp"


def mcp_part(hosted: Hosted) -> Part:
    """The routes of the protocol and what has to run behind them.

    Host, Origin and tokens are checked by the guard in front of all routes.
    """
    server = create_server(hosted)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MAX_LINE,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    return Part(routes=app.routes, lifespan=server.session_manager.run)
