"""Quantities in a sentence: numbers with their units, as ranges that can be compared."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from mutual_dissent.semantics.lexical.lexicon import stem

_MOST = 12
_EXACT, _ABOUT = 0.005, 0.15
_WORDS = {
    w: float(i)
    for i, w in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
        "fifteen sixteen seventeen eighteen nineteen".split()
    )
} | {w: 10.0 * i for i, w in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)}  # fmt: skip # noqa: E501
_WORDS |= {"dozen": 12.0, "half": 0.5, "hundred": 100.0}
_SCALES = {
    "hundred": 1e2, "thousand": 1e3, "k": 1e3, "million": 1e6, "mn": 1e6, "billion": 1e9,
    "bn": 1e9, "trillion": 1e12, "dozen": 12.0,
}  # fmt: skip
# unit -> (dimension, factor)
_UNITS = {
    "%": ("percent", 1.0), "percent": ("percent", 1.0), "per cent": ("percent", 1.0),
    "ms": ("time", 1e-3), "millisecond": ("time", 1e-3), "second": ("time", 1.0),
    "sec": ("time", 1.0), "minute": ("time", 60.0), "min": ("time", 60.0), "hour": ("time", 3600.0),
    "day": ("time", 86400.0), "week": ("time", 604800.0), "month": ("time", 2629746.0),
    "year": ("time", 31556952.0), "decade": ("time", 315569520.0),
    "century": ("time", 3155695200.0), "mm": ("length", 1e-3), "cm": ("length", 1e-2),
    "centimeter": ("length", 1e-2), "m": ("length", 1.0),
    "meter": ("length", 1.0), "metre": ("length", 1.0), "km": ("length", 1e3),
    "kilometer": ("length", 1e3), "kilometre": ("length", 1e3), "mile": ("length", 1609.344),
    "foot": ("length", 0.3048), "feet": ("length", 0.3048), "inch": ("length", 0.0254),
    "mg": ("mass", 1e-6), "g": ("mass", 1e-3), "gram": ("mass", 1e-3), "kg": ("mass", 1.0),
    "kilogram": ("mass", 1.0), "kilo": ("mass", 1.0), "ton": ("mass", 1e3), "tonne": ("mass", 1e3),
    "pound": ("mass", 0.45359237), "lb": ("mass", 0.45359237),
    "kb": ("bytes", 1e3), "mb": ("bytes", 1e6), "gb": ("bytes", 1e9), "tb": ("bytes", 1e12),
    "dollar": ("$", 1.0), "usd": ("$", 1.0), "euro": ("€", 1.0), "eur": ("€", 1.0),
    "celsius": ("°c", 1.0), "°c": ("°c", 1.0), "fahrenheit": ("°f", 1.0), "°f": ("°f", 1.0),
}  # fmt: skip
_AT_LEAST = "at least|more than|over|above|greater than|exceeding|exceeds|minimum of|upwards of"
_AT_MOST = "at most|less than|under|below|fewer than|up to|maximum of|within"
_NEARLY = "about|around|roughly|approximately|approx|nearly|almost|circa|some|~"
_NUMBER = r"\d{1,15}(?:,\d{3}){0,5}(?:\.\d{1,9})?"
_NAMED = "|".join(sorted(_WORDS, key=len, reverse=True))
# "At least 3 hours", "about $1.5-2 million", "a dozen", "~20 %"; parts that are missing are None.
_QUANTITY = re.compile(
    rf"(?:\b(?P<least>{_AT_LEAST})\s+|\b(?P<most>{_AT_MOST})\s+|(?:\b|(?=~))(?P<nearly>{_NEARLY})\s*)?"
    rf"(?P<money>[$€£])?(?<![\w.,])(?:(?P<a>{_NUMBER})|(?P<word>{_NAMED})\b)"
    rf"(?:\s?(?:-|–|to|and)\s?[$€£]?(?P<b>{_NUMBER}))?"
    r"(?:\s?-?(?P<scale>hundred|thousand|million|billion|trillion|dozen|bn|mn|k)\b)?"
    r"(?:\s?-?(?P<unit>%|°[cf]|per cent|[a-z]{1,20}))?"
)
# Words that follow a number without being its unit: "3 of them".
_NO_UNIT = frozenset("a an and are as at be but by for from in is it of on or than that the to was "
                     "were will with not which who so if per out more less or".split())  # fmt: skip


@dataclass(frozen=True, slots=True)
class QuantityRange:
    """A range of values in a unit; the unit is empty if none was named."""

    low: float
    high: float
    unit: str

    def meets(self, other: QuantityRange) -> bool:
        """Return whether one value can satisfy both."""
        return self.low <= other.high and other.low <= self.high


def quantities(text: str) -> tuple[QuantityRange, ...]:
    """Counts and measures in a lower-case sentence, in its order."""
    if not any(c.isdigit() for c in text) and not _HAS_WORD.search(text):
        return ()
    values = []
    for match in _QUANTITY.finditer(text):
        if quantity := _quantity(match):
            values.append(quantity)
        if len(values) == _MOST:
            break
    return tuple(values)


def clash(
    a: Sequence[QuantityRange], b: Sequence[QuantityRange]
) -> tuple[QuantityRange, QuantityRange] | None:
    """Two quantities of one unit that cannot both hold, if no pair of that unit can."""
    for unit in sorted({q.unit for q in a} & {q.unit for q in b}):
        mine = [q for q in a if q.unit == unit]
        theirs = [q for q in b if q.unit == unit]
        if not any(p.meets(q) for p in mine for q in theirs):
            return mine[0], theirs[0]
    bare = len(a) == len(b) == 1 and (not a[0].unit or not b[0].unit)
    return (a[0], b[0]) if bare and not a[0].meets(b[0]) else None


def differ(
    a: Sequence[QuantityRange], b: Sequence[QuantityRange]
) -> tuple[QuantityRange, QuantityRange] | None:
    """The first two quantities that are not the same, of two claims that are alike otherwise."""
    mine = [q for q in a if not any(_equal(q, other) for other in b)]
    theirs = [q for q in b if not any(_equal(q, other) for other in a)]
    return (mine[0], theirs[0]) if mine and theirs else None


def _equal(a: QuantityRange, b: QuantityRange) -> bool:
    """Return whether two quantities say the same: for bounds, the same bound."""
    if (a.low, a.high) == (b.low, b.high):
        return True
    if a.unit != b.unit and a.unit and b.unit:
        return False
    if a.low == b.low == -inf or a.high == b.high == inf:
        return (a.high, a.low) == (b.high, b.low)
    return a.meets(b)


def is_number_or_unit(token: str, before: str) -> bool:
    """Return whether a token is part of a quantity: a number, or a unit after one."""
    if token[0].isdigit() or token in _WORDS or token in _SCALES:
        return True
    if before and (before[0].isdigit() or before in _WORDS or before in _SCALES):
        return token in _UNITS or token.rstrip("s") in _UNITS
    return False


def match(a: Sequence[QuantityRange], b: Sequence[QuantityRange]) -> bool:
    """Return whether some quantity is the same in both."""
    return any(p.meets(q) and (p.unit == q.unit or not p.unit or not q.unit) for p in a for q in b)


_HAS_WORD = re.compile(rf"\b(?:{_NAMED})\b")


def _quantity(match_: re.Match[str]) -> QuantityRange | None:
    word, unit = match_["word"], match_["unit"] or ""
    if word == "one" and unit not in _UNITS and stem(unit) not in _UNITS:
        return None  # "one should", "the one that"
    low = _WORDS[word] if word else float(match_["a"].replace(",", ""))
    high = float(match_["b"].replace(",", "")) if match_["b"] else low
    scale = _SCALES.get(match_["scale"] or "", 1.0)
    dimension, factor = _unit(match_, unit, low)
    low, high = sorted((low * scale * factor, high * scale * factor))
    if match_["least"]:
        return QuantityRange(low, inf, dimension)
    if match_["most"]:
        return QuantityRange(-inf, high, dimension)
    # A possible year has no tolerance: 2013 is not about 2016.
    is_year = dimension == "date" or (len(match_["a"] or "") == 4 and 1000 <= low <= 2199)
    slack = _ABOUT if match_["nearly"] else 0.0 if is_year else _EXACT
    return QuantityRange(low - abs(low) * slack, high + abs(high) * slack, dimension)


def _unit(match_: re.Match[str], unit: str, value: float) -> tuple[str, float]:
    if match_["money"]:
        return match_["money"], 1.0
    is_plain = not match_["scale"] and "," not in (match_["a"] or "") and value == int(value)
    known = _UNITS.get(unit) or _UNITS.get(unit.rstrip("s")) or _UNITS.get(stem(unit))
    if known:
        return known
    if unit and unit not in _NO_UNIT:
        return stem(unit), 1.0
    if is_plain and 1000 <= value <= 2199 and len(match_["a"] or "") == 4:
        return "date", 1.0
    return "", 1.0
