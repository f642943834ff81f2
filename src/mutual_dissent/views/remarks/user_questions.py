"""Questions of panelists to the user, and the command that answers them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.core.values.terms import at_terminal
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.panel.names import letters, name, replace_letters
from mutual_dissent.views.phrases import round_name

TITLE = "asked of you"
WORDS = '"..."'
"""Placeholder for the user's words in a command."""
_TELL = "to tell the panel what is missing"
MOST_MISSING = 4
SAME = 0.75
"""Share of words from which on a request repeats an earlier one."""
_ITEMS = re.compile(r"\s*(?:,\s|、|，)|\s+and\s+")
_FILLERS = frozenset("a an the your our its their of for what which is are and".split())
_END = re.compile(r"(?<=[.!?。？！])\s")
UNDER_WAY = (Status.CREATED, Status.ACTIVE)


def requests(t: Transcript) -> list[str]:
    """Questions without an answer so far, in a line each."""
    who = letters(t)
    return [
        one_line(
            f"{name(t, r.seat)} ({round_name(r.round_number)}): {replace_letters(r.text, who)}", 400
        )
        for r in t.open_requests
    ]


def missing(t: Transcript) -> list[str]:
    """Facts that only the user can tell, in short: from the analyst, the answer, or the panel."""
    ledger = ledger_of(t) if t.synthesis else None
    questions = ledger.missing if ledger and ledger.source == "analyst" else ()
    questions = questions or (t.synthesis.requests if t.synthesis else ())
    questions = questions or tuple(r.text for r in t.open_requests)
    who = letters(t)
    short = (_END.split(replace_letters(s, who).strip(), maxsplit=1)[0] for s in questions)
    parts = (part.strip(" .") for s in short for part in one_line(s, 300).split(";"))
    return _each_once(p for p in parts if p)[:MOST_MISSING]


def _each_once(asked: Iterable[str]) -> list[str]:
    """Requests without repeats: an item of a list, or all in nearly the same words."""
    kept: list[tuple[str, set[str]]] = []
    items: set[str] = set()
    for text in asked:
        listed = _ITEMS.split(text)
        new = [x for x in listed if x.strip().casefold() not in items and not _repeats(x, kept)]
        items.update(x.strip().casefold() for x in new)
        rest = ", ".join(new) if len(new) < len(listed) else text
        words = _telling(rest)
        if words and not any(len(words & w) >= SAME * len(words) for _, w in kept):
            kept.append((rest, words))
    return [text for text, _ in kept]


def _repeats(item: str, kept: Iterable[tuple[str, set[str]]]) -> bool:
    """Return whether an item of several words is wholly in an earlier request."""
    words = _telling(item)
    return len(words) > 1 and any(words <= earlier for _, earlier in kept)


def _telling(text: str) -> set[str]:
    """The words of a request that say what is asked for."""
    words = set(text.casefold().split())
    return words - _FILLERS or words


def answering(t: Transcript) -> str:
    """The command with which the user answers: while a debate runs, or before it continues."""
    short = one_line(t.transcript_id[:8], 8)
    if t.status in UNDER_WAY:
        return f"{_TELL}: {at_terminal('tell', short, WORDS)}"
    if t.status is not Status.COMPLETED:
        return f"{_TELL}: {at_terminal('resume', short, remark=WORDS)}"
    if t.brief.rounds == 0:  # stages are fixed
        again = at_terminal("ask", WORDS, mode=t.brief.mode)
        return f"{_TELL}, ask again with it in the question: {again}"
    return f"{_TELL}: {at_terminal('continue', short, remark=WORDS)}"
