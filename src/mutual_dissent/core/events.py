"""Events of a debate, in order. Numbered events are stored; tokens only pass by.

Opened        the brief as it will be run
RoundStarted  a step of the mode begins
Asked         a request is about to be sent (on disk before it is)
Answered      an answer, or a failure, arrived (on disk before anyone is told)
RoundEnded    a step is over, with what was measured in it
Scored        a judge's score of one response
Noted         something the user should know: an absence, another model, a cut quotation
Remarked      the user said something to the panel
Closed        the debate ended, or stopped in a way that can be resumed
Reopened      it goes on: resumed, continued, or scored later
Resolved      the user said what turned out: right, wrong, or the value; the last one holds
Token         a piece of an answer while it is being written: unnumbered, never stored
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.codec.plain import Malformed, from_plain, to_plain
from mutual_dissent.core.measures import Measures, measures_from_plain
from mutual_dissent.core.response import Response
from mutual_dissent.core.values.citation import CitedPassage


class Status(StrEnum):
    """Status of a debate. `interrupted` is read from the outside: active, but nobody runs it."""

    CREATED = "created"
    ACTIVE = "active"
    PAUSED = "paused"
    COMPLETED = "completed"
    ERROR = "error"
    INTERRUPTED = "interrupted"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened; `seq` counts from 1 without gaps within a debate."""

    kind: ClassVar[str] = ""
    seq: int = 0
    at: datetime

    def with_seq(self, seq: int) -> Event:
        """The same event with its place in the log."""
        return replace(self, seq=seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened(Event):
    """The debate exists. `settings` is the effective configuration without secrets."""

    kind: ClassVar[str] = "opened"
    brief: Brief
    version: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundStarted(Event):
    """A step begins: these seats will be asked. `part` tells the steps of one round apart."""

    kind: ClassVar[str] = "round_started"
    round_number: int
    role: str
    seats: tuple[str, ...]
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked(Event):
    """A request is about to be sent."""

    kind: ClassVar[str] = "asked"
    key: str
    seat: str
    round_number: int
    role: str
    prompt: str
    request_hash: str
    labels: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered(Event):
    """An answer or a failure. `reused` answers were bought by an earlier debate."""

    kind: ClassVar[str] = "answered"
    key: str
    seat: str
    request_hash: str
    response: Response
    reused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundEnded(Event):
    """A step is over. `measures` holds what the analysis found, by name."""

    kind: ClassVar[str] = "round_ended"
    round_number: int
    role: str
    measures: Measures = field(default_factory=Measures)
    part: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored(Event):
    """Score that a judge gave to the response with the key `about`."""

    kind: ClassVar[str] = "scored"
    about: str
    name: str
    score: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted(Event):
    """Something the user should know; `code` is for programs, `text` for people."""

    kind: ClassVar[str] = "noted"
    code: str
    text: str
    seat: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationsRead(Event):
    """The pages behind citations were looked at; the last one holds."""

    kind: ClassVar[str] = "citations_read"
    cited: tuple[CitedPassage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Remarked(Event):
    """The user said something to the panel; it is told with every later request."""

    kind: ClassVar[str] = "remarked"
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Closed(Event):
    """The debate is over or stopped. `reason` is a word: done, quorum, synthesis, budget, ...

    `unsent` are the keys of requests on record that had not gone out when they were given up.
    """

    kind: ClassVar[str] = "closed"
    status: Status
    reason: str
    text: str = ""
    unsent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened(Event):
    """The debate goes on after it was closed or its process died.

    `brief` is set if it changed; `again` is the key of the turn that is taken again, if one is.
    """

    kind: ClassVar[str] = "reopened"
    reason: str
    brief: Brief | None = None
    again: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved(Event):
    """The user said how a finished debate turned out; the last one holds.

    `outcome` is `right` or `wrong`, of the panel's answer, or the value that turned out to be true.
    """

    kind: ClassVar[str] = "resolved"
    outcome: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A piece of an answer as it arrives; `restart` says that what came before was withdrawn."""

    kind: ClassVar[str] = "token"
    panelist: str
    round_number: int
    role: str
    key: str
    text: str
    restart: bool = False


KINDS: Mapping[str, type[Event]] = {
    cls.kind: cls
    for cls in (
        Opened,
        RoundStarted,
        Asked,
        Answered,
        RoundEnded,
        Scored,
        Noted,
        CitationsRead,
        Remarked,
        Closed,
        Reopened,
        Resolved,
    )
}


def event_to_plain(event: Event) -> dict[str, Any]:
    """An event as plain JSON values, with its kind."""
    return {"kind": event.kind, **to_plain(event)}


def event_from_plain(plain: Mapping[str, Any]) -> Event:
    """The event that `event_to_plain` wrote.

    Raises:
        Malformed: if it is of no known kind or has the wrong shape.
    """
    cls = KINDS.get(str(plain.get("kind")))
    if cls is None:
        raise Malformed(f"no event is of kind {plain.get('kind')!r:.40}")
    found = dict(plain)
    try:
        return from_plain(cls, found)
    except Malformed as e:
        # A measure of another version, or made by hand, must not cost the whole debate.
        if cls is not RoundEnded or e.path[:1] != ("measures",) or len(e.path) < 2:
            raise
    measures = measures_from_plain(found["measures"])
    return replace(from_plain(RoundEnded, {**found, "measures": {}}), measures=measures)
