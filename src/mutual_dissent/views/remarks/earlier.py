"""Sentences on earlier debates on the matter: compared with one, or only named."""

from __future__ import annotations

from collections.abc import Iterator

from mutual_dissent.analysis.ledger.entries import EarlierAnswer
from mutual_dissent.analysis.ledger.lookup import ledger_of
from mutual_dissent.core.brief import SimilarDebate
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import one_line
from mutual_dissent.views.panel.names import letters, name, replace_letters
from mutual_dissent.views.phrases import clip

EARLIER = "Earlier debates on this"
LONGEST = 180
VERBS = {"confirms": "Confirms", "replaces": "Supersedes", "contradicts": "Contradicts"}
BY_CODE = {"value": "compared by value", "estimate": "compared by their estimates"}


def earlier_heading(t: Transcript) -> str:
    """Sentence of the heading on an earlier answer that this one does not leave standing."""
    past = t.brief.attached
    found = _earlier_answer(t) if past else None
    if found is None or past is None or found.relation not in ("replaces", "contradicts"):
        return ""
    return f"{VERBS[found.relation]} {_debate(past)}."


def earlier_lines(t: Transcript) -> Iterator[str]:
    """Lines on the answer beside that of an attached debate, or on a debate that was only named."""
    past = t.brief.attached
    if past is None:
        for named in t.brief.similar[:1]:
            yield f"An earlier debate on this: {_name(named)}{_whose(named)}"
    elif found := _earlier_answer(t):
        if found.relation in VERBS:
            yield _compared(t, past, found)
    elif _is_like(t.query, past.query):  # else it is a further question, and says nothing of it
        lead = "Not compared with" if t.synthesis else "The panel is told"
        yield f"{lead} {_debate(past)}{_whose(past)}"


def _earlier_answer(t: Transcript) -> EarlierAnswer | None:
    from mutual_dissent.analysis.ledger.earlier import earlier_answer  # few debates need it

    return earlier_answer(t)


def _is_like(one: str, other: str) -> bool:
    from mutual_dissent.text.likeness import most_like

    return bool(most_like(one, [other]))


def _compared(t: Transcript, past: SimilarDebate, found: EarlierAnswer) -> str:
    before, now, reason = (_short(t, text) for text in (found.before, found.now, found.reason))
    ledger = ledger_of(t)
    analyst = ledger.analyst if ledger and found.source == "analyst" else None
    source = f"read by {name(t, analyst)}" if analyst else BY_CODE.get(found.source, "")
    why = f"{reason}; " if reason and found.source == "analyst" else ""
    verb = VERBS[found.relation]
    return f'{verb} {_debate(past)}: then "{before}", now "{now}" ({why}{source})'


def _debate(past: SimilarDebate) -> str:
    return f"debate {_name(past)}"


def _name(past: SimilarDebate) -> str:
    return f"{past.transcript_id[:8]} of {past.date}"


def _whose(past: SimilarDebate) -> str:
    answer = one_line(past.bottom_line or past.heading, LONGEST).rstrip(" .")
    return f", whose answer was: {answer}" if answer else ""


def _short(t: Transcript, text: str) -> str:
    return clip(one_line(replace_letters(text, letters(t)), 400), LONGEST).rstrip(" .")
