"""A provider that replays answers from a file, so that examples run without any call.

The file has one JSON object a line:

    {"model": "claude", "round": 0, "content": "Canberra."}

`model` is a seat (`claude#2`), an alias (`claude`) or a model id. `round`, `role` and `query` are
optional and narrow down what the line answers: the round (-1 is the synthesis), the kind of answer,
and a text that the request's head must contain. Of the lines that fit, the one that says most about
the ask is taken, and of equals the first. Any other field of a response may be given as
well, such as `input_tokens`, `finish` or `error`.

A recording is seated like any model: `recorded:answers.jsonl#claude` is the claude of that file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import orjson

from mutual_dissent.core.codec.plain import Malformed, from_plain, to_plain
from mutual_dissent.core.errors import BadInput, clip
from mutual_dissent.core.panel import RECORDED, Panelist, Route
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
        self._lines: dict[str, list[Line]] | None = None

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """Return the recorded answer, or a failure that says that there is none."""
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
        self._load()

    def _best(self, ask: Ask) -> Line | None:
        lines, names = self._load(), dict.fromkeys(_names(ask.panelist))
        fitting = [line for name in names for line in lines.get(name, ()) if _fits(line, ask)]
        return max(fitting, key=lambda line: len(_SELECTORS & line.keys()), default=None)

    def _response(self, ask: Ask, line: Line) -> Response:
        fields = {k: v for k, v in line.items() if k not in _SELECTORS}
        try:
            recorded = from_plain(Response, {**to_plain(blank(ask)), **fields})
        except Malformed as e:
            raise BadInput(f"{self._path.name} has an answer that cannot be read: {e}") from None
        now = blank(ask)
        return replace(recorded, timestamp=now.timestamp, routing=now.routing)

    def _load(self) -> dict[str, list[Line]]:
        """Return the lines by model; the first call reads the file."""
        if self._lines is None:
            self._lines = {}
            for line in _read(self._path):
                self._lines.setdefault(line["model"], []).append(line)
        return self._lines


class Recordings:
    """Every recording that is seated, as `recorded:FILE#MODEL`; each is read once."""

    def __init__(self) -> None:
        self._files: dict[str, Recorded] = {}

    async def ask(self, ask: Ask, on_text: OnText) -> Response:
        """Return the recorded answer of the model that the route names."""
        response = await self._file(ask.panelist.route).ask(ask, on_text)
        return replace(response, cost_usd=response.cost_usd or 0.0)

    async def warm_up(self, routes: Sequence[Route]) -> None:
        """Read the files."""
        for route in routes:
            await self._file(route).warm_up([route])

    def _file(self, route: Route) -> Recorded:
        name, mark, model = route.model_id.rpartition("#")
        if not mark or not name or not model:
            raise BadInput(
                f"recorded:{clip(route.model_id)} names no model; write recorded:FILE#MODEL"
            )
        if name not in self._files:
            self._files[name] = Recorded(Path(name))
        return self._files[name]


def _read(path: Path) -> list[Line]:
    try:
        raw = path.read_bytes()
    except OSError as e:
        raise BadInput(f"the recording {path.name} cannot be read: {e.strerror}") from None
    lines = []
    for number, line in enumerate(raw.splitlines(), 1):
        if line.strip():
            lines.append(_parse(line, path.name, number))
    return lines


def _parse(line: bytes, name: str, number: int) -> Line:
    try:
        read = orjson.loads(line)
    except orjson.JSONDecodeError:
        raise BadInput(f"{name}, line {number}: this is not JSON") from None
    if not isinstance(read, dict) or not isinstance(read.get("model"), str):
        raise BadInput(f"{name}, line {number}: an object with a 'model' is expected")
    return read


def _fits(line: Line, ask: Ask) -> bool:
    return (
        line.get("round", ask.round_number) == ask.round_number
        and line.get("role", ask.role) == ask.role
        and str(line.get("query", "")) in ask.head
    )


def _names(panelist: Panelist) -> tuple[str, ...]:
    """Return the names of a panelist in a recording; a seated recording is named by its route."""
    if panelist.route.vendor == RECORDED and "#" in panelist.model_id:
        return (panelist.model_id.rpartition("#")[2],)
    return panelist.seat, panelist.alias, panelist.model_id
