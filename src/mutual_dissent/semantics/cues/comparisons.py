"""Comparisons of two things in one quality: 'X is faster than Y', 'Y is slower than X'."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mutual_dissent.semantics.cues.rules import content, negations

_LOOK = 400  # characters; a comparison stands in a single claim
_NOT = (
    r"(?:\b(?:do|does|did|must|should|may|can|could|will|would|is|are|was|were) ?(?:not|n['’]t)|"
    r"\bcannot|\bcan['’]t|\bnever)"
)
_IS = r"is|are|was|were|takes|take|took|costs|cost"
_EXACTLY, _QUALITY = r"(?: just| about| exactly)?", r"(?!well|soon|far|if|much|many)(\w+)"
_THEN = r",? first,?(?: and then| and|,? then|;)"
# Each works on what those before it have made: "isn't as" must be "is not as" first.
_REWORDED = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"\b(?:is|are|was|were)n['’]t (?=(?:nearly |quite )?(?:as|so) \w+)", "is not "),
        (r"\bnot (?:nearly |quite |half )?(?:as|so) (\w+)\b(.{0,40}?) as\b", r"less \1\2 than"),
        (r"\b(?:twice|thrice|\w+ times) as (\w+)\b(.{0,40}?) as\b", r"more \1\2 than"),
        (r"\b(?:half|a third|a quarter|a tenth) as (\w+)\b(.{0,40}?) as\b", r"less \1\2 than"),
        (r"\b(?:outperform|defeat|outscore|surpass)(?:e?[sd]|ed)?\b|\bbeats?\b", "ahead than"),
        (r"\b(?:is|are|was|were) preferred (?:to|over)\b", "is ahead than"),
        (r"^.{0,60}?\bprefer(?:s|red)? (.{2,40}?) (?:to|over)\b", r"\1 ahead than"),
        (r"\b(?:is|are|was|were) superior to\b", "is better than"),
        (r"\b(?:is|are|was|were) inferior to\b", "is worse than"),
        (r"\b(?:lost|loses|lose) (?:out )?(?:to|against)\b", "behind than"),
        (r"\b(?:takes?|took|taking|needs?) longer\b", "is slower"),
        (r"\b(?:takes?|took|taking|needs?)( [a-z ]{0,25}?)? (more|less) time\b", r"is\1 \2 slow"),
        (r"\b(more|less) (?:much|many)\b", r"\1"),
        (rf"\b({_IS}) as long as\b", r"\1 equally slow than"),
        (rf"\b({_IS}) at least as (\w+) as\b", r"\1 minimally \2 than"),
        (rf"\b({_IS}){_EXACTLY} as {_QUALITY} as\b", r"\1 equally \2 than"),
        (rf"{_NOT} (.{{3,80}}?) (?:until|before)\b", r"\1 after"),
        (r"\bonly (?:after|once|when)\b", "after"),
        (r"\bhad already (.{3,60}?) when\b", r"had \1 before"),
        (rf"^(.{{3,80}}?){_THEN} (.{{3,80}}?)(?:,? afterwards| later)?(?=[.!]?$)", r"\1 before \2"),
    )
)


def reword(text: str) -> str:
    """The text in lower case, its comparisons and orders said with 'than', 'before' and 'after'."""
    low = text[:_LOOK].lower()
    for pattern, wording in _REWORDED:
        low = pattern.sub(wording, low)
    return low


_THAN = re.compile(r"\bthan\b")
_ORDER = re.compile(r"\b(?:before|after)\b")
_WORDS = re.compile(r"[a-z]+")
_BACK = 8  # words before 'than' among which the comparison stands
_VERBS = {"cost": "costly", "costs": "costly", "weigh": "heavy", "weighs": "heavy"}
_LINKS = frozenset({"to", "in", "for", "on", "at", "of", "by", "per"})
_AT_LEAST = 2  # as much or more
_DEGREES = {"more": 1, "less": -1, "fewer": -1, "equally": 0, "minimally": _AT_LEAST}
_PLACES = {"ahead": 1, "behind": -1}  # in a contest, or in a quality that is not named
_CONTESTED = frozenset({"place", "quality", "speed", "strength", "trust", "efficiency"})
_COMPARATIVE = re.compile(r"[a-z]{2,}er$|^(?:better|worse)$")
_NO_COMPARATIVE = frozenset(
    "other rather never ever either neither over under after number".split()
)
_QUALITIES: dict[str, tuple[str, int]] = {}
for _name, _more, _less in (
    ("speed", "faster quicker sooner swifter speedier fast quick rapid", "slower later slow"),
    ("price", "dearer costlier pricier expensive costly", "cheaper affordable cheap economical"),
    ("size", "bigger larger greater large big inhabitants residents", "smaller tinier small"),
    ("quality", "better superior finer good", "worse inferior poorer weaker bad"),
    ("safety", "safer safe secure", "riskier dangerous risky hazardous"),
    ("ease", "easier simpler easy simple straightforward", "harder tougher difficult complex"),
    ("weight", "heavier heavy", "lighter light"),
    ("length", "longer lengthier long", "shorter briefer"),
    ("height", "taller higher tall high", "lower low"),
    ("warmth", "warmer hotter milder hot warm", "colder cooler cold cool"),
    ("noise", "louder noisier noisy loud", "quieter quiet silent"),
    ("strength", "stronger tougher strong powerful", "weak"),
    ("age", "older elder old", "younger newer young new"),
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
    """Two things, the quality that is compared, and the one ahead (1: the left one, 0: neither)."""

    left: frozenset[str]
    quality: str
    sign: int
    right: frozenset[str]
    known: bool


def quality(word: str) -> tuple[str, int]:
    """Quality and direction of a comparative or adjective; an unknown word is its own quality."""
    return _QUALITIES.get(word, (word, 1))


def ranking(text: str) -> Ranking | None:
    """The first comparison of a text."""
    low = reword(text)
    than, order = _THAN.search(low), _ORDER.search(low)
    if than is not None:
        comparison = _comparison(low, than.start())
        return _between(low, comparison[0], than.end(), *comparison[1:]) if comparison else None
    if order is not None:
        sign = 1 if order.group() == "before" else -1
        return _between(low, order.start(), order.end(), "time", sign, True)
    return None


def _between(
    low: str, start: int, end: int, quality: str, sign: int, known: bool
) -> Ranking | None:
    left, right = content(low[:start]), content(low[end:])
    if not (left - right and right - left):
        return None
    return Ranking(left - right, quality, sign, right - left, known)


def _comparison(low: str, than: int) -> tuple[int, str, int, bool] | None:
    """Start, quality and sign of the comparison before 'than', and whether its quality is known."""
    words = [(m.group(), m.start()) for m in _WORDS.finditer(low[:than])][-_BACK:]
    for i in reversed(range(len(words))):
        word, start = words[i]
        if word in _DEGREES:
            bare = i + 1 == len(words) or words[i + 1][0] in _LINKS  # 'costs less to keep than'
            of = _VERBS.get(words[i - 1][0], "amount") if bare else words[i + 1][0]
            name, sign = _QUALITIES.get(of, (of, 1))
            return start, name, sign * _DEGREES[word], of in _QUALITIES
        if word in _PLACES:
            return start, "place", _PLACES[word], True
        if word in _QUALITIES and _COMPARATIVE.match(word):
            return start, *_QUALITIES[word], True
        if _COMPARATIVE.match(word) and word not in _NO_COMPARATIVE:
            return start, word, 1, False
    return None


def compare_ranks(a: str, b: str) -> str | None:
    """Return whether two texts rank two things alike, in reverse, or in another quality."""
    one, two = ranking(a), ranking(b)
    # Where one of them is denied, neither order follows: "not faster" may be as fast.
    if one is None or two is None or (negations(reword(a)) + negations(reword(b))) % 2:
        return None
    straight = bool(one.right & two.right)
    crossed = bool(one.left & two.right) or bool(one.right & two.left)
    # The same thing on both sides, or on none: which is meant cannot be told.
    if straight == crossed:
        return None
    if not _in_one_respect(one, two):
        return "other" if one.known and two.known and not _contest(one, two) else None
    return _order(one.sign, two.sign if straight else -two.sign)


def _order(one: int, two: int) -> str | None:
    """Combine two signs of the same two things, in the same order."""
    if one == two:
        return "alike"
    if _AT_LEAST in (abs(one), abs(two)):
        return "reversed" if one * two < 0 else None  # 'at least as' leaves the rest open
    return "reversed"


def _in_one_respect(one: Ranking, two: Ranking) -> bool:
    """Return whether both compare in the same quality; in a contest, the better one wins."""
    if one.quality == two.quality:
        return True
    return _contest(one, two) and {one.quality, two.quality} <= _CONTESTED


def _contest(one: Ranking, two: Ranking) -> bool:
    return "place" in (one.quality, two.quality)


_FIRST = re.compile(
    r"^(.{2,60}?) (?:is|are|was|were|has|have|had|remains?) (?:by far )?(?:the|its)?\s?"
    r"(?:(most|least) (\w+)|(\w{2,}est|best|worst))\b"
)
_NONE = re.compile(
    r"^(?:no|nobody|none|nothing|no one)\b.{0,60}?\b(?:(more|less) (\w+)|(\w{2,}er|better|worse))"
    r"\b.{0,30}? than (.{2,60})"
)
_WORST = {"best": "better", "worst": "worse"}


@dataclass(frozen=True)
class Top:
    """The thing that comes first in a quality; the sign is -1 if it has the least of it."""

    subject: frozenset[str]
    quality: str
    sign: int


def top(text: str) -> Top | None:
    """The thing that a text puts above or below all others."""
    low = text[:_LOOK].lower()
    if none := _NONE.match(low):
        more, of, word, subject = none.groups()
        name, sign = quality(word or of)
        return Top(content(subject), name, -sign if more == "less" else sign)
    first = _FIRST.match(low)
    if first is None or negations(low):
        return None
    subject, most, of, word = first.groups()
    # "Fastest" is looked up as "faster", which the table has.
    name, sign = quality(of or _WORST.get(word) or f"{word[:-3]}er")
    return Top(content(subject), name, -sign if most == "least" else sign)


def compare_tops(a: str, b: str) -> str | None:
    """Return 'alike' if two texts name the same first one, 'reversed' if another is above it."""
    one, two = top(a), top(b)
    if one is not None and two is not None:
        if one.quality != two.quality or not one.subject & two.subject:
            return None
        return "alike" if one.sign == two.sign else "reversed"
    if one is None and two is None:
        return None
    return "reversed" if _above(one or two, b if one else a) else None


def _above(first: Top | None, text: str) -> bool:
    """Return whether the text ranks another thing above the first one."""
    other = ranking(text)
    if first is None or other is None or other.quality != first.quality or negations(text):
        return False
    if abs(other.sign) != 1:
        return False
    behind, ahead = (
        (other.right, other.left) if other.sign == first.sign else (other.left, other.right)
    )
    return bool(behind & first.subject) and not ahead & first.subject
