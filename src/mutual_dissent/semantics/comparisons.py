"""Who is ahead of whom, and in what: 'X is faster than Y', 'Y is slower than X'."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mutual_dissent.semantics.rules import content, negations

_COMPARED = re.compile(
    r"\b(?:(?P<degree>more|less|fewer)\s+)?(?P<word>[a-z]+)\b(?P<rest>[^.;]{0,60}?)\s+than\b|"
    r"\b(?P<order>before|after)\b"
)
_COMPARATIVE = re.compile(r"[a-z]{2,}er$|^(?:better|worse|more|less|fewer)$")
_NO_COMPARATIVE = frozenset(
    "other rather never ever either neither over under after number".split()
)
_QUALITIES: dict[str, tuple[str, int]] = {}
for _name, _more, _less in (
    ("speed", "faster quicker sooner swifter speedier fast quick rapid", "slower later slow"),
    ("price", "dearer costlier pricier expensive costly", "cheaper affordable cheap economical"),
    ("size", "bigger larger greater large big", "smaller tinier small"),
    ("quality", "better superior finer good", "worse inferior poorer weaker bad"),
    ("safety", "safer safe secure", "riskier dangerous risky hazardous"),
    ("ease", "easier simpler easy simple straightforward", "harder tougher difficult complex"),
    ("weight", "heavier heavy", "lighter light"),
    ("length", "longer lengthier", "shorter briefer"),
    ("height", "taller higher", "lower"),
    ("warmth", "warmer hotter milder hot warm", "colder cooler cold cool"),
    ("noise", "louder noisier noisy loud", "quieter quiet silent"),
    ("strength", "stronger tougher strong powerful", "weak"),
    ("age", "older elder", "younger newer"),
    ("nature", "greener cleaner", "dirtier polluting"),
    ("flexibility", "flexible versatile", "rigid"),
    ("trust", "reliable dependable robust", "fragile unreliable"),
    ("efficiency", "efficient", "wasteful"),
    ("weightiness", "important", "unimportant"),
):
    _QUALITIES.update(dict.fromkeys(_more.split(), (_name, 1)))
    _QUALITIES.update(dict.fromkeys(_less.split(), (_name, -1)))


@dataclass(frozen=True)
class Ranking:
    """Two things, what they are compared in, and which is ahead (1: the left one)."""

    left: frozenset[str]
    quality: str
    sign: int
    right: frozenset[str]
    known: bool


def ranking(text: str) -> Ranking | None:
    """The first comparison of a text."""
    low = text.lower()
    for match in _COMPARED.finditer(low):
        found = _quality(match)
        left, right = content(low[: match.start()]), content(low[match.end() :])
        if found is not None and left - right and right - left:
            name, sign, known = found
            return Ranking(frozenset(left - right), name, sign, frozenset(right - left), known)
    return None


def _quality(match: re.Match[str]) -> tuple[str, int, bool] | None:
    """What is compared, which way, and whether its name is one of a list."""
    if match["order"]:
        return "time", 1 if match["order"] == "before" else -1, True
    word, degree = match["word"], match["degree"]
    if not degree and (word in _NO_COMPARATIVE or not _COMPARATIVE.match(word)):
        return None
    name, sign = _QUALITIES.get(word, (word, 1))
    known = word in _QUALITIES
    if word in ("more", "less", "fewer"):  # 'matters more than'
        return "amount", -1 if word != "more" else 1, False
    return name, -sign if degree in ("less", "fewer") else sign, known


def ranked(a: str, b: str) -> str | None:
    """Whether two texts rank the same two things alike, in reverse, or in something else."""
    one, two = ranking(a), ranking(b)
    if one is None or two is None or (negations(a) + negations(b)) % 2:
        return None
    straight = bool(one.right & two.right)
    crossed = bool(one.left & two.right) or bool(one.right & two.left)
    if straight == crossed:
        return None
    if one.quality != two.quality:
        return "other" if one.known and two.known else None
    return "alike" if (one.sign == two.sign) == straight else "reversed"
