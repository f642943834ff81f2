"""The transcript: a fold over the events of one debate. Nothing else decides what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import wraps
from typing import Any, TypeVar

from mutual_dissent.core.brief import Brief
from mutual_dissent.core.events import (
    Answered,
    Asked,
    CitationsRead,
    Closed,
    Event,
    Noted,
    Opened,
    Remarked,
    Reopened,
    Resolved,
    RoundEnded,
    RoundStarted,
    Scored,
    Status,
)
from mutual_dissent.core.measures import Measures
from mutual_dissent.core.panel import Panelist
from mutual_dissent.core.response import Response
from mutual_dissent.core.values.citation import CITATIONS, CitedPassage

_T = TypeVar("_T")
_READ = "_read"
"""Attribute of a transcript, no field of it, with what views made of it."""

SCHEMA_VERSION = 1
# The most rounds that `auto` holds, should no criterion to stop be met before.
AUTO_ROUNDS = 3
MOST_ROUNDS = 1000
"""No debate has more; a file that names a later round is not believed."""

SUMMARY = "summary"
"""The role of a text that stands for earlier rounds in a request that would be too long."""

ANALYSIS = "analysis"
"""The role of the analyst's reading of a finished debate."""

ANALYZED = "analyzed"
"""The reason to reopen a debate that an analyst is to read again."""

NOT_SAVED, SAVED = "not_saved", "saved"
"""Codes of the notes that say since when events are not on record, and when they are again."""

MEASURES = frozenset({"panel", "values", "estimates", "claims"})
"""Who can have told how far a round agrees. What earlier versions took from words is not read."""

PANEL_ROLES = frozenset({"initial", "reflection", "evaluation"})
"""Roles of answers that are a panelist's turn in a round."""

REWRITTEN = frozenset({"continued", "synthesized", "asked again", "late"})
"""Reasons to reopen a debate after which its answer is written anew."""

RIGHT = "right"
VERDICTS = (RIGHT, "wrong")
"""Outcomes that are about the answer: another answer has not been judged. A value stays true."""

DESCRIPTION = "description"
"""The role of a text on attached pictures, for those on the panel who see none."""

PROPOSAL = "proposal"
"""The role of the call that proposed how the debate is held, before it was opened."""

SAMPLE = "sample"
"""The role of one of several samples of a turn; which of them is the turn is decided by code."""

OPINION_ROLES = frozenset({"initial", "reflection"})
"""Roles of turns that answer the query; the others are about answers."""

INQUIRY = "inquiry"
"""The role of the synthesizer's word on whether it wants to ask anybody anything."""

REPLY = "follow_up"
"""The role of the panelist's reply."""

ENDING_ROLES = frozenset({INQUIRY, REPLY, "synthesis", "analysis", CITATIONS})
"""Roles of what is asked to end a debate; all of it is asked anew when the answer is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A panelist's question to the user. A later remark counts as the answer."""

    seat: str
    round_number: int
    text: str
    answered: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """All panel responses of one round, in panel order."""

    round_number: int
    round_type: str
    responses: tuple[Response, ...] = ()
    measures: Measures = field(default_factory=Measures)

    @property
    def usable(self) -> tuple[Response, ...]:
        """The responses that count as opinions."""
        return tuple(r for r in self.responses if r.usable)

    @property
    def agreement(self) -> float | None:
        """Return how far it agreed, 0 to 1; None where that was not measured."""
        return self.measures.agreement if self.measures.measure in MEASURES else None


class Facts(dict[str, Any]):
    """Plain values by name, which can also be had as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"there is no {name!r}; there are {', '.join(self)}") from None


FACES: dict[str, Callable[[Any], Any]] = {}
"""What higher layers know of a transcript, by name; `mutual_dissent.library` puts it here."""


@dataclass(frozen=True, kw_only=True)  # without slots: a copy is made for every event
class Transcript:
    """The complete record of a debate, with the attribute names of its JSON.

    Attributes:
        brief: what was asked for.
        rounds: the panel's rounds; the synthesis is apart.
        synthesis: the final answer, or None if there is none (yet).
        asides: answers that are neither a panelist's turn nor the synthesis: digests, scores.
        failed_syntheses: synthesizers that were tried and failed.
        remarks: what the user said to the panel, in order.
        heard: for each remark that anybody was told, the number of the round in which that began.
        requests: what panelists asked of the user, in order.
        replaced: key and response of answers in whose place another one was bought.
        notes: what the user should know, in order.
        cited: citations whose pages were looked at, with what was found there.
        labels: key of an ask -> the labels its reader saw -> the seats they stand for.
        scores: key of a response -> the judge's score of it.
        reused: keys of answers bought by an earlier debate.
        asked: key -> request hash of every request that was sent or reused.
        sent: key -> number of the event with which a request was put on record.
        came: key -> number of the event with which its answer was.
        pending: keys that were asked and not answered yet.
        last_seq: the number of the last event.
        worked: how long somebody was at work on it, without the time between a stop and a resume.
        outcome: how it turned out, as the user said last; None if that is not known.
        unsaved: why what happened last is not on record; empty if all of it is.
    """

    brief: Brief
    created_at: datetime
    version: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    prompts: dict[str, str] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    synthesis: Response | None = None
    asides: tuple[Response, ...] = ()
    failed_syntheses: tuple[Response, ...] = ()
    replaced: tuple[tuple[str, Response], ...] = ()
    notes: tuple[Noted, ...] = ()
    cited: tuple[CitedPassage, ...] = ()
    remarks: tuple[str, ...] = ()
    heard: tuple[int, ...] = field(default=(), compare=False)
    requests: tuple[Request, ...] = ()
    reused: frozenset[str] = frozenset()
    asked: dict[str, str] = field(default_factory=dict)
    sent: dict[str, int] = field(default_factory=dict, compare=False)
    came: dict[str, int] = field(default_factory=dict, compare=False)
    answered: dict[str, Response] = field(default_factory=dict)
    pending: tuple[str, ...] = ()
    bought_twice: int = 0
    labels: dict[str, dict[str, str]] = field(default_factory=dict)
    scores: dict[str, dict[str, Any]] = field(default_factory=dict)
    status: Status = Status.CREATED
    closed_reason: str = ""
    closed_text: str = ""
    outcome: Resolved | None = None
    updated_at: datetime | None = None
    last_seq: int = 0
    worked: timedelta = field(default=timedelta(), compare=False)
    unsaved: str = field(default="", compare=False)

    @property
    def transcript_id(self) -> str:
        """The debate's UUID."""
        return self.brief.transcript_id

    @property
    def query(self) -> str:
        """The question of the debate."""
        return self.brief.query

    @property
    def panel(self) -> list[str]:
        """The model ids that sit on the panel, in order."""
        return [p.model_id for p in self.brief.panel]

    @property
    def panelists(self) -> tuple[Panelist, ...]:
        """Everyone on the panel, in order."""
        return self.brief.panel

    @property
    def synthesizer(self) -> Panelist:
        """Return who writes the final answer."""
        return self.brief.synthesizer

    @property
    def synthesizer_id(self) -> str:
        """The model id of the synthesizer."""
        return self.brief.synthesizer.model_id

    @property
    def max_rounds(self) -> int:
        """Return how many rounds may follow the initial one."""
        return AUTO_ROUNDS if self.brief.rounds == "auto" else self.brief.rounds

    @property
    def metadata(self) -> Facts:
        """Version, stats, decision, movement, value and so on, as in the JSON."""
        return Facts(FACES["metadata"](self))

    @property
    def heading(self) -> str:
        """Return how the debate ended and who holds what, in words."""
        return str(FACES["heading"](self))

    @property
    def fallback_answer(self) -> Response | None:
        """Answer in place of a synthesis, where there is none."""
        found: Response | None = FACES["fallback_answer"](self)
        return found

    @property
    def closed(self) -> Facts:
        """Reason for the end: `reason` in a word, `text` in a sentence; empty while it runs."""
        return Facts(reason=self.closed_reason, text=self.closed_text)

    @property
    def superseded(self) -> tuple[Response, ...]:
        """Answers that later ones took the place of: paid for, so kept."""
        shown = {id(r) for r in (*self.turns(), *self.asides, *self.failed_syntheses)}
        others = (r for r in self.answered.values() if id(r) not in shown)
        return (
            *(r for _, r in self.replaced),
            *(r for r in others if r is not self.synthesis),
        )

    def to_dict(self) -> dict[str, Any]:
        """The transcript as plain values, as in its JSON file."""
        found: dict[str, Any] = FACES["to_dict"](self)
        return found

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Transcript:
        """The transcript of what `to_dict` gave, now or in an earlier version.

        Raises:
            BadInput: if there is no debate in it.
        """
        found: Transcript = FACES["from_dict"](plain)
        return found

    def _repr_html_(self) -> str:
        """HTML for notebooks."""
        return str(FACES["html"](self))

    @property
    def description(self) -> Response | None:
        """Text that stands for the pictures where somebody sees none, once there is one."""
        found = (a for a in self.asides if a.role == DESCRIPTION and a.usable and a.text.strip())
        return next(found, None)

    @property
    def unsighted(self) -> tuple[str, ...]:
        """Seats that neither see the pictures nor were told what is on them."""
        return self.brief.blind if self.description is None else ()

    @property
    def standing(self) -> tuple[Panelist, ...]:
        """The panelists that have answered in every round so far."""
        gone = {r.model_alias for r in self.turns() if not r.usable}
        heard = {r.model_alias for r in self.turns()} if self.rounds else None
        return tuple(
            p for p in self.brief.panel if p.seat not in gone and (heard is None or p.seat in heard)
        )

    @property
    def absent(self) -> tuple[Response, ...]:
        """The failed turns, one for each panelist that dropped out."""
        return tuple({r.model_alias: r for r in self.turns() if not r.usable}.values())

    @property
    def last_round(self) -> Round | None:
        """The latest round that has an answer."""
        return next((r for r in reversed(self.rounds) if r.usable), None)

    @property
    def agreement(self) -> float | None:
        """Return how far the last round agreed; None where that was not measured."""
        return self.rounds[-1].agreement if self.rounds else None

    @property
    def settled(self) -> bool:
        """Return whether the last finished round met a criterion to stop."""
        return bool(self.rounds) and self.rounds[-1].measures.exit is not None

    @property
    def open_requests(self) -> tuple[Request, ...]:
        """Panelists' questions to the user that are still unanswered."""
        return tuple(r for r in self.requests if not r.answered)

    def turns(self) -> Iterator[Response]:
        """Every panel response, round by round."""
        for round_ in self.rounds:
            yield from round_.responses

    def responses(self) -> Iterator[tuple[str, Response]]:
        """Every response with its key, in the order of arrival: turns, asides and syntheses."""
        yield from self.answered.items()

    def latest_of(self, seat: str) -> Response | None:
        """The last usable answer of a panelist to the query."""
        found = None
        for response in self.turns():
            if response.model_alias == seat and response.usable and response.role in OPINION_ROLES:
                found = response
        return found

    def round(self, number: int) -> Round | None:
        """The round of that number."""
        return next((r for r in self.rounds if r.round_number == number), None)

    def apply(self, event: Event) -> Transcript:
        """The transcript after one more event."""
        # The time since the event before was no work: the debate was closed, or had ended.
        idle = isinstance(event, Reopened | Resolved)
        since = event.at if idle else self.updated_at or event.at
        worked = self.worked + (event.at - since)
        moved: dict[str, Any] = {"last_seq": event.seq, "updated_at": event.at, "worked": worked}
        match event:
            case Opened():
                return _changed(self, **moved)
            case RoundStarted():
                return _changed(self._heard_in(event), status=Status.ACTIVE, **moved)
            case Asked():
                # Asked before and not answered on record: the vendor may bill both requests.
                twice = self.bought_twice + (event.key in self.pending)
                pending = (*(k for k in self.pending if k != event.key), event.key)
                labels = {**self.labels, event.key: event.labels} if event.labels else self.labels
                return _changed(
                    self._heard_in(event), pending=pending, bought_twice=twice, labels=labels,
                    asked={**self.asked, event.key: event.request_hash},
                    sent={**self.sent, event.key: event.seq}, **moved,
                )  # fmt: skip
            case Answered():
                return self._with_answer(event, moved)
            case RoundEnded():
                return _changed(self._with_measures(event), **moved)
            case Scored():
                return _changed(self._with_score(event), **moved)
            case Noted():
                unsaved = {NOT_SAVED: event.text, SAVED: ""}.get(event.code, self.unsaved)
                return _changed(self, notes=(*self.notes, event), unsaved=unsaved, **moved)
            case Remarked():
                remarks = (*self.remarks, event.text)
                return _changed(
                    self, remarks=remarks, requests=settle_requests(self.requests), **moved
                )
            case Closed():
                # What never went out cannot have been billed: to ask it again buys nothing twice.
                pending = tuple(k for k in self.pending if k not in event.unsent)
                return _changed(
                    self, status=event.status, closed_reason=event.reason,
                    closed_text=event.text, pending=pending, **moved,
                )  # fmt: skip
            case Reopened():
                # First back to that turn, then without the answer that rested on it.
                before = self._up_to(event.again) if event.again else self
                after = before.unwritten() if event.reason in REWRITTEN else before
                return _changed(
                    after, brief=event.brief or self.brief, status=Status.ACTIVE,
                    closed_reason="", closed_text="", unsaved="", **moved,
                )  # fmt: skip
            case _:
                return _changed(self, **_afterwards(event), **moved)

    def _heard_in(self, event: RoundStarted | Asked) -> Transcript:
        """The transcript in which those who are asked now know what the user said last."""
        new = len(self.remarks) - len(self.heard)
        return _changed(self, heard=(*self.heard, *[event.round_number] * new)) if new else self

    def unwritten(self) -> Transcript:
        """The transcript without its ending: what is stale stays among the answers alone."""
        asides = tuple(a for a in self.asides if a.role not in ENDING_ROLES)
        # "Right" was said of the answer that goes; a value that turned out stays true.
        known = self.outcome if self.outcome and self.outcome.outcome not in VERDICTS else None
        return _changed(self, synthesis=None, asides=asides, outcome=known, cited=())

    def _up_to(self, key: str) -> Transcript:
        """The transcript up to a turn that is taken again: nobody had read what comes now."""
        if key not in self.answered:
            return self
        number = self.answered[key].round_number
        stale = {
            k: r
            for k, r in self.answered.items()
            if r.role in PANEL_ROLES and r.round_number > number
        }
        # The round itself loses its measures: one of its answers is about to be another.
        kept = [r for r in self.rounds if r.round_number <= number]
        return _changed(
            self,
            rounds=tuple(
                replace(r, measures=Measures()) if r.round_number == number else r for r in kept
            ),
            answered={k: r for k, r in self.answered.items() if k not in stale},
            scores={k: s for k, s in self.scores.items() if k not in stale},
            replaced=(*self.replaced, *stale.items()),
        )

    def _with_answer(self, event: Answered, moved: dict[str, Any]) -> Transcript:
        response = event.response
        was = self.answered.get(event.key)
        others = self.answered
        if was:
            # Taken out first, so that it comes last: `answered` is in the order of arrival.
            others = {k: r for k, r in others.items() if k != event.key}
        return _changed(
            self,
            answered={**others, event.key: response},
            asked={**self.asked, event.key: event.request_hash},
            came={**self.came, event.key: event.seq},
            replaced=(*self.replaced, (event.key, was)) if was else self.replaced,
            # A score of the answer that was there before says nothing of this one.
            scores={k: s for k, s in self.scores.items() if k != event.key},
            pending=tuple(k for k in self.pending if k != event.key),
            reused=self.reused | {event.key} if event.reused else self.reused,
            **self._where_it_belongs(response, was),
            **moved,
        )

    def _where_it_belongs(self, response: Response, was: Response | None) -> dict[str, Any]:
        """The fields in which an answer takes its place, or that of an earlier one."""
        if response.role in PANEL_ROLES:
            requests = with_requests(self.requests, response)
            return {"rounds": _placed(self, response), "requests": requests}
        if response.role != "synthesis":
            return {"asides": (*(a for a in self.asides if a is not was), response)}
        # A synthesizer that was tried again is not also among those that failed.
        failed = tuple(f for f in self.failed_syntheses if f is not was)
        if response.usable:
            return {"synthesis": response, "failed_syntheses": failed}
        return {"failed_syntheses": (*failed, response)}

    def _with_score(self, event: Scored) -> Transcript:
        """The transcript with a judge's score on the response it is about."""
        was = self.answered.get(event.about)
        if was is None:
            return self
        now = replace(was, analysis={**was.analysis, event.name: event.score})

        def swap(responses: tuple[Response, ...]) -> tuple[Response, ...]:
            return tuple(now if r is was else r for r in responses)

        return _changed(
            self,
            answered={**self.answered, event.about: now},
            rounds=tuple(replace(r, responses=swap(r.responses)) for r in self.rounds),
            synthesis=now if self.synthesis is was else self.synthesis,
            scores={**self.scores, event.about: event.score},
        )

    def _with_measures(self, event: RoundEnded) -> Transcript:
        """The transcript with what was found about a round."""
        rounds = tuple(
            replace(r, measures=r.measures.merge(event.measures))
            if r.round_number == event.round_number and event.role in PANEL_ROLES
            else r
            for r in self.rounds
        )
        return _changed(self, rounds=rounds)


def _afterwards(event: Event) -> dict[str, Any]:
    """The fields that events about a finished debate set."""
    match event:
        case CitationsRead():
            return {"cited": event.cited}
        case Resolved():
            return {"outcome": event}
        case _:
            return {}


def fold(events: Iterable[Event]) -> Transcript:
    """The transcript of a whole log, which begins with Opened."""
    transcript: Transcript | None = None
    for event in events:
        transcript = advance(transcript, event)
    assert transcript is not None, "every debate begins with Opened"
    return transcript


def advance(so_far: Transcript | None, event: Event) -> Transcript:
    """The transcript with one more event of its log; the first one opens it."""
    if isinstance(event, Opened):
        return opening(event)
    assert so_far is not None, "every debate begins with Opened"
    return so_far.apply(event)


def read_once(view: Callable[[Transcript], _T]) -> Callable[[Transcript], _T]:
    """Keep what a pure view makes of a transcript, with it: others are made of it many times."""

    @wraps(view)
    def reading(t: Transcript) -> _T:
        kept: dict[object, Any] = t.__dict__.setdefault(_READ, {})
        if view not in kept:
            kept[view] = view(t)
        found: _T = kept[view]
        return found

    return reading


def opening(opened: Opened) -> Transcript:
    """The transcript of a debate that has only been opened."""
    return Transcript(
        brief=opened.brief,
        created_at=opened.at,
        version=opened.version,
        settings=opened.settings,
        prompts=opened.prompts,
        updated_at=opened.at,
        last_seq=opened.seq,
    )


def _changed(transcript: Transcript, **fields: Any) -> Transcript:
    """The transcript with other values in some fields; `replace` would set all of them anew."""
    # One event changes two or three of some thirty fields, and a log has hundreds of events.
    # `replace` would read every field by name and run __init__ for each.
    copy = object.__new__(Transcript)
    copy.__dict__.update(transcript.__dict__, **fields)
    copy.__dict__.pop(_READ, None)  # it was read off the old one
    return copy


def _placed(so_far: Transcript, response: Response) -> tuple[Round, ...]:
    """The rounds with one more response at its seat's place."""
    number = response.round_number
    order = {p.seat: i for i, p in enumerate(so_far.brief.panel)}
    present = so_far.round(number) or Round(round_number=number, round_type=response.role)
    others = [r for r in present.responses if r.model_alias != response.model_alias]
    responses = sorted([*others, response], key=lambda r: order.get(r.model_alias, len(order)))
    filled = replace(present, responses=tuple(responses))
    rest = [r for r in so_far.rounds if r.round_number != number]
    return tuple(sorted([*rest, filled], key=lambda r: r.round_number))


def with_requests(known: Iterable[Request], response: Response) -> tuple[Request, ...]:
    """The requests after one more answer; whoever repeats one has asked for it once."""
    new = [
        Request(seat=response.model_alias, round_number=response.round_number, text=text)
        for text in response.requests
    ]
    known = tuple(known)
    # Who asks again after an answer was not satisfied by it: that is a new request.
    before = {r.text.casefold() for r in known if not r.answered}
    return (*known, *(r for r in new if r.text.casefold() not in before))


def settle_requests(known: Iterable[Request]) -> tuple[Request, ...]:
    """The requests after the user has said something."""
    return tuple(replace(r, answered=True) for r in known)
