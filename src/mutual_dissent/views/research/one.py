"""One debate: its events over time, agreement, influence, and value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import pairwise

from mutual_dissent.analysis.rounds.movement import Movement
from mutual_dissent.analysis.scores.forecasts import pooled_by_round
from mutual_dissent.analysis.scores.value import (
    BEST_SINGLE,
    PLAIN_VOTE,
    STOP_EARLY,
    TWO_FIRST,
    Value,
)
from mutual_dissent.core.events import (
    Answered,
    Asked,
    Event,
    Noted,
    Remarked,
    Reopened,
    Resolved,
    RoundStarted,
    Scored,
)
from mutual_dissent.core.figures.stats import stats
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.charts import (
    Bar,
    Moment,
    Series,
    Span,
    bars,
    heatmap,
    lines,
    timeline,
)
from mutual_dissent.views.findings import find_movement, worth
from mutual_dissent.views.markdown import in_panel_order
from mutual_dissent.views.phrases import reason, response_name, round_name, seconds
from mutual_dissent.views.research.figure import Figure
from mutual_dissent.views.research.relations import relations, round_words
from mutual_dissent.views.scores import score_rows

MARKS = (0.0, 5.0)
CHEAPER = {
    BEST_SINGLE: "best single answer",
    PLAIN_VOTE: "plain vote",
    STOP_EARLY: "first answers only",
    TWO_FIRST: "two first",
}


def figures(t: Transcript, events: Sequence[Event] = ()) -> list[Figure]:
    """Every figure of a debate; its timeline needs the events."""
    changed, value = find_movement(t), worth(t)
    when = [_timeline(events)] if events else []
    return [
        *when,
        *_forecasts(t),
        relations(t),
        _influence(changed),
        _scores(t),
        _value(value),
        _cost(t),
    ]


def _timeline(events: Sequence[Event]) -> Figure:
    title = "Timeline"
    clock = _Worked(events)
    seats = list(dict.fromkeys(e.seat for e in events if isinstance(e, Asked | Answered)))
    spans = list(_spans(events, clock, seats))
    svg = timeline(spans, list(_moments(events, clock)), title=title)
    note = "Each bar is one call; a dot is a note, a remark or a score. Pauses are left out."
    return Figure(name="timeline", title=title, svg=svg, note=note, wide=True)


class _Worked:
    """Seconds since the beginning, without the time in which the debate was paused."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._begun = events[0].at
        self._pauses: list[tuple[datetime, float]] = []
        for before, event in pairwise(events):
            if isinstance(event, Reopened | Resolved):
                self._pauses.append((event.at, (event.at - before.at).total_seconds()))

    def at(self, moment: datetime) -> float:
        idle = sum(length for resumed, length in self._pauses if moment >= resumed)
        return max(0.0, (moment - self._begun).total_seconds() - idle)


def _spans(events: Sequence[Event], clock: _Worked, seats: Sequence[str]) -> Iterator[Span]:
    begun: dict[str, datetime] = {}
    for event in events:
        if isinstance(event, Asked):
            begun[event.key] = event.at
        elif isinstance(event, Answered) and event.key in begun:
            yield _span(event, clock, begun.pop(event.key), seats)


def _span(event: Answered, clock: _Worked, begun: datetime, seats: Sequence[str]) -> Span:
    response = event.response
    how = seconds(response.latency_ms) if response.usable else reason(response)
    return Span(
        row=event.seat,
        start=clock.at(begun),
        end=clock.at(event.at),
        told=f"{response_name(event.key)}{f' ({how})' if how else ''}",
        kind=seats.index(event.seat),
        failed=not response.usable,
    )


def _moments(events: Sequence[Event], clock: _Worked) -> Iterator[Moment]:
    for event in events:
        at = clock.at(event.at)
        match event:
            case RoundStarted():
                name = round_name(event.round_number, event.role)
                yield Moment(at=at, told=f"{name} begins", name=name)
            case Noted():
                yield Moment(at=at, told=event.text)
            case Remarked():
                yield Moment(at=at, told=f"you said: {event.text}")
            case Scored():
                yield Moment(at=at, told=f"scored: {event.about}")
            case Reopened():
                yield Moment(at=at, told=f"goes on: {event.reason}")
            case Resolved():
                yield Moment(at=at, told=f"outcome: {event.outcome}")


def _forecasts(t: Transcript) -> list[Figure]:
    """The panel's figure from round to round, each way of pooling; of a debate that forecasts."""
    by_round = pooled_by_round(t)
    if not by_round:
        return []
    last = next(reversed(by_round.values()))
    scale, unit = (100, "%") if last.is_probability else (1, last.unit)
    courses = {way: {n: p.pooled[way] for n, p in by_round.items()} for way in last.pooled}
    courses["lowest"] = {n: min(p.values.values()) for n, p in by_round.items()}
    courses["highest"] = {n: max(p.values.values()) for n, p in by_round.items()}
    series = [
        Series(name=name, points=[(float(n), v * scale) for n, v in c.items()])
        for name, c in courses.items()
    ]
    title = "Forecasts pooled, by round"
    svg = lines(series, title=title, x_words=round_words(t), y_name=unit)
    note = "The first is the panel's figure; lowest and highest are those of single panelists."
    return [Figure(name="forecasts", title=title, svg=svg, note=note)]


def _influence(changed: Movement | None) -> Figure:
    title = "Who says that it was moved by whom"
    seats = changed.influence.seats if changed else ()
    matrix = changed.influence.matrix if changed else {}
    values = [[matrix[r].get(s) for s in seats] for r in seats]
    svg = heatmap(seats, seats, values, title=title, row_name="reader", column_name="read")
    note = "How often a reader says that what it had read moved it, details counted half."
    return Figure(name="influence", title=title, svg=svg, note=note)


def _scores(t: Transcript) -> Figure:
    title = "Judge's scores"
    shown = [
        Bar(name=f"{r.seat}, {r.place}", value=r.mean, kind=0 if r.round_number < 0 else 1)
        for r in score_rows(t)
        if r.mean is not None
    ]
    svg = bars(shown, title=title, span=MARKS, x_name="mean mark, 1 to 5")
    return Figure(name="scores", title=title, svg=svg)


def _value(value: Value | None) -> Figure:
    title = "Value meter: calls that each way takes"
    ways = {"this debate": value.spent} if value else {}
    ways |= {CHEAPER.get(a.name, a.name): a.spent for a in (value.alternatives if value else ())}
    shown = [
        Bar(name=name, value=spent.calls, kind=int(i > 0))
        for i, (name, spent) in enumerate(ways.items())
    ]
    return Figure(name="value", title=title, svg=bars(shown, title=title, x_name="calls"))


def _cost(t: Transcript) -> Figure:
    title = "Cost by seat"
    tallies = in_panel_order(t, stats(t))
    shown = [
        Bar(name=seat, value=sums.cost_usd, kind=i)
        for i, (seat, sums) in enumerate(tallies)
        if sums.cost_usd is not None
    ]
    unknown = sum(sums.unpriced for _, sums in tallies)
    note = f"{unknown} calls have no known price." if unknown else ""
    svg = bars(shown, title=title, x_name="dollars")
    return Figure(name="cost", title=title, svg=svg, note=note)
