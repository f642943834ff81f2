"""Telling: the events of a debate, made from what happened. The loop numbers and records them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain

from mutual_dissent.core.errors import clip
from mutual_dissent.core.events import Answered, Asked, Event, Noted, RoundEnded, RoundStarted
from mutual_dissent.core.measures import Measures
from mutual_dissent.core.panel import Panelist, Route
from mutual_dissent.core.response import (
    BY_CODE,
    ESTIMATED,
    UNSEARCHED,
    Ask,
    ErrorKind,
    Finish,
    Response,
    Selection,
    adopt,
)
from mutual_dissent.core.sight import name_rounds
from mutual_dissent.core.step import Step, WrittenAnswer, alone
from mutual_dissent.core.transcript import SAMPLE, Transcript
from mutual_dissent.prompts.compose import Composed, Condensed
from mutual_dissent.text.sanitize import invisible_words

MOST_ANSWER = 80
"""Characters of an answer that a note on samples quotes."""


def note_start(step: Step, at: datetime) -> RoundStarted:
    """A step begins."""
    return RoundStarted(
        at=at,
        round_number=step.round_number,
        role=step.role,
        seats=tuple(t.panelist.seat for t in step.turns),
        part=step.part,
    )


def note_ask(ask: Ask, at: datetime) -> Asked:
    """A request is about to be sent."""
    return Asked(
        at=at,
        key=ask.key,
        seat=ask.panelist.seat,
        round_number=ask.round_number,
        role=SAMPLE if ask.sample else ask.role,
        prompt=ask.prompt,
        request_hash=ask.request_hash,
        labels=ask.labels,
    )


def note_answer(
    ask: Ask, response: Response, at: datetime, *, reused: bool = False, request_hash: str = ""
) -> Answered:
    """An answer, bought now or borrowed from the debate that this one replays.

    Args:
        request_hash: the hash of the request, if it is on record: a long text takes a while.
    """
    response = replace(response, role=SAMPLE) if ask.sample else response
    return Answered(
        at=at,
        key=ask.key,
        seat=ask.panelist.seat,
        request_hash=request_hash or ask.request_hash,
        response=response,
        reused=reused,
    )


def note_end(step: Step, measures: Measures, at: datetime) -> RoundEnded:
    """A step is over, with what was measured in it."""
    return RoundEnded(
        at=at,
        round_number=step.round_number,
        role=step.role,
        measures=measures,
        part=step.part,
    )


def note_final(
    so_far: Transcript, final: Selection | WrittenAnswer, at: datetime
) -> tuple[Step, Answered]:
    """A final answer for which nobody is asked: a panelist's, or one that code put together."""
    if isinstance(final, Selection):
        return _selected(so_far, final, at)
    return _written(final, at)


def _selected(so_far: Transcript, selection: Selection, at: datetime) -> tuple[Step, Answered]:
    """A panelist's answer becomes the final one; the step is that of a synthesis by its author."""
    was = so_far.answered[selection.about]
    author = next(p for p in so_far.panelists if p.seat == was.model_alias)
    step = alone(author, "", role="synthesis")
    key = step.key(step.turns[0])
    response = adopt(was, selection, at)
    return step, Answered(at=at, key=key, seat=author.seat, request_hash="", response=response)


def _written(answer: WrittenAnswer, at: datetime) -> tuple[Step, Answered]:
    """An answer that code put together; nobody was asked, and no model is its author."""
    step = alone(Panelist(seat=BY_CODE, route=Route(vendor="", model_id="")), "", role="synthesis")
    response = Response(
        model_id="", model_alias=BY_CODE, round_number=step.round_number, role=step.role,
        content=answer.text, timestamp=at,
    )  # fmt: skip
    key = step.key(step.turns[0])
    return step, Answered(at=at, key=key, seat=BY_CODE, request_hash="", response=response)


def once(told: set[str], notes: Iterable[Noted]) -> list[Noted]:
    """The notes that were not said yet; `told` grows."""
    new = {n.text: n for n in notes if n.text not in told}
    told.update(new)
    return list(new.values())


def note_cuts(composed: Sequence[Composed], at: datetime) -> Iterator[Noted]:
    """Notes on rounds that were summarised, and on answers that are not quoted whole."""
    for c in composed:
        if c.condensed:
            yield _condensed(c.ask.panelist.seat, c.condensed, at)
    for seat in chain.from_iterable(c.cut for c in composed):
        text = f"{seat}'s answer is too long: the others see its beginning"
        yield Noted(at=at, code="cut", seat=seat, text=text)


def _condensed(seat: str, done: Condensed, at: datetime) -> Noted:
    span = name_rounds(done.first, done.last)
    were = "was" if done.first == done.last else "were"
    why = f"its context holds {done.window:,} tokens"
    if done.failure:
        cut = f"{why}, so that long answers are cut for it"
        text = f"{span} {were} not summarised for {seat}: {done.failure}; {cut}"
        return Noted(at=at, code="not_summarised", seat=seat, text=text)
    text = f"{span} {were} summarised for {seat}: {why}"
    return Noted(at=at, code="summarised", seat=seat, text=text)


def remarks(response: Response, at: datetime) -> list[Event]:
    """Notes for the user about an answer."""
    seat = response.model_alias
    if not response.usable:
        why = response.error or f"its answer was {response.finish.value}"
        return [Noted(at=at, code="absent", seat=seat, text=f"{seat}: {why}")]
    found: list[Event] = []
    if response.served_by_another:
        text = f"{seat}: asked for {response.model_id}, {response.served_model} answered"
        found.append(Noted(at=at, code="served_by", seat=seat, text=text))
    if response.finish is Finish.TRUNCATED:
        text = f"{seat}: the answer was cut at a length limit"
        found.append(Noted(at=at, code="truncated", seat=seat, text=text))
    if UNSEARCHED in response.flags:
        text = f"{seat}: its vendor refused to search, so that it answered without"
        found.append(Noted(at=at, code="unsearched", seat=seat, text=text))
    if hidden := invisible_words(response.content):
        text = f"{seat}: the answer came {hidden}, which others' models read"
        found.append(Noted(at=at, code="invisible", seat=seat, text=text))
    wanted = (f"{seat} asks you: {text}" for text in response.requests)
    return [*found, *(Noted(at=at, code="request", seat=seat, text=text) for text in wanted)]


def spread(response: Response, at: datetime) -> list[Event]:
    """The note on the samples that an answer was chosen from."""
    found, seat = response.samples, response.model_alias
    if found is None or not found.usable:
        return []
    groups = [
        f"{n} of {found.usable} say {clip(a, MOST_ANSWER)}"
        if i == 0
        else f"{n} {'says' if n == 1 else 'say'} {clip(a, MOST_ANSWER)}"
        for i, (a, n) in enumerate(found.answers.items())
    ]
    said = (
        ", ".join(groups)
        or f"its answer is the first of {found.usable} samples, not compared by value"
    )
    lost = found.asked - found.usable
    missing = f"; {lost} of {found.asked} samples did not come" if lost else ""
    place = f", round {response.round_number}" if response.round_number else ""
    text = f"{seat}{place}: {said}{missing}"
    return [Noted(at=at, code="samples", seat=seat, text=text)]


def out_of_time(response: Response) -> Response:
    """A call that the debate's own limit ended: the call itself might have had more time."""
    said = "not waited for: the debate's time limit was reached before it had answered"
    return replace(response, error=said, finish=Finish.LATE)


def late(ask: Ask, cost: float, at: datetime) -> Response:
    """Response in place of a panelist's that came too late."""
    said = "not waited for: the others had answered"
    return replace(_given_up(ask, cost, at, said), finish=Finish.LATE)


def silent(ask: Ask, cost: float, at: datetime) -> Response:
    """Response in place of a writer's that stayed silent until no time was left for another."""
    said = "said nothing in its share of the time that the debate had left"
    return _given_up(ask, cost, at, said)


def _given_up(ask: Ask, cost: float, at: datetime, said: str) -> Response:
    return replace(
        _instead(ask, at, said, ErrorKind.TIMEOUT),
        provider=ask.panelist.route.vendor,
        cost_usd=cost,
        flags=(ESTIMATED,) if cost else (),
    )


def unsighted_response(ask: Ask, at: datetime) -> Response:
    """Response in place of one that would be about pictures of which its author knows nothing."""
    said = "not asked: it sees no pictures, and nobody could say what is on them"
    return replace(_instead(ask, at, said, ErrorKind.UNSEEN), finish=Finish.UNSENT)


def failed_response(ask: Ask, error: Exception, at: datetime) -> Response:
    """Response in place of one whose provider raised, although it must not."""
    said = f"{type(error).__name__}: {clip(str(error), 200)}"
    said = f"the provider of {ask.panelist.seat} failed: {said}"
    return _instead(ask, at, said, ErrorKind.BAD_RESPONSE)


def _instead(ask: Ask, at: datetime, error: str, kind: ErrorKind) -> Response:
    """Response in place of an answer that did not come."""
    return Response(
        model_id=ask.panelist.model_id,
        model_alias=ask.panelist.seat,
        round_number=ask.round_number,
        role=ask.role,
        content="",
        timestamp=at,
        error=error,
        error_kind=kind,
        finish=Finish.FAILED,
        routing=ask.panelist.route,
    )
