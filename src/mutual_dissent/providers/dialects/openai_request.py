"""Requests on the chat-completions wire."""

from __future__ import annotations

import re
from typing import Any

from mutual_dissent.core.response import Ask
from mutual_dissent.core.tool import SUBMIT, Exchange, Tool
from mutual_dissent.providers.dialects import tool_calls
from mutual_dissent.providers.dialects.json_values import string, writable
from mutual_dissent.providers.dialects.tool_calls import Choice
from mutual_dissent.providers.endpoints import Endpoint

THOUGHTS = ("reasoning_details", "reasoning_content")
"""The fields that OpenRouter and DeepSeek want to see again beside the calls they led to."""

CHOICES: dict[Choice, Any] = {
    Choice.NONE: "none",
    Choice.SOME: "required",
    Choice.SUBMIT: {"type": "function", "function": {"name": SUBMIT}},
}


def body(ask: Ask, endpoint: Endpoint) -> dict[str, Any]:
    """Return the body for an ask: a stream with its usage, and only the options that are set."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": writable(ask.text)}]
    if ask.system:
        messages.insert(0, {"role": "system", "content": writable(ask.system)})
    body: dict[str, Any] = {
        "model": ask.panelist.model_id,
        "messages": messages,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    if ask.max_tokens is not None:
        body[endpoint.token_field] = ask.max_tokens
    if ask.temperature is not None:
        body["temperature"] = ask.temperature
    if ask.seed is not None:
        body["seed"] = ask.seed
    if effort := ask.panelist.route.effort:
        # OpenRouter has an object of its own, since it tells every maker in its own way.
        by_router = endpoint.vendor == "openrouter"
        body |= {"reasoning": {"effort": effort}} if by_router else {"reasoning_effort": effort}
    if ask.schema is not None and not ask.submits:
        body["response_format"] = {"type": "json_schema", "json_schema": _named(ask.schema)}
    _add_tools(body, ask, endpoint)
    return body


def _add_tools(body: dict[str, Any], ask: Ask, endpoint: Endpoint) -> None:
    if tool_calls.searches_itself(ask, endpoint):
        body["plugins"] = [{"id": "web"}]
        return
    if tools := tool_calls.offered_tools(ask, endpoint):
        body["tools"] = [{"type": "function", "function": _function(t)} for t in tools]
        if chosen := CHOICES.get(tool_calls.choice(ask, tools)):
            body["tool_choice"] = chosen
        for turn, exchange in enumerate(ask.exchanges):
            body["messages"] += _turn(exchange, turn)


def _function(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": tool.parameters}


def _turn(exchange: Exchange, turn: int) -> list[dict[str, Any]]:
    """Return a turn in which tools were called: the model's message, then a result per call."""
    uses = tool_calls.with_ids(exchange.uses, turn)
    message: dict[str, Any] = {
        "role": "assistant",
        "content": writable(exchange.text) or None,
        "tool_calls": [
            {
                "id": id_,
                "type": "function",
                "function": {"name": use.name, "arguments": tool_calls.arguments_text(use)},
            }
            for id_, use in uses
        ],
    }
    for thought in THOUGHTS:
        if saved := tool_calls.saved_value(exchange.uses, thought):
            message[thought] = saved
    results = [
        {"role": "tool", "tool_call_id": id_, "content": writable(use.result)} for id_, use in uses
    ]
    return [message, *results]


def _named(schema: dict[str, Any]) -> dict[str, Any]:
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", string(schema.get("title"))).strip("_")[:64]
    return {"name": name or "answer", "schema": schema, "strict": True}
