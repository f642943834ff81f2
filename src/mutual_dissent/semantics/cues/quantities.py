"""Numbers with their units, read from English text: equal, in conflict, or within a bound."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from mutual_dissent.semantics.cues.units import (
    GROUPS,
    PARTS,
    SCALES,
    UNITS,
    WORDS,
    dial,
    frequency,
    rate,
)

_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?|[A-Za-z]+|[%$€£:/°]|-", re.ASCII)
_LOOK = 4_000  # characters of a claim that are read for numbers
_BOUNDS = {
    "at least": ">=", "more than": ">=", "over": ">=", "above": ">=", "no less than": ">=",
    "no fewer than": ">=", "exceeds": ">=", "at most": "<=", "less than": "<=", "under": "<=",
    "fewer than": "<=", "below": "<=", "up to": "<=", "no more than": "<=", "no longer than": "<=",
    "within": "<=", "limited to": "<=", "capped at": "<=", "maximum of": "<=", "minimum of": ">=",
}  # fmt: skip
_BOUND = re.compile(
    r"\b(" + "|".join(sorted(_BOUNDS, key=len, reverse=True)) + r")\s*(?:a|an)?\s*$"
)
# The change that they mean: doubled is 100 percent more, halved 50 percent less.
_TURNS = {"doubled": 1.0, "tripled": 2.0, "trebled": 2.0, "quadrupled": 3.0, "halved": 0.5}
_TOLERANCE = {
    "year": 0.0,
    "count": 0.005,
    "clock": 0.0,
    "bytes": 0.05,
}  # of other kinds, units are rounded when converted
_ROUNDING = 0.02
_LOOSE, _EXACT = 0.06, ("year", "clock")
_LOOSELY = re.compile(
    r"\b(?:about|around|roughly|approximately|nearly|almost|close to|circa|some|an estimated|"
    r"(?:just|slightly|a little|a bit) (?:over|under|above|below|more than|less than))"
    r"\s*(?:a|an)?\s*$"
)
_OTHER_LIMIT = 2.0  # times as much is another limit, not a looser one
_RANGE = re.compile(r"\s*(?:and|to|-|–)\s*$")


@dataclass(frozen=True)
class MeasuredQuantity:
    """A value in its dimension's base unit, its place in the text, and the bound that it sets."""

    value: float
    dimension: str
    start: int
    end: int
    bound: str = "="
    factor: float = 1.0
    loose: bool = False  # 'about', 'nearly', 'just under'


def quantities(text: str) -> list[MeasuredQuantity]:
    """The quantities of a text, in order."""
    text = text[:_LOOK]
    tokens = [(m.group().lower(), m.start(), m.end()) for m in _TOKEN.finditer(text)]
    values: list[MeasuredQuantity] = []
    i = 0
    while i < len(tokens):
        taken = _read(tokens, i)
        if taken is None:
            i += 1
            continue
        i, value, dimension, start, end, factor = taken
        # Room for the longest phrase before a number, such as "slightly more than a".
        before = text[max(0, start - 28) : start].lower()
        loose = _LOOSELY.search(before) is not None
        ahead = None if loose else _BOUND.search(before)
        bound = _BOUNDS[ahead[1]] if ahead else "="
        values.append(MeasuredQuantity(value, dimension, start, end, bound, factor, loose))
    return _with_ranges(text, values)


def _with_ranges(text: str, values: list[MeasuredQuantity]) -> list[MeasuredQuantity]:
    """'Between three and five hours' bounds from both sides, both in hours."""
    for i, (p, q) in enumerate(pairwise(values)):
        linked = _RANGE.fullmatch(text[p.end : q.start]) is not None
        opened = text[max(0, p.start - 9) : p.start].lower().rstrip().endswith(("between", "from"))
        plain = "and" not in text[p.end : q.start]
        alike = p.dimension in ("count", q.dimension)
        if linked and alike and (opened or plain) and p.value < q.value:
            low = _like(p, q) if p.dimension != q.dimension else p
            values[i] = replace(low, bound=">=")
            values[i + 1] = replace(q, bound="<=")
    return values


def _like(p: MeasuredQuantity, q: MeasuredQuantity) -> MeasuredQuantity:
    """The first number in the second's unit; the unit is read off the second's own text."""
    return replace(p, value=p.value * q.factor, dimension=q.dimension)


def equal(a: MeasuredQuantity, b: MeasuredQuantity) -> bool:
    """Return whether two quantities are the same up to rounding."""
    if not _comparable(a, b):
        return False
    tolerance = _TOLERANCE.get(a.dimension, _ROUNDING)
    if (a.loose or b.loose) and a.dimension not in _EXACT:
        tolerance = max(tolerance, _LOOSE)
    return a.bound == b.bound and abs(a.value - b.value) <= tolerance * max(a.value, b.value)


def harmonise(a: str, b: str) -> str:
    """The second text with each quantity that the first has too put in the first's words."""
    mine, theirs = quantities(a), quantities(b)
    for q in reversed(theirs):
        same = next((p for p in mine if equal(p, q)), None)
        if same is not None and same.dimension != "year":
            b = b[: q.start] + a[same.start : same.end] + b[q.end :]
    return b


def numbers_clash(a: str, b: str) -> bool | None:
    """True if numbers of one kind differ, False if they are compatible, None without any."""
    verdicts = list(_verdicts(quantities(a), quantities(b)))
    if not verdicts:
        return None
    return any(verdicts)


def within_bounds(a: str, b: str) -> bool:
    """Return whether one text gives a bound and the other a number inside it."""
    one, two = quantities(a), quantities(b)
    pairs = [(p, q) for p in one for q in two if _comparable(p, q)]
    return any((p.bound == "=") != (q.bound == "=") and not _clash(p, q) for p, q in pairs)


def _verdicts(one: list[MeasuredQuantity], two: list[MeasuredQuantity]) -> Iterator[bool]:
    """One answer for each dimension that both texts have."""
    for dimension in sorted({q.dimension for q in one} & {q.dimension for q in two}):
        left = [q for q in one if q.dimension == dimension]
        right = [q for q in two if q.dimension == dimension]
        if not any(equal(p, q) for p in left for q in right):
            limits = any(q.bound != "=" for q in (*left, *right)) and 1 in (len(left), len(right))
            yield (any if limits else all)(_clash(p, q) for p in left for q in right)
        else:
            yield False


def _clash(p: MeasuredQuantity, q: MeasuredQuantity) -> bool:
    if equal(p, q):
        return False
    if p.bound == q.bound:
        low, high = sorted((p.value, q.value))
        return p.bound == "=" or high >= _OTHER_LIMIT * low
    if p.bound == "=":
        p, q = q, p
    inside = q.value >= p.value if p.bound == ">=" else q.value <= p.value
    return not inside


def _comparable(p: MeasuredQuantity, q: MeasuredQuantity) -> bool:
    return p.dimension == q.dimension


_Token = tuple[str, int, int]


def _read(tokens: list[_Token], i: int) -> tuple[int, float, str, int, int, float] | None:
    """The quantity that begins at token i: index after it, value, dimension, place, factor."""
    start = tokens[i][1]
    # "Twice a week" and "5 pm" begin like plain numbers, so they are looked for first.
    often = frequency(tokens, i)
    if often is not None:
        return often[0], often[1], "frequency", start, tokens[often[0] - 1][2], 1.0
    if tokens[i][0] in _TURNS:
        return i + 1, _TURNS[tokens[i][0]], "share", start, tokens[i][2], 1.0
    shown = dial(tokens, i)
    if shown is not None:
        return (*shown, start, tokens[shown[0] - 1][2], 1.0)
    sign = tokens[i][0] if tokens[i][0] in "$€£" else ""
    j = i + 1 if sign else i
    number = _number(tokens, j)
    if number is None:
        return None
    j, value, fraction = number
    share = _share(tokens, j, value)
    if share is not None:
        return (*share, start, tokens[share[0] - 1][2], 1.0)
    j, value, unit = _unit(tokens, j, value, sign)
    if unit is None and fraction:
        unit = ("share", 1.0)
    dimension, factor = unit or ("count", 1.0)
    if dimension == "count" and 1700 <= value <= 2100 and value == int(value) and j == i + 1:
        dimension = "year"
    if dimension == "time":
        j, value = _compound(tokens, j, value, factor)
    # "12 euros a month", but also "12 meetings a month": without a unit one word may stand between.
    elif per := rate(tokens, j) or (rate(tokens, j + 1) if unit is None else None):
        j, factor, dimension = per[0], factor / per[1], f"{dimension} a time"
    return j, value * factor, dimension, start, tokens[j - 1][2], factor


def _compound(tokens: list[_Token], j: int, value: float, factor: float) -> tuple[int, float]:
    """'Two hours and thirty minutes', '2 h 30 min', '2h30': one length of time."""
    k = j + 1 if j < len(tokens) and tokens[j][0] == "and" else j
    number = _number(tokens, k) if k < len(tokens) and tokens[k][0] not in ("a", "an") else None
    if number is None or number[2]:
        return j, value
    after, small, unit = _unit(tokens, number[0], number[1], "")
    if unit is not None and unit[0] == "time" and unit[1] < factor:
        return after, value + small * unit[1] / factor
    if factor == UNITS["hour"][1] and tokens[k][1] == tokens[k - 1][2]:
        return number[0], value + number[1] / 60
    return j, value


def _number(tokens: list[_Token], j: int) -> tuple[int, float, bool] | None:
    """A number in digits or words, and whether it is a bare fraction."""
    word = tokens[j][0] if j < len(tokens) else ""
    after = tokens[j + 1][0] if j + 1 < len(tokens) else ""
    if word in ("a", "an") and after in (*GROUPS, *PARTS, *SCALES) and after not in ("k", "m"):
        return _scale(tokens, j + 1, 1.0)
    if word == "half":  # a bare "third" is more often a rank than a part
        return _scale(tokens, j, 1.0)
    if word in ("a", "an") and after.rstrip("s") in UNITS and len(after) > 2:
        return j + 1, 1.0, False
    if word[:1].isdigit():
        return _scale(tokens, j + 1, float(word.replace(",", "")))
    if word in WORDS:
        value = WORDS[word]
        j += 1
        # As in twenty-five, or twenty five.
        if value >= 20 and j < len(tokens):
            skip = 1 if tokens[j][0] == "-" else 0
            if j + skip < len(tokens) and 1 <= WORDS.get(tokens[j + skip][0], 0) < 10:
                value += WORDS[tokens[j + skip][0]]
                j += 1 + skip
        return _scale(tokens, j, value)
    return None


def _scale(tokens: list[_Token], j: int, value: float) -> tuple[int, float, bool]:
    """Multiply a number by the next words: hundred, million, dozen, a half."""
    fraction = False
    while j < len(tokens):
        word = tokens[j][0]
        if word == "-" and j + 1 < len(tokens) and tokens[j + 1][0] in PARTS:
            j += 1
        elif word in SCALES and _is_scale(tokens, j):
            value *= SCALES[word]
            fraction = False
            j += 1
        # "Three decades" is a length of time, which `_unit` reads.
        elif word in GROUPS and word != "decade":
            value *= GROUPS[word]
            fraction = False
            j += 1
        elif word in PARTS and not fraction:
            value *= PARTS[word]
            fraction = True
            j += 1
        elif fraction and word in ("a", "an", "of") and _scale_ahead(tokens, j):
            j += 1
        elif _and_a_half(tokens, j):
            value += 0.5
            j += 3
        else:
            break
    return j, value, fraction


def _is_scale(tokens: list[_Token], j: int) -> bool:
    """'60k' and '$5m', but not '50m' and '50 m', which are metres."""
    word = tokens[j][0]
    paid = j >= 2 and tokens[j - 2][0] in "$€£"
    return len(word) > 1 or (tokens[j - 1][2] == tokens[j][1] and (word != "m" or paid))


def _scale_ahead(tokens: list[_Token], j: int) -> bool:
    ahead = [t[0] for t in tokens[j + 1 : j + 3]]
    return bool(ahead) and (ahead[0] in ("hundred", "thousand", "million", "billion", "dozen"))


def _and_a_half(tokens: list[_Token], j: int) -> bool:
    return [t[0] for t in tokens[j : j + 3]] == ["and", "a", "half"]


def _share(tokens: list[_Token], j: int, value: float) -> tuple[int, float, str] | None:
    """One in four, three out of five."""
    words = [t[0] for t in tokens[j : j + 3]]
    skip = 2 if words[:2] == ["out", "of"] or words[1:2] == ["in"] else 0
    skip = 1 if words[:1] == ["in"] else skip
    if not skip or not 0 < value < 100:
        return None
    whole = _number(tokens, j + skip)
    if whole is None or whole[1] <= value or whole[1] > 1000 or whole[2]:
        return None
    following = tokens[whole[0]][0] if whole[0] < len(tokens) else ""
    if following.rstrip("s") in UNITS:
        return None
    return whole[0], value / whole[1], "share"


def _unit(
    tokens: list[_Token], j: int, value: float, sign: str
) -> tuple[int, float, tuple[str, float] | None]:
    """The unit after a number, also in 'half an hour' and 'an hour and a half'."""
    if sign:
        return j, value, UNITS[sign]
    k = j
    between = ("of", "a", "an", "-") if value < 1 else ("of", "-")  # 'half an hour', '5 a month'
    while k < len(tokens) and k - j < 2 and tokens[k][0] in between:
        k += 1
    word = tokens[k][0] if k < len(tokens) else ""
    if word == "percentage" and k + 1 < len(tokens):
        k, word = k + 1, tokens[k + 1][0]
    unit = UNITS.get(word) or (UNITS.get(word.rstrip("s")) if len(word) > 3 else None)
    # A single letter is a unit only close to its number: "5 m" or "5m".
    if unit is None or (len(word) == 1 and word.isalpha() and tokens[k - 1][2] < tokens[k][1] - 1):
        return j, value, None
    k += 1
    if _and_a_half(tokens, k):
        value += 0.5
        k += 3
    return k, value, unit
