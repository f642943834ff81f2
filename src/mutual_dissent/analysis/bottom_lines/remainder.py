"""Remainder of a line besides its value and the question's words: if lines agree, it is empty."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutual_dissent.analysis.bottom_lines.questions import QuestionAsked
from mutual_dissent.analysis.bottom_lines.words import (
    NEGATIONS,
    fold_case,
    is_ideographic,
    stem,
    tokens,
)

# Words that say nothing by themselves; modal verbs and words of direction are not among them.
_LIGHT = frozenset(
    """the a an of to in on at for as and it is are was were be been being its this that these those
    he she they them his her their we our you your i my me has have had do does did which who whom
    whose what when where there here so also about during with answer therefore thus hence name
    named called titled title known located situated corresponds belongs made took occurred
    happened served serves
    der die das den dem ein eine ist im am le la les l un une est el los las es il lo gli e o os um
    uma de het een is jest w""".split()
)
TURNS = NEGATIONS | frozenset(
    """but only while whereas however although though than if until from before after over under
    above below more less most least fewer up down out off between or other both each all any
    other otherwise since by through within yet still minus ago earlier later prior bc bce ad ce ah
    ;""".split()
)
"""Words that turn or limit the meaning, together with the next word."""
_STRONG = NEGATIONS | frozenset(
    "but only while whereas however although though than if or otherwise bc bce ad ce ah".split()
)
_SOURCE = frozenset(
    """based according provided available given cited reference references source
    sources text texts article articles wikipedia information context search results documents data
    knowledge above list records website page several other external historical indicate indicates
    state states show shows""".split()
)
COUNTED = frozenset(
    map(stem, "times time occurrences occurrence instances instance appearances".split())
)
"""Stems of words for things that are counted, whatever they are."""
_COUNTING = COUNTED | frozenset(
    map(
        stem,
        """appear appears occur occurs found exist exists present contain contains include
        includes count counted total altogether exactly precisely""".split(),
    )
)
# "in the sentence", "this text has": what the question gives.
_QUOTE = (
    r"(?:the|that|this|your) (?:given |whole |entire |full |quoted )?"
    r"(?:sentence|text|phrase|word|string|passage|quote|line)"
)
_GIVEN = re.compile(
    rf"\b(?:in|of|within) {_QUOTE}\b|^{_QUOTE} (?=contains|has|includes)", re.IGNORECASE
)
# 'the letter "e"' is e.
_LETTER = re.compile(r"\bletters? (?=[\"'“‘«]?[^\W\d_]\b)", re.IGNORECASE)
_PAST = frozenset("was were had did".split())
_PRESENT = frozenset("is are has does".split())
# A word with a capital: part of a name, or a month.
_BIG = r"[A-Z][^\W\d_]+\.?"
_DAY = rf"(?:{_BIG} )?\d{{1,2}},? (?:{_BIG},? )?(?:1\d|20)\d\d|(?:1\d|20)\d\d"
# "in Exeter, England", "held on 3 May 1902": where and when, which was not asked.
_ADJUNCT = re.compile(rf",? (?:held )?(?:in|at|on) ((?:{_BIG}(?:,? {_BIG}){{0,4}})|{_DAY})\b")
_CLAUSE = re.compile(
    r",\s(?:who|whom|whose|which|where|when|(?:an?|the|one of)\s(?=[a-z])|as|under the|known|born|"
    r"located|situated|marking|making|becoming|coinciding|reaching|serving|featuring|highlighting|"
    r"showcasing|reflecting|celebrating|representing|earning)\s?[^,;:]{1,220}(?=,|[.!]?$)"
)
"""A clause or an apposition between commas: it describes what is named, and asserts no other.

`the Netherlands` after a comma is one more name, and no apposition.
"""
# A pronoun refers to what was asked about; the other words limit what is named.
_NO_CLAUSE = frozenset("it him them former vice deputy acting honorary future ex well".split())
_ONE_MORE = re.compile(r"\b(?:and|with|by|plus|of|to|over|against) (?:the )?[A-Z]")
"""Another person, whom a clause may bring in besides."""
# "in the TV series Bexley" says no more than "in Bexley".
_KIND = re.compile(
    r"\b(?:TV|television|film|movie|(?:soap )?opera|sitcom|series|show|novel|book|song|album|"
    r"game)\b"
)
_TOTAL = re.compile(r"\ba total of\b")
# "Ann Holt from Exeter", asked who won
_ORIGIN = re.compile(rf" from ((?:the )?{_BIG}(?:,? {_BIG}){{0,2}})(?=[\s.,]|$)")
_KIN = re.compile(
    r"\b(?:his|her|their|the) (?:mother|father|son|daughter|wife|husband|brother|sister|uncle|aunt|"
    r"cousin|nephew|niece|grandson|grandfather|grandmother),?\s(?=[A-Z])"
)
"""Relation of one person to another, before the name: `his mother, Ann`."""
# "According to the Exeter Times, ...", "It is widely known that ..."
_EVIDENCE = re.compile(
    r"^(?:however, )?(?:(?:according to|based on) [^,;]{1,90}, |it is (?:widely |generally |also |"
    r"well )?(?:known|reported|recorded|documented) (?:from [^,;]{1,60} )?that )",
    re.IGNORECASE,
)
_PIECE = re.compile(r"[^\W_]+(?:['’ʼ][^\W_]+)*|;")


def remainder(clean: str, asked: QuestionAsked, value: str = "") -> tuple[str, ...]:
    """The stems of a line's words besides its value; `value` is taken away from it.

    A word that turns the meaning is joined with the next one: `than-coffee` is not `than-tea`.
    """
    text = _without_source(clean.removeprefix("However, "), asked)
    # Asked for advice or for one of several, a clause is part of the answer: "Postgres, which needs
    # a second server". Beside a number it may say of what: "40 pounds, which was paid yearly".
    if asked.kind and not (asked.is_advice or asked.is_common or asked.is_wide):
        text = text if asked.kind == "number" else _without_clauses(text, asked, value)
        text = _TOTAL.sub(" ", _KIND.sub(" ", without_leads(text)))
    text = _without_adjuncts(text, asked, value)
    if is_ideographic(text):
        return _strange(text, asked)
    taken = frozenset(tokens(value))
    known = set(_remaining_words(asked.text, taken, frozenset()))
    parts = [
        part
        for part in _remaining_words(text, taken, asked.stems)
        if part not in known and not _is_written_otherwise(part, asked)
    ]
    return tuple(dict.fromkeys(parts))


def _without_clauses(text: str, asked: QuestionAsked, value: str) -> str:
    """The line without clauses between commas, unless they may bear on what was asked.

    They do if they turn the meaning round, have the value, name another person or take up what
    the question says of it: `the former president`, asked who is president.
    """
    taken = frozenset(tokens(value)) | _STRONG | _NO_CLAUSE | (asked.words - asked.names - _LIGHT)

    def kept(clause: re.Match[str]) -> str:
        words = clause.group()
        return words if taken & set(tokens(words)) or _ONE_MORE.search(words) else " "

    return _CLAUSE.sub(kept, text)


def _is_written_otherwise(part: str, asked: QuestionAsked) -> bool:
    """Return whether a word is the question's, as an abbreviation or without its spaces."""
    if len(part) > 5 and any(map(str.isdigit, part)):
        return part in asked.squeezed
    return 3 <= len(part) <= 6 and part in asked.initials


def without_leads(text: str) -> str:
    """The line without its source, and without `his mother` before her name."""
    return _KIN.sub("", _EVIDENCE.sub("", text))


def counting_rest(rest: tuple[str, ...]) -> tuple[str, ...]:
    """The remainder beside a number, without words that say no more than that it was counted."""
    return tuple(part for part in rest if part not in _COUNTING)


def without_given(text: str) -> str:
    """The line without a place in what the question gives: `in the sentence`."""
    return _LETTER.sub("", _GIVEN.sub("", text))


def same_rest(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """Return whether two remainders are equal; in the same order if a word turns them round."""
    turns = any("-" in part for part in (*a, *b))
    return a == b if turns else set(a) == set(b)


def tense(clean: str) -> str:
    """`past` or `present`, as a line speaks; empty if it has neither or both."""
    words = frozenset(tokens(clean))
    past, present = bool(words & _PAST), bool(words & _PRESENT)
    return "" if past == present else "past" if past else "present"


def turns_meaning(rest: tuple[str, ...]) -> bool:
    """Return whether a word in the remainder may turn the meaning round."""
    return any(part.split("-")[0] in _STRONG for part in rest)


def _without_source(clean: str, asked: QuestionAsked) -> str:
    """The line without `According to the provided text,` or `Records show that` before it."""
    for end in (",", " that "):
        lead, separator, rest = clean.partition(end)
        words = frozenset(tokens(lead))
        if separator and words & _SOURCE and words <= _SOURCE | _LIGHT | asked.words:
            clean = rest.strip()
    return clean


def _without_adjuncts(text: str, asked: QuestionAsked, value: str) -> str:
    """The line without places and days that it adds, if it has all names of the question."""
    missing = asked.names - frozenset(tokens(text))
    # Else the line may be about something else, and its place and day tell of what.
    if 2 * len(missing) > len(asked.names) or not asked.names:
        return text
    if any(map(str.isdigit, "".join(missing))):
        return text  # of another year than the question's
    taken = frozenset(tokens(value)) | asked.words

    def kept(adjunct: re.Match[str]) -> str:
        return adjunct.group() if taken & set(tokens(adjunct[1])) else " "

    if asked.is_who and "from" not in asked.words:
        text = _ORIGIN.sub(kept, text)
    return _ADJUNCT.sub(kept, text)


def _remaining_words(text: str, taken: frozenset[str], known: frozenset[str]) -> Iterator[str]:
    turn = ""
    for piece in _PIECE.findall(text):
        word = ";" if piece == ";" else "".join(tokens(piece))
        if word in TURNS and word not in taken:
            if turn:
                yield f"{turn}-"
            turn = word
            continue
        if word in _LIGHT and word not in taken:
            continue
        # "#" stands for the value, so that "before-#" is the same in lines with other values.
        root = "#" if word in taken else stem(word)
        if turn:
            yield f"{turn}-{root}"
        # The question's own words say nothing new, unless a word before them turns them.
        elif root != "#" and root not in known:
            yield root
        if turn and root != "#" and root not in known:
            yield root
        turn = ""
    if turn:
        yield f"{turn}-"


def _strange(text: str, asked: QuestionAsked) -> tuple[str, ...]:
    """In a script without spaces: all of it, unless it has only the question's characters."""
    left = re.sub(r"[\d\s.,。，、！!:：]", "", fold_case(text))
    return (left,) if set(left) - set(fold_case(asked.text)) else ()
