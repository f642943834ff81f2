"""Tools: what a panelist may use while it answers, and what the user's own program offers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import orjson

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
        wire: the dialect in which the vendor searches, where it answers in another one.
    """

    by: str
    own: bool = False
    most: int = MOST_USES
    bounded: bool = True
    usd: float | None = None
    included: bool = False
    as_of: str = ""
    wire: str = ""

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


ACCOUNTS = frozenset({"description", "explanation", "justification", "reason"})
"""Arguments by which a call tells a person what it is for; where no tool insists on them, two
calls that differ in nothing else are the same."""

MOST_WORDS = 160
"""Characters of a call's arguments that are shown in a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of one of the program's tools: made by the final answer, proposed by a panelist."""

    name: str
    arguments: dict[str, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The call in a line: `get_weather(city="Paris")`."""
        given = ", ".join(f"{k}={_shown(v)}" for k, v in self.arguments.items())
        line = " ".join(given.split())
        return f"{self.name}({line if len(line) <= MOST_WORDS else line[:MOST_WORDS] + '…'})"

    @property
    def json(self) -> str:
        """The arguments as JSON."""
        return orjson.dumps(self.arguments).decode()


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientTools:
    """The tools that the user's program offers.

    Attributes:
        choice: whether one may be called (`auto`), or must be (`required`).
        named: the one that must be called, if any.
        parallel: whether several may be called at once.
    """

    tools: tuple[Tool, ...]
    choice: Literal["auto", "required"] = "auto"
    named: str = ""
    parallel: bool = True

    @property
    def must_call(self) -> bool:
        """Return whether an answer in text is not wanted."""
        return self.choice == "required" or bool(self.named)

    def find(self, name: str) -> Tool | None:
        """The tool of that name."""
        return next((t for t in self.tools if t.name == name), None)

    def complaint(self, calls: Sequence[ToolCall]) -> str:
        """Complaint about these calls, for their author; empty if they can be made."""
        if not calls and self.must_call:
            return f"call {self.named or 'one of the tools'}, not an answer in text"
        if len(calls) > 1 and not self.parallel:
            return "call one tool only"
        return next((wrong for call in calls if (wrong := self._wrong(call))), "")

    def _wrong(self, call: ToolCall) -> str:
        tool = self.find(call.name)
        if tool is None:
            known = ", ".join(t.name for t in self.tools[:40])
            return f"there is no tool called {call.name[:60]!r}; there are {known}"
        if self.named and call.name != self.named:
            return f"call {self.named}, not {call.name}"
        from mutual_dissent.core.values.json_schema import misfit  # few debates have tools

        wrong = misfit(call.arguments, tool.parameters)
        return f"the arguments of {call.name} do not fit: {wrong}" if wrong else ""

    def same(self, one: Sequence[ToolCall], other: Sequence[ToolCall]) -> bool:
        """Return whether two proposals come to the same: the same tools with equal arguments."""
        return self._canonical(one) == self._canonical(other)

    def _canonical(self, calls: Iterable[ToolCall]) -> list[bytes]:
        found = []
        for call in calls:
            tool = self.find(call.name)
            needed = tool.parameters.get("required") if tool else None
            kept = needed if isinstance(needed, list) else []
            told = {k: v for k, v in call.arguments.items() if k not in ACCOUNTS or k in kept}
            found.append(orjson.dumps([call.name, told], option=orjson.OPT_SORT_KEYS))
        return sorted(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class JsonReply:
    """The JSON that the user's program wants as the answer, and nothing beside it.

    Attributes:
        schema: what it must fit; None for any object.
    """

    schema: dict[str, Any] | None = None

    def complaint(self, text: str) -> str:
        """Complaint about a text as such a reply; empty if it will do."""
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError as e:
            return f"it is no JSON: {str(e)[:120]}"
        if self.schema is None:
            return "" if isinstance(value, dict) else "it is no JSON object"
        from mutual_dissent.core.values.json_schema import misfit

        wrong = misfit(value, self.schema)
        return f"it does not fit the schema: {wrong}" if wrong else ""


def call_words(calls: Sequence[ToolCall]) -> str:
    """Words for a next step: `call get_weather(city="Paris")`; empty where nothing is called."""
    return f"call {' and '.join(c.words for c in calls)}" if calls else ""


def call_of(given: Mapping[str, Any]) -> ToolCall | str:
    """The call that a model made natively, or what is wrong with it."""
    name, arguments = str(given.get("name") or ""), given.get("arguments")
    if not isinstance(arguments, dict) and arguments not in ("", None):
        return f"the arguments of {name[:60]} are no JSON object"
    return ToolCall(name=name, arguments=arguments if isinstance(arguments, dict) else {})


def _shown(value: Any) -> str:
    # A text may hold commas and signs of equality: in quotation marks its end is seen.
    return orjson.dumps(value).decode()
