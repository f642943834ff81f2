"""The generateContent wire of Google."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from mutual_dissent.core.response import Ask
from mutual_dissent.core.tool import SUBMIT, Exchange, Tool, Use
from mutual_dissent.providers.dialects import tool_calls
from mutual_dissent.providers.dialects.base import (
    MOST_NAME,
    Dialect,
    PartialAnswer,
    VendorError,
    WireRequest,
)
from mutual_dissent.providers.dialects.citations import MAX_CITATIONS, MAX_CLAIMS, cite
from mutual_dissent.providers.dialects.errors import body_of, event_of, unreadable, vendor_error
from mutual_dissent.providers.dialects.finish import note_finish
from mutual_dissent.providers.dialects.json_values import (
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


class Google:
    """generateContent, streamed as server-sent events."""

    def request(self, ask: Ask, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request; the key is in a header, since URLs get logged."""
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        if endpoint.key:
            headers["x-goog-api-key"] = endpoint.key.reveal()
        model = quote(ask.panelist.model_id.removeprefix("models/"), safe="")
        url = f"{endpoint.base_url.rstrip('/')}/v1beta/models/{model}:streamGenerateContent?alt=sse"
        return WireRequest(url=url, headers=headers, body=_body(ask, endpoint))

    def read_event(self, reading: PartialAnswer, name: str, data: str) -> str:
        """Take in one chunk; return the new text in it, if any."""
        event = event_of(reading, name, data)
        return _take(reading, event) if event else ""

    def read_body(self, reading: PartialAnswer, body: Any) -> None:
        """Take in a whole answer, or the list of chunks that a stream without SSE is."""
        # Without `alt=sse`, Google sends a stream as one JSON list.
        for chunk in body if type(body) is list and body else [body]:
            answer = body_of(reading, chunk)
            _take(reading, answer)
            if reading.error is None and not answer.keys() & {
                "candidates", "promptFeedback", "usageMetadata",
            }:  # fmt: skip
                reading.error = unreadable("the answer holds no candidates", "")
            if reading.error:
                return

    def read_error(self, status: int, body: Any) -> VendorError:
        """Classify an error body that came with this status."""
        return vendor_error(status, body)


GOOGLE: Dialect = Google()

CHOICES: dict[Choice, dict[str, Any]] = {
    Choice.NONE: {"mode": "NONE"},
    Choice.SOME: {"mode": "ANY"},
    Choice.SUBMIT: {"mode": "ANY", "allowedFunctionNames": [SUBMIT]},
}


def _body(ask: Ask, endpoint: Endpoint) -> dict[str, Any]:
    shown = encoded_pictures(ask, for_urls=True)
    # In snake case, as the official SDK writes it.
    pictures = [{"inlineData": {"data": data, "mime_type": kind}} for kind, data in shown]
    parts = [*pictures, {"text": writable(ask.text)}]
    body: dict[str, Any] = {"contents": [{"parts": parts, "role": "user"}]}
    if ask.system:
        body["systemInstruction"] = {"parts": [{"text": writable(ask.system)}], "role": "user"}
    config: dict[str, Any] = {}
    if ask.max_tokens is not None:
        config["maxOutputTokens"] = ask.max_tokens
    if ask.temperature is not None:
        config["temperature"] = ask.temperature
    if ask.seed is not None:
        config["seed"] = ask.seed
    if effort := ask.panelist.route.effort:
        by_word = takes_words(ask.panelist.model_id)
        # In snake case, as the official SDK writes it.
        level = {"thinking_level": effort.upper()} if by_word else None
        config["thinkingConfig"] = level or {"thinking_budget": BUDGETS[effort]}
    _add_tools(body, ask, endpoint)
    if ask.schema is not None and not ask.submits:
        config["responseMimeType"] = "application/json"
        config["responseJsonSchema"] = ask.schema
    if config or ask.system or "tools" in body:
        # Empty beside a system text or tools: so does the official SDK.
        body["generationConfig"] = config
    return body


def _add_tools(body: dict[str, Any], ask: Ask, endpoint: Endpoint) -> None:
    if ask.own_search:  # beside it, most of its models take no functions
        body["tools"] = [{"googleSearch": {}}]
        return
    if tools := tool_calls.offered_tools(ask, endpoint):
        body["tools"] = [{"functionDeclarations": [_declaration(t) for t in tools]}]
        wanted = tool_calls.choice(ask, tools)
        if isinstance(wanted, str):
            only = {"mode": "ANY", "allowedFunctionNames": [wanted]}
            body["toolConfig"] = {"functionCallingConfig": only}
        elif chosen := CHOICES.get(wanted):
            body["toolConfig"] = {"functionCallingConfig": chosen}
        for exchange in ask.exchanges:
            body["contents"] += _turn(exchange)


def _declaration(tool: Tool) -> dict[str, Any]:
    return {
        "name": tool.name,
        "description": tool.description,
        "parameters_json_schema": tool.parameters,  # snake case, as the official SDK writes it
    }


def _turn(exchange: Exchange) -> list[dict[str, Any]]:
    """Return a turn in which tools were called: text and calls, then the results."""
    parts: list[dict[str, Any]] = [{"text": writable(exchange.text)}] if exchange.text else []
    parts += [
        # The signature stands beside the call it came with: without it, the vendor refuses.
        {
            "functionCall": {**_id(use), "name": use.name, "args": use.arguments},
            **{k: v for k, v in use.wire.items() if k == "thoughtSignature"},
        }
        for use in exchange.uses
    ]
    results = [
        {
            "functionResponse": {
                **_id(use),
                "name": use.name,
                "response": {"error" if use.failed else "output": writable(use.result)},
            }
        }
        for use in exchange.uses
    ]
    return [{"parts": parts, "role": "model"}, {"parts": results, "role": "user"}]


def _id(use: Use) -> dict[str, str]:
    return {"id": use.id} if use.id else {}


def _take(reading: PartialAnswer, chunk: dict[str, Any]) -> str:
    reading.serve(chunk.get("modelVersion"))
    fresh = ""
    if candidate := _first(chunk.get("candidates")):
        content = mapping(candidate.get("content"))
        fresh = "".join([_take_part(reading, part) for part in objects(content.get("parts"))])
        note_finish(reading, candidate.get("finishReason"))
        _take_sources(reading, candidate)
    # A blocked prompt has no candidates at all, so there is no finish reason beside this.
    if blocked := mapping(chunk.get("promptFeedback")).get("blockReason"):
        note_finish(reading, blocked)
    if usage := mapping(chunk.get("usageMetadata")):
        _take_usage(reading, usage)
    return fresh


def _first(candidates: object) -> dict[str, Any] | None:
    for candidate in objects(candidates):
        index = candidate.get("index")
        if type(index) is not int or index == 0:
            return candidate
    return None


def _take_part(reading: PartialAnswer, part: dict[str, Any]) -> str:
    call = mapping(part.get("functionCall"))
    if call and tool_calls.is_submission(string(call.get("name"))):
        return tool_calls.submit(reading, mapping(call.get("args")), begins=True)
    if call:
        begun = {
            "id": string(call.get("id"))[:MOST_NAME],
            "name": string(call.get("name"))[:MOST_NAME],
            "arguments": tool_calls.whole(reading, mapping(call.get("args"))),
        }
        signature = string(part.get("thoughtSignature"))
        if tool_calls.begin(reading, begun) and tool_calls.has_room(reading, signature):
            tool_calls.keep(begun, thoughtSignature=signature)
    text = string(part.get("text"))
    if not text:
        return ""
    if part.get("thought") is True:
        reading.think(text)
        return ""
    reading.text.append(text)
    return text


def _take_sources(reading: PartialAnswer, candidate: dict[str, Any]) -> None:
    grounding = mapping(candidate.get("groundingMetadata"))
    # Each query is billed once; empty ones are sent as well, and are not.
    queries = grounding.get("webSearchQueries")
    asked = {q for q in queries if type(q) is str and q} if type(queries) is list else set()
    reading.searches = max(reading.searches or 0, len(asked))
    chunks = objects(grounding.get("groundingChunks"))
    for chunk in chunks:
        for kind in ("web", "retrievedContext", "maps"):
            source = mapping(chunk.get(kind))
            cite(reading, source.get("uri"), source.get("title"))
    for support in objects(grounding.get("groundingSupports"))[:MAX_CITATIONS]:
        claim, places = mapping(support.get("segment")), support.get("groundingChunkIndices")
        for place in places[:MAX_CLAIMS] if type(places) is list else ():
            if type(place) is int and 0 <= place < len(chunks):
                web = mapping(chunks[place].get("web"))
                cite(reading, web.get("uri"), web.get("title"), claim.get("text"))
    cited = mapping(candidate.get("citationMetadata"))
    for source in objects(cited.get("citationSources")) + objects(cited.get("citations")):
        cite(reading, source.get("uri"), source.get("title"))
    fetched = mapping(candidate.get("urlContextMetadata"))
    for source in objects(fetched.get("urlMetadata")):
        cite(reading, source.get("retrievedUrl"))


def _take_usage(reading: PartialAnswer, usage: dict[str, Any]) -> None:
    """Take in the tokens, cumulative: the last chunk counts. Thoughts and tools are billed too."""
    prompt, tools, answer, thought = (
        count(usage.get(k))
        for k in (
            "promptTokenCount", "toolUsePromptTokenCount",
            "candidatesTokenCount", "thoughtsTokenCount",
        )
    )  # fmt: skip
    reading.input_tokens = None if prompt is None else prompt + (tools or 0)
    reading.output_tokens = (
        None if answer is None and thought is None else (answer or 0) + (thought or 0)
    )
    if reading.output_tokens is None and reading.input_tokens is not None:
        # A zero is left out on this wire; the total tells it from an unknown.
        total = count(usage.get("totalTokenCount"))
        reading.output_tokens = 0 if total == reading.input_tokens else None
    reading.reasoning_tokens = thought
    reading.cached_tokens = count(usage.get("cachedContentTokenCount"))
