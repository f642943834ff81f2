"""A provider that replays answers from a file, so that examples run without any call.

The file has one JSON object a line:

    {"model": "claude", "round": 0, "content": "Canberra."}

`model` is a seat (`claude#2`), an alias (`claude`) or a model id. `round`, `role` and `query` are
optional and narrow down what the line answers: the round (-1 is the synthesis), the kind of answer,
and a text that the request's head must contain. Of the lines that fit, the one that says most about
the ask is taken, and of equals the first. Any other field of a response may be given as
well, such as `input_tokens`, `finish` or `error`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from mutual_dissent.core.codec import Malformed, from_plain, to_plain
from mutual_dissent.core.errors import BadInput
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.ports import OnText
from mutual_dissent.core.response import Ask, ErrorKind, Response
from mutual_dissent.providers.responses import blank, failure
from mutual_dissent.providers.scripted import speak

_SELECTORS = frozenset({"model", "round", "role", "query"})
Line = dict[str, Any]


class Recorded:
    """Replays a recording; the same ask always gets the same answer."""

    def __init__(self, path: Path) -> None:
        """Use this file; it is read with the first ask."""
        self._path = path
        self._lines: list[Line] | None = None

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """The recorded answer, or a failure that says that there is none."""
        line = self._best(ask)
        if line is None:
            sentence = (
                f"{self._path.name} has no answer of {ask.panelist.seat!r} "
                f"for round {ask.round_number} ({ask.role}); record one"
            )
            return failure(ask, ErrorKind.BAD_REQUEST, sentence)
        response = self._response(ask, line)
        if response.content:
            await speak(response.content, on_text)
        return response

    async def warm_up(self, routes: Sequence[Route]) -> None:  # noqa: ARG002 - the port's name
        """Read the file."""
        self._loaded()

    def _best(self, ask: Ask) -> Line | None:
        fitting = [line for line in self._loaded() if _fits(line, ask)]
        return max(fitting, key=lambda line: len(_SELECTORS & line.keys()), default=None)

    def _response(self, ask: Ask, line: Line) -> Response:
        fields = {k: v for k, v in line.items() if k not in _SELECTORS}
        try:
            recorded = from_plain(Response, {**to_plain(blank(ask)), **fields})
        except Malformed as e:
            raise BadInput(f"{self._path.name} has an answer that cannot be read: {e}") from None
        now = blank(ask)
        return replace(recorded, timestamp=now.timestamp, routing=now.routing)

    def _loaded(self) -> list[Line]:
        if self._lines is None:
            self._lines = list(_read(self._path))
        return self._lines


def _read(path: Path) -> list[Line]:
    try:
        raw = path.read_bytes()
    except OSError as e:
        raise BadInput(f"the recording {path.name} cannot be read: {e.strerror}") from None
    lines = []
    for number, line in enumerate(raw.splitlines(), 1):
        if line.strip():
            lines.append(_checked(line, path.name, number))
    return lines


def _checked(line: bytes, name: str, number: int) -> Line:
    try:
        read = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise BadInput(f"{name}, line {number}: this is not JSON") from None
    if not isinstance(read, dict) or not isinstance(read.get("model"), str):
        raise BadInput(f"{name}, line {number}: an object with a 'model' is expected")
    return read


def _fits(line: Line, ask: Ask) -> bool:
    return (
        line["model"] in _names(ask.panelist)
        and line.get("round", ask.round_number) == ask.round_number
        and line.get("role", ask.role) == ask.role
        and str(line.get("query", "")) in ask.head
    )


def _names(panelist: Panelist) -> tuple[str, str, str]:
    return panelist.seat, panelist.alias, panelist.model_id
