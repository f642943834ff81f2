"""The name that a line gives: what it adds to the words of the question, and whether two match."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from mutual_dissent.analysis.bottom_lines.questions import Asked
from mutual_dissent.analysis.bottom_lines.words import (
    ENGLISH,
    emphasised,
    quoted,
    stem,
    tokens,
    unmarked,
)

_LIGHT = ENGLISH | frozenset(
    """based according provided source sources reference references article articles wikipedia
    information text given specifically prior therefore thus hence so while although though however
    currently originally officially previously later answer name named called titled title known
    correct recipient specific exactly several multiple sorry yes no note actually indeed likely
    probably possibly believe think recommend choose pick use using choice option best better recall
    upon following since despite including among within held via from january february march april
    may june july august september october november december monday tuesday wednesday thursday
    friday saturday sunday""".split()
)
_TITLES = frozenset("dr mr mrs ms jr sr sir dame prof professor lord lady saint st the".split())
_GENERIC = frozenset(
    """fine company co inc ltd corporation corp university college school institute club fc
    language database prize award medal""".split()
)
_JOINERS = frozenset(
    "of the de la le du des del della di da von van der den al ibn bin y e at and".split()
)
_SMALL = _TITLES | frozenset("of and in at a an for by".split())
ALIASES = {
    alias: names[0]
    for names in (
        ["postgresql", "postgres", "pg"], ["javascript", "js"], ["typescript", "ts"],
        ["kubernetes", "k8s"], ["go", "golang"], ["usa", "us", "america"], ["uk", "britain"],
        ["mongodb", "mongo"], ["python", "py"], ["csharp", "c#"],
    )
    for alias in names
}  # fmt: skip
_PLACE = re.compile(r"[^\W_]+(?:['’.–-][^\W_]+)*\.?")
_SAYS = re.compile(
    r"\b(?:sa(?:id|ys|ying)|state[sd]?|wrote|writes|noted|notes|time|reads|follows)\b\W*$"
)
_LONGEST_QUOTE = 10  # words
_ASIDE = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")
_MOST = 24


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it was written, its words, and all words of the line."""

    text: str
    words: tuple[str, ...]
    core: frozenset[str]  # its words without those of the question
    everything: frozenset[str]
    small: frozenset[str]  # what else the line says, where that may be the answer instead
    is_list: bool
    others: frozenset[str]  # further names in the line
    head: frozenset[str]  # its words before the first comma


def name_in(line: str, asked: Asked) -> Name | None:
    """The name that a line gives in answer to what was asked; None if there is none."""
    clean = unmarked(line)
    everything = frozenset(tokens(clean))
    outside = _ASIDE.sub(" ", clean)
    spoken = [] if asked.is_common else _runs(outside, asked)
    written = [q for q in _cited(clean) if len(tokens(q)) <= _LONGEST_QUOTE]
    said = [*emphasised(line), *(spoken + written if asked.is_who else written + spoken)]
    named = frozenset(w for t in said for w in _words(t) if _is_new(w, asked) and not w.isdigit())
    for text in said:
        if _adds(text, asked) and (found := _name(text, asked, everything)):
            sure = asked.is_proper or text not in spoken
            small = frozenset() if sure else _small_words(clean, asked, named)
            return replace(found, others=named - frozenset(found.words), small=small)
    return None


def _small_words(clean: str, asked: Asked, named: frozenset[str]) -> frozenset[str]:
    return frozenset(w for w in tokens(clean) if len(w) > 3 and _is_new(w, asked)) - named


def _cited(clean: str) -> list[str]:
    """What stands in quotation marks, unless it is somebody's words."""
    return [q for q in quoted(clean) if not _SAYS.search(clean[: clean.find(q)][-30:])]


def _name(text: str, asked: Asked, everything: frozenset[str]) -> Name | None:
    bare = _ASIDE.sub(" ", text)
    words = _words(bare) or _words(text)
    core = frozenset(w for w in words if _is_new(w, asked))
    if not core or len(words) > _MOST:
        return None
    return Name(
        text=" ".join(text.split()),
        words=words,
        head=frozenset(_words(bare.split(",")[0])),
        core=core,
        everything=everything,
        small=frozenset(),
        is_list=bool(re.search(r"\band\b|&", bare)),
        others=frozenset(),
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(ALIASES.get(w, w) for w in tokens(text) if w not in _SMALL)


def _is_new(word: str, asked: Asked) -> bool:
    """Whether neither the question nor every other sentence has the word."""
    if stem(word) in asked.stems or word in _LIGHT:
        return False
    return not (len(word) > 5 and any(map(str.isdigit, word)) and word in asked.squeezed)


def _runs(text: str, asked: Asked) -> list[str]:
    """Runs of capitalised words that are not all in the question, with what a comma adds."""
    found: list[str] = []
    run: list[str] = []
    last = 0
    for match in _PLACE.finditer(text):
        word, gap = match.group(), text[last : match.start()].strip()
        last = match.end()
        big = word[0].isupper() or any(c.isdigit() for c in word)
        if run and (gap not in ("", ",", "&") or (gap == "," and not big)):
            found.append(" ".join(run))
            run = []
        if big or (run and word.casefold() in _JOINERS):
            run.append(f"{gap} {word}" if run and gap else word)
        elif run:
            found.append(" ".join(run))
            run = []
    found.append(" ".join(run))
    return [r for r in (_trimmed(f, asked) for f in found) if r and _adds(r, asked)]


def _trimmed(run: str, asked: Asked) -> str:
    """A run without what leads up to the name, and without a joining word at its end."""
    parts = [p.strip() for p in run.split(",")]
    while parts and not _adds(parts[0], asked):
        parts.pop(0)
    parts = [p for i, p in enumerate(parts) if i == 0 or any(_is_new(w, asked) for w in tokens(p))]
    words = ", ".join(parts).split()
    while words and words[-1].casefold() in _JOINERS:
        words.pop()
    while words and words[0].casefold().rstrip(",") in _LIGHT:
        words.pop(0)
    first = words[0] if words else ""
    if len(words) == 1 and first.casefold().endswith(("ing", "ly", "ed")):
        return ""
    return " ".join(words)


def _adds(run: str, asked: Asked) -> bool:
    return any(not w.isdigit() and _is_new(w, asked) for w in tokens(run))


def same_name(a: Name, b: Name) -> bool | None:
    """Whether two names mean the same; None if that cannot be told.

    If both lines go on to say other things, and different ones, the answer may be in those.
    """
    same = _same(a, b)
    ours, theirs = a.others - frozenset(b.words), b.others - frozenset(a.words)
    apart = (ours - theirs and theirs - ours) or (a.small - b.everything and b.small - a.everything)
    return None if same and apart else same


def _same(a: Name, b: Name) -> bool | None:
    ours, theirs = _bare(a), _bare(b)
    if ours == theirs and ours:
        return True
    if "".join(a.words) == "".join(b.words) or _is_acronym(a, b) or _is_acronym(b, a):
        return True
    small, large = (a, b) if len(ours) <= len(theirs) else (b, a)
    if _bare(small) < _bare(large) and small.core & large.core:
        return True if _is_extended(small, large) else None
    if a.core & b.core:
        return _is_spelt_alike(a.words, b.words) or None
    ours, theirs = a.core | a.others, b.core | b.others
    if a.core & b.everything or b.core & a.everything or ours & theirs:
        return None
    if _are_similar(a.core, b.core):
        return None
    return False


def _bare(name: Name) -> frozenset[str]:
    return frozenset(w for w in name.words if len(w) > 1 or w.isdigit())


def _is_extended(small: Name, large: Name) -> bool:
    """Whether the longer name is the shorter one with a place or a kind of thing added."""
    extra = _bare(large) - _bare(small)
    return extra <= _GENERIC or (not large.is_list and large.head <= frozenset(small.words))


def _is_spelt_alike(ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Whether two names of several words differ by letters left out: Joshna and Joshana."""
    if len(ours) != len(theirs) or len(ours) < 2:
        return False
    return all(
        x == y or (x[0] == y[0] and x[-1] == y[-1] and min(len(x), len(y)) > 4 and _lacks_one(x, y))
        for x, y in zip(ours, theirs, strict=True)
    )


def _lacks_one(x: str, y: str) -> bool:
    short, long = sorted((x, y), key=len)
    if len(long) != len(short) + 1 or not x.isalpha() or not y.isalpha():
        return False
    return any(long[:i] + long[i + 1 :] == short for i in range(1, min(len(long), 40)))


def _is_acronym(short: Name, long: Name) -> bool:
    word = "".join(short.words)
    letters = "".join(w[0] for w in long.words)
    return len(short.words) == 1 and 2 <= len(word) <= 6 and len(long.words) > 1 and word == letters


def _are_similar(ours: frozenset[str], theirs: frozenset[str]) -> bool:
    return any(
        SequenceMatcher(None, x[:40], y[:40]).ratio() >= 0.75 or x[:5] == y[:5]
        for x in list(ours)[:_MOST]
        for y in list(theirs)[:_MOST]
        if len(x) > 3 and len(y) > 3 and not (x.isdigit() or y.isdigit())
    )
