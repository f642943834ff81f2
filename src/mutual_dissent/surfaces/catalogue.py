"""The surfaces that one process serves, and where each is found."""

from __future__ import annotations

from mutual_dissent.surfaces.anthropic import anthropic
from mutual_dissent.surfaces.google import google
from mutual_dissent.surfaces.http.app import Surface
from mutual_dissent.surfaces.mcp.transport.http import mcp_part
from mutual_dissent.surfaces.openai import openai
from mutual_dissent.surfaces.rest import api
from mutual_dissent.surfaces.web import web

# Anthropic's before OpenAI's: the errors below /v1/messages have a shape of their own.
SURFACES: tuple[Surface, ...] = (api, anthropic, openai, google, mcp_part, web)

PLACES = {
    "REST": "/api",
    "OpenAI": "/v1",
    "Anthropic": "/v1/messages",
    "Google": "/v1beta",
    "MCP": "/mcp",
}
"""Paths that `dissent serve` prints when the server starts."""
