"""The kind of an error in a file of an earlier program, which has only its text."""

from __future__ import annotations

import re

from mutual_dissent.core.response import ErrorKind

_STATUS = re.compile(r"\b(?:HTTP|status|code)\D{0,12}([45]\d\d)\b", re.IGNORECASE)
_LENGTH = 2_000

BY_STATUS = {
    "401": ErrorKind.AUTH,
    "402": ErrorKind.CREDITS,
    "403": ErrorKind.AUTH,
    "404": ErrorKind.UNKNOWN_MODEL,
    "408": ErrorKind.TIMEOUT,
    "429": ErrorKind.RATE_LIMIT,
}

BY_WORDS = {
    r"insufficient (?:quota|credits?|funds|balance)|payment required": ErrorKind.CREDITS,
    r"rate.?limit|too many requests": ErrorKind.RATE_LIMIT,
    r"unauthori[sz]ed|authentication|api key|forbidden": ErrorKind.AUTH,
    r"time(?:d)?.?out|took too long": ErrorKind.TIMEOUT,
    r"overloaded|unavailable|server error|bad gateway": ErrorKind.OVERLOADED,
    r"connect|network|name resolution|unreachable|\bSSL\b|\bTLS\b": ErrorKind.CONNECTION,
    r"model.{0,80}not (?:found|exist)|(?:no such|unknown) model": ErrorKind.UNKNOWN_MODEL,
    r"content.?(?:filter|policy)|flagged": ErrorKind.FILTERED,
    r"bad request|context.?(?:length|window)": ErrorKind.BAD_REQUEST,
}
"""The kinds that words of an error stand for; the first match counts."""


def error_kind(text: str) -> ErrorKind:
    """Return the kind of failure that a text tells of; `bad_response` where it does not say."""
    text = text[:_LENGTH]
    if status := _STATUS.search(text):
        return BY_STATUS.get(status[1], _by_class(status[1]))
    for words, kind in BY_WORDS.items():
        if re.search(words, text, re.IGNORECASE):
            return kind
    return ErrorKind.BAD_RESPONSE


def _by_class(status: str) -> ErrorKind:
    return ErrorKind.OVERLOADED if status.startswith("5") else ErrorKind.BAD_REQUEST
