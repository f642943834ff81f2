"""Frequencies and rates: 'twice a week', 'every other day', '12 euros a month'."""

from __future__ import annotations

from mutual_dissent.semantics.cues.units import UNITS, WORDS

Token = tuple[str, int, int]
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
