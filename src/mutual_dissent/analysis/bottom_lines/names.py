"""The name that a line gives: what it adds to the words of the question, and whether two match."""

from __future__ import annotations

import re
from dataclasses import dataclass
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
    """city state republic kingdom river lake mount fine company co inc ltd corporation corp university
    college school institute club fc town county province national lang language db database sql
    """.split()
)
_JOINERS = frozenset(
    "of the de la le du des del della di da von van der den al ibn bin y e at".split()
)
_ALIASES = {
    alias: names[0]
    for names in (
        ["postgresql", "postgres", "pg"], ["javascript", "js"], ["typescript", "ts"],
        ["kubernetes", "k8s"], ["golang", "go"], ["usa", "us", "america"], ["uk", "britain"],
        ["mongodb", "mongo"], ["python", "py"], ["csharp", "c#"],
    )
    for alias in names
}  # fmt: skip
_PLACE = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*\.?")
_ASIDE = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")
_MOST = 24


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it was written, its words, and all words of the line."""

    text: str
    words: tuple[str, ...]
    core: frozenset[str]  # its words without those of the question
    everything: frozenset[str]
    is_proper: bool  # capitalised, quoted or emphasised


def name_in(line: str, asked: Asked) -> Name | None:
    """The name that a line gives in answer to what was asked; None if there is none."""
    clean = unmarked(line)
    everything = frozenset(tokens(clean))
    outside = _ASIDE.sub(" , ", clean)
    spoken, written = _runs(outside, asked), quoted(line)
    for text in (*emphasised(line), *(spoken + written if asked.is_who else written + spoken)):
        if _adds(text, asked) and (found := _name(text, asked, everything, proper=True)):
            return found
    rest = _rest(outside, asked)
    return _name(" ".join(rest), asked, everything, proper=False) if rest else None


def _name(
    text: str, asked: Asked, everything: frozenset[str], *, proper: bool
) -> Name | None:
    words = tuple(
        _ALIASES.get(w, w)
        for w in tokens(_ASIDE.sub(" ", text) if tokens(_ASIDE.sub(" ", text)) else text)
        if w not in _TITLES and w not in ("of", "and", "in", "at", "a", "an", "for", "by")
    )
    core = frozenset(w for w in words if stem(w) not in asked.stems and w not in _LIGHT)
    if not core or len(words) > _MOST:
        return None
    return Name(" ".join(text.split()), words, core, everything, proper)


def _runs(text: str, asked: Asked) -> list[str]:
    """Runs of capitalised words that are not all in the question."""
    found: list[str] = []
    run: list[str] = []
    last = 0
    for match in _PLACE.finditer(text):
        word, gap = match.group(), text[last : match.start()]
        last = match.end()
        if run and gap.strip(" "):
            found.append(" ".join(run))
            run = []
        if word[0].isupper() or any(c.isdigit() for c in word):
            run.append(word)
        elif run and word.casefold() in _JOINERS:
            run.append(word)
        elif run:
            found.append(" ".join(run))
            run = []
    if run:
        found.append(" ".join(run))
    return [r for r in map(_trimmed, found) if r and _adds(r, asked)]


def _trimmed(run: str) -> str:
    words = run.split()
    while words and words[-1].casefold() in _JOINERS:
        words.pop()
    while words and words[0].casefold() in _LIGHT:
        words.pop(0)
    return " ".join(words)


def _adds(run: str, asked: Asked) -> bool:
    said = [w for w in tokens(run) if stem(w) not in asked.stems and w not in _LIGHT]
    return any(not w.isdigit() for w in said)


def _rest(text: str, asked: Asked) -> list[str]:
    """The first words in a row that neither the question nor every sentence has."""
    run: list[str] = []
    for word in tokens(text):
        if stem(word) in asked.stems or word in _LIGHT:
            if run:
                break
            continue
        run.append(word)
    return run if len(run) <= 4 else []


def same_name(a: Name, b: Name) -> bool | None:
    """Whether two names mean the same; None if that cannot be told."""
    ours, theirs = _bare(a), _bare(b)
    if ours == theirs and ours:
        return True
    if "".join(a.words) == "".join(b.words) or _is_acronym(a, b) or _is_acronym(b, a):
        return True
    small, large = (a, b) if len(ours) <= len(theirs) else (b, a)
    if _bare(small) < _bare(large) and small.core & large.core:
        return True if _is_extended(small, large) else None
    if ours & theirs or a.core & b.core:
        return None
    if a.core & b.everything or b.core & a.everything or _are_similar(a.core, b.core):
        return None
    return False


def _bare(name: Name) -> frozenset[str]:
    return frozenset(w for w in name.words if len(w) > 1 or w.isdigit())


def _is_extended(small: Name, large: Name) -> bool:
    """Whether the longer name is the shorter one with a middle name, a title or a kind of thing."""
    extra = _bare(large) - _bare(small)
    if extra <= _GENERIC:
        return True
    ends = len(small.words) >= 2 and len(large.words) - len(small.words) <= 2
    return ends and (small.words[0], small.words[-1]) == (large.words[0], large.words[-1])


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
