"""Parsing of contents: text, pictures, calls and results of functions, as Google has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from mutual_dissent.app import MutualDissent
from mutual_dissent.core.brief import Earlier, FileBytes
from mutual_dissent.core.tool import ClientTools, JsonReply, Tool
from mutual_dissent.surfaces.http.backend import Caller
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest
from mutual_dissent.surfaces.openai.pictures import picture_in
from mutual_dissent.surfaces.openai.requests import ChatRequest, ClientWishes, chat_request
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

CONTEXT = "<session_context>"
"""The beginning of what the Gemini CLI tells the model beside the user's own words."""

_SIGNS = str.maketrans("-_", "+/")
_MODES = {"AUTO": "auto", "ANY": "required", "NONE": "none", "VALIDATED": "auto"}


def wanted_content(body: Any, model: str, md: MutualDissent, caller: Caller) -> ChatRequest:
    """Parse a request for content of this model.

    Raises:
        UnsupportedRequest: if it cannot be had.
        UserError: if something in it is not known.
    """
    fields = _object(body, "the body")
    config = _object(_either(fields, "generationConfig", "generation_config") or {}, "config")
    if config.get("stopSequences"):
        raise UnsupportedRequest("stopSequences is not supported by a panel", "stopSequences")
    talk = talk_of(fields)
    tools, unknown = _tools(fields)
    wishes = ClientWishes(tools=tools, reply=_reply(config), ignored=unknown)
    common = {
        "model": model,
        "max_tokens": config.get("maxOutputTokens"),
        "temperature": config.get("temperature"),
        "seed": config.get("seed"),
        "dissent": fields.get("dissent"),
    }
    request = chat_request(common, talk, md, caller, usage=True, wishes=wishes)
    return replace(request, body=fields)


def talk_of(fields: Json) -> ClientTalk:
    """The conversation of a request, with the pictures in it.

    Raises:
        UnsupportedRequest: if there is none.
    """
    contents = fields.get("contents")
    if not isinstance(contents, list) or not contents:
        raise UnsupportedRequest("contents is a list with at least one content", "contents")
    system = _either(fields, "systemInstruction", "system_instruction")
    turns = [
        Earlier(speaker="instructions", text=str(part.get("text") or ""))
        for part in (_parts(system, "systemInstruction") if system else ())
    ]
    pictures: list[FileBytes] = []
    follows = ""
    for i, content in enumerate(contents):
        where = f"contents[{i}]"
        entry = _object(content, where)
        own = "assistant" if entry.get("role") == "model" else "user"
        parts = list(_parts(entry, where))
        results = any("functionResponse" in p for p in parts)
        for part in parts:
            inner = _object(part.get("functionResponse") or {}, where)
            follows = debate_of(inner.get("id")) or follows
            turn = _turn(part, own, where, pictures)
            if turn:
                turns.append(replace(turn, since=True) if results and own == "user" else turn)
    return replace(conversation(turns, follows), pictures=tuple(pictures))


def _turn(part: Json, own: str, where: str, pictures: list[FileBytes]) -> Earlier | None:
    if part.get("thought") is True:
        return None
    if call := part.get("functionCall"):
        made = _object(call, where)
        return call_turn(made.get("name"), made.get("args"))
    if result := part.get("functionResponse"):
        given = _object(result, where)
        answer = given.get("response")
        only = isinstance(answer, Mapping) and len(answer) == 1
        text = next(iter(answer.values())) if only and isinstance(answer, Mapping) else answer
        return given_back(str(given.get("name") or "")[:128], text_of(text, where, pictures))
    if isinstance(text := part.get("text"), str):
        if own == "assistant":
            return Earlier(speaker="assistant", text=text)
        told = text.lstrip().startswith(CONTEXT)
        return Earlier(speaker="instructions" if told else "user", text=text)
    if picture := part.get("inlineData"):
        # Google's libraries write base 64 with the two signs that are safe in addresses.
        data = str(_object(picture, where).get("data") or "").translate(_SIGNS)
        source = {"type": "base64", "data": data}
        shown = picture_in({"type": "image", "source": source}, where, len(pictures) + 1)
        if shown:
            pictures.append(shown)
            return Earlier(speaker="user", text=f"[{shown.name}]", since=True)
    raise UnsupportedRequest(f"{where}: a part is text, a picture, or about a function", where)


def _tools(fields: Json) -> tuple[ClientTools | None, tuple[str, ...]]:
    found: list[Tool] = []
    unknown: list[str] = []
    for i, entry in enumerate(fields.get("tools") or []):
        where = f"tools[{i}]"
        offered = _object(entry, where)
        for declared in _either(offered, "functionDeclarations", "function_declarations") or []:
            tool = dict(_object(declared, where))
            schema = _either(tool, "parametersJsonSchema", "parameters_json_schema")
            plain = _lower(tool.get("parameters")) if schema is None else schema
            found.append(function_tool({**tool, "parameters": plain}, where))
        names = {"functionDeclarations", "function_declarations"}
        unknown += [f"tools: {name[:40]}" for name in offered if name not in names]
    config = _object(_either(fields, "toolConfig", "tool_config") or {}, "toolConfig")
    calling = _object(config.get("functionCallingConfig") or {}, "toolConfig")
    choice = _MODES.get(str(calling.get("mode") or "AUTO").upper(), "auto")
    allowed = calling.get("allowedFunctionNames") or []
    if allowed and choice == "required":
        found = [t for t in found if t.name in allowed]
    return client_tools(found, choice, parallel=True), tuple(unknown)


def _reply(config: Json) -> JsonReply | None:
    if config.get("responseMimeType") != "application/json":
        return None
    schema = config.get("responseJsonSchema") or _lower(config.get("responseSchema"))
    form = {"type": "json_schema", "schema": schema} if schema else {"type": "json_object"}
    return json_reply(form, "responseSchema")


def _lower(schema: Any) -> Any:
    """The schema with JSON's names of types: Google's own are in capitals."""
    if isinstance(schema, list):
        return [_lower(s) for s in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        k: v.lower() if k == "type" and isinstance(v, str) else _lower(v) for k, v in schema.items()
    }


def _either(fields: Json, *names: str) -> Any:
    """The value under one of two spellings of a name, as Google takes both."""
    return next((fields[n] for n in names if fields.get(n) is not None), None)


def _parts(content: Any, where: str) -> Iterator[Json]:
    if isinstance(content, str):
        yield {"text": content}
        return
    parts = _object(content, where).get("parts")
    for part in parts if isinstance(parts, list) else [parts] if parts else []:
        yield _object(part, where)


def _object(value: Any, where: str) -> Json:
    if not isinstance(value, Mapping):
        raise UnsupportedRequest(f"{where} must be an object", where)
    return value
