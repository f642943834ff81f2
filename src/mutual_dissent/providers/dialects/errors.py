"""Vendors' failures, in whatever shape they come, classified once."""

from __future__ import annotations

import re
from typing import Any

from mutual_dissent.core.errors import clip
from mutual_dissent.core.response import ErrorKind
from mutual_dissent.providers.dialects.base import PartialAnswer, VendorError
from mutual_dissent.providers.dialects.capabilities import refused_parts
from mutual_dissent.providers.dialects.json_values import decode_event, mapping, objects, string

MAX_MESSAGE = 200
MAX_READ = 4000

BY_STATUS = {
    401: ErrorKind.AUTH,
    402: ErrorKind.CREDITS,
    403: ErrorKind.FORBIDDEN,
    404: ErrorKind.UNKNOWN_MODEL,
    408: ErrorKind.TIMEOUT,
    429: ErrorKind.RATE_LIMIT,
}

BY_WORD = {
    **dict.fromkeys(
        ("authentication_error", "unauthenticated", "invalid_api_key", "api_key_invalid"),
        ErrorKind.AUTH,
    ),
    **dict.fromkeys(("permission_error", "permission_denied"), ErrorKind.FORBIDDEN),
    **dict.fromkeys(("billing_error", "insufficient_quota"), ErrorKind.CREDITS),
    **dict.fromkeys(
        ("rate_limit_error", "rate_limit_exceeded", "resource_exhausted", "too_many_requests"),
        ErrorKind.RATE_LIMIT,
    ),
    **dict.fromkeys(
        ("overloaded_error", "overloaded", "api_error", "server_error", "internal_server_error",
         "internal", "internal_error", "unavailable", "service_unavailable", "engine_overloaded"),
        ErrorKind.OVERLOADED,
    ),
    **dict.fromkeys(("timeout_error", "timeout", "deadline_exceeded"), ErrorKind.TIMEOUT),
    **dict.fromkeys(
        ("not_found_error", "model_not_found", "not_found", "invalid_model"),
        ErrorKind.UNKNOWN_MODEL,
    ),
    **dict.fromkeys(
        ("invalid_request_error", "invalid_argument", "failed_precondition", "request_too_large",
         "context_length_exceeded", "bad_request"),
        ErrorKind.BAD_REQUEST,
    ),
}  # fmt: skip

# "Your credit balance is too low" (Anthropic, 400), "insufficient_quota" (OpenAI, 429), "Your newly
# created team doesn't have any credits yet" (xAI, 403), "Key limit exceeded" (OpenRouter, 403).
NO_CREDITS = re.compile(
    r"insufficient[ _](quota|credits?|balance|funds)|credit balance is too low"
    r"|(have|has) (any|no|not enough) credits?\b|used all available credits"
    r"|key limit exceeded|spend(ing)? limit"
    r"|billing_(error|hard_limit_reached|not_active)",
    re.IGNORECASE,
)
# "foo/bar is not a valid model ID" (OpenRouter, 400), "model 'x' not found" (Ollama).
NO_MODEL = re.compile(
    r"model_not_found|invalid_model|not a valid model|(unknown|invalid|no such) model\b"
    r"|\bmodels?\b.{0,120}?\b(not found|does not exist|not exist)\b",
    re.IGNORECASE | re.DOTALL,
)
# Google answers 400 or 403 to a bad key: "API key not valid", "API_KEY_INVALID", "reported as
# leaked"; so does xAI: "Incorrect API key provided", 400.
BAD_KEY = re.compile(
    r"API_KEY_(INVALID|\w{1,40}_BLOCKED)|CONSUMER_SUSPENDED|SERVICE_DISABLED|unregistered callers"
    r"|api key (is |was |has been )?(not valid|invalid|expired|disabled|revoked|suspended)"
    r"|api key .{0,30}leaked|(invalid|incorrect) api key",
    re.IGNORECASE,
)
PASSED_ON = re.compile(r"provider returned error", re.IGNORECASE)
PAGE = re.compile(r"\s{0,100}<(!doctype|html|head)", re.IGNORECASE)
TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,300})<", re.IGNORECASE)
# OpenRouter answers 403 with `flagged_input`: no word about the key or the model's access.
FLAGGED = re.compile(
    r"content_filter|content_policy|flagged by|was flagged|flagged_input", re.IGNORECASE
)
TOO_LONG = re.compile(
    r"context[ _](length|window)|too many tokens|prompt is too long", re.IGNORECASE
)


def vendor_error(status: int | None, body: Any) -> VendorError:
    """Classify the failure that a body describes.

    Args:
        status: of the HTTP answer; below 400 or None for an error inside a good answer, where the
            code in the body counts instead.
        body: parsed JSON, or the text of a body that is not JSON.
    """
    error = _error_object(body)
    code = status if status is not None and status >= 400 else _inner_status(error)
    words = [string(error.get(k))[:80].lower() for k in ("code", "type", "status", "error_type")]
    message = _message(error)
    upstream = _is_upstream(error, message)
    kind = _kind(code, words, " ".join([*words, message, _reasons(error)]))
    if kind is ErrorKind.AUTH and upstream:
        kind = ErrorKind.FORBIDDEN  # our key was good enough for the gateway
    elif kind is ErrorKind.FORBIDDEN and type(body) is str and PAGE.match(body):
        kind = ErrorKind.CONNECTION  # a page for people: something on the way refused
    return VendorError(
        kind=kind,
        message=_sentence(message, code if code is not None else status),
        status=code,
        retry_after=_retry_delay(error),
        refuses=_refuses(error, message),
        upstream=upstream,
    )


def event_of(reading: PartialAnswer, name: str, data: str) -> dict[str, Any]:
    """Return the object in an event, empty where there is none; errors go to the reading."""
    event = decode_event(data)
    if event is None:
        if name == "error":
            reading.error = vendor_error(None, data)
        elif reading.finish is None and reading.error is None:
            # After the finish reason a broken event cannot take anything from the answer.
            reading.error = unreadable("an event of the stream is not JSON", data)
        return {}
    if name == "error" or event.get("error"):
        reading.error = vendor_error(None, event)
    return event


def body_of(reading: PartialAnswer, body: Any) -> dict[str, Any]:
    """Return the object in a whole answer, empty where there is none; errors go to the reading."""
    if type(body) is not dict:
        shown = "" if type(body) is list else str(body)[:MAX_MESSAGE]  # a list may be very long
        reading.error = unreadable("the answer is not a JSON object", shown)
        return {}
    if body.get("error") or body.get("object") == "error":
        reading.error = vendor_error(None, body)
    return body


def unreadable(why: str, text: str) -> VendorError:
    """Return the failure to read what a vendor sent."""
    shown = _plain(text)
    message = _clipped(f"{why}: {shown}" if shown else why)
    return VendorError(kind=ErrorKind.BAD_RESPONSE, message=message)


def _error_object(body: Any) -> dict[str, Any]:
    # Google wraps the error of a stream in a list of one.
    if type(body) is list:
        body = next(iter(objects(body)), {})
    if type(body) is not dict:
        return {"message": _page(body) if type(body) is str else ""}
    error = body.get("error")
    if type(error) is dict:
        return error
    if type(error) is str:
        return {**body, "message": body.get("message") or error}
    return body


def _inner_status(error: dict[str, Any]) -> int | None:
    # Google has words in `status` and the number in `code`; others have words in `code`.
    for key in ("code", "status_code", "status"):
        value = error.get(key)
        if type(value) is str and value.isascii() and value.isdigit() and len(value) == 3:
            value = int(value)
        if type(value) is int and 400 <= value <= 599:
            return value
    return None


def _message(error: dict[str, Any]) -> str:
    """Return the vendor's sentence; through a gateway, also that of the vendor behind it."""
    sentence = error.get("message") or error.get("detail") or error.get("failed_generation")
    if type(sentence) is not str:
        sentence = string(next(iter(objects(sentence)), {}).get("msg"))
    sentence = sentence[:MAX_READ]
    # OpenRouter: {"message": "Provider returned error", "metadata": {"raw": "...", ...}}
    raw = string(mapping(error.get("metadata")).get("raw"))[:MAX_READ]
    return f"{sentence[:1000]}: {raw[:1000]}" if raw and sentence else sentence or raw


def _page(text: str) -> str:
    """Return the title of a page in place of an answer; any other text as it is."""
    text = text[:MAX_READ]
    titled = TITLE.search(text) if PAGE.match(text) else None
    return titled[1] if titled else text


def _is_upstream(error: dict[str, Any], message: str) -> bool:
    """Return whether a gateway says that the vendor behind it has refused."""
    named = string(mapping(error.get("metadata")).get("provider_name"))
    return bool(named or PASSED_ON.search(message))


def _reasons(error: dict[str, Any]) -> str:
    """Return the machine-readable cause, from where vendors hide it."""
    details = " ".join(string(d.get("reason"))[:80] for d in objects(error.get("details"))[:10])
    flagged = "flagged_input" if "flagged_input" in mapping(error.get("metadata")) else ""
    return f"{details} {flagged}"


def _refuses(error: dict[str, Any], message: str) -> frozenset[str]:
    """Return the parts of the request that it is about; OpenAI and FastAPI name the field apart."""
    if TOO_LONG.search(message):  # it may well count the tokens of tools and schema
        return frozenset()
    detail = next(iter(objects(error.get("detail"))), {})
    place = detail.get("loc")
    where = map(string, place[:10]) if type(place) is list else ()
    return refused_parts(" ".join([message, string(error.get("param"))[:200], *where]))


def _kind(status: int | None, words: list[str], text: str) -> ErrorKind:
    text = text[:MAX_READ]
    # Whatever the words: a failing server may say anything, and may work a moment later.
    if status is not None and status >= 500:
        return ErrorKind.OVERLOADED
    if special := _special(status, text):
        return special
    if status in BY_STATUS:
        return BY_STATUS[status]
    if status is not None:
        return ErrorKind.BAD_REQUEST
    return next((BY_WORD[w] for w in words if w in BY_WORD), ErrorKind.BAD_RESPONSE)


def _special(status: int | None, text: str) -> ErrorKind | None:
    """Return the kind that the words tell better than the status."""
    if NO_CREDITS.search(text) and status != 401:
        return ErrorKind.CREDITS
    # These say plainly what they mean; of the others vendors use 400, 403 and 404 for many things.
    if status in (401, 402, 408, 429):
        return None
    if BAD_KEY.search(text):
        return ErrorKind.AUTH
    if FLAGGED.search(text):
        return ErrorKind.FILTERED
    # Before NO_MODEL: "the context window of model x ..." is not about an unknown model.
    if TOO_LONG.search(text):
        return ErrorKind.BAD_REQUEST
    # OpenAI's 403 "Project does not have access to model" has the code `model_not_found`.
    if status != 403 and NO_MODEL.search(text):
        return ErrorKind.UNKNOWN_MODEL
    return None


def _retry_delay(error: dict[str, Any]) -> float | None:
    """Return the wait that Google asks for in the body: `"retryDelay": "34s"`."""
    for detail in objects(error.get("details"))[:10]:
        if delay := re.fullmatch(r"(\d{1,6}(?:\.\d{1,9})?)s", string(detail.get("retryDelay"))):
            return float(delay[1])
    return None


def _sentence(message: str, status: int | None) -> str:
    sentence = _plain(message)
    if not sentence:
        sentence = "the vendor reported an error without a word"
        sentence = f"{sentence} (status {status})" if status is not None else sentence
    return _clipped(sentence)


def _clipped(text: str) -> str:
    short = text if len(text) <= MAX_MESSAGE else text[: MAX_MESSAGE - 1] + "…"
    return short if short.isprintable() else clip(short, MAX_MESSAGE)


def _plain(text: str) -> str:
    return " ".join(text[:2000].split())
