"""Sentences about failed calls: the vendor, the model, never the key."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from mutual_dissent.core.errors import clip
from mutual_dissent.core.response import ErrorKind, Finish
from mutual_dissent.providers.dialects.base import PartialAnswer, VendorError
from mutual_dissent.providers.endpoints import Endpoint
from mutual_dissent.providers.redaction import excerpt

KEPT_OTHERWISE = "with strict model off, such answers are kept and marked"


def error_message(
    error: VendorError, endpoint: Endpoint, model: str, known: Iterable[str] = ()
) -> str:
    """Return the sentence for a vendor's failure.

    Args:
        error: the failure, classified.
        endpoint: the vendor.
        model: the id that was asked for.
        known: names to suggest should the vendor not know the model.
    """
    words = excerpt(error.message, endpoint.key, 300)
    status = f" (HTTP {error.status})" if error.status else ""
    who = f"{endpoint.vendor} ({clip(model)})"
    match error.kind:
        case ErrorKind.AUTH:
            return f"{who} refused the key{status}: {words}; {_other_key(endpoint)}"
        case ErrorKind.FORBIDDEN:
            advice = f"seat another model, or {_other_key(endpoint)} for it"
            return f"{who} does not let this key use the model{status}: {words}; {advice}"
        case ErrorKind.CREDITS:
            return f"{who} wants to be paid first{status}: {words}; add credits"
        case ErrorKind.RATE_LIMIT:
            return f"{who} allows no more calls for now{status}: {words}"
        case ErrorKind.OVERLOADED:
            return f"{who} is failing or overloaded{status}: {words}"
        case ErrorKind.BAD_REQUEST if status:
            return f"{who} rejected the request{status}: {words}"
        case ErrorKind.UNKNOWN_MODEL:
            others = (n for n in known if model not in (n, n.partition(":")[2]))
            return f"{who} does not know this model{status}: {words}{near(model, others)}"
        case ErrorKind.CONNECTION if error.unreached:
            return f"{who} {words}; check {_address(error, endpoint)} or the network"
        case ErrorKind.CONNECTION if status:
            return f"{who} was not reached, something on the way said no{status}: {words}"
        case ErrorKind.REFUSED | ErrorKind.FILTERED:
            return f"{who} gave no answer, {error.kind}{status}: {words}"
        case _:
            return f"{who} {words}" if not status else f"{who} failed{status}: {words}"


def unseen_pictures(error: VendorError, endpoint: Endpoint, model: str) -> str:
    """Return the sentence for a refusal that is about the pictures of a request."""
    words = excerpt(error.message, endpoint.key, 300)
    status = f" (HTTP {error.status})" if error.status else ""
    name = clip(f"{endpoint.vendor}:{model}")
    return (
        f"{endpoint.vendor} ({clip(model)}) did not take the pictures{status}: {words}; if it sees "
        f"none, name {name} in the setting pictures.unseen_by, and it is told what is on them"
    )


def unsent_message(
    error: VendorError, endpoint: Endpoint, model: str, known: Iterable[str] = ()
) -> str:
    """Return the sentence for a request that was not sent; it claims nothing about an answer."""
    if error.kind is ErrorKind.TIMEOUT:
        return error_message(error, endpoint, model, known)
    what = "its key" if error.kind is ErrorKind.AUTH else "the model"
    words = excerpt(error.message, endpoint.key, 300)
    who = f"{endpoint.vendor} ({clip(model)})"
    refused = f"{what} was refused less than a minute ago: {words}"
    return f"{who} was not asked, since {refused}; {_other_key(endpoint)}"


def no_key(endpoint: Endpoint, model: str) -> str:
    """Return the sentence for a vendor that has no key."""
    variable = endpoint.key_env or "its key"
    return f"{endpoint.vendor} ({clip(model)}) cannot be called without a key; set {variable}"


def no_answer(finish: Finish, reading: PartialAnswer, endpoint: Endpoint, model: str) -> str:
    """Return the sentence for an answer that ended properly and still holds no opinion."""
    who = f"{endpoint.vendor} ({clip(model)})"
    words = excerpt(reading.refusal or reading.finish_reason, endpoint.key)
    because = f": {words}" if words else ""
    match finish:
        case Finish.REFUSED:
            return f"{who} refused to answer{because}"
        case Finish.FILTERED:
            return f"{who} had its answer withheld by a content filter{because}"
        case Finish.INCOMPLETE:
            return f"{who} stopped in the middle of its answer and did not say why"
        case _ if reading.tool_calls:
            return f"{who} called a tool instead of answering"
        case _ if reading.reasoning:
            return f"{who} only thought aloud and gave no answer"
        case _:
            return f"{who} gave an empty answer"


def another_model(endpoint: Endpoint, asked: str, served: str) -> str:
    """Return the sentence for an answer by a model that was not asked."""
    return (
        f"{endpoint.vendor} answered with {clip(served)!r} where {clip(asked)!r} was asked for; "
        f"{KEPT_OTHERWISE}"
    )


def too_long_a_wait(sentence: str, wait: float, left: float) -> str:
    """Return the sentence for a wait that the call has no time for."""
    return f"{sentence}; it asks to wait {wait:.0f} s, and the call has {max(0.0, left):.0f} s left"


def near(name: str, known: Iterable[str]) -> str:
    """Return a suggestion to add to a sentence about an unknown name, or nothing."""
    matches = get_close_matches(name[:80], list(known), n=3, cutoff=0.5)
    return f"; did you mean {' or '.join(repr(n) for n in matches)}?" if matches else ""


def _other_key(endpoint: Endpoint) -> str:
    where = endpoint.key_env or (endpoint.key.source if endpoint.key else "the configuration")
    return f"set {where} to a key that it accepts"


def _address(error: VendorError, endpoint: Endpoint) -> str:
    """Return the setting of the address that could not be reached."""
    if error.unreached == "proxy":
        return "HTTPS_PROXY and HTTP_PROXY"
    return endpoint.base_url_env or f"endpoints.{endpoint.vendor}.base_url"
