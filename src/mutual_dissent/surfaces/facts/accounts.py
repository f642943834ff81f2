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
from mutual_dissent.views.answer import answer, is_review
from mutual_dissent.views.panel.ledger_names import named_ledger
from mutual_dissent.views.panel.names import text_with_names
from mutual_dissent.views.panel.tables import panel_tables
from mutual_dissent.views.readiness import UNDER_WAY, Reading, analysis_of, up_to_answer
from mutual_dissent.views.remarks.citations import (
    CitedSource,
    answer_sources,
    cite_answer,
    sources,
)
from mutual_dissent.views.remarks.readable import readable
from mutual_dissent.views.review import Review, review_of


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedAnswer(Shape):
    """The answer with its sources under the numbers that every report gives them."""

    key: str
    text: str = field(metadata=about("The answer, with `[2]` in the place of the second address."))
    sources: tuple[CitedSource, ...]


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
    panel: Json = field(
        metadata=about(
            "Relations by round, estimates, ballots, critiques, the table of a decision."
        )
    )
    texts: dict[str, str] = field(
        metadata=about("Key -> an answer that names panelists by letters, with their aliases.")
    )
    cited: CitedAnswer | None = None
    review: Review | None = None


def shown_answer(t: Transcript) -> Response | None:
    """Return the answer, if any: a fallback only where no synthesis is to come."""
    return t.synthesis if t.status in UNDER_WAY else answer(t)


def answer_text(t: Transcript) -> str | None:
    """Return the answer's text as a person reads it, with panelists' names."""
    response = shown_answer(t)
    return plain(text_with_names(t, readable(response), response)) if response else None


def debate_account(t: Transcript) -> DebateAccount:
    """Return all that a page says about a debate besides the answers themselves."""
    words = account(up_to_answer(t))
    return DebateAccount(
        session_id=t.transcript_id,
        status=t.status,
        heading=words.headline,
        account=words,
        ledger=named_ledger(t),
        analysis=analysis_of(t),
        answer=answer_text(t),
        panel=panel_tables(t),
        texts=dict(_texts(t)),
        cited=_cited(t),
        review=review_of(t) if is_review(t) else None,
    )


def _cited(t: Transcript) -> CitedAnswer | None:
    """The answer by its numbered sources; None if it has none."""
    shown = shown_answer(t)
    key = next((key for key, r in t.responses() if r is shown), None)
    if shown is None or key is None or not sources(t):
        return None
    text = plain(cite_answer(t, shown))
    found = answer_sources(t, text)
    return CitedAnswer(key=key, text=text, sources=found) if found else None


def _texts(t: Transcript) -> list[tuple[str, str]]:
    written = [(key, readable(r)) for key, r in t.responses() if r.usable]
    named = ((key, text, text_with_names(t, text, key)) for key, text in written)
    return [(key, plain(now)) for key, text, now in named if now != text]
