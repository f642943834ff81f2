"""The MCP server: tools, resources, prompts and completion around one app and its sessions."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, GetPromptResult, InputRequiredResult, Resource
from starlette.requests import HTTPConnection

from mutual_dissent import __version__
from mutual_dissent.store.viewer import VIEWER
from mutual_dissent.surfaces.http.backend import Caller, HostedBackend, caller_of
from mutual_dissent.surfaces.mcp.answers.reports import Documents
from mutual_dissent.surfaces.mcp.completion import add_completion
from mutual_dissent.surfaces.mcp.elicitation import UserChannel
from mutual_dissent.surfaces.mcp.prompts import add_prompts
from mutual_dissent.surfaces.mcp.resources import add_resources, newest_resources
from mutual_dissent.surfaces.mcp.tool_call import Call
from mutual_dissent.surfaces.mcp.tools import MakeCall, tools
from mutual_dissent.text.sanitize import one_line

INSTRUCTIONS = (
    "A panel of different language models debates a topic and says how far it agrees. Call "
    "start_roundtable for a decision, a review or a disputed question, and act on "
    "decision.actionRecommendation. Long debates: keep the sessionId and poll with get_consensus. "
    "Details: get_round_details, get_response_detail, get_citations. One written answer: "
    "synthesize_debate."
)


class Roundtable(MCPServer[Any]):
    """An MCP server that lists stored debates as resources."""

    hosted: HostedBackend

    async def list_resources(self) -> list[Resource]:
        """Return the newest sessions, besides registered resources."""
        return [*await super().list_resources(), *newest_resources(self.hosted)]

    async def get_prompt(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        context: Context[Any, Any] | None = None,
    ) -> GetPromptResult | InputRequiredResult:
        """Return a prompt; an invalid request is answered as the client's error."""
        try:
            return await super().get_prompt(name, arguments, context)
        except ValueError as e:
            raise MCPError(INVALID_PARAMS, f"{one_line(str(e))}; prompts/list shows them") from None


def create_server(hosted: HostedBackend) -> MCPServer[Any]:
    """Return a server of both protocol eras for any transport."""
    with _logging_as_it_is():
        server = Roundtable(
            name="mutual-dissent",
            title="Mutual Dissent",
            description="Ask a panel of language models instead of one.",
            instructions=INSTRUCTIONS,
            version=__version__,
            tools=tools(calls_of(hosted)),
            log_level="WARNING",
        )
    server.hosted = hosted
    add_resources(server, hosted)
    add_prompts(server)
    add_completion(server, hosted)
    return server


def calls_of(hosted: HostedBackend) -> MakeCall:
    """Return the function that makes a tool call of a request."""
    documents = Documents()

    def call(context: Context[Any, Any]) -> Call:
        request = context.request_context.request
        caller = caller_of(request) if isinstance(request, HTTPConnection) else Caller()
        VIEWER.set(caller.viewer)  # a session's task does not inherit the request's context

        async def report(progress: float, message: str) -> None:
            await context.report_progress(progress, None, message)

        user = UserChannel(context)
        return Call(
            hosted,
            caller,
            report,
            documents,
            context.notify_resources_changed,
            user if user.is_open else None,
        )

    return call


@contextmanager
def _logging_as_it_is() -> Iterator[None]:
    """Keep the SDK from configuring logging for the whole process, where it is not configured."""
    root, mute = logging.getLogger(), logging.NullHandler()
    root.addHandler(mute)
    try:
        yield
    finally:
        root.removeHandler(mute)
