"""Calls of tools, as far as all wires have them in common."""

from __future__ import annotations

from enum import Enum, auto
from typing import Any

import orjson

from mutual_dissent.core.response import Ask
from mutual_dissent.core.tool import SUBMIT, Tool, Use, submission
from mutual_dissent.providers.dialects.base import PartialAnswer, add
from mutual_dissent.providers.dialects.json_values import writable
from mutual_dissent.providers.endpoints import Endpoint

MAX_KEPT = 1_000_000
MOST_CALLS = 64
MOST_ARGUMENTS = 1_000_000
"""Calls in one answer, and characters of all their arguments; further ones are dropped."""


REQUIRED = "required"


class Choice(Enum):
    """The model's freedom in calling the tools that it is offered."""

    FREE = auto()
    NONE = auto()  # it has used as many as it may
    SOME = auto()  # to search or to hand in its answer, but not to write it
    SUBMIT = auto()  # to hand in its answer


def offered_tools(ask: Ask, endpoint: Endpoint) -> tuple[Tool, ...]:
    """Return the tools that the vendor is offered: those that we provide, if it takes any."""
    if not endpoint.takes_tools:
        return ()
    return (*ask.tools, submission(ask.schema)) if ask.submits and ask.schema else ask.tools


def choice(ask: Ask, tools: tuple[Tool, ...]) -> Choice | str:
    """Return what the model is to do with the tools that it is offered, or which it must call."""
    if ask.calls_out:
        return Choice.SOME if ask.choice == REQUIRED else ask.choice or Choice.FREE
    if not ask.submits:
        return Choice.NONE if ask.tools_spent else Choice.FREE
    return Choice.SUBMIT if ask.tools_spent or len(tools) == 1 else Choice.SOME


def begin(reading: PartialAnswer, call: dict[str, Any]) -> bool:
    """Take in a call that has begun; return whether there is room for it."""
    if len(reading.tool_calls) >= MOST_CALLS:
        return False
    reading.tool_calls.append(call)
    return True


def argue(reading: PartialAnswer, pieces: list[str], piece: str) -> None:
    """Take in a piece of a call's arguments, as long as all of them are within bounds."""
    reading.argued += len(piece)
    if reading.argued <= MOST_ARGUMENTS:
        add(pieces, piece)


def whole(reading: PartialAnswer, given: dict[str, Any]) -> dict[str, Any]:
    """Return arguments that came in one piece; empty where they are too long."""
    reading.argued += len(orjson.dumps(given)) if given else 0
    return given if reading.argued <= MOST_ARGUMENTS else {}


def is_submission(name: str) -> bool:
    """Return whether a call of this tool hands in the answer."""
    return name == SUBMIT


def submit(reading: PartialAnswer, piece: str | dict[str, Any], *, begins: bool = False) -> str:
    """Take in a piece of a submitted answer, as text; return it to be shown as it comes.

    Args:
        piece: of the arguments' JSON, or all of them.
        begins: whether it is the first piece of its call.
    """
    reading.submitted = True
    text = piece if isinstance(piece, str) else orjson.dumps(piece).decode()
    if begins and reading.text:
        text = f"\n\n{text}"
    if text:
        reading.text.append(text)
    return text


def has_room(reading: PartialAnswer, *thoughts: str) -> bool:
    """Return whether thoughts can be noted, to be shown again; once they are too long, none is."""
    noted: int = reading.state.get("noted", 0) + sum(map(len, thoughts))
    reading.state["noted"] = noted
    return noted <= MAX_KEPT


def keep(call: dict[str, Any], **kept: Any) -> None:
    """Save with a call what its vendor wants to see again; values that are too long are dropped."""
    values = {name: value for name, value in kept.items() if value}
    if values and len(orjson.dumps(values)) <= MAX_KEPT:
        call["wire"] = values


def saved_value(uses: tuple[Use, ...], name: str) -> Any:
    """Return the first value saved under `name` among these tool calls."""
    return next((u.wire[name] for u in uses if u.wire.get(name)), None)


def with_ids(uses: tuple[Use, ...], turn: int) -> list[tuple[str, Use]]:
    """Return each use with its id, made up where the vendor gave none."""
    return [(u.id or f"call_{turn}_{i}", u) for i, u in enumerate(uses)]


def arguments_text(use: Use) -> str:
    """Return a call's arguments as the JSON text that they came as."""
    return writable(orjson.dumps(use.arguments).decode())
