"""Debates made of core objects alone: what a debate would have recorded, without running one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from mutual_dissent.analysis.answers.closing_lines import closing_lines
from mutual_dissent.core.brief import Brief
from mutual_dissent.core.events import (
    Answered,
    Asked,
    Closed,
    Event,
    Noted,
    Opened,
    RoundEnded,
    RoundStarted,
    Scored,
    Status,
    Token,
)
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import ErrorKind, Finish, Response, storable
from mutual_dissent.core.step import Step
from mutual_dissent.core.transcript import Transcript, fold
from mutual_dissent.engine import measures

START = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
DEBATE_ID = "5e1f7c1a-93d2-4b7e-8a57-0c2d9a4e61bf"


@dataclass(frozen=True)
class Fault:
    """An answer that did not come."""

    kind: ErrorKind | None = ErrorKind.RATE_LIMIT
    text: str = "the vendor asked to wait longer than the call may take"
    finish: Finish = Finish.FAILED


@dataclass(frozen=True)
class Said:
    """An answer with fields of its own: `Said("yes", {"served_model": "other"})`."""

    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)


Answer = str | Said | Fault


def panelist(seat: str, model_id: str | None = None, vendor: str = "openrouter") -> Panelist:
    """A seat, by default with a model of its own."""
    name = seat.partition("#")[0]
    return Panelist(seat=seat, route=Route(vendor=vendor, model_id=model_id or f"lab/{name}-1"))


def response(
    who: Panelist,
    role: str,
    n: int,
    said: Answer,
    at: datetime = START,
    seats: Sequence[str] = (),
) -> Response:
    """What one panelist said; closing lines in it name the others, of these seats, as they are."""
    base = Response(
        model_id=who.model_id,
        model_alias=who.seat,
        round_number=n,
        role=role,
        content="",
        timestamp=at,
        provider=who.route.vendor,
        routing=who.route,
        persona=who.persona,
        latency_ms=2100,
        first_token_ms=300,
    )
    if isinstance(said, Fault):
        return replace(base, error=said.text, error_kind=said.kind, finish=said.finish)
    text, fields = (said.text, said.fields) if isinstance(said, Said) else (said, {})
    count = max(1, len(text) // 4)
    spent = {"input_tokens": 100, "output_tokens": count, "token_count": 100 + count}
    whole = replace(
        base, content=text, **{**spent, "cached_tokens": 40, "cost_usd": 0.0031, **fields}
    )
    own = who.seat if role != "synthesis" else ""
    read = closing_lines(text, {s: s for s in seats}, own)
    if read is None:
        return whole
    return replace(whole, content=read.prose, closing=read.closing, confidence=read.confidence)


def debate(
    answers: Mapping[str, Sequence[Answer]] | None = None,
    *,
    synthesis: Answer | Sequence[Answer] | None = "Canberra is the capital.",
    query: str = "What is the capital of Australia?",
    panel: Sequence[Panelist] = (),
    closed: Closed | None = None,
    notes: Sequence[Noted] = (),
    scores: Mapping[str, dict[str, Any]] | None = None,
    open_ended: bool = False,
    **brief: Any,
) -> list[Event]:
    """The events of a debate.

    Args:
        answers: seat -> what it said in each round.
        synthesis: what the synthesizer said; several for the synthesizer and its stand-ins in turn.
        panel: the seats, where they need models of their own.
        closed: how it ended; by default as its synthesis says.
        scores: key of a response -> its score.
        open_ended: leave it as a process that died would.
        brief: further fields of the brief.
    """
    words = answers or {"claude": ["Canberra."] * 2, "gpt": ["It is Canberra."] * 2}
    known = {p.seat: p for p in panel}
    seats = tuple(known.get(s) or panelist(s) for s in words)
    tries = [] if synthesis is None else _listed(synthesis)
    script = _Script(_brief(query, seats, len(tries), brief))
    for n in range(max((len(said) for said in words.values()), default=0)):
        script.round(n, {p: words[p.seat][n] for p in seats if n < len(words[p.seat])})
    for who, said in zip(script.synthesizers, tries, strict=False):
        script.step("synthesis", -1, {who: said})
    for about, score in (scores or {}).items():
        script.add(Scored(at=script.now, about=about, name="ground_truth_score", score=score))
    for note in notes:
        script.add(note)
    if not open_ended:
        script.add(closed or script.ending())
    return script.events


def transcript(*args: Any, **kwargs: Any) -> Transcript:
    """The transcript of such a debate."""
    return fold(debate(*args, **kwargs))


def streamed(events: Sequence[Event], piece: int = 12) -> Iterator[Event | Token]:
    """The same debate as somebody sees it who watches: the answers come in pieces first."""
    for event in events:
        if isinstance(event, Answered) and not event.reused:
            said = event.response
            for i in range(0, len(said.content), piece):
                yield Token(
                    panelist=event.seat,
                    round_number=said.round_number,
                    role=said.role,
                    key=event.key,
                    text=said.content[i : i + piece],
                )
        yield event


def _listed(said: Answer | Sequence[Answer]) -> list[Answer]:
    return [said] if isinstance(said, str | Said | Fault) else list(said)


def _brief(query: str, seats: tuple[Panelist, ...], tries: int, more: Mapping[str, Any]) -> Brief:
    usual = {
        "transcript_id": DEBATE_ID,
        "query": query,
        "panel": seats,
        "synthesizer": seats[0],
        "fallbacks": seats[1:tries],
    }
    return Brief(**{**usual, **more})


class _Script:
    def __init__(self, brief: Brief) -> None:
        self.brief = brief
        self.events: list[Event] = []
        self.now = START
        self.add(
            Opened(at=START, brief=brief, version="0.1.0", prompts={"common/system": "abc123"})
        )

    @property
    def synthesizers(self) -> tuple[Panelist, ...]:
        return (self.brief.synthesizer, *self.brief.fallbacks)

    def add(self, event: Event) -> None:
        self.events.append(event.with_seq(len(self.events) + 1))
        self.now += timedelta(seconds=1)

    def round(self, n: int, said: Mapping[Panelist, Answer]) -> None:
        self.step("reflection" if n else "initial", n, said)

    def step(self, role: str, n: int, said: Mapping[Panelist, Answer]) -> None:
        seats = tuple(p.seat for p in said)
        self.add(RoundStarted(at=self.now, round_number=n, role=role, seats=seats))
        for who in said:
            self._ask(who, role, n)
        for who, words in said.items():
            self._answer(who, role, n, words)
        so_far = fold(self.events)
        step = Step(round_number=n, role=role, turns=())
        self.add(
            RoundEnded(
                at=self.now,
                round_number=n,
                role=role,
                measures=measures.measures(so_far, step, last=so_far.max_rounds),
            )
        )

    def ending(self) -> Closed:
        so_far = fold(self.events)
        if so_far.synthesis is not None:
            return Closed(at=self.now, status=Status.COMPLETED, reason="done")
        if so_far.failed_syntheses:
            return Closed(at=self.now, status=Status.ERROR, reason="synthesis")
        return Closed(at=self.now, status=Status.ERROR, reason="quorum", text="too few answered")

    def _ask(self, who: Panelist, role: str, n: int) -> None:
        self.add(
            Asked(
                at=self.now,
                key=f"{n}/{role}/{who.seat}",
                seat=who.seat,
                round_number=n,
                role=role,
                prompt=f"reflection/{role}",
                request_hash="0" * 32,
                labels={p.seat: p.seat for p in self.brief.panel if p is not who} if n else {},
            )
        )

    def _answer(self, who: Panelist, role: str, n: int, words: Answer) -> None:
        seats = [p.seat for p in self.brief.panel]
        said = storable(response(who, role, n, words, self.now, seats))
        key = f"{n}/{role}/{who.seat}"
        self.add(
            Answered(at=self.now, key=key, seat=who.seat, request_hash="0" * 32, response=said)
        )
        if not said.usable:
            why = said.error or said.finish.value
            text = f"{who.seat}: {why}"
            self.add(Noted(at=self.now, code="absent", seat=who.seat, text=text))
