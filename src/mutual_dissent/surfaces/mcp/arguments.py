"""Arguments of the twelve tools; invalid ones are refused before any model is called."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from pydantic import BeforeValidator, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

from mutual_dissent.briefing import kinds
from mutual_dissent.briefing.options import MAX_CONTEXT, ROUNDS, Option, Where, options_for
from mutual_dissent.briefing.viewers import MOST_PICTURES
from mutual_dissent.modes import modes as our_modes
from mutual_dissent.modes.topologies import TOPOLOGIES
from mutual_dissent.surfaces.facts.option_fields import Name, Parts, Text, option_fields, value_type
from mutual_dissent.surfaces.facts.option_fields import Names as AnyNames

MAX_STATEMENT = 20_000
# Seconds: some clients give a call up after a minute.
MAX_WAIT, USUAL_WAIT = 300, 45


def _whole(value: Any) -> Any:
    """Return 2.0 as 2, since JSON knows only one kind of number."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _unwrap(value: Any) -> Any:
    """Parse a list or an object that a client sent as JSON text."""
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


# A bound stands before the validator, or its JSON schema would have Python's word for it.
Names = Annotated[AnyNames, BeforeValidator(_unwrap)]
Rounds = Annotated[int, Field(ge=ROUNDS.low, le=ROUNDS.high), BeforeValidator(_whole)]
SessionId = Annotated[str, Field(description="Id of the session, or its first 8 characters.")]
RoundNumber = Annotated[int, Field(ge=0), BeforeValidator(_whole)]
Offset = Annotated[int, Field(ge=0), BeforeValidator(_whole)]
Page = Annotated[int, Field(ge=1, le=100_000), BeforeValidator(_whole)]
PageSize = Annotated[int, Field(ge=1, le=50), BeforeValidator(_whole)]
Wait = Annotated[
    float,
    Field(ge=0, le=MAX_WAIT, description="Seconds to wait for the end; 0: not at all."),
]
Statement = Annotated[str, Field(min_length=1, max_length=MAX_STATEMENT)]


class Arguments(ArgModelBase):
    """The arguments of a tool: camel case, strictly typed, no unknown ones."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=False,
    )


def _own_type(kind: kinds.ValueKind) -> Any:
    match kind:
        case kinds.WholeNumber(low, high):
            return Annotated[int, Field(ge=low, le=high), BeforeValidator(_whole)]
        case kinds.OrWord(
            number
        ):  # a choice of types is more than some clients' models can fill in
            return value_type(number, _own_type)
        case kinds.ModelNames() | kinds.SeatWords():
            return Names
        case kinds.SeatParts():
            return Annotated[Parts, BeforeValidator(_unwrap)]
        case kinds.Attachments():
            return Annotated[str, Field(max_length=MAX_CONTEXT)]
        case kinds.StoredDebate():
            return str
        case _:
            return None


def _fields(object_: str = "") -> dict[str, Any]:
    """Return the options that are arguments, or fields of an object among them."""
    here = [replace(o, default=None) for o in options_for(Where.MCP) if _place(o)[0] == object_]
    return option_fields(here, lambda o: _place(o)[1], _words, _own_type)


def _place(option: Option) -> tuple[str, str]:
    """Return the object that holds an argument, empty for none, and its name there."""
    object_, _, name = option.argument.rpartition(".")
    return object_, name or option.rest or option.name


def _words(option: Option) -> str:
    modes = ", ".join(our_modes(TOPOLOGIES)) if "{modes}" in option.model else ""
    return (option.model or option.help).format(usual=option.usual, modes=modes)


class Exits(Arguments):
    """The most rounds, beside what ends a debate before them."""

    max_rounds: Annotated[Rounds | None, Field(description="The same as rounds.")] = None


class Topic(Arguments):
    """The subject of a debate, and how long its end is waited for."""

    topic: Annotated[Text, Field(description="The question or claim to debate.")]
    wait: Wait = USUAL_WAIT
    exit_criteria: Exits | None = None
    pictures: Annotated[
        Annotated[list[str], Field(max_length=MOST_PICTURES)] | None,
        BeforeValidator(_unwrap),
        Field(description="In base64 or as data: URLs."),
    ] = None

    @property
    def options(self) -> dict[str, Any]:
        """Return the options that were sent, by the app's names."""
        objects = {"": self, "exit_criteria": self.exit_criteria}
        places = {o.name: _place(o) for o in options_for(Where.MCP)}
        values = {n: getattr(objects[where], field, None) for n, (where, field) in places.items()}
        return {name: value for name, value in values.items() if value is not None}


if TYPE_CHECKING:
    StartRoundtable = Topic
else:
    ExitCriteria = create_model(
        "ExitCriteria",
        __base__=Exits,
        __doc__="When the panel stops before its last round.",
        **_fields("exit_criteria"),
    )
    StartRoundtable = create_model(
        "StartRoundtable",
        __base__=Topic,
        __doc__="What a debate is about, who sits on the panel, and how it proceeds.",
        exit_criteria=(Annotated[ExitCriteria | None, BeforeValidator(_unwrap)], None),
        **_fields(),
    )


class ContinueRoundtable(Arguments):
    """Debate to continue, further rounds, and a message to its panel."""

    session_id: SessionId
    rounds: Annotated[Rounds, Field(description="How many further rounds to hold.")] = 1
    focus_question: Annotated[
        Statement | None, Field(description="What the panel shall look at now.")
    ] = None
    host_statement: Annotated[
        Statement | None, Field(description="Your own view as the host's model, for the panel.")
    ] = None
    wait: Wait = USUAL_WAIT


class ControlSession(Arguments):
    """Debate and action."""

    session_id: SessionId
    action: Literal["pause", "resume", "stop", "resolve"]
    outcome: Annotated[
        Annotated[str, Field(max_length=200)] | None,
        Field(description="To resolve: right, wrong or the value."),
    ] = None
    note: Annotated[str, Field(max_length=2000, description="How that is known.")] = ""


class ListSessions(Arguments):
    """Filters and page of the list of debates."""

    search: Annotated[
        Annotated[str, Field(max_length=1000)] | None,
        Field(description="Words in topics or answers; word* for beginnings."),
    ] = None
    status: (
        Literal["created", "active", "paused", "completed", "error", "interrupted", "stopped"]
        | None
    ) = None
    forecasts: Annotated[
        bool,
        Field(description="Forecasts to resolve, due first; and Brier scores."),
    ] = False
    page: Page = 1
    page_size: PageSize = 20


class GetConsensus(Arguments):
    """Debate, round, and seconds to wait for it."""

    session_id: SessionId
    round_number: Annotated[
        RoundNumber | None, Field(description="0 is the first; without it the last ended one.")
    ] = None
    wait: Wait = USUAL_WAIT


class GetThoughts(Arguments):
    """Debate, and the agent whose thoughts to return."""

    session_id: SessionId
    agent_id: Annotated[Name, Field(description="As agentResponses names it.")]


class ExportSession(Arguments):
    """Debate, format and offset."""

    session_id: SessionId
    format: Annotated[
        Literal["markdown", "adr", "json"], Field(description="adr is a decision record.")
    ] = "markdown"
    offset: Annotated[Offset, Field(description="Go on at nextOffset of the result before.")] = 0


class SynthesizeDebate(Arguments):
    """Debate to sum up, and its synthesizer."""

    session_id: SessionId
    synthesizer: Annotated[
        Name | None, Field(description="An agent; by default the session's own.")
    ] = None
    wait: Wait = USUAL_WAIT


class GetRoundDetails(Arguments):
    """Debate and round."""

    session_id: SessionId
    round_number: Annotated[
        RoundNumber | None, Field(description="0 is the first; without it the last one.")
    ] = None


class GetResponseDetail(Arguments):
    """Answer and offset."""

    session_id: SessionId
    agent_id: Annotated[Name, Field(description="As agentResponses names it.")]
    round_number: Annotated[
        RoundNumber | None, Field(description="0 is the first; without it its last answer.")
    ] = None
    offset: Annotated[Offset, Field(description="Go on at nextOffset of the result before.")] = 0


class GetCitations(Arguments):
    """The sources of which debate, round or agent."""

    session_id: SessionId
    round_number: RoundNumber | None = None
    agent_id: Name | None = None


class GetAgents(Arguments):
    """Agents to describe, and whether to probe them."""

    agents: Annotated[Names | None, Field(description="Only these; by default all.")] = None
    probe: Annotated[
        bool, Field(description="Ask each one a tiny question, which costs a fraction of a cent.")
    ] = False
