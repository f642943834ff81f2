"""Answers that differ, as real ones do: Markdown, code and numbers, cut into small pieces.

The same seed gives the same answer, so that two runs and the floor meet the same text.
"""

from __future__ import annotations

from random import Random

LEAST = 50
"""Tokens of the shortest answer."""

CHARACTERS = 4
"""Of a token, about."""

_SUBJECTS = (
    "The migration", "A shared cache", "The second reading", "Every client", "The older index",
    "A nightly job", "The queue", "One region", "The price per call", "The retry limit",
)  # fmt: skip
_VERBS = (
    "costs about {n} ms", "saves {n} % of the traffic", "fails in {n} of 1,000 cases",
    "needs {n} MB at its peak", "was measured at {n} requests a second", "doubles after {n} days",
    "stays below {n} dollars a month", "depends on version 3.{n}",
)  # fmt: skip
_REASONS = (
    "because nobody reads it twice", "which the other figures do not show",
    "so I would not rely on it alone", "as long as the lock is held for less than a second",
    "although two of the sources disagree", "if the team keeps its present size",
)  # fmt: skip
_ANSWERS = (
    "Use tabs, since everybody can set their own width.",
    "Use spaces, because code then looks the same everywhere.",
    "Keep whatever the project has; consistency matters more than the choice.",
    "Spaces for Python, tabs where a formatter decides.",
)
_STANCES = ("agree", "partly - the figures are older than that", "disagree - it ignores editors")


def answer(seed: int, most: int) -> str:
    """An answer of 50 to `most` tokens, without its closing lines."""
    dice = Random(seed)
    size = dice.randint(LEAST, max(LEAST, most)) * CHARACTERS
    parts: list[str] = []
    while (length := sum(map(len, parts))) < size:
        make = dice.choices((_paragraph, _list, _table, _code), weights=(6, 3, 1, 1))[0]
        parts.append(make(dice)[: size - length] + "\n\n")
    return "".join(parts)


def closing(seed: int) -> str:
    """Closing lines that no other seed has."""
    dice = Random(seed)
    others = "; ".join(f"{letter} {dice.choice(_STANCES)}" for letter in "ABCDE")
    return (
        f"BOTTOM LINE: {dice.choice(_ANSWERS)} It matters in {seed} of a million files.\n"
        f"CONFIDENCE: {dice.randint(5, 19) * 5} %\n"
        f"ON THE OTHERS: {others}\n"
        f"CHANGED: {dice.choice(('nothing', 'the figures, after reading the others'))}"
    )


def pieces(text: str, seed: int) -> list[str]:
    """The text as vendors send it: 1 to 20 characters at a time."""
    dice, cut, at = Random(seed), [], 0
    while at < len(text):
        end = at + dice.randint(1, 20)
        cut.append(text[at:end])
        at = end
    return cut


def _sentence(dice: Random) -> str:
    what = dice.choice(_VERBS).format(n=dice.randint(2, 97))
    return f"{dice.choice(_SUBJECTS)} {what}, {dice.choice(_REASONS)}."


def _paragraph(dice: Random) -> str:
    return " ".join(_sentence(dice) for _ in range(dice.randint(2, 5)))


def _list(dice: Random) -> str:
    return "\n".join(f"- **Point {n}**: {_sentence(dice)}" for n in range(1, dice.randint(3, 6)))


def _table(dice: Random) -> str:
    rows = [f"| case {n} | {dice.randint(1, 99)} ms | {dice.random():.3f} |" for n in range(5)]
    return "\n".join(["| what | time | share |", "|---|---:|---:|", *rows])


def _code(dice: Random) -> str:
    lines = [f"    total_{n} = weigh(items[{n}], by={dice.randint(1, 9)})" for n in range(6)]
    return "\n".join(["```python", "def weighed(items):", *lines, "    return total_0", "```"])
