"""The Responses wire of OpenAI and xAI, on which their ordinary models search by themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mutual_dissent.core.response import Ask
from mutual_dissent.core.tool import SUBMIT, Exchange, Tool
from mutual_dissent.providers.dialects import tool_calls
from mutual_dissent.providers.dialects.base import (
    MOST_NAME,
    Dialect,
    PartialAnswer,
    VendorError,
    WireRequest,
)
from mutual_dissent.providers.dialects.capabilities import SEARCH
from mutual_dissent.providers.dialects.citations import cite
from mutual_dissent.providers.dialects.errors import (
    MAX_READ,
    NO_MODEL,
    body_of,
    event_of,
    unreadable,
    vendor_error,
)
from mutual_dissent.providers.dialects.finish import REASONS, note_finish
from mutual_dissent.providers.dialects.json_values import (
    arguments,
    count,
    dollars_of,
    mapping,
    objects,
    string,
    writable,
)
from mutual_dissent.providers.dialects.openai import schema_format
from mutual_dissent.providers.dialects.pictures import encoded_pictures
from mutual_dissent.providers.dialects.tool_calls import Choice
from mutual_dissent.providers.endpoints import Endpoint

MOST_ASIDES = 64
"""Messages beside the answer that are told from it; further ones count as parts of it."""

NO_WIRE = (404, 405)
"""The statuses of a server that does not speak this wire: a gateway before OpenAI's own."""

ENDINGS = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
}
ENDED = frozenset((*ENDINGS.values(), "cancelled"))
"""The words for the end of a response, by event and in its status."""


class OpenAIResponses:
    """Responses, as OpenAI defines them and xAI varies them; nothing is kept at the vendor."""

    def request(self, ask: Ask, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request for an ask."""
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        if endpoint.key:
            headers["authorization"] = f"Bearer {endpoint.key.reveal()}"
        return WireRequest(
            url=f"{endpoint.base_url.rstrip('/')}/responses",
            headers=headers,
            body=_body(ask, endpoint),
        )

    def read_event(self, reading: PartialAnswer, name: str, data: str) -> str:
        """Take in one event; return the new text in it, if any."""
        # Events are numbered, so that no two of them have the same frame around their text.
        event = event_of(reading, name, data)
        index = _index(event)
        match kind := event.get("type") or name:
            case "response.output_text.delta":
                return _say(reading, event.get("delta"), index)
            case "response.output_text.annotation.added":
                _take_source(reading, mapping(event.get("annotation")))
            case "response.refusal.delta":
                reading.refuse(string(event.get("delta")))
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                reading.think(event.get("delta"))
            case "response.function_call_arguments.delta":
                return _argue(reading, event.get("delta"), index)
            case "response.output_item.added":
                _begin_item(reading, mapping(event.get("item")), index)
            case "response.output_item.done":
                # It may think for minutes before the next one, and says nothing in between.
                reading.at_work = True
                return _end_item(reading, mapping(event.get("item")), index)
            case "response.created" | "response.in_progress" | "response.queued":
                reading.at_work = True
                reading.serve(mapping(event.get("response")).get("model"))
            case "response.completed" | "response.incomplete" | "response.failed":
                response = mapping(event.get("response"))
                # Gateways end with `completed` whatever it was; the response itself says it, too.
                said = string(response.get("status"))
                return _end(reading, response, said if said in ENDED else ENDINGS[kind])
            case "error" if reading.error is None:
                reading.error = vendor_error(None, event)
        return ""

    def read_body(self, reading: PartialAnswer, body: Any) -> None:
        """Take in a whole response."""
        answer = body_of(reading, body)
        for item in objects(answer.get("output")):
            for thought in objects(item.get("summary")):  # in a stream it comes in pieces
                reading.think(thought.get("text"))
        _end(reading, answer, string(answer.get("status")))
        if type(answer.get("output")) is not list and reading.error is None:
            reading.error = unreadable("the answer holds no output", "")

    def read_error(self, status: int, body: Any) -> VendorError:
        """Classify an error body that came with this status.

        Where it is this wire that the server does not know, it is the search that is refused: the
        model can be asked on the other one.
        """
        error = vendor_error(status, body)
        said = str(body)[:MAX_READ]
        missing = status in NO_WIRE and not NO_MODEL.search(said)
        if missing or (status < 500 and "max_tool_calls" in said):
            return replace(error, refuses=error.refuses | {SEARCH})
        return error


OPENAI_RESPONSES: Dialect = OpenAIResponses()


def _index(event: dict[str, Any]) -> int:
    return index if type(index := event.get("output_index")) is int else -1


def _say(reading: PartialAnswer, text: object, index: int) -> str:
    """Take in text of a message; a further message is another paragraph."""
    if type(text) is not str or not text:
        return ""
    further = reading.text and reading.state.get("speaking") != index
    reading.state["speaking"] = index
    reading.at_work = False
    if index in reading.state.get("asides", ()):
        reading.think(text)
        return ""
    if further:
        text = f"\n\n{text}"
    reading.text.append(text)
    return text


def _begin_item(reading: PartialAnswer, item: dict[str, Any], index: int) -> None:
    match item.get("type"):
        case "message":
            _note_aside(reading, item, index)
        case "function_call":
            _begin_call(reading, item, index)


def _note_aside(reading: PartialAnswer, item: dict[str, Any], index: int) -> None:
    """Note a message that is no part of the answer: "Let me look that up first"."""
    asides: set[int] = reading.state.setdefault("asides", set())
    if item.get("phase") == "commentary" and len(asides) < MOST_ASIDES:
        asides.add(index)


def _end_item(reading: PartialAnswer, item: dict[str, Any], index: int) -> str:
    """Take in an item that is whole; return its text, unless that came in pieces before."""
    match item.get("type"):
        case "message" if reading.state.get("speaking") != index:
            return _take_message(reading, item, index)
        case "message":
            for part in objects(item.get("content")):
                _take_sources(reading, part)
        case "function_call":
            return _end_call(reading, item, index)
        case "web_search_call" if _is_search(item):
            reading.searches = (reading.searches or 0) + 1
    return ""


def _take_message(reading: PartialAnswer, item: dict[str, Any], index: int) -> str:
    _note_aside(reading, item, index)
    fresh = []
    for part in objects(item.get("content")):
        fresh.append(_say(reading, part.get("text"), index))
        _take_sources(reading, part)
        if not reading.refusal:  # or it came in pieces
            reading.refuse(string(part.get("refusal")))
    return "".join(fresh)


def _take_sources(reading: PartialAnswer, part: dict[str, Any]) -> None:
    for note in objects(part.get("annotations")):
        _take_source(reading, note)


def _take_source(reading: PartialAnswer, note: dict[str, Any]) -> None:
    url, title = note.get("url"), string(note.get("title"))
    # xAI has the address once more in the place of a title, or the source's number.
    cite(reading, url, "" if title == url or title.isdigit() else title)


def _is_search(item: dict[str, Any]) -> bool:
    """Return whether an item is a search that was made, and so is billed.

    Pages that are opened are not. A call beyond the number that may be made has an empty action;
    xAI's had none at all at first.
    """
    made = item.get("status") != "failed"
    return made and ("action" not in item or mapping(item["action"]).get("type") == "search")


# --- the user's and our own tools ---------------------------------------------------------------


def _begin_call(reading: PartialAnswer, item: dict[str, Any], index: int) -> None:
    calls: dict[int, tuple[dict[str, Any], list[str] | None]]
    calls = reading.state.setdefault("calls", {})
    if index in calls or len(calls) >= tool_calls.MOST_CALLS:
        return
    name = string(item.get("name"))[:MOST_NAME]
    id_ = string(item.get("call_id")) or string(item.get("id"))
    call: dict[str, Any] = {"id": id_[:MOST_NAME], "name": name, "arguments": {}}
    if tool_calls.is_submission(name) or tool_calls.begin(reading, call):
        calls[index] = (call, [])


def _argue(reading: PartialAnswer, piece: object, index: int) -> str:
    """Take in a piece of a call's arguments; return it where it hands in the answer."""
    call, pieces = reading.state.get("calls", {}).get(index, ({}, None))
    if pieces is None or type(piece) is not str or not piece:
        return ""
    if tool_calls.is_submission(call["name"]):
        # `pieces` holds nothing here: it only notes that the submission has begun.
        begins, pieces[:] = not pieces, [""]
        return tool_calls.submit(reading, piece, begins=begins)
    tool_calls.argue(reading, pieces, piece)
    return ""


def _end_call(reading: PartialAnswer, item: dict[str, Any], index: int) -> str:
    """Take in a call that is whole; return what it adds to the text, as a submission does."""
    _begin_call(reading, item, index)
    calls = reading.state["calls"]
    call, pieces = calls.get(index, ({}, None))
    if pieces is None:  # one too many, or it has ended before
        return ""
    fresh = "" if pieces else _argue(reading, item.get("arguments"), index)
    if not tool_calls.is_submission(call["name"]) and pieces:
        call["arguments"] = arguments("".join(pieces))
    calls[index] = (call, None)
    return fresh


# --- the end ------------------------------------------------------------------------------------


def _end(reading: PartialAnswer, response: dict[str, Any], status: str) -> str:
    """Take in the response as a whole; return its text, if none of it came before."""
    reading.serve(response.get("model"))
    items = objects(response.get("output"))
    fresh = []
    if not (reading.text or reading.refusal or reading.tool_calls):
        fresh = [_end_item(reading, item, i) for i, item in enumerate(items) if not _is_call(item)]
    listed = sum(_is_call(item) and _is_search(item) for item in items)
    reading.searches = max(reading.searches or 0, listed)
    if type(usage := response.get("usage")) is dict:
        _take_usage(reading, usage)
    if error := response.get("error"):
        reading.error = vendor_error(None, {"error": error})
    elif status == "failed" and reading.error is None:
        reading.error = vendor_error(None, {})
    reason = string(mapping(response.get("incomplete_details")).get("reason"))
    known = status == "incomplete" and reason.lower() in REASONS
    if status not in ("", "in_progress", "queued"):
        note_finish(reading, reason if known else status)
    return "".join(fresh)


def _is_call(item: dict[str, Any]) -> bool:
    return item.get("type") == "web_search_call"


def _take_usage(reading: PartialAnswer, usage: dict[str, Any]) -> None:
    """Take in tokens; xAI also counts the searches, and says what all of it costs."""
    reading.input_tokens = count(usage.get("input_tokens"))
    reading.output_tokens = count(usage.get("output_tokens"))
    reading.cached_tokens = count(mapping(usage.get("input_tokens_details")).get("cached_tokens"))
    details = mapping(usage.get("output_tokens_details"))
    reading.reasoning_tokens = count(details.get("reasoning_tokens"))
    used = mapping(usage.get("server_side_tool_usage_details"))
    searched = count(used.get("web_search_calls"))
    reading.searches = reading.searches if searched is None else searched
    reading.vendor_cost_usd = dollars_of(usage.get("cost_in_usd_ticks"))


# --- the request --------------------------------------------------------------------------------


CHOICES: dict[Choice, Any] = {
    Choice.NONE: "none",
    Choice.SOME: "required",
    Choice.SUBMIT: {"type": "function", "name": SUBMIT},
}


def _body(ask: Ask, endpoint: Endpoint) -> dict[str, Any]:
    """Return the body for an ask: a stream, and only the options that are set."""
    body: dict[str, Any] = {
        "model": ask.panelist.model_id,
        "input": [{"role": "user", "content": _content(ask)}],
        "stream": True,
        # As on the other wire: unasked, this one keeps what is said for a month.
        "store": False,
    }
    if ask.system:
        body["instructions"] = writable(ask.system)
    if ask.max_tokens is not None:
        body["max_output_tokens"] = ask.max_tokens
    if ask.temperature is not None:
        body["temperature"] = ask.temperature
    if effort := ask.panelist.route.effort:
        body["reasoning"] = {"effort": effort}
    if ask.schema is not None and not ask.submits:
        body["text"] = {"format": {"type": "json_schema", **schema_format(ask.schema)}}
    _add_tools(body, ask, endpoint)
    return body


def _content(ask: Ask) -> str | list[dict[str, Any]]:
    """Return the text as one string, or in parts behind the pictures."""
    if not (shown := encoded_pictures(ask)):
        return writable(ask.text)
    parts = [
        {"type": "input_image", "image_url": f"data:{kind};base64,{data}", "detail": "auto"}
        for kind, data in shown
    ]
    return [*parts, {"type": "input_text", "text": writable(ask.text)}]


def _add_tools(body: dict[str, Any], ask: Ask, endpoint: Endpoint) -> None:
    own = [{"type": "web_search"}] if ask.own_search else []
    tools = tool_calls.offered_tools(ask, endpoint)
    if own or tools:
        body["tools"] = [*own, *(_function(t) for t in tools)]
    if ask.own_search and ask.own_search.bounded:
        body["max_tool_calls"] = ask.own_search.most
    if tools:
        wanted = tool_calls.choice(ask, tools)
        if isinstance(wanted, str):
            body["tool_choice"] = {"type": "function", "name": wanted}
        elif chosen := CHOICES.get(wanted):
            body["tool_choice"] = chosen
        if not ask.parallel:
            body["parallel_tool_calls"] = False
        for turn, exchange in enumerate(ask.exchanges):
            body["input"] += _turn(exchange, turn)


def _function(tool: Tool) -> dict[str, Any]:
    # Unasked, this wire takes every schema for a strict one, and refuses those that are not.
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }


def _turn(exchange: Exchange, turn: int) -> list[dict[str, Any]]:
    """Return a turn in which tools were called: what was said, the calls, and their results."""
    uses = tool_calls.with_ids(exchange.uses, turn)
    said = [{"role": "assistant", "content": writable(exchange.text)}] if exchange.text else []
    calls = [
        {
            "type": "function_call",
            "call_id": id_,
            "name": use.name,
            "arguments": tool_calls.arguments_text(use),
        }
        for id_, use in uses
    ]
    results = [
        {"type": "function_call_output", "call_id": id_, "output": writable(use.result)}
        for id_, use in uses
    ]
    return [*said, *calls, *results]
