"""Parsing of messages: text, pictures, calls and results of tools, as Anthropic has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Earlier, FileBytes
from mutual_dissent.core.tool import Tool
from mutual_dissent.surfaces.http.backend import Caller
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest
from mutual_dissent.surfaces.openai.models import find_model
from mutual_dissent.surfaces.openai.pictures import picture_in
from mutual_dissent.surfaces.openai.requests import ChatRequest, ClientWishes, chat_request
from mutual_dissent.surfaces.openai.templates import Chore
from mutual_dissent.surfaces.openai.tools import client_tools, function_tool, json_reply
from mutual_dissent.surfaces.openai.turns import (
    ClientTalk,
    call_turn,
    conversation,
    debate_of,
    given_back,
    text_of,
)

Json = Mapping[str, Any]

REMINDER = "<system-reminder>"
"""The beginning of what a client's program tells the model beside the user's own words."""

TITLES = (
    "Generate a concise, sentence-case title",
    "Analyze if this message indicates a new conversation topic",
    "Summarize this coding conversation in under 50 characters",
    "Please write a 5-10 word title",
)
"""Beginnings of what Claude Code asks on its own account."""

_TITLE = Chore(beginning="", verbatim=True)
_SILENT = ("thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result")
_CHOICES = {"auto": "auto", "any": "required", "none": "none"}
_FIELDS = frozenset({
    "model", "messages", "system", "max_tokens", "stream", "temperature", "tools", "tool_choice",
    "stop_sequences", "metadata", "thinking", "output_config", "output_format", "dissent",
    "service_tier",
})  # fmt: skip


def wanted_message(body: Any, md: MutualDissent, caller: Caller) -> ChatRequest:
    """Parse a request for a message.

    Raises:
        UnsupportedRequest: if it cannot be had.
        UserError: if something in it is not known.
    """
    fields = _object(body, "the body")
    if fields.get("stop_sequences"):
        raise UnsupportedRequest(
            "stop_sequences is not supported by a panel; leave it out", "stop_sequences"
        )
    if not isinstance(fields.get("max_tokens"), int):
        raise UnsupportedRequest("max_tokens is a whole number, and needed", "max_tokens")
    known_model(fields, md)
    told = list(_system(fields.get("system")))
    talk = _talk(fields.get("messages"), told)
    wishes = _wishes(fields)
    request = chat_request(
        _without(fields),
        talk,
        md,
        caller,
        usage=True,
        wishes=wishes,
        chore=_TITLE if _is_chore(told, wishes) else None,
    )
    return replace(request, body=fields)


def is_probe(body: Any) -> bool:
    """Return whether a client only looks whether it is let in: it wants one token, and no more."""
    return isinstance(body, Mapping) and body.get("max_tokens") == 1 and not body.get("stream")


def known_model(fields: Json, md: MutualDissent) -> str:
    """The name of the model that is asked for.

    Raises:
        UnsupportedRequest: if there is none of that name.
    """
    name = fields.get("model")
    try:
        return find_model(name if isinstance(name, str) else "", md).name
    except UnsupportedRequest as e:
        hint = "name one that GET /v1/models lists; Claude Code takes it from ANTHROPIC_MODEL, and"
        more = "the names that it fills in itself from ANTHROPIC_DEFAULT_HAIKU_MODEL and the like"
        raise UnsupportedRequest(
            f"{e.problem.message}; {hint} {more}", "model", status=404, code="model_not_found"
        ) from None


def count_characters(body: Any) -> int:
    """The number of characters of a request that a model would read.

    Raises:
        UnsupportedRequest: if there is no conversation in it.
    """
    fields = _object(body, "the body")
    told = list(_system(fields.get("system")))
    talk = _talk(fields.get("messages"), told)
    tools = (t for t in fields.get("tools") or [] if isinstance(t, Mapping))
    offered = sum(len(str(t.get("description") or "")) + len(str(t)) for t in tools)
    return len(talk.query) + sum(len(e.text) for e in talk.earlier) + offered


def _wishes(fields: Json) -> ClientWishes:
    entries = fields.get("tools") or []
    if not isinstance(entries, list):
        raise UnsupportedRequest("tools is a list", "tools")
    tools: list[Tool] = []
    unknown: list[str] = []
    for i, entry in enumerate(entries):
        tool = _object(entry, f"tools[{i}]")
        # Those of the vendor itself have a type with a date, and no schema.
        if tool.get("type") in (None, "custom"):
            tools.append(function_tool(tool, f"tools[{i}]", "input_schema"))
        else:
            unknown.append(f"tools: {str(tool.get('type'))[:40]}")
    choice = _object(fields.get("tool_choice") or {"type": "auto"}, "tool_choice")
    kind = choice.get("type")
    named = f"={choice.get('name')}" if kind == "tool" else _CHOICES.get(str(kind))
    if named is None:
        raise UnsupportedRequest("tool_choice is of type auto, any, tool or none", "tool_choice")
    parallel = choice.get("disable_parallel_tool_use") is not True
    form = _object(fields.get("output_config") or {}, "output_config").get("format")
    return ClientWishes(
        tools=client_tools(tools, named, parallel=parallel),
        reply=json_reply(form or fields.get("output_format"), "output_config.format"),
        ignored=(*unknown, *(f for f in fields if f not in _FIELDS)),
    )


def _is_chore(told: Sequence[str], wishes: ClientWishes) -> bool:
    return wishes.tools is None and any(t.lstrip().startswith(TITLES) for t in told)


def _without(fields: Json) -> Json:
    """The fields that are common to all surfaces."""
    common = ("model", "max_tokens", "stream", "temperature", "dissent")
    return {k: fields[k] for k in common if k in fields}


def _system(system: Any) -> list[str]:
    """The texts of the system prompt, without what is no instruction to a model."""
    if system is None:
        return []
    texts = [system] if isinstance(system, str) else [_text(b, "system") for b in _blocks(system)]
    return [t for t in texts if t.strip() and not t.startswith("x-anthropic-billing-header")]


def _talk(messages: Any, told: Sequence[str]) -> ClientTalk:
    if not isinstance(messages, list) or not messages:
        raise UnsupportedRequest("messages is a list with at least one message", "messages")
    turns = [Earlier(speaker="instructions", text=t) for t in told]
    pictures: list[FileBytes] = []
    names: dict[str, str] = {}
    follows = ""
    for i, message in enumerate(messages):
        where = f"messages[{i}]"
        fields = _object(message, where)
        content, role = fields.get("content"), fields.get("role")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if role not in ("user", "assistant", "system"):
            raise UnsupportedRequest(f"{where}: the role is user, assistant or system", where)
        found = _blocks(blocks, where)
        for b in found:
            if b.get("type") == "tool_use":
                names[str(b.get("id"))] = str(b.get("name") or "")[:128]
            follows = debate_of(b.get("tool_use_id")) or follows
        turns += _turns(str(role), found, where, names, pictures)
    return replace(conversation(turns, follows), pictures=tuple(pictures))


def _turns(
    role: str,
    blocks: Sequence[Json],
    where: str,
    names: Mapping[str, str],
    pictures: list[FileBytes],
) -> list[Earlier]:
    """The turns of one message; what the user says is one, whatever it was cut into."""
    turns: list[Earlier] = []
    said: list[str] = []
    after_results = any(b.get("type") == "tool_result" for b in blocks)
    for block in blocks:
        match block.get("type"):
            case "text":
                text = _text(block, where)
                if role == "system" or (role == "user" and text.lstrip().startswith(REMINDER)):
                    turns.append(Earlier(speaker="instructions", text=text))
                else:
                    said.append(text)
            case "tool_use":
                turns.append(call_turn(block.get("name"), block.get("input")))
            case "tool_result":
                name = names.get(str(block.get("tool_use_id")), "")
                failed = "(it failed) " if block.get("is_error") is True else ""
                told = text_of(block.get("content"), where, pictures)
                turns.append(given_back(name, failed + told))
            case "image":
                if shown := picture_in(block, where, len(pictures) + 1):
                    pictures.append(shown)
                    said.append(f"[{shown.name}]")
            case kind if kind not in _SILENT:
                raise UnsupportedRequest(
                    f"{where}: blocks of type {str(kind)[:40]!r} cannot be read", where
                )
    if said:
        text = "\n\n".join(said)
        own = Earlier(speaker="assistant", text=text)
        if role == "user":
            # Beside results, it is said on the way, and not a new question.
            own = Earlier(speaker="user", text=text, since=after_results)
        # What an answer says stands before what it calls.
        turns = [own, *turns] if role == "assistant" else [*turns, own]
    return turns


def _text(block: Json, where: str) -> str:
    text = block.get("text")
    if not isinstance(text, str):
        raise UnsupportedRequest(f"{where}: a block of text has a text", where)
    return text


def _blocks(value: Any, where: str = "system") -> list[Json]:
    if not isinstance(value, list):
        raise UnsupportedRequest(f"{where}: content is a text or a list of blocks", where)
    return [_object(b, where) for b in value]


def _object(value: Any, where: str) -> Json:
    if not isinstance(value, Mapping):
        raise UnsupportedRequest(f"{where} must be an object", where)
    return value
