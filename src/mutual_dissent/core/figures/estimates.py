"""Estimates: a round's answers in figures that name nobody."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mutual_dissent.core.closing import Estimate
from mutual_dissent.core.response import Response

_SAME = (
    "euro € eur", "dollar $ usd us$", "pound £ gbp", "time occurrence instance appearance",
    "month monat monate mes meses mois mese mesi maand",
    "hour h hr std std. stunde stunden hora heure ora ore uur uren godzin godziny",
    "minute min min. minuten minuto minuti minut", "day d tag tage día dia jour giorno dag dni",
    "year jahr jahre año ano année anno jaar lat lata", "kilometre km kilometer",
    "litre l liter litro", "square sq", "metre meter m", "percent % pct", "millisecond ms",
)  # fmt: skip
ROUNDED = 1.02
"""Up to this ratio a figure may be another one, rounded."""
_PER = frozenset("a an per each every pro par por al je".split())
# "US dollars" are dollars, and those of Canada are others.
_MONIES = (
    (r"\b(?:us|u\.s\.|american)[ -](?=dollars?\b)", ""), (r"\bcanadian dollars?\b", "cad"),
    (r"\baustralian dollars?\b", "aud"), (r"\bswiss francs?\b", "chf"),
    (r"\bpounds? sterling\b", "pounds"), (r"(?<=\w )p\.? ?a\b\.?", "per year"),
)  # fmt: skip
_PERIODS = {
    "monthly": "month", "monatlich": "month", "mo": "month", "yearly": "year", "annually": "year",
    "yr": "year", "annum": "year", "hourly": "hour", "daily": "day", "weekly": "week",
}  # fmt: skip
_SIGNS = {word: words.split()[0] for words in _SAME for word in words.split()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimates:
    """Confidence of the panel, the way it leans, and its estimates.

    Attributes:
        round_number: the round that it is about.
        answers: how many there are.
        values: seat -> its estimate.
        median: the middle of the estimates, where all are of one unit; None otherwise.
        low: the middle of their lower ends, where all gave a range: of some alone, it may be above
            the median.
        high: the middle of their upper ends.
        confidence: lowest, median and highest; None if nobody said how sure it is.
        stances: stance -> how many take it.
    """

    answers: int
    round_number: int = 0
    values: Mapping[str, Estimate] = field(default_factory=dict)
    median: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""
    confidence: tuple[float, float, float] | None = None
    stances: Mapping[str, int] = field(default_factory=dict)


def estimates(responses: Sequence[Response]) -> Estimates:
    """The figures of some answers."""
    values = {
        r.model_alias: r.closing.estimate for r in responses if r.closing and r.closing.estimate
    }
    given = list(values.values()) if _of_one_unit(values.values()) else []
    lows = [e.low for e in given if e.low is not None]
    highs = [e.high for e in given if e.high is not None]
    return Estimates(
        answers=len(responses),
        round_number=responses[0].round_number if responses else 0,
        values=values,
        median=_median(e.value for e in given),
        low=_median(lows) if len(lows) == len(given) else None,
        high=_median(highs) if len(highs) == len(given) else None,
        # They are the same; the longest says most: "euros a year" rather than "€".
        unit=max((e.unit for e in given), key=len, default=""),
        confidence=_spread(sorted(r.confidence for r in responses if r.confidence is not None)),
        stances=Counter(r.stance for r in responses if r.stance),
    )


def one_figure(given: Sequence[Estimate]) -> Estimate | None:
    """The most exact of some estimates, if the others are it, rounded; None if they are not."""
    if not given or not _of_one_unit(given) or not all(e.stated for e in given):
        return None
    finest = max(given, key=lambda e: _places(e.value))
    return finest if all(_is_rounded(e.value, finest.value) for e in given) else None


def _is_rounded(rough: float, fine: float) -> bool:
    """Return whether a figure is another one, or what that is rounded to."""
    if rough == fine or rough * fine <= 0:
        return rough == fine
    places = _places(rough)
    near = max(rough / fine, fine / rough) <= ROUNDED
    # A little over a half: in binary, 2.7 - 2.65 is a little over 0.05.
    return near and places < _places(fine) and abs(rough - fine) <= 0.5000001 * 10**-places


def _places(value: float) -> int:
    """Decimal places of a figure."""
    return len(f"{value:.10f}".rstrip("0").partition(".")[2])


def _of_one_unit(found: Iterable[Estimate]) -> bool:
    given = list(found)
    return all(same_unit(a.unit, b.unit) for i, a in enumerate(given) for b in given[:i])


def same_unit(one: str, other: str) -> bool:
    """Return whether two units are the same but for number and sign: `79 €`, `79 euros a year`.

    Who names none, or not all of it, means the other's; another word is another unit.
    """
    mine, theirs = _unit(one), _unit(other)
    return all(a == b or not (a and b) for a, b in zip(mine, theirs, strict=True))


def _unit(text: str) -> tuple[str, str]:
    """Unit of an estimate, and what it is for: `euro`, `a year`."""
    # So that "km²" is "sq km", and "€/h" is "euros per hour".
    spelled = re.sub(r"(\w+)²", r"square \1", text.casefold().strip(" .")).replace("/", " per ")
    for written, meant in _MONIES:
        spelled = re.sub(written, meant, spelled)
    words = [
        _SIGNS.get(word) or _SIGNS.get(w, w)
        for word in spelled.split()
        for w in [word.rstrip("s.")]
    ]
    # "a month", "per month" and "monthly" are one; alone, they leave the unit open.
    bare = not words or words[0] in _PER or words[0] in _PERIODS
    further = (_PERIODS.get(w, w) for w in (words if bare else words[1:]) if w not in _PER)
    return "" if bare else words[0], " ".join(further)


def _median(values: Iterable[float]) -> float | None:
    ordered = sorted(values)
    return _middle(ordered) if ordered else None


def _spread(values: Sequence[float]) -> tuple[float, float, float] | None:
    if not values:
        return None
    return values[0], _middle(values), values[-1]


def _middle(values: Sequence[float]) -> float:
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2
