"""The fixtures that the MCP conformance suite asks for, on a server made by our own app factory.

As a process it prints its address on the first line, and serves until it is stopped:

    python tests/fakes/conformance_server.py HOME [--bare]

With `--bare` it is the roundtable as it is, with one stored session.
"""

from __future__ import annotations

import asyncio
import json
import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import mcp_types as types
from mcp.server.mcpserver import Context, MCPServer, UserMessage
from mcp.server.mcpserver.exceptions import ToolError
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, Field

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fakes.conformance_inputs import inputs
from fakes.conformance_schemas import DEFAULTS, ENUMS, RICH
from fakes.roundtable import Panel, roundtable
from fakes.served import served
from mutual_dissent.surfaces.http.app import AppPart
from mutual_dissent.surfaces.http.backend import HostedBackend
from mutual_dissent.surfaces.mcp.server import create_server
from mutual_dissent.surfaces.mcp.transport.http import mcp_part, part_of

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
WAV = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAAAAA=="
SHORT = 0.05


def fixtures(hosted: HostedBackend) -> AppPart:
    """Our server, and what the suite asks for beside our own tools."""
    server = create_server(hosted)
    for add in (contents, notices, questions, inputs, resources, prompts, schemas):
        add(server)
    return part_of(server)


def contents(server: MCPServer[Any]) -> None:
    """Tools that give back every kind of content."""
    image = types.ImageContent(data=PNG, mime_type="image/png")

    def embedded(uri: str, kind: str, text: str) -> types.EmbeddedResource:
        return types.EmbeddedResource(
            resource=types.TextResourceContents(uri=uri, mime_type=kind, text=text)
        )

    @server.tool()
    def test_simple_text() -> str:
        """A fixture: simple text."""
        return "This is a simple text response for testing."

    @server.tool()
    def test_image_content() -> types.ImageContent:
        """A fixture: image content."""
        return image

    @server.tool()
    def test_audio_content() -> types.AudioContent:
        """A fixture: audio content."""
        return types.AudioContent(data=WAV, mime_type="audio/wav")

    @server.tool()
    def test_embedded_resource() -> types.EmbeddedResource:
        """A fixture: embedded resource."""
        text = "This is an embedded resource content."
        return embedded("test://embedded-resource", "text/plain", text)

    @server.tool()
    def test_multiple_content_types() -> list[types.ContentBlock]:
        """A fixture: multiple content types."""
        data = json.dumps({"test": "data", "value": 123}, separators=(",", ":"))
        return [
            types.TextContent(text="Multiple content types test:"),
            image,
            embedded("test://mixed-content-resource", "application/json", data),
        ]

    @server.tool()
    def test_error_handling() -> str:
        """A fixture: error handling."""
        raise ToolError("This tool intentionally returns an error for testing")


def notices(server: MCPServer[Any]) -> None:
    """Tools that say something while they work."""

    @server.tool()
    async def test_tool_with_logging(ctx: Context) -> str:
        """A fixture: tool with logging."""
        for line in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await ctx.info(line)
            await asyncio.sleep(SHORT)
        return "done"

    @server.tool()
    async def test_logging_tool(ctx: Context) -> str:
        """A fixture: logging tool."""
        await ctx.info("something")
        return "done"

    @server.tool()
    async def test_tool_with_progress(ctx: Context) -> str:
        """A fixture: tool with progress."""
        for progress in (0, 50, 100):
            await ctx.report_progress(progress, 100)
            await asyncio.sleep(SHORT)
        return "done"

    @server.tool()
    async def test_trigger_tool_change(ctx: Context) -> str:
        """A fixture: trigger tool change."""
        await ctx.notify_tools_changed()
        return "done"

    @server.tool()
    async def test_trigger_prompt_change(ctx: Context) -> str:
        """A fixture: trigger prompt change."""
        await ctx.notify_prompts_changed()
        return "done"

    @server.tool()
    async def test_missing_capability(ctx: Context) -> str:
        """A fixture: missing capability."""
        if ctx.client_capabilities is None or ctx.client_capabilities.sampling is None:
            needed = {"requiredCapabilities": {"sampling": {}}}
            raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "sampling is needed", needed)
        return "done"

    async def set_level(_ctx: Any, _params: types.SetLevelRequestParams) -> types.EmptyResult:
        return types.EmptyResult()

    low = server._lowlevel_server
    low.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)


class Reply(BaseModel):
    """Who answers."""

    username: str = Field(description="User's response")
    email: str = Field(description="User's email address")


def questions(server: MCPServer[Any]) -> None:
    """Tools that ask the client something, in the era in which servers send requests."""

    @server.tool()
    async def test_sampling(prompt: str, ctx: Context) -> str:
        """A fixture: sampling."""
        said = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
        found = await ctx.session.create_message(messages=[said], max_tokens=100)
        return f"LLM response: {found.content.text}"

    @server.tool()
    async def test_elicitation(message: str, ctx: Context) -> str:
        """A fixture: elicitation."""
        return f"User response: {await ctx.elicit(message, Reply)}"

    async def completed(ctx: Context, fields: dict[str, Any]) -> str:
        schema = {"type": "object", "properties": fields, "required": []}
        found = await ctx.session.elicit_form("Please fill this in", schema, ctx.request_id)
        return f"Elicitation completed: action={found.action}, content={found.content}"

    @server.tool()
    async def test_elicitation_sep1034_defaults(ctx: Context) -> str:
        """A fixture: elicitation sep1034 defaults."""
        return await completed(ctx, DEFAULTS)

    @server.tool()
    async def test_elicitation_sep1330_enums(ctx: Context) -> str:
        """A fixture: elicitation sep1330 enums."""
        return await completed(ctx, ENUMS)


def resources(server: MCPServer[Any]) -> None:
    """Resources that can be read and watched."""

    @server.resource("test://static-text", mime_type="text/plain", description="Text.")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png", description="A pixel.")
    def static_binary() -> bytes:
        import base64

        return base64.b64decode(PNG)

    @server.resource("test://template/{id}/data", mime_type="application/json")
    def template(id: str) -> str:  # noqa: A002 - the suite's name
        found = {"id": id, "templateTest": True, "data": f"Data for ID: {id}"}
        return json.dumps(found, separators=(",", ":"))

    async def watch(_ctx: Any, _params: types.SubscribeRequestParams) -> types.EmptyResult:
        return types.EmptyResult()

    low = server._lowlevel_server
    low.add_request_handler("resources/subscribe", types.SubscribeRequestParams, watch)
    low.add_request_handler("resources/unsubscribe", types.UnsubscribeRequestParams, watch)


def prompts(server: MCPServer[Any]) -> None:
    """Prompts of every kind."""

    @server.prompt()
    def test_simple_prompt() -> str:
        """A prompt."""
        return "This is a simple prompt for testing."

    @server.prompt()
    def test_prompt_with_arguments(arg1: str, arg2: str) -> str:
        """A prompt with arguments."""
        return f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"

    @server.prompt()
    def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # noqa: N803
        """A prompt with a resource."""
        text = "Embedded resource content for testing."
        found = types.TextResourceContents(uri=resourceUri, mime_type="text/plain", text=text)
        return [
            UserMessage(types.EmbeddedResource(resource=found)),
            UserMessage("Please process the embedded resource above."),
        ]

    @server.prompt()
    def test_prompt_with_image() -> list[UserMessage]:
        """A prompt with an image."""
        return [
            UserMessage(types.ImageContent(data=PNG, mime_type="image/png")),
            UserMessage("Please analyze the image above."),
        ]


def schemas(server: MCPServer[Any]) -> None:
    """Tools with rich schemas."""

    @server.tool()
    def json_schema_2020_12_tool() -> str:
        """Has a rich schema."""
        return "done"

    @server.tool()
    def test_custom_headers(
        region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})],
    ) -> str:
        """Takes an argument that is also a header."""
        return region

    server._tool_manager.get_tool("json_schema_2020_12_tool").parameters = RICH


async def main(home: Path, *, bare: bool) -> None:
    """Serve until stopped."""
    async with roundtable(home, Panel()) as made:
        async with made.client() as ask:
            await ask.start(rounds=1)
        surface = mcp_part if bare else fixtures
        async with served(made.hosted, [surface]) as url:
            print(f"{url}/mcp", flush=True)
            await asyncio.Event().wait()


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # of what the newer era deprecates
    asyncio.run(main(Path(sys.argv[1]), bare="--bare" in sys.argv))
