"""The name that a line adds to the words of the question, and whether two names match."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from mutual_dissent.analysis.bottom_lines.questions import QuestionAsked
from mutual_dissent.analysis.bottom_lines.remainder import without_leads
from mutual_dissent.analysis.bottom_lines.words import (
    ENGLISH,
    emphasised_texts,
    is_english,
    quoted_texts,
    stem,
    strip_emphasis,
    tokens,
)

_LIGHT = ENGLISH | frozenset(
    """based according provided source sources reference references article articles wikipedia
    information text given specifically prior therefore thus hence so while although though however
    currently originally officially previously later answer name named called titled title known
    correct recipient specific exactly several multiple sorry yes no note actually indeed likely
    probably possibly believe think recommend choose pick use using choice option best better recall
    upon following since despite including among within held via from january february march april
    may june july august september october november december monday tuesday wednesday thursday
    friday saturday sunday tv""".split()
)
# Words that may be missing from the same name.
_TITLES = frozenset("dr prof professor sir the".split())
# Small words inside of names: "Universidad de la República", "Museum of Modern Art".
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
# Before a quotation: it is speech then, and no title.
_SAYS = re.compile(
    r"\b(?:sa(?:id|ys|ying)|state[sd]?|wrote|writes|noted|notes|time|reads|follows)\b\W*$"
)
_LONGEST_QUOTE = 10  # words
_LONGEST_CODE = 8  # characters
_LONGEST_NOUN = 3  # words
_GENERIC = frozenset(
    """school schools college university universities institute academy art arts fine science
    sciences design music medicine law engineering technology museum gallery library hospital church
    cathedral street road avenue bridge river lake mount mountain island park city county district
    club company society association award awards prize medal cup trophy order championship
    championships tournament competition""".split()
)
"""Words for the kind of a thing: two names that share one need not be the same."""
_ASIDE = re.compile(r"[(\[][^()\[\]]{0,200}[)\]]")
_MOST = 24
# The word before a name tells its part: "beaten by X", "born in X".
_LEAD = re.compile(
    r"\b(by|in|at|on|to|for|from|is|was|are|were|called|named|titled|episode|as)\W+(?:the\s+)?\W*$"
)


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it was written, its words, and all words of the line."""

    text: str
    words: tuple[str, ...]
    core: frozenset[str]  # its words without those of the question
    everything: frozenset[str]
    before: frozenset[str]  # the question's words before it
    after: frozenset[str]
    lead: str
    has_article: bool
    in_sentence: bool  # of English
    others: frozenset[str] = frozenset()  # further names in the line


def name_in(line: str, asked: QuestionAsked) -> Name | None:
    """The name that a line gives in answer to the question; None if it gives none."""
    clean = without_leads(strip_emphasis(line))
    outside = _ASIDE.sub(" ", clean)
    spoken = [] if asked.is_common else _runs(outside, asked)
    written = [q for q in _titles(clean) if len(tokens(q)) <= _LONGEST_QUOTE]
    # What is in bold is most surely the answer; persons and places stand in no quotation marks.
    texts = [*emphasised_texts(line), *(spoken + written if asked.is_who else written + spoken)]
    if asked.is_common and not asked.is_advice and not texts:
        texts = _new_words(outside, asked)
    named = frozenset(w for t in texts for w in _words(t) if _is_new(w, asked) and not w.isdigit())
    for text in texts:
        adds = _adds(text, asked) or (text in written and _is_plain_title(text, asked))
        if adds and (name := _name(text, asked, clean)):
            return replace(name, others=named - frozenset(name.words))
    return None


def _new_words(text: str, asked: QuestionAsked) -> list[str]:
    """Words that a line adds to the question's, if they stand together: a common noun."""
    runs: list[list[str]] = [[]]
    for word in tokens(text):
        if _is_new(word, asked):
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
    names = [" ".join(run) for run in runs if run]
    return names if len(names) == 1 and len(names[0].split()) <= _LONGEST_NOUN else []


def _is_plain_title(text: str, asked: QuestionAsked) -> bool:
    """Return whether a title has only everyday words (`The First`) and is not in the question."""
    words = tokens(text)
    return bool(words) and set(words) <= ENGLISH and "".join(words) not in asked.squeezed


def _titles(clean: str) -> list[str]:
    """Texts in quotation marks, except for quoted speech."""
    return [q for q in quoted_texts(clean) if not _SAYS.search(clean[: clean.find(q)][-30:])]


def _name(text: str, asked: QuestionAsked, clean: str) -> Name | None:
    text = _without_lead(text, asked)
    # Of a name that is all in brackets, the words in them count.
    words = _words(_ASIDE.sub(" ", text)) or _words(text)
    core = frozenset(w for w in words if _is_new(w, asked)) or frozenset(
        words if _is_plain_title(text, asked) else ()
    )
    if not core or len(words) > _MOST:
        return None
    before, _, after = clean.partition(text.split(maxsplit=1)[0])
    return Name(
        text=" ".join(text.split()),
        words=words,
        core=core,
        everything=frozenset(tokens(clean)),
        before=_asked_words(before, asked),
        after=_asked_words(after, asked),
        lead=_lead(before),
        in_sentence=is_english(clean),
        has_article=before.casefold().endswith("the ") or text.casefold().startswith("the "),
    )


def _without_lead(text: str, asked: QuestionAsked) -> str:
    """Text in bold without the question's words before the name: `born in Exeter`."""
    words = text.split()
    while len(words) > 1 and words[0].islower() and _is_said(words[0], asked):
        words.pop(0)
    return " ".join(words)


def _is_said(word: str, asked: QuestionAsked) -> bool:
    return all(w in ENGLISH or stem(w) in asked.stems for w in tokens(word))


def _asked_words(text: str, asked: QuestionAsked) -> frozenset[str]:
    return frozenset(map(stem, tokens(text))) & asked.stems - ENGLISH


def _lead(before: str) -> str:
    """Words before a name: none, a word that says how it is meant, or another one."""
    words = tokens(before)
    if not set(words) - ENGLISH:
        return "first"
    match = _LEAD.search(before.casefold())
    return match[1] if match else ""


def _words(text: str) -> tuple[str, ...]:
    return tuple(ALIASES.get(w, w) for w in tokens(text) if w not in _SMALL)


def _is_new(word: str, asked: QuestionAsked) -> bool:
    """Return whether a word is neither in the question nor an everyday word."""
    if stem(word) in asked.stems or word in _LIGHT:
        return False
    # "ISO9001" is not new where the question has "ISO 9001".
    return not (len(word) > 5 and any(map(str.isdigit, word)) and word in asked.squeezed)


def _runs(text: str, asked: QuestionAsked) -> list[str]:
    """Runs of capitalised words that are not all in the question, with what a comma adds."""
    runs: list[str] = []
    run: list[str] = []
    last = 0
    for match in _PLACE.finditer(text):
        word, gap = match.group(), text[last : match.start()].strip()
        last = match.end()
        big = word[0].isupper() or any(c.isdigit() for c in word)
        # "Berkeley, California", "Marks & Spencer"; a comma before a small word ends a name.
        if run and (gap not in ("", ",", "&") or (gap == "," and not big)):
            runs.append(" ".join(run))
            run = []
        if big or (run and word.casefold() in _JOINERS):
            run.append(f"{gap} {word}" if run and gap else word)
        elif run:
            runs.append(" ".join(run))
            run = []
    runs.append(" ".join(run))
    return [r for r in (_trim(f, asked) for f in runs) if r and _adds(r, asked)]


def _trim(run: str, asked: QuestionAsked) -> str:
    """A run without the words that lead up to the name, and without a final joining word."""
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
    # "Following", "Originally", "Founded" begin sentences; a lone one is no name.
    if len(words) == 1 and first.casefold().endswith(("ing", "ly", "ed")):
        return ""
    return " ".join(words)


def _adds(run: str, asked: QuestionAsked) -> bool:
    return any(not w[0].isdigit() and _is_new(w, asked) for w in tokens(run))


def same_name(a: Name, b: Name) -> bool:
    """Return whether two names are the same but for titles, spaces and known other names."""
    if a.words == b.words or "".join(a.words) == "".join(b.words):
        return not _is_crossed(a, b)
    return _is_acronym(a, b) or _is_acronym(b, a)


def _is_crossed(a: Name, b: Name) -> bool:
    """Return whether one does what is done to the other: `Ann beat Bo`, `Bo beat Ann`."""
    leads = {a.lead, b.lead}
    turned = "first" in leads and bool(leads & {"", "to", "from"})
    return turned and bool(a.before & b.after or a.after & b.before)


def other_name(a: Name, b: Name, asked: QuestionAsked) -> bool:
    """Return whether two names mean two things for sure: no translation, no abbreviation."""
    if _other_code(a, b):
        return True
    # "Hill School of Art" and "Marsh School of Art" differ by what is their own.
    ours, theirs = (a.core | a.others) - _GENERIC, (b.core | b.others) - _GENERIC
    if not asked.is_proper or asked.is_wide or not ours or not theirs:
        return False
    # One line has the other's name in it: it may mean both, or say who is not meant.
    if ours & b.everything or theirs & a.everything:
        return False
    if _is_short(a) or _is_short(b):
        return False
    if asked.is_who and (len(a.words) == 1) != (len(b.words) == 1):
        return False  # a person and a company
    if asked.is_thing and not (asked.is_english and a.text.isascii() and b.text.isascii()):
        return False
    strict = asked.is_thing and not (a.in_sentence and b.in_sentence)  # Wien is not English
    # Spelled alike may be the same name misspelt (Marin, Martin) or in another language.
    return not _are_similar(ours, theirs, 0.5 if strict else 0.75)


def _other_code(a: Name, b: Name) -> bool:
    """Return whether two names are the same but for the number in one word: `A320` and `A330`."""
    if len(a.words) != len(b.words):
        return False
    apart = [(x, y) for x, y in zip(a.words, b.words, strict=True) if x != y]
    if len(apart) != 1:
        return False
    (x, y) = apart[0]
    coded = all(any(map(str.isdigit, w)) and len(w) <= _LONGEST_CODE for w in (x, y))
    return (
        coded
        and re.sub(r"\d", "", x) == re.sub(r"\d", "", y)
        and _has_letters(a)
        and _has_letters(b)
    )


def _has_letters(name: Name) -> bool:
    """Return whether a name has letters, too; 1984 and 1985 alone are rather years."""
    return any(map(str.isalpha, "".join(name.words)))


def _is_short(name: Name) -> bool:
    """Return whether a name is an abbreviation, or a title as `the President`."""
    text = name.text.strip(".")
    return (text.isupper() and len(text) <= 6) or (name.has_article and len(name.words) == 1)


def _is_acronym(short: Name, long: Name) -> bool:
    word = "".join(short.words)
    letters = "".join(w[0] for w in long.words)
    return len(short.words) == 1 and 2 <= len(word) <= 6 and len(long.words) > 1 and word == letters


def _are_similar(ours: frozenset[str], theirs: frozenset[str], least: float) -> bool:
    return any(
        # Five equal letters are enough: France and Français are less alike on the whole.
        SequenceMatcher(None, x[:40], y[:40]).ratio() >= least or x[:5] == y[:5]
        for x in list(ours)[:_MOST]
        for y in list(theirs)[:_MOST]
        if len(x) > 3 and len(y) > 3 and not (x.isdigit() or y.isdigit())
    )
