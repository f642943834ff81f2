"""Readings of a dial: the time of day, the temperature."""

from __future__ import annotations

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
