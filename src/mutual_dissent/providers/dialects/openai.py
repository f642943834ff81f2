"""The chat-completions wire: OpenAI, OpenRouter, xAI, Groq, Perplexity, Ollama and many others."""

from __future__ import annotations

import re
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
    add,
)
from mutual_dissent.providers.dialects.citations import cite
from mutual_dissent.providers.dialects.errors import body_of, event_of, unreadable, vendor_error
from mutual_dissent.providers.dialects.finish import note_finish
from mutual_dissent.providers.dialects.frame import frame_around
from mutual_dissent.providers.dialects.json_values import (
    arguments,
    count,
    dollars,
    dollars_of,
    mapping,
    objects,
    string,
    writable,
)
from mutual_dissent.providers.dialects.pictures import encoded_pictures
from mutual_dissent.providers.dialects.tool_calls import Choice
from mutual_dissent.providers.endpoints import Endpoint

# Each ending joins all calls again, so that a flood of endings would hold up the loop.
MOST_ENDINGS = 3


class OpenAIChat:
    """Chat completions, as OpenAI defines them and others vary them."""

    def request(self, ask: Ask, endpoint: Endpoint) -> WireRequest:
        """Return the streaming request for an ask."""
        headers = {"content-type": "application/json", "accept": "text/event-stream"}
        if endpoint.key:
            headers["authorization"] = f"Bearer {endpoint.key.reveal()}"
        return WireRequest(
            url=f"{endpoint.base_url.rstrip('/')}/chat/completions",
            headers=headers,
            body=request_body(ask, endpoint),
        )

    def read_event(self, reading: PartialAnswer, name: str, data: str) -> str:
        """Take in one chunk; return the new text in it, if any."""
        event = event_of(reading, name, data)
        fresh = _take(reading, event, ("delta", "message")) if event else ""
        if fresh and _is_plain(event):
            reading.frame = frame_around(fresh, name, data, "content")
        return fresh

    def read_body(self, reading: PartialAnswer, body: Any) -> None:
        """Take in a whole completion."""
        answer = body_of(reading, body)
        _take(reading, answer, ("message", "delta"))
        if not objects(answer.get("choices")) and reading.error is None:
            reading.error = unreadable("the answer holds no choices", "")

    def read_error(self, status: int, body: Any) -> VendorError:
        """Classify an error body that came with this status."""
        return vendor_error(status, body)


OPENAI_CHAT: Dialect = OpenAIChat()


# What may stand beside a piece of text without being read. Any other field (`error`, `x_groq`,
# `citations`) means that the event must be parsed whole, and gives no frame.
_PLAIN_EVENT = frozenset(
    "id object created model choices provider system_fingerprint service_tier usage "
    "obfuscation".split()
)
_PLAIN_CHOICE = frozenset("index delta finish_reason logprobs native_finish_reason".split())
_PLAIN_DELTA = frozenset(("role", "content"))


def _is_plain(event: dict[str, Any]) -> bool:
    """Return whether an event holds one piece of text and nothing else, as nearly all do."""
    choices = event["choices"]
    choice = choices[0]
    return (
        len(choices) == 1
        and choice.keys() <= _PLAIN_CHOICE
        and choice.get("finish_reason") is None
        and type(choice.get("delta")) is dict
        and choice["delta"].keys() <= _PLAIN_DELTA
        and event.keys() <= _PLAIN_EVENT
        and event.get("usage") is None
    )


def _take(reading: PartialAnswer, event: dict[str, Any], parts: tuple[str, str]) -> str:
    fresh = ""
    reading.serve(event.get("model"))
    choice = _first(event.get("choices"))
    if choice is not None:
        message = choice.get(parts[0])
        if type(message) is not dict:
            message = mapping(choice.get(parts[1]))
        if message:
            fresh = _take_message(reading, message)
        if reason := choice.get("finish_reason"):
            note_finish(reading, reason)
            _settle_calls(reading)
        # Where OpenRouter reports a failure of the vendor behind it in an answer.
        if choice.get("error"):
            reading.error = vendor_error(None, choice)
    _take_around(reading, event, choice or {})
    return fresh


def _first(choices: object) -> dict[str, Any] | None:
    """Return the choice that was asked for: vendors may add others, or number none."""
    for choice in objects(choices):
        index = choice.get("index")
        if type(index) is not int or index == 0:
            return choice
    return None


def _take_message(reading: PartialAnswer, message: dict[str, Any]) -> str:
    content = message.get("content")
    fresh = content if type(content) is str else _parts(reading, content) if content else ""
    if fresh:
        reading.text.append(fresh)
    if len(message) > 1 or type(content) is not str:
        fresh += _take_extras(reading, message)
    return fresh


def _take_extras(reading: PartialAnswer, message: dict[str, Any]) -> str:
    """Take in what stands beside the text; return a submission, to be shown as text."""
    reading.think(_thought(message))
    _keep_thoughts(reading, message)
    if refusal := string(message.get("refusal")):
        reading.refuse(refusal)
    calls = objects(message.get("tool_calls"))
    # OpenAI's form before there was `tool_calls`: one call, and no id.
    if function := mapping(message.get("function_call")):
        calls.append({"function": function})
    handed_in = "".join([_take_call(reading, call) for call in calls])
    for note in objects(message.get("annotations")):
        source = mapping(note.get("url_citation")) or note
        cite(reading, source.get("url"), source.get("title"))
    # Groq's compound models search by themselves.
    for tool in objects(message.get("executed_tools")):
        if mapping(tool.get("search_results")):
            reading.searches = (reading.searches or 0) + 1
        for result in objects(mapping(tool.get("search_results")).get("results")):
            cite(reading, result.get("url"), result.get("title"))
    return handed_in


def _parts(reading: PartialAnswer, content: object) -> str:
    """Return the text of a content list; Mistral's thinking parts go to the reasoning."""
    pieces = []
    for part in objects(content):
        if part.get("type") in ("thinking", "reasoning"):
            inner = part.get("thinking")
            thought = [inner] if type(inner) is str else [p.get("text") for p in objects(inner)]
            for piece in thought:
                reading.think(piece)
        elif part.get("type") == "refusal":
            reading.refuse(string(part.get("refusal")))
        else:
            pieces.append(string(part.get("text")))
    return "".join(pieces)


def _thought(message: dict[str, Any]) -> str:
    """Return the reasoning, under whichever of several names the vendor uses."""
    # OpenRouter tells a thought twice, as `reasoning` and in `reasoning_details`: one counts.
    for name in ("reasoning_content", "reasoning"):
        if thought := string(message.get(name)):
            return thought
    details = objects(message.get("reasoning_details"))
    return "".join(string(d.get("text")) or string(d.get("summary")) for d in details)


def _keep_thoughts(reading: PartialAnswer, message: dict[str, Any]) -> None:
    """Note the thoughts as they came; fragments of one text are joined, all else stays as it is."""
    thought = string(message.get("reasoning_content"))
    if thought and tool_calls.has_room(reading, thought):
        add(reading.state.setdefault("reasoning_content", []), thought)
    for detail in objects(message.get("reasoning_details")):
        if not tool_calls.has_room(reading, *(v for v in detail.values() if type(v) is str)):
            return
        details: list[dict[str, Any]] = reading.state.setdefault("reasoning_details", [])
        last = details[-1] if details else {}
        if all(d.get("type") == "reasoning.text" for d in (last, detail)) and (
            last.get("index") == detail.get("index")
        ):
            # Joined at the end: a string that grows with each piece would be copied each time.
            pieces = last["pieces"]
            pieces.append(string(detail.get("text")))
            last.update((k, v) for k, v in detail.items() if v)
        else:
            details.append({**detail, "pieces": [string(detail.get("text"))]})


def _take_call(reading: PartialAnswer, fragment: dict[str, Any]) -> str:
    """Take in a tool call or a fragment of one; fragments are joined when the answer ends.

    Returns what it adds to the text, which only the call that hands in the answer does.
    """
    calls: dict[int, tuple[dict[str, Any], list[str]]] = reading.state.setdefault("calls", {})
    function = mapping(fragment.get("function"))
    name, id_ = string(function.get("name")), string(fragment.get("id"))
    place = _place(calls, fragment.get("index"), name, id_)
    if place not in calls:
        call: dict[str, Any] = {"id": id_[:MOST_NAME], "name": name[:MOST_NAME], "arguments": ""}
        if len(calls) >= tool_calls.MOST_CALLS or not (
            tool_calls.is_submission(name) or tool_calls.begin(reading, call)
        ):
            return ""
        calls[place] = (call, [])
    call, pieces = calls[place]
    call["id"] = call["id"] or id_[:MOST_NAME]
    call["name"] = call["name"] or name[:MOST_NAME]
    value = function.get("arguments")
    if tool_calls.is_submission(call["name"]):
        # `pieces` holds nothing here: it only notes that the submission has begun.
        begins, pieces[:] = not pieces, [""]
        return tool_calls.submit(reading, mapping(value) or string(value), begins=begins)
    if type(value) is dict:
        call["arguments"] = tool_calls.whole(reading, value)
    elif type(value) is str and value:
        tool_calls.argue(reading, pieces, value)
    return ""


def _place(calls: dict[int, Any], index: object, name: str, id_: str) -> int:
    """Return the number of a fragment's call; some vendors number every call 0, or none at all."""
    last = max(calls, default=-1)
    if type(index) is not int:
        return last + 1 if name or not calls else last
    # A fragment with a name and an id of its own begins a call, though its number is taken.
    if index in calls and name and id_:
        begun = calls[index][0]
        return index if begun["id"] in ("", id_) else last + 1
    return index


def _settle_calls(reading: PartialAnswer) -> None:
    """Take in the end of the answer: its calls are whole. Repeated endings are ignored."""
    reading.state["ended"] = 1 + reading.state.get("ended", 0)
    if reading.state["ended"] > MOST_ENDINGS:
        return
    for call, pieces in reading.state.get("calls", {}).values():
        if type(call["arguments"]) is str:
            call["arguments"] = arguments("".join(pieces))
    if reading.tool_calls:
        details = [_whole(d) for d in reading.state.get("reasoning_details", [])]
        # Both would tell the vendor the same thought twice.
        thoughts = "" if details else "".join(reading.state.get("reasoning_content", []))
        tool_calls.keep(
            reading.tool_calls[0], reasoning_details=details, reasoning_content=thoughts
        )


def _whole(detail: dict[str, Any]) -> dict[str, Any]:
    """Return a thought without our notes on it."""
    plain = {k: v for k, v in detail.items() if k != "pieces"}
    return {**plain, "text": "".join(detail["pieces"])} if "text" in detail else plain


def _take_around(reading: PartialAnswer, event: dict[str, Any], choice: dict[str, Any]) -> None:
    """Take in what stands beside the answer: usage, in one of three places, and sources."""
    usage = event.get("usage") or mapping(event.get("x_groq")).get("usage") or choice.get("usage")
    if usage and type(usage) is dict:
        take_usage(reading, usage)
    if results := event.get("search_results"):
        for result in objects(results):
            cite(reading, result.get("url"), result.get("title"))
    if (urls := event.get("citations")) and type(urls) is list:
        for url in urls:
            source = mapping(url)
            cite(reading, source.get("url") if source else url, source.get("title"))


def take_usage(reading: PartialAnswer, usage: dict[str, Any]) -> None:
    """Take in tokens and cost; vendors differ in their names."""
    prompt = mapping(usage.get("prompt_tokens_details"))
    completion = mapping(usage.get("completion_tokens_details"))
    reading.input_tokens = count(usage.get("prompt_tokens"))
    reading.output_tokens = count(usage.get("completion_tokens"))
    # OpenAI and most others, DeepSeek, Moonshot, Mistral.
    reading.cached_tokens = _first_count(
        prompt.get("cached_tokens"),
        usage.get("prompt_cache_hit_tokens"),
        usage.get("cached_tokens"),
        usage.get("num_cached_tokens"),
    )
    reading.reasoning_tokens = _first_count(
        completion.get("reasoning_tokens"), usage.get("reasoning_tokens")
    )
    searched = count(mapping(usage.get("server_tool_use_details")).get("web_search_requests"))
    reading.searches = reading.searches if searched is None else searched
    _add_reasoning_billed_apart(reading, count(usage.get("total_tokens")))
    reading.vendor_cost_usd = _cost(usage)


def _add_reasoning_billed_apart(reading: PartialAnswer, total: int | None) -> None:
    """Add the reasoning to the output: xAI counts it in the total, but not in the completion."""
    asked, said, thought = reading.input_tokens, reading.output_tokens, reading.reasoning_tokens
    if thought and asked is not None and said is not None and total == asked + said + thought:
        reading.output_tokens = said + thought


def _first_count(*values: object) -> int | None:
    return next((n for v in values if (n := count(v)) is not None), None)


def _cost(usage: dict[str, Any]) -> float | None:
    """Return the vendor's charge; behind OpenRouter, also what the user's own key pays."""
    if (charged := dollars_of(usage.get("cost_in_usd_ticks"))) is not None:  # xAI
        return charged
    # OpenRouter gives a number, Perplexity an object with its parts.
    cost = usage.get("cost")
    charged = dollars(mapping(cost).get("total_cost") if type(cost) is dict else cost)
    if charged is not None and usage.get("is_byok") is True:
        behind = dollars(mapping(usage.get("cost_details")).get("upstream_inference_cost"))
        # The key's owner pays OpenRouter a fee, and the vendor behind it the rest.
        return None if behind is None else charged + behind
    return charged


THOUGHTS = ("reasoning_details", "reasoning_content")
"""The fields that OpenRouter and DeepSeek want to see again beside the calls they led to."""

CHOICES: dict[Choice, Any] = {
    Choice.NONE: "none",
    Choice.SOME: "required",
    Choice.SUBMIT: {"type": "function", "function": {"name": SUBMIT}},
}

SEARCHING: dict[str, dict[str, Any]] = {
    # The engine and the number are those that the price of a search is known for.
    "openrouter": {"plugins": [{"id": "web", "engine": "exa", "max_results": 5}]},
    "openai": {"web_search_options": {}},
}
"""What has a vendor search by itself; those that are not here do so unasked."""


def request_body(ask: Ask, endpoint: Endpoint) -> dict[str, Any]:
    """Return the body for an ask: a stream with its usage, and only the options that are set."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": _content(ask)}]
    if ask.system:
        messages.insert(0, {"role": "system", "content": writable(ask.system)})
    body: dict[str, Any] = {
        "model": ask.panelist.model_id,
        "messages": messages,
        "stream": True,
        # Unasked, OpenAI and many others send no usage with a stream.
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
        body["response_format"] = {"type": "json_schema", "json_schema": schema_format(ask.schema)}
    _add_tools(body, ask, endpoint)
    return body


def _content(ask: Ask) -> str | list[dict[str, Any]]:
    """Return the text as one string, or in parts behind the pictures."""
    if not (shown := encoded_pictures(ask)):
        return writable(ask.text)
    parts = [
        {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}
        for kind, data in shown
    ]
    return [*parts, {"type": "text", "text": writable(ask.text)}]


def _add_tools(body: dict[str, Any], ask: Ask, endpoint: Endpoint) -> None:
    if ask.own_search:
        body |= SEARCHING.get(endpoint.vendor, {})
    if tools := tool_calls.offered_tools(ask, endpoint):
        body["tools"] = [{"type": "function", "function": _function(t)} for t in tools]
        wanted = tool_calls.choice(ask, tools)
        if isinstance(wanted, str):
            body["tool_choice"] = {"type": "function", "function": {"name": wanted}}
        elif chosen := CHOICES.get(wanted):
            body["tool_choice"] = chosen
        if not ask.parallel:
            body["parallel_tool_calls"] = False
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


def schema_format(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema with the name that OpenAI wants it to have."""
    # OpenAI refuses other characters in the name of a schema, and more than 64 of them.
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", string(schema.get("title"))).strip("_")[:64]
    return {"name": name or "answer", "schema": schema, "strict": True}
