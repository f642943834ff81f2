"""Parsing of what a client's program offers and wants: tools, its choice among them, JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from mutual_dissent.core.errors import clip
from mutual_dissent.core.tool import ClientTools, JsonReply, Tool
from mutual_dissent.core.values.json_schema import schema_fault
from mutual_dissent.surfaces.openai.errors import UnsupportedRequest

MOST_TOOLS = 256
MOST_TEXT = 1_000_000
"""Characters of all tools together: names, descriptions and schemas."""
MOST_SCHEMA = 200_000
NAME = re.compile(r"[A-Za-z0-9_.:/-]{1,128}")
INPUT = "input"
"""The one argument of a tool that takes free text."""
_FREE = {
    "type": "object",
    "properties": {INPUT: {"type": "string"}},
    "required": [INPUT],
    "additionalProperties": False,
}


def function_tool(fields: Mapping[str, Any], where: str, schema: str = "parameters") -> Tool:
    """The tool of one entry, which has its schema under that name.

    Raises:
        UnsupportedRequest: if it cannot be offered.
    """
    name = fields.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise UnsupportedRequest(
            f"{where}: a tool has a name of letters, digits, _ and -, at most 128", where
        )
    given = fields.get(schema)
    if given is not None and not isinstance(given, Mapping):
        raise UnsupportedRequest(f"{where}: {schema} is a JSON schema", where)
    if given and (wrong := schema_fault(given)):
        raise UnsupportedRequest(f"{where}: {schema} is no JSON schema: {wrong}", where)
    said = fields.get("description")
    if said is not None and not isinstance(said, str):
        raise UnsupportedRequest(f"{where}: description is a text", where)
    parameters = dict(given) if given else {"type": "object", "properties": {}}
    return Tool(name=name, description=said or "", parameters=parameters)


def free_tool(fields: Mapping[str, Any], where: str) -> Tool:
    """The tool that takes free text, as one with a single argument."""
    found = function_tool({**fields, "parameters": None}, where)
    form = fields.get("format")
    grammar = form.get("definition") if isinstance(form, Mapping) else None
    more = f"\n\nIts input keeps to this grammar:\n{grammar}" if isinstance(grammar, str) else ""
    return Tool(name=found.name, description=found.description + more, parameters=_FREE)


def client_tools(
    tools: Sequence[Tool], choice: str, *, parallel: bool, where: str = "tools"
) -> ClientTools | None:
    """The tools of a client; None where it offers none, or wants none to be called.

    Args:
        choice: `auto`, `none`, `required`, or `=NAME` for one of them.

    Raises:
        UnsupportedRequest: if they are too many, too long, or two have one name.
    """
    if len(tools) > MOST_TOOLS:
        raise UnsupportedRequest(f"{len(tools)} tools are too many: at most {MOST_TOOLS}", where)
    size = sum(len(t.name) + len(t.description) + len(orjson.dumps(t.parameters)) for t in tools)
    if size > MOST_TEXT:
        raise UnsupportedRequest(
            f"the tools have {size:,} characters, {MOST_TEXT:,} are accepted; offer fewer", where
        )
    known = {t.name for t in tools}
    if len(known) < len(tools):
        raise UnsupportedRequest(f"{where}: two tools have the same name", where)
    named = choice.removeprefix("=") if choice.startswith("=") else ""
    if named and named not in known:
        raise UnsupportedRequest(
            f"tool_choice names {clip(named, 60)!r}, which is not among the tools", "tool_choice"
        )
    if choice == "required" and not tools:
        raise UnsupportedRequest("tool_choice is required, and there are no tools", "tool_choice")
    if not tools or choice == "none":
        return None
    wanted: Any = "required" if choice == "required" else "auto"
    return ClientTools(tools=tuple(tools), choice=wanted, named=named, parallel=parallel)


def choice_of(value: Any) -> str:
    """The choice of a client in OpenAI's shape: a word, or an object that names a tool.

    Raises:
        UnsupportedRequest: if it is neither.
    """
    if value is None:
        return "auto"
    if isinstance(value, str) and value in ("auto", "none", "required"):
        return value
    if isinstance(value, Mapping) and value.get("type") in ("function", "custom"):
        inner = value.get(str(value["type"]))
        name = (inner if isinstance(inner, Mapping) else value).get("name")
        if isinstance(name, str):
            return f"={name}"
    raise UnsupportedRequest(
        "tool_choice is auto, none, required, or an object that names a function", "tool_choice"
    )


def chat_tools(entries: Sequence[Any]) -> Iterator[Tool]:
    """The tools of a chat completion.

    Raises:
        UnsupportedRequest: if one cannot be offered.
    """
    for i, entry in enumerate(entries):
        where = f"tools[{i}]"
        kind = entry.get("type", "function") if isinstance(entry, Mapping) else None
        inner = entry.get(kind) if isinstance(entry, Mapping) and kind else None
        if kind not in ("function", "custom") or not isinstance(inner, Mapping):
            raise UnsupportedRequest(f"{where} is not a function", where)
        yield function_tool(inner, where) if kind == "function" else free_tool(inner, where)


def response_tools(entries: Sequence[Any]) -> tuple[list[Tool], frozenset[str], tuple[str, ...]]:
    """The tools of a response, those among them that take free text, and what is not offered.

    Tools that a vendor runs itself (its search, its interpreter) have no effect beside others.

    Raises:
        UnsupportedRequest: if one cannot be offered.
    """
    tools: list[Tool] = []
    free: set[str] = set()
    unknown: list[str] = []
    for i, entry in enumerate(entries):
        where = f"tools[{i}]"
        if not isinstance(entry, Mapping):
            raise UnsupportedRequest(f"{where} is not an object", where)
        match entry.get("type"):
            case "function":
                tools.append(function_tool(entry, where))
            case "custom":
                tools.append(free_tool(entry, where))
                free.add(tools[-1].name)
            case kind:
                unknown.append(f"tools: {clip(str(kind), 40)}")
    if unknown and not tools:
        raise UnsupportedRequest(
            f"a panel has no {unknown[0].removeprefix('tools: ')} of a vendor's; offer functions, "
            "or leave out tools", "tools"
        )  # fmt: skip
    return tools, frozenset(free), tuple(unknown)


def json_reply(form: Any, where: str) -> JsonReply | None:
    """The JSON that a client wants as the answer; None for text.

    Raises:
        UnsupportedRequest: if it is another form.
    """
    if form is None:
        return None
    fields = form if isinstance(form, Mapping) else {}
    match fields.get("type", "text"):
        case "text":
            return None
        case "json_object":
            return JsonReply()
        case "json_schema":
            inner = fields.get("json_schema", fields)
            schema = inner.get("schema") if isinstance(inner, Mapping) else None
            if not isinstance(schema, Mapping) or len(orjson.dumps(schema)) > MOST_SCHEMA:
                raise UnsupportedRequest(
                    f"{where}: a json_schema has a schema, of at most {MOST_SCHEMA:,} characters",
                    where,
                )
            if wrong := schema_fault(schema):
                raise UnsupportedRequest(f"{where}: the schema is none: {wrong}", where)
            return JsonReply(schema=dict(schema))
        case kind:
            raise UnsupportedRequest(
                f"{where}: {str(kind)[:40]!r} cannot be had; choose text, json_object or "
                "json_schema", where
            )  # fmt: skip
