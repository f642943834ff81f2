"""`/mcp`: the same server over streamable HTTP, as a part of the server's app."""

from __future__ import annotations

from typing import Any

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.mcpserver import MCPServer
from mcp.server.streamable_http_manager import StreamableHTTPASGIApp
from mcp.server.transport_security import TransportSecuritySettings
from starlette.requests import HTTPConnection
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from mutual_dissent.surfaces.http.app import AppPart
from mutual_dissent.surfaces.http.backend import HostedBackend, caller_of
from mutual_dissent.surfaces.mcp.server import create_server
from mutual_dissent.surfaces.mcp.transport.stdio import MAX_LINE

PATH = "/mcp"


def mcp_part(hosted: HostedBackend) -> AppPart:
    """Return the part of the server's app for MCP over HTTP."""
    return part_of(create_server(hosted))


def part_of(server: MCPServer[Any]) -> AppPart:
    """The routes of the protocol, and the session manager behind them.

    Host, Origin and tokens are checked by the guard in front of all routes.
    """
    server.streamable_http_app(  # makes the session manager
        streamable_http_path=PATH,
        max_request_body_size=MAX_LINE,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
    )
    endpoint = _Introduced(StreamableHTTPASGIApp(server.session_manager))
    return AppPart(routes=[Route(PATH, endpoint)], lifespan=server.session_manager.run)


class _Introduced:
    """Adapts requests for the SDK.

    The SDK learns a request's token, so that a protocol session belongs to the token that opened
    it. Blanks around header values are stripped, since they are not part of them (RFC 9110, 5.5).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        headers = [(name, value.strip(b" \t")) for name, value in scope["headers"]]
        known = AccessToken(token="", client_id=caller_of(HTTPConnection(scope)).name, scopes=[])
        user = AuthenticatedUser(known)
        await self._app({**scope, "headers": headers, "user": user}, receive, send)
