"""Words about a debate: heading, account, ledger, tables, and how far its reading is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from mutual_dissent.core.camel import camel
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.views.account import account
from mutual_dissent.views.aliases import shown
from mutual_dissent.views.answer import answer
from mutual_dissent.views.ledger_names import named_ledger
from mutual_dissent.views.panel_tables import panel_tables
from mutual_dissent.views.readiness import UNDER_WAY, analysis_of, answered
from mutual_dissent.views.safe import plain
from mutual_dissent.views.said import readable

Json = dict[str, Any]


def account_to_json(t: Transcript) -> Json:
    """What is said about a debate in words, and its ledger; null where nothing can be said."""
    return {
        "account": asdict(account(answered(t))),
        "ledger": camel(named_ledger(t)),
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
