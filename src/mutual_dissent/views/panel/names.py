"""Names of panelists as people read them: as they were typed, and no longer than needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache

from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript, read_once
from mutual_dissent.core.values.defects import REVIEW_MODE
from mutual_dissent.prompts.fences import labels
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.phrases import join_names

LONGEST = 40


def name(t: Transcript, seat: str) -> str:
    """A seat's name: `openrouter:p1` is `p1` if no other seat has that name."""
    return _names_by_seat(t).get(seat) or one_line(seat, LONGEST)


def names(t: Transcript, seats: Iterable[str]) -> str:
    """Several names in a sentence: `claude, gpt and p4`."""
    return join_names([name(t, s) for s in seats])


def with_names(t: Transcript, sentence: str) -> str:
    """A sentence about seats, with their names: `openrouter:p1 disagrees` as `p1 disagrees`."""
    known = {seat: short for seat, short in _names_by_seat(t).items() if seat != short}
    if not known:
        return sentence
    # The longest first, so that claude#2 is not taken for claude.
    seats = "|".join(re.escape(s) for s in sorted(known, key=len, reverse=True))
    return re.sub(rf"(?<![\w:/])(?:{seats})(?![\w/])", lambda m: known[m[0]], sentence)


def late_names(t: Transcript) -> str:
    """Panelists that are missing for a temporary reason, so that `resume --late` asks them."""
    return names(t, (r.model_alias for r in t.absent if r.may_be_over))


def in_panel_order(t: Transcript, seats: Iterable[str]) -> list[str]:
    """The seats as they sit."""
    place = {p.seat: i for i, p in enumerate(t.panelists)}
    return sorted(seats, key=lambda s: (place.get(s, len(place)), s))


@read_once
def _names_by_seat(t: Transcript) -> Mapping[str, str]:
    """Seat -> its name, for everybody that may be named."""
    bare = {p.seat: p.seat.removeprefix(f"{p.route.vendor}:") for p in t.brief.everyone}
    taken = Counter(bare.values())
    return {
        seat: one_line(short if short and taken[short] == 1 else seat, LONGEST)
        for seat, short in bare.items()
    }


Letters = Mapping[str, str]
"""Letter -> the name of the panelist that it stands for."""

# The label of a panelist, such as: Panelist C.
_LABEL = re.compile(r"(\w{1,20}) ([A-Z])")
_FORMS = (
    r"(?:pan[eé]list(?:s|e|es|en|in|innen|a|as|i)?|панелист\w{0,3}|パネリスト|小组成员|패널리스트)"
)
"""The word for a panelist as authors of several languages write it."""

_END = r"(?![A-Za-z0-9_\u00c0-\u024f+#])"
"""A letter ends before anything but another one: in Japanese no blank follows it."""

_JOINED = (
    r"(?:\s*,)?\s*(?:\b(?:and|or|und|oder|et|ou|y|e|o|en|of|nor|vs\.?|versus|oraz|i|и|или)\b|"
    r"[&/+とや、和与]|및)\s*"
)
_SPOKEN_OF = re.compile(_FORMS, re.IGNORECASE)
_ARTICLE_LIKE = frozenset("AI")
"""Letters that are also words: alone they name a panelist only if the sentence says so."""

# "Option A", "vitamin C", "20 °C": the letter is no panelist.
_OTHER = re.compile(
    r"(?:option|plan|vitamin|answer|case|type|class|grade|appendix|section|figure|step|group|part|"
    r"variant|version|choice|scenario|site|node|level|series|hepatitis|language|team|phase|point|"
    r"exhibit|table|item|question|tier|column|row|candidate|model|method|approach)s?[ (*]{1,4}$|"
    r"[°º\d][\s\u00a0\u202f]?$",
    re.IGNORECASE,
)
_NEAR = 40
# What a panelist does, but no option or vitamin: "C's point", "C argues", "C, D and".
_DOES = re.compile(
    r"['’]s\b|\s*(?:[,;)]|(?:and|or|und|et)\s+[A-P]\b)|\s+(?:says?|said|holds?|would|will|rejects?|"
    r"argues?|wants?|objects?|adds?|thinks?|asks?|grants?|concedes?|agrees?|disagrees?|claims?|puts?|"
    r"gives?|takes?|rightly|also|alone|only|is right|is wrong|has|had|does|did|both|makes?|notes?|"
    r"points?|counters?|rebuts?|keeps?|changed|moved|leads?|recommends?|prefers?)\b"
)


def letters(t: Transcript, text_of: Response | str | None = None) -> Letters:
    """Panelists that the letters in a text stand for: as shown to its author, else the debate's.

    Args:
        text_of: the response with that text, or its key; None for words without one author.
    """
    key = text_of if isinstance(text_of, str) else _key(t, text_of) if text_of is not None else None
    drawn = _drawn_letters(t)
    shown = _by_letter(t, t.labels.get(key, {})) if key else {}
    if not shown:
        return drawn
    if all(drawn.get(letter) == who for letter, who in shown.items()):
        return drawn  # with its author's own letter
    return shown  # of an earlier version, where every reader had letters of its own


def replace_letters(text: str, who: Letters) -> str:
    """The text with names in the place of panelists' letters."""
    if not who or not _SPOKEN_OF.search(text):  # as in most texts, and found sooner
        return text
    return _pattern("".join(sorted(who))).sub(lambda m: _resolve(m, who), text)


def named_causes(text: str, who: Letters) -> str:
    """A closing line with names, also after `because of`, where authors write the bare letter."""
    if not who:
        return text
    known = "".join(sorted(who))
    letter = rf"[{known}](?![\w+#])"
    several = rf"{letter}(?:(?:\s*,|\s+and|\s+or)\s+{letter}){{0,15}}"
    pattern = re.compile(rf"\b((?:because of|due to|thanks to|after reading)\s+)({several})")
    whom = re.compile(rf"(?<!\w){letter}")
    causes = pattern.sub(lambda m: m[1] + whom.sub(lambda x: who[x[0]], m[2]), text)
    return replace_letters(causes, who)


def legend(text: str, who: Letters) -> str:
    """Legend of letters that stand alone in a text about panelists; else empty.

    Args:
        text: as it was written, or with names in it already.
    """
    if not who or not _SPOKEN_OF.search(text):
        return ""
    bare = _pattern("".join(sorted(who))).sub(" ", text)
    left = [x for x in sorted(who) if _stands_alone(bare, x)]
    return f"in the text: {', '.join(f'{x} = {who[x]}' for x in left)}" if left else ""


def text_with_names(t: Transcript, text: str, text_of: Response | str | None = None) -> str:
    """The text with names, and a line below it for letters that remain.

    Findings of a review are named by their numbers.
    """
    who, text = letters(t, text_of), with_numbers(t, text)
    left = legend(text, who)
    return f"{replace_letters(text, who)}\n\n({left})" if left else replace_letters(text, who)


def with_numbers(t: Transcript, text: str) -> str:
    """The text in which the findings of a review are named by their numbers."""
    if t.brief.mode != REVIEW_MODE:
        return text
    from mutual_dissent.analysis.review.order import without_labels

    return without_labels(t, text)


@read_once
def _drawn_letters(t: Transcript) -> Letters:
    return _by_letter(t, {label: seat for seat, label in labels(t.brief).items()})


def _by_letter(t: Transcript, shown: Mapping[str, str]) -> dict[str, str]:
    """Letter -> name, of labels that are letters; aliases stand for themselves."""
    matches = ((_LABEL.fullmatch(label), seat) for label, seat in shown.items())
    return {m[2]: name(t, seat) for m, seat in matches if m}


def _key(t: Transcript, response: Response) -> str | None:
    return next((key for key, r in t.responses() if r is response), None)


@lru_cache(maxsize=32)
def _pattern(known: str) -> re.Pattern[str]:
    """The word for a panelist with one or several letters after it."""
    # The letter may stand in bold, in code or in brackets: Panelist **C**, Panelist (C).
    letter = rf"(?:\*\*|__|\*|_|`|\()?[{known}]{_END}(?:\*\*|__|\*|`|\))?"
    # An I further on is the author: "Panelist A and I agree".
    further = rf"[{known.replace('I', '') or known}]{_END}"
    more = rf"(?:(?:\s*,\s*{further}){{0,15}}{_JOINED}(?:(?i:{_FORMS})\s*)?{further}){{0,15}}"
    row = rf"(?:\s*,\s*{further}(?=\s*(?:[,.;:)]|$))){{0,15}}"
    return re.compile(rf"(?:\b[Tt]he\s+)?(?<![A-Za-z0-9_])(?i:{_FORMS})\s*({letter}{more}{row})")


def _resolve(match: re.Match[str], who: Letters) -> str:
    without = re.sub(rf"(?i:(?<![A-Za-z0-9_]){_FORMS})\s*(?=[A-Z])", "", match[1])
    return re.sub(rf"(?<![A-Za-z0-9_])[A-Z]{_END}", lambda m: who.get(m[0], m[0]), without)


def _stands_alone(text: str, letter: str) -> bool:
    """Return whether a letter is used as a name."""
    # Neither C++, C#, A/B nor U.S.
    for match in re.finditer(rf"(?<![\w#+/.'’-]){letter}(?![\w#+.-]\S|[+#/]|-\w)", text):
        after = text[match.end() : match.end() + _NEAR]
        if _OTHER.search(text[max(0, match.start() - _NEAR) : match.start()]):
            continue
        if _DOES.match(after) or _is_listed(text, match):
            return True
    return False


def _is_listed(text: str, match: re.Match[str]) -> bool:
    """Return whether it stands beside another letter, or after a word that takes a person."""
    before = text[max(0, match.start() - _NEAR) : match.start()]
    if match[0] in _ARTICLE_LIKE and not re.match(r"\s*(?:[.:;,)]|$)", text[match.end() :][:_NEAR]):
        return False
    return bool(re.search(r"(?:\b[A-P]\s*(?:,|and|or)|\b(?:by|with|from|to|as|than))\s+$", before))
