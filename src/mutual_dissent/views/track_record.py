"""The track record: the value of deliberation over many debates, by mode, preset and model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import comb
from statistics import median
from typing import Any

import orjson

from mutual_dissent.analysis.rounds.consensus import position
from mutual_dissent.analysis.rounds.movement import Movement
from mutual_dissent.analysis.scores.track_record import (
    Graded,
    graded_answers,
    graded_debate,
    is_right,
)
from mutual_dissent.analysis.scores.value import score_of
from mutual_dissent.analysis.scores.weights import GradedAnswer
from mutual_dissent.core.brief import AMEND, SELECT, SYNTHESIZE
from mutual_dissent.core.codec.camel import Shape
from mutual_dissent.core.figures.forecasts import FORECAST, ForecastScore
from mutual_dissent.core.figures.lead import lead
from mutual_dissent.core.figures.stats import stats, tally
from mutual_dissent.core.panel import ME, base_name
from mutual_dissent.core.response import Response, Selection
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.findings import find_movement, last_agreement, worth
from mutual_dissent.views.heading import LONGEST, heading, is_one_model
from mutual_dissent.views.phrases import plural

VERSION = 8
"""Version of saved looks: raise it when a look has other fields, or other content."""
UNLIKELY = 0.05
"""Below this probability, chance alone does not explain a difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShare:
    """Part of one model in a debate, at all of its seats.

    Attributes:
        alias: the name that it sat under.
        vendor: the provider that served it.
        latencies: milliseconds of each answer.
        flips: number of times it changed its position; None if no panelist could have.
        influence: how often each of its readers says that it was moved; `readers` are their models.
    """

    model_id: str
    alias: str
    vendor: str
    calls: int
    failed: int
    cost_usd: float | None
    unpriced: int
    latencies: tuple[int, ...]
    flips: int | None
    influence: tuple[float, ...]
    readers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForecastLook:
    """A forecast: when it is due, what the panel said, and how that fared once it is known."""

    due: str | None
    words: str
    figure: float | None
    pooled: Mapping[str, float]
    score: ForecastScore | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Contribution of one debate to the record.

    Attributes:
        heading: what happened, in one line.
        answer: how its answer came about: synthesize, select or amend; None without a panel's.
        changed: whether it ended elsewhere than a plain vote; None if it cannot be told.
        gain: its score minus that of the best single answer, if scored.
        score: the mean of a judge's marks on its answer, if there is one.
        levels: the agreement of each round that was measured.
        one_model: whether one model wrote every answer, so that agreement is no evidence.
        query: a short name for the query; the same for the same words.
        graded: agreement of its first answers, and whether they were right, if known.
        grades: each model's first answer, as far as it is known whether that was right.
        right: whether its answer was, as it turned out; None if that is not known.
        forecast: what was forecast, if that was asked for.
    """

    heading: str
    mode: str
    preset: str | None
    answer: str | None
    completed: bool
    changed: bool | None
    gain: float | None
    score: float | None
    agreement: float | None
    levels: tuple[float, ...]
    one_model: bool
    calls: int
    cost_usd: float | None
    unpriced: int
    parts: tuple[ModelShare, ...]
    query: str
    graded: Graded | None
    grades: tuple[GradedAnswer, ...]
    right: bool | None
    forecast: ForecastLook | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcomes(Shape):
    """The debates of one mode or preset together.

    Attributes:
        changed: in how many of them deliberation ended elsewhere than a plain vote.
        same: in how many it did not; in the `unclear` ones that cannot be told.
        improved: with known answers: how many were scored better than the best single answer.
        degraded: and how many worse, of the `scored` ones.
        agreement: the mean over the last measured rounds of the debates that were `measured`.
    """

    name: str
    debates: int
    completed: int
    changed: int
    same: int
    unclear: int
    scored: int
    improved: int
    degraded: int
    mean_gain: float | None
    agreement: float | None
    measured: int
    one_model: int
    calls: int
    cost_usd: float | None
    unpriced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord(Shape):
    """One model over all debates.

    `influence` is how often its readers say that it moved them, 0 to 1; no proof of a cause.

    Attributes:
        changed: of its debates, in how many deliberation changed the outcome.
        flips: how often it changed its position, in the `moved_debates` that had rounds.
        latency_ms: the median of its calls.
    """

    model_id: str
    aliases: tuple[str, ...]
    debates: int
    calls: int
    failed: int
    latency_ms: int | None
    changed: int
    improved: int
    degraded: int
    flips: int
    moved_debates: int
    influence: float | None
    agreement: float | None
    cost_usd: float | None
    unpriced: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRecord(Shape):
    """The user on the panel against the panel, in the graded debates that both answered.

    Attributes:
        right: in how many of the `debates` the user's first answer was right.
        panel_right: in how many the panel's final answer was.
        only_you: questions that the user alone had right; `only_panel` those of the panel alone.
    """

    debates: int
    right: int
    panel_right: int
    only_you: int
    only_panel: int

    @property
    def sentences(self) -> tuple[str, ...]:
        """Say who was right more often, and whether chance explains it."""
        counts = (
            f"You sat in {plural(self.debates, 'graded debate')}: your first answer was right in "
            f"{self.right}, the panel's final answer in {self.panel_right}"
        )
        return f"{counts} (you alone {self.only_you}, the panel alone {self.only_panel}).", self.so

    @property
    def so(self) -> str:
        """The conclusion, by a sign test on the questions that only one of the two had right."""
        differ, lead = self.only_you + self.only_panel, max(self.only_you, self.only_panel)
        if self.only_you == self.only_panel:
            return "So neither is better so far."
        tail = sum(comb(differ, k) for k in range(lead, differ + 1)) / 2**differ
        who = "you are" if self.only_you > self.only_panel else "the panel is"
        # Both ends count: beforehand either of the two could have led.
        if 2 * tail < UNLIKELY:
            return f"So {who} right more often."
        return f"So {who} ahead, which may be chance: more graded debates would tell."


def own_seat_record(looks: Iterable[Look]) -> OwnRecord | None:
    """The user's own record against the panel's; each query counts once. None without any."""
    both: dict[str, tuple[bool, bool]] = {}
    for seen in looks:
        mine = next((g.right for g in seen.grades if g.model == ME), None)
        if mine is not None and seen.right is not None:
            both[seen.query] = (mine, seen.right)
    if not both:
        return None
    pairs = list(both.values())
    return OwnRecord(
        debates=len(pairs),
        right=sum(mine for mine, _ in pairs),
        panel_right=sum(panel for _, panel in pairs),
        only_you=sum(mine and not panel for mine, panel in pairs),
        only_panel=sum(panel and not mine for mine, panel in pairs),
    )


def look(t: Transcript) -> Look:
    """Take one debate's contribution to the record."""
    value, level = worth(t), last_agreement(t)
    best = value.alternatives[0] if value else None
    bought = tally(_bought(t))
    return Look(
        heading=heading(t),
        mode=t.brief.mode,
        preset=t.brief.preset,
        answer=_answer_way(t),
        completed=t.synthesis is not None,
        changed=value.changed if value else None,
        gain=best.gain if best else None,
        score=score_of(t.synthesis),
        agreement=level[0] if level else None,
        levels=tuple(stats(t).agreement.values()),
        one_model=is_one_model(t),
        calls=bought.calls,
        cost_usd=bought.cost_usd,
        unpriced=bought.unpriced,
        parts=_parts(t, find_movement(t)),
        query=_query_name(t.query),
        graded=graded_debate(t, lambda r: position(r, t.query)),
        grades=graded_answers(t, lambda r: position(r, t.query)),
        right=is_right(t, lambda r: position(r, t.query)),
        forecast=_forecast(t) if t.brief.mode == FORECAST else None,
    )


def _forecast(t: Transcript) -> ForecastLook:
    from mutual_dissent.analysis.scores.forecasts import panel_forecast, score_forecast

    pooled = panel_forecast(t)
    return ForecastLook(
        due=t.brief.due,
        words=one_line(pooled.words, LONGEST) if pooled else "",
        figure=pooled.figure if pooled else None,
        pooled=pooled.pooled if pooled else {},
        score=score_forecast(t),
    )


def _answer_way(t: Transcript) -> str | None:
    """The way in which the answer came about, whatever was wanted."""
    if t.synthesis is None or len(t.panelists) == 1:
        return None
    if t.synthesis.chosen:
        return SELECT
    amended = t.brief.answer == AMEND and isinstance(lead(t), Selection)
    return AMEND if amended else SYNTHESIZE


def each_query_once(looks: Iterable[Look]) -> Iterator[Graded]:
    """The graded debates among them; each query counts once, however often it was asked."""
    graded = {seen.query: seen.graded for seen in looks if seen.graded}
    yield from graded.values()


def answers_once(looks: Iterable[Look]) -> list[tuple[str, GradedAnswer]]:
    """The graded answers, each with the name of its query; a model counts once with a query."""
    once = {(x.query, grade.model): grade for x in looks for grade in x.grades}
    return [(query, grade) for (query, _), grade in once.items()]


def _query_name(query: str) -> str:
    return sha256(" ".join(query.casefold().split()).encode()).hexdigest()[:16]


def to_text(seen: Look) -> str:
    """A look in few words, to be kept."""
    return orjson.dumps(seen).decode()


def from_text(text: str) -> Look | None:
    """Parse a look that this version saved; None if the text is not one."""
    try:
        plain = orjson.loads(text)
        parts = tuple(ModelShare(**_tuples(p)) for p in plain.pop("parts"))
        graded = Graded(**stored) if (stored := plain.pop("graded")) else None
        grades = tuple(GradedAnswer(**one) for one in plain.pop("grades"))
        forecast = _forecast_in(plain.pop("forecast"))
        return Look(**_tuples(plain), parts=parts, graded=graded, grades=grades, forecast=forecast)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _forecast_in(plain: dict[str, Any] | None) -> ForecastLook | None:
    if plain is None:
        return None
    score = plain.pop("score")
    return ForecastLook(**plain, score=ForecastScore(**score) if score else None)


def _tuples(plain: dict[str, Any]) -> dict[str, Any]:
    return {k: tuple(v) if isinstance(v, list) else v for k, v in plain.items()}


def outcomes(looks: Sequence[Look], name: Callable[[Look], str | None]) -> list[Outcomes]:
    """The debates by a name that each has, the most frequent first."""
    groups: dict[str, list[Look]] = {}
    for seen in looks:
        if key := name(seen):
            groups.setdefault(key, []).append(seen)
    return sorted((_outcomes(k, g) for k, g in groups.items()), key=lambda o: (-o.debates, o.name))


def models(looks: Sequence[Look]) -> list[ModelRecord]:
    """Every model that took part, the most frequent first."""
    groups: dict[str, list[tuple[Look, ModelShare]]] = {}
    for seen in looks:
        for part in seen.parts:
            groups.setdefault(part.model_id, []).append((seen, part))
    rows = (_model(name, group) for name, group in groups.items())
    return sorted(rows, key=lambda m: (-m.debates, m.model_id))


def _parts(t: Transcript, changed: Movement | None) -> tuple[ModelShare, ...]:
    bought = _bought(t)
    names = dict.fromkeys(r.model_id for r in bought if not r.by_code)
    return tuple(_part(m, [r for r in bought if r.model_id == m], t, changed) for m in names)


def _part(
    model: str, responses: Sequence[Response], t: Transcript, changed: Movement | None
) -> ModelShare:
    seats = {p.seat for p in t.panelists if p.model_id == model}
    sums = tally(responses)
    matrix = changed.influence.matrix if changed else {}
    models = {p.seat: p.model_id for p in t.panelists}
    pulls = [
        (models.get(reader, reader), pull)
        for reader, row in matrix.items()
        # A model that sits twice is not its own reader.
        if reader not in seats
        for s in seats
        if (pull := row.get(s)) is not None
    ]
    flips = sum(f.seat in seats for f in changed.flips) if changed and seats else None
    return ModelShare(
        model_id=model,
        alias=base_name(responses[0].model_alias),
        vendor=responses[0].routing.vendor if responses[0].routing else responses[0].provider or "",
        calls=sums.calls,
        failed=sum(not r.usable for r in responses),
        cost_usd=sums.cost_usd,
        unpriced=sums.unpriced,
        latencies=tuple(r.latency_ms for r in responses if r.usable and r.latency_ms is not None),
        flips=flips,
        influence=tuple(pull for _, pull in pulls),
        readers=tuple(reader for reader, _ in pulls),
    )


def _bought(t: Transcript) -> list[Response]:
    """Every answer that this debate paid for."""
    own = [r for key, r in t.responses() if key not in t.reused]
    return [*own, *(r for _, r in t.replaced)]


def _outcomes(name: str, group: Sequence[Look]) -> Outcomes:
    done = [g for g in group if g.completed]
    gains = [g.gain for g in group if g.gain is not None]
    return Outcomes(
        name=name,
        debates=len(group),
        completed=len(done),
        changed=sum(g.changed is True for g in done),
        same=sum(g.changed is False for g in done),
        unclear=sum(g.changed is None for g in done),
        scored=len(gains),
        improved=sum(g > 0 for g in gains),
        degraded=sum(g < 0 for g in gains),
        mean_gain=_mean(gains),
        agreement=_mean(g.agreement for g in group),
        measured=sum(g.agreement is not None for g in group),
        one_model=sum(g.one_model for g in group),
        calls=sum(g.calls for g in group),
        cost_usd=_sum(g.cost_usd for g in group),
        unpriced=sum(g.unpriced for g in group),
    )


def _model(name: str, group: Sequence[tuple[Look, ModelShare]]) -> ModelRecord:
    parts = [part for _, part in group]
    latencies = [ms for p in parts for ms in p.latencies]
    gains = [seen.gain for seen, _ in group if seen.gain is not None]
    return ModelRecord(
        model_id=name,
        aliases=tuple(sorted({p.alias for p in parts})),
        debates=len(group),
        calls=sum(p.calls for p in parts),
        failed=sum(p.failed for p in parts),
        latency_ms=int(median(latencies)) if latencies else None,
        changed=sum(seen.changed is True for seen, _ in group),
        improved=sum(g > 0 for g in gains),
        degraded=sum(g < 0 for g in gains),
        flips=sum(p.flips or 0 for p in parts),
        moved_debates=sum(p.flips is not None for p in parts),
        influence=_mean(x for p in parts for x in p.influence),
        agreement=_mean(seen.agreement for seen, _ in group),
        cost_usd=_sum(p.cost_usd for p in parts),
        unpriced=sum(p.unpriced for p in parts),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return round(sum(known) / len(known), 4) if known else None


def _sum(values: Iterable[float | None]) -> float | None:
    known = [v for v in values if v is not None]
    return round(sum(known), 10) if known else None
