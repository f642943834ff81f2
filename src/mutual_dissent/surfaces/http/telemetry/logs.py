"""The server's log: one JSON object a line on stderr. No prompt, no answer, no key, no token."""

from __future__ import annotations

import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

import orjson

NOISE = frozenset({"ASGI callable returned without completing handshake."})
"""Messages of uvicorn that follow every refused socket, and mean nothing."""

FIELDS = "fields"
"""Attribute of a log record that holds its structured fields."""


class JsonLines(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; an exception shows type and place only: its text may be a user's."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, FIELDS, {}),
        }
        if record.exc_info and record.exc_info[0]:
            line["error"] = record.exc_info[0].__name__
            line["at"] = _places(record.exc_info[2])
        return orjson.dumps(line, default=str).decode()


@contextmanager
def json_lines(level: int = logging.INFO) -> Iterator[None]:
    """Within this context, log our records to stderr, and the warnings of libraries."""
    root, ours = logging.getLogger(), logging.getLogger("mutual_dissent")
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    handler.addFilter(lambda record: record.msg not in NOISE)
    before = ours.level
    root.addHandler(handler)
    ours.setLevel(level)
    try:
        yield
    finally:
        ours.setLevel(before)
        root.removeHandler(handler)


def _places(trace: TracebackType | None) -> list[str]:
    return [f"{f.name} ({f.filename}:{f.lineno})" for f in traceback.extract_tb(trace)[-12:]]
