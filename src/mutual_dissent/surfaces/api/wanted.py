"""What a client may ask for: the JSON bodies of requests, checked whole before anything is done.

Whatever is not named here is refused: no base URL, no path, no command can be asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from mutual_dissent.briefing.options import MAX_QUERY
from mutual_dissent.core.brief import MAX_PANEL, Attachment, Earlier
from mutual_dissent.surfaces.facts.faults import NO_NUL

ID = r"^[0-9a-z][0-9a-z-]{7,39}$"
"""A session's id, or the beginning of one that is long enough."""

Name = Annotated[str, Field(min_length=1, max_length=200)]
Names = Annotated[list[Name], Field(max_length=MAX_PANEL)]
Parts = Annotated[dict[Name, Name], Field(max_length=MAX_PANEL)]
Share = Annotated[float, Field(gt=0, le=1)]
Off = Literal["off"]
Dollars = Annotated[float, Field(gt=0, le=1_000_000)]
Seconds = Annotated[float, Field(gt=0, le=2_592_000)]
SessionName = Annotated[str, Field(pattern=ID)]
Text = Annotated[str, Field(min_length=1, max_length=MAX_QUERY, pattern=NO_NUL)]


class Body(BaseModel):
    """The body of a request. Nothing in it is converted, nothing unknown is let pass."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        alias_generator=to_camel,
        validate_by_alias=True,
        validate_by_name=False,
    )

    @property
    def said(self) -> dict[str, Any]:
        """The fields that were sent, by the names that Python has for them."""
        return {name: getattr(self, name) for name in sorted(self.model_fields_set)}


class Document(Body):
    """A text that every panelist is given with the question."""

    name: Name
    text: str


class Message(Body):
    """Something said before the question."""

    speaker: Literal["instructions", "user", "assistant"]
    text: Annotated[str, Field(min_length=1)]


class Debate(Body):
    """A question for the panel, and how it is to be debated. Only `message` is needed."""

    message: Annotated[Text, Field(description="What to ask.")]
    mode: Annotated[
        Name | None,
        Field(
            description="The procedure: ranking, consensus, or any other that /api/modes lists. "
            "Without it, that of the conversation, else the token's, else the configured one, "
            "else ranking."
        ),
    ] = None
    conversation_id: Annotated[
        SessionName | None,
        Field(
            description="A session to go on from: the panel is told the questions and answers of "
            "its conversation so far. Its mode and panel hold where nothing else is said."
        ),
    ] = None
    panel: Annotated[
        Names | None, Field(description="Aliases or vendor:model; a name given twice sits twice.")
    ] = None
    preset: Annotated[Name | None, Field(description="One that /api/presets lists.")] = None
    synthesizer: Annotated[Name | None, Field(description="Who writes the answer.")] = None
    synthesize: Annotated[
        bool, Field(description="Whether an answer is written; it can be made later.")
    ] = True
    rounds: Annotated[
        Annotated[int, Field(ge=1, le=10)] | Literal["auto"] | None,
        Field(description="How many; refused in modes of fixed stages."),
    ] = None
    topology: Annotated[Name | None, Field(description="Who reads whom, in reflection.")] = None
    context: Annotated[
        list[str | Document],
        Field(
            max_length=100,
            description="Texts that every panelist is given, 2,000,000 characters in all.",
        ),
    ] = []
    earlier: Annotated[
        list[Message],
        Field(
            max_length=1000,
            description="What was said before, in order: the user's instructions and words hold as "
            "the user's, answers are quoted. 2,000,000 characters in all.",
        ),
    ] = []
    perspectives: Annotated[
        Names, Field(description="Viewpoints to deal out, or seat=viewpoint, in expert-panel.")
    ] = []
    perspective_order: Literal["round-robin", "random"] | None = None
    roles: Annotated[Parts, Field(description="Seat -> role, in modes that have them.")] = {}
    teams: Annotated[Parts, Field(description="Seat -> team, in modes that have them.")] = {}
    personas: Annotated[
        Parts | Names, Field(description="Seat -> persona; or names, dealt out in order.")
    ] = {}
    panelist_context: Annotated[
        dict[Name, str],
        Field(max_length=MAX_PANEL, description="Seat -> what it alone is told."),
    ] = {}
    tools: Annotated[
        bool | None, Field(description="Whether panelists may search the web and check facts.")
    ] = None
    analyst: Annotated[
        Name | None,
        Field(
            description="Who reads the finished debate and draws up its ledger; `none` for nobody. "
            "Without it, the cheapest of the models that take part."
        ),
    ] = None
    rule: Annotated[Name | None, Field(description="How ballots are counted.")] = None
    exit_consensus: Annotated[
        Share | Off | None, Field(description="Stop once agreement is at least this.")
    ] = None
    exit_convergence: Annotated[
        Annotated[int, Field(ge=1, le=10)] | Off | None,
        Field(description="Stop once nobody has moved for so many rounds."),
    ] = None
    exit_confidence: Annotated[
        Share | Off | None, Field(description="Stop once everyone is at least this sure.")
    ] = None
    quorum: Annotated[
        Annotated[int, Field(ge=1, le=MAX_PANEL)] | None,
        Field(description="Usable answers that a round needs for the debate to go on."),
    ] = None
    max_cost_usd: Annotated[
        Dollars | None, Field(description="Dollars that the debate must not exceed.")
    ] = None
    allow_unpriced: Annotated[
        bool, Field(description="Accept models without a known price under a limit.")
    ] = False
    timeout: Annotated[Seconds | None, Field(description="Seconds for the whole debate.")] = None
    call_timeout: Annotated[Seconds | None, Field(description="Seconds for one call.")] = None
    grace: Annotated[
        Seconds | None,
        Field(description="Seconds for late panelists once enough others have answered."),
    ] = None
    follow_up: Annotated[
        bool,
        Field(description="Whether the synthesizer may ask one panelist one question first."),
    ] = False
    named: Annotated[
        bool | None, Field(description="Whether panelists see each other's names.")
    ] = None
    seed: Annotated[
        Annotated[int, Field(ge=0, le=2**53 - 1)] | None,
        Field(description="What labels and orders are shuffled by."),
    ] = None
    strict_model: Annotated[
        bool, Field(description="Refuse answers by another model than the one asked.")
    ] = False
    max_tokens: Annotated[
        Annotated[int, Field(ge=1, le=1_000_000)] | None,
        Field(description="The most tokens of one answer."),
    ] = None
    answer_tokens: Annotated[
        Annotated[int, Field(ge=1, le=1_000_000)] | None,
        Field(description="The most tokens of the final answer alone."),
    ] = None
    temperature: Annotated[
        Annotated[float, Field(ge=0, le=2)] | None, Field(description="Sampling temperature.")
    ] = None
    ground_truth: Annotated[
        Text | None, Field(description="The known answer; with it, a judge scores the debate.")
    ] = None
    judge: Annotated[Name | None, Field(description="Who scores.")] = None
    score: Annotated[Literal["synthesis", "all"], Field(description="What is scored.")] = (
        "synthesis"
    )
    rubric: Annotated[Name | None, Field(description="A rubric of the configuration.")] = None

    @property
    def options(self) -> dict[str, Any]:
        """The fields of `Options` that were said, under the names that those have."""
        found = {k: v for k, v in self.said.items() if k != "message"}
        for here, there in RENAMED.items():
            if here in found:
                found[there] = found.pop(here)
        if self.context:
            found["context"] = [_attachment(n, c) for n, c in enumerate(self.context, 1)]
        if self.earlier:
            found["earlier"] = [Earlier(speaker=e.speaker, text=e.text) for e in self.earlier]
        return found


RENAMED: Mapping[str, str] = {"conversation_id": "conversation", "max_cost_usd": "max_cost"}
"""What is called otherwise among the options of the app."""


class Limits(Body):
    """What may be changed when a debate goes on."""

    max_cost_usd: Annotated[
        Dollars | None, Field(description="Dollars that the debate must not exceed.")
    ] = None
    timeout: Annotated[Seconds | None, Field(description="Seconds for the whole debate.")] = None
    call_timeout: Annotated[Seconds | None, Field(description="Seconds for one call.")] = None
    grace: Annotated[
        Seconds | None,
        Field(description="Seconds for late panelists once enough others have answered."),
    ] = None

    @property
    def limits(self) -> dict[str, float]:
        """The limits that were said."""
        named = (("max_cost", self.max_cost_usd), ("timeout", self.timeout))
        all_ = (*named, ("call_timeout", self.call_timeout), ("grace", self.grace))
        return {name: value for name, value in all_ if value is not None}


class GoingOn(Limits):
    """How a debate is resumed."""

    late: Annotated[
        bool,
        Field(description="Ask those who were not waited for or failed; write the answer anew."),
    ] = False


class GoOn(Limits):
    """Further rounds of a finished debate."""

    rounds: Annotated[int, Field(ge=1, le=10, description="How many further ones.")] = 1
    remark: Annotated[Text | None, Field(description="What the panel is told first.")] = None


class Synthesize(Limits):
    """The answer of a debate, written or written anew."""

    synthesizer: Annotated[
        Name | None, Field(description="Who writes it; by default whoever was to.")
    ] = None


class Analyze(Limits):
    """A finished debate, read by an analyst."""

    analyst: Annotated[
        Name | None,
        Field(
            description="Who reads it; by default whoever was to, else the cheapest who took part."
        ),
    ] = None


class AskAgain(Limits):
    """A turn to be taken again."""

    key: Annotated[
        Annotated[str, Field(min_length=1, max_length=500)],
        Field(description="The turn's key, as its response has it."),
    ]


class Remark(Body):
    """Something to tell the panel."""

    remark: Annotated[Text, Field(description="The panel hears it with the next requests.")]


class Decide(Body):
    """A rule to count ballots by."""

    rule: Annotated[Name, Field(description="A rule, or `all` to compare them.")] = "borda"


class Probe(Body):
    """Models to ask one tiny question each."""

    agents: Annotated[
        Annotated[list[Name], Field(max_length=MAX_PANEL)],
        Field(description="Aliases or vendor:model; without any, every alias."),
    ] = []


def _attachment(number: int, given: str | Document) -> Attachment:
    if isinstance(given, Document):
        return Attachment(name=given.name, text=given.text)
    return Attachment(name=f"context {number}", text=given)
