"""What the twelve tools take. Whatever does not fit is refused before anybody is asked anything."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
from pydantic import BeforeValidator, ConfigDict, Field
from pydantic.alias_generators import to_camel

from mutual_dissent.briefing.options import MAX_CONTEXT, MAX_QUERY
from mutual_dissent.core.brief import MAX_PANEL
from mutual_dissent.surfaces.facts.faults import NO_NUL

MAX_STATEMENT = 20_000
MAX_WAIT, USUAL_WAIT = 300, 45
MAX_ROUNDS = 10
"""The most that any mode holds; some hold fewer, and say so."""
MAX_COST = 1_000_000


def _whole(value: Any) -> Any:
    """JSON knows one kind of number: 2.0 is a whole one."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _unwrapped(value: Any) -> Any:
    """A list or an object; some clients send its JSON as a text."""
    if not isinstance(value, str) or value.strip()[:1] not in ("[", "{"):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


# A bound stands before the validator, or its JSON schema would have Python's word for it.
Name = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[list[Name], Field(max_length=MAX_PANEL), BeforeValidator(_unwrapped)]
Parts = Annotated[dict[Name, Name], Field(max_length=MAX_PANEL), BeforeValidator(_unwrapped)]
Share = Annotated[float, Field(gt=0, le=1)]
SessionId = Annotated[str, Field(description="Id of the session, or its first 8 characters.")]
Rounds = Annotated[int, Field(ge=1, le=MAX_ROUNDS), BeforeValidator(_whole)]
RoundNumber = Annotated[int, Field(ge=0), BeforeValidator(_whole)]
Offset = Annotated[int, Field(ge=0), BeforeValidator(_whole)]
Page = Annotated[int, Field(ge=1, le=100_000), BeforeValidator(_whole)]
PageSize = Annotated[int, Field(ge=1, le=50), BeforeValidator(_whole)]
Wait = Annotated[
    float,
    Field(ge=0, le=MAX_WAIT, description="Seconds to wait for the end; 0 returns at once."),
]
Statement = Annotated[str, Field(min_length=1, max_length=MAX_STATEMENT)]


class Arguments(ArgModelBase):
    """The arguments of a tool, in camel case, of the right types and no others."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=False,
    )


class ExitCriteria(Arguments):
    """When the panel stops before its last round."""

    consensus_threshold: Annotated[
        Share | None, Field(description="Stop at this agreement; usually 0.9.")
    ] = None
    convergence_rounds: Annotated[
        Rounds | None,
        Field(description="Stop once nobody has moved for so many rounds; usually 2."),
    ] = None
    confidence_threshold: Annotated[
        Share | None, Field(description="Stop once everybody is this sure.")
    ] = None
    max_rounds: Annotated[
        Rounds | None,
        Field(description="The same as rounds."),
    ] = None


class StartRoundtable(Arguments):
    """What a debate is about, who sits on the panel, and how it proceeds."""

    topic: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUERY,
            pattern=NO_NUL,
            description="The question or claim to debate.",
        ),
    ]
    mode: Annotated[
        Name | None,
        Field(
            description="collaborative, adversarial, socratic, expert-panel, devils-advocate, "
            "delphi, red-team-blue-team, reflection, ranking, consensus, hybrid or single."
        ),
    ] = None
    agents: Annotated[
        Names | None,
        Field(description="Names from get_agents, or vendor:model; twice sits twice."),
    ] = None
    preset: Annotated[
        Name | None,
        Field(description="Panel, mode and options under one name: quick, thorough, council, ..."),
    ] = None
    perspectives: Annotated[
        Names | None, Field(description="expert-panel: viewpoints, or agent=viewpoint.")
    ] = None
    roles: Annotated[
        Parts | None,
        Field(description="devils-advocate: agent -> PRIMARY, OPPOSITION or EVALUATOR."),
    ] = None
    teams: Annotated[
        Parts | None, Field(description="red-team-blue-team: agent -> red or blue.")
    ] = None
    rounds: Annotated[
        Rounds | None,
        Field(description="Rounds to hold unless an exit fires."),
    ] = None
    exit_criteria: Annotated[ExitCriteria | None, BeforeValidator(_unwrapped)] = None
    context: Annotated[
        str | None,
        Field(max_length=MAX_CONTEXT, description="Text that every agent reads first."),
    ] = None
    analyst: Annotated[
        Name | None,
        Field(description="Who reads the finished debate; none for nobody. Usually the cheapest."),
    ] = None
    wait: Wait = USUAL_WAIT
    max_cost_usd: Annotated[
        Annotated[float, Field(gt=0, le=MAX_COST)] | None,
        Field(description="Dollars that must not be exceeded."),
    ] = None
    grace: Annotated[
        Annotated[float, Field(gt=0, le=86_400)] | None,
        Field(description="Seconds for late agents once enough others have answered."),
    ] = None


class ContinueRoundtable(Arguments):
    """Which debate goes on, for how long, and what its panel is told first."""

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
    """Which debate, and what is to happen to it."""

    session_id: SessionId
    action: Annotated[
        Literal["pause", "resume", "stop"],
        Field(description="pause: after the answers being written; stop: at once."),
    ]


class ListSessions(Arguments):
    """Which debates, and which page of them."""

    search: Annotated[
        Annotated[str, Field(max_length=1000)] | None,
        Field(description="Words in topics or answers; word* for beginnings."),
    ] = None
    status: (
        Literal["created", "active", "paused", "completed", "error", "interrupted", "stopped"]
        | None
    ) = None
    page: Page = 1
    page_size: PageSize = 20


class GetConsensus(Arguments):
    """Which round of which debate, and how long to wait for it."""

    session_id: SessionId
    round_number: Annotated[
        RoundNumber | None, Field(description="0 is the first; without it the last ended one.")
    ] = None
    wait: Wait = USUAL_WAIT


class GetThoughts(Arguments):
    """Whose thoughts in which debate."""

    session_id: SessionId
    agent_id: Annotated[Name, Field(description="As agentResponses names it.")]


class ExportSession(Arguments):
    """Which debate, in which form, from where on."""

    session_id: SessionId
    format: Literal["markdown", "json"] = "markdown"
    offset: Annotated[Offset, Field(description="Go on at nextOffset of the result before.")] = 0


class SynthesizeDebate(Arguments):
    """Which debate is to be summed up, and by whom."""

    session_id: SessionId
    synthesizer: Annotated[
        Name | None, Field(description="An agent; by default the session's own.")
    ] = None
    wait: Wait = USUAL_WAIT


class GetRoundDetails(Arguments):
    """Which round of which debate."""

    session_id: SessionId
    round_number: Annotated[
        RoundNumber | None, Field(description="0 is the first; without it the last one.")
    ] = None


class GetResponseDetail(Arguments):
    """Which answer, from where on."""

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
    """Which agents, and whether they are asked a tiny question."""

    agents: Annotated[Names | None, Field(description="Only these; by default all.")] = None
    probe: Annotated[
        bool, Field(description="Ask each one a tiny question, which costs a fraction of a cent.")
    ] = False
