"""Tools: what a panelist may use while it answers, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_USES = 4
"""How many calls of tools one answer may take; after them the model is told to answer."""

MOST_READING = 8
"""The same where it may look into a folder of the user's."""

SUBMIT = "submit_response"
"""The tool that takes a structured answer from models that take no schema for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that a model may call. `parameters` is a JSON schema of its arguments."""

    name: str
    description: str
    parameters: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchWay:
    """Way in which one panelist searches the web, decided before the first call.

    Attributes:
        by: the vendor, or the services of the configuration in the order in which they are tried.
        own: whether the vendor searches by itself, instead of being offered our tools.
        most: the searches of one answer that the price is reckoned with.
        bounded: whether the vendor is told that there may be no more; if not, it decides.
        usd: the list price of one search; None where it is not known.
        included: whether searching is a part of what its calls cost in any case.
        as_of: the month of that price.
    """

    by: str
    own: bool = False
    most: int = MOST_USES
    bounded: bool = True
    usd: float | None = None
    included: bool = False
    as_of: str = ""

    @property
    def most_usd(self) -> float | None:
        """Dollars that the searches of one answer come to, beside its tokens; None if unknown."""
        return self.cost(None)

    def cost(self, searches: int | None) -> float | None:
        """Dollars for so many searches; where nobody counted them, for as many as there may be."""
        made = self.most if searches is None else searches
        billed = min(made, self.most) if self.bounded else made
        if self.included or not billed:
            return 0.0
        return None if self.usd is None else self.usd * billed


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
