"""Words for numbers, parts and units; readings of a dial; how often something happens."""

from __future__ import annotations

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
WORDS = {word: float(n) for n, word in enumerate(_ONES)} | {
    word: 10.0 * n for n, word in enumerate(_TENS, 2)
}
SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12,
    "k": 1e3, "m": 1e6, "bn": 1e9, "mn": 1e6, "tn": 1e12,
}  # fmt: skip
GROUPS = {"dozen": 12.0, "score": 20.0, "couple": 2.0, "pair": 2.0, "decade": 10.0}
PARTS = {
    "half": 0.5, "third": 1 / 3, "thirds": 1 / 3, "quarter": 0.25, "quarters": 0.25, "fifth": 0.2,
    "fifths": 0.2, "tenth": 0.1, "tenths": 0.1, "halves": 0.5, "eighth": 0.125,
}  # fmt: skip
UNITS: dict[str, tuple[str, float]] = {}
for _dimension, _table in {
    "time": "ms millisecond=.001 s sec second=1 min minute=60 h hr hour=3600 day=86400 "
    "week=604800 fortnight=1209600 month=2629800 year=31557600 decade=315576000 "
    "century=3155760000",
    "length": "mm millimetre millimeter=.001 cm centimetre centimeter=.01 m metre meter=1 "
    "km kilometre kilometer=1000 mile=1609.34 inch=.0254 ft foot feet=.3048 yard=.9144",
    "mass": "mg milligram=.001 g gram=1 kg kilo kilogram=1000 tonne ton=1000000 pound lb=453.6 "
    "ounce oz=28.35",
    "money": "dollar usd $=1 cent=.01",
    "euro": "euro eur €=1",
    "sterling": "sterling gbp £=1",
    "volume": "ml millilitre milliliter=.001 litre liter l=1 gallon=3.785",
    "bytes": "kb kilobyte=1e3 mb megabyte=1e6 gb gigabyte=1e9 tb terabyte=1e12 byte=1",
    "share": "% percent=.01",
    "points": "point=1",
    "length a time": "mph=.44704 kmh kph=.277778",
}.items():
    _names: list[str] = []
    for _item in _table.split():
        _name, _, _factor = _item.partition("=")
        _names.append(_name)
        if _factor:
            UNITS.update(dict.fromkeys(_names, (_dimension, float(_factor))))
            _names = []


Token = tuple[str, int, int]
Dial = tuple[int, float, str]  # index after it, the value, its dimension
_NAMED = {"noon": 720.0, "midday": 720.0, "midnight": 0.0}
_CELSIUS, _FAHRENHEIT = frozenset({"celsius", "centigrade", "c"}), frozenset({"fahrenheit", "f"})


def dial(tokens: list[Token], i: int) -> Dial | None:
    """A time of day in minutes or a temperature in Celsius that begins at token i."""
    word = tokens[i][0]
    if word in _NAMED:
        return i + 1, _NAMED[word], "clock"
    if not word.isdecimal() or not word.isascii():
        return None
    return _clock(tokens, i, int(word)) or _temperature(tokens, i, float(word))


def _clock(tokens: list[Token], i: int, hour: int) -> Dial | None:
    """'5 pm', '5:30 p.m.', '17:00'."""
    words = [t[0] for t in tokens[i : i + 5]] + [""] * 5
    minutes, j = 0, i + 1
    timed = words[1] == ":" and words[2].isdecimal() and len(words[2]) == 2
    if timed:
        minutes, j = int(words[2]), i + 3
    rest = words[j - i :]
    # "p.m." comes as two words: p and m.
    half = rest[0] if rest[0] in ("am", "pm") else "".join(rest[:2])
    if half in ("am", "pm"):
        j += 1 if rest[0] == half else 2
        hour = hour % 12 + (12 if half == "pm" else 0)
    elif not timed:
        return None
    return (j, 60.0 * hour + minutes, "clock") if hour < 24 and minutes < 60 else None


def _temperature(tokens: list[Token], i: int, value: float) -> Dial | None:
    """'30 degrees Celsius', '86 °F'."""
    words = [t[0] for t in tokens[i + 1 : i + 3]] + ["", ""]
    if words[0] not in ("degrees", "degree", "°") and words[0] not in ("celsius", "fahrenheit"):
        return None
    skip = 1 if words[0] in ("degrees", "degree", "°") else 0
    scale = words[skip]
    if scale in _CELSIUS:
        return i + 2 + skip, value, "temperature"
    if scale in _FAHRENHEIT:
        return i + 2 + skip, (value - 32) * 5 / 9, "temperature"
    return i + 2, value, "degrees"


_EACH = frozenset({"a", "an", "per", "each", "every"})
_TIMES = {"once": 1.0, "twice": 2.0, "thrice": 3.0}
_ADVERBS = {
    "hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week",
    "fortnightly": "fortnight", "monthly": "month", "quarterly": "quarter",
    "yearly": "year", "annually": "year",
}  # fmt: skip
_SPANS = {
    "morning": "day", "evening": "day", "night": "day", "afternoon": "day", "monday": "week",
    "tuesday": "week", "wednesday": "week", "thursday": "week", "friday": "week",
    "saturday": "week", "sunday": "week",
}  # fmt: skip
_QUARTER = 7_889_400.0  # seconds


def frequency(tokens: list[Token], i: int) -> tuple[int, float] | None:
    """Index after the frequency that begins at token i, and its rate a second; None without one."""
    word = tokens[i][0]
    if word in _ADVERBS:
        return i + 1, 1 / _seconds(_ADVERBS[word])
    if word == "every":
        return _every(tokens, i + 1)
    count, j = _count(tokens, i)
    span = rate(tokens, j) if count else None
    return (span[0], count / span[1]) if span else None


def rate(tokens: list[Token], j: int) -> tuple[int, float] | None:
    """The span that 'a month' or 'per hour' names, in seconds, and the index after it."""
    if j + 1 >= len(tokens):
        return None
    word = tokens[j + 1][0]
    seconds = _seconds(word) if tokens[j][0] in _EACH else 0.0
    if tokens[j][0] == "/":
        seconds = UNITS[word][1] if UNITS.get(word, ("",))[0] == "time" else 0.0
    return (j + 2, seconds) if seconds else None


def _every(tokens: list[Token], j: int) -> tuple[int, float] | None:
    """'Every day', 'every other week', 'every three months'."""
    words = [t[0] for t in tokens[j : j + 2]]
    if not words:
        return None
    if seconds := _seconds(words[0]):
        return j + 1, 1 / seconds
    times = 2.0 if words[0] in ("other", "second") else _value(words[0])
    seconds = _seconds(words[1]) if len(words) == 2 else 0.0
    return (j + 2, 1 / (times * seconds)) if times and seconds else None


def _count(tokens: list[Token], i: int) -> tuple[float, int]:
    word = tokens[i][0]
    if word in _TIMES:
        return _TIMES[word], i + 1
    follows = tokens[i + 1][0] if i + 1 < len(tokens) else ""
    return (_value(word), i + 2) if follows == "times" else (0.0, i)


def _value(word: str) -> float:
    return float(word) if word.isdecimal() and word.isascii() else WORDS.get(word, 0.0)


def _seconds(word: str) -> float:
    """Length of a named span of time; 0 for any other word."""
    if word in ("quarter", "quarters"):
        return _QUARTER
    word = _SPANS.get(word, word)
    dimension, factor = UNITS.get(word) or UNITS.get(word.rstrip("s")) or ("", 0.0)
    return factor if dimension == "time" and len(word) > 2 else 0.0
