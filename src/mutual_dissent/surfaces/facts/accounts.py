"""What is said about a debate: heading, account, ledger, tables, and how far its reading is."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any, Literal

from mutual_dissent.analysis.ledger_reading import ledger_of
from mutual_dissent.core.events import Status
from mutual_dissent.core.transcript import ANALYSIS, Transcript
from mutual_dissent.views.account import account
from mutual_dissent.views.aliases import shown
from mutual_dissent.views.answer import answer
from mutual_dissent.views.ledger_json import ledger_to_json
from mutual_dissent.views.panel_tables import panel_tables
from mutual_dissent.views.safe import plain
from mutual_dissent.views.said import readable

Json = dict[str, Any]
Reading = Literal["none", "waiting", "running", "done", "failed"]
UNDER_WAY = frozenset({Status.CREATED, Status.ACTIVE})


def has_answer(t: Transcript) -> bool:
    """Whether the answer is there."""
    return t.synthesis is not None


def only_read(t: Transcript) -> bool:
    """Whether the answer is there and an analyst is yet to read it: nobody need wait for that."""
    return has_answer(t) and analysis_of(t) != "none"


def answered(t: Transcript) -> Transcript:
    """The debate as it stands for who wants its answer: what follows the answer is no part of it.

    A debate whose answer is written is not called unfinished because an analyst still reads it.
    """
    read_only = t.status is Status.ACTIVE and has_answer(t)
    return replace(t, status=Status.COMPLETED) if read_only else t


def analysis_of(t: Transcript) -> Reading:
    """How far the analyst's reading of a debate has come."""
    read = [a for a in t.asides if a.role == ANALYSIS]
    if any(a.usable for a in read):
        return "done"
    if t.brief.analyst is not None and t.status in UNDER_WAY:
        return "running" if has_answer(t) else "waiting"
    return "failed" if read else "none"


def account_to_json(t: Transcript) -> Json:
    """What is said about a debate in words, and its ledger; null where nothing can be said."""
    found = ledger_of(t)
    return {
        "account": asdict(account(answered(t))),
        "ledger": ledger_to_json(t, found) if found else None,
        "analysis": analysis_of(t),
    }


def shown_answer(t: Transcript) -> Any:
    """The answer, if there is one: a stand-in only where no synthesis is to be expected."""
    return t.synthesis if t.status in UNDER_WAY else answer(t)


def answer_text(t: Transcript) -> str | None:
    """The text of the answer as a person reads it, with names of panelists in it."""
    found = shown_answer(t)
    return plain(shown(t, readable(found), found)) if found else None


def page_to_json(t: Transcript) -> Json:
    """All that a page says about a debate beside the answers themselves.

    `texts` has, by their keys, the answers that speak of panelists by letters, with names instead.
    """
    said = account_to_json(t)
    return {
        "sessionId": t.transcript_id,
        "status": t.status.value,
        "heading": said["account"]["headline"],
        **said,
        "answer": answer_text(t),
        "panel": panel_tables(t),
        "texts": dict(_texts(t)),
    }


def _texts(t: Transcript) -> list[tuple[str, str]]:
    written = [(key, readable(r)) for key, r in t.responses() if r.usable]
    named = ((key, text, shown(t, text, key)) for key, text in written)
    return [(key, plain(now)) for key, text, now in named if now != text]
