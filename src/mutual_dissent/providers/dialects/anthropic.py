"""The Messages wire of Anthropic."""

from __future__ import annotations

from typing import Any

from mutual_dissent.core.response import Ask
from mutual_dissent.core.tool import MOST_USES, SUBMIT, Exchange, Tool
from mutual_dissent.providers.dialects import tool_calls
from mutual_dissent.providers.dialects.base import (
    MANY,
    MOST_NAME,
    Dialect,
    PartialAnswer,
    VendorError,
    WireRequest,
    add,
)
from mutual_dissent.providers.dialects.citations import MAX_CITATIONS, cite
from mutual_dissent.providers.dialects.errors import body_of, event_of, unreadable, vendor_error
from mutual_dissent.providers.dialects.finish import note_finish
from mutual_dissent.providers.dialects.frame import frame_around
from mutual_dissent.providers.dialects.json_values import (
    arguments,
    count,
    mapping,
    objects,
    string,
    writable,
)
from mutual_dissent.providers.dialects.pictures import encoded_pictures
from mutual_dissent.providers.dialects.tool_calls import Choice
from mutual_dissent.providers.effort import BUDGETS, takes_words
from mutual_dissent.providers.endpoints import Endpoint

VERSION = "2023-06-01"  # the next one, of 2026-10-21, refuses every temperature
# This wire has no default: a request without a limit is refused.
DEFAULT_MAX_TOKENS = 8192
# Characters, some 1,100 tokens: Anthropic caches nothing below 1,024.
CACHEABLE = 4000
# The smallest budget that Anthropic accepts.
LEAST_THOUGHT = 1024
OVERHEAD = " " * 100  # the size of a noted thought beside its words
SEARCH = {"type": "web_search_20250305", "name": "web_search", "max_uses": MOST_USES}
CHOICES = {
    Choice.NONE: {"type": "none"},
    Choice.SOME: {"type": "any"},
    Choice.SUBMIT: {"type": "tool", "name": SUBMIT},
}
USAGE_FIELDS = (
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "output_tokens_details",
    "server_tool_use",
)


class Anthropic:
    """Messages, with the head of the text marked for caching."""

    def request(self, ask: Ask, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request for an ask."""
        headers = {
            "content-type": "application/json",
            "accept": "text/event-stream",
            "anthropic-version": VERSION,
        }
        if endpoint.key:
            headers["x-api-key"] = endpoint.key.reveal()
        return WireRequest(
            url=f"{endpoint.base_url.rstrip('/')}/v1/messages",
            headers=headers,
            body=_body(ask, endpoint),
        )

    def read_event(self, reading: PartialAnswer, name: str, data: str) -> str:
        """Take in one event; return the new text in it, if any."""
        event = event_of(reading, name, data)
        match event.get("type") or name:
            case "content_block_delta":
                fresh = _take_delta(reading, event)
                if fresh and _is_plain(event):
                    reading.frame = frame_around(fresh, name, data, "text")
                return fresh
            case "content_block_start":
                return _take_block(reading, mapping(event.get("content_block")), event)
            case "content_block_stop":
                _settle_call(reading, event)
                _settle_text(reading)
            case "message_start":
                return _take_start(reading, mapping(event.get("message")))
            case "message_delta":
                _settle_text(reading)  # of a stream that ends no blocks
                _take_ending(reading, mapping(event.get("delta")))
                _take_usage(reading, event.get("usage"))
        return ""

    def read_body(self, reading: PartialAnswer, body: Any) -> None:
        """Take in a whole message."""
        answer = body_of(reading, body)
        _take_message(reading, answer)
        if type(answer.get("content")) is not list and reading.error is None:
            reading.error = unreadable("the answer holds no content", "")

    def read_error(self, status: int, body: Any) -> VendorError:
        """Classify an error body that came with this status."""
        return vendor_error(status, body)


ANTHROPIC: Dialect = Anthropic()


def _body(ask: Ask, endpoint: Endpoint) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": ask.panelist.model_id,
        "max_tokens": DEFAULT_MAX_TOKENS if ask.max_tokens is None else ask.max_tokens,
        "messages": [{"role": "user", "content": _content(ask)}],
        "stream": True,
    }
    if ask.system:
        body["system"] = writable(ask.system)
    if ask.temperature is not None:
        body["temperature"] = ask.temperature
    if ask.schema is not None and not ask.submits:
        body["output_config"] = {"format": {"type": "json_schema", "schema": ask.schema}}
    _add_tools(body, ask, endpoint)
    _add_effort(body, ask)
    return body


def _add_effort(body: dict[str, Any], ask: Ask) -> None:
    """Add how much is to be thought; who must call a tool may not think before it."""
    effort = ask.panelist.route.effort
    if not effort:
        return
    budget = BUDGETS[effort]
    if ask.max_tokens is None:
        body["max_tokens"] += budget  # thought counts as a part of the answer
    may_think = body.get("tool_choice", {}).get("type", "auto") in ("auto", "none")
    if takes_words(ask.panelist.model_id):
        body["output_config"] = {**body.get("output_config", {}), "effort": effort}
        if may_think and "opus-4-5" not in ask.panelist.model_id:  # it thinks by a number alone
            body["thinking"] = {"type": "adaptive"}
    # Thought counts within `max_tokens`: half of it stays for the answer.
    elif may_think and (room := min(budget, body["max_tokens"] // 2)) >= LEAST_THOUGHT:
        body["thinking"] = {"type": "enabled", "budget_tokens": room}


def _add_tools(body: dict[str, Any], ask: Ask, endpoint: Endpoint) -> None:
    own = [SEARCH] if ask.own_search else []
    tools = tool_calls.offered_tools(ask, endpoint)
    if own or tools:
        body["tools"] = [*own, *(_tool(t) for t in tools)]
    if tools:
        wanted = tool_calls.choice(ask, tools)
        if isinstance(wanted, str):
            body["tool_choice"] = {"type": "tool", "name": wanted}
        elif chosen := CHOICES.get(wanted):
            body["tool_choice"] = chosen
        if not ask.parallel:
            chosen = body.get("tool_choice", {"type": "auto"})
            body["tool_choice"] = {**chosen, "disable_parallel_tool_use": True}
        for turn, exchange in enumerate(ask.exchanges):
            body["messages"] += _turn(exchange, turn)


def _tool(tool: Tool) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "input_schema": tool.parameters}


def _turn(exchange: Exchange, turn: int) -> list[dict[str, Any]]:
    """Return a turn in which tools were called: thoughts, text and calls, then the results."""
    uses = tool_calls.with_ids(exchange.uses, turn)
    content = [*(tool_calls.saved_value(exchange.uses, "thinking") or [])]
    if exchange.text.strip():  # an empty block would be refused
        content.append({"type": "text", "text": writable(exchange.text)})
    content += [
        {"type": "tool_use", "id": id_, "name": use.name, "input": use.arguments}
        for id_, use in uses
    ]
    results = [
        {
            "type": "tool_result",
            "tool_use_id": id_,
            "content": writable(use.result),
            "is_error": use.failed,
        }
        for id_, use in uses
    ]
    return [{"role": "assistant", "content": content}, {"role": "user", "content": results}]


def _content(ask: Ask) -> str | list[dict[str, Any]]:
    """Return the text as one string, or with a head that the vendor caches for the next request."""
    shown = [
        {"type": "image", "source": {"type": "base64", "media_type": kind, "data": data}}
        for kind, data in encoded_pictures(ask)
    ]
    if len(ask.head) < CACHEABLE and not shown:
        return writable(ask.text)
    head = {"type": "text", "text": writable(ask.head), "cache_control": {"type": "ephemeral"}}
    # An empty block would be refused.
    tail = [{"type": "text", "text": writable(ask.tail)}] if ask.tail else []
    return [*shown, head, *tail]


def _take_start(reading: PartialAnswer, message: dict[str, Any]) -> str:
    """Take in the start of a stream: the output tokens that it claims are a placeholder."""
    # `output_tokens` is 1 here whatever follows: if the stream breaks off, nothing was counted.
    usage = {k: v for k, v in mapping(message.get("usage")).items() if k != "output_tokens"}
    return _take_message(reading, {**message, "usage": usage})


def _take_message(reading: PartialAnswer, message: dict[str, Any]) -> str:
    reading.serve(message.get("model"))
    fresh = [_take_block(reading, block, {}) for block in objects(message.get("content"))]
    _take_ending(reading, message)
    _take_usage(reading, message.get("usage"))
    return "".join(fresh)


def _take_block(reading: PartialAnswer, block: dict[str, Any], event: dict[str, Any]) -> str:
    """Take in a block of content, whole or just begun; return its text, if it has any."""
    match block.get("type"):
        case "text":
            _begin_text(reading, objects(block.get("citations")))
            said = _say(reading, block.get("text"))
            if not event:
                _settle_text(reading)
            return said
        case "thinking":
            reading.think(block.get("thinking"))
            _begin_thought(reading, block)
        case "redacted_thinking":
            _begin_thought(reading, block)
        case "tool_use":
            return _take_call(reading, block, _index(event))
        case "web_search_tool_result":
            for result in objects(block.get("content")):
                cite(reading, result.get("url"), result.get("title"))
        case "web_fetch_tool_result":
            page = mapping(block.get("content"))
            cite(reading, page.get("url"), mapping(page.get("content")).get("title"))
    return ""


def _take_call(reading: PartialAnswer, block: dict[str, Any], index: int) -> str:
    """Take in a call of a tool; return what it adds to the text, as a submission does."""
    name = string(block.get("name"))[:MOST_NAME]
    if tool_calls.is_submission(name):
        submitting: set[int] = reading.state.setdefault("submitting", set())
        if len(submitting) >= tool_calls.MOST_CALLS:
            return ""
        submitting.add(index)
        return tool_calls.submit(reading, mapping(block.get("input")) or "", begins=True)
    call = {
        "id": string(block.get("id"))[:MOST_NAME],
        "name": name,
        "arguments": tool_calls.whole(reading, mapping(block.get("input"))),
    }
    # The first call carries the thoughts for all: they stand once, before the calls of their turn.
    if not reading.tool_calls:
        tool_calls.keep(call, thinking=_whole_thoughts(reading))
    if tool_calls.begin(reading, call):
        reading.state.setdefault("open", {})[index] = (call, [])
    return ""


def _is_plain(event: dict[str, Any]) -> bool:
    """Return whether an event holds a piece of text and nothing else."""
    return event.keys() == {"type", "index", "delta"} and event["delta"].keys() == {"type", "text"}


def _take_delta(reading: PartialAnswer, event: dict[str, Any]) -> str:
    delta = mapping(event.get("delta"))
    match delta.get("type"):
        case "text_delta":
            return _say(reading, delta.get("text"))
        case "thinking_delta":
            reading.think(delta.get("thinking"))
            _go_on_thinking(reading, delta)
        case "signature_delta":
            _go_on_thinking(reading, delta)
        case "input_json_delta":
            if _index(event) in reading.state.get("submitting", ()):
                return tool_calls.submit(reading, string(delta.get("partial_json")))
            if begun := reading.state.get("open", {}).get(_index(event)):
                tool_calls.argue(reading, begun[1], string(delta.get("partial_json")))
        case "citations_delta":
            cited: list[dict[str, Any]] = reading.state.setdefault("citing", [])
            if len(cited) < MAX_CITATIONS:
                cited.append(mapping(delta.get("citation")))
    return ""


def _say(reading: PartialAnswer, text: object) -> str:
    if type(text) is not str or not text:
        return ""
    reading.text.append(text)
    return text


def _begin_thought(reading: PartialAnswer, block: dict[str, Any]) -> None:
    """Note a thought: a tool call after it must show it again, signature and all."""
    text, signature = string(block.get("thinking")), string(block.get("signature"))
    redacted, kind = string(block.get("data")), string(block.get("type"))
    if tool_calls.has_room(reading, text, signature, redacted, OVERHEAD):
        thought = (kind, redacted, [text], [signature])
        reading.state.setdefault("thoughts", []).append(thought)


def _go_on_thinking(reading: PartialAnswer, delta: dict[str, Any]) -> None:
    more = string(delta.get("thinking")), string(delta.get("signature"))
    thoughts = reading.state.get("thoughts")
    if thoughts and tool_calls.has_room(reading, *more):
        for pieces, piece in zip(thoughts[-1][2:], more, strict=True):
            add(pieces, piece)


def _whole_thoughts(reading: PartialAnswer) -> list[dict[str, Any]]:
    return [
        {"type": "thinking", "thinking": "".join(text), "signature": "".join(signature)}
        if kind == "thinking"
        else {"type": "redacted_thinking", "data": redacted}
        for kind, redacted, text, signature in reading.state.get("thoughts", [])
    ]


def _begin_text(reading: PartialAnswer, citations: list[dict[str, Any]]) -> None:
    """Take in the beginning of a block of text: its citations are for the words in it."""
    _settle_text(reading)
    reading.state["begun"] = len(reading.text)
    reading.state["citing"] = citations[:MAX_CITATIONS]


def _settle_text(reading: PartialAnswer) -> None:
    """Take in the end of a block of text, if it cites anything."""
    cited = reading.state.pop("citing", None)
    if not cited:
        return
    claim = "".join(reading.text[reading.state.get("begun", 0) :][:MANY])
    for citation in cited:
        cite(reading, citation.get("url") or citation.get("source"), citation.get("title"), claim)


def _index(event: dict[str, Any]) -> int:
    return index if type(index := event.get("index")) is int else -1


def _settle_call(reading: PartialAnswer, event: dict[str, Any]) -> None:
    """Take in the end of a block: its call's arguments are whole."""
    begun = reading.state.get("open", {}).pop(_index(event), None)
    if begun and (text := "".join(begun[1])):
        begun[0]["arguments"] = arguments(text)


def _take_ending(reading: PartialAnswer, ending: dict[str, Any]) -> None:
    note_finish(reading, ending.get("stop_reason"))
    details = mapping(ending.get("stop_details"))
    if details.get("type") == "refusal":
        why = string(details.get("explanation")) or string(details.get("category"))
        reading.refusal = (why or "refused")[:1000]


def _take_usage(reading: PartialAnswer, usage: object) -> None:
    """Take in the tokens, cumulative: a later event replaces what it names.

    Anthropic counts what was read from the cache and written to it apart from `input_tokens`.
    """
    if type(usage) is not dict:
        return
    known: dict[str, Any] = reading.state.setdefault("usage", {})
    known.update((k, usage[k]) for k in USAGE_FIELDS if usage.get(k) is not None)
    fresh, written, cached = (
        count(known.get(k))
        for k in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    )
    reading.input_tokens = None if fresh is None else fresh + (written or 0) + (cached or 0)
    reading.output_tokens = count(known.get("output_tokens"))
    reading.cached_tokens = cached
    thinking = mapping(known.get("output_tokens_details")).get("thinking_tokens")
    reading.reasoning_tokens = count(thinking)
    used = mapping(known.get("server_tool_use"))
    reading.searches = count(used.get("web_search_requests")) or 0
