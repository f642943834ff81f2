"""Lines that deny what a question takes for granted: asked who won, that there was no winner."""

from __future__ import annotations

import re

from mutual_dissent.analysis.bottom_lines.questions import QuestionAsked
from mutual_dissent.analysis.bottom_lines.remainder import remainder
from mutual_dissent.analysis.bottom_lines.words import (
    DENIALS,
    ENGLISH,
    is_english,
    seems_english,
    stem,
    tokens,
)

_PLAIN = frozenset(
    """not never didnt wasnt isnt hasnt doesnt werent arent hadnt havent""".split()
)  # words that deny a whole sentence, and not one thing in it
_OTHERWISE = frozenset(
    """but until till only instead rather however than before after if unless except or yet although
    though while whereas just merely first alone""".split()
)
_MOST_NEW = 1  # word that the question has not
_LONGEST = 60  # words
_BIG = re.compile(r"\b(?:[^\W\d_a-z]|\d)[\w'’-]*")


def denies_question(clean: str, asked: QuestionAsked) -> bool:
    """Return whether a line denies the question's sentence and gives no value instead."""
    if asked.kind not in ("name", "date", "year") or asked.is_advice or asked.is_negative:
        return False
    words = tokens(clean)
    readable = asked.is_english and (is_english(clean) or seems_english(clean))
    if len(words) > _LONGEST or not readable or _OTHERWISE & set(words):
        return False
    denials = [w for w in words if w in DENIALS]
    # Two denials may cancel each other.
    if len(denials) != 1 or denials[0] not in _PLAIN:
        return False
    claim = " ".join(w for w in words if w not in DENIALS)
    key_words = {stem(w) for w in asked.words - ENGLISH if len(w) > 3}
    shared = key_words & {stem(w) for w in words}
    # It has to deny what was asked about, and not something else.
    if 2 * len(shared) < len(key_words) or _names_another(clean, asked):
        return False
    return len(remainder(claim, asked)) <= _MOST_NEW


def _names_another(clean: str, asked: QuestionAsked) -> bool:
    """Return whether a line has a name of its own: `Jonas did not` leaves open who did."""
    own = [w for piece in _BIG.findall(clean) for w in tokens(piece)]
    return any(w not in ENGLISH and stem(w) not in asked.stems for w in own)
