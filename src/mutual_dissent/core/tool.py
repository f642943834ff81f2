"""Tools: what a panelist may use while it answers, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_USES = 4
"""How many calls of tools one answer may take; after them the model is told to answer."""

SUBMIT = "submit_response"
"""The tool that takes a structured answer from models that take no schema for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that a model may call. `parameters` is a JSON schema of its arguments.

    `native` marks a tool that only a vendor itself can provide: who has none of its own to put in
    its place is not told of it.
    """

    name: str
    description: str
    parameters: dict[str, Any] = field(default_factory=dict)
    native: bool = False


def submission(schema: dict[str, Any]) -> Tool:
    """The tool by which an answer of this form is handed in."""
    description = (
        "Hand in your answer. Call this exactly once, with every field filled in: "
        "its arguments are the JSON object that you were asked for."
    )
    return Tool(name=SUBMIT, description=description, parameters=schema)


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One call of a tool by a model, and the text that it was given back.

    `wire` is what came with the call and its vendor wants to see again, unread: signed thoughts.
    """

    id: str
    name: str
    arguments: dict[str, Any]
    result: str = ""
    failed: bool = False
    wire: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, call: Mapping[str, Any], result: str, *, failed: bool = False) -> Use:
        """The use that a response's tool call became; arguments that are no object are none."""
        given = call.get("arguments")
        return cls(
            id=str(call.get("id") or ""),
            name=str(call.get("name") or ""),
            arguments=given if isinstance(given, dict) else {},
            result=result,
            failed=failed,
            wire=call.get("wire") or {},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One turn in which the model called tools instead of answering: what it said, and the uses."""

    text: str
    uses: tuple[Use, ...]
