"""Errors in the words of the API: the fields and routes that its clients know, not the terminal's.

The sentences come from the app, which speaks of `--rounds` and `dissent resume`.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from pydantic.alias_generators import to_camel

from mutual_dissent.surfaces.api.wanted import RENAMED, Debate
from mutual_dissent.surfaces.server.errors import Problem

_FLAG = re.compile(r"--([a-z]+(?:-[a-z]+)*)")
_FIELDS = {
    **{RENAMED.get(name, name): field.alias for name, field in Debate.model_fields.items()},
    "persona": "personas",
    "role": "roles",
    "team": "teams",
}
_COMMANDS = (
    (re.compile(r"`?dissent list`?"), "GET /api/sessions"),
    (re.compile(r"dissent (resume|continue) ([0-9a-f-]{8,36})"), r"POST /api/sessions/\2/\1"),
    (re.compile(r"dissent replay ([0-9a-f-]{8,36})"), r"POST /api/sessions/\1/synthesize"),
    (re.compile(r"dissent show ([0-9a-f-]{8,36})"), r"GET /api/sessions/\1"),
)


def said(problem: Problem) -> dict[str, Any]:
    """A problem as the API says it."""
    return replace(problem, message=in_own_words(problem.message)).plain


def in_own_words(sentence: str) -> str:
    """A sentence of the app with fields and routes where it has flags and commands."""
    sentence = _FLAG.sub(_field, sentence)
    for command, route in _COMMANDS:
        sentence = command.sub(route, sentence)
    return sentence


def field_of(option: str) -> str:
    """The field of a request that an option of the app is."""
    return _FIELDS.get(option) or to_camel(option)


def _field(flag: re.Match[str]) -> str:
    return field_of(flag[1].replace("-", "_"))
