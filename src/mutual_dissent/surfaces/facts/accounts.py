"""Words about a debate: heading, account, ledger, tables, and how far its reading is."""

from __future__ import annotations

from dataclasses import dataclass, field

from mutual_dissent.analysis.ledger.entries import Ledger
from mutual_dissent.core.codec.camel import Json, Shape, about
from mutual_dissent.core.events import Status
from mutual_dissent.core.response import Response
from mutual_dissent.core.transcript import Transcript
from mutual_dissent.text.sanitize import plain
from mutual_dissent.views.account import Account, account
from mutual_dissent.views.answer import answer
from mutual_dissent.views.panel.aliases import shown
from mutual_dissent.views.panel.ledger_names import named_ledger
from mutual_dissent.views.panel.tables import panel_tables
from mutual_dissent.views.readiness import UNDER_WAY, Reading, analysis_of, answered
from mutual_dissent.views.remarks.readable import readable


@dataclass(frozen=True, slots=True, kw_only=True)
class DebateAccount(Shape):
    """Words about a debate beside the answers themselves, and tables."""

    session_id: str
    status: Status
    heading: str
    account: Account
    ledger: Ledger | None
    analysis: Reading
    answer: str | None
    panel: Json = field(metadata=about("Relations by round, estimates, ballots and critiques."))
    texts: dict[str, str] = field(
        metadata=about("Key -> an answer that names panelists by letters, with their aliases.")
    )


def shown_answer(t: Transcript) -> Response | None:
    """The answer, if there is one: a stand-in only where no synthesis is to be expected."""
    return t.synthesis if t.status in UNDER_WAY else answer(t)


def answer_text(t: Transcript) -> str | None:
    """The text of the answer as a person reads it, with names of panelists in it."""
    found = shown_answer(t)
    return plain(shown(t, readable(found), found)) if found else None


def debate_account(t: Transcript) -> DebateAccount:
    """All that a page says about a debate beside the answers themselves."""
    told = account(answered(t))
    return DebateAccount(
        session_id=t.transcript_id,
        status=t.status,
        heading=told.headline,
        account=told,
        ledger=named_ledger(t),
        analysis=analysis_of(t),
        answer=answer_text(t),
        panel=panel_tables(t),
        texts=dict(_texts(t)),
    )


def _texts(t: Transcript) -> list[tuple[str, str]]:
    written = [(key, readable(r)) for key, r in t.responses() if r.usable]
    named = ((key, text, shown(t, text, key)) for key, text in written)
    return [(key, plain(now)) for key, text, now in named if now != text]
