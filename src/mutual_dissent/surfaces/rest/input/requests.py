"""The JSON bodies of requests: all that a client may ask for, checked whole before any work.

Unknown fields are refused: a client cannot pass a base URL, a path or a command.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel

from mutual_dissent.briefing.inputs.sent_files import sent_file
from mutual_dissent.briefing.kinds import Attachments, Messages, StoredDebate, ValueKind
from mutual_dissent.briefing.options import LIMITS, OPTIONS, Option, Where, options_for
from mutual_dissent.core.brief import Attachment, Earlier, FileBytes
from mutual_dissent.surfaces.facts.option_fields import Name, Names, Text, option_fields

# Neither dots nor slashes: whatever is asked for, it leads out of no folder.
ID = r"^[0-9a-z][0-9a-z-]{7,39}$"
"""A session's id, or the beginning of one that is long enough."""

SessionName = Annotated[str, Field(pattern=ID)]


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


class SentFile(Body):
    """A picture (PNG, JPEG, WebP, GIF), pdf or docx that goes with the question."""

    name: Name
    data: Annotated[
        str, Field(min_length=1, description="Its bytes in base 64, or a data: URL with them.")
    ]


class Message(Body):
    """Something said before the question."""

    speaker: Literal["instructions", "user", "assistant"]
    text: Annotated[str, Field(min_length=1)]


class Question(Body):
    """A question, and the options of its debate as fields."""

    message: Annotated[Text, Field(description="What to ask.")]

    @property
    def options(self) -> dict[str, Any]:
        """The fields of `Options` that were sent, under the names that those have."""
        sent = {RENAMED.get(k, k): v for k, v in self.said.items() if k != "message"}
        if texts := sent.get("context"):
            sent["context"] = [_attachment(n, c) for n, c in enumerate(texts, 1)]
        if turns := sent.get("earlier"):
            sent["earlier"] = [Earlier(speaker=e.speaker, text=e.text) for e in turns]
        return sent


class LimitFields(Body):
    """Limits of a debate as fields."""

    @property
    def limits(self) -> dict[str, float]:
        """The limits that were sent, by the names that options have."""
        sent = {RENAMED.get(k, k): v for k, v in self.said.items() if v is not None}
        return {name: sent[name] for name in LIMITS if name in sent}


RENAMED: Mapping[str, str] = {o.rest: o.name for o in options_for(Where.REST) if o.rest}
"""Fields that have another name among the options of the app."""


def _own_type(kind: ValueKind) -> Any:
    match kind:
        case Attachments():
            return Annotated[list[str | Document | SentFile], Field(max_length=100)]
        case Messages():
            return Annotated[list[Message], Field(max_length=1000)]
        case StoredDebate():
            return SessionName
        case _:
            return None


def _fields(options: Iterable[Option]) -> dict[str, Any]:
    return option_fields(options, lambda o: o.rest or o.name, lambda o: o.body or o.help, _own_type)


if TYPE_CHECKING:
    Debate = Question
    Limits = LimitFields
else:
    Debate = create_model(
        "Debate",
        __base__=Question,
        __doc__="A question for the panel, and how it is to be debated. Only `message` is needed.",
        **_fields(options_for(Where.REST)),
    )
    Limits = create_model(
        "Limits",
        __base__=LimitFields,
        __doc__="What may be changed when a debate goes on.",
        **_fields(o for o in OPTIONS.values() if o.name in LIMITS),
    )


class GoingOn(Limits):
    """The way in which a debate is resumed."""

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


class Outcome(Body):
    """Outcome of a session, as the user knows it."""

    outcome: Annotated[
        Name, Field(description="`right` or `wrong`, of the answer, or the value that is true.")
    ]
    note: Annotated[str, Field(max_length=2000, description="How that is known.")] = ""


class OwnAnswer(Body):
    """The caller's own answer as a panelist."""

    key: Annotated[
        Annotated[str, Field(min_length=1, max_length=500)],
        Field(description="The key of the request that is answered."),
    ]
    fields: Annotated[
        dict[Name, Annotated[str, Field(max_length=100_000)]],
        Field(description="Name of a field of the request -> what is filled in.", max_length=100),
    ] = {}
    skip: Annotated[bool, Field(description="Whether to sit this one out instead.")] = False


class Decide(Body):
    """A rule to count ballots by."""

    rule: Annotated[Name, Field(description="A rule, or `all` to compare them.")] = "borda"


class Probe(Body):
    """Models to ask one tiny question each."""

    agents: Annotated[
        Names, Field(description="Aliases or vendor:model; without any, every alias.")
    ] = []


def _attachment(number: int, given: str | Document | SentFile) -> Attachment | FileBytes:
    if isinstance(given, SentFile):
        return sent_file(given.name, given.data)
    if isinstance(given, Document):
        return Attachment(name=given.name, text=given.text)
    return Attachment(name=f"context {number}", text=given)
