"""The events that agent programs write, one object a line, and the words of their failures."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Protocol

from mutual_dissent.core.response import ErrorKind
from mutual_dissent.providers.dialects.base import PartialAnswer, VendorError
from mutual_dissent.providers.dialects.errors import vendor_error
from mutual_dissent.providers.dialects.finish import note_finish
from mutual_dissent.providers.dialects.json_values import (
    count,
    decode_event,
    dollars,
    mapping,
    objects,
    string,
)

Event = dict[str, Any]
# Such as: API Error: 401; HTTP/1.1 429; status code: 503; "code": 404.
_STATUS = re.compile(
    r'(?:\bstatus(?: code)?:?|"code":|\bAPI Error:|\bHTTP(?:/[\d.]{1,5})?)\s{0,3}"?([45]\d\d)\b',
    re.IGNORECASE,
)
_BY_WORDS = {
    ErrorKind.AUTH: re.compile(
        r"not logged in|log ?in required|please (?:run )?/?log ?in|unauthorized|auth method"
        r"|authentication|credentials|sign in|token (?:has |is )?expired|_API_KEY\b",
        re.IGNORECASE,
    ),
    ErrorKind.RATE_LIMIT: re.compile(
        r"(?:usage|rate)[ _-]?limit|\bquota\b|too many requests|limit reached", re.IGNORECASE
    ),
    ErrorKind.OVERLOADED: re.compile(r"overloaded|capacity|unavailable", re.IGNORECASE),
    ErrorKind.CONNECTION: re.compile(
        r"ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|does not resolve|lookup address"
        r"|connection (?:failed|refused|error|reset)|fetch failed|network",
        re.IGNORECASE,
    ),
}


class Listening(Protocol):
    """A receiver of an answer's pieces."""

    reading: PartialAnswer

    def say(self, text: str) -> None:
        """Take a piece of the answer."""

    def start_over(self) -> None:
        """Forget the pieces so far."""


def classify_failure(words: str, status: int | None = None) -> VendorError:
    """Classify the failure that a program describes in its own words, or its vendor's."""
    inner = decode_event(words) if words.startswith("{") else None
    if status is None and (code := _STATUS.search(words[:4000])):
        status = int(code[1])
    error = vendor_error(status, inner or {"message": words})
    if error.kind is not ErrorKind.BAD_RESPONSE:
        return error
    kinds = (kind for kind, pattern in _BY_WORDS.items() if pattern.search(words[:4000]))
    return replace(error, kind=next(kinds, error.kind))


def claude(to: Listening, event: Event) -> None:
    """Take in an event of `claude --output-format stream-json`."""
    match string(event.get("type")):
        case "system" if event.get("subtype") == "api_retry":
            _claude_retries(to.reading, event)
        case "stream_event":
            _claude_streams(to, mapping(event.get("event")))
        case "assistant":
            _claude_says(to, event)
        case "result":
            _claude_ends(to, event)


def _claude_retries(reading: PartialAnswer, event: Event) -> None:
    """Note a retry. It retries ten times, also where the login was refused: that is not awaited."""
    status = count(event.get("error_status"))
    error = classify_failure(string(event.get("error")).replace("_", " "), status)
    reading.state["trouble"] = error
    if error.kind is ErrorKind.AUTH:
        reading.error = error


def _claude_streams(to: Listening, event: Event) -> None:
    match string(event.get("type")):
        case "message_start":
            # The program retries by itself: a new message takes the place of what was streamed
            # before it.
            to.start_over()
            model = string(mapping(event.get("message")).get("model"))
            to.reading.served_model = model or to.reading.served_model
        case "content_block_delta":
            delta = mapping(event.get("delta"))
            if delta.get("type") == "text_delta":
                to.say(string(delta.get("text")))


def _claude_says(to: Listening, event: Event) -> None:
    """Take in a whole message: news only where its pieces were not streamed."""
    message = mapping(event.get("message"))
    text = "".join(string(part.get("text")) for part in objects(message.get("content")))
    if word := string(event.get("error")):
        to.reading.state["trouble"] = classify_failure(f"{word.replace('_', ' ')}: {text}")
    elif not to.reading.text:
        to.say(text)


def _claude_ends(to: Listening, event: Event) -> None:
    reading, usage, text = to.reading, mapping(event.get("usage")), string(event.get("result"))
    cached, written = (
        count(usage.get(f"cache_{what}_input_tokens")) or 0 for what in ("read", "creation")
    )
    fresh = count(usage.get("input_tokens"))
    reading.input_tokens = None if fresh is None else fresh + cached + written
    reading.output_tokens = count(usage.get("output_tokens"))
    reading.cached_tokens = cached
    reading.vendor_cost_usd = dollars(event.get("total_cost_usd"))
    if event.get("is_error"):
        words = text or string(event.get("subtype")).replace("_", " ") or "an error without a word"
        error = classify_failure(words, count(event.get("api_error_status")))
        trouble = reading.state.get("trouble")
        reading.error = trouble if error.kind is ErrorKind.BAD_RESPONSE and trouble else error
        return
    if text and text != "".join(reading.text):
        to.start_over()
        to.say(text)
    note_finish(reading, event.get("stop_reason") or "stop")


def codex(to: Listening, event: Event) -> None:
    """Take in an event of `codex exec --json`; only its last message is the answer."""
    reading, item = to.reading, mapping(event.get("item"))
    match string(event.get("type")):
        case "item.completed" if item.get("type") == "agent_message":
            to.start_over()
            to.say(string(item.get("text")))
        case "turn.completed":
            usage = mapping(event.get("usage"))
            reading.input_tokens = count(usage.get("input_tokens"))
            reading.output_tokens = count(usage.get("output_tokens"))
            reading.cached_tokens = count(usage.get("cached_input_tokens"))
            reading.reasoning_tokens = count(usage.get("reasoning_output_tokens"))
            note_finish(reading, "stop")
        case "turn.failed":
            message = string(mapping(event.get("error")).get("message"))
            reading.error = classify_failure(message or "its turn failed")
        case "error":  # it retries by itself
            reading.state["trouble"] = classify_failure(string(event.get("message")))


def gemini(to: Listening, event: Event) -> None:
    """Take in an event of `gemini --output-format stream-json`."""
    reading = to.reading
    match string(event.get("type")):
        case "message" if event.get("role") == "assistant":
            to.say(string(event.get("content")))
        case "error":
            reading.state["trouble"] = classify_failure(string(event.get("message")))
        case "result":
            stats = mapping(event.get("stats"))
            reading.input_tokens = count(stats.get("input_tokens"))
            reading.output_tokens = count(stats.get("output_tokens"))
            reading.cached_tokens = count(stats.get("cached"))
            models = list(mapping(stats.get("models")))
            # It may use several in one run; then nobody can say which of them wrote the answer.
            reading.served_model = models[0] if len(models) == 1 else None
            if event.get("status") == "success":
                note_finish(reading, "stop")
            else:
                message = string(mapping(event.get("error")).get("message"))
                reading.error = classify_failure(message or "an error without a word")
