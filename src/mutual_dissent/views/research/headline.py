"""The headline figures of many debates: a handful of numbers that a reader takes in at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mutual_dissent.views.phrases import money, plural
from mutual_dissent.views.track_record import Look, Outcomes, outcomes, own_seat_record

BEST_MARK = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """One figure, its name, and its basis."""

    name: str
    value: str
    note: str


def headlines(looks: Sequence[Look]) -> list[Headline]:
    """Sum up some debates in a few figures; unknown ones are left out."""
    if not looks:
        return []
    whole = outcomes(looks, lambda _: "all")[0]
    lines = (
        _held(whole),
        _agreement(whole),
        _changed(whole),
        _marks(looks),
        _you(looks),
        _cost(whole),
    )
    return [f for f in lines if f]


def _held(whole: Outcomes) -> Headline:
    note = "all with an answer"
    if whole.completed < whole.debates:
        note = f"{whole.completed:,} with an answer"
    return Headline(name="debates", value=f"{whole.debates:,}", note=note)


def _agreement(whole: Outcomes) -> Headline | None:
    if whole.agreement is None:
        return None
    note = f"mean of the last rounds of {whole.measured:,} that were measured"
    return Headline(name="agreement", value=_percent(whole.agreement), note=note)


def _changed(whole: Outcomes) -> Headline | None:
    clear = whole.changed + whole.same
    if not clear:
        return None
    note = f"of {clear:,} ended elsewhere than a plain vote of the first answers"
    return Headline(name="changed by debating", value=_percent(whole.changed / clear), note=note)


def _marks(looks: Sequence[Look]) -> Headline | None:
    marks = [seen.score for seen in looks if seen.score is not None]
    if not marks:
        return None
    mean = sum(marks) / len(marks)
    note = f"mean mark of {len(marks):,} with a known answer"
    return Headline(name="judge's mark", value=f"{mean:.1f} of {BEST_MARK}", note=note)


def _you(looks: Sequence[Look]) -> Headline | None:
    own = own_seat_record(looks)
    if own is None:
        return None
    note = f"your first answers were right, the panel's answers {own.panel_right}. {own.so}"
    return Headline(name="you on the panel", value=f"{own.right} of {own.debates}", note=note)


def _cost(whole: Outcomes) -> Headline:
    if whole.cost_usd is None:
        return Headline(name="cost", value="unknown", note="no price is known")
    note = f"{money(whole.cost_usd / whole.debates)} a debate"
    if whole.unpriced:
        note += f"; {plural(whole.unpriced, 'call')} without a known price"
    return Headline(name="cost", value=money(whole.cost_usd), note=note)


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
