"""Many debates together: influence, flips, agreement, convergence, value, scores, cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from mutual_dissent.views.charts import Bar, Series, bars, heatmap, lines
from mutual_dissent.views.phrases import money, plural
from mutual_dissent.views.research.figure import Figure
from mutual_dissent.views.track_record import Look, ModelRecord, Outcomes, models, outcomes

MOST_MODELS, MOST_BARS, MOST_LINES, MOST_DAYS = 12, 14, 6, 120
SHARE = (0.0, 1.0)
MARKS = (0.0, 5.0)
NO_CAUSE = "What they say, no proof of a cause."


@dataclass(frozen=True, slots=True, kw_only=True)
class Studied:
    """A debate in a study: the day it was held, and its contribution to the record."""

    day: date
    look: Look


Spent = Mapping[str, float]
"""Name -> dollars."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendingChart:
    """Cost of debates by day, by model and by vendor."""

    day: Spent
    model: Spent
    vendor: Spent


def figures(debates: Sequence[Studied], spending: SpendingChart | None = None) -> list[Figure]:
    """Every figure over some debates; those without data say so.

    Args:
        debates: the debates.
        spending: the cost, if known better than from these debates alone.
    """
    looks = [s.look for s in debates]
    by_mode, by_model = outcomes(looks, lambda x: x.mode), models(looks)
    spent = spending or spending_chart(debates)
    called = names_of(looks)
    by_name = {called.get(m, m): dollars for m, dollars in spent.model.items()}
    return [
        _influence(looks, [m.model_id for m in by_model[:MOST_MODELS]], called),
        _convergence(looks, [o.name for o in by_mode[:MOST_LINES]]),
        _agreement(by_mode),
        _value(by_mode),
        _flips(by_model, called),
        _scores(looks),
        _days(spent.day),
        _cost("cost-model", "Cost by model", by_name),
        _cost("cost-vendor", "Cost by vendor", spent.vendor),
    ]


def names_of(looks: Iterable[Look]) -> dict[str, str]:
    """Model id -> the alias that it mostly sat under; its id if another has the same alias."""
    sat: dict[str, Counter[str]] = {}
    for seen in looks:
        for part in seen.parts:
            sat.setdefault(part.model_id, Counter())[part.alias] += 1
    usual = {m: min(c, key=lambda alias: (-c[alias], alias)) for m, c in sat.items()}
    shared = {alias for alias, n in Counter(usual.values()).items() if n > 1}
    return {m: m if alias in shared else alias for m, alias in usual.items()}


def spending_chart(debates: Iterable[Studied]) -> SpendingChart:
    """Sum up the cost of these debates."""
    day: dict[str, float] = {}
    model: dict[str, float] = {}
    vendor: dict[str, float] = {}
    for seen in debates:
        for part in seen.look.parts:
            for sums, name in (
                (day, seen.day.isoformat()),
                (model, part.model_id),
                (vendor, part.vendor),
            ):
                sums[name] = sums.get(name, 0.0) + (part.cost_usd or 0.0)
    return SpendingChart(day=day, model=model, vendor=vendor)


def _influence(looks: Iterable[Look], names: Sequence[str], called: Mapping[str, str]) -> Figure:
    pulls: dict[tuple[str, str], list[float]] = {}
    for seen in looks:
        for part in seen.parts:
            for reader, pull in zip(part.readers, part.influence, strict=True):
                pulls.setdefault((reader, part.model_id), []).append(pull)
    known = [n for n in names if any(n in pair for pair in pulls)]
    values = [[_mean(pulls.get((reader, source), ())) for source in known] for reader in known]
    title = "Influence between models"
    note = (
        "How often the model of a row says that the model of a column moved it, 0 to 1, details "
        f"counted half, over {plural(sum(map(len, pulls.values())), 'reading')}. {NO_CAUSE}"
    )
    shown = [called.get(n, n) for n in known]
    svg = heatmap(shown, shown, values, title=title, row_name="reader", column_name="read")
    return Figure(name="influence", title=title, svg=svg, note=note)


def _convergence(looks: Iterable[Look], modes: Sequence[str]) -> Figure:
    by_mode: dict[str, list[tuple[float, ...]]] = {}
    for seen in looks:
        if len(seen.levels) > 1:
            by_mode.setdefault(seen.mode, []).append(seen.levels)
    series = [
        Series(name=f"{m} ({len(by_mode[m])})", points=_course(by_mode[m]))
        for m in modes
        if m in by_mode
    ]
    title = "Convergence: agreement from one measured round to the next"
    longest = max((len(s.points) for s in series), default=0)
    words = [f"measured {n}" for n in range(1, longest + 1)]
    svg = lines(series, title=title, y_range=SHARE, x_words=words, y_name="agreement")
    return Figure(
        name="convergence", title=title, svg=svg,
        note="The mean over the debates of a mode in which so many rounds could be measured. "
        "Debates in brackets.",
    )  # fmt: skip


def _course(runs: Sequence[tuple[float, ...]]) -> list[tuple[float, float]]:
    longest = max(map(len, runs))
    rounds = [[run[n] for run in runs if n < len(run)] for n in range(longest)]
    return [(float(n), sum(levels) / len(levels)) for n, levels in enumerate(rounds)]


def _agreement(by_mode: Sequence[Outcomes]) -> Figure:
    shown = [_bar(o.name, o.measured, o.agreement) for o in by_mode if o.agreement is not None]
    title = "Agreement by mode"
    svg = bars(
        shown[:MOST_BARS], title=title, span=SHARE, x_name="mean agreement of the last round"
    )
    alone = sum(o.one_model for o in by_mode)
    note = "Debates that were measured in brackets; the others count for nothing."
    if alone:
        note += f" {alone} were by one model alone: no evidence."
    return Figure(name="agreement", title=title, svg=svg, note=note)


def _value(by_mode: Sequence[Outcomes]) -> Figure:
    shown = [
        _bar(o.name, o.changed + o.same, o.changed / (o.changed + o.same))
        for o in by_mode
        if o.changed + o.same
    ]
    title = "Value meter: where deliberating changed the outcome"
    svg = bars(shown[:MOST_BARS], title=title, span=SHARE, x_name="share of debates")
    return Figure(name="value", title=title, svg=svg, note=_worth(by_mode))


def _worth(by_mode: Sequence[Outcomes]) -> str:
    def total(part: Callable[[Outcomes], int]) -> int:
        return sum(part(o) for o in by_mode)

    rows = (
        "Against a plain vote of the first answers: another outcome in "
        f"{total(lambda o: o.changed)}, the same in {total(lambda o: o.same)}, "
        f"not clear in {total(lambda o: o.unclear)}."
    )
    if scored := total(lambda o: o.scored):
        rows += (
            f" Of {scored} with a known answer, {total(lambda o: o.improved)} were scored better "
            f"than the best single answer, {total(lambda o: o.degraded)} worse."
        )
    return rows


def _flips(by_model: Sequence[ModelRecord], called: Mapping[str, str]) -> Figure:
    shown = [
        _bar(called.get(m.model_id, m.model_id), m.moved_debates, m.flips / m.moved_debates)
        for m in by_model
        if m.moved_debates
    ]
    title = "Flips: changes of position by model"
    svg = bars(shown[:MOST_BARS], title=title, x_name="a debate with several rounds")
    return Figure(name="flips", title=title, svg=svg, note="Debates in brackets.")


def _scores(looks: Iterable[Look]) -> Figure:
    by_mode: dict[str, list[float]] = {}
    for seen in looks:
        if seen.score is not None:
            by_mode.setdefault(seen.mode, []).append(seen.score)
    shown = [_bar(m, len(s), sum(s) / len(s)) for m, s in sorted(by_mode.items())]
    title = "Judge's scores by mode"
    svg = bars(shown[:MOST_BARS], title=title, span=MARKS, x_name="mean mark of the answer, 1 to 5")
    return Figure(name="scores", title=title, svg=svg, note="Debates with a known answer only.")


def _days(spent: Spent) -> Figure:
    title, whole = "Cost by day", sum(spent.values())
    days = sorted(date.fromisoformat(d) for d in spent)
    if days and (days[-1] - days[0]).days > MOST_DAYS:
        title, names, values = "Cost by month", *_months(spent)
    else:
        names, values = _each_day(days, spent)
    points = [(float(i), v) for i, v in enumerate(values)]
    svg = lines([Series(name="cost", points=points)], title=title, x_words=names, y_name="dollars")
    return Figure(name="cost-day", title=title, svg=svg, note=f"{money(whole)} in all, as known.")


def _each_day(days: Sequence[date], spent: Spent) -> tuple[list[str], list[float]]:
    """Every day from the first to the last, also those on which nothing was spent."""
    length = (days[-1] - days[0]).days + 1 if days else 0
    every = [days[0] + timedelta(days=n) for n in range(length)]
    names = [f"{d.day} {d:%b}" for d in every]
    return names, [spent.get(d.isoformat(), 0.0) for d in every]


def _months(spent: Spent) -> tuple[list[str], list[float]]:
    sums: dict[str, float] = {}
    for day, dollars in sorted(spent.items()):
        sums[day[:7]] = sums.get(day[:7], 0.0) + dollars
    return list(sums), list(sums.values())


def _cost(name: str, title: str, spent: Spent) -> Figure:
    most = sorted(spent.items(), key=lambda x: (-x[1], x[0]))
    shown = [Bar(name=n or "unknown", value=v, kind=i) for i, (n, v) in enumerate(most[:MOST_BARS])]
    rest = len(most) - len(shown)
    note = f"{plural(rest, 'other')} not shown." if rest > 0 else ""
    return Figure(name=name, title=title, svg=bars(shown, title=title, x_name="dollars"), note=note)


def _bar(name: str, number: int, value: float | None) -> Bar:
    # What is not a number is not drawn (`drawable`).
    return Bar(name=f"{name} ({number})", value=float("nan") if value is None else round(value, 2))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
