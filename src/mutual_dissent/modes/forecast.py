"""Forecast: figures alone, then the others' unsigned, revised; code pools them."""

from __future__ import annotations

from dataclasses import replace

from mutual_dissent.core.checks import STRUCTURED, has_forecast
from mutual_dissent.core.form import Form
from mutual_dissent.core.sight import nothing, unsigned_debate, unsigned_with_estimates
from mutual_dissent.core.step import Mode, Script, Step, conclude, opinion, rounds, together
from mutual_dissent.core.transcript import Transcript

FORM = Form(
    name="forecast",
    position="your forecast in one sentence that can stand alone: the figure, of what, by when",
    reasoning=(
        "the base rate first: of what class of cases, how often or how much, and how you know; "
        "then what speaks for a higher figure here and what for a lower one; last, what would "
        "change your forecast"
    ),
    estimate=(
        "your forecast. Of a yes or no question the probability in percent, with the lowest and "
        'the highest that you could be argued into, such as "23 % [14 to 40]"; of a quantity your '
        "median with unit, and as its range the values that you expect to be too high, or too low, "
        'once in ten times, such as "75 people [50 to 120]"'
    ),
)


def script(so_far: Transcript) -> Script:
    """Figures are pooled by code, so the synthesis writes the reasons and no number of its own."""
    so_far = yield from rounds(so_far, _round)
    yield from conclude(so_far, "forecast/report", sees=unsigned_debate)


def _round(so_far: Transcript, n: int) -> Step:
    step = together(
        so_far.standing,
        "forecast/revise" if n else "forecast/forecast",
        role=opinion(n),
        round_number=n,
        sees=unsigned_with_estimates if n else nothing,
        form=FORM,
        checks=(*STRUCTURED, has_forecast),
    )
    # A model takes the end of its training for today, and each has another.
    today = {"today": f"{so_far.created_at:%Y-%m-%d}"}
    return replace(step, turns=tuple(replace(turn, blanks=today) for turn in step.turns))


FORECAST = Mode(
    name="forecast",
    summary="Probabilities or ranges with base rates, revised unsigned; code pools the figures.",
    script=script,
    rounds=3,
    max_rounds=10,
    first_counts=True,
    structured=True,
    unsigned=True,
)
